//! Models of all built-in data sets and some that no data set leads to, with rows to try them on.

use onefold::settings::OutputLayer;
use onefold::{Builtin, FitSettings, Method, Model, Scaling, fit};
use serde_json::{Value, json};

const ROWS: usize = 10_000;

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) model: Model,
    pub(crate) rows: Vec<Vec<f64>>,
    /// Lowest and highest value of each input that counts as ordinary.
    ranges: Vec<(f64, f64)>,
}

impl Case {
    pub(crate) fn ordinary(&self, row: &[f64]) -> bool {
        row.iter().zip(&self.ranges).all(|(x, (low, high))| (low..=high).contains(&x))
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let mut all: Vec<Case> = Builtin::ALL.into_iter().enumerate().map(|(i, b)| case(i, b)).collect();
    let find = |name: &str| all.iter().position(|c| c.name == name).unwrap();
    let (iris, board) = (find("iris"), find("tic_tac_toe"));
    let copy = |name: &str, of: &Case| Case {
        name: name.into(),
        model: of.model.clone(),
        rows: of.rows.clone(),
        ranges: of.ranges.clone(),
    };
    // All outputs are equal, always: the first class wins.
    let mut ties = copy("ties", &all[iris]);
    let first = ties.model.readout()[0].clone();
    edit(&mut ties.model, |file| file["readout"] = json!(vec![first; 3]));
    let mut nasty = copy("nasty", &all[board]);
    edit(&mut nasty.model, |file| {
        file["input_names"] = json!(NASTY[..9]);
        file["output_names"] = json!(NASTY[9..]);
        file["origin"]["data"] = json!(NASTY.concat());
    });
    all.extend([ties, nasty]);
    all.extend(LINEAR.into_iter().enumerate().map(|(i, (builtin, hidden))| {
        let name = format!("{}_{}", builtin.name(), hidden.replace(['-', '+'], "_"));
        trained(i, builtin, Some(hidden), &name)
    }));
    all.extend(PROBABILITIES.into_iter().enumerate().map(|(i, (builtin, hidden))| {
        let name = format!("{}_{}_probabilities", builtin.name(), hidden.replace(['-', '+'], "_"));
        solved(i, builtin, Some(hidden), &name, OutputLayer::Logistic)
    }));
    // Scores that differ little or not at all.
    let mut even = copy("even", &all[iris]);
    edit(&mut even.model, |file| file["output_activation"] = json!("softmax"));
    all.push(even);
    all
}

/// Networks with a linear part and without hidden layers, of one output and of several.
const LINEAR: [(Builtin, &str); 9] = [
    (Builtin::Sinc, "3+linear"),
    (Builtin::Sinc2d, "3-1-3+linear"),
    (Builtin::Iris, "3+linear"),
    (Builtin::Sinc2d, "none+linear"),
    (Builtin::Iris, "none+linear"),
    (Builtin::Sinc, "none"),
    (Builtin::Iris, "none"),
    (Builtin::Balance, "2-2+linear"),
    (Builtin::TicTacToe, "none+linear"),
];

/// Networks whose outputs are probabilities.
const PROBABILITIES: [(Builtin, &str); 6] = [
    (Builtin::Iris, "3"),
    (Builtin::Iris, "3+linear"),
    (Builtin::Balance, "2-2"),
    (Builtin::TicTacToe, "3"),
    (Builtin::Iris, "none+linear"),
    (Builtin::Iris, "none"),
];

/// Changes a model as its file has it.
fn edit(model: &mut Model, change: impl FnOnce(&mut Value)) {
    let mut file: Value = serde_json::from_str(&model.to_json()).unwrap();
    change(&mut file);
    *model = Model::from_json(&file.to_string()).unwrap();
}

/// Names of columns that have meant something else somewhere.
const NASTY: [&str; 11] = [
    "\"quoted\" 'single' \\ \\\\ \\n \\",
    "two\nlines\r\n\tand a tab\u{7f}\u{1}7",
    "*/ /* // # --> \"\"\" ''' */",
    "\u{e9}\u{6f22}\u{1f600}\u{2028}\u{2029}\u{202e}\u{feff}abc0",
    "",
    "??/ ??= ??( %s %n",
    "${x} `y` {z} {{}} </script><!--",
    " leading and trailing \\u0041 \\x41 \\101 \\N{DASH} ",
    "\u{85}\u{a0}\u{ad}",
    "#define x \\\n*/ int y; /*",
    "\\",
];

fn case(i: usize, builtin: Builtin) -> Case {
    trained(i, builtin, None, builtin.name())
}

fn trained(i: usize, builtin: Builtin, hidden: Option<&str>, name: &str) -> Case {
    solved(i, builtin, hidden, name, OutputLayer::LeastSquares)
}

fn solved(i: usize, builtin: Builtin, hidden: Option<&str>, name: &str, layer: OutputLayer) -> Case {
    let data = builtin.load(&Default::default()).unwrap();
    let mut settings = FitSettings::for_builtin(builtin, hidden, Method::DE_SB).unwrap();
    settings.stop.max_generations = Some(60);
    settings.cost.output_bias = i % 2 == 1 || hidden == Some("none");
    settings.scaling = [settings.scaling, Scaling::Standard, Scaling::MinMax][i % 3];
    settings.output_layer = layer;
    if layer == OutputLayer::Logistic {
        settings.stop.threshold = None;
    }
    let model = fit(builtin.name(), &data, &settings).unwrap().model;
    let ranges: Vec<(f64, f64)> = (data.train.inputs.iter())
        .map(|column| {
            let low = column.iter().copied().fold(f64::INFINITY, f64::min);
            let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (low - (high - low) / 2.0, high + (high - low) / 2.0)
        })
        .collect();
    Case { name: name.replace('-', "_"), model, rows: rows(i as u64, &ranges), ranges }
}

/// Ordinary rows, rows of any magnitude, and rows with values from the edges.
fn rows(seed: u64, ranges: &[(f64, f64)]) -> Vec<Vec<f64>> {
    const EDGES: [f64; 13] = [
        0.0,
        -0.0,
        1e-300,
        -1e-300,
        1e300,
        -1e300,
        1e30,
        -1e30,
        1e6,
        -1e6,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    let mut state = seed * 2 + 1;
    // A linear congruential generator of Knuth's; its upper bits are good enough for rows.
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let row = |i: usize| {
        // Each edge in every input once, then mixtures.
        let only = i.checked_sub(1).and_then(|i| EDGES.get(i)).copied();
        let kind = if i == 0 { 0.0 } else { random() };
        let rare = random() < 0.5;
        let value = |(low, high): &(f64, f64)| {
            let ordinary = low + (high - low) * random();
            match only {
                Some(edge) => edge,
                None if kind < 0.6 => ordinary,
                None if kind < 0.8 => {
                    10_f64.powf(600.0 * random() - 300.0) * (if random() < 0.5 { -1.0 } else { 1.0 })
                }
                None if rare && random() < 0.7 => ordinary,
                // NaN and infinities seldom, or hardly a row would be without.
                None => EDGES[(random() * if rare { 13.0 } else { 10.0 }) as usize],
            }
        };
        ranges.iter().map(value).collect()
    };
    (0..ROWS).map(row).collect()
}
