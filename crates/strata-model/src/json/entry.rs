//! Objects of the data files that are shipped with the program and may be edited: every field has to be known and of
//! its kind, and an error names the place.

use std::fmt;

use super::Json;

/// What is wrong with an entry. `at` is its place in the file: `models[2] (gpt-4o), tiers[0]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryError {
    pub at: String,
    pub problem: String,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.problem)
    }
}

impl std::error::Error for EntryError {}

/// An object of a file, and where it stands.
#[derive(Debug, Clone)]
pub struct Entry<'j> {
    pub json: &'j Json,
    pub at: String,
}

impl<'j> Entry<'j> {
    /// # Errors
    /// It is no object, or has a field that is not among the known ones.
    pub fn expect_fields(&self, known: &[&str]) -> Result<(), EntryError> {
        let object = self.json.as_object().ok_or_else(|| self.error("must be an object"))?;
        match object.keys().find(|key| !known.contains(&&***key)) {
            Some(key) => Err(self.error(format!("`{key}` is not known; known are {}", known.join(", ")))),
            None => Ok(()),
        }
    }

    /// A field that may be missing or null.
    ///
    /// # Errors
    /// `read` does not take the value; the error says what is `expected`.
    pub fn optional<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'j Json) -> Option<T>,
    ) -> Result<Option<T>, EntryError> {
        match self.json.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(json) => match read(json) {
                Some(value) => Ok(Some(value)),
                None => Err(self.error(format!("`{key}` must be {expected}"))),
            },
        }
    }

    /// # Errors
    /// As [`Self::optional`], or there is no such field.
    pub fn required<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'j Json) -> Option<T>,
    ) -> Result<T, EntryError> {
        self.optional(key, expected, read)?.ok_or_else(|| self.missing(key))
    }

    /// # Errors
    /// As [`Self::required`].
    pub fn text(&self, key: &str) -> Result<String, EntryError> {
        self.required(key, "text", Json::as_str).map(str::to_owned)
    }

    pub fn missing(&self, key: &str) -> EntryError {
        self.error(format!("`{key}` is missing"))
    }

    pub fn error(&self, problem: impl Into<String>) -> EntryError {
        EntryError { at: self.at.clone(), problem: problem.into() }
    }
}
