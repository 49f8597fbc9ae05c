//! Tables and figures are those of the committed records.

use super::{Document, documents, root};
use assert_cmd::Command;
use std::fs;
use tempfile::TempDir;

/// What stands between `<!-- onefold report ARGUMENTS -->` and `<!-- end -->`, and the figures in
/// docs/figures, is what `onefold report` makes of the committed records, byte for byte. `UPDATE_RESULTS=1
/// cargo test -p onefold-cli --test documents` writes them anew.
#[test]
fn documents_show_what_the_records_say() {
    let root = root();
    let update = std::env::var_os("UPDATE_RESULTS").is_some();
    for Document { name, text } in documents() {
        let mut parts = text.split("<!-- onefold report ");
        let mut expected = parts.next().unwrap().to_string();
        for part in parts {
            let (arguments, rest) = part.split_once(" -->\n").unwrap();
            let (_, after) = rest.split_once("<!-- end -->").unwrap();
            let table = report(&arguments.split_whitespace().collect::<Vec<_>>());
            let parts = ["<!-- onefold report ", arguments, " -->\n", &table, "<!-- end -->", after];
            expected += &parts.concat();
        }
        if update && text != expected {
            fs::write(root.join(&name), &expected).unwrap();
        }
        assert!(
            update || text == expected,
            "{name}: UPDATE_RESULTS=1 cargo test -p onefold-cli --test documents"
        );
    }
    let folder = TempDir::new().unwrap();
    report(&["results/paper", "--figures", folder.path().to_str().unwrap(), "--format", "csv"]);
    let mut count = 0;
    for entry in fs::read_dir(root.join("docs/figures")).unwrap() {
        let path = entry.unwrap().path();
        let made = folder.path().join(path.file_name().unwrap());
        if update {
            fs::copy(&made, &path).unwrap();
        }
        assert!(fs::read(&path).unwrap() == fs::read(&made).unwrap(), "{}", path.display());
        count += 1;
    }
    assert!(count > 0);
}

fn report(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("onefold").unwrap();
    let output = command.current_dir(root()).arg("report").args(arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}
