use super::*;

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn files_are_there_when_they_are_finished_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    check_writable(&path).unwrap();
    assert!(names(folder.path()).is_empty());
    write_whole(&path, b"old").unwrap();
    let mut file = WholeFile::create(&path).unwrap();
    file.write_all(b"new").unwrap();
    file.flush().unwrap();
    assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"old".to_vec(), 2));
    drop(file);
    assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"old".to_vec(), 1));
    write_whole(&path, b"new").unwrap();
    assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"new".to_vec(), 1));
}

#[test]
fn a_free_name_is_found_and_nothing_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let paths = || ["a", "b", "c"].map(|name| folder.path().join(name));
    let [a, b, c] = paths();
    fs::write(&a, b"mine").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nothing", &b).unwrap();
    #[cfg(not(unix))]
    fs::write(&b, b"mine").unwrap();
    assert_eq!(write_new(paths(), b"x").unwrap(), c);
    assert_eq!((fs::read(&a).unwrap(), fs::read(&c).unwrap()), (b"mine".to_vec(), b"x".to_vec()));
    assert!(write_new(paths(), b"x").is_err());
    assert_eq!(names(folder.path()).len(), 3);
}

#[cfg(unix)]
#[test]
fn permissions_are_those_of_the_file_that_is_replaced() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let [plain, whole] = ["plain", "whole"].map(|name| folder.path().join(name));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    fs::write(&plain, b"x").unwrap();
    write_whole(&whole, b"x").unwrap();
    assert_eq!(mode(&whole), mode(&plain), "of a new file");
    for kept in [0o600, 0o640, 0o644, 0o666, 0o755, 0o200] {
        fs::set_permissions(&whole, fs::Permissions::from_mode(kept)).unwrap();
        write_whole(&whole, b"y").unwrap();
        assert_eq!(mode(&whole), kept);
        write_plain(&whole, b"z").unwrap();
        assert_eq!(mode(&whole), kept);
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_where_the_file_was_named_and_an_error_where_it_was_not() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let [file, link, dangling] = ["file", "link", "dangling"].map(|name| folder.path().join(name));
    fs::write(&file, b"x").unwrap();
    symlink("file", &link).unwrap();
    symlink("nothing", &dangling).unwrap();
    write_whole(&link, b"y").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), b"y");
    assert!(write_plain(&link, b"z").unwrap_err().to_string().contains("symbolic link"));
    assert!(write_plain(&dangling, b"z").unwrap_err().to_string().contains("symbolic link"));
    assert!(write_whole(&dangling, b"z").unwrap_err().to_string().contains("cannot be found"));
    assert_eq!((fs::read(&file).unwrap(), names(folder.path()).len()), (b"y".to_vec(), 3));
}

#[test]
fn what_cannot_be_written_is_said_without_temporary_names() {
    let folder = tempfile::tempdir().unwrap();
    let reason = |path: &Path| match check_writable(path) {
        Err(Error::Write { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(folder.path()), "this is a directory; name a file");
    assert_eq!(reason(&folder.path().join("none/a.txt")), "its folder does not exist");
    assert!(check_writable(&folder.path().join("x".repeat(250))).is_ok());
    #[cfg(unix)]
    assert_eq!(reason(Path::new("/proc/a.txt")), "No such file or directory (os error 2)");
}
