//! What goes wrong is said at once, and nothing that was trained is lost.

use crate::common::{binary, failure, files, onefold, stdout, with_model, words};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const ENDLESS: &str = "fit sinc --method de-sb --target 0 --spread 0 --max-evaluations 1e15 --seed 1";

fn start(folder: &Path, args: &str) -> Child {
    let mut command = Command::new(binary());
    command.current_dir(folder).args(args.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
}

fn shell(folder: &Path, script: &str) -> Output {
    let script = script.replace("onefold ", &format!("{} ", binary().display()));
    Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap()
}

#[test]
fn a_checkpoint_that_cannot_be_written_warns_while_the_run_goes_on() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("d")).unwrap();
    let mut child = start(path, &format!("{ENDLESS} --checkpoint d/c --checkpoint-every 30ms -o m.json"));
    while !path.join("d/c").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    fs::remove_dir_all(path.join("d")).unwrap();
    // Whoever is not told in time is told after the signal, and the run has ended.
    let id = child.id().to_string();
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(3));
        let _ = Command::new("kill").args(["-INT", &id]).status();
    });
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    let is_running = child.try_wait().unwrap().is_none() && !path.join("m.json").exists();
    interrupt(&child);
    child.wait().unwrap();
    late.join().unwrap();
    assert!(line.starts_with("warning: the checkpoint cannot be written: d/c: "), "{line}");
    assert!(is_running, "told only at the end");
}

#[test]
fn a_model_whose_folder_is_gone_or_full_is_kept_elsewhere_or_printed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("d")).unwrap();
    let mut child = start(path, &format!("{ENDLESS} -o d/m.json"));
    std::thread::sleep(Duration::from_millis(300));
    fs::remove_dir(path.join("d")).unwrap();
    interrupt(&child);
    let mut text = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{text}");
    let kept = text
        .trim_end()
        .rsplit_once("the model was kept in ")
        .unwrap_or_else(|| panic!("{text}"))
        .1
        .to_string();
    assert!(stdout(path, &["show", &kept]).contains("sinc"));
    fs::remove_file(kept).unwrap();
    // No file may grow: not here, not in the system's folder for temporary files.
    let before = files(path);
    for (seed, more) in [(1, ""), (2, "--json")] {
        let output = shell(path, &format!("ulimit -f 0; onefold fit iris --seed {seed} {more} -o full.json"));
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("full.json: ") && errors.contains("printed"), "{errors}");
        let start = text.find("{\n").unwrap();
        let printed: Value = serde_json::from_str(&text[start..]).unwrap();
        let model = if more.is_empty() { &printed } else { &printed["model"] };
        assert_eq!(model["format"], "onefold-model", "{text}");
        assert_eq!(files(path), before);
    }
}

#[test]
fn no_command_leaves_a_damaged_or_temporary_file_on_a_full_disk() {
    let folder = with_model();
    let path = folder.path();
    for (file, args) in [
        ("answers.csv", "predict m.json prices.csv -o answers.csv"),
        ("m.py", "export m.json -o m.py"),
        ("c.json", "fit iris --seed 1 --checkpoint k -o c.json"),
    ] {
        fs::write(path.join(file), "old").unwrap();
        let before = files(path);
        let output = shell(path, &format!("ulimit -f 0; onefold {args}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args}: {errors}");
        assert!(errors.contains("error: ") && !errors.contains("panicked"), "{args}: {errors}");
        assert_eq!(fs::read_to_string(path.join(file)).unwrap(), "old", "{args}");
        assert_eq!(files(path), before, "{args}");
    }
    for args in [
        "show m.json",
        "predict m.json prices.csv",
        "datasets",
        "fit iris --seed 1 --json",
        "evaluate m.json prices.csv",
    ] {
        let output = shell(path, &format!("onefold {args} > /dev/full"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args}: {errors}");
        assert!(errors.contains("standard output: "), "{args}: {errors}");
        // Nobody is left to tell.
        assert_eq!(
            shell(path, &format!("onefold {args} > /dev/null 2> /dev/full")).status.code(),
            Some(0),
            "{args}"
        );
        let quiet = shell(path, &format!("onefold {args} | head -c 1"));
        assert!(quiet.stderr.is_empty() && quiet.status.success(), "{args}");
    }
}

/// What was trained is not lost, whatever becomes of the report.
#[test]
fn a_model_is_saved_where_nothing_can_be_printed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let rows = (0..60).fold("x,y\n".to_owned(), |rows, i| format!("{rows}{i},{}\n", i * i % 17));
    fs::write(path.join("t.csv"), rows).unwrap();
    for args in
        ["fit t.csv --hidden 2 --seed 1", "fit t.csv --time 1s --seed 1", "fit t.csv --hidden 1 --folds 3"]
    {
        let output = shell(path, &format!("onefold {args} -o m.json > /dev/full"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args}: {errors}");
        assert!(errors.contains("standard output: No space left"), "{args}: {errors}");
        assert!(shell(path, "onefold show m.json").status.success(), "{args}");
        fs::remove_file(path.join("m.json")).unwrap();
    }
}

#[test]
fn resuming_where_nothing_was_saved_starts_anew_only_with_the_same_checkpoint() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let base = words("fit sinc --seed 1 --method de-sb -o m.json --resume c");
    let message = failure(path, &base, 2);
    assert!(message.contains("--resume c: ") && message.contains("--checkpoint c"), "{message}");
    failure(path, &[&base[..], &["--checkpoint", "d"]].concat(), 2);
    let output = onefold(path, &[&base[..], &["--checkpoint", "./c"]].concat())
        .assert()
        .success()
        .get_output()
        .clone();
    let note = String::from_utf8(output.stderr).unwrap();
    assert!(note.contains("--resume c: nothing was saved yet; the run starts anew"), "{note}");
    stdout(path, &words("fit sinc --seed 1 --method de-sb -o whole.json"));
    assert!(fs::read(path.join("m.json")).unwrap() == fs::read(path.join("whole.json")).unwrap());
}

#[test]
fn an_interrupted_selection_keeps_the_best_network_so_far() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let mut text = "a,b,c,price\n".to_string();
    for i in 0..4000_u32 {
        let [a, b, c] =
            [7919, 104_729, 1_299_709].map(|step| f64::from(i.wrapping_mul(step) % 10_007) / 10_007.0);
        let _ = writeln!(text, "{a},{b},{c},{}", (9.0 * a * b).sin() + (7.0 * c - b).cos() * a);
    }
    fs::write(path.join("prices.csv"), text).unwrap();
    let base = "fit prices.csv --target-column price --seed 1 -o m.json";
    for (delay, more) in [(300, ""), (900, ""), (0, "--time 400ms")] {
        let child = start(path, &format!("{base} {more}"));
        if more.is_empty() {
            std::thread::sleep(Duration::from_millis(delay));
            interrupt(&child);
        }
        let output = child.wait_with_output().unwrap();
        let (report, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(if more.is_empty() { 130 } else { 0 }), "{report}{errors}");
        let what = if more.is_empty() { "by an interrupt" } else { "by its part of --time" };
        assert!(report.contains(what), "{report}");
        assert!(stdout(path, &["show", "m.json"]).contains("price"));
        fs::remove_file(path.join("m.json")).unwrap();
    }
}
