//! The state of a search as bytes: every bit of every number, and a name that tells methods apart.

use crate::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn encode<T: Serialize>(method: &str, state: &T) -> Vec<u8> {
    // Plain data into memory: the format has no way to refuse it.
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

/// Refuses a state whose parts do not have the sizes that the settings ask for.
pub(crate) fn check_sizes(sizes: &[(&str, usize, usize)]) -> Result<(), Error> {
    match sizes.iter().find(|(_, found, expected)| found != expected) {
        Some((what, found, expected)) => {
            Err(Error::State(format!("it has {found} {what}, and the settings ask for {expected}")))
        }
        None => Ok(()),
    }
}
