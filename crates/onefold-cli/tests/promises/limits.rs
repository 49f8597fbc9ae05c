//! Every read has a limit, and `--time` and Ctrl-C end any command within a second.

use crate::common::{binary, prices};
use crate::random::Random;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// With more hidden neurons than this, the first evaluation of a slow build may outlast the time given.
const MOST_LIGHT_NEURONS: usize = 200;
/// Where the promise is a second, a test on a busy machine allows this.
const BOUND: Duration = Duration::from_secs(3);

const METHODS: [&str; 13] = [
    "auto",
    "de",
    "de-sb",
    "cma-es",
    "cma-es-sb",
    "cma-es-ipop",
    "cma-es-bipop",
    "jade",
    "shade",
    "l-shade",
    "jso",
    "multistart",
    "hybrid",
];

fn start(folder: &Path, args: &str) -> Child {
    let mut command = Command::new(binary());
    command.current_dir(folder).args(args.split_whitespace()).stdin(Stdio::piped());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Exit code and messages of a process that must end before the bound has passed from `since` on.
fn end(mut child: Child, since: Instant, what: &str) -> (i32, String) {
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if since.elapsed() > BOUND {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{what}: it still ran {:.1} s later", since.elapsed().as_secs_f64());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(!text.contains("panicked"), "{what}: {text}");
    (status.code().unwrap_or(-1), text)
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// After the end of its time or a signal, a fit leaves a model or says why not. Returns whether there was a
/// model, and removes it.
fn check_outcome(folder: &Path, code: i32, text: &str, expected: i32, what: &str) -> bool {
    let file = folder.join("m.json");
    let has_model = file.exists();
    if has_model {
        assert_eq!(code, expected, "{what}: {text}");
        let model: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(model["format"], "onefold-model", "{what}");
        fs::remove_file(file).unwrap();
    } else {
        assert!([1, expected].contains(&code) && text.starts_with("error: "), "{what}: {code} {text}");
    }
    has_model
}

#[test]
fn time_ends_a_fit_of_any_method_and_size_within_a_second() {
    let folder = TempDir::new().unwrap();
    let mut random = Random::new(1);
    let (mut light, mut models) = (0, 0);
    let drawn = METHODS.map(|method| (method, random.pick(&[30, 200, 400])));
    for (method, hidden) in drawn.into_iter().chain([("cma-es-sb", 400), ("auto", 400), ("cma-es", 700)]) {
        let args = format!(
            "fit sinc --hidden {hidden} --method {method} --time 200ms --target 0 --seed 1 -o m.json"
        );
        let since = Instant::now() + Duration::from_millis(200);
        let (code, text) = end(start(folder.path(), &args), since, &args);
        let has_model = check_outcome(folder.path(), code, &text, 0, &args);
        if hidden <= MOST_LIGHT_NEURONS {
            light += 1;
            models += usize::from(has_model);
        }
    }
    assert!(light > 0 && 4 * models >= 3 * light, "{models} models of {light} light runs");
}

#[test]
fn the_first_signal_ends_any_command_within_a_second() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("prices.csv"), prices()).unwrap();
    let mut random = Random::new(2);
    let mut commands: Vec<String> = Vec::new();
    for _ in 0..6 {
        let (method, hidden) = (random.pick(&METHODS), random.pick(&[5, 40, 300]));
        commands.push(format!(
            "fit sinc2d --hidden {hidden} --method {method} --target 0 --max-evaluations 1e12 -o m.json"
        ));
    }
    commands.extend(
        [
            "fit sinc --hidden 400 --method cma-es-sb -o m.json",
            "fit - -o m.json",
            "fit prices.csv --hidden 200 --folds 5 --seed 1 -o m.json",
            "reproduce --store s --threads 2",
            "tune sinc/1-5-1/de-sb --store t --threads 2",
            "bench",
        ]
        .map(String::from),
    );
    for args in commands {
        let child = start(path, &args);
        std::thread::sleep(Duration::from_millis(60 + random.below(300) as u64));
        signal(&child, random.pick(&["INT", "TERM"]));
        let (code, text) = end(child, Instant::now(), &args);
        assert_eq!(code, 130, "{args}: {text}");
        if path.join("m.json").exists() {
            check_outcome(path, code, &text, 130, &args);
        }
    }
}

#[test]
fn endless_files_end_with_a_sentence_in_little_memory() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("prices.csv"), prices()).unwrap();
    let binary = binary();
    let onefold = binary.display();
    for command in [
        "reproduce --campaign /dev/zero --store s",
        "tune --campaign /dev/zero --store s cell",
        "show /dev/zero",
        "show /dev/urandom",
        "predict /dev/zero prices.csv",
        "evaluate /dev/urandom prices.csv",
        "export /dev/zero -o m.py",
        "fit sinc --resume /dev/urandom",
        "fit sinc --resume /dev/zero",
        "fit /dev/zero",
        "fit /dev/urandom",
        "fit - < endless",
        "fit - --header no < endless-names",
        "show .",
        "reproduce --campaign .",
        "show pipe",
        "reproduce --campaign pipe",
    ] {
        // What is read may take some megabytes; the limit is that of the address space, with all threads.
        let script = format!(
            "[ -p pipe ] || mkfifo pipe; ulimit -v 700000; case '{command}' in \
             *endless-names*) yes a, | tr -d '\\n' | head -c 900000000 | {onefold} fit - --header no;; \
             *endless*) (echo a,b; echo 1,2; yes x | tr -d '\\n' | head -c 900000000) | {onefold} fit -;; \
             *) {onefold} {command};; esac"
        );
        let mut shell = Command::new("sh");
        let output = child_output(shell.args(["-c", &script]).current_dir(folder.path()), command);
        assert!(output.1.starts_with("error: ") && output.0 == 2, "{command}: {output:?}");
        assert_eq!(output.1.trim_end().lines().count(), 1, "{command}: {output:?}");
    }
}

/// Exit code and messages of a command that must end in ten seconds.
fn child_output(command: &mut Command, what: &str) -> (i32, String) {
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    end(child, Instant::now() + Duration::from_secs(10), what)
}

#[test]
fn what_is_too_large_for_the_machine_is_refused_before_it_is_taken() {
    let folder = TempDir::new().unwrap();
    let binary = binary();
    for (args, limit, code) in [
        ("fit sinc --threads 100000", "unlimited", 2),
        ("fit sinc --hidden 1000000", "unlimited", 2),
        ("fit sinc --population 1e12 --method de", "unlimited", 2),
        ("fit sinc --population 3e6 --method de", "300000", 2),
        ("fit sinc --hidden 1000 --method cma-es", "120000", 2),
        ("fit iris --threads 200 --seed 1 -o m.json", "300000", 0),
        ("reproduce --cells iris/4-3-3/de-sb --runs 3 --threads 200 --store s", "300000", 0),
    ] {
        let script = format!("ulimit -v {limit}; {} {args}", binary.display());
        let (found, text) =
            child_output(Command::new("sh").args(["-c", &script]).current_dir(folder.path()), args);
        assert_eq!(found, code, "{args}: {text}");
    }
}
