//! A run that is cut off, in whatever way, ends in the same model file.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;

fn onefold(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("onefold").unwrap();
    command.current_dir(folder).args(args);
    command
}

fn refused(folder: &Path, args: &[&str]) -> String {
    let output = onefold(folder, args).assert().code(2).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    message.trim_end().trim_start_matches("error: ").to_string()
}

/// A random number from the system, since the moments of a kill should differ from run to run.
fn random(below: u64) -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(2) % below
}

/// Kills a run at random moments until it ends by itself; how often that was.
fn run_and_kill(folder: &Path, base: &[&str], longest: u64) -> usize {
    for kills in 0.. {
        let mut args = base.to_vec();
        args.extend(["--checkpoint", "c", "--checkpoint-every", "1ms", "-o", "killed.json"]);
        if folder.join("c").exists() {
            args.extend(["--resume", "c"]);
        }
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("onefold"))
            .current_dir(folder)
            .args(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(5 + random(longest)));
        if child.try_wait().unwrap().is_some_and(|status| status.success()) {
            return kills;
        }
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            return kills;
        }
    }
    0
}

#[test]
fn fifty_kills_and_more_change_no_bit_of_the_model() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut kills = 0;
    let runs: [&[&str]; 7] = [
        &["fit", "sinc", "--hidden", "6", "--method", "de-sb", "--seed", "3"],
        &["fit", "two-spirals", "--target", "0", "--max-evaluations", "2e4", "--seed", "6"],
        &["fit", "sinc2d", "--method", "hybrid", "--target", "0", "--max-evaluations", "1e5", "--seed", "7"],
        &["fit", "iris", "--method", "de", "--seed", "1", "--target", "0.0085", "--max-evaluations", "6e4"],
        &["fit", "sinc2d", "--method", "de", "--seed", "2", "--threads", "2"],
        &["fit", "incsinc", "--hidden", "6", "--method", "cma-es", "--seed", "4"],
        &[
            "fit",
            "syn5",
            "--method",
            "cma-es-bipop",
            "--target",
            "0",
            "--max-evaluations",
            "6e4",
            "--seed",
            "5",
        ],
    ];
    for run in runs {
        let _ = fs::remove_file(folder.join("whole.json"));
        onefold(folder, run).args(["-o", "whole.json"]).assert().success();
        // Until there are ten for each, at least one time.
        let wanted = kills + 10;
        while kills < wanted {
            let _ = fs::remove_file(folder.join("killed.json"));
            kills += run_and_kill(folder, run, 60);
            let (whole, killed) = (folder.join("whole.json"), folder.join("killed.json"));
            assert!(fs::read(whole).unwrap() == fs::read(killed).unwrap(), "{run:?}");
            assert!(!folder.join("c").exists(), "a run that has ended leaves no checkpoint");
        }
    }
    assert!(kills >= 50);
}

#[test]
fn a_checkpoint_is_never_lost_or_continued_wrongly() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let of = |method| {
        ["fit", "sinc", "--seed", "3", "--target", "1e-9", "--max-generations", "400", "--method", method]
    };
    let base = of("de-sb");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .current_dir(folder)
        .args(base)
        .args(["--checkpoint", "c", "--checkpoint-every", "0s", "-o", "m.json"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.join("c").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first checkpoint");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let with = |more: &[&str]| refused(folder, &[&base[..], more].concat());
    assert_eq!(
        with(&["--checkpoint", "c"]),
        "--checkpoint c: this file is the checkpoint of a run; continue it with --resume c, or remove it"
    );
    assert_eq!(
        with(&["--resume", "c", "--population", "100"]),
        "--resume c: this checkpoint cannot be resumed: it has method.de-sb.population 160, and this run 100"
    );
    let other_data = refused(folder, &["fit", "sinc", "--method", "de-sb", "--seed", "3", "--resume", "c"]);
    assert!(other_data.contains("it has stop."), "{other_data}");
    assert!(with(&["--resume", "c", "--data-seed", "2"]).contains("the rows of sinc have changed"));
    assert!(
        refused(folder, &["fit", "iris", "--resume", "c"])
            .contains("it has the data sinc, and this run iris")
    );
    assert!(with(&["--resume", "none"]).starts_with("--resume none: there is no such file"));
    fs::write(folder.join("bad"), "{}").unwrap();
    assert!(with(&["--resume", "bad"]).starts_with("--resume bad: this is not a checkpoint"));
    let text = fs::read_to_string(folder.join("c")).unwrap();
    fs::write(folder.join("bad"), &text[..text.len() / 2]).unwrap();
    assert!(with(&["--resume", "bad"]).contains("the checkpoint is damaged"));
    assert!(with(&["--checkpoint", "x", "-o", "x"]).contains("the model is written to this file"));
    assert!(with(&["--resume", "c", "-o", "c"]).contains("the same file"));
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    assert!(with(&["--checkpoint", "notes.txt"]).contains("exists and is not a checkpoint"));
    let message = refused(folder, &[&of("cma-es")[..], &["--resume", "c"]].concat());
    assert!(message.ends_with("it has the method de-sb, and this run cma-es"), "{message}");
    // The seed comes with the checkpoint; more time is no other setting.
    let args = [
        &["fit", "sinc", "--target", "1e-9", "--max-generations", "400"][..],
        &["--method", "de-sb", "--time", "1min", "--resume", "c"],
    ]
    .concat();
    onefold(folder, &args).args(["-o", "resumed.json"]).assert().success();
    onefold(folder, &base).args(["--time", "1min", "-o", "whole.json"]).assert().success();
    assert!(fs::read(folder.join("resumed.json")).unwrap() == fs::read(folder.join("whole.json")).unwrap());
}

#[test]
fn a_run_whose_time_is_over_goes_on_later() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let base =
        ["fit", "iris", "--method", "de-sb", "--seed", "3", "--target", "1e-9", "--max-generations", "3000"];
    let limited = ["--time", "20ms", "--checkpoint", "c"];
    onefold(folder, &[&base[..], &limited, &["-o", "part.json"]].concat()).assert().success();
    let mut parts = 0;
    while folder.join("c").exists() {
        parts += 1;
        let args = [&base[..], &limited, &["--resume", "c", "-o", "part.json"]].concat();
        onefold(folder, &args).assert().success();
    }
    assert!(parts > 0);
    onefold(folder, &base).args(["--time", "20ms", "-o", "whole.json"]).assert().success();
    let read = |file: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(folder.join(file)).unwrap()).unwrap()
    };
    assert_eq!(read("part.json")["origin"]["stop"], "generations");
    assert!(
        read("part.json")["origin"]["evaluations"].as_u64()
            > read("whole.json")["origin"]["evaluations"].as_u64()
    );
}
