//! Reading rows back.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use crate::value::Value;
use crate::writing::ParquetError;

/// All rows of a file that a [`TableFile`](crate::TableFile) wrote, with the names of their columns.
pub fn read(path: &Path) -> Result<Vec<Vec<(String, Value)>>, ParquetError> {
    let reader = SerializedFileReader::new(File::open(path)?)?;
    let mut rows = Vec::new();
    for row in reader.get_row_iter(None)? {
        let row = row?;
        rows.push(row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect());
    }
    Ok(rows)
}

fn value(field: &Field) -> Value {
    match field {
        Field::Str(text) => Value::Text(text.clone()),
        Field::Long(number) => Value::Integer(*number),
        Field::Double(number) => Value::Number(*number),
        Field::Bool(flag) => Value::Flag(*flag),
        Field::TimestampMillis(time) => Value::Time(*time),
        // Nothing else is written.
        _ => Value::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Column, Form};
    use crate::writing::TableFile;

    const COLUMNS: &[Column] = &[
        Column::new("name", Form::Text, "a text"),
        Column::optional("size_tokens", Form::Integer, "a number that may be missing"),
        Column::new("cost_usd", Form::Number, "dollars"),
        Column::optional("is_paid", Form::Flag, "whether"),
        Column::optional("at", Form::Time, "when"),
    ];

    fn row(n: i64) -> [Value; 5] {
        let is_there = n % 3 != 0;
        [
            format!("row {n} æ").into(),
            is_there.then_some(n).into(),
            (n as f64 / 4.0).into(),
            is_there.then_some(n % 2 == 0).into(),
            if is_there { Value::Time(1_764_000_000_000 + n) } else { Value::Missing },
        ]
    }

    /// More rows than one group holds.
    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.parquet");
        let mut file = TableFile::create(&path, "rows", COLUMNS).unwrap();
        for n in 0..70_000 {
            file.row(row(n)).unwrap();
        }
        assert_eq!(file.n_rows(), 70_000);
        file.finish().unwrap();
        let rows = read(&path).unwrap();
        assert_eq!(rows.len(), 70_000);
        for (n, read) in rows.into_iter().enumerate() {
            let (names, values): (Vec<String>, Vec<Value>) = read.into_iter().unzip();
            assert_eq!(names, ["name", "size_tokens", "cost_usd", "is_paid", "at"]);
            assert_eq!(values, row(n as i64));
        }
    }

    #[test]
    fn a_table_without_rows_is_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.parquet");
        TableFile::create(&path, "rows", COLUMNS).unwrap().finish().unwrap();
        assert_eq!(read(&path).unwrap(), Vec::<Vec<(String, Value)>>::new());
    }

    #[test]
    fn values_of_another_form_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = TableFile::create(&folder.path().join("x"), "rows", COLUMNS).unwrap();
        let wrong = [Value::Integer(1), Value::Missing, 0.0.into(), Value::Missing, Value::Missing];
        assert!(file.row(wrong).unwrap_err().to_string().contains("column name"));
        let missing = [Value::Missing, Value::Missing, 0.0.into(), Value::Missing, Value::Missing];
        assert!(file.row(missing).is_err());
        assert!(file.row(["too few".into()]).is_err());
    }
}
