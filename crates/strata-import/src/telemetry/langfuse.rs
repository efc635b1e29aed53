//! Traces as Langfuse exports them. Inputs and outputs are whatever the tracing library wrote, often as text in text;
//! the list of observations is not in the order of time.

use std::collections::{BTreeMap, HashMap};

use strata_model::take::{count_of, listed, take_first_text, take_object, take_text, unpacked};
use strata_model::{Json, Object, Str};
use strata_wire::usage::UsageReport;
use strata_wire::usage::spelling::LANGFUSE;
use strata_wire::{Answer, is_request, unbatch};

use crate::align::{Step, sessions};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::exchange::{Exchange, ExchangeContext};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::values::Value;

struct Observation {
    fields: Object,
    id: Str,
    parent: Option<Str>,
    kind: Str,
    source: SourceRecord,
}

/// Observations that stand by themselves.
#[derive(Default)]
struct LooseObservations {
    /// By the session or the trace they name.
    by_owner: BTreeMap<Str, Vec<Observation>>,
    /// Where they stand, by owner and id.
    places: HashMap<(Str, Str), usize>,
}

impl LooseObservations {
    /// Adds an observation. What is sent later about the same one completes it.
    fn add(&mut self, owner: Str, observation: Observation) {
        let known = self.by_owner.entry(owner.clone()).or_default();
        if observation.id.is_empty() {
            return known.push(observation);
        }
        let at = *self.places.entry((owner, observation.id.clone())).or_insert(known.len());
        match known.get_mut(at) {
            Some(known) => known.fields.update(&observation.fields),
            None => known.push(observation),
        }
    }
}

/// A trace, an observation, or a list of either.
pub(crate) fn is_export(keys: Keys<'_>) -> bool {
    let is_trace = keys.has("observations") && keys.has_any(&["trace", "timestamp", "sessionId", "htmlPath"]);
    let is_list = ["data", "batch"]
        .iter()
        .any(|list| keys.first_of(list).is_some_and(|it| is_export(it) || it.kind().ends_with("-create")));
    is_trace || is_list || is_observation(keys)
}

fn is_observation(keys: Keys<'_>) -> bool {
    let kind = keys.kind();
    let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_kind && keys.has_any(&["traceId", "trace_id"]) && keys.has_any(&["startTime", "start_time"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "observations", "data", "batch"], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("langfuse", "model");
    let mut steps = Vec::new();
    let mut loose = LooseObservations::default();
    for mut document in documents {
        let mut fields = std::mem::take(&mut document.fields);
        let observations: Vec<Value> = document.take("observations");
        if !observations.is_empty() || fields.contains_key("trace") {
            let trace = take_object(&mut fields, "trace").unwrap_or(fields);
            let observations = observations.into_iter().filter_map(|value| {
                let source = value.source();
                observation(value.json, source)
            });
            generations(trace, observations.collect(), &mut steps, &mut draft);
        } else if fields.contains_key("type") {
            keep(Json::Object(fields), document.source.clone(), &mut loose, &mut steps, &mut draft);
        }
        for list in ["", "data", "batch"] {
            for value in document.take(list) {
                let source = value.source();
                keep(value.json, source, &mut loose, &mut steps, &mut draft);
            }
        }
    }
    for (session, observations) in loose.by_owner {
        let trace = Object::from_iter([("id", session)]);
        generations(trace, observations, &mut steps, &mut draft);
    }
    sessions(steps, draft, format, findings)
}

/// A record of a list: a whole trace, an observation, or an event of the ingestion that holds one.
fn keep(
    value: Json,
    source: SourceRecord,
    loose: &mut LooseObservations,
    steps: &mut Vec<Step>,
    draft: &mut Draft,
) {
    let Some(mut fields) = draft.object("list", value) else { return };
    if let Some(Json::Array(observations)) = fields.remove("observations") {
        let observations = observations.into_iter().filter_map(|one| observation(one, source.clone()));
        let trace = take_object(&mut fields, "trace").unwrap_or(fields);
        return generations(trace, observations.collect(), steps, draft);
    }
    let kind = fields.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
    if let (Some((kind, _)), Some(mut body)) = (kind.split_once('-'), take_object(&mut fields, "body")) {
        let has_kind = body.contains_key("type");
        if !has_kind {
            body.push("type", kind.to_ascii_uppercase());
        }
        fields = body;
    }
    let owner = ["sessionId", "session_id", "traceId", "trace_id"];
    let owner = owner.iter().find_map(|key| fields.get(key)?.as_str()).map(Str::from).unwrap_or_default();
    let Some(observation) = observation(Json::Object(fields), source) else { return };
    loose.add(owner, observation);
}

fn observation(value: Json, source: SourceRecord) -> Option<Observation> {
    /// Names of exports to files, with those of the interface.
    const NAMES: [[&str; 2]; 6] = [
        ["parent_observation_id", "parentObservationId"],
        ["start_time", "startTime"],
        ["end_time", "endTime"],
        ["usage_details", "usageDetails"],
        ["status_message", "statusMessage"],
        ["provided_model_name", "model"],
    ];
    let Json::Object(mut fields) = value else { return None };
    for [written, name] in NAMES {
        if let Some(value) = fields.remove(written)
            && !fields.contains_key(name)
        {
            fields.push(name, value);
        }
    }
    Some(Observation {
        id: take_text(&mut fields, "id").unwrap_or_default(),
        parent: take_text(&mut fields, "parentObservationId"),
        kind: take_text(&mut fields, "type").unwrap_or_default(),
        fields,
        source,
    })
}

/// The generations of a trace, as steps.
fn generations(mut trace: Object, observations: Vec<Observation>, steps: &mut Vec<Step>, draft: &mut Draft) {
    let session = take_first_text(&mut trace, &["sessionId", "session_id", "id"]);
    let title = take_text(&mut trace, "name");
    let mut rest = trace.clone();
    for key in ["id", "sessionId", "session_id", "timestamp", "createdAt", "updatedAt"] {
        rest.remove(key);
    }
    rest.retain(|_, value| says_something(value));
    draft.note_rest("trace", &rest);
    let drop = nested(&observations);
    let names: HashMap<Str, Str> = agents(&observations);
    for (at, observation) in observations.into_iter().enumerate() {
        if &*observation.kind != "GENERATION" || drop[at] {
            let kind = observation.kind.to_ascii_lowercase();
            let kind = if drop[at] { "outer or inner generation of a call" } else { &*kind };
            draft.unmapped.record(kind, observation.source);
            continue;
        }
        let about = ExchangeContext {
            session: session.clone(),
            title: title.clone(),
            agent: names.get(&observation.id).cloned(),
            ..ExchangeContext::default()
        };
        steps.push(Step::Exchange(Box::new(exchange(observation, about, draft))));
    }
}

/// Libraries below one another each write a generation: the inner ones are kept where they say what was sent and
/// answered, else the outer one.
fn nested(observations: &[Observation]) -> Vec<bool> {
    let places: HashMap<&Str, usize> = observations.iter().enumerate().map(|(at, it)| (&it.id, at)).collect();
    let is_generation = |at: usize| &*observations[at].kind == "GENERATION";
    let says_all = |at: usize| {
        ["input", "output"].iter().all(|key| observations[at].fields.get(key).is_some_and(Json::is_truthy))
    };
    let mut drop = vec![false; observations.len()];
    for (at, one) in observations.iter().enumerate().filter(|(at, _)| is_generation(*at)) {
        let mut above = one.parent.as_ref().and_then(|parent| places.get(parent)).copied();
        for _ in 0..observations.len() {
            let Some(parent) = above else { break };
            if is_generation(parent) {
                drop[if says_all(at) { parent } else { at }] = true;
                break;
            }
            above = observations[parent].parent.as_ref().and_then(|parent| places.get(parent)).copied();
        }
    }
    drop
}

/// The nearest agent above every observation, where there are several.
fn agents(observations: &[Observation]) -> HashMap<Str, Str> {
    let places: HashMap<&Str, &Observation> = observations.iter().map(|it| (&it.id, it)).collect();
    let mut agents = HashMap::new();
    for one in observations {
        let mut above = Some(one);
        for _ in 0..observations.len() {
            let Some(now) = above else { break };
            if &*now.kind == "AGENT"
                && let Some(name) = now.fields.get("name").and_then(Json::as_str)
            {
                agents.insert(one.id.clone(), name.into());
                break;
            }
            above = now.parent.as_ref().and_then(|parent| places.get(parent)).copied();
        }
    }
    agents
}

fn exchange(observation: Observation, about: ExchangeContext, draft: &mut Draft) -> Exchange {
    let Observation { mut fields, source, .. } = observation;
    let input = fields.remove("input").map(|input| draft.bodies.unpacked(input)).unwrap_or_default();
    let output = fields.remove("output");
    let model = take_text(&mut fields, "model");
    let mut body = body_of(input);
    if let Some(model) = &model
        && !body.contains_key("model")
    {
        body.push("model", model.clone());
    }
    let tools =
        ["toolDefinitions", "tool_definitions"].iter().find_map(|key| fields.remove(key).map(unpacked));
    if let Some(tools) = tools.filter(Json::is_truthy)
        && !body.contains_key("tools")
    {
        body.push("tools", listed(tools));
    }
    let turns = draft.reader().turns_of(&body);
    let mut answer = output.map_or_else(Answer::default, |output| draft.reader().answer(output));
    let counted = ["usageDetails", "usage"].iter().find_map(|key| match fields.remove(key).map(unpacked) {
        Some(Json::Object(counted)) if !counted.is_empty() => Some(counted),
        _ => None,
    });
    answer.usage = counted.and_then(usage_of).or(answer.usage).or_else(|| usage_of(fields.clone()));
    answer.model = answer.model.or(model);
    answer.id = None;
    if fields.get("level").and_then(Json::as_str) == Some("ERROR") {
        let message = take_text(&mut fields, "statusMessage").unwrap_or_else(|| "error".into());
        answer.error.get_or_insert(("error".into(), message));
    }
    let (time, end) = (take_time(&mut fields, "startTime"), take_time(&mut fields, "endTime"));
    if fields.get("level").and_then(Json::as_str) == Some("DEFAULT") {
        fields.remove("level");
    }
    for key in ["traceId", "trace_id", "sessionId", "session_id", "createdAt", "updatedAt"] {
        fields.remove(key);
    }
    fields.retain(|_, value| says_something(value));
    draft.note_rest("observation", &fields);
    Exchange { time, end, about, ..Exchange::new(source, Json::Object(body), turns, Some(answer)) }
}

/// The request, from what a library wrote as input: a body, a list of messages, a message, a text.
fn body_of(input: Json) -> Object {
    let messages = match input {
        Json::Object(mut object) if !is_request(&object) => {
            let args = object.remove("args").or_else(|| object.remove("prompt"));
            match args.map(unpacked) {
                Some(args) => return Object::from_iter([("messages", Json::Array(listed(args)))]),
                None if object.is_empty() => return object,
                None => vec![Json::Object(object)],
            }
        }
        Json::Object(mut object) => {
            unbatch(&mut object);
            return object;
        }
        other => listed(other),
    };
    // A tool's definition in the list of messages is LangChain's way to say which tools there are.
    let is_definition = |message: &Json| {
        message
            .get("content")
            .is_some_and(|content| content.get("function").is_some_and(|it| it.get("parameters").is_some()))
    };
    let (tools, messages): (Vec<Json>, Vec<Json>) = messages.into_iter().partition(is_definition);
    let mut body = Object::from_iter([("messages", Json::Array(messages))]);
    if !tools.is_empty() {
        let tools = tools.iter().filter_map(|tool| tool.get("content").cloned()).collect::<Vec<_>>();
        body.push("tools", tools);
    }
    body
}

/// Exports write every column, whether there is anything in it or not.
fn says_something(value: &Json) -> bool {
    match value {
        Json::Array(items) => !items.is_empty(),
        Json::Object(fields) => !fields.is_empty(),
        value => value.is_truthy(),
    }
}

/// Counts by name. Where they add up to the total only with the cached ones, these stand beside the input.
fn usage_of(mut details: Object) -> Option<UsageReport> {
    let mut counts = LANGFUSE.take(&mut details).with_parts_beside();
    // A total of counts that are not known says nothing of those that are.
    counts.total = counts.total.filter(|_| !details.values().any(|count| count_of(count) > Some(0)));
    (counts.input.is_some() || counts.output.is_some()).then(|| counts.into())
}
