//! What `onefold fit` reports and writes.

use crate::common::{files, json, onefold, stdout, words};
use crate::refused;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

#[test]
fn fit_reports_and_leaves_a_model() {
    let folder = TempDir::new().unwrap();
    let text = stdout(folder.path(), &["fit", "iris", "--seed", "0"]);
    for expected in [
        "4-3-3",
        "local descents with successive halving",
        "seed 0",
        "reached 0.011 after",
        " derivatives, equivalent to ",
        " ms\n",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(text.contains("continued to ") && text.contains(" more evaluations in "), "{text}");
    assert!(text.contains("verified  error ") && text.contains(" when the target was reached"), "{text}");
    assert_eq!(files(folder.path()), ["iris-4-3-3-auto-0.json"]);
    let shown = stdout(folder.path(), &["show", "iris-4-3-3-auto-0.json", "--weights"]);
    assert!(shown.contains("24 parameters") && shown.contains("output Iris-virginica  weights"), "{shown}");
    assert!(shown.contains("method    auto") && shown.contains(" derivatives\n"), "{shown}");
    let shown = json(folder.path(), &["show", "iris-4-3-3-auto-0.json", "--json"]);
    assert_eq!(shown["origin"]["settings"]["method"]["auto"]["seed"], 0);
    // The paper's method has neither slopes nor optima to tell of.
    let text = stdout(folder.path(), &["fit", "iris", "--method", "de-sb", "--seed", "0"]);
    assert!(text.contains(" per second)") && text.contains("relative difference to the search"), "{text}");
    assert!(
        !text.contains("derivatives") && !text.contains("optima") && !text.contains("continued"),
        "{text}"
    );
    let shown = stdout(folder.path(), &["show", "iris-4-3-3-de-sb-0.json"]);
    assert!(shown.contains("method    de-sb, population 40") && !shown.contains("derivatives"), "{shown}");
}

#[test]
fn fit_json_has_the_promised_keys() {
    let folder = TempDir::new().unwrap();
    let result = json(folder.path(), &["fit", "iris", "--seed", "3", "--json"]);
    for key in [
        "data",
        "topology",
        "method",
        "population",
        "seed",
        "reached",
        "evaluations",
        "slopes",
        "evaluation_equivalents",
        "optima",
        "seconds",
        "evaluations_per_second",
        "cost",
        "verified_cost",
        "train_mse",
        "test_mse",
        "test_accuracy",
    ] {
        assert!(!result[key].is_null(), "{key} in {result}");
    }
    assert_eq!((result["topology"].as_str(), result["method"].as_str()), (Some("4-3-3"), Some("auto")));
    assert_eq!((result["population"].as_u64(), result["reached"].as_bool()), (Some(5), Some(true)));
    let (evaluations, slopes) = (result["evaluations"].as_f64().unwrap(), result["slopes"].as_f64().unwrap());
    assert!(slopes > 0.0 && slopes <= evaluations, "{result}");
    assert!(result["evaluation_equivalents"].as_f64().unwrap() > evaluations + slopes, "{result}");
    let by_de = json(folder.path(), &["fit", "iris", "--method", "de-sb", "--seed", "3", "--json"]);
    assert_eq!((by_de["population"].as_u64(), by_de["reached"].as_bool()), (Some(40), Some(true)));
    assert_eq!((by_de["slopes"].as_u64(), &by_de["optima"]), (Some(0), &serde_json::json!([])));
    assert_eq!(by_de["evaluation_equivalents"].as_f64(), by_de["evaluations"].as_f64());
    assert!(files(folder.path()).is_empty(), "--json writes no file unless asked");
    let regression = json(folder.path(), &["fit", "syn5", "--seed", "3", "--json", "-o", "m.json"]);
    assert!(regression["test_accuracy"].is_null() && regression["test_mse"].is_number());
    assert_eq!(files(folder.path()), ["m.json"]);
}

#[test]
fn the_same_seed_gives_the_same_file_with_any_number_of_threads() {
    let folder = TempDir::new().unwrap();
    let read = |file: &str| {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        text.lines().filter(|line| !line.contains("\"threads\"")).collect::<Vec<_>>().join("\n")
    };
    for method in ["auto", "de-sb", "cma-es-sb"] {
        for (threads, file) in [("1", "a.json"), ("2", "b.json"), ("0", "c.json")] {
            let args = ["fit", "syn5", "--method", method, "--seed", "0", "--threads", threads, "-o", file];
            stdout(folder.path(), &args);
        }
        assert_eq!(read("a.json"), read("b.json"), "{method}");
        assert_eq!(read("a.json"), read("c.json"), "{method}");
    }
}

#[test]
fn without_a_seed_one_is_drawn_and_printed() {
    let folder = TempDir::new().unwrap();
    let seeds: Vec<u64> = (0..3)
        .map(|_| {
            let result = json(folder.path(), &["fit", "iris", "--max-generations", "2", "--json"]);
            result["seed"].as_u64().unwrap()
        })
        .collect();
    assert!(seeds[0] != seeds[1] || seeds[1] != seeds[2], "{seeds:?}");
}

#[test]
fn not_reaching_the_target_is_an_outcome() {
    let folder = TempDir::new().unwrap();
    let text = stdout(folder.path(), &words("fit sinc --method de-sb --seed 1 --max-evaluations 1000"));
    assert!(
        text.contains("did not reach 5e-5 after 960 evaluations") && text.contains("--max-evaluations"),
        "{text}"
    );
    assert_eq!(files(folder.path()).len(), 1);
    // Slopes count as the evaluations that take as long.
    let text = "fit sinc --target 0 --seed 1 --max-evaluations 1000 --json";
    let result = json(folder.path(), &words(text));
    assert_eq!((result["reached"].as_bool(), result["stop"].as_str()), (Some(false), Some("evaluations")));
    let worth = result["evaluation_equivalents"].as_f64().unwrap();
    assert!(worth > result["evaluations"].as_f64().unwrap() && worth < 1100.0, "{result}");
}

#[test]
fn unwritable_outputs_are_found_before_the_run() {
    assert!(
        refused(&["fit", "sinc", "-o", "no/such/folder/m.json"])
            .starts_with("--output no/such/folder/m.json: its folder does not exist")
    );
    assert_eq!(refused(&["fit", "sinc", "-o", "."]), "--output .: this is a directory; name a file");
}

#[test]
fn files_are_never_lost() {
    let folder = TempDir::new().unwrap();
    let run = |more: &[&str]| stdout(folder.path(), &[&["fit", "iris", "--seed", "0"], more].concat());
    run(&[]);
    assert!(run(&["--split", "2/1"]).contains("iris-4-3-3-auto-0-2.json"));
    assert_eq!(files(folder.path()), ["iris-4-3-3-auto-0-2.json", "iris-4-3-3-auto-0.json"]);
    let model = fs::read_to_string(folder.path().join("iris-4-3-3-auto-0-2.json")).unwrap();
    let model: Value = serde_json::from_str(&model).unwrap();
    assert_eq!(model["origin"]["data_settings"]["split"]["train"], 2);
    #[cfg(unix)]
    {
        fs::write(folder.path().join("target.json"), "old").unwrap();
        std::os::unix::fs::symlink("target.json", folder.path().join("link.json")).unwrap();
        run(&["-o", "link.json"]);
        assert!(fs::symlink_metadata(folder.path().join("link.json")).unwrap().is_symlink());
        assert!(fs::read_to_string(folder.path().join("target.json")).unwrap().contains("onefold-model"));
        run(&["-o", "/dev/null"]);
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
    let locked = folder.path().join("iris-4-3-3-auto-0.json");
    let mut permissions = fs::metadata(&locked).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&locked, permissions).unwrap();
    let args = ["fit", "iris", "-o", "iris-4-3-3-auto-0.json"];
    let output = onefold(folder.path(), &args).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8(output).unwrap().contains("read-only"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_with_the_best_so_far() {
    use std::process::{Command, Stdio};
    let folder = TempDir::new().unwrap();
    // A target that cannot be reached and no budget: only the interrupt ends it.
    let child = Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .args([
            "fit",
            "sinc",
            "--method",
            "de-sb",
            "--seed",
            "1",
            "--target",
            "0",
            "--max-evaluations",
            "1e15",
            "--spread",
            "0",
            "-o",
            "m.json",
        ])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("did not reach 0") && text.contains("interrupted"), "{text}");
    assert_eq!(files(folder.path()), ["m.json"]);
    assert!(stdout(folder.path(), &["show", "m.json"]).contains("not reached"));
}
