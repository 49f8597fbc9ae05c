//! The command as a user meets it: results, files, messages and exit codes.

use assert_cmd::Command;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn onefold(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("onefold").unwrap();
    command.current_dir(folder);
    command
}

/// Standard output of a command that must succeed.
fn stdout(folder: &Path, args: &[&str]) -> String {
    let output = onefold(folder).args(args).assert().success().get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&stdout(folder, args)).unwrap()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A refusal: exit code 2, one sentence on standard error, nothing on standard output, nothing written.
fn refused(args: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let output = onefold(folder.path()).args(args).assert().code(2).get_output().clone();
    assert!(output.stdout.is_empty(), "{args:?} printed something");
    assert!(files(folder.path()).is_empty(), "{args:?} wrote something");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: "), "{message}");
    message.trim_end().trim_start_matches("error: ").to_string()
}

#[test]
fn fit_reports_and_leaves_a_model() {
    let folder = TempDir::new().unwrap();
    let text = stdout(folder.path(), &["fit", "iris", "--seed", "0"]);
    for expected in
        ["4-3-3", "racing local descents", "seed 0", "reached 0.011 after", " slopes, worth ", " ms\n"]
    {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(text.contains("verified  error ") && text.contains(", at most the search's own 0.01"), "{text}");
    assert_eq!(files(folder.path()), ["iris-4-3-3-auto-0.json"]);
    let shown = stdout(folder.path(), &["show", "iris-4-3-3-auto-0.json", "--weights"]);
    assert!(shown.contains("24 parameters") && shown.contains("output Iris-virginica  weights"), "{shown}");
    assert!(shown.contains("method    auto") && shown.contains(" slopes\n"), "{shown}");
    let shown = json(folder.path(), &["show", "iris-4-3-3-auto-0.json", "--json"]);
    assert_eq!(shown["origin"]["settings"]["method"]["auto"]["seed"], 0);
    // The paper's method has neither slopes nor optima to tell of.
    let text = stdout(folder.path(), &["fit", "iris", "--method", "de-sb", "--seed", "0"]);
    assert!(text.contains(" per second)") && text.contains(" from the search's own\n"), "{text}");
    assert!(!text.contains("slopes") && !text.contains("optima"), "{text}");
    let shown = stdout(folder.path(), &["show", "iris-4-3-3-de-sb-0.json"]);
    assert!(shown.contains("method    de-sb, population 40") && !shown.contains("slopes"), "{shown}");
}

#[test]
fn fit_json_has_the_promised_keys() {
    let folder = TempDir::new().unwrap();
    let result = json(folder.path(), &["fit", "iris", "--seed", "3", "--json"]);
    for key in [
        "data",
        "topology",
        "method",
        "population",
        "seed",
        "reached",
        "evaluations",
        "slopes",
        "evaluation_equivalents",
        "optima",
        "seconds",
        "evaluations_per_second",
        "cost",
        "verified_cost",
        "train_mse",
        "test_mse",
        "test_accuracy",
    ] {
        assert!(!result[key].is_null(), "{key} in {result}");
    }
    assert_eq!((result["topology"].as_str(), result["method"].as_str()), (Some("4-3-3"), Some("auto")));
    assert_eq!((result["population"].as_u64(), result["reached"].as_bool()), (Some(5), Some(true)));
    let (evaluations, slopes) = (result["evaluations"].as_f64().unwrap(), result["slopes"].as_f64().unwrap());
    assert!(slopes > 0.0 && slopes <= evaluations, "{result}");
    assert!(result["evaluation_equivalents"].as_f64().unwrap() > evaluations + slopes, "{result}");
    let by_de = json(folder.path(), &["fit", "iris", "--method", "de-sb", "--seed", "3", "--json"]);
    assert_eq!((by_de["population"].as_u64(), by_de["reached"].as_bool()), (Some(40), Some(true)));
    assert_eq!((by_de["slopes"].as_u64(), &by_de["optima"]), (Some(0), &serde_json::json!([])));
    assert_eq!(by_de["evaluation_equivalents"].as_f64(), by_de["evaluations"].as_f64());
    assert!(files(folder.path()).is_empty(), "--json writes no file unless asked");
    let regression = json(folder.path(), &["fit", "syn5", "--seed", "3", "--json", "-o", "m.json"]);
    assert!(regression["test_accuracy"].is_null() && regression["test_mse"].is_number());
    assert_eq!(files(folder.path()), ["m.json"]);
}

#[test]
fn the_same_seed_gives_the_same_file_with_any_number_of_threads() {
    let folder = TempDir::new().unwrap();
    let read = |file: &str| {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        text.lines().filter(|line| !line.contains("\"threads\"")).collect::<Vec<_>>().join("\n")
    };
    for method in ["auto", "de-sb", "cma-es-sb"] {
        for (threads, file) in [("1", "a.json"), ("2", "b.json"), ("0", "c.json")] {
            let args = ["fit", "syn5", "--method", method, "--seed", "0", "--threads", threads, "-o", file];
            stdout(folder.path(), &args);
        }
        assert_eq!(read("a.json"), read("b.json"), "{method}");
        assert_eq!(read("a.json"), read("c.json"), "{method}");
    }
}

#[test]
fn without_a_seed_one_is_drawn_and_printed() {
    let folder = TempDir::new().unwrap();
    let seeds: Vec<u64> = (0..3)
        .map(|_| {
            let result = json(folder.path(), &["fit", "iris", "--max-generations", "2", "--json"]);
            result["seed"].as_u64().unwrap()
        })
        .collect();
    assert!(seeds[0] != seeds[1] || seeds[1] != seeds[2], "{seeds:?}");
}

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
fn flags_of_another_method_are_refused() {
    let refusal = |text: &str| refused(&text.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        refusal("fit sinc --method cma-es --mutation rand1"),
        "--mutation is for de and de-sb and has no effect with --method cma-es; leave it out"
    );
    assert_eq!(
        refusal("fit sinc --sigma 0.3"),
        "--sigma is for the forms of cma-es and has no effect with --method auto; leave it out"
    );
    assert_eq!(refusal("fit sinc --method cma-es --sigma 0"), "--sigma 0: must be positive");
    assert_eq!(
        refusal("fit sinc --method cma-es --population 1"),
        "--population 1: CMA-ES needs at least 2 candidates"
    );
    assert!(refusal("fit sinc --method cmaes").contains("cma-es-bipop"));
    assert_eq!(
        refusal("fit sinc --method l-shade --crossover-rate 0.5"),
        "--crossover-rate is for de and de-sb and has no effect with --method l-shade; leave it out"
    );
    assert_eq!(
        refusal("fit sinc --method jso --preset pycma"),
        "--preset is for the forms of cma-es and has no effect with --method jso; leave it out"
    );
    assert_eq!(
        refusal("fit sinc --method cma-es --align none"),
        "--align is for de-sb, cma-es-sb, jade, shade, l-shade and jso and has no effect with --method cma-es; leave it out"
    );
    assert_eq!(
        refusal("fit sinc --method jade --population 3"),
        "--population 3: jade needs at least 4 individuals"
    );
    assert_eq!(
        refusal("fit sinc --method shade --bounds -1..2"),
        "--bounds -1..2: must be symmetric about 0 with shade, which flips signs unless align is none"
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
fn what_has_no_effect_on_local_steps_is_refused() {
    for method in ["auto", "hybrid", "multistart"] {
        for (flag, value, only) in [
            ("--bounds", "-9..9", "methods with a population"),
            ("--spread", "0", "methods with a population"),
            ("--mutation", "rand1", "de and de-sb"),
            ("--sigma", "0.3", "the forms of cma-es"),
            ("--align", "ideal", "de-sb, cma-es-sb, jade, shade, l-shade and jso"),
        ] {
            assert_eq!(
                refused(&["fit", "sinc", "--method", method, flag, value]),
                format!("{flag} is for {only} and has no effect with --method {method}; leave it out")
            );
        }
        let message = refused(&["fit", "sinc", "--method", method, "--population", "0"]);
        assert_eq!(message, "--population 0: must be at least 1");
    }
    assert_eq!(
        refused(&["fit", "sinc", "--spread", "0"]),
        "--spread is for methods with a population and has no effect with --method auto; leave it out"
    );
}

#[test]
fn when_all_optima_are_known_the_search_ends_and_says_so() {
    let folder = TempDir::new().unwrap();
    let args = words("fit sinc --hidden 1 --target 1e-12 --seed 1 -o m.json");
    let text = stdout(folder.path(), &args);
    assert!(text.contains("did not reach 1e-12 after "), "{text}");
    assert!(
        text.contains(": all local optima have probably been found; a larger network can do better\n"),
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

#[test]
fn not_reaching_the_target_is_an_outcome() {
    let folder = TempDir::new().unwrap();
    let text = stdout(folder.path(), &words("fit sinc --method de-sb --seed 1 --max-evaluations 1000"));
    assert!(
        text.contains("did not reach 5e-5 after 960 evaluations") && text.contains("--max-evaluations"),
        "{text}"
    );
    assert_eq!(files(folder.path()).len(), 1);
    // Slopes count as the evaluations that take as long.
    let text = "fit sinc --target 0 --seed 1 --max-evaluations 1000 --json";
    let result = json(folder.path(), &words(text));
    assert_eq!((result["reached"].as_bool(), result["stop"].as_str()), (Some(false), Some("evaluations")));
    let worth = result["evaluation_equivalents"].as_f64().unwrap();
    assert!(worth > result["evaluations"].as_f64().unwrap() && worth < 1100.0, "{result}");
}

#[test]
fn bad_networks() {
    for (args, expected) in [
        (["--topology", "1-0-1"], "\"1-0-1\" is no network: layer 2 of 3 has no neurons"),
        (["--hidden", "1-0-1"], "\"1-0-1\" is no network: hidden layer 2 of 3 has no neurons"),
        (["--hidden", "0"], "\"0\" is no network: hidden layer 1 of 1 has no neurons"),
        (
            ["--hidden", "five"],
            "\"five\" is no network: \"five\" is not a layer width; write numbers joined by dashes, such as 5 or 3-1-3",
        ),
        (["--topology", "2-3-1"], "the topology 2-3-1 has 2 inputs, but the data has 1"),
        (["--topology", "1-3-2"], "the topology 1-3-2 has 2 outputs, but the data has 1"),
        (
            ["--topology", "1-1"],
            "\"1-1\" is no network: it needs inputs, at least one hidden layer and outputs, as in 1-5-1",
        ),
    ] {
        assert_eq!(refused(&["fit", "sinc", args[0], args[1]]), expected);
    }
}

#[test]
fn bad_settings_name_their_flag() {
    for (args, expected) in [
        ("--population 3", "--population 3: rand/1 needs at least 4 individuals"),
        ("--population 5 --mutation rand2", "--population 5: rand/2 needs at least 6 individuals"),
        ("--target -1", "--target -1: a mean squared error is never negative"),
        ("--target nan", "--target NaN: must be a finite number"),
        ("--weight 0", "--weight 0: must lie above 0 and be at most 2, lower end first"),
        ("--crossover-rate 1.5", "--crossover-rate 1.5: must lie between 0 and 1"),
        ("--bounds 0..1", "--bounds 0..1: must be finite and contain the start interval -1..1"),
        (
            "--bounds=-1..3",
            "--bounds -1..3: must be symmetric about 0 with de-sb, which flips signs unless align is none",
        ),
        ("--bounds=-inf..inf", "--bounds -inf..inf: must be finite and contain the start interval -1..1"),
        ("--start=-1e308..1e308", "--start -1e308..1e308: must be a finite interval, lower end first"),
        ("--weight 1e300", "--weight 1e300: must lie above 0 and be at most 2, lower end first"),
        ("--max-evaluations 100", "--max-evaluations 100: the first generation alone needs 160"),
        ("--time 0s", "--time 0: must be positive"),
        ("--rank-tolerance 0", "--rank-tolerance 0: must be at least 1e-26 and below 1"),
        ("--penalty-radius -1", "--penalty-radius -1: must be positive (or \"sqrt-dim\", or \"off\")"),
        ("--samples 0", "--samples 0: must be at least 1"),
        ("--noise -0.1", "--noise -0.1: must lie between 0 and 1e100"),
        ("--encoding raw", "--encoding \"raw\": sinc has no encodings; only balance and tic-tac-toe do"),
        ("--split-kind strict", "--split-kind strict: sinc is generated in two parts and has no split"),
        ("--scaling 0", "--scaling 0: must divide by a finite number other than 0"),
    ] {
        let args: Vec<&str> =
            ["fit", "sinc", "--method", "de-sb"].into_iter().chain(args.split(' ')).collect();
        assert_eq!(refused(&args), expected);
    }
    assert_eq!(
        refused(&["fit", "balance", "--split", "1/1000"]),
        "--split 1/1000 shifted: leaves no row of balance to train on"
    );
    assert_eq!(
        refused(&["fit", "iris", "--data-seed", "1"]),
        "--data-seed 1: iris is a fixed table without it"
    );
}

#[test]
fn absurd_sizes_are_refused_before_any_memory_is_taken() {
    for (args, expected) in [
        (
            "--method de-sb --population 1000000000",
            "a population of 1000000000 individuals with 10 parameters each would need about 150 GiB",
        ),
        (
            "--method de-sb --population 18446744073709551615",
            "a population of 18446744073709551615 individuals",
        ),
        (
            "--population 1000000000",
            "a population of 1000000000 individuals with 10 parameters each would need about 150 GiB",
        ),
        ("--population 18446744073709551615", "a population of 18446744073709551615 individuals"),
        ("--samples 99999999999", "99999999999 samples of sinc would need about 11921 GiB"),
        ("--hidden 1000000", "a network 1-1000000-1 on 200 rows with 1 threads would need about 14902 GiB"),
        ("--hidden 100000-100000", "\"1-100000-100000-1\" is no network: it has more than 2^32 parameters"),
        ("--threads 100000", "--threads 100000: must be at most 256"),
    ] {
        let args: Vec<&str> = ["fit", "sinc"].into_iter().chain(args.split(' ')).collect();
        let message = refused(&args);
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn what_cannot_be_parsed_names_its_flag_too() {
    for (args, flag) in [
        ("--population x", "--population"),
        ("--seed -1", "--seed"),
        ("--max-evaluations 1.5", "--max-evaluations"),
        ("--method cma", "--method"),
        ("--split 0/1", "--split"),
        ("--time soon", "--time"),
        ("--penalty-radius big", "--penalty-radius"),
        ("--colour red", "--colour"),
        ("--hidden 5 --topology 1-5-1", "--topology"),
    ] {
        let args: Vec<&str> = ["fit", "sinc"].into_iter().chain(args.split(' ')).collect();
        let message = refused(&args);
        assert!(message.contains(flag) && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn unknown_data_sets_suggest_the_nearest() {
    assert_eq!(refused(&["fit", "sinq"]), "there is no data set \"sinq\"; did you mean sinc?");
    assert_eq!(
        refused(&["fit", "two-spiral"]),
        "there is no data set \"two-spiral\"; did you mean two-spirals?"
    );
    assert_eq!(refused(&["datasets", "Iris"]), "there is no data set \"Iris\"; did you mean iris?");
    assert!(refused(&["fit", "wxyz"]).contains("there are syn5, syn5-printed, sinc, incsinc"));
}

#[test]
fn unwritable_outputs_are_found_before_the_run() {
    assert!(
        refused(&["fit", "sinc", "-o", "no/such/folder/m.json"])
            .starts_with("--output no/such/folder/m.json: its folder does not exist")
    );
    assert_eq!(refused(&["fit", "sinc", "-o", "."]), "--output .: this is a directory; name a file");
}

#[test]
fn files_are_never_lost() {
    let folder = TempDir::new().unwrap();
    let run = |more: &[&str]| stdout(folder.path(), &[&["fit", "iris", "--seed", "0"], more].concat());
    run(&[]);
    assert!(run(&["--split", "2/1"]).contains("iris-4-3-3-auto-0-2.json"));
    assert_eq!(files(folder.path()), ["iris-4-3-3-auto-0-2.json", "iris-4-3-3-auto-0.json"]);
    let model = fs::read_to_string(folder.path().join("iris-4-3-3-auto-0-2.json")).unwrap();
    let model: Value = serde_json::from_str(&model).unwrap();
    assert_eq!(model["origin"]["data_settings"]["split"]["train"], 2);
    #[cfg(unix)]
    {
        fs::write(folder.path().join("target.json"), "old").unwrap();
        std::os::unix::fs::symlink("target.json", folder.path().join("link.json")).unwrap();
        run(&["-o", "link.json"]);
        assert!(fs::symlink_metadata(folder.path().join("link.json")).unwrap().is_symlink());
        assert!(fs::read_to_string(folder.path().join("target.json")).unwrap().contains("onefold-model"));
        run(&["-o", "/dev/null"]);
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
    let locked = folder.path().join("iris-4-3-3-auto-0.json");
    let mut permissions = fs::metadata(&locked).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&locked, permissions).unwrap();
    let args = ["fit", "iris", "-o", "iris-4-3-3-auto-0.json"];
    let output = onefold(folder.path()).args(args).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8(output).unwrap().contains("read-only"));
}

#[test]
fn show_refuses_what_is_no_model() {
    let folder = TempDir::new().unwrap();
    let failure = |file: &str| {
        let output = onefold(folder.path()).args(["show", file]).assert().code(2).get_output().stderr.clone();
        String::from_utf8(output).unwrap()
    };
    assert!(failure("none.json").contains("none.json: No such file"));
    fs::write(folder.path().join("x.json"), "{\"a\": 1}").unwrap();
    assert!(failure("x.json").contains("x.json: this is not a model file"));
    fs::write(folder.path().join("y.json"), [0xff, 0xfe, 0x00]).unwrap();
    assert!(failure("y.json").contains("y.json: "));
}

#[test]
fn datasets_prints_the_classic_files() {
    let folder = TempDir::new().unwrap();
    for (name, expected) in [
        ("balance", "5611187ef7345d807aa8ae22615945ade52a190537c0b1434bd44c3e877c5bb4"),
        ("tic-tac-toe", "a996a756484d0cf8cbad1680d823aadbfcff8ae2d78c450e6999362d580301c5"),
        ("two-spirals", "8092180091dd09dafe6164758be6ed315c80a7c6d580a8273a19f1f7d3019162"),
        ("iris", "596ffd580471ca4d4880f8e439c7281f3b50d8249a5960353cb200b1490f63a0"),
        ("iris-fisher", "36f668d1cbc29a8c2c1128c5d2f0d400fa04ed4dc62d12246f44ce9360360cc0"),
    ] {
        let text = stdout(folder.path(), &["datasets", name, "--csv"]);
        let sha = Sha256::digest(&text).iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        assert_eq!(sha, expected, "{name}");
    }
    let sinc = stdout(folder.path(), &["datasets", "sinc", "--csv", "--samples", "7", "--test-samples", "2"]);
    assert_eq!(sinc.lines().count(), 9);
}

#[test]
fn datasets_lists_and_details() {
    let folder = TempDir::new().unwrap();
    insta::assert_snapshot!(stdout(folder.path(), &["datasets"]));
    insta::assert_snapshot!(stdout(folder.path(), &["datasets", "balance"]));
    assert_eq!(json(folder.path(), &["datasets", "--json"]).as_array().unwrap().len(), 10);
    assert_eq!(json(folder.path(), &["datasets", "iris", "--json"])["train_rows"], 75);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .args(["datasets", "sinc", "--csv", "--samples", "200000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_with_the_best_so_far() {
    use std::process::{Command, Stdio};
    let folder = TempDir::new().unwrap();
    // A target that cannot be reached and no budget: only the interrupt ends it.
    let child = Command::new(assert_cmd::cargo::cargo_bin("onefold"))
        .args([
            "fit",
            "sinc",
            "--method",
            "de-sb",
            "--seed",
            "1",
            "--target",
            "0",
            "--max-evaluations",
            "1e15",
            "--spread",
            "0",
            "-o",
            "m.json",
        ])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("did not reach 0") && text.contains("interrupted"), "{text}");
    assert_eq!(files(folder.path()), ["m.json"]);
    assert!(stdout(folder.path(), &["show", "m.json"]).contains("not reached"));
}

#[test]
fn help_and_completions() {
    let folder = TempDir::new().unwrap();
    assert!(stdout(folder.path(), &["fit", "--help"]).contains("onefold fit sinc"));
    assert!(stdout(folder.path(), &["completions", "bash"]).contains("_onefold"));
    assert!(stdout(folder.path(), &["--version"]).starts_with("onefold 0."));
    onefold(folder.path()).assert().code(2);
}
