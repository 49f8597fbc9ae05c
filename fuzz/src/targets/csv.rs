//! Tables.

use super::{Seeds, table_model};
use onefold::data::{Categories, Missing, TableSchema, Task};
use onefold::{
    FitSettings, Method, RowSettings, Split, Table, TableRows, TableSettings, TrainTest, Training,
};
use std::sync::LazyLock;

/// Bytes at the beginning of an input that choose how the rest is read.
pub(crate) const CHOICES: usize = 10;

const TABLES: [&str; 6] = [
    "a,b,y\n1,2,3\n4,5.5,6\n-7e2,8,9\n1,1,1\n3,2,1\n0,0,7\n",
    "id;colour;size;class\nu;red;1;yes\nv;blue;;no\nw;red;3;yes\nx;green;4;no\n",
    "\u{feff}\"a, b\"\t\"c\"\"d\"\te\r\n1\t2\t3\r\n\r\n4\tNA\t6\r\n7\t8\t?\r\n",
    "x,x,o,positive\no,x,x,negative\nb,x,o,positive\n",
    "1|2|3\n4|5|6\n7|8|10\n1e150|-1e150|0\n",
    "t,y\n1e-300,1\n2e-300,2\n3e-300,inf\n",
];

pub(crate) fn seeds() -> Seeds {
    TABLES.map(|table| table.as_bytes().to_vec()).into()
}

/// The columns that the rows of a table must have to be predicted.
static SCHEMA: LazyLock<TableSchema> =
    LazyLock::new(|| table_model().table().expect("a model of a table has a schema").clone());

/// Whether bytes are accepted as a table to train on. The first ten choose how it is read.
///
/// # Panics
///
/// Where an accepted table has rows or columns of a wrong length or with numbers that are not finite, or
/// cannot be trained on.
#[must_use]
pub fn csv(bytes: &[u8]) -> bool {
    let (choices, text) = bytes.split_at(CHOICES.min(bytes.len()));
    let mut choices = Choices(choices.iter());
    read_rows(text, &RowSettings { targets: choices.pick(&[false, true]), ..RowSettings::default() });
    let settings = choices.table_settings();
    let Ok(table) = Table::from_reader("t.csv", &settings, text) else { return false };
    let _ = table.summary();
    let Ok(data) = choices.split(table) else { return false };
    let TrainTest { train, test, .. } = &data;
    for part in [train, test] {
        let inputs = part.inputs.iter().map(|column| &column[..]);
        for column in inputs.chain(part.outputs.iter().map(|column| &column[..])) {
            assert_eq!(column.len(), part.rows(), "a column has a value for each row");
            assert!(column.iter().all(|v| v.is_finite()), "a column has finite values");
        }
    }
    let settings = FitSettings::for_data(train, "1", Method::DE).expect("an accepted table has a network");
    Training::new("t", &data, &settings).expect("an accepted table can be trained on");
    true
}

/// Reads bytes as rows to be predicted.
fn read_rows(text: &[u8], settings: &RowSettings) {
    let Ok(mut rows) = TableRows::open("t.csv", &SCHEMA, None, settings, text) else { return };
    while let Ok(Some(row)) = rows.next_row() {
        if let Some(inputs) = row.inputs {
            assert_eq!(inputs.len(), SCHEMA.width(), "a row has a value for each input");
            assert!(inputs.iter().all(|v| v.is_finite()), "a row has finite values");
        }
    }
}

/// The bytes that choose.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    /// The next byte's choice; the first of `of` for a byte of 0, and where bytes are missing.
    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        let byte = self.0.next().copied().unwrap_or(0);
        of[usize::from(byte) % of.len()].clone()
    }

    /// The defaults half of the time: more tables are accepted by them.
    fn table_settings(&mut self) -> TableSettings {
        let is_default = self.pick(&[true, false]);
        let settings = TableSettings {
            task: self.pick(&[None, Some(Task::Regression), Some(Task::Classification)]),
            categories: self.pick(&[Categories::OneHot, Categories::Ordinal, Categories::Refuse]),
            missing: self.pick(&[Missing::Indicate, Missing::Refuse, Missing::Drop, Missing::Mean]),
            header: self.pick(&[None, Some(true), Some(false)]),
            delimiter: self.pick(&[None, None, Some(','), Some(' ')]),
            target_column: self.pick(&[vec![], vec!["1".into()], vec!["2,y".into()]]),
            id_column: self.pick(&[vec![], vec!["1".into()]]),
            ..TableSettings::default()
        };
        if is_default { TableSettings::default() } else { settings }
    }

    fn split(&mut self, table: Table) -> Result<TrainTest, onefold::Error> {
        match self.pick(&[0, 1, 2, 3]) {
            0 => table.split(&Split::All),
            1 => table.fold(0, 2, 1),
            2 => table.split(&Split::Fraction { test: 0.4, seed: 1 }),
            _ => "2/1".parse().and_then(|rule| table.split(&Split::Rule(rule))),
        }
    }
}
