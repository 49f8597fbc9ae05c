//! Bad input: one sentence that names the flag or file.

use crate::common::onefold;
use crate::refused;
use std::fs;
use tempfile::TempDir;

#[test]
fn flags_of_another_method_are_refused() {
    let refusal = |text: &str| refused(&text.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        refusal("fit sinc --method cma-es --mutation rand1"),
        "--mutation is for de and de-sb and has no effect with --method cma-es; leave it out"
    );
    assert_eq!(
        refusal("fit sinc --sigma 0.3"),
        "--sigma is for cma-es, cma-es-sb, cma-es-ipop and cma-es-bipop and has no effect with --method auto; leave it out"
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
        "--preset is for cma-es, cma-es-sb, cma-es-ipop and cma-es-bipop and has no effect with --method jso; leave it out"
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
fn what_has_no_effect_on_local_steps_is_refused() {
    for method in ["auto", "hybrid", "multistart"] {
        for (flag, value, only) in [
            (
                "--bounds",
                "-9..9",
                "de, de-sb, cma-es, cma-es-sb, cma-es-ipop, cma-es-bipop, jade, shade, l-shade and jso",
            ),
            (
                "--spread",
                "0",
                "de, de-sb, cma-es, cma-es-sb, cma-es-ipop, cma-es-bipop, jade, shade, l-shade and jso",
            ),
            ("--mutation", "rand1", "de and de-sb"),
            ("--sigma", "0.3", "cma-es, cma-es-sb, cma-es-ipop and cma-es-bipop"),
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
        "--spread is for de, de-sb, cma-es, cma-es-sb, cma-es-ipop, cma-es-bipop, jade, shade, l-shade and jso and has no effect with --method auto; leave it out"
    );
}

const NOTHING_TO_SOLVE: &str = "--output-bias no: a network without hidden layers needs output biases or a linear \
                                part, as its outputs would always be 0";

#[test]
fn bad_networks() {
    for (args, expected) in [
        (["--topology", "1-0-1"], "\"1-0-1\" is not a topology: layer 2 of 3 has no neurons"),
        (["--hidden", "1-0-1"], "\"1-0-1\" is not a topology: hidden layer 2 of 3 has no neurons"),
        (["--hidden", "0"], "\"0\" is not a topology: hidden layer 1 of 1 has no neurons"),
        (
            ["--hidden", "five"],
            "\"five\" is not a topology: \"five\" is not a layer width; write numbers joined by dashes, such as 5 or 3-1-3",
        ),
        (["--topology", "2-3-1"], "the topology 2-3-1 has 2 inputs, but the data has 1"),
        (["--topology", "1-3-2"], "the topology 1-3-2 has 2 outputs, but the data has 1"),
        (
            ["--topology", "1"],
            "\"1\" is not a topology: it needs inputs and outputs, and mostly hidden layers between them, as in 1-5-1",
        ),
        (["--topology", "1-0"], "\"1-0\" is not a topology: layer 2 of 2 has no neurons"),
        (["--topology", "0-0+linear"], "\"0-0+linear\" is not a topology: layer 1 of 2 has no neurons"),
        (["--topology", "2-1+linear"], "the topology 2-1+linear has 2 inputs, but the data has 1"),
        (["--topology", "1-1"], NOTHING_TO_SOLVE),
        (["--hidden", "none"], NOTHING_TO_SOLVE),
        (
            ["--hidden", "none-3"],
            "\"none-3\" is not a topology: none stands alone for the hidden layers, where there are none",
        ),
        (
            ["--hidden", "3+linear+linear"],
            "\"3+linear+linear\" is not a topology: only +linear may follow the layers, and once, as in 5+linear",
        ),
        (
            ["--topology", "1-3-1+line"],
            "\"1-3-1+line\" is not a topology: only +linear may follow the layers, and once, as in 1-5-1+linear",
        ),
        (
            ["--hidden=3+linear", "--linear-part=no"],
            "--linear-part no: the network 3+linear has a linear part; leave one of both out",
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
        ("--encoding raw", "--encoding \"raw\": sinc has no encodings; only tic-tac-toe and balance have"),
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
        (
            "--hidden 100000-100000",
            "\"1-100000-100000-1\" is not a topology: it has more than 2^32 parameters",
        ),
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
    assert!(refused(&["fit", "wxyz"]).contains("the built-in ones are syn5, syn5-printed, sinc, incsinc"));
}

#[test]
fn show_refuses_what_is_no_model() {
    let folder = TempDir::new().unwrap();
    let failure = |file: &str| {
        let output = onefold(folder.path(), &["show", file]).assert().code(2).get_output().stderr.clone();
        String::from_utf8(output).unwrap()
    };
    assert!(failure("none.json").contains("none.json: No such file"));
    fs::write(folder.path().join("x.json"), "{\"a\": 1}").unwrap();
    assert!(failure("x.json").contains("x.json: this is not a model file"));
    fs::write(folder.path().join("y.json"), [0xff, 0xfe, 0x00]).unwrap();
    assert!(failure("y.json").contains("y.json: "));
}

#[test]
fn an_output_never_replaces_a_file_that_is_read() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("t.csv"), "a,y\n1,2\n2,4\n3,6\n4,8\n5,9\n6,12\n").unwrap();
    let fit = ["fit", "t.csv", "--hidden", "1", "--seed", "1", "-o", "m.json"];
    onefold(folder, &fit).assert().success();
    fs::copy(folder.join("t.csv"), folder.join("test.csv")).unwrap();
    let before = |name: &str| fs::read(folder.join(name)).unwrap();
    for (args, file, what) in [
        ("fit t.csv --hidden 1 -o ./t.csv", "t.csv", "the data"),
        ("fit t.csv --hidden 1 --test test.csv -o test.csv", "test.csv", "the test data"),
        ("predict m.json t.csv -o t.csv", "t.csv", "the data"),
        ("predict m.json t.csv -o m.json", "m.json", "the model"),
    ] {
        let (content, args) = (before(file), args.split(' ').collect::<Vec<_>>());
        let output = onefold(folder, &args).assert().code(2).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(&format!("this is {what}; name another file")), "{message}");
        assert!(output.stdout.is_empty() && before(file) == content, "{args:?}");
    }
}
