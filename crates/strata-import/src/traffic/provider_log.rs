//! Requests to models and their answers as people log them: pairs, bodies one after the other, in any dialect.

use strata_model::{Json, Object};

use crate::align::{Step, sessions};
use crate::documents::read_repeating_documents;
use crate::draft::Draft;
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::source::SourceRecord;
use crate::take::{take_any, take_time};
use crate::wire::{Exchange, is_request, read_answer, read_exchange};

pub(crate) fn read(bytes: &[u8], findings: &mut Findings) -> Vec<ImportedSession> {
    let mut log = Log { draft: Draft::new("model-requests", "model"), exchanges: Vec::new() };
    let is_stream =
        bytes.trim_ascii_start().starts_with(b"data:") || bytes.trim_ascii_start().starts_with(b"event:");
    if is_stream {
        let source = SourceRecord::Bytes(0..bytes.len() as u64);
        log.answer(Json::from(String::from_utf8_lossy(bytes).into_owned()), source);
    } else {
        for mut document in read_repeating_documents(bytes, &[""], findings) {
            let source = document.source.clone();
            for value in document.take("") {
                let source = value.source();
                log.value(value.json, source);
            }
            if !document.fields.is_empty() {
                log.value(document.fields.into(), source);
            }
        }
    }
    let steps = log.exchanges.into_iter().map(|exchange| Step::Exchange(Box::new(exchange)));
    sessions(steps.collect(), log.draft, Format::ProviderLog, findings)
}

struct Log {
    draft: Draft,
    exchanges: Vec<Exchange>,
}

impl Log {
    fn value(&mut self, value: Json, source: SourceRecord) {
        let Json::Object(mut object) = value else {
            return self.draft.unmapped.record("value that is no object", source);
        };
        let time = ["timestamp", "time", "ts", "startTime", "start_time", "created_at"]
            .iter()
            .find_map(|key| take_time(&mut object, key));
        let is_answer = !is_request(&object)
            && ["choices", "candidates", "stop_reason", "output"].iter().any(|key| object.contains_key(key));
        if is_answer {
            return self.answer(Json::Object(object), source);
        }
        let response = take_any(&mut object, &["response", "res", "resp", "completion"]);
        let response = response.map(|response| self.body_of(response));
        let request = take_any(&mut object, &["request", "req", "body", "request_body"]);
        let request = request.map(|request| self.body_of(request));
        // Loggers that keep the settings apart from the messages.
        if let Some(Json::Object(settings)) = object.remove("kwargs") {
            for (key, value) in settings {
                object.push(key, value);
            }
        }
        let request = request.unwrap_or(Json::Object(object));
        match read_exchange(request, response, source.clone(), &mut self.draft) {
            Some(mut exchange) => {
                exchange.time = time;
                self.exchanges.push(exchange);
            }
            None => self.draft.unmapped.record("record that is no model request", source),
        }
    }

    /// The body inside of what a logger wrote around it.
    fn body_of(&mut self, value: Json) -> Json {
        let bodies = &mut self.draft.bodies;
        match bodies.unpacked(value) {
            Json::Object(mut wrapper) if !is_request(&wrapper) => {
                let inner = inner_body(&mut wrapper);
                inner.map_or(Json::Object(wrapper), |inner| bodies.unpacked(inner))
            }
            other => other,
        }
    }

    /// An answer that stands by itself belongs to the request before it.
    fn answer(&mut self, body: Json, source: SourceRecord) {
        let answer = read_answer(body, &mut self.draft);
        match self.exchanges.last_mut().filter(|exchange| exchange.answer.is_none()) {
            Some(exchange) => exchange.answer = Some(answer),
            None if answer.turn.is_some() => self.exchanges.push(Exchange {
                source,
                time: None,
                end: None,
                body: Json::Null,
                turns: Vec::new(),
                answer: Some(answer),
                continues: None,
                about: crate::wire::About::default(),
            }),
            None => self.draft.unmapped.record("answer that cannot be read", source),
        }
    }
}

fn inner_body(wrapper: &mut Object) -> Option<Json> {
    let is_http = ["status", "url", "method", "headers", "status_code", "content_type"];
    if !is_http.iter().any(|key| wrapper.contains_key(key)) || wrapper.contains_key("choices") {
        return None;
    }
    // A response of the Responses API has a status and an output of its own.
    if wrapper.contains_key("output") && wrapper.contains_key("object") {
        return None;
    }
    take_any(wrapper, &["body", "json", "data", "content", "text"])
}
