//! Tables that are stored in columns, Parquet and Arrow: recognised here, and read with the feature
//! `columnar`.
//!
//! They are converted to CSV, one batch of rows after the other, so that their columns are understood by the
//! same rules as those of a text file. Only a compressed file, not its text, is in memory as a whole.

#[cfg(feature = "columnar")]
mod cells;
#[cfg(feature = "columnar")]
mod text;

use std::io::{self, Read};

/// The most bytes that are needed to recognise a format.
pub(super) const LONGEST_MARK: usize = 8;

/// A format of tables that are stored in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columnar {
    Parquet,
    /// A file of Arrow, also called Feather.
    ArrowFile,
    /// Arrow as it is sent.
    ArrowStream,
}

impl Columnar {
    /// The format of a file that begins with these bytes.
    pub(super) fn of(first: &[u8]) -> Option<Self> {
        // A text file may begin with the same letters.
        let is_binary = |byte: &u8| *byte < b' ' && !b"\t\n\r".contains(byte);
        if first.starts_with(b"PAR1") && first.get(4).is_some_and(is_binary) {
            Some(Self::Parquet)
        } else if first.starts_with(b"ARROW1\0\0") {
            Some(Self::ArrowFile)
        } else if first.starts_with(&[0xff; 4]) && first.len() == LONGEST_MARK {
            Some(Self::ArrowStream)
        } else {
            None
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet",
            Self::ArrowFile | Self::ArrowStream => "Arrow",
        }
    }

    /// The text of a file with these bytes.
    #[cfg(feature = "columnar")]
    pub(super) fn text(self, bytes: Vec<u8>) -> io::Result<Box<dyn Read>> {
        text::open(self, bytes)
    }

    #[cfg(not(feature = "columnar"))]
    pub(super) fn text(self, _bytes: Vec<u8>) -> io::Result<Box<dyn Read>> {
        let name = self.name();
        Err(io::Error::other(format!(
            "this is {} file, which this build does not read; save it as CSV, or build with `--features columnar`",
            if self == Self::Parquet { format!("a {name}") } else { format!("an {name}") },
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised_and_texts_are_not_taken_for_them() {
        assert_eq!(Columnar::of(b"PAR1\x15\x04\x15\x10"), Some(Columnar::Parquet));
        assert_eq!(Columnar::of(b"ARROW1\0\0"), Some(Columnar::ArrowFile));
        assert_eq!(Columnar::of(b"\xff\xff\xff\xff\xa8\x01\0\0"), Some(Columnar::ArrowStream));
        for text in [&b"PAR1,PAR2"[..], b"PAR1\n1\n2", b"PAR1", b"ARROW1,x", b"\xff\xff", b"", b"a,b\n1,2"] {
            assert_eq!(Columnar::of(text), None, "{text:?}");
        }
    }

    #[cfg(not(feature = "columnar"))]
    #[test]
    fn without_the_feature_a_file_is_named_and_refused() {
        let source = &b"PAR1\x15\x04\x15\x10\x15\x14"[..];
        let error = crate::Table::from_reader("t.parquet", &crate::TableSettings::default(), source);
        let message = error.unwrap_err().to_string();
        assert!(
            message.contains("this is a Parquet file") && message.contains("save it as CSV"),
            "{message}"
        );
    }
}
