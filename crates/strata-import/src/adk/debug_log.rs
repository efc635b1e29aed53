//! What `DebugLoggingPlugin` writes: a YAML document an invocation, with the requests in it (tools by name only).

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object, Str};
use strata_wire::Answer;

use crate::align::{Step, sessions};
use crate::draft::Draft;
use crate::exchange::{Exchange, ExchangeContext, read_exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::yaml::listings;

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("adk", "agent");
    let mut steps: Vec<Step> = Vec::new();
    for mut listing in listings(bytes, "entries", findings) {
        if let Some(app) = take_text(&mut listing.header, "app_name") {
            draft.session.app_name = app;
        }
        let session = take_text(&mut listing.header, "session_id");
        // Every entry says its invocation.
        listing.header.remove("invocation_id");
        draft.note_rest("invocation", &listing.header);
        let mut log = Log { draft: &mut draft, session, exchanges: Vec::new() };
        for (entry, place) in listing.items {
            if let Some(entry) = log.draft.object("entries", entry) {
                log.entry(entry, SourceRecord::Bytes(place));
            }
        }
        steps.extend(log.exchanges.into_iter().map(|exchange| Step::Exchange(Box::new(exchange))));
    }
    sessions(steps, draft, format, findings)
}

struct Log<'d> {
    draft: &'d mut Draft,
    session: Option<Str>,
    exchanges: Vec<Exchange>,
}

impl Log<'_> {
    fn entry(&mut self, mut entry: Object, source: SourceRecord) {
        let time = take_time(&mut entry, "timestamp");
        let kind = take_text(&mut entry, "entry_type").unwrap_or_default();
        let agent = take_text(&mut entry, "agent_name");
        let invocation = take_text(&mut entry, "invocation_id");
        let data = take_object(&mut entry, "data").unwrap_or_default();
        self.draft.note_rest("entry", &entry);
        let about = ExchangeContext {
            session: self.session.clone(),
            agent,
            invocation,
            ..ExchangeContext::default()
        };
        match &*kind {
            "llm_request" => self.request(data, about, time, source),
            "llm_response" => self.response(data, &about, time, source),
            "event" => self.event(&data, &about, source),
            kind => self
                .draft
                .unmapped
                .record(if kind.is_empty() { "entry without a type" } else { kind }, source),
        }
    }

    fn request(&mut self, data: Object, about: ExchangeContext, time: Option<f64>, source: SourceRecord) {
        match read_exchange(Json::Object(data), None, source.clone(), self.draft) {
            Some(exchange) => self.exchanges.push(Exchange { time, about, ..exchange }),
            None => self.draft.unmapped.record("llm_request without contents", source),
        }
    }

    /// It answers the agent's last request.
    fn response(
        &mut self,
        mut data: Object,
        about: &ExchangeContext,
        time: Option<f64>,
        source: SourceRecord,
    ) {
        if data.remove("partial").is_some_and(|flag| flag.is_truthy()) {
            return self.draft.unmapped.record("llm_response that is a piece", source);
        }
        for key in ["turn_complete", "error_code", "error_message"] {
            if data.get(key).is_some_and(Json::is_null) {
                data.remove(key);
            }
        }
        let answer = self.draft.reader().answer(Json::Object(data));
        let asked =
            self.exchanges.iter_mut().rev().find(|it| it.about.agent == about.agent && it.answer.is_none());
        match asked {
            Some(exchange) => {
                exchange.end = time;
                let finish = answer.finish.as_ref().map(|it| it.trim_start_matches("FinishReason.").into());
                exchange.answer = Some(Answer { finish, ..answer });
                exchange.answered_at = Some(source);
            }
            None => self.draft.unmapped.record("llm_response without a request", source),
        }
    }

    /// The event the runner made of an answer: its id joins the log to the session.
    fn event(&mut self, data: &Object, about: &ExchangeContext, source: SourceRecord) {
        let id = data.get("event_id").and_then(Json::as_str);
        let is_answer = data.get("usage_metadata").is_some_and(Json::is_truthy);
        let answered = self.exchanges.last_mut().filter(|it| {
            it.about.agent == about.agent && it.answer.is_some() && it.about.event_id.is_none() && is_answer
        });
        if let (Some(exchange), Some(id)) = (answered, id) {
            exchange.about.event_id = Some(id.into());
        }
        self.draft.unmapped.record("event", source);
    }
}
