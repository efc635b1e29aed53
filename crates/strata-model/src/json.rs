//! JSON as recorded sessions hold it.
//!
//! Prompts contain Python renderings of JSON values, so a value must keep what Python would tell apart: the order
//! of keys, `1` beside `1.0`, and integers of any size. [`Json`] does; `serde_json::Value` does not.

mod deserializer;
mod entry;
mod hash;
mod interner;
mod long_texts;
mod members;
mod parse;
mod repeats;
mod serde_impls;
mod write;

use std::sync::Arc;

pub use entry::{Entry, EntryError};
pub use interner::Interner;
pub use parse::{EnteredValue, JsonError, ValueReader, parse, parse_own, parse_repeated, repair_surrogates};
pub use repeats::Repeats;
pub use write::{
    compact_len, object_compact_len, object_to_compact, to_ascii, to_compact, to_compact_python, to_pretty,
    to_spaced, write_compact, write_compact_object, write_compact_string,
};

/// Deepest nesting a value of a file may have. Sessions stay below 30; the limit keeps hostile input from exhausting the stack.
pub const MAX_DEPTH: usize = 256;

/// One JSON value.
#[derive(Debug, Clone, Default)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    /// An integer outside `i64`, as its decimal digits with an optional leading minus sign.
    BigInt(Arc<str>),
    Float(f64),
    String(Arc<str>),
    Array(Vec<Json>),
    Object(Object),
}

impl Json {
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The text itself, to be shared rather than copied.
    pub fn as_text(&self) -> Option<&Arc<str>> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(*value as i64),
            _ => None,
        }
    }

    /// The value as a number, whatever its JSON spelling.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::BigInt(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Member `key` of an object; `None` for a missing key and for any other kind of value.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// Python's idea of truth: empty text, containers, zero, `false` and `null` are false.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::BigInt(_) => true,
            Self::Float(value) => *value != 0.0,
            Self::String(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(object) => !object.is_empty(),
        }
    }

    /// What kind of value this is, in the words of the JSON specification.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::BigInt(_) | Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// The value with the keys of every object in it ordered as by [`Object::sorted`].
    #[must_use]
    pub fn sorted(&self) -> Self {
        match self {
            Self::Object(object) => {
                let members = object.sorted().members.into_iter();
                Self::Object(members.map(|(key, value)| (key, value.sorted())).collect())
            }
            Self::Array(items) => items.iter().map(Self::sorted).collect::<Vec<_>>().into(),
            other => other.clone(),
        }
    }
}

/// Structural equality as JSON readers see it: numbers by value, objects without regard to order.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::BigInt(a), Self::BigInt(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            (
                Self::Int(_) | Self::Float(_) | Self::BigInt(_),
                Self::Int(_) | Self::Float(_) | Self::BigInt(_),
            ) => self.as_f64() == other.as_f64(),
            _ => false,
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<Arc<str>> for Json {
    fn from(text: Arc<str>) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        Self::Array(items)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

/// An object that keeps the order in which its keys first appeared, as Python's `dict` does.
///
/// Objects in sessions are small, so looking one key up is linear; whatever looks up many at once ([`Object::update`],
/// comparing, collecting) is linear as a whole. The parser removes repeated keys (the last value wins).
#[derive(Debug, Clone, Default)]
pub struct Object {
    members: Vec<(Arc<str>, Json)>,
}

impl Object {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&Json> {
        self.members.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.members.iter_mut().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Sets `key`, keeping its place when it is there already. Returns the value it had.
    pub fn insert(&mut self, key: impl Into<Arc<str>>, value: impl Into<Json>) -> Option<Json> {
        let key = key.into();
        let value = value.into();
        match self.get_mut(&key) {
            Some(slot) => Some(std::mem::replace(slot, value)),
            None => {
                self.members.push((key, value));
                None
            }
        }
    }

    /// Adds a member that is known not to be there yet.
    pub fn push(&mut self, key: impl Into<Arc<str>>, value: impl Into<Json>) {
        self.members.push((key.into(), value.into()));
    }

    /// Adds a member when there is a value for it: ADK omits absent fields.
    pub fn push_some<T: Into<Json>>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.push(key, value);
        }
    }

    /// Sets every member of `changes`, as Python's `dict.update`.
    pub fn update(&mut self, changes: &Self) {
        let changes = changes.members.iter().cloned();
        self.members = members::set_all(std::mem::take(&mut self.members), changes);
    }

    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let index = self.members.iter().position(|(name, _)| &**name == key)?;
        Some(self.members.remove(index).1)
    }

    /// Removes a member whose value is what is wanted; another value is left where it is.
    pub fn remove_if(&mut self, key: &str, is_wanted: impl FnOnce(&Json) -> bool) -> Option<Json> {
        let index = self.members.iter().position(|(name, _)| &**name == key)?;
        is_wanted(&self.members[index].1).then(|| self.members.remove(index).1)
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Json) -> bool) {
        self.members.retain(|(key, value)| keep(key, value));
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Arc<str>, &Json)> + ExactSizeIterator {
        self.members.iter().map(|(key, value)| (key, value))
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.members.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl ExactSizeIterator<Item = &Json> {
        self.members.iter().map(|(_, value)| value)
    }

    /// The members ordered by key, by code point, as Python's `sorted` orders them. Nested objects keep their order.
    pub fn sorted(&self) -> Self {
        let mut members = self.members.clone();
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self { members }
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        members::are_equal(&self.members, &other.members)
    }
}

impl<K: Into<Arc<str>>, V: Into<Json>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let members = members.into_iter().map(|(key, value)| (key.into(), value.into()));
        Self { members: members::set_all(Vec::new(), members) }
    }
}

impl IntoIterator for Object {
    type Item = (Arc<str>, Json);
    type IntoIter = std::vec::IntoIter<(Arc<str>, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}
