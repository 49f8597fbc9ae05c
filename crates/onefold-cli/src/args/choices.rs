//! Flags that take one of a few named values, with a line of help for each value.

use clap::ValueEnum;
use onefold::data::{Categories, DateOrder, Missing, SplitKind, TargetScaling, Task};
use onefold::model_selection::Preference;
use onefold::optimizer::{CmaPreset, Covariance, Crossover, Mutation, Reference};
use onefold::settings::{Dither, OutputLayer};

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
    /// r1 + F (r2 - r3), as in the paper
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
    /// a random individual of the best tenth
    Elite
} }

value_enum! { PreferArg = Preference {
    /// the smallest network that is no worse than the best
    Size,
    /// the network with the best score
    Accuracy
} }
value_enum! { CrossoverArg = Crossover {
    /// each coordinate independently, as in the paper
    Binomial,
    /// a run of consecutive coordinates
    Exponential
} }
value_enum! { PresetArg = CmaPreset {
    /// Hansen's C reference implementation, as in the paper
    Reference,
    /// Hansen's tutorial of 2023, with active update
    Tutorial,
    /// pycma 4.5: as the tutorial, with more damping for large populations
    Pycma
} }
value_enum! { CovarianceArg = Covariance {
    /// the full covariance matrix
    Full,
    /// only its diagonal, for hundreds of parameters and more
    Diagonal
} }
value_enum! { SplitKindArg = SplitKind {
    /// starts with A training rows, as the paper's text says
    Strict,
    /// skips the first row of the pattern, which gives the paper's row counts
    Shifted
} }

value_enum! { TargetScalingArg = TargetScaling {
    /// no scaling
    None,
    /// mean 0 and standard deviation 1
    Standard
} }
value_enum! { OutputLayerArg = OutputLayer {
    /// as in the search; the outputs of a classification are scores near 1 and 0
    LeastSquares,
    /// by logistic regression after the search; the outputs are probabilities of the classes
    Logistic,
    /// by logistic regression, and then all weights, hidden ones too, are trained for cross-entropy
    CrossEntropy
} }
value_enum! { TaskArg = Task {
    /// predict numbers
    Regression,
    /// predict classes
    Classification
} }
value_enum! { CategoriesArg = Categories {
    /// one input per category
    OneHot,
    /// the category's rank in alphabetical order
    Ordinal,
    /// text is an error
    Refuse
} }
value_enum! { MissingArg = Missing {
    /// a missing value becomes the mean or the most frequent text of the training rows, and one more input
    /// says where it is missing; without a target, the row is dropped
    Indicate,
    /// a missing value is an error
    Refuse,
    /// the row is dropped
    Drop,
    /// a missing number becomes the mean of the training rows; without a category or target, the row is
    /// dropped
    Mean
} }

value_enum! { DateOrderArg = DateOrder {
    /// the day, as in 31/12/2021
    DayFirst,
    /// the month, as in 12/31/2021
    MonthFirst
} }

value_enum! { DitherArg = Dither {
    /// once per generation
    Generation,
    /// once per trial vector
    Trial
} }
