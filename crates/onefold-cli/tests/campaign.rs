//! Campaigns as a user meets them: whatever happens to the process or the store, no trial is lost or doubled.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const SMALL: &str = r#"
name = "small"
runs = 12

[[cell]]
data = "iris"
hidden = "3"
method = "de-sb"
table = "classification"
paper = { evaluations = 1.24e4, deviation = 2.5e3, robustness = 1.0 }

[[cell]]
data = "iris"
hidden = "3"
method = "de"
table = "classification"
paper = { evaluations = 1.46e4, deviation = 3.3e3, robustness = 1.0 }

[[cell]]
data = "syn5"
hidden = "3"
method = "cma-es"
data_seed = "run"
quick = 2
"#;

fn onefold(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("onefold").unwrap();
    command.args(args);
    command
}

/// A folder with the small campaign in it.
fn setting() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("small.toml");
    fs::write(&file, SMALL).unwrap();
    (folder, file)
}

fn reproduce(file: &Path, store: &Path) -> Vec<String> {
    [
        "reproduce",
        "--campaign",
        file.to_str().unwrap(),
        "--store",
        store.to_str().unwrap(),
        "--format",
        "markdown",
    ]
    .map(String::from)
    .to_vec()
}

fn table(file: &Path, store: &Path) -> String {
    let output = onefold(&[]).args(reproduce(file, store)).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

fn start(file: &Path, store: &Path, more: &[&str]) -> Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .args(reproduce(file, store))
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Cell, seed and everything that does not depend on the clock, for each line of a store.
fn records(store: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(store).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "jsonl") {
            for line in fs::read_to_string(path).unwrap().lines() {
                let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
                value["seconds"] = 0.into();
                lines.push(value.to_string());
            }
        }
    }
    lines.sort();
    lines
}

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

#[test]
fn tables_in_every_format_and_a_page() {
    let (folder, file) = setting();
    let store = folder.path().join("store");
    let markdown = table(&file, &store);
    assert!(markdown.contains("| iris/4-3-3/de-sb |") && markdown.contains("agrees"), "{markdown}");
    let report = |args: &[&str]| {
        let output = onefold(&["report", store.to_str().unwrap()]).args(args).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    assert_eq!(report(&["--format", "markdown"]), markdown);
    assert_eq!(report(&["--format", "csv"]).lines().count(), 4);
    assert!(report(&["--format", "latex"]).contains("\\begin{tabular}"));
    let json: serde_json::Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    assert_eq!(json["cells"][0]["runs"], 12);
    assert_eq!(json["cells"][0]["readings"]["population"], 40);
    let page = folder.path().join("page.html");
    let figures = folder.path().join("figures");
    report(&["-o", page.to_str().unwrap(), "--figures", figures.to_str().unwrap()]);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("<table>") && html.contains("<svg") && html.contains("convergence-iris-4-3-3"));
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"), "the page needs no network");
    let png = fs::read(figures.join("convergence-iris-4-3-3.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    assert!(fs::read_to_string(figures.join("fit-syn5-1-3-1.svg")).unwrap().contains("<svg"));
    // The same records, the same bytes.
    let again = folder.path().join("again.html");
    report(&["-o", again.to_str().unwrap()]);
    assert_eq!(html, fs::read_to_string(again).unwrap());
}

/// A generated set on three noisy samples in turn, and the same reading by name.
const SAMPLES: &str = r#"
name = "samples"
runs = 9

[[cell]]
data = "syn5"
hidden = "3"
method = "de"
data_seeds = 3
paper = { evaluations = 7.30e4, deviation = 1.8e4, robustness = 1.0, test = 6.27e-05, test_deviation = 3.2e-06 }

[[cell]]
data = "syn5"
hidden = "3"
method = "de-sb"
data_seeds = 3
paper = { evaluations = 3.20e4, deviation = 9.4e3, robustness = 1.0, test = 6.27e-05, test_deviation = 3.2e-06 }

[[cell]]
name = "iris/4-3-3/de-sb/standard"
data = "iris"
hidden = "3"
method = "de-sb"
scaling = "standard"
table = "readings"
paper = { evaluations = 1.24e4, deviation = 2.5e3, robustness = 1.0, test = 0.994, test_deviation = 0.006 }
"#;

#[test]
fn several_noisy_samples_are_judged_by_prediction() {
    let folder = TempDir::new().unwrap();
    let (file, store) = (folder.path().join("samples.toml"), folder.path().join("store"));
    fs::write(&file, SAMPLES).unwrap();
    table(&file, &store);
    let mut seeds: Vec<(u64, u64)> = records(&store)
        .iter()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|r| r["cell"] == "syn5/1-3-1/de")
        .map(|r| (r["seed"].as_u64().unwrap(), r["data_seed"].as_u64().unwrap()))
        .collect();
    seeds.sort_unstable();
    assert_eq!(seeds, (0..9).map(|seed| (seed, 1 + seed % 3)).collect::<Vec<_>>());
    let report = |args: &[&str]| {
        let output = onefold(&["report", store.to_str().unwrap()]).args(args).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    let cell = &json["cells"][1];
    assert_eq!((cell["samples"].as_u64(), cell["readings"]["data_seed"].as_str()), (Some(3), Some("1..3")));
    assert!(cell["verdict_over_runs"].is_string(), "{cell}");
    assert!(cell["de_to_de_sb"]["low"].as_f64() < cell["de_to_de_sb"]["ratio"].as_f64(), "{cell}");
    assert!(cell["training"]["error"]["mean"].as_f64().unwrap() <= 5e-5, "{cell}");
    let iris = &json["cells"][2];
    assert!(
        iris["verdict_over_runs"].is_null() && iris["training"]["success"]["mean"].as_f64().unwrap() > 0.97
    );
    assert!(report(&["--view", "verdicts"]).contains("of 3 cells agree** with the paper"));
    assert!(report(&["--view", "gains"]).contains("| syn5 1-3-1 |"));
    let readings = report(&["--view", "readings"]);
    assert!(readings.contains("| reading | iris/4-3-3/de-sb | training | distance |\n"), "{readings}");
    let refused = |args: &[&str]| {
        let output = onefold(&["report", store.to_str().unwrap()]).args(args).assert().code(2);
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    };
    assert!(refused(&["--view", "gains", "--format", "csv"]).contains("--view writes Markdown"));
    assert!(refused(&["--table", "cells,more"]).contains("--table more: there are cells, readings"));
}

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
    assert!(text.contains("chosen") && text.contains("with 95 % confidence"), "{text}");
    let store = folder.path().join("check");
    let table = table(&tuned, &store);
    assert!(table.contains("| iris/4-3-3/de-sb | 10 |"), "{table}");
    assert_eq!(records(&store).len(), 10);
}

/// One sentence, exit code 2.
fn refused(args: &[&str]) -> String {
    let output = onefold(args).assert().code(2).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    message.trim_end().trim_start_matches("error: ").to_string()
}

#[test]
fn what_is_wrong_with_files_and_stores_is_said_with_its_place() {
    let (folder, file) = setting();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let file = file.to_str().unwrap();
    let wrong = |text: &str| {
        fs::write(at("wrong.toml"), text).unwrap();
        refused(&["reproduce", "--campaign", &at("wrong.toml"), "--store", &at("s")])
    };
    assert!(wrong(&SMALL.replace("table", "tabel")).contains("wrong.toml line 9: unknown field `tabel`"));
    assert!(wrong(&SMALL.replace("\"iris\"", "\"irsi\"")).contains("did you mean iris"));
    assert!(!Path::new(&at("s")).exists(), "a store for a campaign that does not exist");
    assert!(refused(&["reproduce", "--campaign", &at("none.toml")]).contains("none.toml: No such file"));
    assert!(
        refused(&["reproduce", "--campaign", file, "--cells", "isir/*"])
            .contains("the nearest is iris/4-3-3/de")
    );
    assert!(refused(&["reproduce", "--shard", "0/3"]).contains("expected I/N"));
    assert!(refused(&["report", &at("nowhere")]).contains("there is no such store"));
    fs::create_dir(at("empty")).unwrap();
    assert!(refused(&["report", &at("empty")]).contains("campaign.toml; name the campaign"));
    // A file where the folder should be.
    assert!(refused(&["reproduce", "--campaign", file, "--store", file]).contains("--store"));
    // Records of an older version, of other settings, and no records at all.
    let store = at("store");
    onefold(&["reproduce", "--campaign", file, "--store", &store, "--runs", "1"]).assert().success();
    let records = format!("{store}/trials.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    let again = ["reproduce", "--campaign", file, "--store", &store];
    fs::write(&records, text.replacen("\"format\":1", "\"format\":0", 1)).unwrap();
    assert!(
        refused(&again).contains("trials.jsonl line 1: this record has format 0, and this onefold reads 1")
    );
    fs::write(&records, format!("{text}nonsense\n")).unwrap();
    assert!(refused(&again).contains("trials.jsonl line 4: this is no record of a trial; remove the line"));
    fs::write(&records, text).unwrap();
    fs::write(
        at("other.toml"),
        SMALL.replacen("method = \"de-sb\"", "method = \"de-sb\"\npopulation = 50", 1),
    )
    .unwrap();
    let message = refused(&["reproduce", "--campaign", &at("other.toml"), "--store", &store]);
    let expected = "seed 0 of iris/4-3-3/de-sb was run with other settings: population 40 there, 50 now; use another --store";
    assert!(message.contains(expected), "{message}");
    // The store still belongs to the campaign that made it, and to no other.
    onefold(&["report", &store]).assert().success();
    fs::write(at("foreign.toml"), SMALL.replacen("\"small\"", "\"foreign\"", 1)).unwrap();
    let message = refused(&["reproduce", "--campaign", &at("foreign.toml"), "--store", &store]);
    assert!(message.contains("this is the store of the campaign small, not of foreign"), "{message}");
    assert!(refused(&["report", &store, "-o", &at("x.pdf")]).contains("the ending must be html"));
    assert!(refused(&["report", &store, "-o", &at("no/x.html")]).contains("its folder does not exist"));
    assert!(refused(&["tune", "nope", "--campaign", file]).starts_with("nope: no cell matches"));
    assert!(refused(&["tune", "iris/*/de", "--campaign", file, "--from", "1"]).starts_with("--from 1 --to"));
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
            .contains("mine.toml line 3: in this cell, a cell with a file needs a target")
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

fn stdout_of(args: &[&str]) -> String {
    String::from_utf8(onefold(args).assert().success().get_output().stdout.clone()).unwrap()
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The tables in README.md and PAPER.md and the figures in docs/figures are what `onefold report` makes of
/// the committed records, byte for byte. `UPDATE_RESULTS=1 cargo test -p onefold-cli documents` writes them
/// anew.
#[test]
fn documents_show_what_the_records_say() {
    let root = root();
    let update = std::env::var_os("UPDATE_RESULTS").is_some();
    for file in ["README.md", "PAPER.md", "docs/beyond.md"] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        let mut parts = text.split("<!-- onefold report ");
        let mut expected = parts.next().unwrap().to_string();
        for part in parts {
            let (arguments, rest) = part.split_once(" -->\n").unwrap();
            let (_, after) = rest.split_once("<!-- end -->").unwrap();
            let (store, more) = arguments.split_once(' ').unwrap();
            let store = root.join(store);
            let mut args = vec!["report", store.to_str().unwrap()];
            args.extend(more.split_whitespace());
            let table = stdout_of(&args);
            let parts = ["<!-- onefold report ", arguments, " -->\n", &table, "<!-- end -->", after];
            expected += &parts.concat();
        }
        assert!(expected.contains("<!-- end -->"), "{file} has no table");
        if update {
            fs::write(root.join(file), &expected).unwrap();
        }
        assert!(update || text == expected, "{file}: UPDATE_RESULTS=1 cargo test -p onefold-cli documents");
    }
    let figures = TempDir::new().unwrap();
    let store = root.join("results/paper");
    let store = store.to_str().unwrap();
    stdout_of(&["report", store, "--figures", figures.path().to_str().unwrap(), "--format", "csv"]);
    let shown = fs::read_dir(root.join("docs/figures")).unwrap();
    let mut count = 0;
    for entry in shown {
        let path = entry.unwrap().path();
        let made = figures.path().join(path.file_name().unwrap());
        if update {
            fs::copy(&made, &path).unwrap();
        }
        assert!(fs::read(&path).unwrap() == fs::read(&made).unwrap(), "{}", path.display());
        count += 1;
    }
    assert!(count > 0);
}
