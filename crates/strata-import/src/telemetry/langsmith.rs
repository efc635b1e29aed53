//! Runs of LangSmith: exported objects, and the requests the SDK sends, whose bodies hold a part a field.

use std::collections::BTreeMap;

use strata_model::take::{listed, take_first_text, take_list, take_object, take_text, unpacked};
use strata_model::{Json, Object, Str};
use strata_wire::usage;
use strata_wire::{Answer, unbatch};

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

/// A run, a list of them, or a request that sends them.
pub(crate) fn is_run(keys: Keys<'_>) -> bool {
    keys.first_has("runs", &["run_type"])
        || keys.has_all(&["run_type", "trace_id"])
        || keys.has_all(&["run_type", "inputs"])
        || (keys.has_all(&["method", "path", "body"]) && !keys.has("m"))
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "runs"], repeats: true, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut reading = Reading { draft: Draft::new("langsmith", "model"), runs: BTreeMap::new(), n_runs: 0 };
    for mut document in documents {
        let mut values = document.take("");
        values.extend(document.take("runs"));
        for value in values {
            let source = value.source();
            if let Some(run) = reading.draft.object("runs", value.json) {
                reading.value(run, source);
            }
        }
        reading.value(document.fields, document.source);
    }
    let Reading { mut draft, runs, .. } = reading;
    let mut runs: Vec<(usize, Object, SourceRecord)> = runs.into_values().collect();
    runs.sort_by_key(|(number, _, _)| *number);
    let threads = threads(&runs);
    let mut steps = Vec::new();
    for (_, run, source) in runs {
        match exchange(run, source, &threads, &mut draft) {
            Ok(exchange) => steps.push(Step::Exchange(Box::new(exchange))),
            Err((kind, source)) => draft.unmapped.record(&kind, source),
        }
    }
    sessions(steps, draft, format, findings)
}

struct Reading {
    draft: Draft,
    /// Runs by id, as far as their parts have come.
    runs: BTreeMap<Str, (usize, Object, SourceRecord)>,
    n_runs: usize,
}

impl Reading {
    fn value(&mut self, mut value: Object, source: SourceRecord) {
        if value.is_empty() {
            return;
        }
        if let (Some(body), true) = (take_text(&mut value, "body"), value.contains_key("path")) {
            let boundary = value
                .get("content_type")
                .and_then(Json::as_str)
                .and_then(|kind| kind.split_once("boundary="));
            match boundary {
                Some((_, boundary)) => self.parts(&body, boundary.trim_matches('"'), &source),
                None => self.batch(&body, &source),
            }
            return;
        }
        self.run(value, source);
    }

    /// A run, with those inside of it where they are written into it.
    fn run(&mut self, mut run: Object, source: SourceRecord) {
        for inner in take_list(&mut run, "child_runs").unwrap_or_default() {
            if let Some(inner) = self.draft.object("child_runs", inner) {
                self.run(inner, source.clone());
            }
        }
        if run.is_empty() {
            return;
        }
        let Some(id) = run.get("id").and_then(Json::as_str).map(Str::from) else {
            return self.draft.unmapped.record("record that is no run", source);
        };
        self.merge(id, run, &source);
    }

    fn merge(&mut self, id: Str, mut fields: Object, source: &SourceRecord) {
        self.n_runs += 1;
        fields.retain(|_, value| !value.is_null());
        let number = self.n_runs;
        let (_, run, _) = self.runs.entry(id).or_insert_with(|| (number, Object::new(), source.clone()));
        for (key, value) in fields {
            run.insert(key, value);
        }
    }

    /// `{post: [run…], patch: [run…]}`, as older SDKs send.
    fn batch(&mut self, body: &str, source: &SourceRecord) {
        if body.is_empty() {
            return self.draft.unmapped.record("request without runs", source.clone());
        }
        let Ok(Json::Object(mut batch)) = self.draft.bodies.parse(body) else {
            return self.draft.unmapped.record("request without runs", source.clone());
        };
        if batch.contains_key("run_type") {
            return self.run(batch, source.clone());
        }
        for key in ["post", "patch"] {
            for run in take_list(&mut batch, key).unwrap_or_default() {
                if let Some(run) = self.draft.object(key, run) {
                    self.run(run, source.clone());
                }
            }
        }
    }

    /// `post.<id>`, `post.<id>.inputs` and so on: a part of a form each.
    fn parts(&mut self, body: &str, boundary: &str, source: &SourceRecord) {
        for part in body.split(&format!("--{boundary}")) {
            let part = part.trim_start_matches(['\r', '\n']);
            let Some((head, content)) = part.split_once("\r\n\r\n").or_else(|| part.split_once("\n\n"))
            else {
                continue;
            };
            let Some((_, name)) = head.split_once("name=\"") else { continue };
            let Some((name, _)) = name.split_once('"') else { continue };
            let mut path = name.splitn(3, '.').skip(1);
            let (Some(id), field) = (path.next(), path.next()) else { continue };
            let Ok(value) = self.draft.bodies.parse(content.trim()) else {
                self.draft.unmapped.record("part that is no JSON", source.clone());
                continue;
            };
            let fields = match (field, value) {
                (Some(field), value) => Object::from_iter([(field, value)]),
                (None, Json::Object(fields)) => fields,
                (None, _) => continue,
            };
            self.merge(id.into(), fields, source);
        }
    }
}

/// Fields of the metadata that name the thread.
const THREAD: [&str; 3] = ["thread_id", "session_id", "conversation_id"];

/// The thread each trace belongs to, where any of its runs says.
fn threads(runs: &[(usize, Object, SourceRecord)]) -> BTreeMap<Str, Str> {
    let mut threads = BTreeMap::new();
    for (_, run, _) in runs {
        let metadata = run.get("extra").and_then(|extra| extra.get("metadata"));
        let thread = THREAD.iter().find_map(|key| metadata?.get(key)?.as_str());
        if let (Some(trace), Some(thread)) = (run.get("trace_id").and_then(Json::as_str), thread) {
            threads.entry(trace.into()).or_insert_with(|| thread.into());
        }
    }
    threads
}

fn exchange(
    mut run: Object,
    source: SourceRecord,
    threads: &BTreeMap<Str, Str>,
    draft: &mut Draft,
) -> Result<Exchange, (String, SourceRecord)> {
    let kind = take_text(&mut run, "run_type").unwrap_or_else(|| "run without a type".into());
    if &*kind != "llm" {
        return Err((format!("run.{kind}"), source));
    }
    let mut extra = take_object(&mut run, "extra").unwrap_or_default();
    let mut body = take_object(&mut extra, "invocation_params").unwrap_or_default();
    let mut metadata = take_object(&mut extra, "metadata").unwrap_or_default();
    let inputs = match run.remove("inputs").map(unpacked) {
        Some(Json::Object(inputs)) => inputs,
        Some(Json::Null) | None => Object::new(),
        Some(other) => Object::from_iter([("messages", listed(other))]),
    };
    for (key, value) in inputs {
        let key = if &*key == "prompts" { "messages".into() } else { key };
        body.insert(key, value);
    }
    unbatch(&mut body);
    let turns = draft.reader().turns_of(&body);
    let outputs = run.remove("outputs").filter(|outputs| !outputs.is_null());
    let mut answer = outputs.map_or_else(Answer::default, |outputs| answer_of(outputs, draft));
    if answer.usage.is_none() {
        let counted = take_object(&mut metadata, "usage_metadata").unwrap_or_else(|| counts_of(&mut run));
        answer.usage = usage::read(counted, "usage_metadata", &mut draft.unmapped);
    }
    if let Some(error) = take_text(&mut run, "error") {
        let first = error.lines().next().unwrap_or("error").to_owned();
        answer.error.get_or_insert(("error".into(), first.into()));
    }
    answer.model = answer.model.or_else(|| take_first_text(&mut body.clone(), &["model", "model_name"]));
    answer.model = answer.model.or_else(|| take_text(&mut metadata, "ls_model_name"));
    let trace = take_text(&mut run, "trace_id");
    let session = trace.as_ref().and_then(|trace| threads.get(trace).cloned()).or(trace);
    let (time, end) = (take_time(&mut run, "start_time"), take_time(&mut run, "end_time"));
    for key in ["id", "name", "session_id"] {
        run.remove(key);
    }
    // They say which thread it is.
    for key in THREAD {
        metadata.remove(key);
    }
    for (owner, rest) in [("run", &run), ("run.extra", &extra), ("run.extra.metadata", &metadata)] {
        for (key, value) in rest.iter().filter(|(_, value)| value.is_truthy()) {
            draft.unmapped.field(owner, key, value);
        }
    }
    let about = ExchangeContext { session, ..ExchangeContext::default() };
    Ok(Exchange { time, end, about, ..Exchange::new(source, Json::Object(body), turns, Some(answer)) })
}

/// An answer of a provider or of a framework, sometimes in a member of its own.
fn answer_of(outputs: Json, draft: &mut Draft) -> Answer {
    match unpacked(outputs) {
        Json::Object(mut outputs) => {
            let keys = ["generations", "choices", "content", "message", "candidates", "role"];
            if !keys.iter().any(|key| outputs.contains_key(key))
                && let Some(output) = outputs.remove("output").or_else(|| outputs.remove("messages"))
            {
                return match output {
                    Json::Object(output) => draft.reader().answer(Json::Object(output)),
                    output => draft.reader().answer(Json::Array(listed(output))),
                };
            }
            draft.reader().answer(Json::Object(outputs))
        }
        outputs => draft.reader().answer(outputs),
    }
}

/// Counts that an export has on the run itself.
fn counts_of(run: &mut Object) -> Object {
    let keys = ["prompt_tokens", "completion_tokens", "total_tokens"];
    let mut counts: Object = keys.iter().filter_map(|key| Some((*key, run.remove(key)?))).collect();
    for (own, general) in [
        ("prompt_token_details", "input_token_details"),
        ("completion_token_details", "output_token_details"),
    ] {
        counts.push_some(general, take_object(run, own));
    }
    if counts.get("total_tokens").is_none_or(|total| !total.is_truthy()) { Object::new() } else { counts }
}
