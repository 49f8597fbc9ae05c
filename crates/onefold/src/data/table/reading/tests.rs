//! Tables in many pieces on several threads are the same as those that are read row by row.

use crate::data::table::source::Source;
use crate::data::table::{Categories, Missing, RowSettings, Table, TableRow, TableRows, TableSettings};
use crate::data::{Dataset, Split, TrainTest};
use crate::error::Error;
use crate::rng::{Purpose, Rng};

const NUMBERS: [&str; 12] =
    ["1", "-2.5", "1e3", "+7", "007", ".5", "5.", "-0", "1E-5", "9007199254740993", "1e140", "123456789.25"];
const OTHERS: [&str; 16] = [
    "",
    "NA",
    "?",
    "null",
    "-",
    "None",
    "#N/A",
    "red",
    "blue",
    "1.5%",
    "1,5",
    "$5",
    "\u{2212}5",
    "12abc",
    "\u{e9}t\u{e9}",
    "inf",
];

/// What the columns of a table are made of.
#[derive(Clone, Copy)]
enum Kind {
    /// Many different numbers.
    Many,
    /// Few different texts, with numbers among them.
    Few,
    /// Few different numbers.
    Digits,
    /// Few different words.
    Words,
    /// Numbers in all notations.
    Spellings,
    /// Different texts.
    Names,
    /// Different marks of missing values.
    Marks,
    /// Many numbers with decimal commas or thousands separators.
    Commas,
    /// Many dates.
    Dates,
}

fn field(rng: &mut Rng, kind: Kind, strange: usize) -> String {
    if strange > 0 && rng.below(strange) == 0 {
        return match rng.below(6) {
            0 => format!("\"{}\"", OTHERS[rng.below(7)]),
            1 => format!(" {} ", NUMBERS[rng.below(NUMBERS.len())]),
            2 => format!("\"{}\"", rng.uniform()),
            _ => OTHERS[rng.below(OTHERS.len())].replace(',', "."),
        };
    }
    match kind {
        Kind::Many => match rng.below(3) {
            0 => format!("{}", rng.between(-1e3, 1e3)),
            1 => format!("{:.3}", rng.uniform()),
            _ => format!("{:e}", rng.between(-1e-7, 1e7)),
        },
        Kind::Few => ["0", "1", "2", "a", "b", "1.0"][rng.below(6)].into(),
        Kind::Digits => ["0", "1", "2", "1.0", "01"][rng.below(5)].into(),
        Kind::Words => ["red", "blue", "green"][rng.below(3)].into(),
        Kind::Spellings => NUMBERS[rng.below(NUMBERS.len())].into(),
        Kind::Names => format!("r{}", rng.below(3000)),
        Kind::Commas => match rng.below(9) {
            0 => format!("\"{},{:03}\"", 1 + rng.below(999), rng.below(1000)),
            1 => format!("{}", rng.below(3000)),
            2 => format!("{:.2}", rng.between(-1e3, 1e3)),
            _ => format!("\"{:.2}\"", rng.between(-1e3, 1e3)).replace('.', ","),
        },
        Kind::Dates => match rng.below(9) {
            0 => format!("{}/{}/2021", 1 + rng.below(12), 1 + rng.below(12)),
            1 => format!(
                "{}-{:02}-{:02} 10:{:02}",
                1900 + rng.below(200),
                1 + rng.below(12),
                1 + rng.below(28),
                rng.below(60)
            ),
            _ => format!("{}/{}/{}", 1 + rng.below(28), 1 + rng.below(12), 1990 + rng.below(40)),
        },
        Kind::Marks => "undefined".bytes().map(|b| char::from(b ^ (rng.below(2) << 5) as u8)).collect(),
    }
}

/// A table that is mostly in order, with some of everything that can be wrong.
fn table(rng: &mut Rng, rows: usize) -> Vec<u8> {
    let width = [1, 2, 3, 3, 4, 5][rng.below(6)];
    let is_plain = rng.below(2) == 0;
    let kinds: Vec<Kind> = (0..width)
        .map(|_| {
            let plain = [Kind::Many, Kind::Many, Kind::Digits, Kind::Words, Kind::Commas, Kind::Dates];
            let all =
                [Kind::Many, Kind::Few, Kind::Spellings, Kind::Names, Kind::Marks, Kind::Commas, Kind::Dates];
            if is_plain { plain[rng.below(6)] } else { all[rng.below(7)] }
        })
        .collect();
    let strange = if is_plain { 0 } else { [0, 20, 1000, 3000][rng.below(4)] };
    let bad_lines = if is_plain { 0 } else { [0, 0, 500, 2000][rng.below(4)] };
    let end = ["\n", "\n", "\r\n", "\r"][rng.below(4)];
    let mut text = Vec::new();
    if rng.below(4) == 0 {
        text.extend(b"\xEF\xBB\xBF");
    }
    let names: Vec<String> = (0..width).map(|i| format!("c{i}")).collect();
    if rng.below(3) > 0 {
        text.extend(format!("{}{end}", names.join(",")).bytes());
    }
    for row in 0..rows {
        // Columns may change when much of them is known.
        let kinds = if row > rows / 2 && strange == 3000 { vec![Kind::Few; width] } else { kinds.clone() };
        let fields: Vec<String> = kinds.iter().map(|kind| field(rng, *kind, strange)).collect();
        let line = fields.join(",");
        let line: Vec<u8> = match if bad_lines > 0 { rng.below(bad_lines) } else { 99 } {
            0 => Vec::new(),
            1 => b"  ".to_vec(),
            2 => format!("{line},1").into(),
            3 => b"1".to_vec(),
            4 => names.join(",").into(),
            5 => format!("{line}\0").into(),
            6 => [line.as_bytes(), b"\xff"].concat(),
            7 => format!("\"2\"3{line}").into(),
            8 => format!("{line}x\"").into(),
            9 if rng.below(4) == 0 => format!("\"{line}").into(),
            _ => line.into(),
        };
        text.extend(line);
        text.extend(if row + 1 < rows || rng.below(2) == 0 { end } else { "" }.bytes());
    }
    text
}

/// Everything that can be asked about a table, with the bits of its numbers.
fn describe(table: Result<Table, Error>) -> String {
    let table = match table {
        Ok(table) => table,
        Err(e) => return format!("{e} {e:?}"),
    };
    let (about, notices) = (format!("{:?}", table.summary()), format!("{:?}", table.notices()));
    match table.split(&Split::All) {
        Ok(TrainTest { train, table, .. }) => {
            format!("{about} {notices} {} {:?} {:?}", train.rows(), bits(&train), table.map(|t| t.schema))
        }
        Err(e) => format!("{about} {notices} {e:?}"),
    }
}

fn bits(data: &Dataset) -> Vec<Vec<u64>> {
    let inputs = data.inputs.iter().map(|c| &c[..]);
    inputs
        .chain(data.outputs.iter().map(|c| &c[..]))
        .map(|c| c.iter().map(|v| v.to_bits()).collect())
        .collect()
}

#[test]
fn tables_in_pieces_are_the_same_as_row_by_row() {
    let mut accepted = 0;
    for seed in 0..300 {
        let mut rng = Rng::stream(seed, Purpose::Data, 1, 0);
        let rows = [0, 3, 40, 900, 1100, 2500][rng.below(6)];
        let text = table(&mut rng, rows);
        let settings = TableSettings {
            delimiter: Some(','),
            header: [None, Some(true), Some(false)][rng.below(3)],
            missing: [Missing::Refuse, Missing::Drop, Missing::Mean, Missing::Indicate][rng.below(4)],
            categories: [Categories::OneHot, Categories::Ordinal, Categories::Refuse][rng.below(3)],
            ..TableSettings::default()
        };
        let read = |first_rows: usize, threads: usize| {
            let about = Source { first_rows, threads: Some(threads), ..Source::default() };
            Table::from_source("t.csv", &settings, &text[..], about)
        };
        let expected = describe(read(usize::MAX, 1));
        accepted += usize::from(expected.starts_with("TableSummary"));
        for first_rows in [0, 1, 950, 2000] {
            for threads in [1, 3] {
                let found = describe(read(first_rows, threads));
                assert!(found == expected, "{seed} {first_rows} {threads}:\n{found:.2000}\n{expected:.2000}");
            }
        }
    }
    assert!(accepted > 50, "{accepted} tables were accepted");
}

#[test]
fn later_rows_in_parts_are_the_same_as_row_by_row() {
    let (mut ended, mut refused) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::stream(seed, Purpose::Data, 2, 0);
        let rows = 20 + rng.below(600);
        let text = table(&mut rng, rows);
        let settings =
            TableSettings { delimiter: Some(','), missing: Missing::Indicate, ..TableSettings::default() };
        let Ok(of_model) =
            Table::from_reader("t.csv", &settings, &text[..]).and_then(|t| t.split(&Split::All))
        else {
            continue;
        };
        let source = of_model.table.expect("a table has a schema");
        let classes = of_model.train.classification.then_some(&of_model.train.output_names[..]);
        let settings = RowSettings { delimiter: Some(','), targets: true, ..RowSettings::default() };
        // Later rows are encoded like those of training.
        let mut again = TableRows::open("t.csv", &source.schema, classes, &settings, &text[..])
            .and_then(TableRows::into_dataset)
            .unwrap_or_else(|e| panic!("{seed}: {e}"));
        again.output_names.clone_from(&of_model.train.output_names);
        assert_eq!(bits(&again), bits(&of_model.train), "{seed}");
        let mut text = text;
        if rng.below(2) == 0 {
            let at = rng.below(text.len());
            text.splice(at..at, [b"x,", b"\n\n", b",,", b"\"\""][rng.below(4)].iter().copied());
        }
        let open = || TableRows::open("t.csv", &source.schema, classes, &settings, &text[..]);
        let (Ok(mut by_row), Ok(mut in_parts)) = (open(), open()) else { continue };
        let mut expected = Vec::new();
        let end = loop {
            match by_row.next_row() {
                Ok(Some(row)) => expected.push(row),
                Ok(None) => break Ok(()),
                Err(e) => break Err(e),
            }
        };
        let mut found: Vec<TableRow> = Vec::new();
        let keep = |rows: &mut Vec<TableRow>, row| {
            rows.push(row);
            Ok(())
        };
        let ended_with = in_parts.for_each_part(keep, |mut rows| {
            found.append(&mut rows);
            Ok::<(), Error>(())
        });
        assert!(found == expected && ended_with == end, "{seed}: {end:?} {ended_with:?}");
        assert_eq!(by_row.notices(), in_parts.notices(), "{seed}");
        if end.is_ok() { ended += 1 } else { refused += 1 }
    }
    assert!(ended > 30 && refused > 20, "{ended} {refused}");
}
