//! Walking through a JSON document member by member.

use std::ops::Range;

use strata_model::json::{EnteredValue, JsonError, ValueReader};
use strata_model::{Json, Str};

/// A place in a JSON document, from which values are read or entered. It can step over a broken value.
pub(super) struct Cursor<'t> {
    text: &'t [u8],
    /// Where `reader`'s text begins in `text`.
    base: usize,
    reader: ValueReader<'t>,
}

/// What stands at a place of a list.
pub(super) enum Element {
    Value(Json, Range<usize>),
    /// It is not valid JSON; the cursor stands behind it.
    Broken(JsonError),
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, base: 0, reader: ValueReader::new(text).of_own_text() }
    }

    fn move_to(&mut self, offset: usize) {
        self.base = offset;
        self.reader = ValueReader::new(&self.text[offset..]).of_own_text();
    }

    /// Where the next value begins.
    pub(super) fn next_offset(&self) -> usize {
        self.base + self.reader.next_offset()
    }

    /// The byte the next value begins with.
    pub(super) fn next_byte(&self) -> Option<u8> {
        self.text.get(self.next_offset()).copied()
    }

    /// Where the last value ended.
    pub(super) fn offset(&self) -> usize {
        self.base + self.reader.offset()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.next_offset() == self.text.len()
    }

    pub(super) fn enter(&mut self) -> Result<EnteredValue, JsonError> {
        self.reader.enter().map_err(|error| self.in_text(error))
    }

    pub(super) fn next_key(&mut self) -> Result<Option<Str>, JsonError> {
        self.reader.next_key().map_err(|error| self.in_text(error))
    }

    pub(super) fn next_element(&mut self) -> Result<bool, JsonError> {
        self.reader.next_element().map_err(|error| self.in_text(error))
    }

    /// The next value. The end of the text is an error here: a value is due.
    pub(super) fn value(&mut self) -> Result<Json, JsonError> {
        match self.reader.next_value() {
            Ok(Some(value)) => Ok(value),
            Ok(None) => {
                let message = "the text ends where a value should be".into();
                Err(JsonError { message, offset: self.text.len(), is_truncated: true })
            }
            Err(error) => Err(self.in_text(error)),
        }
    }

    /// The next value of a list, or what is wrong with it. Only an error that leaves no way on is returned as one.
    pub(super) fn element(&mut self) -> Result<Element, JsonError> {
        let start = self.next_offset();
        let error = match self.value() {
            Ok(value) => return Ok(Element::Value(value, start..self.offset())),
            Err(error) => error,
        };
        let Some(end) = value_end(self.text, start).filter(|_| !error.is_truncated) else {
            return Err(error);
        };
        self.move_to(end);
        Ok(Element::Broken(error))
    }

    /// Runs `read` at every element of the list that comes next. Returns what stands there when it is no list.
    pub(super) fn each(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<Option<Json>, JsonError> {
        match self.enter()? {
            EnteredValue::Array { is_empty: true } => Ok(None),
            EnteredValue::Array { is_empty: false } => loop {
                read(self)?;
                if !self.next_element()? {
                    return Ok(None);
                }
            },
            EnteredValue::Object(first_key) => self.object(first_key).map(Some),
            EnteredValue::Scalar => self.value().map(Some),
        }
    }

    /// The rest of an object that was entered.
    pub(super) fn object(&mut self, first_key: Option<Str>) -> Result<Json, JsonError> {
        let mut members: Vec<(Str, Json)> = Vec::new();
        let mut next = first_key;
        while let Some(key) = next {
            members.push((key, self.value()?));
            next = self.next_key()?;
        }
        Ok(Json::Object(members.into_iter().collect()))
    }

    fn in_text(&self, mut error: JsonError) -> JsonError {
        error.offset += self.base;
        error
    }
}

/// Where the object or array that begins at `start` ends, going by brackets and quotes alone.
fn value_end(text: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_in_string = false;
    let mut at = start;
    while let Some(byte) = text.get(at) {
        match (is_in_string, byte) {
            (true, b'\\') => at += 1,
            (_, b'"') => is_in_string = !is_in_string,
            (false, b'{' | b'[') => depth += 1,
            (false, b'}' | b']') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_element_costs_only_itself() {
        let text = br#"[{"a":1}, {"b":"}]\"" "c"}, {"d":4}]"#;
        let mut cursor = Cursor::new(text);
        assert_eq!(cursor.enter(), Ok(EnteredValue::Array { is_empty: false }));
        assert!(matches!(cursor.element(), Ok(Element::Value(..))));
        assert_eq!(cursor.next_element(), Ok(true));
        assert!(matches!(cursor.element(), Ok(Element::Broken(_)) if cursor.offset() == 26));
        assert_eq!(cursor.next_element(), Ok(true));
        let Ok(Element::Value(value, range)) = cursor.element() else { panic!("a value") };
        assert_eq!((value.get("d"), &text[range]), (Some(&Json::Int(4)), &br#"{"d":4}"#[..]));
        assert_eq!(cursor.next_element(), Ok(false));
        assert!(cursor.is_at_end());
    }
}
