//! `onefold report MODEL DATA`: the page about a model.

use crate::common::{files, onefold, stdout};
use crate::refused;
use std::fs;
use tempfile::TempDir;

/// A folder with a table, and a model of it.
fn setting() -> TempDir {
    let folder = TempDir::new().unwrap();
    let row = |i: usize| format!("{},{},{}\n", i % 11, ["red", "blue"][i % 2], 3 * (i % 11) + i % 2);
    let rows: String = (0..60).map(row).collect();
    fs::write(folder.path().join("shop.csv"), format!("size,<b>colour</b>,price\n{rows}")).unwrap();
    let fit = [
        "fit",
        "shop.csv",
        "--hidden",
        "2",
        "--decay",
        "1e-4",
        "--max-evaluations",
        "500",
        "-o",
        "shop.json",
    ];
    onefold(folder.path(), &fit).assert().success();
    folder
}

#[test]
fn the_page_is_one_file_and_the_same_each_time() {
    let folder = setting();
    let page = |data: &str| {
        onefold(folder.path(), &["report", "shop.json", data, "-o", "shop.html"])
            .assert()
            .success()
            .stdout("");
        fs::read_to_string(folder.path().join("shop.html")).unwrap()
    };
    let html = page("shop.csv");
    assert!(html.contains("On 12 rows that it has not seen in training"), "{html}");
    assert!(html.contains("onefold report shop.json shop.csv -o shop.html") && !html.contains("<b>"));
    for outside in ["http://", "https://"] {
        let links = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!links.contains(outside), "the page needs no network");
    }
    assert_eq!(page("shop.csv"), html);
    // The same rows in another file are still those of the training; without one of them they are not.
    fs::copy(folder.path().join("shop.csv"), folder.path().join("copy.csv")).unwrap();
    assert!(page("copy.csv").contains("On 12 rows that it has not seen in training"));
    let text = fs::read_to_string(folder.path().join("shop.csv")).unwrap();
    let fewer: Vec<&str> = text.lines().take(60).collect();
    fs::write(folder.path().join("fewer.csv"), fewer.join("\n")).unwrap();
    assert!(page("fewer.csv").contains("On the 59 rows given"));
    // Without a name it is printed, and a table may come through a pipe.
    let printed = onefold(folder.path(), &["report", "shop.json", "-"]).write_stdin(text).assert().success();
    let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    assert!(printed.starts_with("<!doctype html>") && printed.contains("On 12 rows"));
}

#[test]
fn built_in_sets_have_their_split() {
    let folder = TempDir::new().unwrap();
    let fit = ["fit", "iris", "--hidden", "2", "--max-evaluations", "500", "-o", "iris.json"];
    onefold(folder.path(), &fit).assert().success();
    let html = stdout(folder.path(), &["report", "iris.json", "iris"]);
    assert!(
        html.contains("On 75 rows that it has not seen in training") && html.contains("Confusion matrix")
    );
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let folder = setting();
    let refuse = |args: &[&str], expected: &str| {
        let before = files(folder.path());
        let output = onefold(folder.path(), args).assert().code(2).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected) && message.lines().count() == 1, "{args:?}: {message}");
        assert_eq!(files(folder.path()), before, "{args:?} wrote something");
    };
    refuse(&["report", "shop.json"], "the page about a model needs rows; name a table");
    refuse(&["report", "shop.json", "shop.csv", "--view", "gains"], "--view is for campaigns");
    refuse(&["report", "shop.json", "shop.csv", "-o", "page.md"], "let the name end in .html");
    refuse(&["report", "shop.json", "shop.csv", "-o", "shop.csv"], "shop.csv");
    refuse(&["report", "shop.json", "none.csv"], "there is no such file");
    refuse(&["report", "shop.json", "iris"], "the model has");
    fs::create_dir(folder.path().join("store")).unwrap();
    refuse(&["report", "store", "--header", "yes"], "--header is for the data of a model");
    assert!(refused(&["report"]).contains("MODEL|STORE"));
}
