//! An event as it will stand in its rows.

use std::borrow::Cow;

use strata_model::{Event, FromJson, Scope};

use super::NewEvent;
use crate::credential::holds_credential;
use crate::event::EventKinds;
use crate::record::RawRecord;

pub(super) struct Prepared<'a> {
    pub(super) event: Cow<'a, Event>,
    pub(super) json: &'a str,
    pub(super) kinds: EventKinds,
    /// What reading the JSON back gives: JSON has no infinity and no not-a-number.
    pub(super) timestamp: f64,
    pub(super) records: &'a [RawRecord<'a>],
    pub(super) n_temporary_keys: usize,
}

/// What becomes of the bytes of a source record.
pub(super) enum Raw<'a> {
    NotGiven,
    /// They must not be stored.
    Withheld,
    /// They are the event's JSON, which is stored anyway.
    IsJson,
    Bytes(&'a [u8]),
}

impl<'a> Prepared<'a> {
    /// The event's JSON is written over what is in `json`.
    pub(super) fn new(new: &'a NewEvent<'_>, json: &'a mut String) -> Self {
        let (event, n_temporary_keys) = without_temporary_state(new.event);
        json.clear();
        event.write_json(json);
        Self {
            kinds: EventKinds::of(&event),
            timestamp: if event.timestamp.is_finite() { event.timestamp } else { 0.0 },
            event,
            json,
            records: &new.records,
            n_temporary_keys,
        }
    }

    pub(super) fn raw(&self, record: &RawRecord<'a>) -> Raw<'a> {
        match record.bytes {
            None => Raw::NotGiven,
            Some(bytes) if self.n_temporary_keys > 0 || holds_credential(bytes) => Raw::Withheld,
            Some(bytes) if bytes == self.json.as_bytes() => Raw::IsJson,
            Some(bytes) => Raw::Bytes(bytes),
        }
    }
}

/// ADK takes `temp:` keys out of an event's state before it stores the event; recordings by older versions, and those
/// that were never stored, still have them.
fn without_temporary_state(event: &Event) -> (Cow<'_, Event>, usize) {
    let is_temporary = |key: &str| Scope::of(key) == Scope::Temp;
    let n_temporary = event.actions.state_delta.keys().filter(|key| is_temporary(key)).count();
    if n_temporary == 0 {
        return (Cow::Borrowed(event), 0);
    }
    let mut event = event.clone();
    event.actions.state_delta.retain(|key, _| !is_temporary(key));
    (Cow::Owned(event), n_temporary)
}
