//! Published means and standard deviations, to be set beside ours.

use super::functions::{Kind, Rotation};

/// A mean and a standard deviation of final errors.
pub(crate) type Spread = (f64, f64);

/// A function of a competition: its number, what it is, and published results at 10 and at 30 dimensions.
pub(crate) struct Row {
    pub(crate) number: usize,
    pub(crate) kind: Kind,
    pub(crate) rotation: Rotation,
    pub(crate) published: [Spread; 2],
}

const fn row(number: usize, kind: Kind, at_10: Spread, at_30: Spread) -> Row {
    Row { number, kind, rotation: Rotation::Stretched, published: [at_10, at_30] }
}

impl Row {
    const fn with(mut self, rotation: Rotation) -> Self {
        self.rotation = rotation;
        self
    }
}

const ZERO: Spread = (0.0, 0.0);

/// CEC 2014 with the results of L-SHADE (Tanabe and Fukunaga, CEC 2014, Tables II and III). Two digits,
/// from memory: the paper could not be looked up. Its runs were made with version 1.0.0 of the authors'
/// program, see the page.
pub(crate) const L_SHADE: [Row; 16] = [
    row(1, Kind::Ellipsoid, ZERO, ZERO),
    row(2, Kind::BentCigar, ZERO, ZERO),
    row(3, Kind::Discus, ZERO, ZERO),
    row(4, Kind::Rosenbrock, (2.9e1, 1.3e1), ZERO),
    row(5, Kind::Ackley, (1.4e1, 8.8), (2.01e1, 3.7e-2)),
    row(6, Kind::Weierstrass, (1.8e-2, 1.3e-1), (1.4e-7, 9.9e-7)),
    row(7, Kind::Griewank, (3.0e-3, 6.5e-3), ZERO),
    row(8, Kind::Rastrigin, ZERO, ZERO).with(Rotation::None),
    row(9, Kind::Rastrigin, (2.3, 8.4e-1), (6.8, 1.5)),
    row(10, Kind::Schwefel, (8.6e-3, 2.2e-2), (1.6e-2, 1.6e-2)).with(Rotation::None),
    row(11, Kind::Schwefel, (3.2e1, 3.8e1), (1.2e3, 1.8e2)),
    row(12, Kind::Katsuura, (6.8e-2, 1.9e-2), (1.6e-1, 2.3e-2)),
    row(13, Kind::HappyCat, (5.2e-2, 1.5e-2), (1.2e-1, 1.7e-2)),
    row(14, Kind::HgBat, (8.1e-2, 2.6e-2), (2.4e-1, 3.0e-2)),
    row(15, Kind::GriewankRosenbrock, (3.7e-1, 6.9e-2), (2.1, 2.5e-1)),
    row(16, Kind::Scaffer6, (1.2, 3.0e-1), (8.5, 4.6e-1)),
];

/// CEC 2017 with the results of jSO (Brest, Maučec and Bošković, CEC 2017), as the tables that came with
/// the authors' program have them (`resultsD10.tex` and `resultsD30.tex` of 16 March 2017).
pub(crate) const JSO: [Row; 10] = [
    row(1, Kind::BentCigar, ZERO, ZERO),
    row(3, Kind::Zakharov, ZERO, ZERO),
    row(4, Kind::Rosenbrock, ZERO, (5.8670e1, 7.7797e-1)),
    row(5, Kind::Rastrigin, (1.7558, 7.6004e-1), (8.5568, 2.0980)),
    row(6, Kind::SchafferF7, ZERO, (6.0385e-9, 2.7122e-8)),
    row(7, Kind::Lunacek, (1.1792e1, 6.0675e-1), (3.8927e1, 1.4594)),
    // Computed as F5 is, see `functions`.
    row(8, Kind::Rastrigin, (1.9509, 7.4352e-1), (9.0918, 1.8399)),
    row(9, Kind::Levy, ZERO, ZERO),
    row(10, Kind::Schwefel, (3.5897e1, 5.5477e1), (1.5277e3, 2.7716e2)),
    row(11, Kind::Hybrid1, ZERO, (3.0375, 2.6464)).with(Rotation::Orthogonal),
];

/// JADE with archive at 30 dimensions (Zhang and Sanderson 2009): function, generations, mean and
/// deviation. From memory.
pub(crate) const JADE: [(usize, u64, Spread); 12] = [
    (1, 1500, (1.3e-54, 9.2e-54)),
    (2, 2000, (3.9e-22, 2.7e-21)),
    (3, 5000, (6.0e-87, 1.9e-86)),
    (4, 5000, (4.3e-66, 1.2e-65)),
    (5, 3000, (3.2e-1, 1.1)),
    (6, 100, (5.6, 1.6)),
    (8, 1000, (7.1, 2.8e1)),
    (9, 1000, (1.4e-4, 6.5e-5)),
    (10, 500, (3.0e-9, 2.2e-9)),
    (11, 500, (2.0e-4, 1.4e-3)),
    (12, 500, (3.8e-16, 8.3e-16)),
    (13, 500, (1.2e-15, 2.8e-15)),
];
