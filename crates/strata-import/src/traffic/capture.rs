//! The log of Strata's gateway: requests as clients sent them, with what providers answered.
//!
//! Requests that a client named as of one session are one, whatever connection they came on; where it names none, they are
//! laid beside one another. What clients ask beside their work (titles, routes, summaries) are agents of their own. A request that
//! failed and was sent again is one call.

mod client;

use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use strata_model::take::take_text;
use strata_model::{Json, Object, Str};
use strata_wire::message::{Role, Turn};

use super::http::{Body, Content, Pair};
use crate::align::{Step, sessions};
use crate::draft::Draft;
use crate::exchange::Exchange;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::injected::{BEHIND_EXAMPLES, client_words};
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::title::behind_elements;
use crate::values::Value;
use client::Head;
pub use client::{CapturedBy, captured_by, is_captured_client};

/// The version of the log that is read.
const VERSION: i64 = 1;

/// What is sent again within so many seconds is the same call.
const AGAIN: f64 = 120.0;

pub(crate) fn is_log(keys: Keys<'_>) -> bool {
    keys.has("strata_capture")
}

pub(crate) fn read(records: Vec<Value>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log::default();
    for value in records {
        log.add(value, findings);
    }
    log.sessions(format, findings)
}

/// A request as it stands in the log, with its answer.
struct Logged {
    exchange: Exchange,
    /// All of an answer that is no error.
    is_answered: bool,
}

#[derive(Default)]
struct Log {
    pieces: HashMap<Str, Str>,
    requests: BTreeMap<i64, (Object, SourceRecord)>,
    answers: HashMap<i64, (Object, SourceRecord)>,
    n_newer: usize,
}

impl Log {
    fn add(&mut self, value: Value, findings: &mut Findings) {
        let (source, place) = (value.source(), value.place());
        let Json::Object(mut fields) = value.json else {
            let message = "what stands here is no line of a capture; it was left out";
            return findings.warning("not-a-record", place, message);
        };
        if fields.remove("strata_capture").and_then(|version| version.as_i64()) != Some(VERSION) {
            self.n_newer += 1;
        }
        if let Some(piece) = take_text(&mut fields, "piece") {
            self.pieces.insert(piece, take_text(&mut fields, "text").unwrap_or_default());
        } else if let Some(id) = fields.get("request").and_then(Json::as_i64) {
            match self.requests.entry(id) {
                Entry::Vacant(entry) => {
                    entry.insert((fields, source));
                }
                Entry::Occupied(_) => {
                    let message = format!("request {id} stands here for the second time; the first was kept");
                    findings.warning("repeated-request", place, message);
                }
            }
        } else if let Some(id) = fields.get("answer").and_then(Json::as_i64) {
            self.answers.insert(id, (fields, source));
        }
    }

    fn sessions(mut self, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
        if self.n_newer > 0 {
            let message = format!(
                "{} lines are of a newer version of this log; what could be read of them was kept",
                self.n_newer
            );
            findings.warning("newer-version", "", message);
        }
        let mut drafts: BTreeMap<&'static str, Draft> = BTreeMap::new();
        let mut logged: BTreeMap<&'static str, Vec<Logged>> = BTreeMap::new();
        for (id, (fields, source)) in std::mem::take(&mut self.requests) {
            let answer = self.answers.remove(&id);
            let head = Head::take(&fields);
            let client = head.client();
            let draft = drafts.entry(client.app).or_insert_with(|| Draft::new(client.app, client.agent));
            match self.logged(fields, source.clone(), answer, &head, draft, findings) {
                Some(mut one) => {
                    one.exchange.about.begins = Some(format!("request-{id}").into());
                    logged.entry(client.app).or_default().push(one);
                }
                None => draft.unmapped.record("request that is none to a model", source),
            }
        }
        let mut all = Vec::new();
        for (app, mut draft) in drafts {
            let exchanges = logged.remove(app).unwrap_or_default();
            if exchanges.is_empty() {
                continue;
            }
            let mut exchanges = once_each(exchanges, &mut draft);
            name_sessions(&mut exchanges, &draft.agent);
            let steps = exchanges.into_iter().map(|one| Step::Exchange(Box::new(one.exchange))).collect();
            all.extend(sessions(steps, draft, format, findings));
        }
        if all.is_empty() {
            findings.no_session(format);
        }
        all
    }

    fn logged(
        &self,
        mut fields: Object,
        source: SourceRecord,
        answer: Option<(Object, SourceRecord)>,
        head: &Head,
        draft: &mut Draft,
        findings: &mut Findings,
    ) -> Option<Logged> {
        let request = self.body(&mut fields, findings)?;
        let time = fields.get("at").and_then(Json::as_f64);
        let (mut answered_at, mut response, mut status, mut end, mut is_whole) =
            (None, None, None, None, false);
        if let Some((mut fields, source)) = answer {
            status = fields.get("status").and_then(Json::as_i64);
            response = self.body(&mut fields, findings);
            end = fields.get("ended").and_then(Json::as_f64);
            is_whole = fields.get("end").and_then(Json::as_str) == Some("complete");
            if let Some(incomplete) = fields.get("incomplete").and_then(Json::as_str) {
                let id = fields.get("answer").and_then(Json::as_i64).unwrap_or_default();
                let message = format!("this exchange is not recorded whole: {incomplete}");
                findings.warning("incomplete-exchange", format!("exchange {id}"), message);
            }
            answered_at = Some(source);
        }
        let pair = Pair { url: head.url.to_string(), request, response, status, time, end, source };
        let mut exchange = pair.exchange(draft)?;
        exchange.answered_at = answered_at;
        // A stream that says in its midst that it failed ends well all the same.
        let is_failed = exchange.answer.as_ref().is_some_and(|answer| answer.error.is_some());
        let is_answered = is_whole && !is_failed && status.is_some_and(|status| status < 400);
        let by = head.captured_by(&exchange.body);
        exchange.about.contexts.extend(head.contexts());
        exchange.about.session = by.session;
        exchange.about.agent = Some(by.agent);
        Some(Logged { exchange, is_answered })
    }

    fn body(&self, fields: &mut Object, findings: &mut Findings) -> Option<Body<'static>> {
        let content = match (fields.remove("body"), take_text(fields, "body_base64")) {
            (Some(Json::String(text)), _) => Content::Text(text),
            (Some(Json::Array(parts)), _) => {
                let mut text = String::new();
                for part in &parts {
                    let piece = || self.pieces.get(part.get("piece")?.as_str()?);
                    let Some(part) = part.as_str().or_else(|| piece().map(|piece| &**piece)) else {
                        let message =
                            "a request is made of a piece that is not in the log; the request was left out";
                        findings.warning("missing-piece", "", message);
                        return None;
                    };
                    text.push_str(part);
                }
                Content::Text(text.into())
            }
            (_, Some(text)) => Content::from(STANDARD.decode(text.as_bytes()).ok()?),
            _ => return None,
        };
        // What was compressed was unpacked before it was written.
        Some(Body::new(content, []))
    }
}

/// Sessions are called by what their main agent was asked first, not by what their client asked beside its work before.
fn name_sessions(logged: &mut [Logged], main: &Str) {
    let mut titles: HashMap<Str, Str> = HashMap::new();
    for Logged { exchange, .. } in logged.iter() {
        let is_main = exchange.about.agent.as_ref() == Some(main);
        if let Some(session) = exchange.about.session.as_ref().filter(|_| is_main)
            && !titles.contains_key(session)
            && let Some(asked) = asked(exchange)
        {
            titles.insert(session.clone(), asked);
        }
    }
    for Logged { exchange, .. } in logged {
        exchange.about.title = match &exchange.about.session {
            Some(session) => titles.get(session).cloned(),
            None => asked(exchange),
        };
    }
}

/// What a person asked first.
fn asked(exchange: &Exchange) -> Option<Str> {
    let is_end = |turn: &Turn| turn.texts().any(|text| text.starts_with(BEHIND_EXAMPLES));
    let examples = exchange.turns.iter().rposition(is_end).map_or(0, |end| end + 1);
    let turns = exchange.turns[examples..].iter().filter(|turn| turn.role == Role::User);
    let mut texts = turns.flat_map(|turn| &turn.parts).filter_map(|part| part.text.as_deref());
    let typed = texts.find_map(|text| {
        let typed = behind_elements(text);
        (!typed.is_empty() && client_words(typed).is_none()).then_some(typed)
    });
    typed.map(Str::from)
}

/// Without the attempts that failed before the same was sent again.
fn once_each(mut logged: Vec<Logged>, draft: &mut Draft) -> Vec<Logged> {
    let is_same = |one: &Logged, other: &Logged| {
        let (one, other) = (&one.exchange, &other.exchange);
        let in_time = one.time.zip(other.time).is_none_or(|(one, other)| other - one <= AGAIN);
        in_time
            && one.about.session == other.about.session
            && one.about.agent == other.about.agent
            && one.turns == other.turns
    };
    let mut at = 0;
    while at < logged.len() {
        let mut later = at + 1..logged.len();
        let again = later.find(|later| !logged[at].is_answered && is_same(&logged[at], &logged[*later]));
        let Some(again) = again else {
            at += 1;
            continue;
        };
        // A session that began with the attempt may be stored under its id before it is sent again.
        let begins = logged[at].exchange.about.begins.take();
        logged[again].exchange.about.begins = begins;
        let attempt = logged.remove(at);
        draft.unmapped.record("attempt that failed and was sent again", attempt.exchange.source);
    }
    logged
}
