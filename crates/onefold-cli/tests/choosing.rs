//! Tables without `--hidden`: the size is chosen, shown and kept.

mod common;

use common::{failure, json, stdout, words};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use tempfile::TempDir;

/// A bump with noise, which needs two neurons.
fn bump(folder: &Path) {
    let mut text = "a,b,y\n".to_string();
    for i in 0..120_u32 {
        let (a, b) = (f64::from(i * 37 % 120) / 30.0 - 2.0, f64::from(i * 71 % 120) / 30.0 - 2.0);
        let noise = f64::from(i * 53 % 17) / 17.0 - 0.5;
        let y = 2.0 * ((a + 0.5 * b + 0.7).tanh() - (a + 0.5 * b - 0.7).tanh()) + 0.3 * noise;
        let _ = writeln!(text, "{a},{b},{y}");
    }
    fs::write(folder.join("bump.csv"), text).unwrap();
}

#[test]
fn the_size_is_chosen_and_the_table_shown() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    bump(folder);
    let text = stdout(folder, &words("fit bump.csv --seed 3 -o m.json"));
    for expected in [
        "parameters  decay ",
        "rmse  explained",
        "  constant ",
        "  linear ",
        "worse",
        "selected",
        "Selected by 5-fold cross-validation on 96 training rows, repeated ",
        "time      ",
        "network   2-2-1",
        "error with L2 penalty",
        "m.json",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let model: Value = serde_json::from_str(&fs::read_to_string(folder.join("m.json")).unwrap()).unwrap();
    assert_eq!(model["topology"], "2-2-1");
    // The choice is that of the seed, on any number of threads.
    let one = json(folder, &words("fit bump.csv --seed 3 --json --threads 1"));
    let two = json(folder, &words("fit bump.csv --seed 3 --json --threads 2"));
    assert_eq!((&one["topology"], &one["parameters"]), (&"2-2-1".into(), &9.into()));
    assert_eq!(one["test_mse"], model["metrics"]["test_mse"]);
    assert_eq!(one["choice"], two["choice"]);
    // With a size the decay is chosen, with both nothing.
    let sized = json(folder, &words("fit bump.csv --seed 3 --json --hidden 3"));
    assert_eq!((&sized["topology"], &sized["choice"]["topology"]), (&"2-3-1".into(), &"2-3-1".into()));
    let given =
        json(folder, &words("fit bump.csv --seed 3 --json --hidden 3 --decay 0 --max-evaluations 1e4"));
    assert_eq!((&given["choice"], &given["decay"]), (&Value::Null, &0.0.into()));
}

#[test]
fn a_target_folds_and_a_decay() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    bump(folder);
    let reached = json(folder, &words("fit bump.csv --seed 3 --json --target 0.02"));
    assert_eq!((&reached["topology"], &reached["reached"]), (&"2-2-1".into(), &true.into()));
    assert_eq!(reached["choice"]["reason"], "target");
    let text = stdout(folder, &words("fit bump.csv --seed 3 --folds 2 --decay 0.001 -o m.json"));
    assert!(text.contains("fold 2") && text.contains("rows by 2-2-1"), "{text}");
    assert!(text.contains("folds     2, error"), "{text}");
    let message = failure(folder, &words("fit bump.csv --decay -1"), 2);
    assert!(message.contains("--decay -1: must be"), "{message}");
}

/// Flags about the selection are refused where they would change nothing.
#[test]
fn flags_without_a_selection_are_refused() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    bump(folder);
    for (args, flag) in [
        ("fit iris --metric accuracy", "--metric: nothing is selected"),
        ("fit bump.csv --hidden 2 --decay 0 --metric mae", "--metric: nothing is selected"),
        ("fit bump.csv --target 0.1 --metric mae", "--metric: nothing is selected"),
        ("fit iris --prefer accuracy", "--prefer: no layers are selected"),
        ("fit bump.csv --hidden 2 --prefer accuracy", "--prefer: no layers are selected"),
        ("fit bump.csv --metric auc", "must be one of rmse, mae, r2 for a regression"),
    ] {
        let message = failure(folder, &words(args), 2);
        assert!(message.contains(flag), "{args}: {message}");
    }
}

/// The network was selected before the folds.
#[cfg(unix)]
#[test]
fn an_interrupt_in_the_folds_leaves_a_model() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    bump(folder);
    let args = "fit bump.csv --hidden 6-6 --decay 0 --method de --folds 3 --seed 1 -o m.json";
    let mut run = std::process::Command::new(common::binary())
        .current_dir(folder)
        .args(words(&format!("{args} --max-evaluations 1e12 --stagnation 1000000000")))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The folds follow this line.
    let lines = BufReader::new(run.stdout.take().unwrap()).lines();
    let mut lines = lines.map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("  until")));
    std::thread::sleep(std::time::Duration::from_millis(300));
    std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    let output = run.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{errors}");
    assert!(
        errors.contains("interrupted in fold 1 of 3: the network is trained without cross-validation"),
        "{errors}"
    );
    assert!(stdout(folder, &words("show m.json")).contains("2-6-6-1"));
}

/// Kills a run again and again, each time after some more steps of so many milliseconds, and resumes it until
/// it ends; its model must be that of a run that nothing disturbed.
fn kill_and_resume(folder: &Path, args: &str, step: u64) {
    let base = words(args);
    let args = |file| [&base[..], &["-o", file]].concat();
    stdout(folder, &args("whole.json"));
    let mut kills = 0;
    while !folder.join("part.json").exists() {
        let mut run = std::process::Command::new(common::binary())
            .current_dir(folder)
            .args(args("part.json"))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(step * (2 + kills)));
        let is_killed = run.try_wait().unwrap().is_none();
        if is_killed {
            run.kill().unwrap();
            kills += 1;
        }
        assert!(run.wait().unwrap().success() || is_killed, "the checkpoint cannot be resumed");
    }
    assert!(kills > 1, "{kills}");
    let read = |file: &str| fs::read(folder.join(file)).unwrap();
    assert!(read("part.json") == read("whole.json"), "after {kills} kills");
    assert!(!folder.join("c").exists());
}

#[test]
fn a_race_that_is_killed_is_resumed_to_the_same_bits() {
    let folder = TempDir::new().unwrap();
    bump(folder.path());
    let args = "fit bump.csv --seed 3 --checkpoint c --checkpoint-every 1ms --resume c";
    kill_and_resume(folder.path(), args, 170);
}

/// The output layer of classes is solved by logistic regression, also after a resumed race.
#[test]
fn a_race_of_classes_that_is_killed_is_resumed_to_the_same_bits() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    bump(folder);
    let text = fs::read_to_string(folder.join("bump.csv")).unwrap();
    let class = |line: &str| {
        let (inputs, y) = line.rsplit_once(',').unwrap();
        y.parse::<f64>().map_or(line.into(), |y| format!("{inputs},{}", if y > 1.0 { "in" } else { "out" }))
    };
    let lines: Vec<String> = text.lines().map(class).collect();
    fs::write(folder.join("classes.csv"), lines.join("\n")).unwrap();
    let args = "fit classes.csv --seed 3 --hidden 2 --checkpoint c --checkpoint-every 1ms --resume c";
    kill_and_resume(folder, args, 10);
    assert!(fs::read_to_string(folder.join("whole.json")).unwrap().contains("softmax"));
}

/// Ctrl-C in the race leaves the best network so far, and its checkpoint continues the race.
#[test]
#[cfg(unix)]
fn an_interrupted_race_leaves_a_model_and_can_be_resumed() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    bump(folder);
    let args = words("fit bump.csv --seed 3 --checkpoint c --resume c -o m.json");
    let run = std::process::Command::new(common::binary())
        .current_dir(folder)
        .args(&args)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(400));
    let signal = format!("kill -INT {}", run.id());
    std::process::Command::new("sh").args(["-c", &signal]).status().unwrap();
    let output = run.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("cut short by an interrupt"), "{text}");
    assert!(folder.join("m.json").exists() && folder.join("c").exists());
    stdout(folder, &words("predict m.json bump.csv"));
    stdout(folder, &args);
    let whole = words("fit bump.csv --seed 3 -o whole.json");
    stdout(folder, &whole);
    assert!(fs::read(folder.join("m.json")).unwrap() == fs::read(folder.join("whole.json")).unwrap());
}
