use super::*;
use onefold::{Builtin, FitSettings, Method};
use std::fmt::Write as _;

#[test]
fn stars_match_across_slashes() {
    for (pattern, name, expected) in [
        ("iris/*", "iris/4-3-3/de", true),
        ("*", "anything/at/all", true),
        ("*/de", "iris/4-3-3/de", true),
        ("*/de", "iris/4-3-3/de-sb", false),
        ("sinc*1-5-1*", "sinc/1-5-1/de-sb", true),
        ("sinc*1-5-1*", "incsinc/1-5-1/de-sb", false),
        ("iris", "iris/4-3-3/de", false),
        ("", "x", false),
    ] {
        assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
    }
}

fn refused(text: &str) -> String {
    Campaign::parse(text, "x.toml").unwrap_err().to_string()
}

#[test]
fn mistakes_are_named_with_their_line() {
    let cell = "name = \"a\"\n\n[[cell]]\ndata = \"sinc\"\nhidden = \"5\"\nmethod = \"de\"\n";
    assert_eq!(Campaign::parse(cell, "x.toml").unwrap().cells[0].name, "sinc/1-5-1/de");
    for (text, expected) in [
        (
            format!("{cell}populaton = 3\n"),
            "x.toml line 7: in this cell, there is no key populaton; did you mean population?",
        ),
        (
            format!("{cell}population = \"many\"\n"),
            "x.toml line 7: in this cell, population: expected a whole number such as 200000 or 1e6",
        ),
        (
            format!("{cell}crossover_rate = \"often\"\n"),
            "x.toml line 7: in this cell, crossover_rate: expected a number",
        ),
        (format!("{cell}population = 3\n"), "x.toml line 7: in this cell, population is 3, but rand/1 needs"),
        (
            format!("{cell}sigma = 3\n"),
            "x.toml line 7: in this cell, sigma is for cma-es, cma-es-sb, cma-es-ipop and cma-es-bipop",
        ),
        (
            format!("{cell}output_layer = \"logistic\"\n"),
            "x.toml line 7: in this cell, output_layer is not for campaigns: trials end at a target",
        ),
        (format!("{cell}seed = 3\n"), "x.toml line 7: in this cell, seed is not for campaigns: trials have"),
        (
            format!("{cell}folds = 3\n"),
            "x.toml line 7: in this cell, folds is for files and has no effect on the built-in sinc",
        ),
        (format!("{cell}data_seeds = \"many\"\n"), "x.toml line 7: in this cell, data_seeds: invalid type"),
        (
            format!("{cell}data_seeds = 1\n"),
            "x.toml line 7: in this cell, data_seeds 1: must be a number of noisy samples, at least 2",
        ),
        (
            format!("{cell}data_seed = 3\ndata_seeds = 20\n"),
            "x.toml line 3: in this cell, data_seed and data_seeds exclude each other",
        ),
        (
            format!("{cell}data_seeds = 20\n").replace("sinc", "iris"),
            "x.toml line 7: in this cell, data_seeds 20: must be a number of noisy samples",
        ),
        (format!("{cell}table = \"a,b\"\n"), "x.toml line 7: in this cell, table must be plain text"),
        (cell.replace("\"sinc\"", "\"sinq\""), "x.toml line 4: in this cell, there is no data set \"sinq\""),
        (cell.replace("data = \"sinc\"\n", ""), "x.toml line 3: in this cell, data is missing"),
        (cell.replace("\"de\"", "\"ed\""), "x.toml line 6: in this cell, method: unknown method `ed`"),
        (
            format!("{cell}versus = \"sinc/1-5-1/ed\"\n"),
            "x.toml line 7: in this cell, versus is sinc/1-5-1/ed, but there is no such cell",
        ),
        (cell.replace("\"5\"", "\"0\""), "x.toml line 5: in this cell, \"0\" is no network topology"),
        (format!("{cell}{}", &cell[12..]), "x.toml line 7: there are two cells named sinc/1-5-1/de"),
        (
            format!("{cell}paper = {{ robustness = 2.0 }}\n"),
            "x.toml line 7: in this cell, in paper, robustness",
        ),
        ("name = \"..\"\ncell = []\n".into(), "x.toml line 1: the campaign's name"),
        ("name = \"a\"\ncell = []\n".into(), "x.toml line 1: there is no cell"),
        ("name = \"a\"\n".into(), "x.toml line 1: missing field `cell`"),
        ("name = \"a/b\"\ncell = []\n".into(), "x.toml line 1: the campaign's name"),
        ("name = \n".into(), "x.toml line 1: "),
    ] {
        let message = refused(&text);
        assert!(message.starts_with(expected), "{message}\n  expected {expected}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn the_papers_campaign_has_every_cell_with_the_papers_numbers() {
    let campaign = Campaign::parse(crate::PAPER, "experiments/paper.toml").unwrap();
    for builtin in Builtin::ALL.into_iter().filter(|b| b.variant_of().is_none()) {
        for row in builtin.paper_cells() {
            for (method, result) in
                [(Method::DE, row.de), (Method::DE_SB, row.de_sb), (Method::CMA_ES, row.cma_es)]
            {
                let topology = FitSettings::for_builtin(builtin, Some(row.hidden), method).unwrap().topology;
                let name = format!("{builtin}/{topology}/{method}");
                let cell = campaign.cells.iter().find(|c| c.name == name).expect(&name);
                let paper = cell.paper.as_ref().expect(&name);
                assert_eq!(cell.settings.population(), result.population, "{name}");
                assert_eq!(paper.robustness.to_bits(), result.robustness.to_bits(), "{name}");
                assert_eq!(paper.evaluations.zip(paper.deviation), result.evaluations, "{name}");
                assert_eq!(cell.settings.stop.threshold, Some(builtin.threshold()), "{name}");
                assert!(cell.table == "regression" || cell.table == "classification", "{name}");
            }
        }
    }
}

#[test]
fn cells_have_the_options_of_fit_and_their_older_names() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("t.csv");
    let mut rows = String::from("a,b,y\n");
    for i in 0..30 {
        let _ = writeln!(rows, "{i},{},{}", ["u", "v"][i % 2], 2 * i);
    }
    std::fs::write(&file, rows).unwrap();
    let parsed = |keys: &str| {
        let text = format!(
            "name = \"a\"\n[[cell]]\ndata = {file:?}\nhidden = 2\nmethod = \"de-sb\"\ntarget = 1.0\n{keys}\n"
        );
        Campaign::parse(&text, "x.toml").map(|campaign| campaign.cells[0].clone())
    };
    let plain = parsed("").unwrap();
    for (older, newer) in [("ignore", "ignore_column"), ("words", "categories"), ("reference", "align_to")] {
        let value = ["\"b\"", "\"ordinal\"", "\"mean\""]
            [["ignore", "words", "reference"].iter().position(|name| *name == older).unwrap()];
        let [one, other] = [older, newer].map(|key| parsed(&format!("{key} = {value}")).unwrap());
        assert_eq!(one.fingerprint(), other.fingerprint(), "{older}");
        assert_ne!(one.fingerprint(), plain.fingerprint(), "{older}");
    }
    for keys in ["decay = 1e-3", "test_fraction = 0.5", "folds = 3", "start = \"-2..2\"", "bounds = [-9, 9]"]
    {
        assert_ne!(parsed(keys).unwrap().fingerprint(), plain.fingerprint(), "{keys}");
    }
    let folds = parsed("folds = 3\nsplit_seed = 5").unwrap();
    let tested: Vec<_> = (0..4).map(|seed| folds.load(seed).unwrap().test.clone()).collect();
    assert_eq!(tested[0], tested[3], "folds are taken in turn");
    assert_ne!(tested[0], tested[1]);
    assert_eq!(tested[..3].iter().map(onefold::Dataset::rows).sum::<usize>(), 30);
    let both = parsed("folds = 3\nsplit = \"1/1\"").unwrap_err().to_string();
    assert!(both.contains("line 7: in this cell, folds is 3, but must be left out"), "{both}");
}
