//! The fits of a race on other machines: what a worker needs, and what it does.

use super::driver::Driver;
use super::settings::SelectionSettings;
use crate::data::Related;
use crate::saved::{decode, encode};
use crate::{Cancellation, Dataset, Error, FitSettings};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Name of the parcel, with the version, as both sides must count in the same way.
const NAME: &str = concat!("race of onefold ", env!("CARGO_PKG_VERSION"));

/// Some fits of a race, to be done anywhere: each by [`RaceWorker::fit`], with its number from 0.
pub struct RaceFits<'a> {
    /// What a [`RaceWorker`] is made of; the same during the whole race.
    pub parcel: &'a [u8],
    /// How far the race is.
    pub state: &'a [u8],
    /// How many fits there are, one for each shape.
    pub count: usize,
}

/// Does the fits of a race, and returns their results in order; none if it was cancelled.
pub type Elsewhere<'a> = dyn FnMut(&RaceFits<'_>) -> Option<Vec<Vec<u8>>> + 'a;

/// Rows and settings of a race. The settings are JSON, as in checkpoints.
#[derive(Serialize, Deserialize)]
struct Parcel {
    data: Dataset,
    related: Option<Related>,
    template: String,
    settings: String,
}

/// Everything that a worker needs.
pub(super) fn pack(data: &Dataset, template: &FitSettings, settings: &SelectionSettings) -> Vec<u8> {
    let text = |value: serde_json::Result<String>| value.unwrap_or_default();
    let parcel = Parcel {
        data: data.clone(),
        related: settings.related.as_deref().cloned(),
        template: text(serde_json::to_string(template)),
        settings: text(serde_json::to_string(&SelectionSettings { threads: 1, ..settings.clone() })),
    };
    encode(NAME, &parcel)
}

/// Does fits of a race for a driver elsewhere.
pub struct RaceWorker {
    data: Dataset,
    template: FitSettings,
    settings: SelectionSettings,
}

impl RaceWorker {
    /// From a [parcel](RaceFits::parcel).
    ///
    /// # Errors
    /// If it is damaged, or of another version.
    pub fn new(parcel: &[u8]) -> Result<Self, Error> {
        let damaged = |e: serde_json::Error| Error::State(format!("it is damaged: {e}"));
        let Parcel { data, related, template, settings } = decode(NAME, parcel)?;
        let mut settings: SelectionSettings = serde_json::from_str(&settings).map_err(damaged)?;
        settings.related = related.map(Arc::new);
        settings.validate()?;
        data.check_usable()?;
        Ok(Self { data, template: serde_json::from_str(&template).map_err(damaged)?, settings })
    }

    /// The result of a fit of a race that is in this [state](RaceFits::state); none if it was cancelled.
    ///
    /// # Errors
    /// If the state is damaged, or the race has no such fit.
    pub fn fit(
        &self,
        state: &[u8],
        number: usize,
        cancellation: &Cancellation,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut driver = Driver::new(&self.data, &self.template, &self.settings)?;
        driver.restore(state)?;
        driver.fit(number, cancellation)
    }
}
