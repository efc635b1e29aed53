//! Columns and values.

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// UTF-8.
    Text,
    /// 64 bits with a sign.
    Integer,
    /// A double.
    Number,
    /// True or false.
    Flag,
    /// Milliseconds since 1970 in UTC; a timestamp for whoever reads the file.
    Time,
}

/// A column of a table. Names are promises: whoever asks a file knows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// In `snake_case`, with its unit where it has one.
    pub name: &'static str,
    /// Of all its values.
    pub form: Form,
    /// Whether a value may be missing.
    pub is_optional: bool,
    /// In a sentence without an end.
    pub meaning: &'static str,
}

impl Column {
    /// One that every row has.
    pub const fn new(name: &'static str, form: Form, meaning: &'static str) -> Self {
        Self { name, form, is_optional: false, meaning }
    }

    /// One that a row may lack.
    pub const fn optional(name: &'static str, form: Form, meaning: &'static str) -> Self {
        Self { name, form, is_optional: true, meaning }
    }
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of an optional column.
    Missing,
    /// Of a [`Form::Text`].
    Text(String),
    /// Of a [`Form::Integer`].
    Integer(i64),
    /// Of a [`Form::Number`].
    Number(f64),
    /// Of a [`Form::Flag`].
    Flag(bool),
    /// Of a [`Form::Time`].
    Time(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}
