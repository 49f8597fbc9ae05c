//! Exported models, compiled and run: each computes what `Model::predict` computes, within the rounding of
//! its precision, and carries the names it was given. `docs/export.md` states the tolerances.

mod bound;
mod cases;
mod programs;

use bound::Bound;
use cases::{Case, cases};
use onefold::Model;
use onefold::export::{ExportFormat, ExportSettings, Inputs, Precision};
use std::fs;
use std::path::PathBuf;

/// Largest difference on rows near the training data, in units of roundoff times the sum of magnitudes of
/// an output's weights, those of a linear part times the scaled inputs where these are above 1, of
/// probabilities half the largest of these and 1; `docs/export.md` states it.
const TYPICAL: f64 = 20.0;

/// A folder under cargo's own for tests, empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// One exported file: its name without ending, and what it is of.
struct Export<'a> {
    name: String,
    case: &'a Case,
    precision: Precision,
}

/// Exports every case in every precision, runs all of them by `run`, and compares.
fn check(format: ExportFormat, run: impl Fn(&std::path::Path, &[Export])) {
    let folder = folder(format.ending());
    let cases = cases();
    let precisions: &[Precision] = match format {
        ExportFormat::Javascript => &[Precision::Double],
        _ => &[Precision::Float, Precision::Double],
    };
    let mut exports = Vec::new();
    for case in &cases {
        let rows: Vec<u8> = case.rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        fs::write(folder.join(format!("{}.rows", case.name)), rows).unwrap();
        for precision in precisions.iter().copied() {
            let name = format!("{}_{precision}", case.name);
            let settings = ExportSettings {
                format,
                precision: Some(precision),
                name: name.clone(),
                allow_rounding: true,
                // A graph takes either; source text has the function on encoded inputs in any case.
                inputs: if format == ExportFormat::Onnx { Inputs::Encoded } else { Inputs::Columns },
                interval: None,
            };
            let bytes = case.model.export(&settings).unwrap();
            fs::write(folder.join(format!("{name}.{}", format.ending())), bytes).unwrap();
            exports.push(Export { name, case, precision });
        }
    }
    run(&folder, &exports);
    for precision in precisions.iter().copied() {
        let of_this = exports.iter().filter(|e| e.precision == precision);
        let worst = of_this
            .map(|export| compare(export, &folder))
            .fold((0.0, 0.0), |a: (f64, f64), b| (a.0.max(b.0), a.1.max(b.1)));
        println!("{format:?} {precision}: {:.2} of the bound, {:.1} typical units", worst.0, worst.1);
        assert!(worst.1 <= TYPICAL, "{format:?} {precision}: {} typical units", worst.1);
    }
}

/// Compares what a program wrote with the model: the largest share of the bound, and the largest difference
/// in typical units.
fn compare(export: &Export, folder: &std::path::Path) -> (f64, f64) {
    let Export { name, case, precision } = export;
    let model = &case.model;
    let names = fs::read(folder.join(format!("{name}.names"))).unwrap();
    let expected: String =
        model.input_names().iter().chain(model.output_names()).map(|name| name.clone() + "\0").collect();
    assert_eq!(String::from_utf8(names).unwrap(), expected, "names of {name}");
    let results = fs::read(folder.join(format!("{name}.results"))).unwrap();
    let results: Vec<f64> =
        results.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
    let width = model.topology().outputs() + 1;
    assert_eq!(results.len(), case.rows.len() * width, "rows of {name}");
    let mut worst: (f64, f64) = (0.0, 0.0);
    for (i, (row, result)) in case.rows.iter().zip(results.chunks_exact(width)).enumerate() {
        let (outputs, class) = (&result[..width - 1], result[width - 1]);
        let class = (class >= 0.0).then_some(class as usize);
        let bound = Bound::new(model, *precision, row);
        let expected = model.predict(row);
        for (o, (y, expected)) in outputs.iter().zip(&expected).enumerate() {
            let context = || format!("{name}, row {i} {row:?}, output {o}: {y}, not {expected}");
            // A linear part passes infinite inputs on, and sums that leave the range of the precision.
            let is_same = y.to_bits() == expected.to_bits();
            if is_same || (bound.out_of_range && !y.is_finite() && !expected.is_nan()) {
                continue;
            }
            if expected.is_nan() {
                assert!(y.is_nan(), "{}", context());
                continue;
            }
            let difference = (y - expected).abs();
            assert!(difference <= bound.outputs[o], "{}; bound {}", context(), bound.outputs[o]);
            worst.0 = worst.0.max(difference / bound.outputs[o]);
            if case.ordinary(row) {
                let weights = typical(model, row, o);
                worst.1 = worst.1.max(difference / (precision.unit_roundoff() * weights));
            }
        }
        let expected_class = model.is_classification().then(|| winner(outputs));
        assert_eq!(class, expected_class, "{name}, row {i} {row:?}");
        if let Some(class) = class
            && !bound.out_of_range
        {
            // The same class as the library's, unless the two are nearer to each other than rounding.
            let ours = winner(&expected);
            let near = expected[ours] - expected[class] <= bound.outputs[ours] + bound.outputs[class];
            assert!(ours == class || near, "{name}, row {i} {row:?}: class {class}, not {ours}");
            let named = &model.output_names()[ours];
            assert_eq!(model.classify(row), Some(named.as_str()));
        }
    }
    worst
}

/// The sum of magnitudes of an output's weights, those of a linear part times the inputs; of probabilities
/// half the largest such sum of all classes, and 1 for what softmax itself rounds.
fn typical(model: &Model, row: &[f64], output: usize) -> f64 {
    if !model.has_probabilities() {
        return size_of_weights(model, row, output);
    }
    let all = (0..model.topology().outputs()).map(|output| size_of_weights(model, row, output));
    all.fold(0.0, f64::max) / 2.0 + 1.0
}

fn size_of_weights(model: &Model, row: &[f64], output: usize) -> f64 {
    let hidden = model.topology().last_hidden();
    let inputs = model.scaler().apply(row);
    let size = |column: usize| match column.checked_sub(hidden).and_then(|i| inputs.get(i)) {
        Some(x) if model.topology().has_linear_part() => x.abs().max(1.0),
        _ => 1.0,
    };
    model.readout()[output].iter().enumerate().map(|(column, w)| w.abs() * size(column)).sum()
}

/// The first of the largest, as the library has it: NaN wins only in first place.
fn winner(outputs: &[f64]) -> usize {
    let mut best = 0;
    for n in 1..outputs.len() {
        if outputs[n] > outputs[best] {
            best = n;
        }
    }
    best
}

#[test]
fn onnx_is_valid_and_agrees() {
    check(ExportFormat::Onnx, programs::python);
}

#[test]
fn c_compiles_without_warnings_and_agrees() {
    check(ExportFormat::C, programs::c);
}

#[test]
fn rust_compiles_without_std_and_agrees() {
    check(ExportFormat::Rust, programs::rust);
}

#[test]
fn javascript_agrees() {
    check(ExportFormat::Javascript, programs::node);
}

#[test]
fn python_agrees() {
    check(ExportFormat::Python, programs::python);
}
