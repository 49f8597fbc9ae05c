//! Text that may be compressed with gzip or zstd, or stored in columns, read as it is, decompressed or
//! converted.
//!
//! The first bytes tell. It is decompressed piece by piece, so that memory does not grow with it, however
//! much a few bytes stand for; who reads it has limits for the length of a line and for the size of a table.

use super::columnar::{Columnar, LONGEST_MARK};
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{self, Chain, Cursor, Read};

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes, and the rest.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// A source that may be compressed, or stored in columns.
pub(crate) struct Decompressed<R: Read>(State<R>);

enum State<R: Read> {
    /// Nothing was read yet.
    New(R),
    Plain(Whole<R>),
    Gzip(Box<MultiGzDecoder<Whole<R>>>),
    Zstd(Box<StreamingDecoder<Whole<R>, FrameDecoder>>),
    Columnar(Box<dyn Read>),
    /// Between states, or after an error.
    Ended,
}

impl<R: Read> Decompressed<R> {
    pub(crate) fn new(source: R) -> Self {
        Self(State::New(source))
    }

    /// Whether it is stored in columns, and read as CSV with names in the first line. Known after the first
    /// read.
    pub(crate) fn is_columnar(&self) -> bool {
        matches!(self.0, State::Columnar(_))
    }

    /// Finds out what it is by its first bytes.
    fn start(mut source: R) -> io::Result<State<R>> {
        let mut first = Vec::with_capacity(LONGEST_MARK);
        source.by_ref().take(LONGEST_MARK as u64).read_to_end(&mut first)?;
        if let Some(columnar) = Columnar::of(&first) {
            source.read_to_end(&mut first)?;
            return columnar.text(first).map(State::Columnar);
        }
        let (is_gzip, is_zstd) = (first.starts_with(&GZIP), first.starts_with(&ZSTD));
        let whole = Cursor::new(first).chain(source);
        Ok(if is_gzip {
            State::Gzip(Box::new(MultiGzDecoder::new(whole)))
        } else if is_zstd {
            State::Zstd(Box::new(StreamingDecoder::new(whole).map_err(|e| damaged("zstd", &e.to_string()))?))
        } else {
            State::Plain(whole)
        })
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if matches!(self.0, State::New(_))
            && let State::New(source) = std::mem::replace(&mut self.0, State::Ended)
        {
            self.0 = Self::start(source)?;
        }
        loop {
            match &mut self.0 {
                State::Plain(whole) => return whole.read(out),
                State::Columnar(text) => return text.read(out),
                State::Gzip(gzip) => return gzip.read(out).map_err(explained),
                State::Zstd(zstd) => {
                    let read = zstd.read(out).map_err(|e| damaged("zstd", &e.to_string()))?;
                    if read > 0 || out.is_empty() {
                        return Ok(read);
                    }
                }
                State::New(_) | State::Ended => return Ok(0),
            }
            // A file may have several zstd frames, one after the other.
            if let State::Zstd(ended) = std::mem::replace(&mut self.0, State::Ended) {
                self.0 = next_frame(ended.into_inner())?;
            }
        }
    }
}

/// The next frame of zstd data; none at the end.
fn next_frame<R: Read>(mut source: Whole<R>) -> io::Result<State<R>> {
    let mut first = Vec::with_capacity(ZSTD.len());
    source.by_ref().take(ZSTD.len() as u64).read_to_end(&mut first)?;
    if first.is_empty() {
        return Ok(State::Ended);
    }
    let (_, rest) = source.into_inner();
    let frame = StreamingDecoder::new(Cursor::new(first).chain(rest));
    Ok(State::Zstd(Box::new(frame.map_err(|e| damaged("zstd", &e.to_string()))?)))
}

fn damaged(format: &str, reason: &str) -> io::Error {
    io::Error::other(format!("its {format} data is damaged or incomplete: {reason}"))
}

/// Says of an error in gzip data what it is about; others stay as they are.
fn explained(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
            damaged("gzip", &error.to_string())
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Split, Table, TableSettings};
    use flate2::{Compression, write::GzEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write as _;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Decompressed::new(bytes).read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn compressed_data_is_decompressed_and_other_data_stays() {
        let text: Vec<u8> =
            (0..30_000_u32).flat_map(|i| format!("{i},{}\n", i * i % 77).into_bytes()).collect();
        for bytes in [&b""[..], b"a", b"\x1f", b"a,b\n1,2\n", &text] {
            assert_eq!(read(bytes).unwrap(), bytes);
        }
        for compress in [gzip, zstd] {
            assert_eq!(read(&compress(&text)).unwrap(), text);
            // Several members or frames, one after the other.
            let two = [compress(&text[..1000]), compress(&text[1000..])].concat();
            assert_eq!(read(&two).unwrap(), text);
            let whole = compress(&text);
            let error = read(&whole[..whole.len() / 2]).unwrap_err().to_string();
            assert!(error.contains("damaged or incomplete"), "{error}");
        }
    }

    #[test]
    fn tables_may_be_compressed_and_bombs_are_refused() {
        let text =
            (0..50).fold("x,y\n".to_string(), |t, i| t + &format!("{i},{}\n", f64::from(i * 7 % 11) + 0.5));
        for compress in [gzip, zstd] {
            let bytes = compress(text.as_bytes());
            let table = Table::from_reader("t.csv.gz", &TableSettings::default(), &bytes[..]).unwrap();
            assert_eq!(table.split(&Split::All).unwrap().train.rows(), 50);
        }
        let bomb = gzip(&gzip(&vec![b'1'; 40 << 20]));
        assert!(bomb.len() < 1 << 16);
        let one = Table::from_reader("t.csv", &TableSettings::default(), &gzip(&vec![b'1'; 40 << 20])[..]);
        assert!(one.unwrap_err().to_string().contains("line 1 is longer than 16 MiB"));
        assert!(Table::from_reader("t.csv", &TableSettings::default(), &bomb[..]).is_err());
    }
}
