//! Links inside stores are refused, and temporary files are created exclusively.
#![cfg(unix)]

use crate::common::{files, onefold, stdout, with_model, words};
use crate::overwriting::{CAMPAIGN, contents, with_everything};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(20);

/// Everything in a store that a command opens, and whether it is a folder.
const COMPONENTS: [(&str, bool); 8] = [
    ("campaign.toml", false),
    ("trials.jsonl", false),
    ("trials-2.jsonl", false),
    ("more.jsonl", false),
    (".locks", true),
    (".locks/trials.jsonl", false),
    (".checkpoints", true),
    (".checkpoints/prices_1-1-1_de-sb.0123456789abcdef.0.json", false),
];

/// A copy of a folder with files.
fn copy(folder: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for (path, bytes) in contents(folder) {
        let to = copy.path().join(path.strip_prefix(folder).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
    copy
}

/// Removes a file or folder, and makes room for something in its place.
fn clear(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
}

fn commands() -> [&'static str; 3] {
    [
        "reproduce --campaign mine.toml --store store",
        "tune prices/* --campaign mine.toml --store store --runs 1",
        "report store --campaign mine.toml",
    ]
}

#[test]
fn a_link_in_place_of_any_part_of_a_store_is_refused_and_not_followed() {
    let whole = with_everything();
    for (component, is_folder) in COMPONENTS {
        for is_there in [true, false] {
            let folder = copy(whole.path());
            let victim = folder.path().join("victim");
            match (is_there, is_folder) {
                (true, true) => fs::create_dir(&victim).unwrap(),
                (true, false) => fs::write(&victim, CAMPAIGN).unwrap(),
                (false, _) => {}
            }
            let path = folder.path().join("store").join(component);
            clear(&path);
            symlink(&victim, &path).unwrap();
            fs::write(folder.path().join("mine.toml"), CAMPAIGN.replace("runs = 2", "runs = 4")).unwrap();
            let before = contents(folder.path());
            for command in commands() {
                let assert = onefold(folder.path(), &words(command)).timeout(TIMEOUT).assert().code(2);
                let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
                let name = component.rsplit('/').next().unwrap();
                assert!(
                    message.contains("symbolic link") && message.contains(name),
                    "{component}: {message}"
                );
                assert_eq!(message.trim_end().lines().count(), 1, "{message}");
                assert_eq!(contents(folder.path()), before, "{command} with {component}");
                assert!(victim.exists() == is_there, "{command} with {component}");
            }
        }
    }
}

#[test]
fn a_pipe_in_place_of_any_file_of_a_store_is_refused_and_not_waited_for() {
    let whole = with_everything();
    for (component, _) in COMPONENTS.iter().filter(|(_, is_folder)| !is_folder) {
        let folder = copy(whole.path());
        let path = folder.path().join("store").join(component);
        clear(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        for command in commands() {
            let assert = onefold(folder.path(), &words(command)).timeout(TIMEOUT).assert().code(2);
            let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
            assert!(message.contains(component), "{component}: {message}");
        }
    }
}

#[test]
fn a_store_that_was_not_named_is_not_a_link() {
    for link in ["results", "results/mine"] {
        let folder = with_everything();
        fs::create_dir(folder.path().join("elsewhere")).unwrap();
        let path = folder.path().join(link);
        clear(&path);
        symlink(folder.path().join("elsewhere"), &path).unwrap();
        onefold(folder.path(), &words("reproduce --campaign mine.toml")).assert().code(2);
        assert!(files(&folder.path().join("elsewhere")).is_empty());
        // A link that was named is followed.
        onefold(folder.path(), &words("reproduce --campaign mine.toml --store results/mine"))
            .assert()
            .success();
        assert!(!files(&folder.path().join("elsewhere")).is_empty());
    }
}

#[test]
fn links_are_followed_where_they_were_named_and_figures_do_not_follow_them() {
    let folder = with_everything();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("real.csv"), "old").unwrap();
    symlink("real.csv", at("link.csv")).unwrap();
    stdout(folder.path(), &words("predict m.json prices.csv -o link.csv"));
    assert!(fs::symlink_metadata(at("link.csv")).unwrap().is_symlink());
    assert_ne!(fs::read(at("real.csv")).unwrap(), b"old");
    symlink("nowhere.csv", at("dangling.csv")).unwrap();
    onefold(folder.path(), &words("predict m.json prices.csv -o dangling.csv")).assert().code(2);
    assert!(!at("nowhere.csv").exists());
    stdout(folder.path(), &words("report store --figures figures"));
    let figures = files(&at("figures"));
    assert!(!figures.is_empty());
    for figure in figures {
        let path = at("figures").join(&figure);
        fs::remove_file(&path).unwrap();
        symlink(at("m.json"), &path).unwrap();
        let before = contents(folder.path());
        let assert = onefold(folder.path(), &words("report store --figures figures")).assert().failure();
        let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(message.contains("symbolic link"), "{message}");
        assert_eq!(contents(folder.path())[&at("m.json")], before[&at("m.json")]);
        fs::remove_file(&path).unwrap();
    }
}

/// A `predict` that has begun to write its output and waits for more rows.
fn waiting(folder: &Path, output: &str) -> Child {
    let before = temporary(folder);
    let mut command = Command::new(crate::common::binary());
    command.current_dir(folder).args(["predict", "m.json", "-", "-o", output]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let rows = fs::read(folder.join("prices.csv")).unwrap();
    child.stdin.as_mut().unwrap().write_all(&rows).unwrap();
    let start = Instant::now();
    let mut found: Vec<String> = Vec::new();
    // One that is still there after a while: before it, another one only shows that the folder can be
    // written.
    while found.is_empty() {
        assert!(start.elapsed() < TIMEOUT && child.try_wait().unwrap().is_none(), "no temporary file");
        found = temporary(folder).into_iter().filter(|name| !before.contains(name)).collect();
        std::thread::sleep(Duration::from_millis(50));
        found.retain(|name| folder.join(name).exists());
    }
    child
}

/// Files whose names only a temporary file has.
fn temporary(folder: &Path) -> Vec<String> {
    files(folder).into_iter().filter(|name| name.starts_with(".onefold-")).collect()
}

#[test]
fn temporary_files_of_killed_runs_are_removed_and_those_in_use_stay() {
    let folder = with_model();
    let mut writing = waiting(folder.path(), "a.csv");
    let in_use = temporary(folder.path());
    let mut names = Vec::new();
    for _ in 0..3 {
        let mut killed = waiting(folder.path(), "b.csv");
        names.extend(temporary(folder.path()).into_iter().filter(|name| !in_use.contains(name)));
        killed.kill().unwrap();
        killed.wait().unwrap();
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 3, "every run has another name: {names:?}");
    fs::write(folder.path().join(".onefold-notes"), "mine").unwrap();
    symlink("m.json", folder.path().join(".onefold-0123456789abcdef.tmp")).unwrap();
    stdout(folder.path(), &words("predict m.json prices.csv -o b.csv"));
    let mut expected = in_use.clone();
    expected.extend([".onefold-notes".into(), ".onefold-0123456789abcdef.tmp".into()]);
    expected.sort();
    assert_eq!(temporary(folder.path()), expected);
    // The run that was writing all the time ends well.
    drop(writing.stdin.take());
    assert!(writing.wait().unwrap().success());
    assert!(folder.path().join("a.csv").exists());
    assert!(in_use.iter().all(|name| !folder.path().join(name).exists()));
}

#[test]
fn temporary_files_in_a_store_are_removed_when_it_is_opened() {
    let folder = with_everything();
    let store = folder.path().join("store");
    fs::create_dir_all(store.join(".checkpoints")).unwrap();
    for place in ["", ".checkpoints"] {
        fs::write(store.join(place).join(".onefold-0123456789abcdef.tmp"), "part").unwrap();
    }
    stdout(folder.path(), &words("reproduce --campaign mine.toml --store store"));
    assert!(temporary(&store).is_empty() && temporary(&store.join(".checkpoints")).is_empty());
}
