//! An exported model says by how much it differs from the model, and is refused where that is too much.

use crate::common::{failure, onefold, stdout, words};
use crate::random::Random;
use onefold::Model;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A table `t,x,y`, whose first input has an offset and a scale, and its target too.
fn table(random: &mut Random, input: (f64, f64), target: (f64, f64)) -> String {
    let mut text = "t,x,y\n".to_string();
    for _ in 0..50 {
        let (t, x) = (random.between(0.0, 1.0), 2.0 * random.between(0.0, 1.0) - 1.0);
        let y = (6.0 * t).sin() + x + 0.1 * (random.between(0.0, 1.0) - 0.5);
        writeln!(text, "{:e},{x},{:e}", input.0 + input.1 * t, target.0 + target.1 * y).unwrap();
    }
    text
}

/// Trains on `t.csv`; the model file `NAME.json`.
fn train(folder: &Path, name: &str, seed: usize) -> PathBuf {
    let args =
        format!("fit t.csv --hidden 4 --seed {seed} --max-evaluations 1500 --test-fraction 0 -o {name}.json");
    stdout(folder, &words(&args));
    folder.join(format!("{name}.json"))
}

/// Multiplies numbers of a model file as no training would.
fn distort(file: &Path, random: &mut Random) {
    let mut model: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    // What was measured in training is that of another network.
    if let Some(rows) = model["training_rows"].as_object_mut() {
        rows.remove("changes");
    }
    let scaled = |value: &mut Value, by: f64| *value = json!(value.as_f64().unwrap() * by);
    match (random.between(0.0, 1.0) * 4.0) as usize {
        // Weights that are subnormal in float.
        0 => model["hidden"].as_array_mut().unwrap().iter_mut().take(2).for_each(|w| scaled(w, 3e-41)),
        // Large ones, which saturate.
        1 => model["hidden"].as_array_mut().unwrap().iter_mut().for_each(|w| scaled(w, 300.0)),
        // Large ones that cancel.
        2 => {
            let row = model["readout"][0].as_array_mut().unwrap();
            let (a, b) = (row[0].as_f64().unwrap(), row[1].as_f64().unwrap());
            row[0] = json!(a + 1e4 * b);
            row[1] = json!(b - 1e4 * a);
        }
        // Outputs that are subnormal in float.
        _ => model["readout"][0].as_array_mut().unwrap().iter_mut().for_each(|w| scaled(w, 1e-40)),
    }
    fs::write(file, model.to_string()).unwrap();
}

/// What an export says that rounding changes.
fn stated(said: &str) -> f64 {
    let number = said.split("rounding changes its outputs by ").nth(1).unwrap_or_else(|| panic!("{said}"));
    let number = number.trim_start_matches("up to ").trim_start_matches("about ");
    let end = number.find([',', ' ', '\n']).unwrap_or(number.len());
    number[..end].parse().unwrap_or_else(|_| panic!("{said}"))
}

/// A model, what its float exports say, and rows to try them on.
struct Case {
    name: String,
    model: Model,
    stated: f64,
    rows: Vec<Vec<f64>>,
}

/// Outputs of all cases on their rows: by numpy, and compiled by a C compiler.
fn run(folder: &Path, cases: &[Case]) -> [Vec<Vec<f64>>; 2] {
    let mut script = "import numpy as np\n".to_string();
    let (mut includes, mut main) = ("#include <stdio.h>\n".to_string(), String::new());
    for Case { name, rows, .. } in cases {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        fs::write(folder.join(format!("{name}.rows")), bytes).unwrap();
        let width = rows[0].len();
        writeln!(script, "import {name}").unwrap();
        writeln!(script, "y = {name}.predict(np.fromfile('{name}.rows').reshape(-1, {width}))").unwrap();
        writeln!(script, "y.astype(float).tofile('{name}.numpy')").unwrap();
        writeln!(includes, "#include \"{name}.h\"").unwrap();
        write!(
            main,
            "    in = fopen(\"{name}.rows\", \"rb\"); out = fopen(\"{name}.c\", \"wb\");\n    \
             while (fread(row, 8, {width}, in) == {width}) {{\n        \
             for (int i = 0; i < {width}; i++) x[i] = (float)row[i];\n        \
             {name}_predict(x, y); result = y[0]; fwrite(&result, 8, 1, out);\n    }}\n    fclose(in); fclose(out);\n"
        )
        .unwrap();
    }
    fs::write(folder.join("all.py"), script).unwrap();
    let body = "FILE *in, *out; double row[8], result; float x[8], y[8];";
    let text = format!("{includes}int main(void)\n{{\n    {body}\n{main}    return 0;\n}}\n");
    fs::write(folder.join("all.c"), text).unwrap();
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv-test/bin/python");
    for (program, args) in [
        (python.to_str().unwrap(), "all.py"),
        ("cc", "-std=c99 -O1 all.c -o all -lm"),
        (folder.join("all").to_str().unwrap(), ""),
    ] {
        let output = Command::new(program).args(words(args)).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    }
    ["numpy", "c"].map(|ending| {
        let read = |case: &Case| {
            let bytes = fs::read(folder.join(format!("{}.{ending}", case.name))).unwrap();
            bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
        };
        cases.iter().map(read).collect()
    })
}

/// Exports in float to numpy and C, and random rows in the range of the training rows.
fn export(folder: &Path, name: &str, more: &[&str], random: &mut Random) -> Case {
    let model = format!("{name}.json");
    let mut changes = Vec::new();
    for file in [format!("{name}.py"), format!("{name}.h")] {
        let args = [&["export", &model, "-o", &file, "--precision", "float"], more].concat();
        changes.push(stated(&stdout(folder, &args)));
    }
    assert_eq!(changes[0].to_bits(), changes[1].to_bits(), "{name}");
    let text = fs::read_to_string(folder.join("t.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    let range = |i: usize| {
        let values = || rows.iter().map(|row| row[i]);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let ranges = [range(0), range(1)];
    let row = |_| ranges.iter().map(|(low, high)| low + (high - low) * random.between(0.0, 1.0)).collect();
    let rows = (0..300).map(row).collect();
    Case { name: name.into(), model: Model::load(&folder.join(model)).unwrap(), stated: changes[0], rows }
}

#[test]
fn the_stated_change_is_what_numpy_and_c_really_change() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(21);
    // A base of another version does not know the flag, and refuses nothing.
    let help = stdout(folder, &["export", "--help"]);
    let allow: &[&str] = if help.contains("--allow-rounding") { &["--allow-rounding"] } else { &[] };
    let mut cases = Vec::new();
    for i in 0..32 {
        let scale = 10_f64.powf(24.0 * random.between(0.0, 1.0) - 12.0);
        let offset = if i % 3 == 0 { 0.0 } else { 10_f64.powf(12.0 * random.between(0.0, 1.0)) };
        // In float, numbers must not be all the same.
        let input = (offset, scale.max(2e-7 * offset));
        let target = if i % 4 == 1 { (1000.0 * random.between(0.0, 1.0), 1.0) } else { (0.0, 1.0) };
        fs::write(folder.join("t.csv"), table(&mut random, input, target)).unwrap();
        let name = format!("case_{i}");
        let file = train(folder, &name, i);
        if i % 2 == 1 {
            distort(&file, &mut random);
        }
        cases.push(export(folder, &name, allow, &mut random));
    }
    let mut excesses = Vec::new();
    for (program, results) in ["numpy", "C"].into_iter().zip(run(folder, &cases)) {
        for (case, outputs) in cases.iter().zip(results) {
            let Case { name, model, stated, rows } = case;
            let expected: Vec<f64> = rows.iter().map(|row| model.predict(row)[0]).collect();
            let change = expected.iter().zip(&outputs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(change <= *stated, "{name} by {program}: {stated:e} stated, {change:e} found");
            // Rounding of the output alone.
            let least = expected.iter().map(|y| y.abs()).fold(0.0, f64::max) * 6e-8;
            excesses.push(*stated / change.max(least));
        }
    }
    // Where a neuron changes steeply, few rows meet the largest change.
    excesses.sort_by(f64::total_cmp);
    assert!(excesses[excesses.len() * 3 / 4] <= 10.0, "what is stated is not far above: {excesses:?}");
}

#[test]
fn the_stated_change_holds_on_training_rows_whose_columns_depend_on_each_other() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(31);
    let help = stdout(folder, &["export", "--help"]);
    let allow: &[&str] = if help.contains("--allow-rounding") { &["--allow-rounding"] } else { &[] };
    let mut cases = Vec::new();
    for i in 0..12 {
        // Begin and end of something short: what counts is the difference of large numbers.
        let (begin, length) = (10_f64.powf(random.between(3.0, 6.0)), 10_f64.powf(random.between(-1.0, 1.0)));
        let mut text = "begin,end,y\n".to_string();
        for _ in 0..60 {
            let (at, part) = (begin * random.between(0.0, 1.0), random.between(0.0, 1.0));
            writeln!(text, "{:.3},{:.3},{}", at, at + length * part, (3.0 * part).sin()).unwrap();
        }
        fs::write(folder.join("t.csv"), &text).unwrap();
        let name = format!("case_{i}");
        train(folder, &name, i);
        let mut case = export(folder, &name, allow, &mut random);
        let fields = |line: &str| line.split(',').take(2).map(|v| v.parse().unwrap()).collect();
        case.rows = text.lines().skip(1).map(fields).collect();
        cases.push(case);
    }
    for (program, results) in ["numpy", "C"].into_iter().zip(run(folder, &cases)) {
        for (Case { name, model, stated, rows }, outputs) in cases.iter().zip(results) {
            let changes = rows.iter().zip(outputs).map(|(row, y)| (model.predict(row)[0] - y).abs());
            let change = changes.fold(0.0, f64::max);
            assert!(change <= *stated, "{name} by {program}: {stated:e} stated, {change:e} found");
        }
    }
}

/// Mean squared error of float outputs on the rows of `t.csv`.
fn mse_on_table(folder: &Path, case: &mut Case) -> (f64, f64) {
    let text = fs::read_to_string(folder.join("t.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    case.rows = rows.iter().map(|row| row[..2].to_vec()).collect();
    let [numpy, c] = run(folder, std::slice::from_ref(case));
    let mse = |outputs: &[f64]| {
        outputs.iter().zip(&rows).map(|(p, row)| (p - row[2]).powi(2)).sum::<f64>() / rows.len() as f64
    };
    let exported = mse(&numpy[0]).max(mse(&c[0]));
    (case.model.metrics().train_mse.unwrap(), exported)
}

#[test]
fn a_float_export_that_is_not_refused_keeps_the_error_of_the_model() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(22);
    let (mut accepted, mut refused) = (0, 0);
    for i in 0..16 {
        let offset = 10_f64.powf(9.0 * random.between(0.0, 1.0));
        let (input, target) =
            if i % 2 == 0 { ((offset, 10.0), (0.0, 1.0)) } else { ((0.0, 1.0), (offset, 1.0)) };
        fs::write(folder.join("t.csv"), table(&mut random, input, target)).unwrap();
        let name = format!("case_{i}");
        train(folder, &name, i);
        let args = ["export", &format!("{name}.json"), "-o", &format!("{name}.h")];
        let output = onefold(folder, &args).output().unwrap();
        if output.status.success() {
            let mut case = export(folder, &name, &[], &mut random);
            let (model, exported) = mse_on_table(folder, &mut case);
            assert!(exported <= 1.25 * model, "{name}, offset {offset:e}: {model:e} became {exported:e}");
            accepted += 1;
        } else {
            let message = failure(folder, &args, 2);
            let column = if i % 2 == 0 { "column t" } else { "column y" };
            assert!(message.contains(column) && message.contains("--precision double"), "{message}");
            refused += 1;
        }
    }
    assert!(accepted >= 4 && refused >= 2, "{accepted} accepted, {refused} refused");
}

#[test]
fn a_unix_time_over_ten_minutes_is_refused_in_float_and_the_advice_helps() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(23);
    let rows: Vec<(u32, f64, f64)> = (0..60)
        .map(|i| {
            let x = random.between(0.0, 1.0);
            (10 * i, x, (f64::from(i) / 8.0).sin() + x + 0.02 * random.between(0.0, 1.0))
        })
        .collect();
    let write = |offset: u32| {
        let lines: Vec<String> = rows.iter().map(|(t, x, y)| format!("{},{x},{y}", offset + t)).collect();
        fs::write(folder.join("t.csv"), format!("t,x,y\n{}\n", lines.join("\n"))).unwrap();
    };
    write(1_700_000_000);
    train(folder, "m", 1);
    for file in ["m.onnx", "m.h", "m.rs", "m.py"] {
        let message = failure(folder, &["export", "m.json", "-o", file, "--precision", "float"], 2);
        assert!(
            message.starts_with("--precision float: rounding changes its outputs by up to "),
            "{message}"
        );
        assert!(message.contains("subtract 1700000000 from column t"), "{message}");
        assert!(message.contains("--precision double") && message.contains("--allow-rounding"), "{message}");
    }
    let to_stdout = failure(folder, &words("export m.json --format c"), 2);
    assert!(to_stdout.contains("column t"), "{to_stdout}");
    // Told so, it is written, with the truth about it.
    let mut case = export(folder, "m", &["--allow-rounding"], &mut random);
    let results = run(folder, std::slice::from_ref(&case));
    let expected: Vec<f64> = case.rows.iter().map(|row| case.model.predict(row)[0]).collect();
    for outputs in results {
        let change = expected.iter().zip(&outputs[0]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(change > 0.1 && change <= case.stated, "{change} and {}", case.stated);
    }
    let (model, exported) = mse_on_table(folder, &mut case);
    assert!(exported > 2.0 * model, "it is worth a refusal: {model} became {exported}");
    // In double nothing is lost, and after the advice nothing in float.
    for file in ["m.onnx", "m.h", "m.rs", "m.py", "m.mjs"] {
        let precision: &[&str] = if file == "m.mjs" { &[] } else { &["--precision", "double"] };
        let said = stdout(folder, &[&["export", "m.json", "-o", file], precision].concat());
        assert!(stated(&said) < 1e-4 && said.contains("less than 0.1 % of its error"), "{said}");
    }
    write(0);
    train(folder, "n", 1);
    let case = export(folder, "n", &[], &mut random);
    assert!(case.stated < 0.01, "{}", case.stated);
}

#[test]
fn a_model_without_ranges_of_its_training_rows_says_where_it_was_tried() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("t.csv"), table(&mut Random::new(24), (100.0, 5.0), (0.0, 1.0))).unwrap();
    let file = train(folder, "m", 1);
    let mut model: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert!(model.as_object_mut().unwrap().remove("training_rows").is_some());
    fs::write(&file, model.to_string()).unwrap();
    let said = stdout(folder, &words("export m.json -o m.h"));
    assert!(said.contains("tried within three scales of the offsets of its inputs"), "{said}");
}
