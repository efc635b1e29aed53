//! Logs of inspect_ai: one JSON object, or an archive with a member a sample. Long texts and messages are pooled, and
//! what was really sent stands in the events of each sample.

mod archive;

use std::collections::HashMap;

use memchr::memmem;
use strata_model::take::{take_any, take_list, take_object, take_text};
use strata_model::{Json, Object, Str, json};
use strata_wire::message::Role;
use strata_wire::usage::spelling::INSPECT;
use strata_wire::usage::{Counts, UsageReport};

use crate::documents::read_documents;
use crate::draft::say_turn;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Alignment, ImportedSession, RecordedRequest};
use crate::keys::Keys;
use crate::own_total;
use crate::source::SourceRecord;
use crate::time::take_time;

pub(crate) fn is_log(keys: Keys<'_>) -> bool {
    keys.has("eval") && keys.has_any(&["samples", "plan", "version"])
}

/// Archives of logs begin with one of these members.
pub(crate) fn is_archive(head: &[u8]) -> bool {
    let has = |name: &[u8]| memmem::find(head, name).is_some();
    head.starts_with(b"PK\x03\x04") && (has(b"_journal/start.json") || has(b"header.json"))
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let (samples, about) = if bytes.starts_with(b"PK") {
        archive::samples(bytes, findings)
    } else {
        of_document(bytes, findings)
    };
    let told = samples.into_iter().filter_map(|(sample, source)| session(sample, &source, format, findings));
    let mut sessions: Vec<ImportedSession> = told.collect();
    // What is said of all samples is counted with the first.
    if let Some(first) = sessions.first_mut() {
        for (key, value) in about.iter() {
            first.unmapped.field("log", key, value);
        }
    }
    sessions
}

/// The samples, and what the log says of all of them.
fn of_document(bytes: &[u8], findings: &mut Findings) -> (Vec<(Object, SourceRecord)>, Object) {
    let (mut samples, mut about) = (Vec::new(), Object::new());
    for mut document in read_documents(bytes, &["samples"], findings) {
        for value in document.take("samples") {
            let (source, place) = (value.source(), value.place());
            match value.json {
                Json::Object(sample) => samples.push((sample, source)),
                other => {
                    let message =
                        format!("{} stands where a sample should be; it was left out", other.kind());
                    findings.error("unexpected-type", place, message);
                }
            }
        }
        about.update(&document.fields);
    }
    (samples, about)
}

/// An answer of a model, by the message it is.
struct Call {
    usage: Option<UsageReport>,
    model: Option<Str>,
    finish: Option<Str>,
    time: Option<f64>,
    body: Option<Json>,
}

fn session(
    mut sample: Object,
    source: &SourceRecord,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut draft = Draft::new("inspect", "assistant");
    let text = |value: Option<Json>| {
        value
            .map(|value| value.as_str().map_or_else(|| json::to_compact(&value), str::to_owned))
            .unwrap_or_default()
    };
    let (id, epoch) = (text(sample.remove("id")), text(sample.remove("epoch")));
    draft.session.id =
        take_text(&mut sample, "uuid").unwrap_or_else(|| format!("sample-{id}-epoch-{epoch}").into());
    let attachments = take_object(&mut sample, "attachments").unwrap_or_default();
    let mut calls = calls_of(&mut sample, &attachments, &mut draft);
    if let Some(own) = sample.get("model_usage").and_then(Json::as_object).filter(|own| !own.is_empty()) {
        let by_model = own.values().filter_map(Json::as_object).map(|usage| INSPECT.read(usage));
        let own = by_model.fold(Counts::default(), Counts::plus);
        let place = format!("sample {id}, epoch {epoch}");
        own_total::check("the sample's own total", own, calls.sum(), place, findings);
    }
    for message in take_list(&mut sample, "messages").unwrap_or_default() {
        let message = resolved(message, &attachments);
        let mut say = EventDraft::new(Kind::Notice, Vec::new(), source.clone());
        let mut turn = draft.messages("message").read(message);
        let id = turn.rest.get("id").and_then(Json::as_str).map(str::to_owned);
        for key in ["source", "function", "internal"] {
            turn.rest.remove(key);
        }
        let call = if turn.role == Role::Model { calls.take(id.as_deref(), &turn.text()) } else { None };
        let mut body = None;
        if let Some(call) = call {
            (say.usage, say.model, say.finish, say.time) = (call.usage, call.model, call.finish, call.time);
            body = call.body;
        }
        let at = say_turn(&mut draft, "message", turn, say);
        if let Some(body) = body {
            draft.requests.push(RecordedRequest {
                answer: at,
                body,
                source: source.clone(),
                alignment: Alignment::default(),
            });
        }
    }
    calls.rest(&mut draft, source);
    for key in ["target", "scores", "metadata", "store", "model_usage", "error"] {
        if let Some(value) = sample.remove(key).filter(Json::is_truthy) {
            draft.session.state.insert(key, value);
        }
    }
    for key in ["input", "output", "started_at", "completed_at", "total_time", "working_time"] {
        sample.remove(key);
    }
    sample.retain(|_, value| value.is_truthy());
    draft.note_rest("sample", &sample);
    draft.finish(format, findings)
}

/// Calls of the sample in their order, by the message that answered.
#[derive(Default)]
struct Calls {
    all: Vec<(Option<String>, String, Option<Call>)>,
}

impl Calls {
    /// What all of them report.
    fn sum(&self) -> Counts {
        let usages = self.all.iter().filter_map(|(_, _, call)| call.as_ref()?.usage.as_ref());
        usages.map(UsageReport::counts).fold(Counts::default(), Counts::plus)
    }

    fn take(&mut self, id: Option<&str>, text: &str) -> Option<Call> {
        let is_it = |(own, said, call): &&mut (Option<String>, String, Option<Call>)| {
            call.is_some()
                && (own.as_deref().is_some_and(|own| Some(own) == id)
                    || (own.is_none() || id.is_none()) && said == text)
        };
        self.all.iter_mut().find(is_it)?.2.take()
    }

    /// Calls whose answers are in no message: what tools and scorers asked models.
    fn rest(self, draft: &mut Draft, source: &SourceRecord) {
        for (_, text, call) in self.all {
            let Some(call) = call else { continue };
            let mut say = EventDraft::new(Kind::Response, Vec::new(), source.clone());
            if !text.is_empty() {
                say.parts.push(strata_model::Part::from_text(text));
            }
            (say.usage, say.model, say.finish, say.time) = (call.usage, call.model, call.finish, call.time);
            say.agent = Some("inspect.model".into());
            let at = draft.push(say);
            if let Some(body) = call.body {
                draft.requests.push(RecordedRequest {
                    answer: Some(at),
                    body,
                    source: source.clone(),
                    alignment: Alignment::default(),
                });
            }
        }
    }
}

fn calls_of(sample: &mut Object, attachments: &Object, draft: &mut Draft) -> Calls {
    let pool = take_object(sample, "events_data").unwrap_or_default();
    let pool: Vec<Json> = pool.get("messages").and_then(Json::as_array).unwrap_or_default().to_vec();
    let events = take_list(sample, "events")
        .or_else(|| {
            take_object(sample, "transcript").and_then(|mut transcript| take_list(&mut transcript, "events"))
        })
        .unwrap_or_default();
    let mut calls = Calls::default();
    let mut kinds: HashMap<String, u64> = HashMap::new();
    for event in events {
        let Some(mut event) = draft.object("events", event) else { continue };
        let kind = take_text(&mut event, "event").unwrap_or_default();
        if &*kind != "model" {
            *kinds.entry(format!("events.{kind}")).or_default() += 1;
            continue;
        }
        calls.all.push(call_of(event, &pool, attachments, draft));
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort();
    for (kind, count) in kinds {
        *draft.unmapped.fields.entry(kind).or_default() += count;
    }
    calls
}

fn call_of(
    mut event: Object,
    pool: &[Json],
    attachments: &Object,
    draft: &mut Draft,
) -> (Option<String>, String, Option<Call>) {
    let time = take_time(&mut event, "timestamp");
    let mut output = take_object(&mut event, "output").unwrap_or_default();
    let model = take_text(&mut output, "model").or_else(|| take_text(&mut event, "model"));
    let usage = take_object(&mut output, "usage").and_then(|usage| read_usage(usage, draft));
    let choice =
        take_list(&mut output, "choices").and_then(|choices| choices.into_iter().next()).unwrap_or_default();
    let finish = choice.get("stop_reason").and_then(Json::as_str).map(Str::from);
    let message = choice.get("message").cloned().unwrap_or_default();
    let id = message.get("id").and_then(Json::as_str).map(str::to_owned);
    let text = draft.messages("output").read(resolved(message, attachments)).text();
    let sent = take_object(&mut event, "call").and_then(|mut call| take_any(&mut call, &["request"]));
    let body = sent.or_else(|| {
        let input = take_list(&mut event, "input").filter(|input| !input.is_empty());
        let input = input.or_else(|| Some(referred(&take_list(&mut event, "input_refs")?, pool)))?;
        let mut body = Object::from_iter([("messages", Json::Array(input))]);
        body.push_some("tools", event.remove("tools"));
        Some(Json::Object(body))
    });
    let body = body.map(|body| resolved(body, attachments));
    (id, text, Some(Call { usage, model, finish, time, body }))
}

/// Messages of the pool, by their places or by ranges of them.
fn referred(references: &[Json], pool: &[Json]) -> Vec<Json> {
    let at = |value: &Json| value.as_i64().and_then(|at| usize::try_from(at).ok());
    let mut messages = Vec::new();
    for reference in references {
        match reference {
            Json::Array(range) if range.len() == 2 => {
                if let (Some(start), Some(end)) = (at(&range[0]), at(&range[1])) {
                    messages.extend(pool.get(start..end.min(pool.len())).unwrap_or_default().iter().cloned());
                }
            }
            one => messages.extend(at(one).and_then(|at| pool.get(at)).cloned()),
        }
    }
    messages
}

fn read_usage(mut counts: Object, draft: &mut Draft) -> Option<UsageReport> {
    let told = INSPECT.take(&mut counts);
    draft.note_rest("output.usage", &counts);
    (!told.is_empty()).then(|| told.into())
}

/// The value with `attachment://…` replaced by what it names.
fn resolved(value: Json, attachments: &Object) -> Json {
    match value {
        Json::String(text) => match text.strip_prefix("attachment://").and_then(|hash| attachments.get(hash))
        {
            Some(attached) => attached.clone(),
            None => Json::String(text),
        },
        Json::Array(items) => {
            items.into_iter().map(|item| resolved(item, attachments)).collect::<Vec<_>>().into()
        }
        Json::Object(object) => object
            .into_iter()
            .map(|(key, value)| (key, resolved(value, attachments)))
            .collect::<Object>()
            .into(),
        other => other,
    }
}
