//! From a table in memory to training and test rows.

use super::columns::Column;
use super::schema::{self, InputColumn, InputKind, TableColumn, TableSchema};
use super::{Missing, Table, TableSettings, TableSource, Task};
use crate::data::{Dataset, Related, Split, TrainTest, split};
use crate::error::{Error, ProblemKind, TableError};
use std::collections::HashSet;
use std::sync::Arc;

impl Table {
    /// The class of each usable row, for a classification.
    fn class_of_rows(&self) -> Option<Vec<usize>> {
        (self.task == Task::Classification).then(|| {
            let column = &self.columns[self.targets[0]];
            let mut of_code = vec![0; column.different().unwrap_or(0)];
            self.classes.iter().enumerate().for_each(|(class, (_, code))| of_code[*code] = class);
            self.rows.iter().map(|row| column.code(*row).map_or(0, |code| of_code[code])).collect()
        })
    }

    /// Training and test rows.
    ///
    /// # Errors
    /// If nothing could be learnt from the training rows.
    pub fn split(self, split: &Split) -> Result<TrainTest, Error> {
        let classes = self.class_of_rows();
        let related = self.related()?;
        let (train, test) = match (split, &related) {
            (Split::Fraction { test, seed }, Some(related)) if (0.0..1.0).contains(test) => {
                related.split(*test, *seed)
            }
            (Split::Rule(rule), Some(_)) => {
                let expected = "a pattern divides what belongs together (group_column, split_by_time); use \
                                test_fraction or folds";
                return Err(Error::setting("split", rule, expected));
            }
            _ => split.apply(self.rows.len(), classes.as_deref())?,
        };
        let name = self.name.clone();
        let refused = |kind: ProblemKind| match split {
            Split::Rule(rule) => Error::setting("split", rule, format!("then {kind}")),
            Split::Fraction { test, .. } => Error::setting("test_fraction", test, format!("then {kind}")),
            Split::All | Split::File(_) => TableError::of(&name, kind, &[]),
        };
        if train.is_empty() {
            return Err(refused(ProblemKind::NoTrainingRows));
        }
        let related = related.map(|related| Arc::new(related.select(&train)));
        self.parts((&train, &test), classes.as_deref(), (split.clone(), related), refused)
    }

    /// Training and test rows of fold `fold`, from 0, of `folds`: every row tests in one of them. Folds are
    /// stratified by class, or do not divide groups, or have later rows to test ([`Related::fold`]).
    ///
    /// # Errors
    /// If there are fewer than two folds, fewer rows than folds, or nothing could be learnt from the training
    /// rows.
    pub fn fold(&self, fold: usize, folds: usize, seed: u64) -> Result<TrainTest, Error> {
        let classes = self.class_of_rows();
        let related = self.related()?;
        let (train, test) = match &related {
            Some(related) if fold < folds => related.fold(fold, folds, seed)?,
            _ => {
                let all = split::folds(self.rows.len(), classes.as_deref(), folds, seed)?;
                let Some(test) = all.get(fold) else {
                    return Err(Error::setting("fold", fold, format!("must be below {folds}")));
                };
                let mut tests = vec![false; self.rows.len()];
                test.iter().for_each(|row| tests[*row] = true);
                ((0..self.rows.len()).filter(|row| !tests[*row]).collect(), test.clone())
            }
        };
        let related = related.map(|related| Arc::new(related.select(&train)));
        let refused = |kind| Error::setting("folds", folds, format!("then {kind}"));
        self.clone().parts((&train, &test), classes.as_deref(), (Split::All, related), refused)
    }

    /// Encodes rows, given by their places among those that can be used; columns are freed as soon as they
    /// are encoded.
    fn parts(
        mut self,
        (train, test): (&[usize], &[usize]),
        classes: Option<&[usize]>,
        (split, related): (Split, Option<Arc<Related>>),
        refused: impl Fn(ProblemKind) -> Error,
    ) -> Result<TrainTest, Error> {
        let lines = |rows: &[usize]| -> Vec<usize> { rows.iter().map(|row| self.rows[*row]).collect() };
        let (in_train, in_test) = (lines(train), lines(test));
        if let Some(kind) = self.nothing_to_learn(train, &in_train, classes) {
            return Err(refused(kind));
        }
        let (inputs, constant) = self.learn(&in_train)?;
        let schema = TableSchema {
            header: self.header,
            columns: self.columns.len(),
            inputs,
            targets: self.targets.iter().map(|i| self.column(*i)).collect(),
            ids: self.ids.iter().map(|i| self.column(*i)).collect(),
            weight: self.weight_column.map(|i| {
                let column = &self.columns[i];
                TableColumn { notation: column.notation(), ..TableColumn::new(&column.name, i + 1) }
            }),
            missing: self.settings.missing,
        };
        let is_classification = classes.is_some();
        let output_names: Vec<String> = match classes {
            Some(_) => self.classes.iter().map(|(name, _)| name.clone()).collect(),
            None => schema.targets.iter().map(|c| c.name.clone()).collect(),
        };
        let mut parts = [Dataset::default(), Dataset::default()];
        for part in &mut parts {
            part.input_names = schema.input_names();
            part.output_names.clone_from(&output_names);
            part.classification = is_classification;
        }
        let [on_train, on_test] = &mut parts;
        for i in 0..output_names.len() {
            for (part, rows, lines) in [(&mut *on_train, train, &in_train), (&mut *on_test, test, &in_test)] {
                part.outputs.push(match classes {
                    Some(of_rows) => rows.iter().map(|r| f64::from(u8::from(of_rows[*r] == i))).collect(),
                    None => lines.iter().map(|line| self.columns[self.targets[i]].number(*line)).collect(),
                });
            }
        }
        if let Some(weights) = self.weight_column.map(|i| &self.columns[i]) {
            for (part, lines) in [(&mut *on_train, &in_train), (&mut *on_test, &in_test)] {
                part.weights = Some(lines.iter().map(|line| weights.number(*line)).collect());
            }
        }
        // Columns that are not inputs are no longer needed.
        let used: HashSet<usize> = schema.inputs.iter().map(|c| c.number - 1).collect();
        for i in (0..self.columns.len()).filter(|i| !used.contains(i)) {
            self.columns[i] = Arc::default();
        }
        for input in &schema.inputs {
            let column = std::mem::take(&mut self.columns[input.number - 1]);
            let rows = (&in_test[..], self.all_rows);
            on_test
                .inputs
                .extend(encode(input, schema.missing, Arc::clone(&column), rows).into_iter().map(Into::into));
            let encoded = encode(input, schema.missing, column, (&in_train, self.all_rows));
            on_train.inputs.extend(encoded.into_iter().map(Into::into));
        }
        let [train, test] = parts;
        if let Err(Error::Dataset { column: Some(name), problem, .. }) = train.check_variation() {
            return Err(self.wrong(ProblemKind::Variation { name, problem }));
        }
        let (train, related) = weighed(train, related, &self.settings)?;
        let source = TableSource { schema, settings: self.settings, split, constant, related };
        Ok(TrainTest { train, test, settings: None, table: Some(Box::new(source)) })
    }

    /// A target or identifier, as the model keeps it.
    fn column(&self, i: usize) -> TableColumn {
        let column = &self.columns[i];
        let notation = column.notation().filter(|_| self.task == Task::Regression);
        TableColumn { notation, ..TableColumn::new(&column.name, i + 1) }
    }

    /// Whether a target is the same in all training rows, or a class is in none or all of them.
    fn nothing_to_learn(
        &self,
        train: &[usize],
        lines: &[usize],
        classes: Option<&[usize]>,
    ) -> Option<ProblemKind> {
        if let Some(of_rows) = classes {
            let mut counts = vec![0; self.classes.len()];
            train.iter().for_each(|row| counts[of_rows[*row]] += 1);
            let i = counts.iter().position(|n| *n == 0)?;
            return Some(ProblemKind::ClassNotInTraining { class: self.classes[i].0.clone() });
        }
        let column = self.targets.iter().map(|i| &self.columns[*i]).find(|c| c.is_same_in(lines))?;
        Some(ProblemKind::ConstantTargetInTraining { name: column.name.clone() })
    }

    /// The input columns as the training rows have them, and the names of those that are the same in all.
    fn learn(&self, train: &[usize]) -> Result<(Vec<InputColumn>, Vec<String>), Error> {
        let (mut inputs, mut constant) = (Vec::new(), Vec::new());
        for i in &self.inputs {
            let how = (self.settings.categories, self.settings.missing);
            match schema::learn(&self.columns[*i], i + 1, how, (train, &self.rows)) {
                Some(input) => inputs.push(input),
                None => constant.push(self.columns[*i].name.clone()),
            }
        }
        if inputs.is_empty() {
            return Err(self.wrong(ProblemKind::ConstantInputs { columns: constant }));
        }
        Ok((inputs, constant))
    }
}

/// Training rows with the weights of their classes, those that are the same merged if that is wanted.
fn weighed(
    mut train: Dataset,
    mut related: Option<Arc<Related>>,
    settings: &TableSettings,
) -> Result<(Dataset, Option<Arc<Related>>), Error> {
    if settings.merge_duplicates {
        let (merged, places) = train.merged(related.as_deref());
        related = related.map(|related| Arc::new(related.select(&places)));
        train = merged;
    }
    if let Some(weights) = &settings.class_weight {
        train = weights.apply(train)?;
    }
    Ok((train, related))
}

/// The inputs that a column becomes, for these rows of `all`.
fn encode(
    input: &InputColumn,
    missing: Missing,
    column: Arc<Column>,
    (rows, all): (&[usize], usize),
) -> Vec<Vec<f64>> {
    let indicator = input
        .indicator
        .then(|| rows.iter().map(|row| f64::from(u8::from(column.is_missing(*row)))).collect::<Vec<f64>>());
    let filling = input.filling(missing).unwrap_or_default();
    let kind = &input.kind;
    let mut inputs = match kind {
        InputKind::Number { .. } => {
            let mut numbers = column.into_numbers(rows, all);
            if let [mean] = filling[..] {
                numbers.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = mean);
            }
            vec![numbers]
        }
        InputKind::Date { .. } => by_rows(kind.width(), rows, |row, out| match column.number(row) {
            v if v.is_nan() => out.extend(&filling),
            v => kind.push_number(v, out),
        }),
        _ => {
            let average = kind.average().unwrap_or_default();
            let known = 0..column.different().unwrap_or(0);
            let places: Vec<Option<usize>> = known.map(|code| kind.place(column.text(code))).collect();
            let is_one_hot = matches!(kind, InputKind::OneHot { .. });
            by_rows(kind.width(), rows, |row, out| match column.code(row).map(|code| places[code]) {
                None if !filling.is_empty() => out.extend(&filling),
                // Like later rows with a text that the training rows do not have.
                None | Some(None) => out.extend(&average),
                Some(Some(place)) if is_one_hot => {
                    out.extend((0..average.len()).map(|k| f64::from(u8::from(k == place))));
                }
                Some(Some(place)) => out.push(place as f64),
            })
        }
    };
    inputs.extend(indicator);
    inputs
}

/// So many columns, from the values of each row.
fn by_rows(width: usize, rows: &[usize], encode: impl Fn(usize, &mut Vec<f64>)) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::with_capacity(rows.len()); width];
    let mut values = Vec::with_capacity(width);
    for row in rows {
        values.clear();
        encode(*row, &mut values);
        columns.iter_mut().zip(&values).for_each(|(column, v)| column.push(*v));
    }
    columns
}
