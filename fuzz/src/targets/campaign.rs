//! Campaign files.

use super::Seeds;

const CAMPAIGN: &str = r#"
name = "fuzz"
runs = 3

[[cell]]
data = "sinc"
hidden = "5"
method = "de-sb"
population = 40
target = 5e-5
samples = 20
noise = 0.005
data_seed = "run"
weight = 0.5
crossover_rate = 0.9
quick = 2

[[cell]]
data = "iris"
hidden = "none"
linear_part = true

[[cell]]
name = "b"
data = "balance"
hidden = "5-1-5"
method = "cma-es"
split = "1/1"
split_kind = "shifted"
encoding = "raw"
scaling = "min-max"
sigma = 0.3
preset = "pycma"
max_evaluations = 1e6
paper = { evaluations = 8.06e5, deviation = 3.2e5, robustness = 1.0 }
"#;

pub(crate) fn seeds() -> Seeds {
    vec![CAMPAIGN.into()]
}

/// Whether bytes are accepted as a campaign.
#[must_use]
pub fn campaign(bytes: &[u8]) -> bool {
    onefold_cli::fuzzing::accepts_campaign(&String::from_utf8_lossy(bytes))
}
