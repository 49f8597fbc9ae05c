//! The paper's result tables.

use crate::Builtin;

/// A row of the paper's result tables: a topology and three methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperCell {
    /// Hidden layers.
    pub hidden: &'static str,
    /// Differential Evolution.
    pub de: PaperResult,
    /// The same with symmetry breaking.
    pub de_sb: PaperResult,
    /// CMA-ES.
    pub cma_es: PaperResult,
}

/// What the paper prints for one method: over 50 runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperResult {
    /// Population size.
    pub population: usize,
    /// Fraction of the runs that reached the error threshold.
    pub robustness: f64,
    /// Mean and standard deviation of the evaluations to the threshold (MFE); none where no run reached it.
    pub evaluations: Option<(f64, f64)>,
}

const fn always(population: usize, mean: f64, deviation: f64) -> PaperResult {
    sometimes(population, 1.0, mean, deviation)
}

const fn sometimes(population: usize, robustness: f64, mean: f64, deviation: f64) -> PaperResult {
    PaperResult { population, robustness, evaluations: Some((mean, deviation)) }
}

const fn never(population: usize) -> PaperResult {
    PaperResult { population, robustness: 0.0, evaluations: None }
}

const fn row(hidden: &'static str, de: PaperResult, de_sb: PaperResult, cma_es: PaperResult) -> PaperCell {
    PaperCell { hidden, de, de_sb, cma_es }
}

const SYN5: &[PaperCell] =
    &[row("3", always(80, 7.30e4, 1.8e4), always(80, 3.20e4, 9.4e3), always(160, 1.17e4, 2.6e3))];
const SINC: &[PaperCell] = &[
    row("5", always(1400, 9.22e7, 3.1e7), always(160, 4.47e5, 2.8e5), sometimes(10_000, 0.36, 3.78e6, 3.7e5)),
    row("6", always(800, 4.19e7, 2.2e7), always(60, 1.52e5, 4.5e4), always(100, 2.67e4, 5.3e3)),
];
const INCSINC: &[PaperCell] = &[
    row("5", always(1600, 1.36e8, 6.0e7), always(200, 8.04e5, 1.8e5), sometimes(10_000, 0.8, 7.76e6, 1.9e6)),
    row("6", always(800, 4.36e7, 2.6e7), always(56, 1.18e5, 5.0e4), always(100, 2.86e4, 8.2e3)),
];
const SINC2D: &[PaperCell] =
    &[row("3-1-3", always(120, 1.93e5, 4.2e4), always(120, 1.22e5, 2.4e4), never(10_000))];
const IRIS: &[PaperCell] =
    &[row("3", always(40, 1.46e4, 3.3e3), always(40, 1.24e4, 2.5e3), always(20, 3.74e3, 4.2e2))];
const TIC_TAC_TOE: &[PaperCell] =
    &[row("8", always(230, 2.70e6, 4.7e5), always(160, 9.74e5, 2.2e4), always(800, 3.29e5, 3.9e4))];
const BALANCE: &[PaperCell] = &[row(
    "5-1-5",
    always(520, 1.38e7, 9.2e6),
    always(160, 8.06e5, 3.2e5),
    sometimes(10_000, 0.78, 5.67e6, 5.6e6),
)];
const TWO_SPIRALS: &[PaperCell] = &[
    row("10-1-10", always(200, 2.24e7, 4.8e6), always(120, 6.74e6, 2.5e6), never(10_000)),
    row("9-1-9", always(240, 4.26e7, 1.5e7), always(120, 8.40e6, 2.6e6), never(10_000)),
];

impl Builtin {
    /// The paper's rows for it, or for the set that it is a version of; none where the paper has none.
    #[must_use]
    pub fn paper_cells(self) -> &'static [PaperCell] {
        match self.variant_of().unwrap_or(self) {
            Self::Syn5 => SYN5,
            Self::Sinc => SINC,
            Self::Incsinc => INCSINC,
            Self::Sinc2d => SINC2D,
            Self::Iris => IRIS,
            Self::TicTacToe => TIC_TAC_TOE,
            Self::Balance => BALANCE,
            Self::TwoSpirals => TWO_SPIRALS,
            _ => &[],
        }
    }
}
