//! Reading model types from JSON without losing anything.
//!
//! ADK accepts camelCase and snake_case spellings of every field of its own; so do we. A field with a value of an
//! unexpected kind is kept untouched among the unknown fields and reported, so one odd field never costs an event.

mod values;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::json::{Json, Object, write_compact};
use crate::{FingerprintBuilder, Str};

/// A type that can be read from JSON and written back. On failure the value comes back untouched.
pub trait FromJson: Sized {
    /// What the JSON should have been, for messages: `"a string"`.
    const EXPECTED: &'static str;

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json>;
    fn to_json(&self) -> Json;

    /// Appends what [`to_compact`](crate::json::to_compact) makes of [`Self::to_json`], mostly without making the
    /// value in between.
    fn write_json(&self, out: &mut String) {
        write_compact(out, &self.to_json());
    }

    /// Adds the value to a fingerprint, mostly without making JSON of it.
    fn hash_into(&self, hash: &mut FingerprintBuilder) {
        hash.json(&self.to_json());
    }
}

/// Whether two values are the same to the byte. Those that are equal may be written otherwise: their keys in another
/// order, or `1` as `1.0`, which is another prompt.
pub fn is_written_alike<T: FromJson>(a: &T, b: &T) -> bool {
    let written = |value: &T| {
        let mut hash = FingerprintBuilder::new();
        value.hash_into(&mut hash);
        hash.finish()
    };
    written(a) == written(b)
}

/// A field of a [`record!`]: how it is read when present and whether it is written.
pub(crate) trait Field {
    fn read(&mut self, value: Json, decoder: &mut Decoder) -> Result<(), (Json, &'static str)>;
    /// `None` omits the field, as ADK omits what is absent.
    fn write(&self) -> Option<Json>;
    /// Appends the member to those of an object, as text.
    fn write_member(&self, key: &str, out: &mut String);
    /// Adds the member to a fingerprint.
    fn hash_member(&self, key: &str, hash: &mut FingerprintBuilder);
}

/// Appends `"key":` to the members of an object that was begun with a brace.
pub(crate) fn write_key(out: &mut String, key: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push('"');
    out.push_str(key);
    out.push_str("\":");
}

impl<T: FromJson> Field for Option<T> {
    fn read(&mut self, value: Json, decoder: &mut Decoder) -> Result<(), (Json, &'static str)> {
        *self = Some(T::from_json(value, decoder).map_err(|value| (value, T::EXPECTED))?);
        Ok(())
    }

    fn write(&self) -> Option<Json> {
        self.as_ref().map(T::to_json)
    }

    fn write_member(&self, key: &str, out: &mut String) {
        if let Some(value) = self {
            write_key(out, key);
            value.write_json(out);
        }
    }

    fn hash_member(&self, key: &str, hash: &mut FingerprintBuilder) {
        if let Some(value) = self {
            hash.text(key);
            value.hash_into(hash);
        }
    }
}

/// Fields that have a default and are always written.
macro_rules! always_written {
    ($($type:ty),*) => {$(
        impl $crate::decode::Field for $type {
            fn read(
                &mut self,
                value: $crate::json::Json,
                decoder: &mut $crate::decode::Decoder,
            ) -> Result<(), ($crate::json::Json, &'static str)> {
                use $crate::decode::FromJson as _;
                *self = Self::from_json(value, decoder).map_err(|value| (value, Self::EXPECTED))?;
                Ok(())
            }

            fn write(&self) -> Option<$crate::json::Json> {
                Some($crate::decode::FromJson::to_json(self))
            }

            fn write_member(&self, key: &str, out: &mut String) {
                $crate::decode::write_key(out, key);
                $crate::decode::FromJson::write_json(self, out);
            }

            fn hash_member(&self, key: &str, hash: &mut $crate::FingerprintBuilder) {
                hash.text(key);
                $crate::decode::FromJson::hash_into(self, hash);
            }
        }
    )*};
}
pub(crate) use always_written;

always_written!(Str, f64, i64, Object);

/// Declares a type that ADK stores as a JSON object: its fields in ADK's order with their camelCase keys, fields that
/// are passed through (with the depth to which their keys are ADK's own), and a home for everything else.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $name:ident: $expected:literal {
            $($(#[$field_meta:meta])* $field:ident: $type:ty = $key:literal,)*
        }
        $(passes { $($pass:literal: $depth:literal,)* })?
        $(order $order:expr;)?
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
            /// Fields that are carried without being looked into, and fields this version does not know.
            pub other: $crate::json::Object,
        }

        impl $name {
            /// Keys in `other` that ADK does not define for this type, in either spelling.
            pub fn unknown_fields(&self) -> impl Iterator<Item = &$crate::Str> {
                self.other.keys().filter(|key| {
                    !matches!(&*$crate::decode::camel(key), $($key)|* $($(| $pass)*)?)
                })
            }
        }

        impl $crate::decode::FromJson for $name {
            const EXPECTED: &'static str = $expected;

            fn from_json(
                value: $crate::json::Json,
                decoder: &mut $crate::decode::Decoder,
            ) -> Result<Self, $crate::json::Json> {
                let mut record = Self::default();
                for (key, value) in $crate::json::Object::from_json(value, decoder)? {
                    let name = $crate::decode::camel(&key);
                    match &*name {
                        $($key => decoder.read_field(key, value, &mut record.$field, &mut record.other),)*
                        $($($pass => $crate::decode::pass(&mut record.other, &name, value, $depth),)*)?
                        _ => {
                            record.other.insert(key, value);
                        }
                    }
                }
                Ok(record)
            }

            fn to_json(&self) -> $crate::json::Json {
                let mut out = $crate::json::Object::new();
                $(out.push_some($key, $crate::decode::Field::write(&self.$field));)*
                if !self.other.is_empty() {
                    for (key, value) in self.other.iter() {
                        out.insert(key.clone(), value.clone());
                    }
                    $(out = $crate::decode::in_field_order(out, $order);)?
                }
                $crate::json::Json::Object(out)
            }

            fn write_json(&self, out: &mut String) {
                if !self.other.is_empty() {
                    return $crate::json::write_compact(out, &self.to_json());
                }
                out.push('{');
                $($crate::decode::Field::write_member(&self.$field, $key, out);)*
                out.push('}');
            }

            fn hash_into(&self, hash: &mut $crate::FingerprintBuilder) {
                $($crate::decode::Field::hash_member(&self.$field, $key, hash);)*
                // Ends the record, so that the next one's fields are not taken for its own.
                hash.object(&self.other);
            }
        }
    };
}
pub(crate) use record;

/// Collects what is odd about a document while it is read, with the path to each finding.
#[derive(Debug, Default)]
pub struct Decoder {
    path: Vec<Step>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
enum Step {
    Key(Arc<str>),
    Index(usize),
}

impl Decoder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Takes the findings made so far, leaving none.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Where the decoder stands, as `events[3].content`.
    pub fn at(&self) -> String {
        let mut out = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(key);
                }
                Step::Index(index) => {
                    let _ = write!(out, "[{index}]");
                }
            }
        }
        out
    }

    /// Runs `read` with `key` added to the path.
    pub fn within<T>(&mut self, key: &Arc<str>, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(Step::Key(key.clone()));
        let result = read(self);
        self.path.pop();
        result
    }

    /// Runs `read` with an index added to the path.
    pub fn within_index<T>(&mut self, index: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(Step::Index(index));
        let result = read(self);
        self.path.pop();
        result
    }

    /// Reads `value` into `slot`. Null leaves the slot as it is; a value of the wrong kind goes to `other`.
    pub(crate) fn read_field(
        &mut self,
        key: Arc<str>,
        value: Json,
        slot: &mut impl Field,
        other: &mut Object,
    ) {
        if value.is_null() {
            return;
        }
        if let Err((value, expected)) = self.within(&key, |decoder| slot.read(value, decoder)) {
            self.keep_unexpected(key, value, expected, other);
        }
    }

    /// One item that makes a list unreadable.
    fn report_item(&mut self, expected: &str, found: &Json) {
        if expected != LIST || found.as_array().is_none() {
            let message = format!(
                "an item should be {expected} but is {}; the whole list was kept as it is and not used",
                found.kind()
            );
            let at = self.at();
            self.report(Diagnostic::warning("unexpected-type", at, message));
        }
    }

    fn keep_unexpected(&mut self, key: Arc<str>, value: Json, expected: &str, other: &mut Object) {
        if expected == LIST && value.as_array().is_some() {
            // The item in it that was unexpected is reported already.
            other.insert(key, value);
            return;
        }
        let at = self.within(&key, |decoder| decoder.at());
        let is_word = expected.starts_with("one of ") || expected.starts_with('`');
        let found = match value.as_str().filter(|word| is_word && word.len() <= MAX_WORD) {
            Some(word) => format!("`{word}`"),
            None => value.kind().to_owned(),
        };
        self.report(Diagnostic::warning(
            "unexpected-type",
            at,
            format!("{key} should be {expected} but is {found}; it was kept as it is and not used"),
        ));
        other.insert(key, value);
    }
}

const LIST: &str = "an array";

/// Bytes of a word that is told where another was expected.
const MAX_WORD: usize = 40;

/// The camelCase spelling of a field name.
pub(crate) fn camel(key: &str) -> Cow<'_, str> {
    if !key.contains('_') {
        return Cow::Borrowed(key);
    }
    let mut out = String::with_capacity(key.len());
    let mut raise = false;
    for c in key.chars() {
        if c == '_' && !out.is_empty() {
            raise = true;
        } else if raise {
            out.extend(c.to_uppercase());
            raise = false;
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The snake_case spelling of a field name.
pub(crate) fn snake(key: &str) -> Cow<'_, str> {
    if !key.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(key);
    }
    let mut out = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Spells the keys of `value` and of everything in it in camelCase. For ADK's own types only: never for data.
pub(crate) fn camel_keys(value: Json, depth: usize) -> Json {
    match value {
        Json::Object(object) if depth > 0 => {
            let members = object.into_iter().filter(|(_, value)| !value.is_null());
            Json::Object(
                members.map(|(key, value)| (Str::from(camel(&key)), camel_keys(value, depth - 1))).collect(),
            )
        }
        Json::Array(items) if depth > 0 => {
            Json::Array(items.into_iter().map(|item| camel_keys(item, depth)).collect())
        }
        other => other,
    }
}

/// Carries a field of ADK's that is not looked into: absent when null, its own field names in camelCase.
pub(crate) fn pass(other: &mut Object, name: &str, value: Json, depth: usize) {
    if !value.is_null() {
        other.insert(name, camel_keys(value, depth));
    }
}

/// Puts the members of an object in the order ADK dumps them; unknown ones follow in the order they came.
pub(crate) fn in_field_order(object: Object, fields: &[&str]) -> Object {
    let mut members: Vec<_> = object.into_iter().collect();
    members.sort_by_key(|(key, _)| fields.iter().position(|field| **field == **key).unwrap_or(fields.len()));
    let mut ordered = Object::new();
    for (key, value) in members {
        ordered.push(key, value);
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_written_without_a_value_in_between_is_the_same() {
        for text in [
            r#"{"author":"user","content":{"parts":[{"text":"a\"b\\c\n\u0001é{"},{"functionCall":{"id":"1","name":"f","args":{"k":[1,1.0,null]}}}],"role":"user"},"actions":{"stateDelta":{"a{":{}},"endOfAgent":true},"longRunningToolIds":[],"timestamp":1e-7}"#,
            r#"{"author":"m","later":{"x":1},"turnComplete":true,"content":{"parts":[{"later":1,"text":"t"}]},"output":"{","nodeInfo":{"path":"a@1/b","outputFor":["c","d"]}}"#,
            "{}",
        ] {
            let value = crate::json::parse(text.as_bytes()).unwrap();
            let event = crate::Event::from_json(value, &mut Decoder::new()).unwrap();
            let mut written = String::new();
            event.write_json(&mut written);
            assert_eq!(written, crate::json::to_compact(&event.to_json()));
        }
    }

    #[test]
    fn unknown_fields_are_told_from_those_that_are_carried() {
        let text = br#"{"text": 5, "video_metadata": {}, "later_field": 1}"#;
        let value = crate::json::parse(text).unwrap();
        let part = crate::Part::from_json(value, &mut Decoder::new()).unwrap();
        assert_eq!(part.unknown_fields().map(|key| &**key).collect::<Vec<_>>(), ["later_field"]);
    }

    #[test]
    fn spellings() {
        assert_eq!(camel("long_running_tool_ids"), "longRunningToolIds");
        assert_eq!(camel("id"), "id");
        assert_eq!(camel("_private_name"), "_privateName");
        assert_eq!(snake("longRunningToolIds"), "long_running_tool_ids");
    }
}
