//! `reached` follows from the error of the stored model on the training rows, in the units of the data.

use crate::common::{failure, json, onefold, stdout, words};
use crate::random::Random;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A table of two inputs and targets `offset + scale * wave`, with noise.
fn table(random: &mut Random, targets: &[(f64, f64)]) -> String {
    let mut text = "a,b".to_string();
    (1..=targets.len()).for_each(|t| write!(text, ",y{t}").unwrap());
    for _ in 0..40 {
        let (a, b) = (4.0 * random.between(0.0, 1.0) - 2.0, random.between(0.0, 1.0));
        write!(text, "\n{a},{b}").unwrap();
        for (t, (offset, scale)) in targets.iter().enumerate() {
            let noise = 0.1 * (random.between(0.0, 1.0) - 0.5);
            write!(text, ",{:e}", offset + scale * ((1.5 * a + t as f64).sin() + b + noise)).unwrap();
        }
    }
    text + "\n"
}

/// Trains, and checks everything that is said about the error; whether the target was reached.
fn fit_and_check(folder: &Path, args: &str, target: f64, context: &str) -> bool {
    let args = format!("{args} --target {target:e} --test-fraction 0 -o m.json --json");
    let said = json(folder, &words(&args));
    let scores = json(folder, &["evaluate", "m.json", "t.csv", "--json"]);
    let file: Value = serde_json::from_str(&fs::read_to_string(folder.join("m.json")).unwrap()).unwrap();
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let mse = number(&scores["mse"]);
    assert_eq!(number(&said["train_mse"]).to_bits(), mse.to_bits(), "{context}: printed and evaluated");
    assert_eq!(
        number(&file["metrics"]["train_mse"]).to_bits(),
        mse.to_bits(),
        "{context}: stored and evaluated"
    );
    assert_eq!(said["reached"], file["origin"]["reached"], "{context}");
    assert_eq!(said["reached"] == true, said["stop"] == "target", "{context}: {said}");
    if said["reached"] == true {
        assert!(mse <= target, "{context}: reached {target:e} with an error of {mse:e}");
    }
    said["reached"] == true
}

#[test]
fn reached_is_true_of_the_stored_model_for_targets_of_any_offset_and_scale() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(16);
    let mut reached = 0;
    for case in 0..60 {
        let (offset, scale) = match case % 4 {
            0 => (random.pick(&[1e15, -3e15, 4e15]), random.pick(&[0.5, 1.0, 3.0])),
            1 => (1.7e9 + 1e6 * random.between(0.0, 1.0), random.pick(&[1e-6, 1e-3, 100.0])),
            2 => (0.0, 10_f64.powf(260.0 * random.between(0.0, 1.0) - 130.0)),
            _ => {
                let scale = 10_f64.powf(24.0 * random.between(0.0, 1.0) - 12.0);
                (scale * 10_f64.powf(15.0 * random.between(0.0, 1.0)), scale)
            }
        };
        fs::write(folder.join("t.csv"), table(&mut random, &[(offset, scale)])).unwrap();
        // Around what the noise allows, and around what rounding does.
        let rounding = (offset * f64::EPSILON).powi(2);
        let target =
            (0.02 * random.between(0.0, 1.0) * scale * scale).max(random.between(0.0, 1.0) * rounding);
        let method = random.pick(&["auto", "de-sb", "cma-es", "multistart"]);
        let seed = case;
        let args = format!("fit t.csv --hidden 3 --method {method} --seed {seed} --max-evaluations 3000");
        reached +=
            usize::from(fit_and_check(folder, &args, target, &format!("case {case}, {offset:e} {scale:e}")));
    }
    assert!((10..60).contains(&reached), "{reached} of 60 reached");
}

#[test]
fn reached_is_true_of_the_stored_model_for_several_targets_and_for_classes() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(17);
    let mut reached = 0;
    for case in 0..16 {
        let scales = [1e-6, 1.0, 1e4].map(|scale| scale * (1.0 + random.between(0.0, 1.0)));
        let targets = [(0.0, scales[0]), (1e9 * random.between(0.0, 1.0), scales[1]), (-1e5, scales[2])];
        let targets = &targets[..2 + case % 2];
        fs::write(folder.join("t.csv"), table(&mut random, targets)).unwrap();
        let largest = targets[targets.len() - 1].1;
        let target = 0.3 * random.between(0.0, 1.0) * largest * largest / targets.len() as f64;
        let columns: Vec<String> = (1..=targets.len()).map(|t| format!("y{t}")).collect();
        let args = format!(
            "fit t.csv --target-column {} --hidden 3 --seed {case} --max-evaluations 4000",
            columns.join(",")
        );
        reached += usize::from(fit_and_check(folder, &args, target, &format!("case {case}")));
    }
    assert!(reached > 3, "{reached} of 16 reached");
    for case in 0..8 {
        let mut text = "a,b,class\n".to_string();
        for _ in 0..50 {
            let (a, b) = (random.between(0.0, 1.0), random.between(0.0, 1.0));
            let class = if a + b < 0.7 {
                "low"
            } else if a > b {
                "right"
            } else {
                "left"
            };
            writeln!(text, "{a},{b},{class}").unwrap();
        }
        fs::write(folder.join("t.csv"), text).unwrap();
        let target = 0.02 + 0.1 * random.between(0.0, 1.0);
        let args = format!("fit t.csv --hidden 4 --seed {case} --max-evaluations 4000");
        fit_and_check(folder, &args, target, &format!("classes {case}"));
    }
}

/// The text that a person reads says the same, and why a search that seemed to be there is not.
#[test]
fn a_target_around_1e15_is_reached_only_where_evaluate_agrees() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(3);
    fs::write(folder.join("t.csv"), table(&mut random, &[(1e15, 1.0)])).unwrap();
    let mut said_reached = 0;
    for thousandths in 1..=12 {
        let target = format!("{}", f64::from(thousandths) / 1000.0);
        let args = format!(
            "fit t.csv --hidden 3 --seed 1 --max-evaluations 2000 --test-fraction 0 -o m.json --target {target}"
        );
        let said = stdout(folder, &words(&args));
        let mse = json(folder, &["evaluate", "m.json", "t.csv", "--json"])["mse"].as_f64().unwrap();
        let is_there = mse <= target.parse().unwrap();
        assert_eq!(
            said.contains(&format!("reached {target} after")),
            !said.contains("did not reach") || is_there
        );
        if said.contains("did not reach") {
            assert!(!is_there, "{said}");
        } else {
            assert!(is_there, "evaluate has {mse}: {said}");
            said_reached += 1;
        }
        let shown = stdout(folder, &["show", "m.json"]);
        assert_eq!(shown.contains(", reached"), is_there, "{shown}");
    }
    assert!(said_reached > 0);
}

#[test]
fn a_target_whose_squares_vanish_or_overflow_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(5);
    for scale in [1e-320, 1e-308, 1e-200, 1e-170, 1e-160, 1e-154] {
        for targets in [&[(0.0, scale)][..], &[(0.0, 1.0), (0.0, scale)]] {
            fs::write(folder.join("t.csv"), table(&mut random, targets)).unwrap();
            let column = format!("y{}", targets.len());
            for size in ["", " --hidden 2"] {
                let all = if targets.len() == 1 { "y1" } else { "y1,y2" };
                let args = format!("fit t.csv --target-column {all} --seed 1 --target 0.01{size}");
                let message = failure(folder, &words(&args), 2);
                assert!(message.contains(&format!("column {column}: ")), "{message}");
                assert!(message.contains("multiply the column by 1e"), "{message}");
            }
        }
    }
    for scale in [1e151, 1e200, 1e300] {
        fs::write(folder.join("t.csv"), table(&mut random, &[(0.0, scale)])).unwrap();
        let message = failure(folder, &words("fit t.csv --hidden 2 --seed 1 --target 0.01"), 2);
        assert!(message.contains("column y1: ") && message.contains("too large"), "{message}");
    }
}

/// An input with this step from row to row, and a target.
fn ladder(step: f64) -> String {
    let line = |i: i32| format!("{:e},{}", step * f64::from(i), (i * 7) % 5 + i);
    "a,y\n".to_string() + &(0..30).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn an_input_that_varies_too_little_to_be_scaled_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for step in [1e-310, 3e-308] {
        fs::write(folder.join("t.csv"), ladder(step)).unwrap();
        for scaling in ["standard", "min-max"] {
            let args = format!("fit t.csv --hidden 2 --seed 1 --scaling {scaling}");
            let message = failure(folder, &words(&args), 2);
            assert!(message.contains("column a: ") && message.contains("multiply"), "{message}");
        }
    }
    // Small inputs that can be scaled are used.
    fs::write(folder.join("t.csv"), ladder(1e-200)).unwrap();
    assert!(fit_and_check(folder, "fit t.csv --hidden 2 --seed 1 --max-evaluations 20000", 3.0, "1e-200"));
}

#[test]
fn a_target_below_rounding_is_warned_of() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(7);
    for (offset, target, is_warned) in [(1e15, 1e-4, true), (1e15, 0.01, false), (0.0, 1e-20, false)] {
        fs::write(folder.join("t.csv"), table(&mut random, &[(offset, 1.0)])).unwrap();
        let args = format!("fit t.csv --hidden 2 --seed 1 --max-evaluations 500 --json --target {target:e}");
        let output = onefold(folder, &words(&args)).assert().success().get_output().clone();
        let warned = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            warned.starts_with("warning: --target ") && warned.contains("column y1"),
            is_warned,
            "{warned}"
        );
    }
}

#[test]
fn trials_of_a_campaign_are_counted_as_reached_by_the_stored_model() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let mut random = Random::new(9);
    fs::write(folder.join("t.csv"), table(&mut random, &[(1e15, 1.0)])).unwrap();
    let targets = [0.002, 0.003, 0.004, 0.005, 0.007, 0.01];
    let mut text = String::from("name = \"big\"\n");
    for target in targets {
        write!(
            text,
            "\n[[cell]]\nname = \"below-{target}\"\ndata = \"./t.csv\"\nhidden = \"3\"\nmethod = \"multistart\"\ntarget = {target:?}\n\
             max_evaluations = 2000\nruns = 3\ntest_fraction = 0.0\n"
        )
        .unwrap();
    }
    fs::write(folder.join("big.toml"), text).unwrap();
    stdout(folder, &["reproduce", "--campaign", "big.toml", "--store", "store"]);
    let records = fs::read_to_string(folder.join("store/trials.jsonl")).unwrap();
    let mut trials = 0;
    for record in records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let target: f64 = record["cell"].as_str().unwrap().trim_start_matches("below-").parse().unwrap();
        let seed = record["seed"].as_u64().unwrap();
        let args = format!(
            "fit t.csv --hidden 3 --method multistart --seed {seed} --max-evaluations 2000 --test-fraction 0 --target {target} -o m.json --json"
        );
        // The same run by `fit`, whose model file can be evaluated.
        let said = json(folder, &words(&args));
        let mse = json(folder, &["evaluate", "m.json", "t.csv", "--json"])["mse"].as_f64().unwrap();
        assert_eq!(said["evaluations"], record["evaluations"], "{record}");
        assert_eq!(said["verified_cost"], record["verified_cost"], "{record}");
        // Where it is reached, the descent of `fit` goes on to its minimum.
        assert!(Some(mse) <= record["verified_cost"].as_f64(), "{record}");
        assert!(
            said["continuation"].is_object() || record["verified_cost"].as_f64() == Some(mse),
            "{record}"
        );
        assert_eq!(record["reached"] == true, mse <= target, "{record}");
        trials += 1;
    }
    assert_eq!(trials, 18);
}
