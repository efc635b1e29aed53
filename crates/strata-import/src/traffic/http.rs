//! Requests and answers as HTTP carries them.

use std::borrow::Cow;

use strata_model::{Json, Str};
use strata_wire::coding::decoded;
use strata_wire::stream::frame_payloads;
use strata_wire::{NamedContext, contexts_of_http, is_other_call, model_of_url};

use super::services::{ServiceCall, ServiceCalls, service_request};
use crate::draft::Draft;
use crate::exchange::{Exchange, read_exchange};
use crate::source::SourceRecord;

/// A recorded pair of bodies.
#[derive(Debug)]
pub(crate) struct Pair<'t> {
    /// Where it was sent; empty when that was not recorded.
    pub(crate) url: String,
    pub(crate) request: Body<'t>,
    pub(crate) response: Option<Body<'t>>,
    pub(crate) status: Option<i64>,
    /// When it was sent and when its answer was there, in epoch seconds.
    pub(crate) time: Option<f64>,
    pub(crate) end: Option<f64>,
    pub(crate) source: SourceRecord,
}

/// A body as it was sent.
#[derive(Debug)]
pub(crate) struct Body<'t> {
    content: Content<'t>,
    /// `Content-Encoding`, in small letters. Recorders unpack bodies and leave it standing, so it is only a hint.
    encoding: String,
    /// The contexts that its headers name.
    contexts: Vec<NamedContext>,
}

/// Bodies may be large: they stay where they are until they are read.
#[derive(Debug)]
pub(crate) enum Content<'t> {
    Text(Str),
    Bytes(Cow<'t, [u8]>),
}

impl From<Vec<u8>> for Content<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

/// What a pair is.
pub(crate) enum Sent {
    /// A request to a model.
    Model(Box<Exchange>),
    /// A call of another server's agent or tool.
    Service,
    Other,
}

impl Pair<'_> {
    /// Reads a pair, whoever was asked.
    pub(crate) fn sent(self, draft: &mut Draft, services: &mut ServiceCalls) -> Sent {
        if let Some(request) = service_request(&self.request.value()) {
            let mut contexts = contexts_of_http(&self.url, []);
            contexts.extend(self.request.contexts);
            services.add(ServiceCall {
                url: self.url,
                contexts,
                request,
                response: self.response.map(|body| body.value()),
                time: self.time,
                end: self.end,
                source: self.source,
            });
            return Sent::Service;
        }
        self.exchange(draft).map_or(Sent::Other, |exchange| Sent::Model(Box::new(exchange)))
    }

    /// The exchange, when the request was to a model.
    pub(crate) fn exchange(self, draft: &mut Draft) -> Option<Exchange> {
        if is_other_call(&self.url) {
            return None;
        }
        let response = self.response.map(|body| body.value());
        let failed = self.status.filter(|status| *status >= 400);
        let (response, error) = if failed.is_some() { (None, response) } else { (response, None) };
        let mut exchange = read_exchange(self.request.value(), response, self.source, draft)?;
        exchange.about.contexts.extend(contexts_of_http(&self.url, []));
        exchange.about.contexts.extend(self.request.contexts);
        exchange.time = self.time;
        exchange.end = self.end;
        if let Some(status) = failed {
            exchange.refuse(status, error, draft);
        }
        if let Some(answer) = &mut exchange.answer {
            answer.model = answer.model.take().or_else(|| model_of_url(&self.url).map(Str::from));
        }
        Some(exchange)
    }
}

impl<'t> Body<'t> {
    /// A body with the names and values of its headers.
    pub(crate) fn new<'h>(
        content: Content<'t>,
        headers: impl IntoIterator<Item = (Cow<'h, str>, Cow<'h, str>)>,
    ) -> Self {
        let headers: Vec<_> = headers.into_iter().collect();
        let encoding = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
        Self {
            content,
            encoding: encoding.map(|(_, value)| value.to_ascii_lowercase()).unwrap_or_default(),
            contexts: contexts_of_http("", headers.iter().map(|(name, value)| (&**name, &**value))),
        }
    }

    /// What the body says: text, or the events of a binary stream.
    fn value(&self) -> Json {
        if let Content::Text(text) = &self.content
            && text.starts_with(['{', '['])
        {
            return Json::String(text.clone());
        }
        let packed = match &self.content {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        };
        let bytes = decoded(packed, &self.encoding);
        if let Some(events) = frame_payloads(&bytes) {
            return Json::Array(events);
        }
        match (&self.content, bytes) {
            (Content::Text(text), Cow::Borrowed(_)) => Json::String(text.clone()),
            (_, bytes) => String::from_utf8_lossy(&bytes).as_ref().into(),
        }
    }
}
