//! Entries become events.

use std::sync::Arc;

use strata_model::{Content, Event, EventCompaction, Json, Object, Part, Scope, Session, Str};

use super::error::TranscriptError;
use super::head::Head;
use super::lines::{Entry, Line};
use super::parts::{self, WrittenPart};
use super::scan;

#[derive(Default)]
pub(super) struct Builder {
    session: Session,
    /// Set on answers of models.
    model: Option<Str>,
    n_turns: u32,
    n_unnamed_calls: u32,
    n_others: u32,
    pub(super) calls: Vec<KnownCall>,
}

impl Builder {
    pub(super) fn add(&mut self, entry: &Entry<'_>) -> Result<(), TranscriptError> {
        let head = Head::read(entry.head)?;
        match (&head.words[..], head.body) {
            (["session"] | ["session", _], None) => self.describe_session(&head),
            ([from, "=>", to], None) => self.add_transfer(&head, from, to),
            (["rewind", turn], None) => self.add_rewind(&head, turn),
            (["compaction", range], Some(_)) => self.add_compaction(&head, range, &entry.more),
            (["tool", ..], Some(_)) => self.add_results(&head, &entry.more),
            ([who, id], Some(_)) if id.starts_with('#') => self.add_results_from(&head, who, &entry.more),
            ([who], Some(_)) => self.add_content(&head, who, &entry.more),
            _ => Err(head.fail(format!("expected `name: text`, found {}", entry.head.text))),
        }
    }

    pub(super) fn finish(mut self) -> Session {
        if self.session.id.is_empty() {
            self.session.id = "s1".into();
        }
        if self.session.app_name.is_empty() {
            self.session.app_name = "demo".into();
        }
        if self.session.user_id.is_empty() {
            self.session.user_id = "u1".into();
        }
        self.session
    }

    fn describe_session(&mut self, head: &Head<'_>) -> Result<(), TranscriptError> {
        if !self.session.events.is_empty() {
            return Err(head.fail("the session is described before its first event"));
        }
        if let Some(id) = head.words.get(1) {
            self.session.id = (*id).into();
        }
        for note in &head.notes {
            let fail = |message| head.fail(message);
            match note.name {
                "app" => self.session.app_name = note.word().map_err(fail)?,
                "user" => self.session.user_id = note.word().map_err(fail)?,
                "model" => self.model = Some(note.word().map_err(fail)?),
                "state" => self.session.state = scan::pairs(note.rest, ' ').map_err(fail)?,
                name => return Err(head.fail(format!("{name} is no note of a session"))),
            }
        }
        Ok(())
    }

    fn add_content(&mut self, head: &Head<'_>, who: &str, more: &[Line<'_>]) -> Result<(), TranscriptError> {
        let is_user = who == "user";
        if is_user && head.note("turn").is_none() {
            self.n_turns += 1;
        }
        let content = Content::new(if is_user { "user" } else { "model" }, self.read_parts(head, more)?);
        let mut event = Event { content: spoken(content), ..self.blank_event(head, who)? };
        if !is_user {
            event.model_version.clone_from(&self.model);
            if event.function_calls().next().is_some() {
                event.long_running_tool_ids = Some(Vec::new());
            }
        }
        self.push(head, event)
    }

    fn read_parts(&mut self, head: &Head<'_>, more: &[Line<'_>]) -> Result<Vec<Part>, TranscriptError> {
        let mut read = Vec::new();
        for (line, written) in parts::read(head.lines(more))? {
            read.push(match written {
                WrittenPart::Text(lines) => Part::from_text(lines.join("\n")),
                WrittenPart::Thought(lines) => {
                    Part { thought: Some(true), ..Part::from_text(lines.join("\n")) }
                }
                WrittenPart::Call { name, args, id } => {
                    let id = id.map_or_else(|| self.next_call_id(), str::to_owned);
                    parts::call(name, args, &id)
                }
                WrittenPart::Raw(part) => *part,
                WrittenPart::Result { .. } => {
                    return Err(TranscriptError::new(line, "results stand below `tool:`"));
                }
            });
        }
        Ok(read)
    }

    fn next_call_id(&mut self) -> String {
        self.n_unnamed_calls += 1;
        format!("adk-{}", self.n_unnamed_calls)
    }

    fn add_transfer(&mut self, head: &Head<'_>, from: &str, to: &str) -> Result<(), TranscriptError> {
        let id = self.next_call_id();
        let args = Object::from_iter([("agent_name", to)]);
        let content = Content::new("model", [parts::call("transfer_to_agent", args, &id)]);
        let call = Event {
            content: spoken(content),
            model_version: self.model.clone(),
            long_running_tool_ids: Some(Vec::new()),
            ..self.blank_event(head, from)?
        };
        self.push(head, call)?;
        let nothing = Object::from_iter([("result", Json::Null)]);
        let content = Content::new("user", [parts::result("transfer_to_agent", nothing, Some(&id))]);
        let mut result = Event { content: spoken(content), ..self.blank_event(head, from)? };
        result.actions.transfer_to_agent = Some(to.into());
        self.calls.iter_mut().filter(|call| *call.id == *id).for_each(|call| call.is_answered = true);
        self.push(head, result)
    }

    fn add_rewind(&mut self, head: &Head<'_>, turn: &str) -> Result<(), TranscriptError> {
        let turn = self.turn(head, turn)?;
        let mut event = self.blank_event(head, "user")?;
        event.invocation_id = self.next_other_id("rewind");
        event.actions.rewind_before_invocation_id = Some(format!("i{turn}").into());
        self.push(head, event)
    }

    fn add_compaction(
        &mut self,
        head: &Head<'_>,
        range: &str,
        more: &[Line<'_>],
    ) -> Result<(), TranscriptError> {
        let (start, end) = self.span(head, range)?;
        let compaction = EventCompaction {
            start_timestamp: Some(start),
            end_timestamp: Some(end),
            compacted_content: Some(Content::new("model", self.read_parts(head, more)?)),
            ..EventCompaction::default()
        };
        let mut event = self.blank_event(head, "user")?;
        event.invocation_id = self.next_other_id("compaction");
        event.actions.compaction = Some(compaction);
        self.push(head, event)
    }

    /// Seconds of the first and the last event of `1-3` (turns) or `E2-E5` (events).
    fn span(&self, head: &Head<'_>, range: &str) -> Result<(f64, f64), TranscriptError> {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let events = &self.session.events;
        let found = match (first.strip_prefix('E'), last.strip_prefix('E')) {
            (Some(first), Some(last)) => {
                let event = |number: &str| events.get(number.parse::<usize>().ok()?.checked_sub(1)?);
                event(first).zip(event(last))
            }
            _ => {
                let of_turn =
                    |turn: u32| move |event: &&Arc<Event>| *event.invocation_id == *format!("i{turn}");
                let (first, last) = (self.turn(head, first)?, self.turn(head, last)?);
                events.iter().find(of_turn(first)).zip(events.iter().rfind(of_turn(last)))
            }
        };
        found
            .map(|(first, last)| (first.timestamp, last.timestamp))
            .ok_or_else(|| head.fail(format!("{range} names events that are not there yet")))
    }

    fn turn(&self, head: &Head<'_>, written: &str) -> Result<u32, TranscriptError> {
        match written.parse() {
            Ok(turn) if (1..=self.n_turns).contains(&turn) => Ok(turn),
            _ => Err(head.fail(format!("{written} is no turn so far"))),
        }
    }

    /// Compactions and rewinds have invocation ids of their own.
    fn next_other_id(&mut self, what: &str) -> Str {
        self.n_others += 1;
        format!("{what}-{}", self.n_others).into()
    }

    /// An event of the current turn at the current place.
    pub(super) fn blank_event(&self, head: &Head<'_>, author: &str) -> Result<Event, TranscriptError> {
        let number = self.session.events.len() + 1;
        let turn = match head.note("turn") {
            Some(note) => self.turn(head, note.rest)?,
            None => self.n_turns.max(1),
        };
        Ok(Event {
            author: author.into(),
            invocation_id: format!("i{turn}").into(),
            id: format!("e{number}").into(),
            timestamp: number as f64,
            ..Event::default()
        })
    }

    /// Applies the notes and appends the event.
    pub(super) fn push(&mut self, head: &Head<'_>, mut event: Event) -> Result<(), TranscriptError> {
        self.n_turns = self.n_turns.max(1);
        for note in head.notes.iter().filter(|note| note.name != "turn") {
            note.apply(&mut event).map_err(|message| head.fail(message))?;
        }
        for (key, value) in event.actions.state_delta.iter() {
            if Scope::of(key) != Scope::Temp {
                self.session.state.insert(key.clone(), value.clone());
            }
        }
        let event = Arc::new(event);
        for call in event.function_calls() {
            self.calls.push(KnownCall {
                id: call.id.clone().unwrap_or_default(),
                name: call.name.clone().unwrap_or_default(),
                event: event.clone(),
                is_answered: false,
            });
        }
        self.session.last_update_time = event.timestamp;
        self.session.events.push(event);
        Ok(())
    }
}

/// A call, for the results that come later.
pub(super) struct KnownCall {
    pub id: Str,
    pub name: Str,
    pub event: Arc<Event>,
    pub is_answered: bool,
}

/// A content, unless there is nothing in it.
pub(super) fn spoken(content: Content) -> Option<Arc<Content>> {
    (!content.parts().is_empty()).then(|| Arc::new(content))
}
