//! The cells of a column as fields of a CSV file.

use arrow_array::cast::AsArray as _;
use arrow_array::temporal_conversions::{date32_to_datetime, date64_to_datetime};
use arrow_array::types::{
    ArrowTimestampType, Date32Type, Date64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use std::io::{self, Write as _};

/// Refuses columns that are not numbers, texts, dates or truth values.
pub(super) fn check_type(name: &str, data_type: &DataType) -> io::Result<()> {
    let is_known = match data_type {
        DataType::Dictionary(_, values) => return check_type(name, values),
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => true,
        other => other.is_integer() || other.is_floating(),
    };
    if is_known {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "column `{name}` has the type {data_type}, which is neither a number nor a text, a date or a truth value; \
         leave it out when you write the file"
    )))
}

/// Writes a text as a field in quotes; an error if it has a line break, which a field cannot have.
pub(super) fn quote(out: &mut Vec<u8>, text: &str) -> Result<(), ()> {
    if text.contains(['\n', '\r']) {
        return Err(());
    }
    out.push(b'"');
    for part in text.split_inclusive('"') {
        out.extend_from_slice(part.as_bytes());
        if part.ends_with('"') {
            out.push(b'"');
        }
    }
    out.push(b'"');
    Ok(())
}

/// Writes the cells of a column.
pub(super) enum Writer<'a> {
    Plain(&'a dyn Array),
    /// Of a dictionary, the place of each cell in the values.
    Dictionary {
        column: &'a dyn Array,
        keys: Vec<usize>,
        values: Box<Writer<'a>>,
    },
}

impl<'a> Writer<'a> {
    pub(super) fn new(column: &'a dyn Array) -> Self {
        let Some(dictionary) = column.as_any_dictionary_opt() else { return Self::Plain(column) };
        let has_values = !dictionary.values().is_empty();
        let keys = if has_values { dictionary.normalized_keys() } else { Vec::new() };
        Self::Dictionary { column, keys, values: Box::new(Self::new(dictionary.values().as_ref())) }
    }

    /// Writes a cell; nothing where it is missing.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<(), ()> {
        match self {
            Self::Dictionary { column, keys, values } => match keys.get(row) {
                Some(key) if column.is_valid(row) => values.write(*key, out),
                _ => Ok(()),
            },
            Self::Plain(column) if column.is_valid(row) => write_cell(*column, row, out),
            Self::Plain(_) => Ok(()),
        }
    }
}

/// Writes a cell that is not missing.
fn write_cell(column: &dyn Array, row: usize, out: &mut Vec<u8>) -> Result<(), ()> {
    macro_rules! number {
        ($type:ty) => {
            // Writing to memory does not fail.
            write!(out, "{}", column.as_primitive::<$type>().value(row)).map_err(|_| ())
        };
    }
    match column.data_type() {
        DataType::Boolean => write!(out, "{}", column.as_boolean().value(row)).map_err(|_| ()),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float16 => number!(Float16Type),
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Utf8 => quote(out, column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => quote(out, column.as_string::<i64>().value(row)),
        DataType::Utf8View => quote(out, column.as_string_view().value(row)),
        DataType::Decimal128(..) => {
            out.extend(column.as_primitive::<Decimal128Type>().value_as_string(row).bytes());
            Ok(())
        }
        DataType::Decimal256(..) => {
            out.extend(column.as_primitive::<Decimal256Type>().value_as_string(row).bytes());
            Ok(())
        }
        DataType::Date32 => {
            let day = date32_to_datetime(column.as_primitive::<Date32Type>().value(row));
            day.map_or(Ok(()), |day| write!(out, "{}", day.format("%Y-%m-%d")).map_err(|_| ()))
        }
        DataType::Date64 => {
            let day = date64_to_datetime(column.as_primitive::<Date64Type>().value(row));
            day.map_or(Ok(()), |day| write!(out, "{}", day.format("%Y-%m-%d")).map_err(|_| ()))
        }
        DataType::Timestamp(unit, zone) => {
            let has_zone = zone.is_some();
            match unit {
                TimeUnit::Second => time::<TimestampSecondType>(column.as_primitive(), row, has_zone, out),
                TimeUnit::Millisecond => {
                    time::<TimestampMillisecondType>(column.as_primitive(), row, has_zone, out)
                }
                TimeUnit::Microsecond => {
                    time::<TimestampMicrosecondType>(column.as_primitive(), row, has_zone, out)
                }
                TimeUnit::Nanosecond => {
                    time::<TimestampNanosecondType>(column.as_primitive(), row, has_zone, out)
                }
            }
        }
        // Other types were refused.
        _ => Ok(()),
    }
}

/// Writes a time as ISO 8601 has it. Those with a zone are stored in UTC, which `Z` says.
fn time<T: ArrowTimestampType>(
    column: &PrimitiveArray<T>,
    row: usize,
    has_zone: bool,
    out: &mut Vec<u8>,
) -> Result<(), ()> {
    let Some(time) = column.value_as_datetime(row) else { return Ok(()) };
    let zone = if has_zone { "Z" } else { "" };
    write!(out, "{}{zone}", time.format("%Y-%m-%dT%H:%M:%S%.f")).map_err(|_| ())
}
