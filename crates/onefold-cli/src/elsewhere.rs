//! Trials on another engine, by the Python package: `onefold reproduce --on` and `onefold tune --on`.

use crate::failure::Failure;
use crate::interrupt;
use serde::Deserialize;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Time between two looks at the interpreter.
const TICK: Duration = Duration::from_millis(20);
/// Exit code of the Python package for bad input.
const BAD_INPUT: i32 = 2;

/// What the Python package has done.
#[derive(Default, Deserialize)]
pub(crate) struct Done {
    /// Trials that cannot be run.
    pub(crate) failed: usize,
    /// Trials that another process is running.
    pub(crate) elsewhere: usize,
}

/// Calls a function of the Python package, which runs missing trials on an engine. Ctrl-C ends it; then
/// nothing is returned about what was done.
pub(crate) fn run(
    python: &Path,
    engine: &str,
    function: &str,
    options: &serde_json::Value,
) -> Result<Done, Failure> {
    check_package(python)?;
    let mut child = Command::new(python)
        .args(["-m", "onefold._command", function, &options.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| Failure::failed(format!("{}: {e}", python.display())))?;
    let status = wait(&mut child)?;
    let mut answer = String::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_string(&mut answer)?;
    }
    match status.code() {
        Some(0) => serde_json::from_str(&answer)
            .map_err(|e| Failure::failed(format!("the Python package gave an answer that is none: {e}"))),
        _ if interrupt::is_interrupted() => Ok(Done::default()),
        Some(BAD_INPUT) => Err(Failure::bad_input(answer.trim())),
        _ if answer.trim().is_empty() => {
            Err(Failure::failed(format!("--on {engine}: the Python interpreter ended with {status}")))
        }
        _ => Err(Failure::failed(format!("--on {engine}: {}", answer.trim()))),
    }
}

/// Waits for the end of the interpreter. It ends when its standard input does, which is closed by Ctrl-C, or
/// by the end of this process.
fn wait(child: &mut Child) -> Result<std::process::ExitStatus, Failure> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt::is_interrupted() {
            drop(child.stdin.take());
        }
        std::thread::sleep(TICK);
    }
}

/// Refuses an interpreter without the package, or with another version of it.
fn check_package(python: &Path) -> Result<(), Failure> {
    let here = env!("CARGO_PKG_VERSION");
    let asked = Command::new(python)
        .args(["-c", "import onefold, sys; sys.stdout.write(onefold.__version__)"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let python = python.display();
    let wrong = |what: &str| {
        Err(Failure::bad_input(format!(
            "--on needs the Python package onefold {here}, but {what}; install it (pip install onefold=={here}), or name another interpreter (--python)"
        )))
    };
    match asked {
        Err(e) => wrong(&format!("there is no interpreter {python} ({e})")),
        Ok(output) if !output.status.success() => wrong(&format!("{python} does not have it")),
        Ok(output) if output.stdout != here.as_bytes() => {
            wrong(&format!("{python} has {}", String::from_utf8_lossy(&output.stdout)))
        }
        Ok(_) => Ok(()),
    }
}
