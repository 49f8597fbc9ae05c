//! Serialisation of the state of a search: exact to the bit, with the name of the optimiser.

use crate::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn encode<T: Serialize>(method: &str, state: &T) -> Vec<u8> {
    // Serialising plain data into memory cannot fail.
    postcard::to_stdvec(&(method, state)).unwrap_or_default()
}

pub(crate) fn decode<T: DeserializeOwned>(method: &str, saved: &[u8]) -> Result<T, Error> {
    let damaged = |_| Error::State("it is damaged".into());
    let (found, rest) = postcard::take_from_bytes::<String>(saved).map_err(damaged)?;
    if found != method {
        return Err(Error::State(format!("it belongs to {}, not to {method}", found.escape_debug())));
    }
    match postcard::take_from_bytes(rest).map_err(damaged)? {
        (state, []) => Ok(state),
        _ => Err(Error::State("it is damaged: it is too long".into())),
    }
}

/// Checks that the parts of a state have the sizes that the settings require.
pub(crate) fn check_sizes(sizes: &[(&str, usize, usize)]) -> Result<(), Error> {
    match sizes.iter().find(|(_, found, expected)| found != expected) {
        Some((what, found, expected)) => {
            Err(Error::State(format!("it has {found} {what}, but the settings require {expected}")))
        }
        None => Ok(()),
    }
}
