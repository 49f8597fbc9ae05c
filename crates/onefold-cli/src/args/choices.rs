//! Flags with a few values each, and a line of help for every value.

use clap::ValueEnum;
use onefold::data::{Categories, Missing, SplitKind, TargetScaling, Task};
use onefold::optimizer::{CmaPreset, Covariance, Crossover, Mutation, Reference};
use onefold::settings::Dither;

macro_rules! value_enum {
    ($(#[$doc:meta])* $name:ident = $target:ident { $($(#[$help:meta])* $variant:ident),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($(#[$help])* $variant),* }
        impl From<$name> for $target {
            fn from(arg: $name) -> Self {
                match arg { $($name::$variant => Self::$variant),* }
            }
        }
    };
}

value_enum! { MutationArg = Mutation {
    /// r1 + F (r2 - r3), the paper's
    Rand1,
    /// best + F (r1 - r2)
    Best1,
    /// parent + F (best - parent) + F (r1 - r2)
    CurrentToBest1,
    /// r1 + F (r2 - r3) + F (r4 - r5)
    Rand2,
    /// best + F (r1 - r2) + F (r3 - r4)
    Best2
} }
value_enum! { ReferenceArg = Reference {
    /// the best individual
    Best,
    /// the mean of the population
    Mean,
    /// one of the best tenth
    Elite
} }

value_enum! { CrossoverArg = Crossover {
    /// each coordinate by itself, the paper's
    Binomial,
    /// a run of neighbouring coordinates
    Exponential
} }
value_enum! { PresetArg = CmaPreset {
    /// the C reference implementation, the paper's
    Reference,
    /// Hansen's tutorial of 2023, with active update
    Tutorial,
    /// pycma 4.5: the tutorial's, with more damping for large populations
    Pycma
} }
value_enum! { CovarianceArg = Covariance {
    /// the full covariance matrix
    Full,
    /// its diagonal, for very many parameters
    Diagonal
} }
value_enum! { SplitKindArg = SplitKind {
    /// the first A rows train, the paper's words
    Strict,
    /// one row earlier, the paper's counts
    Shifted
} }

value_enum! { TargetScalingArg = TargetScaling {
    /// as they are
    None,
    /// mean 0 and standard deviation 1
    Standard
} }
value_enum! { TaskArg = Task {
    /// numbers
    Regression,
    /// classes
    Classification
} }
value_enum! { CategoriesArg = Categories {
    /// one input for each word
    OneHot,
    /// the word's place in alphabetical order
    Ordinal,
    /// words are not accepted
    Refuse
} }
value_enum! { MissingArg = Missing {
    /// the file is not accepted
    Refuse,
    /// the row is left out
    Drop,
    /// the mean of the training rows; where a word or target is missing, the row is left out
    Mean
} }

value_enum! { DitherArg = Dither {
    /// once for each generation
    Generation,
    /// for each trial vector
    Trial
} }
