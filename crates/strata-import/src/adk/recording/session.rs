//! Sessions out of a recording: events, and calls joined to the events that answer them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_model::take::take_text;
use strata_model::{Decoder, Event, EventActions, FromJson as _, GivenEvent, Json, Object, Scope, Str};

use super::app::Apps;
use super::calls::{AnswerRecord, CallRecord, Calls};
use super::pool::Pool;
use crate::adk::session::SessionBuilder;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession, RecordedRequest};
use crate::marks;
use crate::source::SourceRecord;
use crate::unmapped::Unmapped;

/// The sessions of a file, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    list: Vec<Recorded>,
    by_key: HashMap<Str, usize>,
    watched: Watched,
}

/// Runs of which every request is recorded, each with the place of the record it begins with.
type Watched = HashMap<Str, usize>;

#[derive(Debug, Default)]
struct Recorded {
    app: Str,
    user: Str,
    id: Str,
    /// The session around the tool that this one is of, by its key, with the call of the tool.
    parent: Option<(Str, Str)>,
    events: Vec<EventRecord>,
    ids: HashSet<Str>,
    /// Events that were never stored, by their ids.
    temporary: HashMap<Str, Arc<Event>>,
}

#[derive(Debug)]
struct EventRecord {
    /// Its place among the records of the file.
    at: usize,
    id: Str,
    json: Json,
    sources: Vec<SourceRecord>,
    /// The code of the app that said it: `plugin:guard`.
    by: Option<String>,
    /// It answers a call.
    is_answer: bool,
    /// Made here, for a call that failed without an event.
    is_made: bool,
}

impl EventRecord {
    fn field(&self, key: &str) -> Option<&str> {
        self.json.get(key)?.as_str()
    }

    fn content(&self) -> Option<&Json> {
        self.json.get("content")
    }

    fn mark(&mut self, name: &str, value: Json) {
        let Json::Object(event) = &mut self.json else { return };
        let mut custom = event.get("customMetadata").and_then(Json::as_object).cloned().unwrap_or_default();
        custom.insert(name, value);
        event.insert("customMetadata", custom);
    }

    /// Whether it holds words of a model, or of whoever spoke in its place.
    fn is_said(&self) -> bool {
        let role = self.content().and_then(|content| content.get("role")?.as_str());
        role == Some("model") && self.json.get("usageMetadata").is_none()
    }

    /// Whether it only says that something went wrong.
    fn is_failure(&self) -> bool {
        self.content().is_none() && self.field("errorCode").is_some()
    }

    /// Whether it can be what came back for a call.
    fn may_answer(&self, call: &CallRecord) -> bool {
        let recorded = &call.recorded;
        let role = self.content().and_then(|content| content.get("role")?.as_str());
        let path = self.json.get("nodeInfo").and_then(|info| info.get("path")?.as_str());
        let is_on_path = match (path.filter(|path| !path.is_empty()), recorded.node_path.as_deref()) {
            (Some(path), Some(own)) => path == own,
            _ => true,
        };
        self.field("invocationId") == Some(&*recorded.invocation_id)
            && self.field("author") == Some(&*recorded.agent)
            && self.field("branch") == recorded.branch.as_deref()
            && is_on_path
            && (role == Some("model") || self.content().is_none())
    }
}

impl Sessions {
    pub(super) fn begin(&mut self, record: &mut Object) {
        let key = take_text(record, "session").unwrap_or_default();
        let session = self.session(&key);
        session.app = take_text(record, "app").unwrap_or_default();
        session.user = take_text(record, "user").unwrap_or_default();
        session.id = take_text(record, "id").unwrap_or_default();
        let parent = record.get("parent");
        let of_parent = |key: &str| parent.and_then(|parent| parent.get(key)?.as_str()).map(Str::from);
        session.parent =
            of_parent("session").map(|session| (session, of_parent("functionCall").unwrap_or_default()));
    }

    fn session(&mut self, key: &Str) -> &mut Recorded {
        let at = *self.by_key.entry(key.clone()).or_insert_with(|| {
            self.list.push(Recorded::default());
            self.list.len() - 1
        });
        &mut self.list[at]
    }

    pub(super) fn add_event(
        &mut self,
        mut record: Object,
        at: usize,
        source: SourceRecord,
        pool: &mut Pool,
        findings: &mut Findings,
    ) {
        let key = take_text(&mut record, "session").unwrap_or_default();
        let Some(Json::Object(mut event)) = record.remove("event") else {
            return findings.warning(
                "broken-record",
                "",
                "a record of an event without the event was left out",
            );
        };
        if let Some(content) = record.get("content").and_then(|item| pool.value(item)) {
            event.insert("content", content);
        }
        let id: Str = event.get("id").and_then(Json::as_str).unwrap_or_default().into();
        let session = self.session(&key);
        if record.get("temporary").is_some_and(Json::is_truthy) {
            let mut decoder = Decoder::new();
            let read = Event::from_json(Json::Object(event), &mut decoder);
            findings.take_from(&mut decoder, "event");
            match read {
                Ok(event) => _ = session.temporary.insert(id, event.into()),
                Err(_) => findings.warning(
                    "broken-record",
                    "",
                    "an event of a node that cannot be read was left out",
                ),
            }
        } else if session.ids.insert(id.clone()) {
            // After a gap events are told again.
            let sources = vec![source];
            let json = Json::Object(event);
            let by = record.get("by").and_then(|by| {
                let part = |key: &str| by.get(key).and_then(Json::as_str);
                Some(format!("{}:{}", part("stage")?, part("name")?))
            });
            session.events.push(EventRecord { at, id, json, sources, by, is_answer: false, is_made: false });
        }
    }

    /// All requests of a run are recorded, from this place on.
    pub(super) fn watch(&mut self, invocation: Str, at: usize) {
        self.watched.entry(invocation).or_insert(at);
    }

    /// Some records are lost.
    pub(super) fn watch_nothing(&mut self) {
        self.watched.clear();
    }

    pub(super) fn finish(
        self,
        calls: Calls,
        apps: &Apps,
        format: Format,
        findings: &mut Findings,
    ) -> Vec<ImportedSession> {
        let mut of_session: HashMap<Str, Vec<CallRecord>> = HashMap::new();
        for call in calls.finish(findings) {
            of_session.entry(call.session.clone()).or_default().push(call);
        }
        let mut keys: Vec<(Str, usize)> = self.by_key.into_iter().collect();
        keys.sort_by_key(|(_, at)| *at);
        let ids: HashMap<Str, Str> =
            keys.iter().map(|(key, at)| (key.clone(), self.list[*at].id.clone())).collect();
        let sessions = keys.into_iter().zip(self.list);
        let sessions = sessions.filter_map(|((key, _), session)| {
            let calls = of_session.remove(&key).unwrap_or_default();
            session.finish(calls, apps.of_session(&key), (&ids, &self.watched), format, findings)
        });
        sessions.collect()
    }
}

impl Recorded {
    fn finish(
        mut self,
        mut calls: Vec<CallRecord>,
        app: Option<Json>,
        (ids, watched): (&HashMap<Str, Str>, &Watched),
        format: Format,
        findings: &mut Findings,
    ) -> Option<ImportedSession> {
        if self.events.is_empty() && calls.is_empty() {
            return None;
        }
        let mut asides = Unmapped::default();
        for call in calls.extract_if(.., |call| call.is_aside) {
            asides.record("request of no agent", call.source);
        }
        let answers = self.join(&calls, watched);
        let app = app.map(|app| super::app::read(app, &mut calls, findings));
        let places: HashMap<Str, usize> =
            self.events.iter().enumerate().map(|(at, event)| (event.id.clone(), at)).collect();
        let sent = calls.iter().zip(&answers).filter(|(call, _)| call.was_sent);
        let requests = sent.filter_map(|(call, answer)| {
            Some(RecordedRequest {
                answer: answer.as_ref().and_then(|id| places.get(id)).copied(),
                body: self.body(call, &places)?,
                source: call.source.clone(),
                alignment: call.alignment,
            })
        });
        let requests = requests.collect();
        let mut session = self.build(&calls, format, findings);
        session.unmapped.add(asides);
        session.requests = requests;
        session.app = app;
        session.parent = self.parent.map(|(session, call)| ParentSession {
            session_id: ids.get(&session).cloned().unwrap_or(session),
            agent_id: call,
        });
        Some(session)
    }

    /// Finds the event that answers each call, and makes one where a call failed without. Returns their ids.
    fn join(&mut self, calls: &[CallRecord], watched: &Watched) -> Vec<Option<Str>> {
        let mut answers = Vec::with_capacity(calls.len());
        for (number, call) in calls.iter().enumerate() {
            let is_next = |next: &&CallRecord| {
                let (own, next) = (&call.recorded, &next.recorded);
                next.invocation_id == own.invocation_id
                    && next.agent == own.agent
                    && next.branch == own.branch
                    && next.node_path == own.node_path
            };
            let until = calls[number + 1..].iter().find(is_next).map_or(usize::MAX, |next| next.at);
            let found = self.answer(call, until);
            answers.push(found.or_else(|| call.answers.last().and_then(|last| self.make_answer(call, last))));
        }
        self.mark_unasked(calls, &answers, watched);
        self.events.sort_by_key(|event| event.at);
        answers
    }

    /// What code of the app said was asked of no model. Where all calls of a run are known with their answers, neither
    /// was anything else in it: google-adk makes such events of structured answers, and of what fails on the way.
    fn mark_unasked(&mut self, calls: &[CallRecord], answers: &[Option<Str>], watched: &Watched) {
        let mut since: HashMap<&str, usize> = watched.iter().map(|(run, at)| (&**run, *at)).collect();
        for call in calls {
            since.entry(&call.recorded.invocation_id).or_insert(call.at);
        }
        for (call, _) in calls.iter().zip(answers).filter(|(_, answer)| answer.is_none()) {
            since.remove(&*call.recorded.invocation_id);
        }
        for event in self.events.iter_mut().filter(|event| !event.is_answer) {
            let invocation = event.field("invocationId").unwrap_or_default();
            let is_in_run = since.get(invocation).is_some_and(|since| event.at > *since);
            let is_failure = event.is_failure() && watched.contains_key(invocation);
            let is_runs = is_in_run && (event.is_said() || is_failure);
            if let Some(by) = event.by.take().or_else(|| is_runs.then(|| "run".to_owned())) {
                event.mark(marks::NOT_SENT, by.into());
            }
        }
    }

    fn answer(&mut self, call: &CallRecord, until: usize) -> Option<Str> {
        let is_candidate = |event: &&mut EventRecord| {
            event.at > call.at && event.at < until && !event.is_answer && event.may_answer(call)
        };
        let mut candidates: Vec<&mut EventRecord> = self.events.iter_mut().filter(is_candidate).collect();
        let said = call.answers.iter().filter_map(|answer| answer.content.as_ref()).map(without_ids);
        let said: Vec<Json> = said.collect();
        let same = candidates
            .iter()
            .position(|event| event.content().is_some_and(|content| said.contains(&without_ids(content))));
        let event = candidates.get_mut(same.unwrap_or(0))?;
        event.is_answer = true;
        let mut noted = Object::new();
        noted.push("call", call.recorded.id.clone());
        if let Some(answer) = call.answers.last() {
            event.sources.push(answer.source.clone());
            noted.update(&answer.timing);
        }
        let mut stages = call.recorded.stages.iter().flatten();
        let by = stages.find(|stage| stage.answered == Some(true) || stage.error.is_some());
        event.mark(marks::SOURCE, noted.into());
        if !call.was_sent {
            let by = by.map_or("run".to_owned(), |by| format!("{}:{}", by.kind, by.name));
            event.mark(marks::NOT_SENT, by.into());
        }
        Some(event.id.clone())
    }

    /// google-adk stores nothing for a call that raised outside of its node runtime.
    fn make_answer(&mut self, call: &CallRecord, answer: &AnswerRecord) -> Option<Str> {
        let error = answer.error.as_ref()?;
        let text = |key: &str| error.get(key).and_then(Json::as_str).map(Str::from);
        let recorded = &call.recorded;
        let mut event = Event {
            id: format!("{}-failed", recorded.id).into(),
            author: recorded.agent.clone(),
            invocation_id: recorded.invocation_id.clone(),
            branch: recorded.branch.clone(),
            timestamp: answer.time.unwrap_or(0.0),
            error_code: text("type"),
            error_message: text("message"),
            actions: EventActions::default(),
            ..Event::default()
        };
        let mut noted = Object::new();
        noted.push("call", recorded.id.clone());
        noted.push("noEvent", true);
        noted.update(&answer.timing);
        event.custom_metadata = Some(Object::from_iter([(marks::SOURCE, noted)]));
        let id = event.id.clone();
        self.events.push(EventRecord {
            at: answer.at,
            id: id.clone(),
            json: event.to_json(),
            sources: vec![answer.source.clone()],
            by: None,
            is_answer: true,
            is_made: true,
        });
        Some(id)
    }

    /// The request with what it was made from, as far as that is said in places of this session; `None` where it is
    /// not known.
    fn body(&self, call: &CallRecord, places: &HashMap<Str, usize>) -> Option<Json> {
        let request = call.request.clone()?;
        let mut recorded = call.recorded.clone();
        if let Some(ids) = &call.seen {
            let seen: HashSet<usize> = ids.iter().filter_map(|id| places.get(id)).copied().collect();
            let n_events = seen.iter().max().map_or(0, |last| last + 1);
            recorded.n_events = Some(n_events as u64);
            let unseen = (0..n_events).filter(|at| !seen.contains(at) && !self.events[*at].is_made);
            recorded.unseen =
                Some(unseen.map(|at| at as u64).collect::<Vec<_>>()).filter(|it| !it.is_empty());
            recorded.inputs = self.inputs(call, ids, places);
        }
        Some(recorded.into_body(request))
    }

    /// Events that were shown to the agent of a call and not stored. Those of agents at work beside it are theirs.
    fn inputs(
        &self,
        call: &CallRecord,
        seen: &[Str],
        places: &HashMap<Str, usize>,
    ) -> Option<Vec<GivenEvent>> {
        let mut at = 0;
        let mut inputs = Vec::new();
        for id in seen {
            if let Some(place) = places.get(id) {
                at = at.max(place + 1);
            } else if let Some(event) = self.temporary.get(id) {
                let path = &event.node_info.path;
                if call
                    .recorded
                    .node_path
                    .as_deref()
                    .is_none_or(|own| path.as_str().is_empty() || path.as_str() == own)
                {
                    inputs.push(GivenEvent {
                        at: Some(at as u64),
                        event: Some(event.clone()),
                        ..GivenEvent::default()
                    });
                }
            }
        }
        Some(inputs).filter(|inputs| !inputs.is_empty())
    }

    fn build(&mut self, calls: &[CallRecord], format: Format, findings: &mut Findings) -> ImportedSession {
        let mut builder = SessionBuilder::at(format!("session {}", self.id));
        for event in std::mem::take(&mut self.events) {
            let mut sources = event.sources.into_iter();
            let Some(first) = sources.next() else { continue };
            builder.push_event(event.json, first, findings);
            let at = builder.session.events.len().saturating_sub(1);
            sources.for_each(|source| builder.add_source(at, source));
        }
        builder.session.id = self.id.clone();
        builder.session.app_name = self.app.clone();
        builder.session.user_id = self.user.clone();
        builder.session.state = last_state(calls, &builder);
        builder.session.last_update_time = builder.last_timestamp();
        builder.finish(format, findings)
    }
}

/// The state at the last call, with what events behind it wrote.
fn last_state(calls: &[CallRecord], builder: &SessionBuilder) -> Object {
    let last = calls.last();
    let mut state: Object = last
        .and_then(|call| call.recorded.state.as_ref())
        .into_iter()
        .flatten()
        .map(|entry| (entry.key.clone(), entry.value.clone().unwrap_or_default()))
        .collect();
    let seen: HashSet<&Str> = last.iter().filter_map(|call| call.seen.as_ref()).flatten().collect();
    for event in builder.session.events.iter().filter(|event| !seen.contains(&event.id)) {
        state.update(&event.actions.state_delta);
    }
    state.retain(|key, _| Scope::of(key) != Scope::Temp);
    state
}

/// A content without the ids that google-adk gives to calls of tools afterwards.
fn without_ids(content: &Json) -> Json {
    let mut content = content.clone();
    if let Json::Object(fields) = &mut content
        && let Some(Json::Array(parts)) = fields.get_mut("parts")
    {
        for part in parts {
            if let Json::Object(part) = part
                && let Some(Json::Object(call)) = part.get_mut("functionCall")
            {
                call.remove("id");
            }
        }
    }
    content
}
