//! Checkpoint files of training runs. A resumed run gives the same bits as an uninterrupted one.

use crate::data::Column;
use crate::files::{Fnv, check_head, digest, read_text, write_whole};
use crate::model::Intervals;
use crate::model_selection::SelectionSettings;
use crate::optimizer::LocalSettings;
use crate::{Dataset, Error, FitSettings, Progress, TrainTest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// First field of every checkpoint file.
const FORMAT: &str = "onefold-checkpoint";
/// Version of the file format.
const FORMAT_VERSION: u32 = 2;

/// The largest file: the states of large populations and covariance matrices are long.
pub const LARGEST: u64 = 4 << 30;

/// Earlier versions whose searches this one continues to the same bits.
const CONTINUED: [&str; 2] = ["onefold 0.1.0", "onefold 0.2.0"];

/// The state of a training run after a generation, with its settings and a digest of its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    format: String,
    format_version: u32,
    /// Version of onefold that made it.
    pub made_by: String,
    /// Name of the data.
    pub data: String,
    /// Digest of the data.
    pub data_digest: String,
    /// All settings, including the seed.
    pub settings: FitSettings,
    /// The settings of the selection of a network, if that is what was saved; none for a training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<SelectionSettings>,
    /// Prediction intervals from the selection before the training, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// Evaluations so far.
    pub evaluations: u64,
    /// Best cost so far; none if no candidate had a finite cost.
    pub cost: Option<f64>,
    /// Digest of the state.
    state_digest: String,
    /// The state of the search, two hexadecimal digits for each byte.
    state: String,
}

impl Checkpoint {
    /// The state of a run, to be called by its observer. `name` is the name of the data.
    #[must_use]
    pub fn new(name: &str, data: &TrainTest, settings: &FitSettings, progress: &Progress<'_>) -> Self {
        Self {
            evaluations: progress.evaluations,
            cost: Some(progress.best.cost).filter(|c| c.is_finite()),
            ..Self::with_state(name, data, settings, &progress.save())
        }
    }

    /// The state of a selection, saved by
    /// [`RaceProgress::save`](crate::model_selection::RaceProgress::save). `template` has the settings of
    /// training.
    #[must_use]
    pub fn of_selection(
        name: &str,
        data: &TrainTest,
        template: &FitSettings,
        settings: &SelectionSettings,
        state: &[u8],
    ) -> Self {
        Self { selection: Some(settings.clone()), ..Self::with_state(name, data, template, state) }
    }

    fn with_state(name: &str, data: &TrainTest, settings: &FitSettings, state: &[u8]) -> Self {
        let state = to_hex(state);
        Self {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            made_by: made_by(),
            data: name.into(),
            data_digest: digest_of(data),
            settings: settings.clone(),
            selection: None,
            intervals: None,
            evaluations: 0,
            cost: None,
            state_digest: digest(state.as_bytes()),
            state,
        }
    }

    /// The state, for [`Training::resume`](crate::Training::resume).
    ///
    /// # Errors
    /// If it is damaged.
    pub fn state(&self) -> Result<Vec<u8>, Error> {
        let damaged = || Error::State("it is damaged".into());
        if digest(self.state.as_bytes()) != self.state_digest {
            return Err(damaged());
        }
        from_hex(&self.state).ok_or_else(damaged)
    }

    /// Checks that a run with this data and these settings is the one that was saved. The number of threads
    /// and the time limit may differ, since they do not change the candidates of a search.
    ///
    /// # Errors
    /// Says what differs.
    pub fn check(&self, name: &str, data: &TrainTest, settings: &FitSettings) -> Result<(), Error> {
        let differs = |what: &str, there: &str, here: &str| {
            Err(Error::State(format!("it has {what} {there}, and this run {here}")))
        };
        if self.made_by != made_by() && !CONTINUED.contains(&self.made_by.as_str()) {
            return differs("the version", &self.made_by, &made_by());
        }
        if self.data != name {
            return differs("the data", &self.data, name);
        }
        let (there, here) = (self.settings.method.method(), settings.method.method());
        if there != here {
            return differs("the method", there.name(), here.name());
        }
        let neutral = |settings: &FitSettings| {
            let mut settings = settings.clone();
            settings.cost.threads = 1;
            settings.stop.max_seconds = None;
            // A default is the same as its value.
            settings.method.common.population = Some(settings.population());
            // Of the two kinds of patience, one has no effect.
            let has_threshold = settings.stop.threshold.is_some();
            if let Some(local) = settings.method.own_mut::<LocalSettings>() {
                *(if has_threshold { &mut local.patience } else { &mut local.patience_with_threshold }) =
                    None;
            }
            serde_json::to_value(settings).unwrap_or(Value::Null)
        };
        if let Some((path, there, here)) = first_difference(&neutral(&self.settings), &neutral(settings)) {
            return differs(&path, &there, &here);
        }
        if self.data_digest != digest_of(data) {
            return Err(Error::State(format!("the rows of {name} have changed since it was made")));
        }
        Ok(())
    }

    /// Checks that a selection with these settings is the one that was saved. The number of threads, the
    /// effort and the number of repetitions, which depend on the time limit, may differ.
    ///
    /// # Errors
    /// Says what differs.
    pub fn check_selection(&self, settings: &SelectionSettings) -> Result<(), Error> {
        let Some(saved) = &self.selection else {
            return Err(Error::State("it was made in a training, and not in a selection".into()));
        };
        let neutral = |settings: &SelectionSettings| {
            let neutral = SelectionSettings { threads: 1, effort: None, repeats: 1, ..settings.clone() };
            serde_json::to_value(neutral).unwrap_or(Value::Null)
        };
        match first_difference(&neutral(saved), &neutral(settings)) {
            Some((what, there, here)) => {
                Err(Error::State(format!("it has {what} {there}, and this run {here}")))
            }
            None => Ok(()),
        }
    }

    /// The file's text.
    ///
    /// # Panics
    /// Never: all parts can be written as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a checkpoint is plain data") + "\n"
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// One sentence on what is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let head =
            check_head(text, FORMAT, u64::from(FORMAT_VERSION)..=u64::from(FORMAT_VERSION), "checkpoint")?;
        serde_json::from_value(head).map_err(|e| format!("the checkpoint is damaged: {e}"))
    }

    /// Loads a checkpoint.
    ///
    /// # Errors
    /// If the file cannot be read, is not a checkpoint, or is damaged.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = read_text(path, "checkpoint", LARGEST)?;
        Self::from_json(&text).map_err(|reason| Error::Model { path: path.into(), reason })
    }

    /// Saves it atomically: written to a temporary file, which is then renamed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        write_whole(path, self.to_json().as_bytes())
    }
}

fn made_by() -> String {
    format!("onefold {}", env!("CARGO_PKG_VERSION"))
}

fn to_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(16 * digit(pair[0])? + digit(*pair.get(1)?)?)).collect()
}

/// The bits of every value, the names and the sizes.
fn digest_of(data: &TrainTest) -> String {
    let mut hash = Fnv::default();
    let mut add = |bytes: &[u8]| hash.add(bytes);
    for Dataset { inputs, outputs, input_names, output_names, weights, .. } in [&data.train, &data.test] {
        for name in input_names.iter().chain(output_names) {
            add(name.as_bytes());
            add(&[0]);
        }
        let inputs = inputs.iter().map(Column::values);
        let others = outputs.iter().chain(weights).map(|column| Cow::Borrowed(&column[..]));
        for column in inputs.chain(others) {
            add(&column.len().to_le_bytes());
            column.iter().for_each(|v| add(&v.to_le_bytes()));
        }
    }
    hash.text()
}

/// The path of the first difference between two JSON values, with both values.
fn first_difference(a: &Value, b: &Value) -> Option<(String, String, String)> {
    if a == b {
        return None;
    }
    if let (Value::Object(a), Value::Object(b)) = (a, b) {
        for (key, left) in a {
            let right = b.get(key).unwrap_or(&Value::Null);
            if let Some((path, left, right)) = first_difference(left, right) {
                let path = if path.is_empty() { key.clone() } else { format!("{key}.{path}") };
                return Some((path, left, right));
            }
        }
        if let Some((key, right)) = b.iter().find(|(key, _)| !a.contains_key(*key)) {
            return Some((key.clone(), "nothing".into(), right.to_string()));
        }
    }
    Some((String::new(), a.to_string(), b.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builtin, BuiltinSettings, Method, Training};
    use std::ops::ControlFlow;

    fn run() -> (TrainTest, FitSettings, Checkpoint) {
        let data = Builtin::Iris.load(&BuiltinSettings::default()).unwrap();
        let settings = FitSettings::for_builtin(Builtin::Iris, None, Method::DE_SB).unwrap();
        let mut made = None;
        let training = Training::new("iris", &data, &settings).unwrap();
        let training = training.observe(|progress| {
            made = Some(Checkpoint::new("iris", &data, &settings, progress));
            if progress.generation == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        training.run().unwrap();
        (data, settings, made.unwrap())
    }

    #[test]
    fn survives_its_file_and_knows_its_run() {
        let (data, settings, checkpoint) = run();
        let back = Checkpoint::from_json(&checkpoint.to_json()).unwrap();
        assert_eq!(back, checkpoint);
        back.check("iris", &data, &settings).unwrap();
        let mut other = settings.clone();
        other.cost.threads = 2;
        other.stop.max_seconds = Some(3.0);
        back.check("iris", &data, &other).unwrap();
        other.method.common.population = Some(50);
        let message = back.check("iris", &data, &other).unwrap_err().to_string();
        assert!(message.ends_with("it has method.de-sb.population 40, and this run 50"), "{message}");
        let mut other = settings.clone();
        other.method = crate::MethodSettings::new(Method::CMA_ES);
        let message = back.check("iris", &data, &other).unwrap_err().to_string();
        assert!(message.contains("method"), "{message}");
        let mut changed = data.clone();
        changed.train.inputs[0][3] += 1e-9;
        assert!(back.check("iris", &changed, &settings).unwrap_err().to_string().contains("have changed"));
        assert!(back.check("sinc", &data, &settings).unwrap_err().to_string().contains("the data iris"));
    }

    #[test]
    fn refuses_what_is_damaged_or_foreign() {
        let (data, settings, checkpoint) = run();
        let text = checkpoint.to_json();
        assert!(Checkpoint::from_json("{}").unwrap_err().starts_with("this is not a checkpoint"));
        assert!(
            Checkpoint::from_json(&text[..text.len() / 2])
                .unwrap_err()
                .starts_with("the checkpoint is damaged")
        );
        let other = |version: &str| text.replace("\"format_version\":2", version);
        let newer = other("\"format_version\":7");
        assert!(Checkpoint::from_json(&newer).unwrap_err().contains("version 2; use a newer one"));
        let older = other("\"format_version\":1");
        assert!(Checkpoint::from_json(&older).unwrap_err().contains("version 2; use an older one"));
        // Any digit of the state that has changed is found.
        let mut rng = crate::rng::Streams::new(3, crate::rng::Purpose::Data, 0).of(0);
        let start = text.find("\"state\":\"").unwrap() + 9;
        for _ in 0..300 {
            let mut bytes = text.clone().into_bytes();
            let at = start + rng.below(bytes.len() - start - 4);
            bytes[at] = b"0123456789abcdefg"[rng.below(17)];
            let damaged = Checkpoint::from_json(&String::from_utf8(bytes).unwrap()).unwrap();
            assert_eq!(damaged.state().is_ok(), damaged == checkpoint);
        }
        // A state that does not fit the settings is refused as well.
        for length in [0, 1, 17, 300] {
            let state = &checkpoint.state().unwrap()[..length];
            assert!(Training::new("iris", &data, &settings).unwrap().resume(state).run().is_err());
        }
    }
}
