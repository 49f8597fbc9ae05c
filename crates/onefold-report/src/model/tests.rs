use super::*;
use onefold::{FitSettings, Method, RowSettings, Split, Table, TableSettings, fit};

/// What strangers may write.
const HOSTILE: [&str; 4] =
    ["</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a'*/b\\", "=cmd()"];

/// A model of a table, trained for a few generations.
fn model(text: &str, split: &Split) -> Model {
    let table = Table::from_reader("t.csv", &TableSettings::default(), text.as_bytes()).unwrap();
    let data = table.split(split).unwrap();
    let mut settings = FitSettings::for_data(&data.train, "2", Method::DE_SB).unwrap();
    settings.stop.max_generations = Some(5);
    fit("t.csv", &data, &settings).unwrap().model
}

fn rows(model: &Model, text: &str) -> Rows {
    Rows::read(model, "t.csv", &RowSettings::default(), || Ok(text.as_bytes())).unwrap()
}

fn page(model: &Model, text: &str) -> String {
    model_page(model, &rows(model, text), &About::default()).unwrap()
}

fn numbers() -> String {
    let line = |i: usize| {
        let (x, word) = (i as f64 / 10.0, ["a", "b"][i % 2]);
        let size = if i % 9 == 4 { String::new() } else { format!("{x}") };
        format!("{size},{word},{}\n", 10.0 + x.sin() + (i % 2) as f64)
    };
    "size,kind,price\n".to_string() + &(0..60).map(line).collect::<String>()
}

fn flowers(class: impl Fn(usize) -> String) -> String {
    let line = |i: usize| format!("{},{},{}\n", (i * 7 % 10) as f64 / 3.0, i % 3, class(i % 3));
    "\"length\",\"width\",\"kind\"\n".to_string() + &(0..60).map(line).collect::<String>()
}

const FIFTH: Split = Split::Fraction { test: 0.2, seed: 1 };

#[test]
fn the_table_of_training_is_divided_as_then() {
    let text = numbers();
    let model = model(&text, &FIFTH);
    let parts = rows(&model, &text).parts;
    let found: Vec<(PartKind, usize)> = parts.iter().map(|part| (part.kind, part.data.rows())).collect();
    assert_eq!(found, [(PartKind::Training, 48), (PartKind::Unseen, 12)]);
    // One digit makes it another table.
    let other = text.replacen("10.", "11.", 1);
    let parts = rows(&model, &other).parts;
    assert_eq!((parts.len(), parts[0].kind, parts[0].data.rows()), (1, PartKind::Given, 60));
    // Other columns and another order do, too.
    let swap = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        [fields[2], fields[1], "7", fields[0]].join(",")
    };
    let swapped = text.lines().map(swap).collect::<Vec<_>>().join("\n").replacen(",7,", ",more,", 1);
    assert_eq!(rows(&model, &swapped).parts[0].kind, PartKind::Given);
    let html = page(&model, &swapped);
    assert!(html.contains("On the 60 rows given"), "{html}");
}

#[test]
fn a_regression_has_its_sections() {
    let text = numbers();
    let html = page(&model(&text, &FIFTH), &text);
    for expected in [
        "<h1>Predicting price</h1>",
        "A 4-2-1 network predicts price from 2 columns. On 12 rows that it has not seen in training",
        ">R²</th>",
        "Predicted against true",
        "Residuals against predictions",
        "Histogram of residuals",
        ">number, and whether it is missing</td>",
        "2 words, one input each",
        "random split",
        "&#34;method&#34;",
    ] {
        assert!(html.contains(expected), "{expected} in {html}");
    }
    let all = page(&model(&text, &Split::All), &text);
    assert!(all.contains("On the 60 rows that it was trained on") && all.contains("No row was held out"));
}

#[test]
fn classes_have_theirs() {
    let text = flowers(|k| ["rose", "tulip", "aster"][k].into());
    let html = page(&model(&text, &FIFTH), &text);
    for expected in ["Confusion matrix", "Receiver operating characteristic", ">rose</th>", "macro F1"] {
        assert!(html.contains(expected), "{expected} in {html}");
    }
    assert!(!html.contains("Residuals"));
}

#[test]
fn a_large_page_is_bounded() {
    let line = |i: usize| {
        let fields: Vec<String> = (0..30).map(|k| ((i * (k + 3)) % 97).to_string()).collect();
        format!("{},{}\n", fields.join(","), i % 89)
    };
    let text: String = (0..20_000).map(line).collect();
    let html = page(&model(&text, &FIFTH), &text);
    assert!(html.len() < 300_000, "{}", html.len());
    assert!(html.contains("unseen rows, 1,500 of 4,000"), "the sample is told");
}

#[test]
fn names_from_strangers_are_text() {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let text = flowers(|k| quoted(HOSTILE[k]))
        .replace("\"length\"", &quoted(HOSTILE[0]))
        .replace("\"width\"", &quoted(HOSTILE[1]))
        .replace("\"kind\"", &quoted(HOSTILE[2]));
    let model = model(&text, &FIFTH);
    let mut rows = rows(&model, &text);
    rows.name = HOSTILE[1].into();
    rows.notices = HOSTILE.map(String::from).to_vec();
    let about =
        About { command: Some(HOSTILE[0].into()), model: Some("\u{202e}\u{1b}[2J".into()), written: None };
    let html = model_page(&model, &rows, &about).unwrap();
    assert_eq!(html.matches("<script").count(), 1, "only the page's own");
    assert_eq!(html.matches("</style").count(), 1);
    assert!(!html.contains("<img") && !html.contains('\u{1b}') && !html.contains('\u{202e}'));
    assert!(html.contains("=cmd()") && html.contains("\\u{202e}"));
    // Numbers hold their own page together.
    let numbers = numbers().replacen("price", HOSTILE[0], 1);
    let html = page(&self::model(&numbers, &FIFTH), &numbers);
    assert_eq!(html.matches("<script").count(), 1);
}

#[test]
fn rows_without_targets_are_no_report() {
    let text = numbers();
    let model = model(&text, &FIFTH);
    let none = Rows::given("empty.csv", onefold::Dataset::default());
    let refused = model_page(&model, &none, &About::default()).unwrap_err();
    assert_eq!(refused, "empty.csv: there are no rows to report on");
    let lacking = text.replace(",price", ",cost");
    assert!(Rows::read(&model, "t.csv", &RowSettings::default(), || Ok(lacking.as_bytes())).is_err());
}
