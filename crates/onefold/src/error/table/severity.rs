//! Which problems of a table are the worst.

use super::ProblemKind;

impl ProblemKind {
    /// How bad it is, 0 for the worst: what cannot be read at all, lines, columns, fields, missing values.
    pub(super) fn severity(&self) -> u8 {
        match self {
            Self::Unreadable { .. }
            | Self::Directory
            | Self::EmptyFile
            | Self::NotUtf8
            | Self::NulByte
            | Self::NulBytes
            | Self::NoRows
            | Self::TooManyColumns { .. }
            | Self::FieldOverLineEnd
            | Self::LinesAboveTable { .. }
            | Self::MissingColumns { .. }
            | Self::ColumnCount { .. } => 0,
            Self::DuplicateName
            | Self::FieldCount { .. }
            | Self::TextAfterQuote
            | Self::QuoteInside
            | Self::RepeatedNames => 1,
            Self::EmptyColumn
            | Self::TooManyClasses { .. }
            | Self::SeveralClassTargets { .. }
            | Self::AmbiguousComma { .. }
            | Self::AmbiguousDate { .. }
            | Self::MixedSigns { .. }
            | Self::TargetNotANumber { .. } => 2,
            Self::MissingValue | Self::MissingMark { .. } => 4,
            _ => 3,
        }
    }
}
