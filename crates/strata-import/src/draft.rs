//! A session while it is put together from messages, for all formats that are not ADK's own.

mod cover;
mod message;
mod say;
mod times;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use strata_model::{Content, Event, EventCompaction, Json, Object, Part, Session, Str};
use strata_wire::message::{Messages, Reader, Turn};
use strata_wire::usage::UsageReport;

use crate::bodies::Bodies;
use crate::facts::{Facts, SourceFacts, largest_result_bytes};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession, RecordedRequest};
use crate::kept::KeptAnswers;
use crate::marks;
use crate::source::SourceRecord;
use crate::title;
use crate::unmapped::Unmapped;

pub(crate) use message::{say_message, say_turn};
use say::finish_reason;
pub(crate) use say::{EventDraft, Kind, kind_of};
use times::Times;
pub(crate) use times::{STEP, is_same};

/// A session in the making.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) session: Session,
    /// The name of the agent that speaks where nothing else is said.
    pub(crate) agent: Str,
    pub(crate) unmapped: Unmapped,
    pub(crate) title: Option<Str>,
    pub(crate) parent: Option<ParentSession>,
    pub(crate) requests: Vec<RecordedRequest>,
    /// Names of tools by the ids of their calls.
    pub(crate) tools: HashMap<Str, Str>,
    /// What bodies of requests that were read repeat.
    pub(crate) bodies: Bodies,
    /// What providers keep of what was sent before.
    pub(crate) kept: KeptAnswers,
    /// Bytes of text in the largest tool result, where the format counts text.
    pub(crate) result_bytes: Option<u64>,
    pub(crate) counts: BTreeMap<&'static str, Json>,
    /// Copies share those that neither of them changes.
    events: Vec<Arc<Event>>,
    sources: Vec<Vec<SourceRecord>>,
    /// The invocation that is going on, by branch.
    invocations: HashMap<Option<Str>, Str>,
    clock: f64,
    seen_ids: HashSet<Str>,
    /// Events before the first prompt whose invocation nobody named: they belong to it.
    before_prompt: Option<Vec<usize>>,
    times: Times,
    /// The roles of contents, which all events share.
    user: Str,
    model: Str,
}

impl Draft {
    pub(crate) fn new(app: &str, agent: &str) -> Self {
        Self {
            session: Session { app_name: app.into(), user_id: "user".into(), ..Session::default() },
            agent: agent.into(),
            unmapped: Unmapped::default(),
            title: None,
            parent: None,
            requests: Vec::new(),
            tools: HashMap::new(),
            bodies: Bodies::default(),
            kept: KeptAnswers::default(),
            result_bytes: None,
            counts: BTreeMap::new(),
            events: Vec::new(),
            sources: Vec::new(),
            invocations: HashMap::new(),
            clock: 0.0,
            seen_ids: HashSet::new(),
            before_prompt: Some(Vec::new()),
            times: Times::default(),
            user: "user".into(),
            model: "model".into(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    pub(crate) fn event_mut(&mut self, at: usize) -> Option<&mut Event> {
        self.events.get_mut(at).map(Arc::make_mut)
    }

    pub(crate) fn event(&self, at: usize) -> Option<&Event> {
        self.events.get(at).map(|event| &**event)
    }

    pub(crate) fn add_source(&mut self, at: usize, source: SourceRecord) {
        if let Some(sources) = self.sources.get_mut(at)
            && !sources.contains(&source)
        {
            sources.push(source);
        }
    }

    /// The last time that was said, in epoch seconds.
    pub(crate) fn set_clock(&mut self, time: Option<f64>) {
        self.clock = time.filter(|time| time.is_finite()).unwrap_or(self.clock);
    }

    pub(crate) fn messages(&mut self, owner: &'static str) -> Messages<'_> {
        Messages { owner, tools: &mut self.tools, unread: &mut self.unmapped }
    }

    /// A reader of requests and answers.
    pub(crate) fn reader(&mut self) -> Reader<'_> {
        Reader { tools: &mut self.tools, unread: &mut self.unmapped }
    }

    /// Counts the fields of an object that nobody took.
    pub(crate) fn note_rest(&mut self, owner: &str, rest: &Object) {
        for (key, value) in rest.iter() {
            self.unmapped.field(owner, key, value);
        }
    }

    /// The object an element of a list should be; anything else is counted.
    pub(crate) fn object(&mut self, list: &str, element: Json) -> Option<Object> {
        match element {
            Json::Object(object) => Some(object),
            other => {
                self.unmapped.field(list, "[]", &other);
                None
            }
        }
    }

    pub(crate) fn note_result_bytes(&mut self, bytes: u64) {
        self.result_bytes = Some(self.result_bytes.unwrap_or(0).max(bytes));
    }

    /// Adds a message as the event it is.
    pub(crate) fn push_turn(&mut self, turn: Turn, mut say: EventDraft) -> usize {
        self.note_result_bytes(turn.result_bytes);
        say.kind = kind_of(&turn);
        say.parts = turn.parts;
        self.push(say)
    }

    /// Adds an event; returns its index.
    pub(crate) fn push(&mut self, say: EventDraft) -> usize {
        let at = self.events.len();
        self.set_clock(say.time);
        // What happens after a compaction is not covered by it, however coarse the clock is.
        self.clock = self.times.behind_ends(say.branch.as_ref(), self.clock);
        let id = self.unused_id(say.id);
        let is_unnamed = say.invocation.is_none() && say.branch.is_none();
        let agent = say.agent.unwrap_or_else(|| self.agent.clone());
        let invocation = self.invocation(&say.kind, say.invocation, say.branch.as_ref(), &id);
        let mut custom = Object::new();
        if !say.source_notes.is_empty() {
            custom.push(marks::SOURCE, say.source_notes);
        }
        self.note_beginning(&say.kind, is_unnamed, &invocation);
        let (author, role) = match &say.kind {
            Kind::Prompt | Kind::Injected(_) | Kind::Compaction => (self.user.clone(), &self.user),
            Kind::Response => (agent, &self.model),
            Kind::Results | Kind::Notice => (agent, &self.user),
        };
        if let Kind::Injected(kind) = &say.kind {
            custom.push(marks::INJECTED, kind.clone());
        }
        let mut event = Event {
            id,
            author,
            invocation_id: invocation,
            timestamp: self.clock,
            model_version: say.model,
            finish_reason: say.finish.as_deref().map(|reason| finish_reason(reason).into()),
            ..Event::default()
        };
        if let Some((code, message)) = say.error {
            event.error_code = Some(code);
            event.error_message = Some(message);
        }
        if let Some(reported) = say.usage {
            custom_write(&mut custom, reported.cache_write);
            event.usage_metadata = Some(Box::new(reported.usage));
        }
        let has_content =
            !say.parts.is_empty() || matches!(say.kind, Kind::Prompt | Kind::Injected(_) | Kind::Results);
        let content = has_content.then(|| Content {
            role: Some(role.clone()),
            parts: Some(say.parts.into_iter().map(Arc::new).collect()),
            ..Content::default()
        });
        if say.kind == Kind::Compaction {
            let (start, end) = self.span(say.branch.as_ref());
            event.actions.compaction = Some(EventCompaction {
                start_timestamp: Some(start),
                end_timestamp: Some(end),
                compacted_content: content,
                ..EventCompaction::default()
            });
        } else {
            event.content = content.map(Arc::new);
        }
        event.branch = say.branch;
        event.custom_metadata = (!custom.is_empty()).then_some(custom);
        if event.function_calls().next().is_some() {
            // ADK writes the list for every event that calls tools, empty when nothing runs long.
            event.long_running_tool_ids = Some(Vec::new());
        }
        self.times.note(&event);
        self.events.push(Arc::new(event));
        self.sources.push(say.sources);
        at
    }

    /// Sets the usage of an event that is there already.
    pub(crate) fn set_usage(&mut self, at: usize, reported: UsageReport) {
        let Some(event) = self.event_mut(at) else { return };
        let mut custom = event.custom_metadata.take().unwrap_or_default();
        custom_write(&mut custom, reported.cache_write);
        event.usage_metadata = Some(Box::new(reported.usage));
        event.custom_metadata = (!custom.is_empty()).then_some(custom);
    }

    /// Adds an event with the usage of several calls, of which it is the sum.
    pub(crate) fn push_sum(&mut self, say: EventDraft) -> usize {
        let at = self.push(say);
        self.mark(at, marks::SUM, true);
        at
    }

    /// Adds the event that takes an invocation back, and everything behind its beginning.
    pub(crate) fn push_rewind(&mut self, before: Str, say: EventDraft) {
        let at = self.push(say);
        if let Some(event) = self.event_mut(at) {
            event.actions.rewind_before_invocation_id = Some(before);
        }
    }

    /// Sets a mark of an event that is there already.
    pub(crate) fn mark(&mut self, at: usize, name: &str, value: impl Into<Json>) {
        if let Some(event) = self.event_mut(at) {
            event.custom_metadata.get_or_insert_default().insert(name, value);
        }
    }

    /// Adds to what the source says of an event that is there already.
    pub(crate) fn note_source(&mut self, at: usize, name: &str, value: impl Into<Json>) {
        let Some(event) = self.event_mut(at) else { return };
        let custom = event.custom_metadata.get_or_insert_default();
        let mut notes = match custom.remove(marks::SOURCE) {
            Some(Json::Object(notes)) => notes,
            _ => Object::new(),
        };
        notes.insert(name, value);
        custom.insert(marks::SOURCE, notes);
    }

    /// Takes a mark from an event that is there already.
    pub(crate) fn unmark(&mut self, at: usize, name: &str) {
        let Some(event) = self.event_mut(at) else { return };
        let Some(mut custom) = event.custom_metadata.take() else { return };
        custom.remove(name);
        event.custom_metadata = (!custom.is_empty()).then_some(custom);
    }

    /// Appends parts to an event that is there already.
    pub(crate) fn extend(&mut self, at: usize, parts: Vec<Part>, source: impl Into<Option<SourceRecord>>) {
        if let Some(source) = source.into() {
            self.add_source(at, source);
        }
        let Some(event) = self.event_mut(at) else { return };
        let role = if event.is_from_user() { "user" } else { "model" };
        let mut content = event.content.take().map_or_else(|| Content::new(role, []), |it| (*it).clone());
        content.parts.get_or_insert_default().extend(parts.into_iter().map(Arc::new));
        event.content = Some(Arc::new(content));
        if event.function_calls().next().is_some() {
            event.long_running_tool_ids.get_or_insert_default();
        }
    }

    /// The events before an answer happened when they did in another draft, where they are the same.
    pub(crate) fn begin_as(&mut self, other: &Self, n_events: usize) {
        for at in 0..n_events.min(self.events.len()).min(other.events.len()) {
            self.events[at] = Arc::clone(&other.events[at]);
            self.sources[at].clone_from(&other.sources[at]);
        }
    }

    /// Whether an event of another draft happened after one of this.
    pub(crate) fn is_later(&self, at: usize, other: &Self, event: usize) -> bool {
        let time = |draft: &Self, at: usize| draft.event(at).map(|event| event.timestamp);
        time(other, event) > time(self, at)
    }

    /// Puts an answer of another draft before an event, into the turn of that. Those behind it move on.
    pub(crate) fn insert_answer(&mut self, at: usize, other: &Self, event: usize) {
        let mut answer = Event::clone(&other.events[event]);
        answer.id = self.unused_id(Some(answer.id));
        let beside = self.events.get(at).or(self.events.last());
        if let Some(invocation) = beside.map(|event| event.invocation_id.clone()) {
            answer.invocation_id = invocation;
        }
        self.events.insert(at, Arc::new(answer));
        self.sources.insert(at, other.sources[event].clone());
        for request in &mut self.requests {
            request.answer = request.answer.map(|answer| answer + usize::from(answer >= at));
        }
    }

    /// Replaces the text of the last part of an event.
    pub(crate) fn set_last_text(&mut self, at: usize, text: Str) {
        let Some(content) = self.event_mut(at).and_then(|event| event.content.as_mut()) else { return };
        let parts = Arc::make_mut(content).parts.as_mut();
        if let Some(part) = parts.and_then(|parts| parts.last_mut()) {
            Arc::make_mut(part).text = Some(text);
        }
    }

    fn unused_id(&mut self, id: Option<Str>) -> Str {
        let wanted =
            id.filter(|id| !id.is_empty()).unwrap_or_else(|| marks::numbered(self.events.len()).into());
        let mut id = wanted.clone();
        let mut number = 2;
        while !self.seen_ids.insert(id.clone()) {
            id = format!("{wanted}~{number}").into();
            number += 1;
        }
        id
    }

    /// The id of the turn: the source's own, else that of the prompt that began it.
    fn invocation(&mut self, kind: &Kind, own: Option<Str>, branch: Option<&Str>, id: &Str) -> Str {
        let begins = *kind == Kind::Prompt;
        let branch = branch.cloned();
        let of_branch = self.invocations.get(&branch);
        let known = of_branch.or_else(|| self.invocations.get(&None));
        let invocation = match (own, known) {
            (Some(own), _) => own,
            (None, Some(known)) if !begins => known.clone(),
            (None, _) => id.clone(),
        };
        if of_branch != Some(&invocation) {
            self.invocations.insert(branch, invocation.clone());
        }
        invocation
    }

    fn note_beginning(&mut self, kind: &Kind, is_unnamed: bool, invocation: &Str) {
        match kind {
            Kind::Prompt => {
                for at in self.before_prompt.take().into_iter().flatten() {
                    Arc::make_mut(&mut self.events[at]).invocation_id = invocation.clone();
                }
            }
            Kind::Injected(_) | Kind::Notice if is_unnamed => {
                self.before_prompt.iter_mut().for_each(|events| events.push(self.events.len()));
            }
            Kind::Injected(_) | Kind::Notice => {}
            // Something happened before anybody asked for it: it is a turn of its own.
            Kind::Response | Kind::Results | Kind::Compaction => self.before_prompt = None,
        }
    }

    /// Where sub-agents work on branches of their own, the main conversation is a branch too: by ADK's rule an event
    /// without a branch is seen from all of them.
    fn name_main_branch(&mut self) {
        if self.events.iter().any(|event| event.branch.is_some()) {
            for event in self.events.iter_mut().filter(|event| event.branch.is_none()) {
                Arc::make_mut(event).branch = Some("main".into());
            }
        }
    }

    /// The session, or nothing, with a reason, when there is no event in it.
    pub(crate) fn finish(mut self, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
        if self.events.is_empty() {
            findings.no_session(format);
            return None;
        }
        self.name_main_branch();
        let mut facts = Facts::of(self.events.iter().map(|event| &**event));
        facts.largest_tool_result_bytes = self
            .result_bytes
            .unwrap_or_else(|| largest_result_bytes(self.events.iter().map(|event| &**event)));
        facts.source = SourceFacts::Counts(self.counts);
        self.session.last_update_time = self.events.iter().map(|event| event.timestamp).fold(0.0, f64::max);
        self.session.events = self.events;
        if self.session.id.is_empty() {
            self.session.id = self.session.events[0].id.clone();
        }
        let title = self.title.map(|title| title::first_words(&title)).filter(|title| !title.is_empty());
        let title = title.unwrap_or_else(|| title::of_session(&self.session));
        Some(ImportedSession {
            session: self.session,
            format,
            title,
            sources: self.sources,
            unmapped: self.unmapped,
            facts,
            requests: self.requests,
            parent: self.parent,
            app: None,
        })
    }
}

fn custom_write(custom: &mut Object, write: Option<Object>) {
    if let Some(write) = write {
        custom.insert(marks::CACHE_WRITE, write);
    }
}
