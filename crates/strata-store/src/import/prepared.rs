//! An event as it will stand in its rows.

use strata_model::{Event, FromJson as _};

use crate::credential::holds_credential;
use crate::event::EventKinds;
use crate::record::RawRecord;

pub(super) struct Prepared<'a> {
    pub(super) event: &'a Event,
    pub(super) json: &'a str,
    pub(super) kinds: EventKinds,
    /// What reading the JSON back gives: JSON has no infinity and no not-a-number.
    pub(super) timestamp: f64,
    pub(super) records: &'a [RawRecord<'a>],
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
    pub(super) fn new(event: &'a Event, records: &'a [RawRecord<'a>], json: &'a mut String) -> Self {
        json.clear();
        event.write_json(json);
        Self {
            kinds: EventKinds::of(event),
            timestamp: if event.timestamp.is_finite() { event.timestamp } else { 0.0 },
            event,
            json,
            records,
        }
    }

    pub(super) fn raw(&self, record: &RawRecord<'a>) -> Raw<'a> {
        match record.bytes {
            None => Raw::NotGiven,
            Some(bytes) if holds_credential(bytes) => Raw::Withheld,
            Some(bytes) if bytes == self.json.as_bytes() => Raw::IsJson,
            Some(bytes) => Raw::Bytes(bytes),
        }
    }
}
