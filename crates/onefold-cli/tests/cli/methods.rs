//! Methods and their options.

use crate::common::{json, stdout, words};
use crate::refused;
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

#[test]
fn every_option_reaches_the_run() {
    let folder = TempDir::new().unwrap();
    let args = "fit balance --hidden 4-2 --method de --population 33 --seed 5 --mutation current-to-best1 --weight 0.4..0.8 \
                --dither trial --crossover exponential --crossover-rate 0.7 --start -2..2 --bounds -9..9 --target 0.2 \
                --max-evaluations 1e4 --max-generations 50 --time 30s --stagnation 40 --spread 0 --penalty-weight 10 \
                --penalty-radius off --rank-tolerance 1e-8 --split 2/1 --split-kind strict --encoding raw --scaling min-max \
                --output-bias --output m.json";
    stdout(folder.path(), &args.split_whitespace().collect::<Vec<_>>());
    let model: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("m.json")).unwrap()).unwrap();
    let settings = &model["origin"]["settings"];
    assert_eq!(model["topology"], "4-4-2-3");
    assert_eq!(model["readout"][0].as_array().unwrap().len(), 3);
    assert_eq!(model["scaler"]["offset"][0], 3.0);
    let expected = serde_json::json!({
        "population": 33, "mutation": "current-to-best1", "weight": {"dither-trial": [0.4, 0.8]},
        "crossover": "exponential", "crossover_rate": 0.7, "start": [-2.0, 2.0], "bounds": [-9.0, 9.0], "seed": 5,
    });
    assert_eq!(settings["method"]["de"], expected);
    assert_eq!(settings["stop"]["max_seconds"], 30.0);
    assert_eq!(settings["stop"]["max_evaluations"], 10_000);
    assert_eq!(settings["stop"]["stagnation"], 40);
    assert_eq!(settings["cost"]["penalty_radius"], "off");
    assert_eq!(settings["cost"]["rank_tolerance"], 1e-8);
}

#[test]
fn every_option_of_cma_es_reaches_the_run() {
    let folder = TempDir::new().unwrap();
    let args = "fit syn5 --method cma-es --population 33 --seed 5 --sigma 0.3 --preset tutorial --covariance diagonal --start -2..2 \
                --bounds -9..9 --max-generations 5 --output m.json";
    stdout(folder.path(), &args.split_whitespace().collect::<Vec<_>>());
    let text = fs::read_to_string(folder.path().join("m.json")).unwrap();
    let model: Value = serde_json::from_str(&text).unwrap();
    let expected = serde_json::json!({
        "population": 33, "sigma": 0.3, "preset": "tutorial", "covariance": "diagonal", "start": [-2.0, 2.0], "bounds": [-9.0, 9.0],
        "horizon": null, "tol_fun": null, "tol_x": null, "seed": 5,
    });
    assert_eq!(model["origin"]["settings"]["method"]["cma-es"], expected);
}

#[test]
fn cma_es_reaches_the_papers_threshold_and_names_its_restarts() {
    let folder = TempDir::new().unwrap();
    let result = json(folder.path(), &["fit", "iris", "--method", "cma-es", "--seed", "0", "--json"]);
    assert_eq!((result["reached"].as_bool(), result["population"].as_u64()), (Some(true), Some(20)));
    assert_eq!(result["restarts"], serde_json::json!([]));
    for method in ["cma-es-ipop", "cma-es-bipop"] {
        // A target below the noise: every run ends in an optimum, and restarts follow until the budget is
        // spent.
        let args =
            ["fit", "syn5", "--method", method, "--target", "0", "--max-evaluations", "1e5", "--seed", "1"];
        let result = json(folder.path(), &[&args[..], &["--json"]].concat());
        assert_eq!(
            (result["reached"].as_bool(), result["stop"].as_str()),
            (Some(false), Some("evaluations"))
        );
        assert!(result["evaluations"].as_u64().unwrap() <= 100_000);
        let restarts = result["restarts"].as_array().unwrap();
        assert!(restarts.len() >= 2, "{result}");
        for restart in restarts {
            assert!(restart["reason"].is_string() && restart["evaluations"].is_u64(), "{restart}");
            assert!(restart["to"]["population"].is_u64() && restart["to"]["regime"].is_string(), "{restart}");
        }
        let text = stdout(folder.path(), &[&args[..], &["-o", "m.json"]].concat());
        assert!(text.contains("restart   after") && text.contains("next population"), "{text}");
    }
    // Without restarts, the reason stands in the report and in the model file.
    let args = ["fit", "syn5-printed", "--method", "cma-es", "--target", "0", "--seed", "1", "-o", "m.json"];
    let text = stdout(folder.path(), &args);
    assert!(text.contains("a local optimum; try"), "{text}");
    let shown = json(folder.path(), &["show", "m.json", "--json"]);
    assert_eq!(shown["origin"]["stop"], "condition-number");
}

#[test]
fn every_way_to_break_symmetries_reaches_the_target() {
    let folder = TempDir::new().unwrap();
    let de_sb = "fit iris --method de-sb --seed 0 --json";
    let evaluations: Vec<u64> = ["none", "heuristic", "ideal", "canonical"]
        .map(|align| {
            let result = json(folder.path(), &words(&format!("{de_sb} --align {align}")));
            assert_eq!(result["reached"], true, "{align}");
            result["evaluations"].as_u64().unwrap()
        })
        .to_vec();
    let plain = json(folder.path(), &["fit", "iris", "--seed", "0", "--method", "de", "--json"]);
    assert_eq!(plain["evaluations"], evaluations[0]);
    let default = json(folder.path(), &words(de_sb));
    assert_eq!(default["evaluations"], evaluations[1]);
    let message = refused(&["fit", "iris", "--method", "de", "--align", "ideal"]);
    assert_eq!(
        message,
        "--align is for de-sb, cma-es-sb, jade, shade, l-shade and jso and has no effect with --method de; leave it out"
    );
}

#[test]
fn methods_by_local_steps_and_aligned_cma_es_reach_the_papers_threshold() {
    let folder = TempDir::new().unwrap();
    for method in ["auto", "hybrid", "multistart", "cma-es-sb"] {
        // The paper's CMA-ES reaches sinc with five neurons seldom; with six it always does.
        let hidden = if method == "cma-es-sb" { "6" } else { "5" };
        let text = format!("fit sinc --hidden {hidden} --method {method} --seed 1 --json -o m.json");
        let result = json(folder.path(), &words(&text));
        assert_eq!((result["method"].as_str(), result["reached"].as_bool()), (Some(method), Some(true)));
        assert_eq!(result["stop"], "target", "{method}");
        assert!(result["verified_cost"].as_f64().unwrap() <= 5e-5, "{result}");
        let is_local = method != "cma-es-sb";
        assert_eq!(result["slopes"].as_u64().unwrap() > 0, is_local, "{result}");
        let shown = json(folder.path(), &["show", "m.json", "--json"]);
        assert_eq!(shown["origin"]["settings"]["method"][method]["seed"], 1);
        assert_eq!(shown["origin"]["evaluations"], result["evaluations"]);
        assert_eq!(shown["origin"]["slopes"].as_u64().unwrap_or(0), result["slopes"].as_u64().unwrap());
    }
}

#[test]
fn when_all_optima_are_known_the_search_ends_and_says_so() {
    let folder = TempDir::new().unwrap();
    let args = words("fit sinc --hidden 1 --target 1e-12 --seed 1 -o m.json");
    let text = stdout(folder.path(), &args);
    assert!(text.contains("did not reach 1e-12 after "), "{text}");
    assert!(
        text.contains(
            ": all local optima have probably been found; a larger network can reach a lower error\n"
        ),
        "{text}"
    );
    assert!(text.contains("  optima    ") && text.contains(" up to symmetry"), "{text}");
    let result = json(folder.path(), &[&args[..], &["--json"]].concat());
    assert_eq!((result["reached"].as_bool(), result["stop"].as_str()), (Some(false), Some("all-optima")));
    let optima = result["optima"].as_array().unwrap();
    let costs: Vec<f64> = optima.iter().map(|o| o["cost"].as_f64().unwrap()).collect();
    assert!(!costs.is_empty() && costs.is_sorted(), "{result}");
    assert!(optima.iter().map(|o| o["found"].as_u64().unwrap()).sum::<u64>() >= 25, "{result}");
    assert!((costs[0] / result["cost"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{result}");
    let shown = json(folder.path(), &["show", "m.json", "--json"]);
    assert_eq!(shown["origin"]["stop"], "all-optima");
}

#[test]
fn adaptive_methods_train_with_and_without_symmetry_breaking() {
    let folder = TempDir::new().unwrap();
    for (method, population) in [("jade", 100), ("shade", 100), ("l-shade", 270), ("jso", 262)] {
        let mut reached = 0;
        for (align, seed) in [("heuristic", "1"), ("heuristic", "2"), ("none", "1")] {
            let args = ["fit", "iris", "--method", method, "--align", align, "--seed", seed, "--json"];
            let result = json(folder.path(), &args);
            assert_eq!(result["method"].as_str(), Some(method));
            assert_eq!(result["population"].as_u64(), Some(population), "{result}");
            assert!(result["evaluations"].as_u64().unwrap() <= 248_000, "{result}");
            reached += u64::from(result["reached"].as_bool().unwrap());
        }
        // JADE does not reach the paper's threshold from every seed.
        assert!(reached > 0, "{method}");
    }
    // The textbook method takes any bounds.
    let text = "fit iris --method shade --align none --bounds -1..2 --seed 0 --json";
    json(folder.path(), &text.split_whitespace().collect::<Vec<_>>());
}
