//! The text of a table that is stored in columns: names, and then the rows of one batch after the other.

use super::Columnar;
use super::cells::{Writer, check_type, quote};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;
use std::io::{self, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows that are converted at a time.
const BATCH: usize = 4096;

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// Opens a file with these bytes.
pub(super) fn open(format: Columnar, bytes: Vec<u8>) -> io::Result<Box<dyn Read>> {
    guarded(format, || read(format, bytes))?
}

/// Does what may panic in the libraries of these formats where a file is damaged.
fn guarded<T>(format: Columnar, work: impl FnOnce() -> T) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| damaged(format, "its parts do not fit together"))
}

fn read(format: Columnar, bytes: Vec<u8>) -> io::Result<Box<dyn Read>> {
    let damaged = |reason: String| damaged(format, &reason);
    let arrow = |e: ArrowError| damaged(e.to_string());
    let (schema, batches): (_, Batches) = match format {
        Columnar::Parquet => {
            let reader = parquet_reader(bytes.into()).map_err(|e| damaged(e.to_string()))?;
            (
                reader.schema().clone(),
                Box::new(reader.with_batch_size(BATCH).build().map_err(|e| damaged(e.to_string()))?),
            )
        }
        Columnar::ArrowFile => {
            let reader = FileReader::try_new(Cursor::new(bytes), None).map_err(arrow)?;
            (reader.schema(), Box::new(reader))
        }
        Columnar::ArrowStream => {
            let reader = StreamReader::try_new(Cursor::new(bytes), None).map_err(arrow)?;
            (reader.schema(), Box::new(reader))
        }
    };
    let text = names(&schema)?;
    Ok(Box::new(Text { format, batches, rows: 0, text, at: 0 }))
}

fn parquet_reader(
    bytes: bytes::Bytes,
) -> parquet::errors::Result<ParquetRecordBatchReaderBuilder<impl ChunkReader + 'static>> {
    ParquetRecordBatchReaderBuilder::try_new(bytes)
}

/// The line of names; an error if a column cannot be written as text.
fn names(schema: &Schema) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    for (i, field) in schema.fields().iter().enumerate() {
        check_type(field.name(), field.data_type())?;
        if i > 0 {
            line.push(b',');
        }
        quote(&mut line, field.name()).map_err(|()| {
            io::Error::other(format!("the name of column {} has a line break; rename it", i + 1))
        })?;
    }
    line.push(b'\n');
    Ok(line)
}

fn damaged(format: Columnar, reason: &str) -> io::Error {
    io::Error::other(format!("its {} data is damaged or not supported: {reason}", format.name()))
}

/// The text of a table.
struct Text {
    format: Columnar,
    batches: Batches,
    /// Rows that were converted so far.
    rows: usize,
    /// The text of the current batch, of which some is read.
    text: Vec<u8>,
    at: usize,
}

impl Text {
    /// Converts the next batch; an empty text is the end.
    fn convert(&mut self) -> io::Result<()> {
        (self.at, self.text) = (0, Vec::new());
        while self.text.is_empty() {
            let batches = &mut self.batches;
            let Some(batch) = guarded(self.format, || batches.next())? else { return Ok(()) };
            let batch = batch.map_err(|e| damaged(self.format, &e.to_string()))?;
            let schema = batch.schema();
            let writers: Vec<Writer<'_>> = batch.columns().iter().map(|column| Writer::new(column)).collect();
            for row in 0..batch.num_rows() {
                for (i, writer) in writers.iter().enumerate() {
                    if i > 0 {
                        self.text.push(b',');
                    }
                    writer.write(row, &mut self.text).map_err(|()| {
                        let (row, column) = (self.rows + row + 1, schema.field(i).name());
                        io::Error::other(format!(
                            "column `{column}` has a line break in row {row}; replace it"
                        ))
                    })?;
                }
                self.text.push(b'\n');
            }
            self.rows += batch.num_rows();
        }
        Ok(())
    }
}

impl Read for Text {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            self.convert()?;
        }
        let count = out.len().min(self.text.len() - self.at);
        out[..count].copy_from_slice(&self.text[self.at..][..count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
