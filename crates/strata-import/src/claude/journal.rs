//! The request journal: whole requests, which Claude Code writes down since 2.1.285.
//!
//! A request is told as what it has of the one before it and hashes of what is new. System prompt and tools stand in a
//! record of their own, and so do messages that nothing else in the transcript holds; answers and results of tools are
//! found in it by their hashes. A record may stand behind the answer to its request, so all of it is put together when
//! the file is read.

mod body;
mod chain;
mod failures;
mod hash;
mod messages;
mod pieces;
mod request;
mod said;
mod text;

use std::collections::HashMap;

use strata_model::take::take_object;
use strata_model::{Json, Str};

use super::ids::EntryId;
use super::record::Record;
use crate::findings::Findings;
use crate::imported::RecordedRequest;
use crate::source::SourceRecord;
use crate::time::epoch_seconds;
use crate::unmapped::Unmapped;
use chain::{ChainError, Chains};
use failures::Failures;
use messages::Messages;
use pieces::Pieces;
use request::RequestRecord;
use said::JournalMessages;

const SHAPE: &str = "api-request-shape";
const MESSAGE: &str = "api-request-blob";
const REQUEST: &str = "api-request";

/// Names of what the API is to do beside, which are sent as a header.
const BETAS: &str = "betas";

/// Whether a record of this type is one of the journal's.
pub(super) fn is_record(kind: &str) -> bool {
    matches!(kind, SHAPE | MESSAGE | REQUEST)
}

#[derive(Debug, Clone, Default)]
pub(super) struct Journal {
    pieces: Pieces,
    said: JournalMessages,
    requests: Vec<RequestRecord>,
    places: HashMap<Str, usize>,
    /// Events that answer a request, by its id.
    answers: HashMap<Str, Vec<EntryId>>,
    failures: Failures,
}

impl Journal {
    pub(super) fn read(
        &mut self,
        mut record: Record,
        source: SourceRecord,
        place: &str,
        unmapped: &mut Unmapped,
        findings: &mut Findings,
    ) {
        if self.take(&mut record, source.clone(), place, unmapped).is_none() {
            unmapped.record(&record.kind, source);
            let message = "a record of the request journal does not have the shape that is known; it was left out, \
                           and so are the requests that need it";
            return findings.warning("unknown-request-record", place, message);
        }
        record.note_rest(unmapped);
    }

    fn take(
        &mut self,
        record: &mut Record,
        source: SourceRecord,
        place: &str,
        unmapped: &mut Unmapped,
    ) -> Option<()> {
        let agent_id = record.agent_id.take();
        let time = record.timestamp.as_deref().and_then(epoch_seconds);
        match &*record.kind {
            SHAPE => {
                let shape = take_object(&mut record.rest, "shape")?;
                self.pieces.add_shape(record.take_text("shapeHash")?, Json::Object(shape));
            }
            MESSAGE => {
                let message = record.message.take()?;
                message.get("role")?.as_str()?;
                message.get("content")?;
                self.pieces.add_message(record.take_text("hash")?, Json::Object(message));
            }
            _ => {
                let mut request = RequestRecord::read(&mut record.rest, agent_id, time, source, place)?;
                if let Some(betas) = request.params.remove(BETAS) {
                    unmapped.field("api-request.params", BETAS, &betas);
                }
                // A resumed session may write a record again.
                if !self.places.contains_key(&request.id) {
                    self.places.insert(request.id.clone(), self.requests.len());
                    self.requests.push(request);
                }
            }
        }
        Some(())
    }

    /// The event is the answer to this request.
    pub(super) fn answered(&mut self, request: Str, entry: EntryId) {
        let answers = self.answers.entry(request).or_default();
        if !answers.contains(&entry) {
            answers.push(entry);
        }
    }

    /// The event says that a request of this agent failed, at a time in epoch seconds.
    pub(super) fn failed(&mut self, agent_id: Option<Str>, time: f64, entry: EntryId) {
        self.failures.add(agent_id, time, entry);
    }

    /// A message of the user became this event.
    pub(super) fn said_by_user(&mut self, entry: EntryId, content: Json) {
        self.said.add_of_user(entry, content);
    }

    /// A line of a response became a part of this event.
    pub(super) fn said_by_model(&mut self, entry: EntryId, content: Json) {
        self.said.add_of_model(entry, content);
    }

    /// All requests in the order in which they were sent, one for each answer. Events of which `is_copy` holds repeat
    /// what another file has.
    pub(super) fn requests(
        self,
        is_copy: impl Fn(EntryId) -> bool,
        unmapped: &mut Unmapped,
        findings: &mut Findings,
    ) -> Vec<RecordedRequest> {
        let mut found = Vec::new();
        let chains = Chains::of(&self.requests);
        let failures = self.failures.by_request(&self.requests);
        let mut messages = Messages::new(&self.pieces, &self.said, &self.answers);
        for (at, request) in self.requests.iter().enumerate() {
            match self.body(request, &chains, at, &mut messages, findings) {
                Ok(body) => {
                    let answers = self.answers_to(&request.id, &failures, &is_copy);
                    let alignment = messages.alignment(chains.before(at), chains.get(at).unwrap_or_default());
                    found.extend(answers.into_iter().map(|answer| RecordedRequest {
                        answer,
                        body: body.clone(),
                        source: request.source.clone(),
                        alignment,
                    }));
                }
                Err(broken) => {
                    unmapped.record(REQUEST, request.source.clone());
                    let message = format!(
                        "a request that the client wrote down cannot be put together: {}. What was sent for its \
                         call is worked out from the transcript, as for calls without such records",
                        broken.said()
                    );
                    findings.warning("broken-request", &*request.place, message);
                }
            }
        }
        self.report_unknown(&is_copy, findings);
        self.report_changes(messages.n_placed(), findings);
        found
    }

    /// What answers a request: responses, else the error it failed with, else nothing.
    fn answers_to(
        &self,
        request: &Str,
        failures: &HashMap<&str, EntryId>,
        is_copy: &impl Fn(EntryId) -> bool,
    ) -> Vec<Option<EntryId>> {
        let responses = self.answers.get(request).into_iter().flatten().copied();
        let responses: Vec<_> = responses.filter(|entry| !is_copy(*entry)).map(Some).collect();
        if responses.is_empty() { vec![failures.get(&**request).copied()] } else { responses }
    }

    fn body(
        &self,
        request: &RequestRecord,
        chains: &Chains<'_>,
        at: usize,
        messages: &mut Messages<'_>,
        findings: &mut Findings,
    ) -> Result<Json, ChainError> {
        let shape = self.pieces.shape(&request.shape).ok_or(ChainError::NoShape)?;
        let messages = messages.all(chains.get(at)?, request).ok_or(ChainError::NoMessage)?;
        let (body, n_lost_marks) = body::body_of(request, shape, messages);
        if n_lost_marks > 0 {
            let message = "a cache mark of a request names a place that the request does not have; the request is \
                           shown without it";
            findings.warning("lost-cache-mark", &*request.place, message);
        }
        Ok(body)
    }

    fn report_unknown(&self, is_copy: &impl Fn(EntryId) -> bool, findings: &mut Findings) {
        let unknown = self.answers.iter().filter(|(id, answers)| {
            !self.places.contains_key(*id) && answers.iter().any(|entry| !is_copy(*entry))
        });
        let n_unknown = unknown.count();
        if n_unknown > 0 {
            let (answers, name) = if n_unknown == 1 { ("answer", "names") } else { ("answers", "name") };
            let message = format!(
                "{n_unknown} {answers} {name} a request that is not in this file; what was sent for such a call is \
                 worked out from the transcript"
            );
            findings.info("missing-request", "", message);
        }
    }

    fn report_changes(&self, n_placed: usize, findings: &mut Findings) {
        let n_changed = self.pieces.n_changed();
        if n_changed > 0 {
            let by_place = match n_placed {
                0 => String::new(),
                1 => ". 1 message was found by its place instead of its hash".to_owned(),
                n => format!(". {n} messages were found by their place instead of their hash"),
            };
            let message = format!(
                "{n_changed} of {} pieces of requests do not have the hash that Claude Code wrote with them: this file \
                 was changed afterwards, as when names are replaced. Requests are shown as the file has them \
                 now{by_place}",
                self.pieces.n_read(),
            );
            findings.info("changed-requests", "", message);
        }
    }
}
