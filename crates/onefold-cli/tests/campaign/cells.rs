//! Which cells are run, and on what.

use crate::{onefold, records, reproduce, setting, stdout_of, table};
use std::fs;
use tempfile::TempDir;

#[test]
fn cells_whose_names_look_alike_are_different_cells() {
    let folder = TempDir::new().unwrap();
    let cell = |name: &str| {
        format!("[[cell]]\nname = \"{name}\"\ndata = \"iris\"\nhidden = \"3\"\nmethod = \"de\"\n")
    };
    let file = folder.path().join("c.toml");
    fs::write(&file, format!("name = \"c\"\nruns = 4\n{}{}", cell("a/b"), cell("a_b"))).unwrap();
    let store = folder.path().join("s");
    onefold(&[]).args(reproduce(&file, &store)).args(["--threads", "8"]).assert().success();
    assert_eq!(records(&store).len(), 8);
}

#[test]
fn cells_quick_and_runs_choose() {
    let (folder, file) = setting();
    let count = |name: &str, args: &[&str]| {
        let store = folder.path().join(name);
        onefold(&[]).args(reproduce(&file, &store)).args(args).assert().success();
        records(&store).len()
    };
    assert_eq!(count("a", &["--cells", "iris/*"]), 24);
    assert_eq!(count("b", &["--quick"]), 2);
    assert_eq!(count("c", &["--runs", "3", "--table", "classification"]), 6);
}

#[test]
fn tune_finds_a_population_and_writes_it_back() {
    let (folder, file) = setting();
    let tuned = folder.path().join("tuned.toml");
    let output = onefold(&["tune", "iris/4-3-3/de-sb", "--runs", "10", "--campaign", file.to_str().unwrap()])
        .args(["--store", folder.path().join("tune").to_str().unwrap(), "-o", tuned.to_str().unwrap()])
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("selected") && text.contains("with 95 % confidence"), "{text}");
    let store = folder.path().join("check");
    let table = table(&tuned, &store);
    assert!(table.contains("| iris/4-3-3/de-sb | 10 |"), "{table}");
    assert_eq!(records(&store).len(), 10);
}

#[test]
fn a_file_of_ones_own() {
    let folder = TempDir::new().unwrap();
    let data = stdout_of(&["datasets", "iris", "--csv"]);
    fs::write(folder.path().join("flowers.csv"), format!("sl,sw,pl,pw,species\n{data}")).unwrap();
    let text = "name = \"mine\"\nruns = 3\n[[cell]]\ndata = \"./flowers.csv\"\nhidden = \"3\"\nmethod = \"de-sb\"\ntarget = 0.02\n";
    let run = |text: &str| {
        fs::write(folder.path().join("mine.toml"), text).unwrap();
        let args = ["reproduce", "--campaign", "mine.toml", "--store", "s", "--json"];
        onefold(&args).current_dir(folder.path()).assert().get_output().clone()
    };
    let output = run(text);
    let table: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let cell = &table["cells"][0];
    assert_eq!((cell["cell"].as_str(), cell["reached"].as_u64()), (Some("flowers/4-3-3/de-sb"), Some(3)));
    assert!(cell["test"]["success"]["mean"].as_f64().unwrap() > 0.9, "{cell}");
    onefold(&["report", "s", "-o", "r.html"]).current_dir(folder.path()).assert().success();
    let refused = |text: &str| {
        let output = run(text);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(
        refused(&text.replace("target = 0.02\n", ""))
            .contains("mine.toml line 3: in this cell, a cell with a file needs target, the mean")
    );
    assert!(refused(&text.replace("flowers", "none")).contains("none.csv: No such file"));
    assert!(
        refused(&format!("{text}target_column = \"colour\"\n"))
            .contains("has the columns sl, sw, pl, pw, species")
    );
    // Other rows are other data: their records are not mixed.
    fs::write(
        folder.path().join("flowers.csv"),
        format!("sl,sw,pl,pw,species\n{data}\n5,3,1,0.2,Iris-setosa\n"),
    )
    .unwrap();
    assert!(refused(text).contains("was run with other settings"));
}
