//! Whatever happens to the process or the store, no trial is lost or doubled.

use crate::{SMALL, records, setting, start, table};
use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

/// A random number from the system, since the moments of a kill should differ from run to run.
fn random(below: u64) -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(1) % below
}

#[test]
fn killed_twenty_times_it_ends_in_the_same_records() {
    let (folder, file) = setting();
    let (whole, torn) = (folder.path().join("whole"), folder.path().join("torn"));
    let expected = table(&file, &whole);
    assert!(expected.contains("| iris/4-3-3/de-sb | 12 |"), "{expected}");
    for _ in 0..20 {
        let mut child = start(&file, &torn, &["--checkpoint-every", "1ms"]);
        std::thread::sleep(Duration::from_millis(random(60)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(table(&file, &torn), expected);
    assert_eq!(records(&torn), records(&whole));
    assert_eq!(records(&whole).len(), 36);
}

#[test]
fn a_trial_that_was_cut_off_goes_on_from_its_checkpoint() {
    let (folder, _) = setting();
    let file = folder.path().join("long.toml");
    let text = "name = \"long\"\nruns = 1\n[[cell]]\ndata = \"iris\"\nhidden = \"3\"\nmethod = \"de-sb\"\ntarget = 1e-12\nmax_evaluations = 6e5\n";
    fs::write(&file, text).unwrap();
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    table(&file, &whole);
    let mut child = start(&file, &cut, &["--checkpoint-every", "0s"]);
    let kept = cut.join(".checkpoints");
    let find = || {
        let mut files = fs::read_dir(&kept).ok()?.map(|entry| entry.unwrap().path());
        files.find(|path| path.extension().is_some_and(|e| e == "json"))
    };
    while find().is_none() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without a checkpoint");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // A mark in the checkpoint shows in the record only if the trial goes on from there.
    let path = find().unwrap();
    let mut checkpoint: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    checkpoint["trace"][0][1] = 123.0.into();
    fs::write(&path, checkpoint.to_string()).unwrap();
    table(&file, &cut);
    let read = |store: &Path| -> serde_json::Value { serde_json::from_str(&records(store)[0]).unwrap() };
    let (whole, mut resumed) = (read(&whole), read(&cut));
    assert_eq!(resumed["trace"][0][1], 123.0);
    resumed["trace"][0][1] = whole["trace"][0][1].clone();
    assert_eq!(resumed, whole);
    assert!(!path.exists(), "a finished trial leaves no checkpoint");
}

#[test]
fn two_processes_share_a_store() {
    let (folder, file) = setting();
    let (alone, shared) = (folder.path().join("alone"), folder.path().join("shared"));
    let expected = table(&file, &alone);
    let mut children: Vec<Child> = (0..3).map(|_| start(&file, &shared, &[])).collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    // Nothing is left to do.
    let before = records(&shared);
    assert_eq!(before, records(&alone));
    assert_eq!(table(&file, &shared), expected);
    assert_eq!(before, records(&shared));
}

#[test]
fn shards_and_joined_stores_make_the_whole() {
    let (folder, file) = setting();
    let whole = folder.path().join("whole");
    let expected = table(&file, &whole);
    let joined = folder.path().join("joined");
    fs::create_dir(&joined).unwrap();
    let mut text = String::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let part = folder.path().join(shard.replace('/', "of"));
        assert!(start(&file, &part, &["--shard", shard]).wait().unwrap().success());
        assert_eq!(records(&part).len(), 12);
        text += &fs::read_to_string(part.join("trials.jsonl")).unwrap();
    }
    // The same trial twice does no harm.
    text += fs::read_to_string(whole.join("trials.jsonl")).unwrap().lines().next().unwrap();
    fs::write(joined.join("all.jsonl"), text).unwrap();
    assert_eq!(table(&file, &joined), expected);
}

#[test]
fn a_store_cut_off_in_a_line_is_repaired() {
    let (folder, file) = setting();
    let store = folder.path().join("store");
    let expected = table(&file, &store);
    let all = records(&store);
    let path = store.join("trials.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    for cut in [1, 10, text.len() / 2, text.len() - 1, text.len() - 2] {
        fs::write(&path, &text[..cut]).unwrap();
        assert_eq!(table(&file, &store), expected, "cut at {cut}");
        assert_eq!(records(&store), all, "cut at {cut}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_campaign_whose_trials_would_take_minutes() {
    let (folder, _) = setting();
    let file = folder.path().join("long.toml");
    // Without a reachable target each trial takes minutes.
    let text = SMALL.replacen("hidden = \"3\"", "hidden = \"3\"\ntarget = 1e-12\nmax_evaluations = 1e9", 1);
    fs::write(&file, text).unwrap();
    let store = folder.path().join("store");
    let mut child = start(&file, &store, &["--cells", "iris/4-3-3/de-sb"]);
    std::thread::sleep(Duration::from_millis(300));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
}
