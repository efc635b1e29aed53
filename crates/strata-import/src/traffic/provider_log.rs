//! Requests to models and their answers as people log them: pairs, bodies one after the other, batches, streams, in any
//! dialect.

use strata_model::take::{take_any, take_first_text, take_object, take_text};
use strata_model::{Json, Object, Str};
use strata_wire::usage::spelling::BEDROCK_LOG;
use strata_wire::usage::{Counts, UsageReport};
use strata_wire::{Answer, is_request};
use strata_wire::{is_other_call, model_of_url, stream};

use crate::align::{Step, sessions};
use crate::bodies::Bodies;
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::exchange::{Exchange, ExchangeContext, read_exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::head::Head;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

/// Names of the request and of the answer in what loggers write; the first that is there is taken.
const REQUESTS: [&str; 11] = [
    "request",
    "req",
    "request_body",
    "requestBody",
    "full_request",
    "request_payload",
    "body",
    "params",
    "payload",
    "data",
    "input",
];
const RESPONSES: [&str; 8] = [
    "response",
    "res",
    "resp",
    "response_body",
    "responseBody",
    "full_response",
    "response_payload",
    "completion",
];

/// Names of answers that are also members of requests.
const OUTPUTS: [&str; 2] = ["result", "output"];

/// Members that tell a body of a request or an answer.
const BODIES: [&str; 7] = ["messages", "contents", "choices", "candidates", "input", "output", "stop_reason"];

/// Members that tell one together.
const TOGETHER: [&[&str]; 14] = [
    &["contents"],
    &["content", "stop_reason"],
    &["messages", "max_tokens"],
    &["input", "model"],
    &["output", "status"],
    &["output", "stopReason"],
    &["messages", "model"],
    &["messages", "modelId"],
    &["prompt", "model"],
    &["message", "done"],
    &["messages", "kwargs"],
    &["messages", "response"],
    // What recorders of traffic write.
    &["m", "path", "body"],
    &["messageStart"],
];

/// A request, an answer, both, or a piece of a streamed answer, with what a logger wrote around it.
pub(crate) fn is_record(keys: Keys<'_>) -> bool {
    let is_body = keys.has_any(&["systemInstruction", "system_instruction", "candidates", "choices"])
        || TOGETHER.iter().any(|members| keys.has_all(members));
    is_body || is_pair(keys) || is_piece(keys)
}

pub(crate) fn is_stream_of_answers(head: &Head<'_>) -> bool {
    head.streams(|_| true) || head.streams_indented()
}

fn is_pair(keys: Keys<'_>) -> bool {
    let holds = |names: &[&str], inner: &[&str]| {
        names.iter().any(|name| keys.inner(name).is_some_and(|it| it.has_any(inner)))
    };
    holds(&["request", "req"], &["url", "uri", "body", "method", "messages", "contents", "input", "json"])
        || holds(&["response", "res"], &["candidates", "choices", "body", "output", "content"])
        || keys.has_any(&["request_body", "requestBody", "full_request", "request_payload", "response_body"])
        || (keys.has("modelId") && keys.has_any(&["input", "output"]))
        || (keys.has("custom_id") && keys.has_any(&["body", "params", "response", "result"]))
        || keys.first_of("requests").is_some_and(|it| it.has_any(&["custom_id", "params", "request"]))
        || holds(&["body", "data", "payload"], &BODIES)
        || (keys.has_any(&["url", "uri", "method", "status", "direction"])
            && BODIES.iter().any(|key| keys.text("body").contains(&format!("\"{key}\""))))
}

fn is_piece(keys: Keys<'_>) -> bool {
    let kind = keys.kind();
    matches!(kind, "message_start" | "content_block_start" | "content_block_delta" | "message_delta")
        || (kind.starts_with("response.") && keys.has_any(&["response", "sequence_number", "delta"]))
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "requests"], repeats: true, read, read_other: Some(read_stream) };

/// Reads the stream of an answer, without the request it is to.
fn read_stream(bytes: &[u8], format: Format, findings: &mut Findings) -> Option<Vec<ImportedSession>> {
    let text = String::from_utf8_lossy(bytes);
    if !stream::is_stream(&text) {
        return None;
    }
    let mut log = Log::new();
    let source = SourceRecord::Bytes(0..bytes.len() as u64);
    for joined in stream::answers(&text) {
        let answer = log.draft.reader().joined(joined);
        log.answer(answer, None, source.clone());
    }
    Some(log.finish(format, findings))
}

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log::new();
    for mut document in documents {
        let source = document.source.clone();
        for value in document.take("").into_iter().chain(document.take("requests")) {
            let source = value.source();
            log.value(value.json, source);
        }
        if !document.fields.is_empty() {
            log.value(document.fields.into(), source);
        }
    }
    log.flush();
    log.finish(format, findings)
}

struct Log {
    draft: Draft,
    exchanges: Vec<Exchange>,
    /// Pieces of streamed answers that stand in the log one after the other.
    pieces: Vec<(Json, SourceRecord)>,
}

/// What a record says around its request and its answer.
#[derive(Default)]
struct Record {
    time: Option<f64>,
    /// The name of the request in a batch, which shares nothing with the others.
    name: Option<Str>,
    url: String,
    model: Option<Str>,
    counts: Counts,
}

impl Log {
    fn new() -> Self {
        Self { draft: Draft::new("model-requests", "model"), exchanges: Vec::new(), pieces: Vec::new() }
    }

    fn finish(self, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
        let steps = self.exchanges.into_iter().map(|exchange| Step::Exchange(Box::new(exchange)));
        sessions(steps.collect(), self.draft, format, findings)
    }

    fn value(&mut self, value: Json, source: SourceRecord) {
        let Json::Object(mut object) = value else {
            return self.draft.unmapped.record("value that is no object", source);
        };
        let is_body = is_request(&object);
        if !is_body && (stream::is_piece(&object) || (!self.pieces.is_empty() && is_answer(&object))) {
            self.pieces.push((Json::Object(object), source));
            return;
        }
        self.flush();
        let mut record = Record::take(&mut object);
        if !is_body && is_answer(&object) {
            return self.bare_answer(Json::Object(object), record.name, source);
        }
        let outputs: &[&str] = if is_body { &[] } else { &OUTPUTS };
        let response = take_any(&mut object, &RESPONSES).or_else(|| take_any(&mut object, outputs));
        let response = response.or_else(|| if is_body { merged_answer(&mut object) } else { None });
        let request = if is_body { None } else { take_any(&mut object, &REQUESTS) };
        let (request, url, _) = request.map_or((None, String::new(), None), |it| {
            let (body, url, status) = body_of(it, &mut record, &mut self.draft.bodies);
            (Some(body), url, status)
        });
        if record.url.is_empty() {
            record.url = url;
        }
        let (response, _, status) = response.map_or((None, String::new(), None), |it| {
            let (body, url, status) = body_of(it, &mut record, &mut self.draft.bodies);
            (Some(body), url, status)
        });
        // Loggers that keep the settings apart from the messages.
        if let Some(Json::Object(settings)) = object.remove("kwargs") {
            for (key, value) in settings {
                object.push(key, value);
            }
        }
        let request = match request {
            // Some only write one of the two, whichever it is.
            Some(Json::Object(body)) if response.is_none() && !is_request(&body) && is_answer(&body) => {
                return self.bare_answer(Json::Object(body), record.name, source);
            }
            None if response.is_some() && !is_request(&object) => {
                return self.bare_answer(response.unwrap_or_default(), record.name, source);
            }
            request => request.unwrap_or(Json::Object(object)),
        };
        self.exchange(request, response, status, &record, source);
    }

    fn exchange(
        &mut self,
        request: Json,
        response: Option<Json>,
        status: Option<i64>,
        record: &Record,
        source: SourceRecord,
    ) {
        let failed = status.filter(|status| *status >= 400);
        let (answered, error) = if failed.is_some() { (None, response) } else { (response, None) };
        let is_other = is_other_call(&record.url);
        let exchange =
            read_exchange(request, answered, source.clone(), &mut self.draft).filter(|_| !is_other);
        let Some(mut exchange) = exchange else {
            return self.draft.unmapped.record("record that is no model request", source);
        };
        if let Some(status) = failed {
            exchange.refuse(status, error, &mut self.draft);
        }
        exchange.time = record.time;
        exchange.about.session.clone_from(&record.name);
        if let Some(answer) = &mut exchange.answer {
            answer.model = answer.model.take().or_else(|| record.model.clone());
            answer.model = answer.model.take().or_else(|| model_of_url(&record.url).map(Str::from));
            if answer.usage.is_none() {
                answer.usage = record.usage();
            }
        }
        self.exchanges.push(exchange);
    }

    /// Reads the pieces that were kept.
    fn flush(&mut self) {
        let (pieces, sources): (Vec<Json>, Vec<SourceRecord>) =
            std::mem::take(&mut self.pieces).into_iter().unzip();
        for separated in stream::separated(pieces) {
            let answer = self.draft.reader().joined(separated.joined);
            self.answer(answer, None, sources[separated.first].clone());
        }
    }

    fn bare_answer(&mut self, body: Json, name: Option<Str>, source: SourceRecord) {
        let answer = self.draft.reader().answer(body);
        self.answer(answer, name, source);
    }

    /// An answer that stands by itself belongs to the request before it, or to the one of its name.
    fn answer(&mut self, answer: Answer, name: Option<Str>, source: SourceRecord) {
        let mut open = self.exchanges.iter_mut().rev().take(if name.is_some() { usize::MAX } else { 1 });
        match open.find(|exchange| exchange.answer.is_none() && exchange.about.session == name) {
            Some(exchange) => {
                exchange.answer = Some(answer);
                exchange.answered_at = Some(source);
            }
            None if answer.turn.is_some() || answer.error.is_some() => {
                self.exchanges.push(alone(answer, name, source));
            }
            None => self.draft.unmapped.record("answer that cannot be read", source),
        }
    }
}

fn alone(answer: Answer, session: Option<Str>, source: SourceRecord) -> Exchange {
    let about = ExchangeContext { session, ..ExchangeContext::default() };
    Exchange { about, ..Exchange::new(source, Json::Null, Vec::new(), Some(answer)) }
}

impl Record {
    fn take(object: &mut Object) -> Self {
        const TIMES: [&str; 11] = [
            "timestamp",
            "time",
            "ts",
            "startTime",
            "start_time",
            "created_at",
            "createdAt",
            "request_created_at",
            "requestCreatedAt",
            "logging_time",
            "date",
        ];
        let mut record = Self {
            time: TIMES.iter().find_map(|key| take_time(object, key)),
            name: take_first_text(object, &["custom_id"]),
            url: take_first_text(object, &["url", "uri", "path", "endpoint"]).unwrap_or_default().to_string(),
            ..Self::default()
        };
        if object.contains_key("request") || object.contains_key("input") {
            record.model = take_text(object, "modelId");
        }
        record
    }
}

/// Whether an object is the body of an answer.
fn is_answer(object: &Object) -> bool {
    let has = |key: &str| object.contains_key(key);
    let is_response = has("output")
        && ["status", "object", "stopReason", "usage"].iter().any(|key| has(key))
        && !has("input");
    ["choices", "candidates", "stop_reason", "generations"].iter().any(|key| has(key))
        || is_response
        || (has("message") && has("done"))
}

/// The answer of a record that holds the members of both bodies side by side.
fn merged_answer(object: &mut Object) -> Option<Json> {
    const MEMBERS: [&str; 8] = [
        "candidates",
        "choices",
        "generations",
        "usageMetadata",
        "usage",
        "modelVersion",
        "responseId",
        "promptFeedback",
    ];
    if !MEMBERS[..3].iter().any(|key| matches!(object.get(key), Some(Json::Array(_)))) {
        return None;
    }
    let members = MEMBERS.iter().filter_map(|key| Some((*key, object.remove(key)?)));
    Some(Object::from_iter(members.collect::<Vec<_>>()).into())
}

/// The body inside of what a logger wrote around it, with the address and the status it was sent with.
fn body_of(value: Json, record: &mut Record, bodies: &mut Bodies) -> (Json, String, Option<i64>) {
    let mut wrapper = match bodies.unpacked(value) {
        Json::Object(wrapper) if !is_request(&wrapper) => wrapper,
        other => return (other, String::new(), None),
    };
    let url = ["url", "uri", "path"].iter().find_map(|key| wrapper.get(key)?.as_str());
    let url = url.unwrap_or_default().to_owned();
    let status = ["status", "status_code", "statusCode"].iter().find_map(|key| wrapper.get(key)?.as_i64());
    record.count(&mut wrapper);
    let body = match inner_body(&mut wrapper) {
        Some(inner) => bodies.unpacked(inner),
        None => Json::Object(wrapper),
    };
    (body, url, status)
}

fn inner_body(wrapper: &mut Object) -> Option<Json> {
    // Amazon's log of invocations, and the results of Anthropic's batches.
    if let Some(inner) = take_any(wrapper, &["inputBodyJson", "outputBodyJson"]) {
        return Some(inner);
    }
    if wrapper.get("type").and_then(Json::as_str) == Some("succeeded") {
        return take_object(wrapper, "message").map(Json::Object);
    }
    let is_http = [
        "status",
        "url",
        "uri",
        "method",
        "headers",
        "status_code",
        "statusCode",
        "content_type",
        "request_id",
    ];
    if !is_http.iter().any(|key| wrapper.contains_key(key)) || is_answer(wrapper) {
        return None;
    }
    // The text of a stream is kept apart by some; `body_raw` is what claude-trace calls it.
    take_any(
        wrapper,
        &[
            "body",
            "body_raw",
            "raw_body",
            "rawBody",
            "body_text",
            "bodyText",
            "parsed_body",
            "json",
            "data",
            "content",
            "text",
        ],
    )
}

impl Record {
    /// Usage as Amazon's log has it: input without what the cache read or wrote.
    fn usage(&self) -> Option<UsageReport> {
        self.counts.input?;
        Some(self.counts.with_cache_beside().into())
    }

    /// Counts that stand beside the bodies.
    fn count(&mut self, wrapper: &mut Object) {
        let more = BEDROCK_LOG.take(wrapper);
        self.counts.cached = self.counts.cached.or(more.cached);
        self.counts.written = self.counts.written.or(more.written);
        self.counts.input = self.counts.input.or(more.input);
        self.counts.output = self.counts.output.or(more.output);
    }
}
