//! The rows of the built-in sets.

use super::{Builtin, BuiltinSettings};
use crate::Error;
use crate::data::classification::{
    BalanceEncoding, ClassColumn, SquareEncoding, balance, iris, read, tic_tac_toe, two_spirals,
};
use crate::data::regression::generate;
use crate::data::{Dataset, TrainTest};

impl Builtin {
    /// Training and test rows.
    ///
    /// # Errors
    /// If a setting is out of range or does not apply to this set.
    pub fn load(self, settings: &BuiltinSettings) -> Result<TrainTest, Error> {
        self.check(settings)?;
        if let Some((f, dim, part)) = self.formula() {
            let noise = settings.noise.unwrap_or(5e-3);
            let seed = settings.data_seed.unwrap_or(1);
            let rows = |part, n: Option<usize>| generate(f, dim, n.unwrap_or(200), noise, seed, part);
            let (train, test) = (rows(part, settings.samples), rows(part + 1, settings.test_samples));
            return Ok(TrainTest { train, test, settings: Some(settings.clone()), table: None });
        }
        let all = self.all_rows(settings);
        let Some(split) = settings.split.or(self.split()) else {
            return Ok(TrainTest { train: all, settings: Some(settings.clone()), ..TrainTest::default() });
        };
        let data = split.apply(&all);
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
        if !self.is_regression() {
            self.check(settings)?;
            return Ok(self.all_rows(settings));
        }
        let TrainTest { mut train, test, .. } = self.load(settings)?;
        train.inputs.iter_mut().zip(test.inputs).for_each(|(all, more)| all.extend(more));
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
        let records = if self.is_regression() {
            let TrainTest { train, test, .. } = self.load(settings)?;
            let record = |data: &Dataset, row: usize| {
                data.input(row).iter().chain(&data.output(row)).map(f64::to_string).collect()
            };
            let of = |data: &Dataset| (0..data.rows()).map(|row| record(data, row)).collect::<Vec<_>>();
            [of(&train), of(&test)].concat()
        } else {
            self.records()
        };
        Ok(as_csv(&records))
    }

    /// The fields of a classification set, in the order of its classic file.
    fn records(self) -> Vec<Vec<String>> {
        match self {
            Self::TicTacToe => tic_tac_toe(),
            Self::Balance => balance(),
            Self::TwoSpirals => two_spirals(),
            _ => iris(self == Self::IrisFisher),
        }
    }

    pub(super) fn all_rows(self, settings: &BuiltinSettings) -> Dataset {
        // The texts are our own and tested, so every field is a number.
        let number = |field: &str| field.parse().unwrap_or(f64::NAN);
        let records = self.records();
        match self {
            Self::TicTacToe => {
                let names = [
                    "top-left",
                    "top",
                    "top-right",
                    "left",
                    "middle",
                    "right",
                    "bottom-left",
                    "bottom",
                    "bottom-right",
                ];
                let SquareEncoding { x, o, b } = settings.squares;
                read(&records, ClassColumn::Last, &names, &["positive", "negative"], |field| match field {
                    "x" => x,
                    "o" => o,
                    _ => b,
                })
            }
            Self::Balance => {
                let names = ["left-weight", "left-distance", "right-weight", "right-distance"];
                read(&records, ClassColumn::First, &names, &["L", "B", "R"], |field| match settings.balance {
                    BalanceEncoding::Centred => (number(field) - 3.0) / 2.0,
                    BalanceEncoding::Raw => number(field),
                    BalanceEncoding::FromZero => number(field) - 1.0,
                })
            }
            Self::TwoSpirals => read(&records, ClassColumn::Last, &["x1", "x2"], &["1", "0"], number),
            _ => {
                let names = ["sepal-length", "sepal-width", "petal-length", "petal-width"];
                let classes = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"];
                read(&records, ClassColumn::Last, &names, &classes, number)
            }
        }
    }
}

fn as_csv(records: &[Vec<String>]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    records.iter().for_each(|fields| writer.write_record(fields).expect("memory takes all records"));
    let bytes = writer.into_inner().expect("memory takes all records");
    String::from_utf8(bytes).expect("strings make UTF-8")
}
