//! A file in pieces of whole lines, which several threads read at the same time.

use crate::files::Decompressed;
use crate::resources;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use std::io::{self, Read};
use std::time::{Duration, Instant};

/// The longest line: one that does not end would take all memory.
const LONGEST_LINE: usize = 16 << 20;
/// Size of the first piece, which is enough for most files. In tests small tables have many pieces.
const FIRST: usize = if cfg!(test) { 1 << 7 } else { 1 << 16 };
/// Size of the others.
const SIZE: usize = 4 * FIRST;
/// Pieces with long lines are larger, so that they have at least so many lines...
const LINES: usize = 32;
/// ...up to this size.
const LARGEST: usize = 4 << 20;
/// Pieces that a thread reads before the results of all are put together.
const PER_THREAD: usize = 8;
/// What a source gives in this time is worked on, whether it fills a piece or not.
const PATIENCE: Duration = Duration::from_millis(50);
/// More threads are hardly faster, as one of them puts the results together.
const MOST_THREADS: usize = 8;

/// Whole lines of a file.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) bytes: Vec<u8>,
    /// Number of lines before it.
    pub(super) line: u64,
}

/// A file in pieces. Lines end with LF, CR LF or CR.
pub(super) struct Pieces<R: Read> {
    source: Decompressed<R>,
    /// What was read of a line whose end was not.
    rest: Vec<u8>,
    /// Size of the next piece.
    size: usize,
    /// Number of lines in the pieces so far.
    line: u64,
    /// Bytes of the pieces so far.
    pub(super) bytes: u64,
    is_at_end: bool,
    /// Told once the lines before it are given away.
    failed: Option<io::Error>,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source: Decompressed::new(source),
            rest: Vec::new(),
            size: FIRST,
            line: 0,
            bytes: 0,
            is_at_end: false,
            failed: None,
        }
    }

    /// Whether the file is stored in columns. Known after the first piece.
    pub(super) fn is_columnar(&self) -> bool {
        self.source.is_columnar()
    }

    /// The next piece, of at least one line; none at the end.
    pub(super) fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let mut bytes = std::mem::take(&mut self.rest);
        let end = self.read_lines(&mut bytes)?;
        if !self.is_at_end {
            self.rest = bytes.split_off(end);
        }
        // Of a line that could not be read to its end nothing is used.
        if bytes.is_empty() {
            return self.failed.take().map_or(Ok(None), Err);
        }
        let line = self.line;
        self.line += count_lines(&bytes);
        self.bytes += bytes.len() as u64;
        Ok(Some(Piece { bytes, line }))
    }

    /// Reads until there are enough bytes with an end of a line among them, or nothing is left, and gives the
    /// place after the last end of a line.
    fn read_lines(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let (mut looked_at, mut end) = (0, None);
        let started = Instant::now();
        while !self.is_at_end && (end.is_none() || (bytes.len() < self.size && started.elapsed() < PATIENCE))
        {
            match self.read_some(bytes) {
                Ok(read) => self.is_at_end = read == 0,
                Err(e) => {
                    self.failed = Some(e);
                    break;
                }
            }
            if end.is_none() && is_too_long(bytes, looked_at) {
                let (number, most) = (self.line + 1, LONGEST_LINE >> 20);
                return Err(io::Error::other(format!("line {number} is longer than {most} MiB")));
            }
            // LF may follow on a last CR.
            let known = bytes.len() - usize::from(!self.is_at_end && bytes.last() == Some(&b'\r'));
            let last = memchr::memrchr2(b'\n', b'\r', &bytes[looked_at..known]);
            end = last.map_or(end, |last| Some(looked_at + last + 1));
            looked_at = known;
        }
        Ok(end.unwrap_or(0))
    }

    fn read_some(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let before = bytes.len();
        bytes.resize(before + self.size.saturating_sub(before).max(FIRST), 0);
        let read = loop {
            match self.source.read(&mut bytes[before..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Makes pieces large enough for several lines of this length.
    pub(super) fn expect_lines_of(&mut self, length: usize) {
        self.size = SIZE.max(length.saturating_mul(LINES).min(LARGEST));
    }
}

/// Whether the first line, which has no end before `looked_at`, is too long.
fn is_too_long(bytes: &[u8], looked_at: usize) -> bool {
    let end = memchr::memchr2(b'\n', b'\r', &bytes[looked_at..]);
    end.map_or(bytes.len(), |end| looked_at + end) > LONGEST_LINE
}

/// Number of lines with an end.
fn count_lines(bytes: &[u8]) -> u64 {
    let ends = memchr::memchr_iter(b'\n', bytes).count();
    let returns = memchr::memchr_iter(b'\r', bytes).filter(|i| bytes.get(i + 1) != Some(&b'\n')).count();
    (ends + returns) as u64
}

/// Pieces that are read by several threads, some at a time.
pub(super) struct Batches<'a, R: Read> {
    pieces: &'a mut Pieces<R>,
    pool: Option<ThreadPool>,
    threads: usize,
    /// Read, and not yet worked on.
    batch: Vec<Piece>,
    failed: Option<io::Error>,
}

impl<'a, R: Read> Batches<'a, R> {
    /// Reads the first pieces. There are no more threads than given; by default one for each core.
    pub(super) fn new(pieces: &'a mut Pieces<R>, threads: Option<usize>) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.filter(|n| *n > 0).unwrap_or_else(cores).min(MOST_THREADS);
        let mut batches = Self { pieces, pool: None, threads, batch: Vec::new(), failed: None };
        batches.read();
        // One piece is no work for several threads.
        batches.pool = if batches.batch.len() > 1 { resources::pool(threads) } else { None };
        batches
    }

    /// What `work` makes of the next pieces, in their order; meanwhile those after them are read. Nothing at
    /// the end.
    pub(super) fn next<T: Send>(&mut self, work: impl Fn(&Piece) -> T + Sync) -> io::Result<Vec<T>> {
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return self.failed.take().map_or(Ok(Vec::new()), Err);
        }
        let mut done = Vec::new();
        if let Some(pool) = self.pool.take() {
            pool.in_place_scope(|scope| {
                scope.spawn(|_| done = batch.par_iter().map(&work).collect());
                self.read();
            });
            self.pool = Some(pool);
        } else {
            done = batch.iter().map(work).collect();
            self.read();
        }
        Ok(done)
    }

    /// Reads pieces for all threads, or fewer at the end and where the source is slow.
    fn read(&mut self) {
        let started = Instant::now();
        let most = self.threads * PER_THREAD;
        while self.failed.is_none()
            && self.batch.len() < most
            && (self.batch.is_empty() || started.elapsed() < PATIENCE)
        {
            match self.pieces.next_piece() {
                Ok(Some(piece)) => self.batch.push(piece),
                Ok(None) => break,
                Err(e) => self.failed = Some(e),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Rng};

    /// Gives few bytes at a time, and fails at the end.
    struct Fitful<'a> {
        bytes: &'a [u8],
        sizes: Rng,
        fails: bool,
    }

    impl Read for Fitful<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.bytes.is_empty() && self.fails {
                return Err(io::Error::other("broken"));
            }
            let size = self.bytes.len().min(out.len()).min(1 + self.sizes.below(200));
            out[..size].copy_from_slice(&self.bytes[..size]);
            self.bytes = &self.bytes[size..];
            Ok(size)
        }
    }

    #[test]
    fn pieces_are_whole_lines_and_all_of_them() {
        for seed in 0..200 {
            let mut rng = Rng::stream(seed, Purpose::Data, 0, 0);
            let size = rng.below(3000);
            let of = [b"\n,a".as_slice(), b"\r\nab", b"\raaaaaaaaaa", b"\r\n"][rng.below(4)];
            let bytes: Vec<u8> = (0..size).map(|_| of[rng.below(of.len())]).collect();
            let fails = rng.below(2) == 1;
            let mut pieces = Pieces::new(Fitful { bytes: &bytes, sizes: rng.clone(), fails });
            let mut all = Vec::new();
            let failed = loop {
                match pieces.next_piece() {
                    Ok(Some(Piece { bytes: piece, line })) => {
                        assert_eq!(line, count_lines(&all), "{seed}");
                        let is_cut = all.last() == Some(&b'\r') && piece[0] == b'\n';
                        assert!(all.last().is_none_or(|b| b"\r\n".contains(b)) && !is_cut, "{seed}");
                        all.extend(piece);
                    }
                    Ok(None) => break false,
                    Err(_) => break true,
                }
            };
            // Without its end a last line is whole only where the file could be read to its end.
            assert_eq!(failed, fails, "{seed}");
            assert!(bytes.starts_with(&all) && (fails || all == bytes), "{seed}");
            assert!(!bytes[all.len()..].contains(&b'\n'), "{seed}");
        }
    }
}
