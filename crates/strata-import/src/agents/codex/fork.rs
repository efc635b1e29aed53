//! The history that a fork copies from its parent.

use std::cmp::Ordering;

use strata_model::{Json, Object};

use crate::time::time_of;
use crate::values::Value;

/// What the records of a file so far tell of the history it copies.
///
/// The ids of threads and turns begin with the time they were made, so the turns of the parent have smaller ids than
/// the fork; where turns have no such ids, their records are older than it.
#[derive(Debug, Clone, Default)]
pub(super) struct Fork {
    n_records: usize,
    /// What the first line says of the thread.
    own: Option<Thread>,
    /// When records in front of it were made, for which it is not known yet when the thread began.
    before_own: Vec<(Option<String>, Option<f64>)>,
    /// A line says that an older thread began here, too.
    has_parent: bool,
    has_timed_turns: bool,
    /// Place of the first record of a turn that is not older than the thread.
    first_turn: Option<usize>,
    /// Place of the first record that is not older than the thread.
    first_record: Option<usize>,
}

#[derive(Debug, Clone)]
struct Thread {
    id: String,
    /// As ids tell it.
    began: Option<String>,
    /// Epoch seconds.
    began_at: Option<f64>,
}

/// When a record was made.
#[derive(Debug, Clone, Copy)]
struct Made<'v> {
    /// Its turn, as ids tell it.
    turn: Option<&'v str>,
    /// Epoch seconds.
    at: Option<f64>,
}

impl Fork {
    /// Takes note of the next record.
    pub(super) fn note(&mut self, value: &Value) {
        let made = Made {
            turn: payload(value).and_then(turn_of).and_then(timed),
            at: value.json.get("timestamp").and_then(time_of),
        };
        if kind_of(value) == "session_meta" {
            self.note_thread(value);
        }
        match self.own {
            Some(_) => self.note_made(self.n_records, made),
            None => self.before_own.push((made.turn.map(str::to_owned), made.at)),
        }
        self.n_records += 1;
    }

    /// Whether a record is the first line of a thread that began after this one: a fork repeats those of older threads only.
    pub(super) fn is_before(&self, record: &Value) -> bool {
        let about = payload(record).filter(|_| kind_of(record) == "session_meta");
        let order = self.own.as_ref().zip(about).and_then(|(own, other)| own.compared_with(other));
        order == Some(Ordering::Less)
    }

    fn note_thread(&mut self, meta: &Value) {
        let about = payload(meta);
        let id = about.and_then(|about| about.get("id")?.as_str());
        if let Some(own) = &self.own {
            // Of which nothing tells that it is older, that is none.
            let order = about.and_then(|other| own.compared_with(other));
            self.has_parent |= order.is_some_and(Ordering::is_ge);
            return;
        }
        self.has_parent = about.is_some_and(|it| it.get("forked_from_id").is_some_and(Json::is_truthy));
        self.own = Some(Thread {
            id: id.unwrap_or_default().to_owned(),
            began: id.and_then(timed).map(str::to_owned),
            began_at: about.and_then(|about| time_of(about.get("timestamp")?)),
        });
        for (at, (turn, made_at)) in std::mem::take(&mut self.before_own).iter().enumerate() {
            self.note_made(at, Made { turn: turn.as_deref(), at: *made_at });
        }
    }

    /// The first record is the file's own.
    fn note_made(&mut self, at: usize, made: Made<'_>) {
        let Some(own) = self.own.as_ref().filter(|_| at > 0) else { return };
        if let (Some(turn), Some(began)) = (made.turn, &own.began) {
            self.has_timed_turns = true;
            if *turn >= **began {
                self.first_turn = self.first_turn.or(Some(at));
            }
        }
        if own.began_at.is_some_and(|began| made.at.is_none_or(|at| at >= began)) {
            self.first_record = self.first_record.or(Some(at));
        }
    }

    /// Place of the first record that is the fork's own: everything before it, but its first line, is copied. 0 where
    /// nothing is.
    pub(super) fn first_own(&self) -> usize {
        let Some(own) = self.own.as_ref().filter(|_| self.has_parent) else { return 0 };
        if self.has_timed_turns {
            self.first_turn.unwrap_or(self.n_records)
        } else if own.began_at.is_some() {
            self.first_record.unwrap_or(self.n_records)
        } else {
            0
        }
    }
}

impl Thread {
    /// Whether it began before or after another, by what is said of that. `None` where that is not known, or is this one.
    fn compared_with(&self, other: &Object) -> Option<Ordering> {
        let id = other.get("id")?.as_str().filter(|id| *id != self.id)?;
        match (&self.began, timed(id)) {
            (Some(began), Some(other)) => Some((**began).cmp(other)),
            _ => self.began_at?.partial_cmp(&time_of(other.get("timestamp")?)?),
        }
    }
}

fn kind_of(value: &Value) -> &str {
    value.json.get("type").and_then(Json::as_str).unwrap_or_default()
}

fn payload(value: &Value) -> Option<&Object> {
    value.json.get("payload")?.as_object()
}

fn turn_of(payload: &Object) -> Option<&str> {
    let about = payload.get("internal_chat_message_metadata_passthrough");
    payload.get("turn_id").or_else(|| about?.get("turn_id"))?.as_str()
}

/// The digits of an id that say when it was made, in a UUID of version 7.
fn timed(id: &str) -> Option<&str> {
    let is_timed = id.len() == 36 && id.is_ascii() && id.as_bytes()[14] == b'7';
    is_timed.then(|| &id[..13])
}
