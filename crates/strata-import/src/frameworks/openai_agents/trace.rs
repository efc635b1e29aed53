//! Traces as they are exported: an object a trace and one a span, a line each or in the `data` of a request.
//!
//! A `generation` says what was sent and answered. A `response`, of the Responses API, says only what it cost; what tools
//! it called is told by the spans of these.

mod tool_runs;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use strata_model::take::{listed, take_first_text, take_object, take_text, unpacked};
use strata_model::{FunctionCall, Json, Object, Part, Str};
use strata_wire::Answer;
use strata_wire::message::{Role, Turn, arguments};
use strata_wire::usage::{self, UsageReport};

use super::{NO_ID, take_provider_data};
use crate::align::{Step, sessions};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind};
use crate::exchange::{Exchange, ExchangeContext};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use tool_runs::ToolRuns;

/// A trace or a span, or the body of a request that sends them.
pub(crate) fn is_trace(keys: Keys<'_>) -> bool {
    let is_one = |keys: Keys<'_>| match keys.text("object") {
        "trace" => keys.has("workflow_name"),
        "trace.span" => keys.has("span_data"),
        _ => false,
    };
    is_one(keys) || keys.first_of("data").is_some_and(is_one)
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "data"], repeats: true, read, read_other: None };

/// The name of the agent where no span says one.
const AGENT: &str = "agent";

struct Span {
    id: Str,
    trace: Str,
    parent: Option<Str>,
    start: Option<f64>,
    end: Option<f64>,
    kind: Str,
    data: Object,
    error: Option<(Str, Str)>,
    source: SourceRecord,
}

/// What is said of a trace.
#[derive(Default)]
struct Trace {
    group: Option<Str>,
    title: Option<Str>,
}

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut reading = Reading::default();
    for mut document in documents {
        for value in document.take("").into_iter().chain(document.take("data")) {
            let source = value.source();
            if let Some(object) = reading.draft.object("data", value.json) {
                reading.object(object, source);
            }
        }
        reading.object(document.fields, document.source);
    }
    let Reading { mut draft, traces, spans, .. } = reading;
    let mut by_session: BTreeMap<(usize, Str), Vec<Span>> = BTreeMap::new();
    let mut order: HashMap<Str, usize> = HashMap::new();
    for span in spans {
        let group = traces.get(&span.trace).and_then(|trace| trace.group.clone());
        let session = group.unwrap_or_else(|| span.trace.clone());
        let n_known = order.len();
        let place = *order.entry(session.clone()).or_insert(n_known);
        by_session.entry((place, session)).or_default().push(span);
    }
    let (mut steps, mut told) = (Vec::new(), Vec::new());
    for ((_, session), mut spans) in by_session {
        spans.sort_by(|a, b| a.start.unwrap_or(0.0).total_cmp(&b.start.unwrap_or(0.0)));
        let title = spans.iter().find_map(|span| traces.get(&span.trace)?.title.clone());
        if spans.iter().any(|span| span.data.get("input").is_some_and(Json::is_truthy) && is_call(span)) {
            steps.extend(exchanges(spans, &session, title.as_ref(), &mut draft));
        } else {
            let mut own = Draft::new("openai-agents", AGENT);
            (own.session.id, own.title) = (session, title);
            tell(spans, &mut own);
            told.push(own);
        }
    }
    if let Some(first) = told.first_mut().filter(|_| steps.is_empty()) {
        first.unmapped.add(std::mem::take(&mut draft.unmapped));
    }
    let mut all = sessions(steps, draft, format, findings);
    all.extend(told.into_iter().filter_map(|draft| draft.finish(format, findings)));
    all
}

struct Reading {
    draft: Draft,
    traces: HashMap<Str, Trace>,
    spans: Vec<Span>,
    /// Where spans stand, by their ids.
    places: HashMap<Str, usize>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            draft: Draft::new("openai-agents", AGENT),
            traces: HashMap::new(),
            spans: Vec::new(),
            places: HashMap::new(),
        }
    }
}

impl Reading {
    fn object(&mut self, mut object: Object, source: SourceRecord) {
        let kind = take_text(&mut object, "object").unwrap_or_default();
        let id = take_text(&mut object, "id").unwrap_or_default();
        match &*kind {
            "trace" => {
                let group = take_first_text(&mut object, &["group_id"]);
                let title = take_first_text(&mut object, &["workflow_name"]);
                self.draft.note_rest("trace", &object);
                // Processors hear of a trace when it begins and again when it ends.
                self.traces.insert(id, Trace { group, title });
            }
            "trace.span" => self.span(id, object, source),
            _ if object.is_empty() => {}
            _ => self.draft.unmapped.record("record that is no span", source),
        }
    }

    fn span(&mut self, id: Str, mut object: Object, source: SourceRecord) {
        let mut data = take_object(&mut object, "span_data").unwrap_or_default();
        let span = Span {
            trace: take_text(&mut object, "trace_id").unwrap_or_default(),
            parent: take_text(&mut object, "parent_id"),
            start: take_time(&mut object, "started_at"),
            end: take_time(&mut object, "ended_at"),
            kind: take_text(&mut data, "type").unwrap_or_default(),
            error: take_object(&mut object, "error").map(error_of),
            id,
            data,
            source,
        };
        self.draft.note_rest("span", &object);
        let place = *self.places.entry(span.id.clone()).or_insert(self.spans.len());
        match self.spans.get_mut(place) {
            // One that was written down when it began is complete when it ends.
            Some(known) if known.end.is_none() && span.end.is_some() => {
                let known = std::mem::replace(known, span);
                self.draft.unmapped.record("span that had not ended", known.source);
            }
            Some(_) => self.draft.unmapped.record("repeated span", span.source),
            None => self.spans.push(span),
        }
    }
}

fn error_of(mut error: Object) -> (Str, Str) {
    let message = take_text(&mut error, "message").unwrap_or_else(|| "error".into());
    let why = error.get("data").and_then(|data| data.get("error")?.as_str());
    let message = why.map_or_else(|| message.clone(), |why| format!("{message}: {why}").into());
    ("error".into(), message)
}

fn is_call(span: &Span) -> bool {
    matches!(&*span.kind, "generation" | "response")
}

/// The spans of a session, and how they stand to one another.
struct Tree {
    places: HashMap<Str, usize>,
}

impl Tree {
    fn of(spans: &[Span]) -> Self {
        Self { places: spans.iter().enumerate().map(|(at, span)| (span.id.clone(), at)).collect() }
    }

    /// The nearest span of a kind above another.
    fn above<'s>(&self, span: &Span, kind: &str, spans: &'s [Span]) -> Option<&'s Span> {
        let mut parent = span.parent.as_ref();
        for _ in 0..spans.len() {
            let now = &spans[*self.places.get(parent?)?];
            if &*now.kind == kind {
                return Some(now);
            }
            parent = now.parent.as_ref();
        }
        None
    }

    fn agent(&self, span: &Span, spans: &[Span]) -> Option<Str> {
        let agent = self.above(span, "agent", spans)?;
        agent.data.get("name").and_then(Json::as_str).map(Str::from)
    }

    /// An agent that works as a tool works on a branch of its own.
    fn branch(&self, span: &Span, spans: &[Span]) -> Option<Str> {
        let tool = self.above(span, "function", spans)?;
        Some(format!("agent.{}", tool.id).into())
    }
}

fn take_usage(data: &mut Object, draft: &mut Draft) -> Option<UsageReport> {
    let mut counted = take_object(data, "usage")?;
    if counted.get("requests").and_then(Json::as_i64) == Some(1) {
        counted.remove("requests");
    }
    usage::read(counted, "usage", &mut draft.unmapped)
}

/// The calls of a session that says what was sent.
fn exchanges(spans: Vec<Span>, session: &Str, title: Option<&Str>, draft: &mut Draft) -> Vec<Step> {
    let tree = Tree::of(&spans);
    // The name of the agent that works in a span, and the span of that.
    let agent_of = |span: &Span| {
        let above = tree.above(span, "agent", &spans).map(|above| above.id.clone());
        (tree.agent(span, &spans), above)
    };
    let agents: Vec<(Option<Str>, Option<Str>)> = spans.iter().map(agent_of).collect();
    let mut tools = ToolRuns::default();
    let mut steps = Vec::new();
    for (span, (agent, agent_span)) in spans.into_iter().zip(agents) {
        if !is_call(&span) {
            let has_failed = span.error.is_some();
            if &*span.kind == "function"
                && !tools.ran(agent_span.as_ref(), &span.data, has_failed)
                && has_failed
            {
                draft.unmapped.field("span.function", "error", &Json::Bool(true));
            }
            draft.unmapped.record(&format!("span.{}", span.kind), span.source);
            continue;
        }
        let mut data = span.data;
        let model = take_text(&mut data, "model");
        let mut body = Object::new();
        body.push_some("model", model.clone());
        if let Some(input) = data.remove("input").filter(|input| !input.is_null()) {
            body.push("messages", listed(input));
        }
        for (key, value) in take_object(&mut data, "model_config").unwrap_or_default() {
            if !value.is_null() && !body.contains_key(&key) {
                body.push(key, value);
            }
        }
        let is_recorded = body.contains_key("messages");
        let mut turns = if is_recorded { draft.reader().turns_of(&body) } else { Vec::new() };
        tools.mark_failed(&mut turns);
        let mut answer = answer_of(data.remove("output").unwrap_or_default(), draft);
        tools.answered(agent_span, &answer);
        answer.usage = take_usage(&mut data, draft).or(answer.usage);
        answer.id = answer.id.or_else(|| take_text(&mut data, "response_id"));
        answer.model = model.or(answer.model);
        answer.error = span.error.or(answer.error);
        draft.note_rest("span", &data);
        let about = ExchangeContext {
            session: Some(session.clone()),
            title: title.cloned(),
            agent,
            ..ExchangeContext::default()
        };
        let body = if is_recorded { Json::Object(body) } else { Json::Null };
        let exchange = Exchange::new(span.source, body, turns, Some(answer));
        let (time, end) = (span.start, span.end);
        steps.push(Step::Exchange(Box::new(Exchange { time, end, about, ..exchange })));
    }
    steps
}

/// What a call answered: messages, or of a streamed run the response that the SDK puts together of its pieces. That has no
/// id of its own; its items have the one the provider gave.
fn answer_of(output: Json, draft: &mut Draft) -> Answer {
    let mut output = match output {
        Json::Null => return Answer::default(),
        output => listed(output),
    };
    let is_response = |one: &Json| one.get("object").and_then(Json::as_str) == Some("response");
    if output.len() != 1 || !is_response(&output[0]) {
        return draft.reader().answer(Json::Array(output));
    }
    let mut response = output.swap_remove(0);
    let mut provider = Object::new();
    if let Json::Object(response) = &mut response
        && let Some(Json::Array(items)) = response.get_mut("output")
    {
        for item in items {
            provider.update(&take_provider_data(item));
        }
    }
    let mut answer = draft.reader().answer(response);
    let id = take_text(&mut provider, "response_id");
    answer.id = id.or_else(|| answer.id.take().filter(|id| &**id != NO_ID));
    // The span names the model.
    provider.remove("model");
    draft.note_rest("provider_data", &provider);
    answer
}

/// A session of which only answers are known by what they cost, and tools by what they were given and gave.
fn tell(spans: Vec<Span>, draft: &mut Draft) {
    let tree = Tree::of(&spans);
    let about: Vec<(Option<Str>, Option<Str>)> =
        spans.iter().map(|span| (tree.agent(span, &spans), tree.branch(span, &spans))).collect();
    // The last answer on each branch: it called the tools that ran next.
    let mut answers: HashMap<Option<Str>, usize> = HashMap::new();
    for (mut span, (agent, branch)) in spans.into_iter().zip(about) {
        let say = EventDraft {
            agent,
            branch: branch.clone(),
            invocation: Some(span.trace.clone()),
            ..EventDraft::new(Kind::Response, Vec::new(), span.source.clone())
        };
        match (&*span.kind, answers.get(&branch).copied()) {
            ("response" | "generation", _) => {
                let usage = take_usage(&mut span.data, draft);
                let id = take_text(&mut span.data, "response_id");
                let model = take_text(&mut span.data, "model");
                draft.note_rest("span", &span.data);
                let time = span.end.or(span.start);
                let at = draft.push(EventDraft { id, time, usage, model, error: span.error, ..say });
                answers.insert(branch, at);
            }
            ("function", Some(answer)) => {
                let name = take_text(&mut span.data, "name");
                let args = arguments(span.data.remove("input")).map(Arc::new);
                let id = Some(span.id.clone());
                let call =
                    FunctionCall { id: id.clone(), name: name.clone(), args, ..FunctionCall::default() };
                draft.extend(answer, vec![Part::from_call(call)], span.source.clone());
                let mut turn = Turn::new(Role::Tool);
                let failed = span.error.map(|(_, message)| message);
                let is_error = failed.is_some();
                let output = span.data.remove("output").filter(|output| !output.is_null());
                let output = output.or_else(|| failed.map(Json::String));
                draft.messages("span").result(id, name, output, is_error, &mut turn);
                draft.note_rest("span", &span.data);
                draft.push_turn(turn, EventDraft { time: span.end.or(span.start), ..say });
            }
            ("handoff", Some(answer)) => {
                let to = take_text(&mut span.data, "to_agent");
                if let Some(event) = draft.event_mut(answer) {
                    event.actions.transfer_to_agent = to;
                }
            }
            (kind, _) => draft.unmapped.record(&format!("span.{kind}"), span.source),
        }
    }
}

/// What a hand-off returns: the agent that goes on.
pub(super) fn handed_to(turn: &Turn) -> Option<Str> {
    let results = turn.parts.iter().filter_map(|part| part.function_response.as_ref());
    let mut hand_offs =
        results.filter(|it| it.name.as_deref().is_some_and(|name| name.starts_with("transfer_to_")));
    let answer = hand_offs.next()?.response.as_ref()?;
    let told = answer.get("result").cloned().map_or_else(|| Json::Object((**answer).clone()), unpacked);
    told.get("assistant").and_then(Json::as_str).map(Str::from)
}
