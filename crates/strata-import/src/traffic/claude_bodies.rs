//! Requests and answers that Claude Code puts into a folder, a file each, with an index that says which belong together
//! (`OTEL_LOG_RAW_API_BODIES=file:FOLDER`). They are read as lines: those of the index, then every body with its name.

use std::collections::HashMap;

use strata_model::take::{take_first_text, take_text};
use strata_model::{Json, Object, Str};

use crate::align::{Step, sessions};
use crate::documents::read_repeating_documents;
use crate::draft::Draft;
use crate::exchange::{Exchange, read_exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

/// How the names of requests end.
const REQUEST: &str = ".request.json";

/// Names of what the API is to do beside, which are sent as a header and written into the body.
const BETAS: &str = "betas";

/// A line of the index.
pub(crate) fn is_index(keys: Keys<'_>) -> bool {
    keys.has("request_file") && keys.has_any(&["response_file", "session_id", "message_id"])
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("claude-code", "claude");
    let mut folder = Folder::default();
    for mut document in read_repeating_documents(bytes, &[""], findings) {
        for value in document.take("") {
            let source = value.source();
            if let Some(record) = draft.object("line", value.json) {
                folder.add(record, source, &mut draft);
            }
        }
        if !document.fields.is_empty() {
            folder.add(document.fields, document.source, &mut draft);
        }
    }
    let exchanges = folder.exchanges(&mut draft, findings);
    let steps = exchanges.into_iter().map(|exchange| Step::Exchange(Box::new(exchange))).collect();
    sessions(steps, draft, format, findings)
}

/// What the files hold.
#[derive(Debug, Default)]
struct Folder {
    index: Vec<(Object, SourceRecord)>,
    bodies: HashMap<Str, (Json, SourceRecord)>,
    /// Names of the bodies in the order in which they were read.
    names: Vec<Str>,
}

impl Folder {
    fn add(&mut self, mut record: Object, source: SourceRecord, draft: &mut Draft) {
        if record.contains_key("request_file") {
            return self.index.push((record, source));
        }
        match (take_text(&mut record, "file"), record.remove("content")) {
            (Some(name), Some(body)) => {
                self.names.push(name.clone());
                self.bodies.insert(name, (body, source));
            }
            _ => draft.unmapped.record("line of no request", source),
        }
    }

    fn exchanges(mut self, draft: &mut Draft, findings: &mut Findings) -> Vec<Exchange> {
        let mut exchanges = Vec::new();
        for (line, source) in std::mem::take(&mut self.index) {
            match self.indexed(line, &source, draft, findings) {
                Some(exchange) => exchanges.push(exchange),
                None => draft.unmapped.record("line of no request", source),
            }
        }
        for name in std::mem::take(&mut self.names) {
            let Some((body, source)) = self.bodies.remove(&name) else { continue };
            // A request that no line of the index names failed, or is not answered yet.
            let attempt =
                if name.ends_with(REQUEST) { exchange(body, None, source.clone(), draft) } else { None };
            let Some(attempt) = attempt else {
                draft.unmapped.record("answer to no request", source);
                continue;
            };
            // What was sent again was not answered the first time.
            let again = exchanges.iter().position(|exchange| exchange.body == attempt.body);
            let time = again.and_then(|at| exchanges[at].time);
            exchanges.insert(again.unwrap_or(exchanges.len()), Exchange { time, ..attempt });
        }
        exchanges
    }

    /// A request and its answer, as a line of the index names them.
    fn indexed(
        &mut self,
        mut line: Object,
        source: &SourceRecord,
        draft: &mut Draft,
        findings: &mut Findings,
    ) -> Option<Exchange> {
        let [request, response] = ["request_file", "response_file"].map(|key| take_text(&mut line, key));
        let [request, response] = [request, response].map(|name| name.map(|name| self.bodies.remove(&name)));
        if [&request, &response].iter().any(|body| matches!(body, Some(None))) {
            let message = "the index names a file that is not in the folder, or not whole; what is there of the call was \
                           kept. Import the folder, not its index alone";
            findings.warning("missing-body", "", message);
        }
        let (request, response) = (request.flatten(), response.flatten());
        let answered_at = response.as_ref().map(|(_, source)| source.clone());
        let response = response.map(|(body, _)| body);
        let mut exchange = match request {
            Some((body, source)) => exchange(body, response, source, draft)?,
            None => {
                let answer = draft.reader().answer(response?);
                Exchange::new(source.clone(), Json::Null, Vec::new(), Some(answer))
            }
        };
        exchange.answered_at = answered_at;
        exchange.time = take_time(&mut line, "timestamp");
        let named = take_first_text(&mut line, &["session_id"]);
        exchange.about.session = named.or_else(|| exchange.about.session.take());
        exchange.about.event_id = take_first_text(&mut line, &["message_uuid"]);
        let asked_by = take_first_text(&mut line, &["query_source"]).unwrap_or_default();
        if let Some(agent) = asked_by.strip_prefix("agent:") {
            let name = agent.rsplit(':').next().unwrap_or(agent);
            exchange.about.agent = Some(format!("claude.{name}").into());
        }
        for known in ["model", "message_id"] {
            line.remove(known);
        }
        draft.note_rest("index", &line);
        Some(exchange)
    }
}

fn exchange(
    mut body: Json,
    response: Option<Json>,
    source: SourceRecord,
    draft: &mut Draft,
) -> Option<Exchange> {
    if let Json::Object(body) = &mut body
        && let Some(betas) = body.remove(BETAS)
    {
        draft.unmapped.field("request", BETAS, &betas);
    }
    let mut exchange = read_exchange(body, response, source, draft)?;
    exchange.about.session = session_of(&exchange.body);
    Some(exchange)
}

/// The session that a request says it belongs to, in a text of JSON.
fn session_of(body: &Json) -> Option<Str> {
    let user = body.get("metadata")?.get("user_id")?.as_str()?;
    let user = strata_model::json::parse(user.as_bytes()).ok()?;
    user.get("session_id")?.as_str().map(Str::from)
}
