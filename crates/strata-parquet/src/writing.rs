//! Writing rows.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use crate::value::{Column, Form, Value};

/// Rows that are written together. Readers skip groups by the ranges of their values.
const GROUP: usize = 65_536;

/// Why a file could not be written, or not be read.
#[derive(Debug)]
pub struct ParquetError(String);

impl std::fmt::Display for ParquetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParquetError {}

impl From<parquet::errors::ParquetError> for ParquetError {
    fn from(error: parquet::errors::ParquetError) -> Self {
        Self(error.to_string())
    }
}

impl From<std::io::Error> for ParquetError {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

/// A Parquet file that is being written.
pub struct TableFile {
    columns: &'static [Column],
    writer: SerializedFileWriter<File>,
    gathered: Vec<Gathered>,
    n_gathered: usize,
    n_rows: u64,
}

impl TableFile {
    /// A new file in place of whatever is at `path`. Its schema is called `name`.
    pub fn create(path: &Path, name: &str, columns: &'static [Column]) -> Result<Self, ParquetError> {
        let fields = columns.iter().map(|column| field(column).map(Arc::new));
        let fields: Vec<TypePtr> = fields.collect::<Result<_, _>>()?;
        let schema = Arc::new(Type::group_type_builder(name).with_fields(fields).build()?);
        // Everything reads Snappy without more programs.
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties))?;
        let gathered = columns.iter().map(Gathered::of).collect();
        Ok(Self { columns, writer, gathered, n_gathered: 0, n_rows: 0 })
    }

    /// Adds a row: a value a column, in the order of the columns.
    pub fn row<const N: usize>(&mut self, values: [Value; N]) -> Result<(), ParquetError> {
        if N != self.columns.len() {
            return Err(ParquetError(format!("a row has {N} values for {} columns", self.columns.len())));
        }
        for ((column, gathered), value) in self.columns.iter().zip(&mut self.gathered).zip(values) {
            gathered.add(column, value)?;
        }
        self.n_gathered += 1;
        self.n_rows += 1;
        if self.n_gathered == GROUP { self.write_group() } else { Ok(()) }
    }

    /// Rows that were added.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Writes what is left. A file that is not finished cannot be read.
    pub fn finish(mut self) -> Result<(), ParquetError> {
        if self.n_gathered > 0 {
            self.write_group()?;
        }
        self.writer.close()?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut gathered = self.gathered.iter_mut();
        while let Some(mut column) = group.next_column()? {
            if let Some(gathered) = gathered.next() {
                gathered.write(column.untyped())?;
            }
            column.close()?;
        }
        group.close()?;
        self.n_gathered = 0;
        Ok(())
    }
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.form {
        Form::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        Form::Integer => (PhysicalType::INT64, None),
        Form::Number => (PhysicalType::DOUBLE, None),
        Form::Flag => (PhysicalType::BOOLEAN, None),
        Form::Time => (PhysicalType::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
    };
    let repetition = if column.is_optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let field = Type::primitive_type_builder(column.name, physical);
    Ok(field.with_repetition(repetition).with_logical_type(logical).build()?)
}

/// Values of a column that wait to be written.
struct Gathered {
    values: Values,
    /// For each row whether it has a value; nothing where all have.
    is_there: Option<Vec<i16>>,
}

enum Values {
    Bytes(Vec<ByteArray>),
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Flags(Vec<bool>),
}

impl Gathered {
    fn of(column: &Column) -> Self {
        let values = match column.form {
            Form::Text => Values::Bytes(Vec::new()),
            Form::Integer | Form::Time => Values::Integers(Vec::new()),
            Form::Number => Values::Numbers(Vec::new()),
            Form::Flag => Values::Flags(Vec::new()),
        };
        Self { values, is_there: column.is_optional.then(Vec::new) }
    }

    fn add(&mut self, column: &Column, value: Value) -> Result<(), ParquetError> {
        let is_missing = value == Value::Missing;
        match (&mut self.values, column.form, value) {
            (_, _, Value::Missing) if column.is_optional => {}
            (Values::Bytes(values), Form::Text, Value::Text(text)) => values.push(text.into_bytes().into()),
            (Values::Integers(values), Form::Integer, Value::Integer(number)) => values.push(number),
            (Values::Integers(values), Form::Time, Value::Time(time)) => values.push(time),
            (Values::Numbers(values), Form::Number, Value::Number(number)) => values.push(number),
            (Values::Flags(values), Form::Flag, Value::Flag(flag)) => values.push(flag),
            (_, _, value) => {
                return Err(ParquetError(format!("{value:?} is no value of the column {}", column.name)));
            }
        }
        if let Some(is_there) = &mut self.is_there {
            is_there.push(i16::from(!is_missing));
        }
        Ok(())
    }

    fn write(&mut self, column: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = self.is_there.as_deref();
        match (&mut self.values, column) {
            (Values::Bytes(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, levels, None)?;
                values.clear();
            }
            (Values::Integers(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, levels, None)?;
                values.clear();
            }
            (Values::Numbers(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(values, levels, None)?;
                values.clear();
            }
            (Values::Flags(values), ColumnWriter::BoolColumnWriter(writer)) => {
                writer.write_batch(values, levels, None)?;
                values.clear();
            }
            _ => return Err(ParquetError("a column is of another type than its values".to_owned())),
        }
        if let Some(is_there) = &mut self.is_there {
            is_there.clear();
        }
        Ok(())
    }
}
