//! Bad tables and requests: what is said, and with which exit code; nothing is written.

mod common;

use common::{failure, json, onefold, prices, stdout, with_model, words};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

const GOOD: &[u8] = b"a,b,y\n1,2,3\n2,3,5\n3,1,4\n4,4,8\n5,0,5\n";

/// Content, more arguments, and what is said.
const REFUSED: &[(&[u8], &str, &str)] = &[
    (b"", "", "t.csv: the file is empty"),
    (b"\xEF\xBB\xBF", "", "t.csv: the file is empty"),
    (b"\n \n", "", "t.csv: the file is empty"),
    (b"a,b,y\n", "", "t.csv: there are no rows below the header"),
    (
        b"a,b,y\n1,2,3\n4,5\n",
        "",
        "t.csv line 3: 2 fields instead of 3; every row needs as many as the first line",
    ),
    (b"a,b,y\n1,2,3\n4,5,6,7\n", "", "t.csv line 3: 4 fields instead of 3"),
    (
        b"a,y\n1,2\nNaN,3\n",
        "--missing refuse",
        "t.csv line 3, column a: the value is missing; fill it in, or choose how to treat missing values (--missing indicate, drop or mean)",
    ),
    (b"a,y\n1,2\n,3\n", "--missing refuse", "t.csv line 3, column a: the value is missing"),
    (b"a,y\n1,2\n3,\n", "--missing refuse", "t.csv line 3, column y: the value is missing"),
    (
        b"a,y\n1,2\n4,2\n,3\n",
        "--missing drop",
        "t.csv: the target y is the same in all rows; there is nothing to learn",
    ),
    (b"a,y\n1,\n2,\n,3\n", "--missing drop", "t.csv: no row is left after those with missing values"),
    (b"a,y\n1,2\ninf,3\n", "", "t.csv line 3, column a: inf is not a finite number"),
    (b"a,y\n1,2\n2,1e400\n", "", "t.csv line 3, column y: 1e400 is not a finite number"),
    (b"a,y\n1,2\n2,-1e200\n", "", "t.csv line 3, column y: -1e200 is too large; at most 1e150 is accepted"),
    (
        b"a,b,y\n1,1,1\n1,1,2\n1,1,3\n1,1,4\n1,1,5\n",
        "",
        "t.csv: every input is the same in all training rows (a, b)",
    ),
    (b"a,y\n1,7\n2,7\n3,7\n", "", "t.csv: the target y is the same in all rows; there is nothing to learn"),
    (b"a,y\n1,k\n2,k\n3,k\n", "", "t.csv: all rows have the class k; there is nothing to learn"),
    (
        b"a,a,y\n1,2,3\n4,5,6\n",
        "",
        "t.csv line 1, column a: several columns have this name; rename one, or read the first line as data (--header no)",
    ),
    (b"a,y\n1,2\n\xE4,3\n", "", "t.csv line 3, column a: this is not UTF-8 text; save the file as UTF-8"),
    (b"\xFF\xFEa\0,\0y\0", "", "t.csv: this is not UTF-8 text; save the file as UTF-8"),
    (b"PK\x03\x04\x00\x00", "", "t.csv: this is not UTF-8 text"),
    (
        b"a,y\n1,\"2\n3,4\n",
        "",
        "t.csv line 2, column y: the field goes on over the end of the line; is a quote not closed?",
    ),
    (
        b"a\n1\n2\n",
        "",
        "t.csv: there is no input column besides the target; check the delimiter (--delimiter)",
    ),
    (
        b"a;b;y\n1;2;3\n4;5;6\n",
        "--delimiter ,",
        "t.csv: there is no input column besides the target; check the delimiter (--delimiter)",
    ),
    (
        b"Sales of 2024\na,b,y\n1,2,3\n4,5,6\n",
        "",
        "t.csv line 1: 1 line of 1 field, where those below have 3 each; delete what is above the column names, or give every column a name",
    ),
    (
        b"\nSales\nby month\na;b;y\n1;2,5;3\n4;5,5;6\n",
        "",
        "t.csv line 2: 2 lines of 1 field, where those below have 3 each",
    ),
    (b"sep=;\n", "", "t.csv: the file is empty"),
    (b"{\n  \"a\": 1\n}\n", "", "t.csv: it looks like JSON, not like a table; save the rows as CSV"),
    (
        b"<html>\n<tr>1</tr>\n</html>\n",
        "",
        "t.csv: it looks like HTML or XML, not like a table; save the rows as CSV",
    ),
    (b"sep=x\na;y\n1;2\n3;4\n", "", "t.csv line 1: 1 line of 1 field, where those below have 2 each"),
    (GOOD, "--ignore-column a,b", "t.csv: no column is left as an input: all are targets or left out"),
    (
        GOOD,
        "--target-column z",
        "--target-column \"z\": there is no such column; t.csv has the columns a, b, y",
    ),
    (GOOD, "--time -5s", "invalid value '-5s' for '--time <TIME>': a time is not negative"),
    (GOOD, "--time 5", "expected a time with its unit, such as 30s, 5min or 1h30m"),
    (
        b"x;y\n1,500;2\n2,125;3\n",
        "",
        "t.csv line 2, column x: 1,500 may have a thousands separator or a decimal separator, and nothing in the column tells which; say what separates the fraction (--decimal . or ,)",
    ),
    (
        b"x;y\n1,5;2\n2.5;3\n3,5;4\n",
        "",
        "t.csv line 3, column x: 2.5 cannot be read with a decimal comma, as the column is; correct it",
    ),
    (
        b"x,y\n5%,2\n3%,3\n4,4\n",
        "",
        "t.csv line 2, column x: 5% has % beside it, and other numbers of the column have no sign; correct it",
    ),
    (
        b"x,y\n1/2/2021,2\n2/3/2021,3\n3/4/2021,4\n",
        "",
        "t.csv line 2, column x: 1/2/2021 may have the day or the month first, and nothing in the column tells which; say which comes first (--date-order day-first or month-first)",
    ),
    (GOOD, "--decimal x", "expected . or ,"),
    (GOOD, "--decimal , --thousands ,", "--thousands ',': must be another character than decimal"),
    (
        GOOD,
        "--thousands x",
        "--thousands 'x': must be a comma or a point; spaces and apostrophes need no setting",
    ),
    (
        b"a,b,y\n,1,2\n,3,4\n",
        "--missing refuse",
        "t.csv column a: it is empty; ignore the column (--ignore-column)",
    ),
    (
        b"a,y\nred,2\nblue,3\n",
        "--categories refuse",
        "t.csv has 2 problems:\n  line 2, column a: \"red\" is not a number; ignore the column (--ignore-column), or choose how to encode text (--categories one-hot or ordinal)\n  line 3, column a: \"blue\" is not a number",
    ),
    (
        b"a,y\n1,red\n2,blue\n",
        "--task regression",
        "line 2, column y: \"red\" is not a number, and the target of a regression must be",
    ),
    (
        GOOD,
        "--target-column 4",
        "--target-column \"4\": there is no such column; t.csv has the columns a, b, y",
    ),
    (
        GOOD,
        "--target-column 0",
        "--target-column \"0\": there is no such column; t.csv has the columns a, b, y",
    ),
    (GOOD, "--target-column y,y", "--target-column \"y\": this column is named twice"),
    (
        GOOD,
        "--ignore-column z",
        "--ignore-column \"z\": there is no such column; t.csv has the columns a, b, y",
    ),
    (GOOD, "--id-column z", "--id-column \"z\": there is no such column; t.csv has the columns a, b, y"),
    (GOOD, "--target-column y --ignore-column y", "--target-column \"y\": this column is left out"),
    (GOOD, "--target-column a,b,y", "t.csv: no column is left as an input"),
    (GOOD, "--target-column a,y --task classification", "t.csv: a classification has one target column"),
    (GOOD, "--delimiter ab", "expected one character, or tab, comma, semicolon, bar or space"),
    (GOOD, "--delimiter 1", "--delimiter '1': must be one plain character"),
    (GOOD, "--header maybe", "expected yes or no"),
    (GOOD, "--test-fraction 1", "--test-fraction 1: must be at least 0 and below 1"),
    (GOOD, "--test-fraction -0.1", "--test-fraction -0.1: must be at least 0 and below 1"),
    (GOOD, "--test-fraction nan", "--test-fraction NaN: must be at least 0 and below 1"),
    (GOOD, "--folds 1", "--folds 1: must be at least 2 and at most the number of rows, 5"),
    (GOOD, "--folds 6", "--folds 6: must be at least 2"),
    (GOOD, "--folds 2 --split 1/1", "cannot be used with"),
    (GOOD, "--folds 2 --test t.csv", "cannot be used with"),
    (GOOD, "--split 1/4", "--split 1/4 strict: then the target y is the same in all training rows"),
    (GOOD, "--test none.csv", "--test none.csv: there is no such file"),
    (GOOD, "--test folder.csv", "--test folder.csv: this is a directory, not a file"),
    (GOOD, "--samples 3", "--samples is for built-in data sets and has no effect on a file; leave it out"),
    (GOOD, "--topology 3-2-1", "the topology 3-2-1 has 3 inputs, but the data has 2"),
    (GOOD, "--target -1", "--target -1: a mean squared error is never negative"),
    (
        b"a,y\n1,u\n2,v\n3,u\n4,u\n5,u\n",
        "--folds 2",
        "--folds 2: then no training row has the class v; there is nothing to learn about it",
    ),
];

/// Tables and requests that are refused: content, arguments, message. Exit code 2, nothing written.
#[test]
fn what_is_refused_is_said_with_its_place() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("folder.csv")).unwrap();
    let long = "x".repeat(70_000);
    let many = (0..1200).fold("k,y\n".to_string(), |t, i| t + &format!("w{i},{i}\n"));
    let classes = (0..1200).fold("k,y\n".to_string(), |t, i| t + &format!("{i},w{i}\n"));
    let made: [(&[u8], &str, &str); 4] = [
        (
            many.as_bytes(),
            "",
            "t.csv: no input column is left: k have no value, or a text of their own in most rows; read the column as text (--text-column)",
        ),
        (classes.as_bytes(), "", "t.csv column y: there are more than 1000 classes"),
        (
            GOOD,
            "--target-column price",
            "--target-column \"price\": there is no such column; t.csv has the columns a, b, y",
        ),
        (long.as_bytes(), "", "t.csv: there are no rows below the header"),
    ];
    for (bytes, more, expected) in REFUSED.iter().chain(&made) {
        fs::write(folder.join("t.csv"), bytes).unwrap();
        let args = [&["fit", "t.csv", "--max-evaluations", "1e3"][..], &words(more)].concat();
        let message = failure(folder, &args, 2);
        assert!(
            message.contains(expected),
            "{:?} {more}: {message}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(40)])
        );
    }
    for (args, expected) in [
        ("fit none.csv", "none.csv: there is no such file"),
        ("fit folder.csv", "folder.csv: this is a directory, not a file"),
        (
            "fit iris --target-column 2",
            "--target-column is for files and has no effect on the built-in iris; leave it out",
        ),
        ("fit sinc --folds 3", "--folds is for files and has no effect on the built-in sinc; leave it out"),
        (
            "datasets t.csv",
            "there is no built-in data set \"t.csv\"; to train on a file, use onefold fit t.csv",
        ),
    ] {
        assert_eq!(failure(folder, &words(args), 2), expected);
    }
}

/// Every problem of a table is in one message: with its line and column, the worst first, and the advice
/// once.
#[test]
fn all_problems_of_a_table_are_said_at_once() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let refused = |text: &str| {
        fs::write(folder.join("t.csv"), text).unwrap();
        failure(folder, &["fit", "t.csv", "--missing", "refuse"], 2)
    };
    let message = refused("size,note,price\n1,,10\n2,,\n3,,30,4\ninf,,40\n,,50\n6\n");
    insta::assert_snapshot!(message, @r"
    t.csv has 6 problems:
      line 4: 4 fields instead of 3; every row needs as many as the first line
      line 7: 1 field instead of 3
      column note: it is empty; ignore the column (--ignore-column)
      line 5, column size: inf is not a finite number
      line 3, column price: the value is missing; fill it in, or choose how to treat missing values (--missing indicate, drop or mean)
      line 6, column size: the value is missing
    ");
    let rows = (0..50).map(|i| format!("{i},{}\n", if i < 10 { "1" } else { "" }));
    let message = refused(&rows.fold("size,price\n".to_string(), |text, row| text + &row));
    assert!(message.starts_with("t.csv has 40 problems:\n  line 12, column price: the value"), "{message}");
    let last = "  line 14, column price: the value is missing (and 37 more in this column)";
    assert!(message.ends_with(last), "{message}");
    // Also of a table that a model reads; what was answered before stays.
    let folder = with_model();
    fs::write(folder.path().join("t.csv"), "size,colour\n1,red\nbig,red\n2,blue\n,red\n3\n").unwrap();
    let message = failure(folder.path(), &["predict", "m.json", "t.csv"], 2);
    insta::assert_snapshot!(message, @r#"
    t.csv has 2 problems:
      line 6: 1 field instead of 2; every row needs as many as the first line
      line 3, column size: "big" is not a number
    "#);
}

#[test]
fn what_predict_and_evaluate_refuse() {
    let folder = with_model();
    let folder = folder.path();
    for (text, args, expected) in [
        (
            "size,color\n1,red\n",
            "predict m.json t.csv",
            "t.csv: there is no column colour, which the model needs; it has the columns size, color",
        ),
        ("size,colour\n1,red\n2\n", "predict m.json t.csv -o out.csv", "t.csv line 3: 1 field instead of 2"),
        (
            "size,colour\nbig,red\n",
            "predict m.json t.csv",
            "t.csv line 2, column size: \"big\" is not a number",
        ),
        (
            "size,colour\n1e400,red\n",
            "predict m.json t.csv",
            "t.csv line 2, column size: 1e400 is not a finite number",
        ),
        (
            "size,colour\n1,red\n",
            "predict m.json t.csv --id-column id",
            "--id-column \"id\": there is no such column; t.csv has the columns size, colour",
        ),
        (
            "size,colour\n1,red\n",
            "evaluate m.json t.csv",
            "t.csv: there is no column price, the model's target",
        ),
        (
            "size,colour,price\n1,red,much\n",
            "evaluate m.json t.csv",
            "t.csv line 2, column price: \"much\" is not a number",
        ),
        ("size,colour,price\n", "evaluate m.json t.csv", "t.csv: there are no rows to evaluate"),
        (
            "1,2\n",
            "evaluate m.json t.csv",
            "t.csv: it has 2 columns, and without names the model needs the 4 it was trained on; check the delimiter (--delimiter)",
        ),
        ("", "predict m.json t.csv", "t.csv: the file is empty"),
        ("", "predict m.json none.csv", "none.csv: there is no such file"),
        ("", "predict none.json t.csv", "none.json: No such file"),
        ("", "predict prices.csv t.csv", "prices.csv: this is not a model file"),
        ("", "predict m.json .", ".: this is a directory, not a file"),
        ("", "predict m.json prices.csv -o .", "--output .: this is a directory; name a file"),
        ("", "predict m.json prices.csv -o no/where.csv", "--output no/where.csv: its folder does not exist"),
        (
            "",
            "predict m.json sinc --id-column 1",
            "--id-column is for files and has no effect on the built-in sinc; leave it out",
        ),
        (
            "",
            "evaluate m.json prices.csv --part all",
            "--part is for built-in data sets and has no effect on a file; leave it out",
        ),
        ("", "predict m.json sinc", "the model has 4 inputs, and sinc 1; it was trained on prices.csv"),
    ] {
        fs::write(folder.join("t.csv"), text).unwrap();
        let message = failure(folder, &words(args), 2);
        assert!(message.contains(expected), "{args}: {message}");
    }
    fs::write(folder.join("iris.csv"), stdout(folder, &["datasets", "iris", "--csv"])).unwrap();
    stdout(folder, &words("fit iris.csv --hidden 1 --seed 1 --max-evaluations 1e3 -o c.json"));
    fs::write(folder.join("t.csv"), "1,2,3,4,Iris-rosa\n").unwrap();
    assert_eq!(
        failure(folder, &["evaluate", "c.json", "t.csv"], 2),
        "t.csv line 1, column 5: the model does not know the class \"Iris-rosa\", only Iris-setosa, Iris-versicolor, Iris-virginica"
    );
}

#[cfg(unix)]
#[test]
fn full_disks_fail_and_closed_pipes_end_quietly() {
    let folder = with_model();
    let folder = folder.path();
    if Path::new("/dev/full").exists() {
        for args in [
            "predict m.json prices.csv -o /dev/full",
            "fit prices.csv --id-column id --hidden 1 --seed 1 --max-evaluations 1e3 -o /dev/full",
        ] {
            let message = failure(folder, &words(args), 1);
            assert!(message.starts_with("/dev/full: No space left on device (os error 28)"), "{message}");
            // A trained model is not lost.
            if let Some((_, kept)) = message.split_once("; the model was kept in ") {
                assert!(stdout(folder, &["show", kept]).contains("prices.csv"));
                fs::remove_file(kept).unwrap();
            }
            assert_eq!(message.contains("kept"), args.starts_with("fit"), "{message}");
        }
        for args in [&["predict", "m.json", "prices.csv"][..], &["evaluate", "m.json", "prices.csv"]] {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let output = std::process::Command::new(assert_cmd::cargo::cargo_bin("onefold"))
                .current_dir(folder)
                .args(args)
                .stdout(full)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1), "{args:?}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("No space left on device"));
        }
    }
    // More rows than a pipe holds.
    let text = prices();
    let mut many = text.clone();
    for _ in 0..200 {
        many += text.split_once('\n').unwrap().1;
    }
    fs::write(folder.join("many.csv"), many).unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .current_dir(folder)
        .args(["predict", "m.json", "many.csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "id,price\n");
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

#[test]
fn a_hundred_thousand_columns() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let row = |f: &dyn Fn(usize) -> String| (0..100_000).map(f).collect::<Vec<_>>().join(",") + "\n";
    let mut text = row(&|i| format!("c{i}"));
    for k in 0..3 {
        text += &row(&|i| ((i * 7 + k * 13) % 101).to_string());
    }
    fs::write(folder.join("wide.csv"), text).unwrap();
    let message = failure(folder, &words("fit wide.csv --target-column none"), 2);
    assert!(message.contains("c19 and 99980 more"), "{message}");
    let args = "fit wide.csv --hidden 1 --population 4 --seed 1 --max-generations 2 --test-fraction 0 --json";
    assert_eq!(json(folder, &words(args))["topology"], "99999-1-1");
}

#[cfg(unix)]
#[test]
fn a_file_that_grows_while_it_is_read_is_refused_and_nothing_is_replaced() {
    let folder = with_model();
    let path = folder.path();
    fs::write(path.join("p.csv"), "kept").unwrap();
    let row = prices().lines().nth(1).unwrap().to_string();
    let text = format!("{}\n{}", prices().lines().next().unwrap(), format!("{row}\n").repeat(400_000));
    for args in ["fit big.csv -o new.json", "predict m.json big.csv -o p.csv", "evaluate m.json big.csv"] {
        fs::write(path.join("big.csv"), &text).unwrap();
        let mut growing = fs::OpenOptions::new().append(true).open(path.join("big.csv")).unwrap();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let message = std::thread::scope(|scope| {
            scope.spawn(|| {
                use std::io::Write as _;
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    growing.write_all(format!("{row}\n").as_bytes()).unwrap();
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            });
            let output = onefold(path, &words(args)).assert().code(2).get_output().clone();
            let message = String::from_utf8(output.stderr).unwrap();
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
            message
        });
        assert!(message.contains("big.csv: the file changed while it was read; "), "{args}: {message}");
    }
    assert!(!path.join("new.json").exists());
    assert_eq!(fs::read_to_string(path.join("p.csv")).unwrap(), "kept");
}
