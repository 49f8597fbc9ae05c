//! Files that must not be written over one another.

use crate::failure::Failure;
use onefold::files::folder_of;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// Standard input and output as files: a command can be told by the shell to read or write one.
const STANDARD_INPUT: &str = "/dev/stdin";
const STANDARD_OUTPUT: &str = "/dev/stdout";

/// What a command reads, for messages, and the file.
pub(crate) type Input<'a> = (&'a str, Option<&'a Path>);

/// The file that the shell gave as standard input, if it is one.
pub(crate) fn standard_input() -> &'static Path {
    Path::new(STANDARD_INPUT)
}

/// Whether two paths name the same file, however they are spelt; it need not exist. Other names of the same
/// file (hard links) and names that differ in case only are the same file too. Pipes and devices never are.
pub(crate) fn is_same(a: Option<&Path>, b: Option<&Path>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(x), Ok(y)) => x.is_file() && y.is_file() && is_one_file((a, &x), (b, &y)),
        (Err(_), Err(_)) => absent(a) == absent(b),
        _ => false,
    }
}

#[cfg(unix)]
fn is_one_file((_, a): (&Path, &Metadata), (_, b): (&Path, &Metadata)) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_one_file((a, _): (&Path, &Metadata), (b, _): (&Path, &Metadata)) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Folder and name of a file that does not exist: the name in lower case, since a file system may not tell
/// the cases apart.
fn absent(path: &Path) -> (PathBuf, String) {
    // Where a link leads decides, not its name.
    let target = fs::read_link(path).ok().map(|target| folder_of(path).join(target));
    let path = target.as_deref().unwrap_or(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let folder = folder_of(path);
    (fs::canonicalize(folder).unwrap_or_else(|_| folder.into()), name)
}

/// Refuses an `--output` that would replace a file that is read, or that cannot be written.
pub(crate) fn check_output(output: &Path, inputs: &[Input<'_>]) -> Result<(), Failure> {
    check_file("--output", output, inputs)
}

/// The same for the file of another flag.
pub(crate) fn check_file(flag: &str, output: &Path, inputs: &[Input<'_>]) -> Result<(), Failure> {
    if let Some(what) = input_at(output, inputs) {
        let shown = output.display();
        return Err(Failure::bad_input(format!("{flag} {shown}: this is {what}; name another file")));
    }
    onefold::files::check_writable(output).map_err(|e| Failure::bad_input(format!("{flag} {e}")))
}

/// Refuses to print into a file that is read, as `command data.csv >> data.csv` would.
pub(crate) fn check_standard_output(inputs: &[Input<'_>]) -> Result<(), Failure> {
    match input_at(Path::new(STANDARD_OUTPUT), inputs) {
        Some(what) => {
            Err(Failure::bad_input(format!("standard output is {what}; send it to another file or a pipe")))
        }
        None => Ok(()),
    }
}

/// What a file is among those that are read.
fn input_at<'a>(output: &Path, inputs: &[Input<'a>]) -> Option<&'a str> {
    inputs.iter().find(|(_, input)| is_same(Some(output), *input)).map(|(what, _)| *what)
}

/// The names that a model file may have which the user did not name: `STEM.json`, `STEM-2.json` and so on.
pub(crate) fn numbered(stem: String) -> impl Iterator<Item = PathBuf> {
    let first = format!("{stem}.json");
    std::iter::once(first).chain((2..).map(move |n| format!("{stem}-{n}.json"))).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_file_are_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("a"), "x").unwrap();
        fs::write(at("b"), "x").unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        let same = |a: &str, b: &str| is_same(Some(&at(a)), Some(&at(b)));
        for (a, b) in [("a", "./a"), ("a", "sub/../a"), ("a", "hard"), ("new", "sub/../new"), ("new", "NEW")]
        {
            assert!(same(a, b) && same(b, a), "{a} {b}");
        }
        for (a, b) in [("a", "b"), ("a", "new"), ("new", "other"), ("new", "sub/new")] {
            assert!(!same(a, b) && !same(b, a), "{a} {b}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a", at("link")).unwrap();
            std::os::unix::fs::symlink("new", at("dangling")).unwrap();
            assert!(same("link", "hard") && same("dangling", "new") && !same("link", "b"));
            let null = Path::new("/dev/null");
            assert!(!is_same(Some(null), Some(null)), "a device");
        }
        assert!(!is_same(None, None));
    }

    #[test]
    fn names_are_numbered_from_two() {
        let names: Vec<_> = numbered("a".into()).take(3).collect();
        assert_eq!(names, ["a.json", "a-2.json", "a-3.json"].map(PathBuf::from));
    }
}
