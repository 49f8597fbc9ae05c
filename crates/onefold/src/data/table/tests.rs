use super::*;

fn read(text: &str, settings: &TableSettings) -> Result<Dataset, Error> {
    Dataset::from_reader("t.csv", settings, || Ok(text.as_bytes()))
}

fn plain(text: &str) -> Dataset {
    read(text, &TableSettings::default()).unwrap()
}

fn refused(text: &str) -> String {
    read(text, &TableSettings::default()).unwrap_err().to_string()
}

#[test]
fn numbers_words_and_headers() {
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
        targets: targets.iter().map(ToString::to_string).collect(),
        ignore: ignore.iter().map(ToString::to_string).collect(),
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
    assert_eq!(message, "target_column is \"price\", but t.csv has the columns id, y, x, z");
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
        "t.csv: line 2, column y: \"a\" is not a number, and the target of a regression must be"
    );
}

#[test]
fn missing_values() {
    let text = "x,c,y\n1,a,1\n,b,2\n3,?,3\n5,a,\n7,b,7\n";
    let with = |missing| read(text, &TableSettings { missing, ..TableSettings::default() });
    let message = with(Missing::Refuse).unwrap_err().to_string();
    assert!(message.starts_with("t.csv line 3, column x: the value is missing"), "{message}");
    let dropped = with(Missing::Drop).unwrap();
    assert_eq!(dropped.inputs[0], [1.0, 7.0]);
    // The mean of 1, 3, 5 and 7; words and targets are never made up.
    let mean = with(Missing::Mean).unwrap();
    assert_eq!((mean.inputs[0].clone(), mean.outputs[0].clone()), (vec![1.0, 4.0, 7.0], vec![1.0, 2.0, 7.0]));
}

#[test]
fn numbers_among_words_are_words() {
    let data = plain("cylinders,y\n4,1\n6,2\nrotary,3\n4,4\n");
    assert_eq!(data.input_names, ["cylinders=4", "cylinders=6", "cylinders=rotary"]);
    assert_eq!(data.inputs[0], [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn ordinal_words() {
    let settings = TableSettings { words: Words::Ordinal, ..TableSettings::default() };
    let data = read("size,y\nsmall,1\nlarge,2\nmedium,3\n", &settings).unwrap();
    assert_eq!(data.inputs, [vec![2.0, 0.0, 1.0]]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, expected) in [
        ("", "t.csv: the file is empty"),
        (" \n\n", "t.csv: the file is empty"),
        ("a,b\n", "t.csv: there are no rows below the header"),
        ("a,b\n1,2\n3\n", "t.csv line 3: 1 fields instead of 2; every row needs as many as the first line"),
        (
            "a,b\n1,2\n3,4,5\n",
            "t.csv line 3: 3 fields instead of 2; every row needs as many as the first line",
        ),
        ("a,b\n1,2\ninf,4\n", "t.csv line 3, column 1: inf is not a finite number"),
        ("a,b\n1,1e400\n3,4\n", "t.csv line 2, column 2: 1e400 is not a finite number"),
        ("a,a\n1,2\n", "t.csv line 1: two columns are named a; rename one"),
        ("a\n1\n2\n", "t.csv: there is no input column besides the target; is the delimiter right?"),
        ("a,b\n1,2\n3,2\n", "t.csv: the target b is the same in all rows; there is nothing to learn"),
        ("a,b\n1,x\n3,x\n", "t.csv: all rows have the class x; there is nothing to learn"),
        (
            "x;y\n1,5;2\n2;3\n",
            "t.csv: line 2, column x: 1,5 seems to be a number with a decimal comma; write it with a point",
        ),
        (
            "a,b\n1,\"2\n2,3\n",
            "t.csv line 2: the field of column 2 goes on over the end of the line; is a quote not closed?",
        ),
        ("a,b\nnan,2\n,3\n", "t.csv: column a is empty; leave it out (ignore)"),
    ] {
        assert_eq!(refused(text), expected, "{text:?}");
    }
    let latin: &[u8] = b"a,b\n1,2\n\xE4,3\n";
    let message =
        Dataset::from_reader("t.csv", &TableSettings::default(), || Ok(latin)).unwrap_err().to_string();
    assert_eq!(message, "t.csv line 3: column 1 is not UTF-8 text; save the file as UTF-8");
    let binary: &[u8] = b"\x00\x01\x02";
    assert!(Dataset::from_reader("t.csv", &TableSettings::default(), || Ok(binary)).is_err());
}

#[test]
fn random_bytes_never_do_harm() {
    use crate::{Purpose, Streams};
    let alphabet = b"0123456789.,;\t|\"'\n\r eE+-naifx\xC3\xA4\xFF\x00";
    for case in 0..20_000 {
        let mut rng = Streams::new(11, Purpose::Data, case).of(0);
        let length = rng.below(60);
        let bytes: Vec<u8> = (0..length).map(|_| alphabet[rng.below(alphabet.len())]).collect();
        if let Ok(data) = Dataset::from_reader("t", &TableSettings::default(), || Ok(bytes.as_slice())) {
            data.check_usable().unwrap();
        }
    }
}
