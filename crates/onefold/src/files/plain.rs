//! Files inside a folder that may come from a stranger: what stands there in place of a file is neither
//! followed nor waited for.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file; a symbolic link, folder, pipe or device in its place is an error. On Unix the operating
/// system itself refuses to follow a link, so that none can be put there in between.
///
/// # Errors
///
/// Those of opening a file, and what else stands in its place.
pub fn open_plain(path: &Path, options: &OpenOptions) -> io::Result<File> {
    if let Ok(found) = fs::symlink_metadata(path) {
        check(&found)?;
    }
    let file = not_following(options).open(path).map_err(|e| if is_link(&e) { link() } else { e })?;
    check(&file.metadata()?)?;
    Ok(file)
}

#[cfg(unix)]
fn not_following(options: &OpenOptions) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = options.clone();
    // Without waiting, since the other end of a pipe may never be opened.
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

#[cfg(not(unix))]
fn not_following(options: &OpenOptions) -> OpenOptions {
    options.clone()
}

#[cfg(unix)]
fn is_link(e: &io::Error) -> bool {
    e.raw_os_error() == Some(libc::ELOOP)
}

#[cfg(not(unix))]
fn is_link(_: &io::Error) -> bool {
    false
}

/// Refuses what is not a file of its own.
pub(super) fn check(found: &Metadata) -> io::Result<()> {
    if found.is_symlink() {
        return Err(link());
    }
    if found.is_file() {
        return Ok(());
    }
    let what = if found.is_dir() { "folder" } else { "pipe or device" };
    Err(io::Error::other(format!("this is a {what}, not a file; remove it")))
}

fn link() -> io::Error {
    io::Error::other("this is a symbolic link, and links are not followed here; put the file in its place")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "x").unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("nothing", at("dangling")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let reading = OpenOptions::new().read(true).clone();
        let appending = OpenOptions::new().create(true).append(true).clone();
        for options in [reading, appending] {
            assert!(open_plain(&at("file"), &options).is_ok());
            for (name, what) in
                [("link", "link"), ("dangling", "link"), ("folder", "folder"), ("pipe", "pipe")]
            {
                let wrong = open_plain(&at(name), &options).unwrap_err().to_string();
                assert!(wrong.contains(what), "{name}: {wrong}");
            }
            assert!(not_following(&options).open(at("dangling")).is_err());
        }
        assert!(!at("nothing").exists());
    }
}
