//! What a file holds that has no place in the session model.

use std::collections::BTreeMap;

use strata_model::Json;
use strata_wire::UnreadFields;

use crate::source::SourceRecord;

/// Record types and fields that did not become part of an event, by name. Nothing of them is lost: the records
/// are known by their place in the file, and the fields stand in the source records of their events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Unmapped {
    /// By record type, such as `progress.hook_progress`, in the order of the file.
    pub records: BTreeMap<String, Vec<SourceRecord>>,
    /// How often a field with a value was met, by path, such as `assistant.message.container`.
    pub fields: BTreeMap<String, u64>,
}

impl Unmapped {
    pub(crate) fn record(&mut self, kind: &str, source: SourceRecord) {
        match self.records.get_mut(kind) {
            Some(sources) => sources.push(source),
            None => {
                self.records.insert(kind.to_owned(), vec![source]);
            }
        }
    }

    /// Counts a field of `owner` that is not carried. Null says nothing, so it is not counted.
    pub(crate) fn field(&mut self, owner: &str, name: &str, value: &Json) {
        if !value.is_null() {
            *self.fields.entry(format!("{owner}.{name}")).or_default() += 1;
        }
    }

    /// Takes over what was counted elsewhere.
    pub(crate) fn add(&mut self, other: Self) {
        for (kind, sources) in other.records {
            self.records.entry(kind).or_default().extend(sources);
        }
        for (name, count) in other.fields {
            *self.fields.entry(name).or_default() += count;
        }
    }

    /// Every name with how often it occurs, records first.
    pub fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        let records = self.records.iter().map(|(name, sources)| (&**name, sources.len() as u64));
        records.chain(self.fields.iter().map(|(name, count)| (&**name, *count)))
    }
}

impl UnreadFields for Unmapped {
    fn field(&mut self, owner: &str, name: &str, value: &Json) {
        Self::field(self, owner, name, value);
    }
}
