//! What Gemini CLI writes to `telemetry.outfile`: SDK objects, one after the other. A request and a response are log
//! records of their own; what was sent as instructions and tools stands in a third.

use strata_model::take::{take_object, take_text, unpacked};
use strata_model::{Json, Object};
use strata_wire::Answer;
use strata_wire::usage::spelling::GEMINI_TELEMETRY;
use strata_wire::usage::{Counts, UsageReport};

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

pub(crate) fn is_record(keys: Keys<'_>) -> bool {
    keys.has("_spanContext") || keys.has_all(&["hrTime", "attributes"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &[], repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log { draft: Draft::new("gemini-cli", "gemini"), requests: Vec::new() };
    for document in documents {
        log.record(document.fields, document.source);
    }
    let Log { mut draft, requests } = log;
    let steps =
        requests.into_iter().map(|request| Step::Exchange(Box::new(request.exchange(&mut draft)))).collect();
    sessions(steps, draft, format, findings)
}

struct Log {
    draft: Draft,
    requests: Vec<Request>,
}

struct Request {
    body: Object,
    time: Option<f64>,
    end: Option<f64>,
    response: Option<Json>,
    /// The place of the response.
    answered_at: Option<SourceRecord>,
    counts: Counts,
    about: ExchangeContext,
    source: SourceRecord,
    role: String,
}

impl Log {
    fn record(&mut self, mut record: Object, source: SourceRecord) {
        let mut attributes = take_object(&mut record, "attributes").unwrap_or_default();
        let name = take_text(&mut attributes, "event.name")
            .or_else(|| take_text(&mut record, "name"))
            .unwrap_or_default();
        if name.starts_with("gemini_cli.api_") {
            self.draft.note_rest("record", &record);
        }
        match &*name {
            "gemini_cli.api_request" => self.request(attributes, source),
            "gemini_cli.api_response" | "gemini_cli.api_error" => self.response(attributes, source),
            "gen_ai.client.inference.operation.details" => self.details(&attributes, source),
            name => {
                let name = if name.is_empty() { "record without a name" } else { name };
                self.draft.unmapped.record(name, source);
            }
        }
    }

    fn request(&mut self, mut attributes: Object, source: SourceRecord) {
        let mut body = Object::new();
        body.push_some("model", attributes.get("model").cloned());
        body.push_some(
            "contents",
            take_text(&mut attributes, "request_text").map(|text| unpacked(Json::String(text))),
        );
        let request = Request {
            body,
            time: take_time(&mut attributes, "event.timestamp"),
            end: None,
            response: None,
            answered_at: None,
            counts: Counts::default(),
            about: ExchangeContext {
                session: take_text(&mut attributes, "session.id"),
                agent: None,
                invocation: take_text(&mut attributes, "prompt_id"),
                ..ExchangeContext::default()
            },
            source,
            role: take_text(&mut attributes, "role").unwrap_or_default().to_string(),
        };
        attributes.remove("model");
        self.draft.note_rest("api_request", &attributes);
        self.requests.push(request);
    }

    /// The request it answers is the last one of its prompt and role that has no answer.
    fn response(&mut self, mut attributes: Object, source: SourceRecord) {
        let (prompt, role) =
            (take_text(&mut attributes, "prompt_id"), take_text(&mut attributes, "role").unwrap_or_default());
        let is_it = |request: &&mut Request| {
            request.response.is_none() && request.about.invocation == prompt && request.role == *role
        };
        let Some(request) = self.requests.iter_mut().rev().find(is_it) else {
            return self.draft.unmapped.record("gemini_cli.api_response", source);
        };
        request.counts = GEMINI_TELEMETRY.take(&mut attributes);
        request.end = take_time(&mut attributes, "event.timestamp");
        let text = take_text(&mut attributes, "response_text").map(Json::String);
        request.response = text.map(unpacked).or(Some(Json::Null));
        request.answered_at = Some(source);
        for key in ["session.id", "model"] {
            attributes.remove(key);
        }
        self.draft.note_rest("api_response", &attributes);
    }

    /// Instructions and tools of the request that was logged before.
    fn details(&mut self, attributes: &Object, source: SourceRecord) {
        if let Some(request) = self.requests.last_mut() {
            for (key, name) in
                [("gen_ai.system_instructions", "system"), ("gen_ai.tool.definitions", "tools")]
            {
                if let Some(value) = attributes.get(key).filter(|_| !request.body.contains_key(name)) {
                    request.body.push(name, unpacked(value.clone()));
                }
            }
        }
        self.draft.unmapped.record("gen_ai.client.inference.operation.details", source);
    }
}

impl Request {
    fn exchange(self, draft: &mut Draft) -> Exchange {
        let turns = draft.reader().turns_of(&self.body);
        let mut answer =
            self.response.map_or_else(Answer::default, |response| draft.reader().answer(response));
        if self.counts.input.is_some() {
            answer.usage = Some(UsageReport::from(self.counts));
        }
        let mut about = self.about;
        // The calls that route and check are those of agents beside the one a person talks to.
        about.agent =
            (self.role != "main" && !self.role.is_empty()).then(|| format!("gemini.{}", self.role).into());
        about.agent = about.agent.or(Some("gemini".into()));
        Exchange {
            time: self.time,
            end: self.end,
            answered_at: self.answered_at,
            about,
            ..Exchange::new(self.source, Json::Object(self.body), turns, Some(answer))
        }
    }
}
