//! The rows of the built-in sets.

use super::{Builtin, BuiltinSettings, FixedTable, Rows};
use crate::Error;
use crate::data::classification::read;
use crate::data::regression::generate;
use crate::data::{Dataset, TrainTest};

impl Builtin {
    /// Training and test rows.
    ///
    /// # Errors
    /// If a setting is out of range or does not apply to this set.
    pub fn load(self, settings: &BuiltinSettings) -> Result<TrainTest, Error> {
        self.check(settings)?;
        let table = match &self.set().rows {
            Rows::Generated { function, inputs, stream } => {
                let noise = settings.noise.unwrap_or(5e-3);
                let seed = settings.data_seed.unwrap_or(1);
                let rows = |stream, n: Option<usize>| {
                    generate(*function, *inputs, n.unwrap_or(200), noise, seed, stream)
                };
                let (train, test) =
                    (rows(*stream, settings.samples), rows(stream + 1, settings.test_samples));
                return Ok(TrainTest { train, test, settings: Some(settings.clone()), table: None });
            }
            Rows::Fixed(table) => table,
        };
        let split = settings.split.unwrap_or(table.split);
        let data = split.apply(&table.rows(settings));
        if data.train.rows() == 0 {
            return Err(Error::setting("split", split, format!("leaves no row of {self} to train on")));
        }
        Ok(TrainTest { settings: Some(settings.clone()), ..data })
    }

    /// All rows in the order of [`text`](Self::text), training and test rows together.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn rows(self, settings: &BuiltinSettings) -> Result<Dataset, Error> {
        if let Rows::Fixed(table) = &self.set().rows {
            self.check(settings)?;
            return Ok(table.rows(settings));
        }
        let TrainTest { mut train, test, .. } = self.load(settings)?;
        train.inputs.iter_mut().zip(test.inputs).for_each(|(all, more)| all.extend(more.iter().copied()));
        train.outputs.iter_mut().zip(test.outputs).for_each(|(all, more)| all.extend(more));
        Ok(train)
    }

    /// The set as text, one row per line without a header: the classic file of a classification set, or the
    /// training and then the test rows of a generated one.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn text(self, settings: &BuiltinSettings) -> Result<String, Error> {
        self.check(settings)?;
        let records = match &self.set().rows {
            Rows::Fixed(table) => (table.records)(),
            Rows::Generated { .. } => {
                let TrainTest { train, test, .. } = self.load(settings)?;
                let record = |data: &Dataset, row: usize| {
                    data.input(row).iter().chain(&data.output(row)).map(f64::to_string).collect()
                };
                let of = |data: &Dataset| (0..data.rows()).map(|row| record(data, row)).collect::<Vec<_>>();
                [of(&train), of(&test)].concat()
            }
        };
        Ok(as_csv(&records))
    }
}

impl FixedTable {
    /// All rows, encoded.
    fn rows(&self, settings: &BuiltinSettings) -> Dataset {
        read(&(self.records)(), self.class, self.inputs, self.classes, |field| (self.encode)(settings, field))
    }
}

fn as_csv(records: &[Vec<String>]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    records.iter().for_each(|fields| writer.write_record(fields).expect("memory takes all records"));
    let bytes = writer.into_inner().expect("memory takes all records");
    String::from_utf8(bytes).expect("strings make UTF-8")
}
