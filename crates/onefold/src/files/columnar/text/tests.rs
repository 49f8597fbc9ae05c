use super::*;
use crate::{Split, Table, TableSettings};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array, ListArray, StringArray,
    TimestampMicrosecondArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;

const ROWS: usize = 10_000;

/// A table with a column of each kind, some of them with missing values.
fn batch() -> RecordBatch {
    let of = |i: usize| i as i64;
    let colours = ["red", "green, blue", "say \"no\""];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("whole", Arc::new((0..ROWS).map(|i| (i % 7 != 0).then(|| of(i * i % 97))).collect::<Int64Array>())),
        ("real \"x\"", Arc::new((0..ROWS).map(|i| Some((i as f64 * 0.37).sin())).collect::<Float64Array>())),
        ("sure", Arc::new((0..ROWS).map(|i| Some(i % 3 == 0)).collect::<BooleanArray>())),
        ("word", Arc::new((0..ROWS).map(|i| Some(colours[i % 3])).collect::<StringArray>())),
        (
            "code",
            Arc::new(
                (0..ROWS)
                    .map(|i| (i % 5 > 0).then_some(colours[i % 2]))
                    .collect::<DictionaryArray<Int8Type>>(),
            ),
        ),
        ("day", Arc::new((0..ROWS).map(|i| Some(18_000 + (i % 900) as i32)).collect::<Date32Array>())),
        (
            "time",
            Arc::new(
                (0..ROWS)
                    .map(|i| Some(1_600_000_000_000_000 + of(i) * 3_600_500_000))
                    .collect::<TimestampMicrosecondArray>()
                    .with_timezone("UTC"),
            ),
        ),
        ("y", Arc::new((0..ROWS).map(|i| Some((i as f64 * 0.11).cos() + 0.001)).collect::<Float64Array>())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .unwrap()
}

fn parquet(batch: &RecordBatch, compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow(batch: &RecordBatch) -> [Vec<u8>; 2] {
    let (mut file, mut stream) = (Vec::new(), Vec::new());
    let mut writer = FileWriter::try_new(&mut file, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    let mut writer = StreamWriter::try_new(&mut stream, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    [file, stream]
}

fn read(bytes: &[u8]) -> Result<Table, crate::Error> {
    Table::from_reader("t", &TableSettings::default(), bytes)
}

#[test]
fn every_format_gives_the_rows_of_the_same_table_as_csv() {
    let batch = batch();
    let mut all = vec![
        parquet(&batch, Compression::UNCOMPRESSED),
        parquet(&batch, Compression::SNAPPY),
        parquet(&batch, Compression::LZ4_RAW),
        parquet(&batch, Compression::ZSTD(Default::default())),
        parquet(&batch, Compression::GZIP(Default::default())),
    ];
    all.extend(arrow(&batch));
    let mut text = String::from("whole,\"real \"\"x\"\"\",sure,word,code,day,time,y\n");
    for i in 0..ROWS {
        let words = ["red", "\"green, blue\"", "\"say \"\"no\"\"\""];
        let field = |is_there: bool, field: String| if is_there { field } else { String::new() };
        let day = arrow_array::temporal_conversions::date32_to_datetime(18_000 + (i % 900) as i32).unwrap();
        let micros = 1_600_000_000_000_000 + i as i64 * 3_600_500_000;
        let time = arrow_array::temporal_conversions::timestamp_us_to_datetime(micros).unwrap();
        text += &format!(
            "{},{},{},{},{},{},{}Z,{}\n",
            field(i % 7 != 0, (i * i % 97).to_string()),
            (i as f64 * 0.37).sin(),
            i % 3 == 0,
            words[i % 3],
            field(i % 5 > 0, words[i % 2].into()),
            day.format("%Y-%m-%d"),
            time.format("%Y-%m-%dT%H:%M:%S%.3f"),
            (i as f64 * 0.11).cos() + 0.001,
        );
    }
    let expected = read(text.as_bytes()).unwrap().split(&Split::All).unwrap().train;
    assert!(expected.inputs.len() > 10 && expected.rows() == ROWS);
    for bytes in all {
        let found = read(&bytes).unwrap().split(&Split::All).unwrap().train;
        assert_eq!(found.input_names, expected.input_names);
        assert!(found == expected);
    }
}

#[test]
fn columns_that_are_no_fields_are_refused_by_name() {
    let list = ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>([Some([Some(1)])]);
    let nested = RecordBatch::try_from_iter([("parts", Arc::new(list) as ArrayRef)]).unwrap();
    let message = read(&parquet(&nested, Compression::SNAPPY)).unwrap_err().to_string();
    assert!(message.contains("column `parts` has the type List"), "{message}");
    let breaks = StringArray::from(vec!["a", "b\nc"]);
    let breaks = RecordBatch::try_from_iter([("note", Arc::new(breaks) as ArrayRef)]).unwrap();
    for bytes in arrow(&breaks) {
        let message = read(&bytes).unwrap_err().to_string();
        assert!(message.contains("column `note` has a line break in row 2"), "{message}");
    }
}

#[test]
fn damaged_files_are_refused_or_read_but_never_a_panic() {
    let batch = batch().slice(0, 300);
    let [file, stream] = arrow(&batch);
    for whole in [parquet(&batch, Compression::SNAPPY), file, stream] {
        for cut in [9, whole.len() / 2, whole.len() - 1] {
            assert!(read(&whole[..cut]).is_err() || whole.starts_with(&[0xff; 4]));
        }
        for i in 0..1500_usize {
            let mut damaged = whole.clone();
            // Places all over the file, more of them near its end, where the metadata is.
            let at = if i % 2 == 0 { i * 7919 % whole.len() } else { whole.len() - 1 - i * 31 % 1000 };
            damaged[at] ^= 1 << (i % 8);
            let _ = read(&damaged);
        }
    }
}
