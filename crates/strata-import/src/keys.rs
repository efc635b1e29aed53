//! The keys by which JSON is recognised.

use strata_model::{Json, Object};

/// An object of a file as far as it was looked at: its keys, and texts that stand near its top.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys<'o>(&'o Object);

impl<'o> Keys<'o> {
    pub(crate) fn of(value: &'o Json) -> Option<Self> {
        value.as_object().map(Self)
    }

    pub(crate) fn has(self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    pub(crate) fn has_any(self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    pub(crate) fn has_all(self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    pub(crate) fn holds_list(self, key: &str) -> bool {
        matches!(self.0.get(key), Some(Json::Array(_)))
    }

    /// The text under a key; empty when there is none.
    pub(crate) fn text(self, key: &str) -> &'o str {
        self.0.get(key).and_then(Json::as_str).unwrap_or_default()
    }

    /// What it says it is.
    pub(crate) fn kind(self) -> &'o str {
        self.text("type")
    }

    pub(crate) fn inner(self, key: &str) -> Option<Self> {
        Self::of(self.0.get(key)?)
    }

    /// Whether the object under a key has all of these.
    pub(crate) fn inner_has(self, key: &str, keys: &[&str]) -> bool {
        self.inner(key).is_some_and(|inner| inner.has_all(keys))
    }

    /// The first element of a list, when it is an object.
    pub(crate) fn first_of(self, key: &str) -> Option<Self> {
        Self::of(self.0.get(key)?.as_array()?.first()?)
    }

    /// Whether the first element of a list has all of these.
    pub(crate) fn first_has(self, key: &str, keys: &[&str]) -> bool {
        self.first_of(key).is_some_and(|first| first.has_all(keys))
    }

    /// The keys it begins with, to be shown.
    pub(crate) fn shown(self) -> String {
        let keys: Vec<_> = self.0.keys().take(8).map(|key| &**key).collect();
        keys.join(", ")
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}
