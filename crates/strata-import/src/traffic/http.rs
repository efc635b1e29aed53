//! Requests and answers as HTTP carries them.

use std::borrow::Cow;

use strata_model::{Json, Object, Str};
use strata_wire::coding::decoded;
use strata_wire::stream::frame_payloads;
use strata_wire::{NamedContext, contexts_of_http, is_other_call, model_of_url};

use super::services::{ServiceCall, ServiceCalls, service_request};
use crate::align::{Step, sessions};
use crate::draft::Draft;
use crate::exchange::{Exchange, read_exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
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

/// The pairs of a recording, whoever was asked.
pub(crate) struct Pairs {
    pub(crate) draft: Draft,
    pub(crate) steps: Vec<Step>,
    services: ServiceCalls,
    /// What is said of those that ask neither a model nor a server's agent or tool.
    other: &'static str,
}

impl Pairs {
    pub(crate) fn new(other: &'static str) -> Self {
        Self {
            draft: Draft::new("http", "model"),
            steps: Vec::new(),
            services: ServiceCalls::default(),
            other,
        }
    }

    /// `None`: a record without a request that could be read.
    pub(crate) fn add(&mut self, pair: Option<Pair<'_>>, source: SourceRecord) {
        let Some(pair) = pair else { return self.draft.unmapped.record(self.other, source) };
        let request = pair.request.value();
        if let Some(call) = service_request(&request) {
            return self.services.add(pair.service_call(call));
        }
        match pair.exchange_of(request, &mut self.draft) {
            Some(exchange) => self.steps.push(Step::Exchange(Box::new(exchange))),
            None => self.draft.unmapped.record(self.other, source),
        }
    }

    /// The sessions of `n_pairs` that were recorded.
    pub(crate) fn finish(
        mut self,
        n_pairs: usize,
        format: Format,
        findings: &mut Findings,
    ) -> Vec<ImportedSession> {
        self.draft.counts.insert("http_pairs", Json::Int(n_pairs as i64));
        let mut found = sessions(self.steps, self.draft, format, findings);
        found.extend(self.services.finish(format, findings));
        found
    }
}

impl Pair<'_> {
    /// The exchange, when the request was to a model.
    pub(crate) fn exchange(self, draft: &mut Draft) -> Option<Exchange> {
        let request = self.request.value();
        self.exchange_of(request, draft)
    }

    /// The same with what the body of the request says.
    fn exchange_of(self, request: Json, draft: &mut Draft) -> Option<Exchange> {
        if is_other_call(&self.url) {
            return None;
        }
        let contexts = self.contexts();
        let response = self.response.map(|body| body.value());
        let failed = self.status.filter(|status| *status >= 400);
        let (response, error) = if failed.is_some() { (None, response) } else { (response, None) };
        let mut exchange = read_exchange(request, response, self.source, draft)?;
        exchange.about.contexts.extend(contexts);
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

    /// A call of another server's agent or tool.
    fn service_call(self, request: Object) -> ServiceCall {
        ServiceCall {
            contexts: self.contexts().collect(),
            request,
            response: self.response.map(|body| body.value()),
            url: self.url,
            time: self.time,
            end: self.end,
            source: self.source,
        }
    }

    /// The contexts that its address and its headers name.
    fn contexts(&self) -> impl Iterator<Item = NamedContext> + use<> {
        contexts_of_http(&self.url, []).into_iter().chain(self.request.contexts.clone())
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
