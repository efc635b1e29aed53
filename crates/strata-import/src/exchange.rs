//! Requests to model providers with what answered them, and their places in a log.

use strata_model::take::unpacked;
use strata_model::{Json, Str};
use strata_wire::message::Turn;
use strata_wire::{Answer, NamedContext, is_other_answer, request_body};

use crate::draft::Draft;
use crate::source::SourceRecord;

/// A request and what answered it.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) source: SourceRecord,
    /// When it was sent, in epoch seconds.
    pub(crate) time: Option<f64>,
    /// When the answer was there.
    pub(crate) end: Option<f64>,
    /// The body as it was sent.
    pub(crate) body: Json,
    /// The messages in it, as a reader of requests reads them.
    pub(crate) turns: Vec<Turn>,
    pub(crate) answer: Option<Answer>,
    /// Where the answer stands, where that is not in the record of its request.
    pub(crate) answered_at: Option<SourceRecord>,
    /// The answer it says it continues, whose history the provider holds.
    pub(crate) continues: Option<Str>,
    pub(crate) about: ExchangeContext,
}

impl Exchange {
    /// An exchange of which nothing else is known.
    pub(crate) fn new(source: SourceRecord, body: Json, turns: Vec<Turn>, answer: Option<Answer>) -> Self {
        Self {
            source,
            time: None,
            end: None,
            body,
            turns,
            answer,
            answered_at: None,
            continues: None,
            about: ExchangeContext::default(),
        }
    }

    /// Sets the answer of a provider that refused, or failed, with an error status.
    pub(crate) fn refuse(&mut self, status: i64, body: Option<Json>, draft: &mut Draft) {
        let mut answer = draft.reader().refused(status, body);
        answer.model = answer.model.take().or_else(|| asked_model(&self.body));
        self.answer = Some(answer);
    }
}

/// The model that a body asks for.
pub(crate) fn asked_model(body: &Json) -> Option<Str> {
    ["model", "modelId"].iter().find_map(|key| body.get(key)?.as_str().map(Str::from))
}

/// What the log around an exchange says about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExchangeContext {
    /// Exchanges with different values are of different sessions.
    pub(crate) session: Option<Str>,
    /// What the session is called that begins with this exchange, where nothing names one. It is known before there is an
    /// answer.
    pub(crate) begins: Option<Str>,
    /// Exchanges with different values are of different agents.
    pub(crate) agent: Option<Str>,
    pub(crate) invocation: Option<Str>,
    pub(crate) event_id: Option<Str>,
    pub(crate) title: Option<Str>,
    /// The contexts that its address and its headers name.
    pub(crate) contexts: Vec<NamedContext>,
}

/// Reads an exchange from its bodies. `None` when the first is no request to a model.
pub(crate) fn read_exchange(
    request: Json,
    response: Option<Json>,
    source: SourceRecord,
    draft: &mut Draft,
) -> Option<Exchange> {
    let body = request_body(draft.bodies.unpacked(request))?;
    let response = response.map(unpacked);
    if response.as_ref().is_some_and(is_other_answer) {
        return None;
    }
    let body = draft.kept.rebuilt(&body).unwrap_or(body);
    let Json::Object(object) = &body else { return None };
    let turns = draft.reader().turns_of(object);
    let text = |key: &str| object.get(key).and_then(Json::as_text).cloned();
    let continues = text("previous_response_id");
    let model = ["model", "modelId"].into_iter().filter_map(text).find(|model| !model.is_empty());
    let kept = body.get("input").and_then(|_| response.clone());
    let mut answer = response.map(|response| draft.reader().answer(response));
    if let Some(answer) = &mut answer {
        answer.model = answer.model.take().or(model);
        if let (Some(id), Some(response)) = (&answer.id, kept) {
            draft.kept.keep(id, &body, response);
        }
    }
    Some(Exchange { continues, ..Exchange::new(source, body, turns, answer) })
}
