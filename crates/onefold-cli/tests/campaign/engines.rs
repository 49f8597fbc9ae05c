//! Shards as arrays of jobs, and trials on other engines by the Python package.

use crate::{onefold, records, setting, stdout_of, table};
use std::fs;
use std::process::Command;

/// The shell runs the script of each batch system as its jobs would be run, and the shards together leave the
/// records of one process.
#[test]
#[cfg(unix)]
fn the_jobs_of_an_array_leave_the_records_of_one_process() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, file) = setting();
    table(&file, &folder.path().join("one"));
    let expected = records(&folder.path().join("one"));
    // The command, where jobs find it.
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(assert_cmd::cargo::cargo_bin("onefold"), bin.join("onefold")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    for (system, index) in
        [("slurm", "SLURM_ARRAY_TASK_ID"), ("sge", "SGE_TASK_ID"), ("pbs", "PBS_ARRAY_INDEX")]
    {
        let store = folder.path().join(format!("it's {system}"));
        let script = stdout_of(&[
            "reproduce",
            "--campaign",
            file.to_str().unwrap(),
            "--store",
            store.to_str().unwrap(),
            "--print-jobs",
            system,
            "--shards",
            "3",
        ]);
        assert!(!store.exists() && script.starts_with("#!/bin/bash\n#"), "{script}");
        assert!(script.contains("1-3\n"), "{script}");
        let job = folder.path().join("job.sh");
        fs::write(&job, &script).unwrap();
        fs::set_permissions(&job, fs::Permissions::from_mode(0o755)).unwrap();
        for number in 1..=3 {
            let status = Command::new("bash")
                .arg(&job)
                .env(index, number.to_string())
                .env("PBS_O_WORKDIR", folder.path())
                .env("PATH", &path)
                .output()
                .unwrap();
            assert!(status.status.success() && status.stdout.is_empty(), "{status:?}");
        }
        assert_eq!(records(&store), expected, "{system}");
    }
}

#[test]
fn slurm_is_short_for_its_jobs() {
    let jobs =
        stdout_of(&["reproduce", "--print-jobs", "slurm", "--cells", "iris/*", "--quick", "--runs", "2"]);
    assert_eq!(stdout_of(&["reproduce", "--slurm", "--cells", "iris/*", "--quick", "--runs", "2"]), jobs);
    assert!(jobs.contains("--array=1-16") && jobs.contains("--cells 'iris/*' --runs 2"), "{jobs}");
    assert!(jobs.contains("--quick --shard \"$SLURM_ARRAY_TASK_ID/16\""), "{jobs}");
}

#[test]
fn another_engine_needs_the_python_package() {
    let (folder, file) = setting();
    let store = folder.path().join("s");
    for (python, expected) in [
        ("/nowhere/python", "there is no interpreter /nowhere/python"),
        ("false", "false does not have it"),
        ("echo", "echo has "),
    ] {
        let args = ["reproduce", "--on", "local", "--python", python, "--campaign"];
        let output = onefold(&args)
            .args([file.as_os_str(), "--store".as_ref(), store.as_os_str()])
            .assert()
            .code(2)
            .get_output()
            .clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.contains("--on needs the Python package onefold ") && message.contains(expected),
            "{message}"
        );
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    }
    assert!(!store.exists());
    for conflict in ["--shard=1/2", "--slurm", "--print-jobs=pbs"] {
        onefold(&["reproduce", "--on", "local", conflict]).assert().code(2);
    }
    onefold(&["reproduce", "--python", "python3"]).assert().code(2);
}
