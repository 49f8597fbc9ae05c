use super::*;
use crate::error::ProblemKind;

fn read_bytes(bytes: &[u8], settings: &TableSettings) -> Result<Dataset, Error> {
    Ok(Table::from_reader("t.csv", settings, bytes)?.split(&Split::All)?.train)
}

fn read(text: &str, settings: &TableSettings) -> Result<Dataset, Error> {
    read_bytes(text.as_bytes(), settings)
}

fn rows(text: &str) -> Table {
    Table::from_reader("t.csv", &TableSettings::default(), text.as_bytes()).unwrap()
}

fn plain(text: &str) -> Dataset {
    read(text, &TableSettings::default()).unwrap()
}

fn refused(text: &str) -> String {
    read(text, &TableSettings::default()).unwrap_err().to_string()
}

#[test]
fn numbers_text_and_headers() {
    let data = plain("size,colour,price\n1,red,10\n2,blue,20.5\n3,red,-1e1\n");
    assert_eq!(data.input_names, ["size", "colour=blue", "colour=red"]);
    assert_eq!(data.inputs, [vec![1.0, 2.0, 3.0], vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 1.0]]);
    assert_eq!((data.output_names.clone(), data.classification), (vec!["price".to_string()], false));
    assert_eq!(data.outputs, [vec![10.0, 20.5, -10.0]]);
    // Without names, with another delimiter, and with line ends of another system.
    let other = plain("1;2;a\r\n3;4;b\r\n\r\n5;6;a");
    assert_eq!(other.input_names, ["column1", "column2"]);
    assert_eq!(
        (other.output_names.clone(), other.classification),
        (vec!["a".to_string(), "b".to_string()], true)
    );
    assert_eq!(other.outputs, [vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 0.0]]);
    // A first name that is empty, as some programs write the column of row numbers.
    let numbered = plain(",a,b\n0,1,2\n1,3,4\n");
    assert_eq!(numbered.input_names, ["column1", "a"]);
    // A byte order mark, quotes, spaces, and a delimiter inside quotes.
    let marked = plain("\u{feff}\"a, b\" ,c\n 1 ,\"2\"\n3, 4\n");
    assert_eq!((marked.input_names[0].as_str(), marked.output_names[0].as_str()), ("a, b", "c"));
    assert_eq!(marked.outputs, [vec![2.0, 4.0]]);
}

#[test]
fn columns_are_chosen_by_name_or_number() {
    let text = "id,y,x,z\nu,1,5,7\nv,2,6,9\n";
    let settings = |targets: &[&str], ignore: &[&str]| TableSettings {
        target_column: targets.iter().map(ToString::to_string).collect(),
        ignore_column: ignore.iter().map(ToString::to_string).collect(),
        ..TableSettings::default()
    };
    let data = read(text, &settings(&["y"], &["id"])).unwrap();
    assert_eq!((data.input_names, data.output_names), (vec!["x".into(), "z".into()], vec!["y".to_string()]));
    let two = read(text, &settings(&["2", "z"], &["1"])).unwrap();
    assert_eq!(
        (two.input_names, two.output_names),
        (vec!["x".to_string()], vec!["y".into(), "z".to_string()])
    );
    // The last column that is not left out.
    assert_eq!(read(text, &settings(&[], &["z", "id"])).unwrap().output_names, ["x"]);
    let message = read(text, &settings(&["price"], &[])).unwrap_err().to_string();
    assert_eq!(
        message,
        "target_column is \"price\", but there is no such column; t.csv has the columns id, y, x, z"
    );
    assert!(read(text, &settings(&["5"], &[])).is_err());
}

#[test]
fn tasks() {
    let text = "x,y\n1,0\n2,1\n3,0\n4,10\n";
    assert!(!plain(text).classification);
    let classes = TableSettings { task: Some(Task::Classification), ..TableSettings::default() };
    let data = read(text, &classes).unwrap();
    assert_eq!(data.output_names, ["0", "1", "10"]);
    let numbers = TableSettings { task: Some(Task::Regression), ..TableSettings::default() };
    let message = read("x,y\n1,a\n2,b\n", &numbers).unwrap_err().to_string();
    assert_eq!(
        message,
        "t.csv has 2 problems:\n  line 2, column y: \"a\" is not a number, and the target of a regression must be\n  \
         line 3, column y: \"b\" is not a number, and the target of a regression must be"
    );
}

#[test]
fn missing_values() {
    let text = "x,c,y\n1,a,1\n,b,2\n3,?,3\n5,a,\n7,b,7\n";
    let with = |missing| read(text, &TableSettings { missing, ..TableSettings::default() });
    let message = with(Missing::Refuse).unwrap_err().to_string();
    assert_eq!(
        message,
        "t.csv has 3 problems:\n  line 3, column x: the value is missing; fill it in, or choose what becomes of rows \
         with missing values (missing: indicate, drop or mean)\n  line 4, column c: the value is missing\n  \
         line 5, column y: the value is missing"
    );
    let dropped = with(Missing::Drop).unwrap();
    assert_eq!(dropped.inputs[0], [1.0, 7.0]);
    // The mean of 1, 3, 5 and 7; categories and targets are never made up.
    let mean = with(Missing::Mean).unwrap();
    assert_eq!(mean.inputs[0], [1.0, 4.0, 7.0]);
    assert_eq!(mean.outputs[0], [1.0, 2.0, 7.0]);
    // The most frequent text, and where values are missing; targets are never made up.
    let indicated = with(Missing::Indicate).unwrap();
    assert_eq!(indicated.input_names, ["x", "x is missing", "c=a", "c=b", "c is missing"]);
    assert_eq!(indicated.inputs[0], [1.0, 11.0 / 3.0, 3.0, 7.0]);
    assert_eq!(indicated.inputs[1..3], [vec![0.0, 1.0, 0.0, 0.0], vec![1.0, 0.0, 0.0, 0.0]]);
    assert_eq!(indicated.inputs[3..], [vec![0.0, 1.0, 1.0, 1.0], vec![0.0, 0.0, 1.0, 0.0]]);
    // A column that becomes no input loses no row.
    let settings = TableSettings { missing: Missing::Drop, ..TableSettings::default() };
    let data = read("x,c,n,y\n1,a,5,1\n2,?,5,2\n3,a,,3\n", &settings).unwrap();
    assert_eq!((data.input_names.len(), data.rows()), (1, 3));
}

#[test]
fn numbers_among_text_are_categories_where_words_are_the_majority_or_it_is_said() {
    let text = "cylinders,y\n4,1\n6,2\nrotary,3\n4,4\n";
    assert_eq!(
        refused(text),
        "t.csv line 4, column cylinders: \"rotary\" is not a number, as most values of the column are; correct it, \
         or take the column for text (text_column), or leave the column out (ignore_column)"
    );
    let settings = TableSettings { text_column: vec!["cylinders".into()], ..TableSettings::default() };
    let data = read(text, &settings).unwrap();
    assert_eq!(data.input_names, ["cylinders=4", "cylinders=6", "cylinders=rotary"]);
    assert_eq!(data.inputs[0], [1.0, 0.0, 0.0, 1.0]);
    let data = plain("size,y\nS,1\nM,2\n10,3\nL,4\nS,5\n");
    assert_eq!(data.input_names, ["size=10", "size=L", "size=M", "size=S"]);
    // Columns of numbers, too, are text where it is said.
    let settings = TableSettings { text_column: vec!["1".into()], ..TableSettings::default() };
    assert_eq!(read("k,y\n7,1\n8,2\n7,3\n", &settings).unwrap().input_names, ["k=7", "k=8"]);
    let message = read("k,y\n7,1\n8,2\n7,x\n", &settings).unwrap_err().to_string();
    assert!(
        message.contains("line 4, column y: \"x\" is not a number") && message.contains("task"),
        "{message}"
    );
}

#[test]
fn marks_of_missing_numbers_are_words_among_words() {
    let with = |text: &str, missing| read(text, &TableSettings { missing, ..TableSettings::default() });
    let numbers = "a,y\n1,1\nNone,2\n3,3\n-,4\n5,5\n";
    assert_eq!(
        with(numbers, Missing::Refuse).unwrap_err().to_string(),
        "t.csv has 2 problems:\n  line 3, column a: \"None\" stands among numbers for a missing value; fill it in, or \
         choose what becomes of rows with missing values (missing: indicate, drop or mean)\n  \
         line 5, column a: \"-\" stands among numbers for a missing value"
    );
    assert_eq!(with(numbers, Missing::Drop).unwrap().inputs, [vec![1.0, 3.0, 5.0]]);
    assert_eq!(with(numbers, Missing::Mean).unwrap().inputs, [vec![1.0, 3.0, 3.0, 3.0, 5.0]]);
    let words = "a,y\nshed,1\nNone,2\nshed,3\n-,4\ncarport,5\n";
    assert_eq!(with(words, Missing::Refuse).unwrap().input_names, ["a=-", "a=None", "a=carport", "a=shed"]);
    // Also where there are more numbers than are kept as text.
    let many = (0..3000).fold("a,y\n".to_string(), |t, i| {
        t + &if i % 1000 == 999 { format!("None,{i}\n") } else { format!("{i}.5,{i}\n") }
    });
    assert_eq!(with(&many, Missing::Drop).unwrap().rows(), 2997);
    let refuses = TableSettings { missing: Missing::Refuse, ..TableSettings::default() };
    assert_eq!(problems(&many, &refuses).0.len(), 3);
}

#[test]
fn assumptions_about_a_table_are_noticed() {
    let notices = |text: &str| rows(text).notices().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(notices("a,y\n1,2\n2,3\n"), Vec::<String>::new());
    assert_eq!(
        notices("id,2020,y\n1,2,3\n2,3,4\n"),
        [
            "the first line (id, 2020, y) is taken for column names; if it is data, take the first line for a row \
          (header: false)"
        ]
    );
    assert_eq!(
        notices("a,y\n9007199254740993,2\n2,3\n"),
        [
            "line 2, column a: 9007199254740993 is rounded, as it has more digits than are computed with; if it \
          identifies the row, take the column for an identifier (id_column)"
        ]
    );
    let names = (0..12).fold("name,x,y\n".to_string(), |t, i| t + &format!("r{i},{},{i}\n", i * i));
    assert!(
        notices(&names)[0].starts_with("column name is left out, as it has 12 different texts in 12 rows")
    );
    assert!(notices("u|1,x\nv|2,y\nu|2,x\n")[0].starts_with("',' is taken for the delimiter, but '|'"));
}

#[test]
fn ordinal_categories() {
    let settings = TableSettings { categories: Categories::Ordinal, ..TableSettings::default() };
    let data = read("size,y\nsmall,1\nlarge,2\nmedium,3\n", &settings).unwrap();
    assert_eq!(data.inputs, [vec![2.0, 0.0, 1.0]]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, expected) in [
        ("", "t.csv: the file is empty"),
        (" \n\n", "t.csv: the file is empty"),
        ("a,b\n", "t.csv: there are no rows below the header"),
        ("a,b\n1,2\n3\n", "t.csv line 3: 1 field instead of 2; every row needs as many as the first line"),
        (
            "a,b\n1,2\n3,4,5\n",
            "t.csv line 3: 3 fields instead of 2; every row needs as many as the first line",
        ),
        ("a,b\n1,2\ninf,4\n", "t.csv line 3, column a: inf is not a finite number"),
        ("a,b\n1,1e400\n3,4\n", "t.csv line 2, column b: 1e400 is not a finite number"),
        ("a,b\n1,1e200\n3,4\n", "t.csv line 2, column b: 1e200 is too large; at most 1e150 is accepted"),
        (
            "a,a\n1,2\n",
            "t.csv line 1, column a: several columns have this name; rename one, or take the first line for a row (header: false)",
        ),
        (
            "a,b\n1,2\n1,3\n",
            "t.csv: every input is the same in all training rows (a); there is nothing to learn from",
        ),
        (
            "a\n1\n2\n",
            "t.csv: there is no input column besides the target; is the delimiter right (delimiter)?",
        ),
        ("a,b\n1,2\n3,2\n", "t.csv: the target b is the same in all rows; there is nothing to learn"),
        ("a,b\n1,x\n3,x\n", "t.csv: all rows have the class x; there is nothing to learn"),
        (
            "x;y\n1,500;2\n2;3\n",
            "t.csv line 2, column x: 1,500 may have a thousands separator or a decimal separator, and nothing in the \
             column tells which; say what separates the fraction (decimal: . or ,)",
        ),
        (
            "x,y\n1/2/2021,2\n3/4/2021,3\n",
            "t.csv line 2, column x: 1/2/2021 may have the day or the month first, and nothing in the column tells \
             which; say which comes first (date_order: day-first or month-first)",
        ),
        (
            "a,b\n1,\"2\n2,3\n",
            "t.csv line 2, column b: the field goes on over the end of the line; is a quote not closed?",
        ),
        (
            "a,b\n1,2\n\"2\"3,3\n",
            "t.csv line 3, column a: text follows the closing quote; put the whole field in quotes, and double those inside it",
        ),
        (
            "a,b\n1,2\n\n2,5\" pipe\n",
            "t.csv line 4, column b: a quote stands in a field that does not begin with one; put the whole field in quotes, and double those inside it",
        ),
        ("a,b\r1,2\r3,4\ra,b\r5,6\r", "t.csv line 4: the line repeats the column names; delete it"),
        (
            "a,b\nnan,2\n,3\n",
            "t.csv: no input column is left: a have no value, or a text of their own in most rows; take the column \
             for text (text_column)",
        ),
    ] {
        assert_eq!(refused(text), expected, "{text:?}");
    }
    let latin: &[u8] = b"a,b\n1,2\n\xE4,3\n";
    let message = read_bytes(latin, &TableSettings::default()).unwrap_err().to_string();
    assert_eq!(message, "t.csv line 3, column a: this is not UTF-8 text; save the file as UTF-8");
    let binary: &[u8] = b"\x00\x01\x02";
    assert!(read_bytes(binary, &TableSettings::default()).is_err());
}

/// Line, column and kind of a problem.
type At = (Option<u64>, Option<String>, ProblemKind);

/// The problems that are listed, and the number of further ones.
fn problems(text: &str, settings: &TableSettings) -> (Vec<At>, usize) {
    match Table::from_reader("t.csv", settings, text.as_bytes()) {
        Err(Error::Table(wrong)) => {
            (wrong.problems.into_iter().map(|p| (p.line, p.column, p.kind)).collect(), wrong.more)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn all_problems_are_reported_at_once_the_worst_first() {
    let text = "a,b,c,y\n1,2,,3\n,inf,,4\n5,6\n7,1e200,,x\n1,1,1,1,1\n?,NA,,5\n";
    let refuses = TableSettings { missing: Missing::Refuse, ..TableSettings::default() };
    let settings = TableSettings { task: Some(Task::Regression), ..refuses.clone() };
    let at = |line: u64, column: &str, kind| (Some(line), Some(column.to_string()), kind);
    let expected = vec![
        (Some(4), None, ProblemKind::FieldCount { found: 2, expected: 4 }),
        (Some(6), None, ProblemKind::FieldCount { found: 5, expected: 4 }),
        (None, Some("c".into()), ProblemKind::EmptyColumn),
        at(5, "y", ProblemKind::TargetNotANumber { text: "x".into() }),
        at(3, "b", ProblemKind::NotFinite { text: "inf".into() }),
        at(5, "b", ProblemKind::TooLarge { text: "1e200".into(), most: 1e150 }),
        at(3, "a", ProblemKind::MissingValue),
        at(7, "a", ProblemKind::MissingValue),
        at(7, "b", ProblemKind::MissingValue),
    ];
    assert_eq!(problems(text, &settings), (expected, 0));
    // Columns without names are named by their numbers.
    let (found, _) = problems("1,2\n,3\n4,\n", &refuses);
    assert_eq!(found, [at(2, "1", ProblemKind::MissingValue), at(3, "2", ProblemKind::MissingValue)]);
}

#[test]
fn many_problems_are_counted() {
    let line = |i: usize| if i.is_multiple_of(2) { format!(",{i}\n") } else { format!("{i},,{i}\n") };
    let text = (0..100_000).fold("a,b\n1,1\n".to_string(), |text, i| text + &line(i));
    let refuses = TableSettings { missing: Missing::Refuse, ..TableSettings::default() };
    let (found, more) = problems(&text, &refuses);
    assert_eq!((found.len(), more), (20, 49_980 + 50_000));
    let lines: Vec<u64> = found.iter().map(|p| p.0.unwrap()).collect();
    assert_eq!(lines, (0..20).map(|i| 4 + 2 * i).collect::<Vec<_>>());
}

#[test]
fn mistakes_in_a_column_of_many_numbers_are_not_taken_for_identifiers() {
    let line = |i: usize| if i == 1500 { format!("{i}x,{}\n", i % 7) } else { format!("{i},{}\n", i % 7) };
    let text = (0..2000).fold("a,y\n".to_string(), |text, i| text + &line(i));
    let (found, more) = problems(&text, &TableSettings::default());
    let kind = ProblemKind::StrayText { text: "1500x".into() };
    assert_eq!((found, more), (vec![(Some(1502), Some("a".into()), kind)], 0));
    let (found, _) = problems(&text.replace(',', "x,"), &TableSettings::default());
    assert_eq!(found, [(None, None, ProblemKind::NoUsableInputs { columns: vec!["ax".into()] })]);
}

/// Model files and fingerprints of campaign cells keep the names that settings were introduced with.
#[test]
fn settings_are_read_by_both_names_and_written_by_the_older() {
    let settings = TableSettings {
        target_column: vec!["y".into()],
        ignore_column: vec!["a".into()],
        id_column: vec!["b".into()],
        categories: Categories::Ordinal,
        missing: Missing::Refuse,
        ..TableSettings::default()
    };
    let older = r#"{"delimiter":null,"header":null,"targets":["y"],"ignore":["a"],"ids":["b"],"task":null,"words":"ordinal","missing":"refuse"}"#;
    assert_eq!(serde_json::to_string(&settings).unwrap(), older);
    let newer = r#"{"target_column":["y"],"ignore_column":["a"],"id_column":["b"],"categories":"ordinal","missing":"refuse"}"#;
    for text in [older, newer] {
        assert_eq!(serde_json::from_str::<TableSettings>(text).unwrap(), settings);
    }
}

#[test]
fn random_bytes_never_do_harm() {
    use crate::rng::{Purpose, Streams};
    let alphabet = b"0123456789.,;\t|\"'\n\r eE+-naifx\xC3\xA4\xFF\x00";
    for case in 0..20_000 {
        let mut rng = Streams::new(11, Purpose::Data, case).of(0);
        let length = rng.below(60);
        let bytes: Vec<u8> = (0..length).map(|_| alphabet[rng.below(alphabet.len())]).collect();
        if let Ok(data) = read_bytes(&bytes, &TableSettings::default()) {
            data.check_usable().unwrap();
        }
    }
}

#[test]
fn means_categories_and_constant_columns_are_learnt_on_training_rows_only() {
    let text = "a,b,c,y\n1,red,0,1\n,blue,0,2\n3,red,0,3\n100,green,7,4\n";
    let settings = TableSettings { missing: Missing::Mean, ..TableSettings::default() };
    let table = Table::from_reader("t.csv", &settings, text.as_bytes()).unwrap();
    let data = table.split(&Split::Rule("3/1".parse().unwrap())).unwrap();
    // The mean of 1 and 3, not of 100; green is the average of red, blue, red; c varies only in the test row.
    assert_eq!(data.train.input_names, ["a", "b=blue", "b=red"]);
    assert_eq!(data.train.inputs[0], [1.0, 2.0, 3.0]);
    assert_eq!((data.test.input(0), data.test.outputs[0][0]), (vec![100.0, 1.0 / 3.0, 2.0 / 3.0], 4.0));
    let source = data.table.unwrap();
    assert_eq!(source.constant, ["c"]);
    assert_eq!(source.schema.inputs[0].kind, InputKind::Number { mean: Some(2.0), notation: None });
    assert_eq!(source.schema.columns, 4);
}

#[test]
fn folds_and_random_splits() {
    let line = |i: usize| format!("{i},{}", ["a", "b"][usize::from(i.is_multiple_of(5))]);
    let text = (0..20).map(line).collect::<Vec<_>>().join("\n");
    let table = rows(&text);
    let mut seen = 0;
    for fold in 0..4 {
        let data = table.fold(fold, 4, 3).unwrap();
        assert_eq!((data.train.rows(), data.test.rows()), (15, 5));
        assert_eq!(data.test.outputs[1].iter().filter(|v| **v > 0.5).count(), 1);
        seen += data.test.rows();
    }
    assert_eq!(seen, 20);
    assert!(table.fold(0, 21, 3).is_err() && table.fold(4, 4, 3).is_err());
    let data = table.clone().split(&Split::Fraction { test: 0.25, seed: 1 }).unwrap();
    assert_eq!((data.train.rows(), data.test.rows()), (15, 5));
    assert_eq!(data.test.outputs[1].iter().filter(|v| **v > 0.5).count(), 1);
    assert!(table.split(&Split::Fraction { test: 1.0, seed: 1 }).is_err());
}

#[test]
fn groups_and_times_are_not_divided_by_splits() {
    let text = (0..40).fold("g,t,y\n".to_string(), |text, i| {
        text + &format!("{},{},{}.5\n", i % 7, i * 3 % 40, i * i % 11)
    });
    let read = |settings: &TableSettings| Table::from_reader("t.csv", settings, text.as_bytes()).unwrap();
    let by_time = read(&TableSettings { split_by_time: Some("t".into()), ..TableSettings::default() });
    let data = by_time.split(&Split::Fraction { test: 0.25, seed: 1 }).unwrap();
    assert_eq!(data.train.input_names, ["g", "t"]);
    let latest = data.train.inputs[1].iter().copied().fold(0.0, f64::max);
    assert!(data.test.rows() == 10 && data.test.inputs[1].iter().all(|t| *t > latest));
    let by_group = read(&TableSettings { group_column: Some("g".into()), ..TableSettings::default() });
    assert!(by_group.clone().split(&Split::Rule("1/1".parse().unwrap())).is_err());
    let data = by_group.fold(0, 3, 1).unwrap();
    assert_eq!(data.train.input_names, ["t"]);
    let related = data.table.unwrap().related.unwrap();
    assert!(related.count() < 7 && data.test.rows() > 5);
}

#[test]
fn headers_are_told_from_rows_of_text() {
    for (text, expected) in [
        ("x,o,b,positive\nx,x,o,negative\no,x,b,positive\n", false),
        ("a,b\nx,y\nz,w\n", true),
        ("colour,kind\nred,a\nblue,b\nred,b\n", true),
        ("red,a\nblue,b\nred,b\n", false),
        ("1,a\n2,b\n", false),
    ] {
        assert_eq!(rows(text).header, expected, "{text}");
    }
    // A delimiter at the end of every line makes no column; quotes hide delimiters.
    let table = rows("\"a;b;c\",y,\n1,2,\n2,3,\n");
    assert_eq!(table.summary().columns.len(), 2);
}

#[test]
fn later_rows_are_encoded_like_those_of_training() {
    let text = "id,size,colour,price\nu,1,red,10\nv,2,blue,20\nw,3,red,30\n";
    let settings =
        TableSettings { id_column: vec!["id".into()], missing: Missing::Refuse, ..TableSettings::default() };
    let data = Table::from_reader("t.csv", &settings, text.as_bytes()).unwrap().split(&Split::All).unwrap();
    let schema = data.table.unwrap().schema;
    let read = |text: &str, targets: bool| {
        let how = RowSettings { targets, ..RowSettings::default() };
        let mut rows = TableRows::open("n.csv", &schema, None, &how, text.as_bytes())?;
        let mut all = Vec::new();
        while let Some(row) = rows.next_row()? {
            all.push(row);
        }
        Ok::<_, Error>(all)
    };
    let row = &read("colour,more,size,id\nblue,x,7,k\n", false).unwrap()[0];
    assert_eq!((row.ids.clone(), row.inputs.clone()), (vec!["k".to_string()], Some(vec![7.0, 1.0, 0.0])));
    // Without names: all columns, all but the target, or the inputs alone.
    for text in ["k,7,blue,5\nl,8,red,6\n", "k,7,blue\nl,8,red\n", "7,blue\n8,red\n"] {
        assert_eq!(read(text, false).unwrap()[0].inputs, Some(vec![7.0, 1.0, 0.0]), "{text}");
    }
    let row = &read("colour,size,price\nblue,7,5\n", true).unwrap()[0];
    assert_eq!(row.outputs, Some(vec![5.0]));
    let row = &read("colour,size\npink,7\n", false).unwrap()[0];
    assert_eq!(row.unknown, [("colour".to_string(), "pink".to_string())]);
    assert_eq!(row.inputs, Some(vec![7.0, 1.0 / 3.0, 2.0 / 3.0]));
    for (text, expected) in [
        (
            "colour,x\nblue,7\n",
            "n.csv: there is no column size, which the model needs; it has the columns colour, x",
        ),
        ("colour,size\nblue,big\n", "n.csv line 2, column size: \"big\" is not a number"),
        ("colour,size\nblue,\n", "n.csv line 2, column size: the value is missing; fill it in"),
        ("colour,size\nblue,1e400\n", "n.csv line 2, column size: 1e400 is not a finite number"),
        ("colour,size,size\nblue,1,2\n", "n.csv column size: several columns have this name; rename one"),
        (
            "1,2,3,4,5\n",
            "n.csv: it has 5 columns, and without names the model needs the 4 it was trained on, or 3 without the target; is the delimiter right (delimiter)?",
        ),
    ] {
        assert_eq!(read(text, false).unwrap_err().to_string(), expected);
    }
    assert!(read("colour,size\nblue,7\n", true).unwrap_err().to_string().contains("the model's target"));
    // Everything from the first wrong row on, and all columns that are not there.
    assert_eq!(
        read("colour,size,price\nred,1,2\nblue,big,\nred,2\nred,1,2\nred,,much\n", true)
            .unwrap_err()
            .to_string(),
        "n.csv has 5 problems:\n  line 4: 2 fields instead of 3; every row needs as many as the first line\n  \
         line 3, column size: \"big\" is not a number\n  line 6, column price: \"much\" is not a number\n  \
         line 3, column price: the value is missing; fill it in\n  line 6, column size: the value is missing"
    );
    assert_eq!(
        read("a,b\n1,2\n", false).unwrap_err().to_string(),
        "n.csv: there are no columns size, colour, which the model needs; it has the columns a, b"
    );
}
