//! What is wrong with files and stores is said with its place.

use crate::{SMALL, onefold, setting};
use std::fs;
use std::path::Path;

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
    let unknown = wrong(&SMALL.replace("table", "tabel"));
    let expected = "wrong.toml line 9: in this cell, there is no key tabel; did you mean table?";
    assert!(unknown.contains(expected), "{unknown}");
    assert!(wrong(&SMALL.replace("\"iris\"", "\"irsi\"")).contains("did you mean iris"));
    assert!(!Path::new(&at("s")).exists(), "a store for a campaign that does not exist");
    assert!(refused(&["reproduce", "--campaign", &at("none.toml")]).contains("none.toml: No such file"));
    assert!(
        refused(&["reproduce", "--campaign", file, "--cells", "isir/*"])
            .contains("did you mean iris/4-3-3/de")
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
        refused(&again).contains("trials.jsonl line 1: this record has format 0, but this version reads 1")
    );
    fs::write(&records, format!("{text}nonsense\n")).unwrap();
    assert!(
        refused(&again).contains("trials.jsonl line 4: this is not the record of a trial; remove the line")
    );
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
    assert!(message.contains("this store belongs to the campaign small, not to foreign"), "{message}");
    assert!(refused(&["report", &store, "-o", &at("x.pdf")]).contains("the ending must be html"));
    assert!(refused(&["report", &store, "-o", &at("no/x.html")]).contains("its folder does not exist"));
    assert!(refused(&["tune", "nope", "--campaign", file]).starts_with("no cell matches nope"));
    assert!(refused(&["tune", "iris/*/de", "--campaign", file, "--from", "1"]).starts_with("--from 1 --to"));
}
