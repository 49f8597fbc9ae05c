//! No command replaces a file that the user did not name as its output.

use crate::common::{onefold, prices, stdout, with_model, words};
use crate::random::Random;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Contents of all files in a folder; links are described, not followed.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            all.extend(contents(&path));
        } else if kind.is_file() {
            all.insert(path.clone(), fs::read(&path).unwrap());
        } else if let Ok(target) = fs::read_link(&path) {
            all.insert(path, target.into_os_string().into_encoded_bytes());
        }
    }
    all
}

/// Asserts that every file of before is there with the same contents.
pub(crate) fn assert_unchanged(before: &BTreeMap<PathBuf, Vec<u8>>, folder: &Path, what: &str) {
    let after = contents(folder);
    for (path, bytes) in before {
        assert!(after.get(path) == Some(bytes), "{what} changed {}", path.display());
    }
}

pub(crate) const CAMPAIGN: &str = "name = \"mine\"\nruns = 2\n[[cell]]\ndata = \"prices.csv\"\nignore_column = \"id\"\n\
    hidden = \"1\"\nmethod = \"de-sb\"\ntarget = 1e9\nmax_evaluations = 100\n";

/// A folder with a table, a model, a campaign, its store and a checkpoint.
pub(crate) fn with_everything() -> TempDir {
    let folder = with_model();
    let at = folder.path();
    fs::write(at.join("test.csv"), prices()).unwrap();
    fs::write(at.join("mine.toml"), CAMPAIGN).unwrap();
    onefold(at, &words("reproduce --campaign mine.toml --store store")).assert().success();
    let run = "fit prices.csv --target-column price --ignore-column id --hidden 2 --seed 1 --target 1e-300 --time 50ms";
    onefold(at, &words(&format!("{run} --method de-sb --checkpoint run.json -o other.json")))
        .assert()
        .success();
    assert!(at.join("run.json").exists());
    folder
}

/// Ways to name a file: its path, with detours, through links, with all folders.
fn spellings(folder: &Path, file: &str) -> Vec<String> {
    fs::create_dir_all(folder.join("detour")).unwrap();
    let plain = file.replace('/', "-");
    fs::hard_link(folder.join(file), folder.join(format!("hard-{plain}"))).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(file, folder.join(format!("link-{plain}"))).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(".", folder.join(format!("here-{plain}"))).unwrap();
    vec![
        file.into(),
        format!("./{file}"),
        format!("detour/../{file}"),
        format!("hard-{plain}"),
        format!("link-{plain}"),
        format!("here-{plain}/{file}"),
        folder.join(file).to_str().unwrap().into(),
    ]
}

#[test]
fn no_output_replaces_an_input_however_it_is_spelt() {
    let fit = "fit prices.csv --target-column price --id-column id --hidden 1 --max-generations 1 --seed 1";
    let commands: [(String, &[&str]); 8] = [
        (format!("{fit} --test test.csv -o"), &["prices.csv", "test.csv"]),
        (format!("{fit} --test test.csv -o new.json --checkpoint"), &["prices.csv", "test.csv", "m.json"]),
        (format!("{fit} --resume run.json -o"), &["run.json", "prices.csv"]),
        ("predict m.json prices.csv -o".into(), &["m.json", "prices.csv"]),
        ("export m.json --format c -o".into(), &["m.json"]),
        ("report store --format csv -o".into(), &["store/trials.jsonl", "store/campaign.toml", "prices.csv"]),
        ("report store --campaign mine.toml --format csv -o".into(), &["mine.toml"]),
        ("tune prices/* --campaign mine.toml --store store --runs 1 -o".into(), &["mine.toml", "prices.csv"]),
    ];
    let folder = with_everything();
    for (command, inputs) in &commands {
        for input in *inputs {
            for output in spellings(folder.path(), input) {
                let before = contents(folder.path());
                let mut args = words(command);
                args.push(&output);
                onefold(folder.path(), &args).timeout(std::time::Duration::from_secs(20)).assert().code(2);
                assert_unchanged(&before, folder.path(), &format!("{command} {output}"));
            }
            for prefix in ["hard", "link", "here"] {
                let _ = fs::remove_file(folder.path().join(format!("{prefix}-{}", input.replace('/', "-"))));
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn what_the_shell_gives_as_standard_input_or_output_is_not_replaced() {
    let folder = with_everything();
    let run = |args: &str, input: Option<&str>, output: Option<&str>| {
        let before = contents(folder.path());
        let mut command = Command::new(crate::common::binary());
        command.current_dir(folder.path()).args(words(args)).stdin(Stdio::null()).stderr(Stdio::null());
        if let Some(name) = input {
            command.stdin(File::open(folder.path().join(name)).unwrap());
        }
        command.stdout(Stdio::null());
        if let Some(name) = output {
            command.stdout(OpenOptions::new().append(true).open(folder.path().join(name)).unwrap());
        }
        assert_eq!(command.status().unwrap().code(), Some(2), "{args}");
        assert_unchanged(&before, folder.path(), args);
    };
    run("predict m.json - -o prices.csv", Some("prices.csv"), None);
    run("fit - --hidden 1 --max-generations 1 -o prices.csv", Some("prices.csv"), None);
    run("fit test.csv --ignore-column id --test - --hidden 1 -o prices.csv", Some("prices.csv"), None);
    run("predict m.json prices.csv", None, Some("prices.csv"));
    run("predict m.json prices.csv", None, Some("m.json"));
    run("evaluate m.json prices.csv", None, Some("prices.csv"));
    run("show m.json", None, Some("m.json"));
    run("export m.json --format c", None, Some("m.json"));
    run("report store", None, Some("store/trials.jsonl"));
    run("reproduce --campaign mine.toml --store store", None, Some("mine.toml"));
    run("fit prices.csv --ignore-column id --hidden 1 --max-generations 1", None, Some("prices.csv"));
}

#[test]
fn runs_that_end_at_the_same_time_with_the_same_default_name_keep_all_models() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("prices.csv"), prices()).unwrap();
    let first = folder.path().join("prices-4-1-1-de-sb-7.json");
    fs::write(&first, "mine").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere.json", folder.path().join("prices-4-1-1-de-sb-7-2.json")).unwrap();
    let before = contents(folder.path());
    let args = "fit prices.csv --target-column price --ignore-column id --hidden 1 --method de-sb --seed 7 --max-evaluations 100";
    let start = || {
        let mut command = Command::new(crate::common::binary());
        command.current_dir(folder.path()).args(words(args)).stdout(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(|_| start()).collect();
    let mut names: Vec<String> = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        names.push(text.lines().find_map(|line| line.strip_prefix("  model     ")).unwrap().to_string());
    }
    names.sort();
    let said = names.clone();
    names.dedup();
    assert_eq!(names, said, "two runs say that they wrote the same file");
    assert!(names.iter().all(|name| folder.path().join(name).is_file()));
    assert_unchanged(&before, folder.path(), "fit");
}

#[cfg(unix)]
#[test]
fn a_named_output_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = with_everything();
    let fit =
        "fit prices.csv --target-column price --ignore-column id --hidden 1 --max-generations 1 --seed 1";
    for (command, mode) in [
        (format!("{fit} -o"), 0o600),
        (format!("{fit} -o"), 0o640),
        ("predict m.json prices.csv -o".into(), 0o600),
        ("export m.json --format python -o".into(), 0o755),
        ("report store --format latex -o".into(), 0o660),
        ("report store --format html -o".into(), 0o600),
    ] {
        let path = folder.path().join("out");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let mut args = words(&command);
        args.push("out");
        onefold(folder.path(), &args).assert().success();
        let found = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(format!("{found:o}"), format!("{mode:o}"), "{command}");
        assert_ne!(fs::read(&path).unwrap(), b"old", "{command} replaces what it was told to");
    }
}

#[test]
fn records_of_somebody_else_are_not_touched() {
    let folder = with_everything();
    let record = fs::read_to_string(folder.path().join("store/trials.jsonl")).unwrap();
    let record = record.lines().next().unwrap().to_string();
    let foreign = [
        "a diary".to_string(),
        "{\"event\": 1}".into(),
        "{\"event\": 1}\n{\"event\": 2".into(),
        "first line\nsecond line".into(),
        format!("{record}\n{{\"event\": 2"),
        format!("{record}\nnot a record\n{{\"form"),
        "[1, 2, 3]\n".into(),
        "\u{feff}{\"format\":".into(),
        "\n\n# notes".into(),
    ];
    for (number, text) in foreign.iter().enumerate() {
        let store = folder.path().join(format!("theirs-{number}"));
        fs::create_dir(&store).unwrap();
        let name = ["trials.jsonl", "trials-2.jsonl", "log.jsonl"][number % 2 * 2];
        fs::write(store.join(name), text).unwrap();
        let before = contents(&store);
        for command in
            ["reproduce --campaign mine.toml --store", "tune prices/* --campaign mine.toml --runs 1 --store"]
        {
            let mut args = words(command);
            args.push(store.to_str().unwrap());
            onefold(folder.path(), &args).assert().code(2);
            assert_eq!(contents(&store), before, "{command} with {text:?}");
            assert!(!store.join(".locks").exists(), "{command} with {text:?}");
        }
    }
    // A campaign that nobody ran here.
    let theirs = folder.path().join("notes");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("campaign.toml"), CAMPAIGN.replace("runs = 2", "runs = 3")).unwrap();
    let before = contents(&theirs);
    onefold(folder.path(), &words("reproduce --campaign mine.toml --store notes")).assert().code(2);
    assert_eq!(contents(&theirs), before);
}

#[test]
fn what_is_cut_from_records_is_kept_beside_them() {
    let folder = with_everything();
    let path = folder.path().join("store/trials.jsonl");
    let whole = fs::read(&path).unwrap();
    let end_of_first = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
    let mut random = Random::new(16);
    for turn in 1..=6 {
        let cut = end_of_first + 1 + random.below(whole.len() - end_of_first - 3);
        fs::write(&path, &whole[..cut]).unwrap();
        stdout(folder.path(), &words("reproduce --campaign mine.toml --store store"));
        let kept = fs::read(folder.path().join(format!("store/trials.jsonl.cut-{turn}"))).unwrap();
        assert_eq!(kept, &whole[end_of_first..cut]);
        assert!(fs::read(&path).unwrap().starts_with(&whole[..end_of_first]));
    }
}

#[cfg(unix)]
#[test]
fn a_file_with_another_name_elsewhere_does_not_change_there() {
    let folder = with_everything();
    fs::hard_link(folder.path().join("store/trials.jsonl"), folder.path().join("backup.jsonl")).unwrap();
    fs::hard_link(folder.path().join("store/campaign.toml"), folder.path().join("backup.toml")).unwrap();
    let more = CAMPAIGN.replace("runs = 2", "runs = 4");
    fs::write(folder.path().join("mine.toml"), more).unwrap();
    let before = contents(folder.path());
    stdout(folder.path(), &words("reproduce --campaign mine.toml --store store"));
    let after = contents(folder.path());
    for name in ["backup.jsonl", "backup.toml"] {
        let path = folder.path().join(name);
        assert!(before[&path] == after[&path], "{name}");
    }
}
