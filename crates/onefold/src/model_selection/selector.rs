//! Selection of a network for some training rows.

use super::by_threshold::smallest_that_reaches;
use super::driver::Driver;
use super::elsewhere::{Elsewhere, RaceFits, pack};
use super::progress::SelectionProgress;
use super::selection::Selection;
use super::settings::SelectionSettings;
use crate::{Cancellation, Dataset, Error, FitSettings};

/// Selects a network for these training rows, see [`Selector`]; `tell` is called as it goes on.
///
/// ```
/// use onefold::model_selection::{SelectionSettings, select};
/// use onefold::{Builtin, Cancellation, FitSettings, Method};
///
/// let data = Builtin::Iris.load(&Default::default())?.train;
/// let template = FitSettings::for_data(&data, "1", Method::AUTO)?;
/// let settings = SelectionSettings { effort: Some(0.5), ..SelectionSettings::default() };
/// let selection = select(&data, &template, &settings, &Cancellation::default(), |_| {})?;
/// assert!(selection.is_some_and(|selection| selection.tried.len() > 100));
/// # Ok::<(), onefold::Error>(())
/// ```
///
/// # Errors
/// As [`Selector::run`].
pub fn select(
    data: &Dataset,
    template: &FitSettings,
    settings: &SelectionSettings,
    cancellation: &Cancellation,
    tell: impl FnMut(&SelectionProgress<'_>),
) -> Result<Option<Selection>, Error> {
    Selector::new(data, template, settings)?.cancel_by(cancellation).observe(tell).run()
}

/// The selection of a network for some training rows.
///
/// `template` contains the settings of training: seed, scaling, cost, start interval and, if any, the
/// threshold; its layers and method have no effect, as networks are trained with
/// [`Method::AUTO`](crate::Method::AUTO).
///
/// *With a threshold*, the smallest network with one hidden layer is selected whose verified error on the
/// training rows reaches it; it has a linear part if the template has one.
///
/// *Without*, candidates take part in a race: hidden layers, with and without a linear part, each with
/// several decays, and two baselines, the constant answer and the linear model. All are trained on a part of
/// the rows and compared on held-out ones, those that are left on more, up to repeated cross-validation; of
/// large tables on samples that grow. For a classification the output layer is refitted by logistic
/// regression, so that its outputs are probabilities. A candidate is dropped only if another one is better
/// beyond chance on the same rows. In the end the smallest one is selected whose mean row-wise difference to
/// the best is at most one standard error, or a baseline that no network beats beyond chance.
///
/// The same data, settings and seed give the same selection on any number of threads, and after any
/// interruption that was [resumed](Self::resume).
pub struct Selector<'a> {
    data: &'a Dataset,
    template: &'a FitSettings,
    settings: &'a SelectionSettings,
    cancellation: Cancellation,
    observer: Observer<'a>,
    saved: Option<&'a [u8]>,
    elsewhere: Option<Box<Elsewhere<'a>>>,
}

pub(super) type Observer<'a> = Box<dyn FnMut(&SelectionProgress<'_>) + 'a>;

impl<'a> Selector<'a> {
    /// Checks settings and data.
    ///
    /// # Errors
    /// If settings are out of range or do not fit the data.
    pub fn new(
        data: &'a Dataset,
        template: &'a FitSettings,
        settings: &'a SelectionSettings,
    ) -> Result<Self, Error> {
        settings.validate()?;
        data.check_usable()?;
        data.check_variation()?;
        if let Some(metric) = settings.metric {
            metric.check_task(data.classification)?;
        }
        let (cancellation, observer) = (Cancellation::default(), Box::new(|_: &SelectionProgress<'_>| {}));
        Ok(Self { data, template, settings, cancellation, observer, saved: None, elsewhere: None })
    }

    /// Ends the selection when `cancellation` asks for it: then what was tried so far is compared.
    #[must_use]
    pub fn cancel_by(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = cancellation.clone();
        self
    }

    /// Calls `observer` after each network that was tried.
    #[must_use]
    pub fn observe(mut self, observer: impl FnMut(&SelectionProgress<'_>) + 'a) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// Resumes from a state saved by [`RaceProgress::save`](super::RaceProgress::save) with the same data and
    /// settings. A state that is damaged is an error of [`run`](Self::run).
    #[must_use]
    pub fn resume(mut self, saved: &'a [u8]) -> Self {
        self.saved = Some(saved);
        self
    }

    /// Has the fits of the race done elsewhere, with the same result. A search for a threshold is done here.
    #[must_use]
    pub fn run_fits_by(mut self, elsewhere: impl FnMut(&RaceFits<'_>) -> Option<Vec<Vec<u8>>> + 'a) -> Self {
        self.elsewhere = Some(Box::new(elsewhere));
        self
    }

    /// Selects a network; none if it was cancelled before any was tried.
    ///
    /// # Errors
    /// If no network can be trained on these rows, or a state to resume from is damaged.
    pub fn run(mut self) -> Result<Option<Selection>, Error> {
        let Self { data, template, settings, .. } = self;
        if let Some(threshold) = template.stop.threshold {
            let tell = |tried: &_| (self.observer)(&SelectionProgress::Tried(tried));
            return smallest_that_reaches(threshold, data, template, settings, &self.cancellation, tell);
        }
        let mut driver = Driver::new(data, template, settings)?;
        if let Some(saved) = self.saved {
            driver.restore(saved)?;
        }
        let parcel = self.elsewhere.as_ref().map(|_| pack(data, template, settings));
        let elsewhere = parcel.as_deref().zip(self.elsewhere.as_deref_mut());
        driver.run(&self.cancellation, &mut self.observer, elsewhere)
    }
}
