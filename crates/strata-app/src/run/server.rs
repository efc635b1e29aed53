//! Asking a model server, as a run asks: one response a piece where it streams, and the whole answer at the end.

use std::future::Future as _;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::task::Poll;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use strata_model::{Content, LlmRequest, LlmResponse, Object, Part, RequestTool, Str, marks};
use strata_provider::{AskOptions, CallError, CallErrorKind, Client, Endpoint, Progress};
use strata_runtime::{Failure, ModelCall};
use strata_wire::{Answer, Api, Delta, Finish};
use tokio_util::sync::CancellationToken;

use super::listener::RunListener;

/// A server, and the model that is asked there.
pub(crate) struct ModelServer {
    pub client: Client,
    pub endpoint: Arc<Endpoint>,
    /// In place of those that the agents name.
    pub model: Option<String>,
    pub listener: Arc<dyn RunListener>,
}

impl ModelServer {
    /// What is asked in place of a model that an agent names. Whoever has changed the request's model means it.
    pub(crate) fn model_of<'m>(&'m self, call: &'m ModelCall) -> &'m str {
        let changed = call.request.model.as_deref().filter(|model| *model != &*call.model);
        changed.or(self.model.as_deref()).unwrap_or(&call.model)
    }

    pub(crate) fn answers(
        &self,
        call: &ModelCall,
        stop: CancellationToken,
    ) -> BoxStream<'static, Result<LlmResponse, Failure>> {
        if let Some(reason) = unsaid(self.endpoint.api, &call.request) {
            let message = format!("{reason} Nothing was sent.");
            return stream::iter([Err(Failure::new("UnsupportedRequestError", message))]).boxed();
        }
        let (sender, pieces) = channel();
        let (client, endpoint, model) =
            (self.client.clone(), self.endpoint.clone(), self.model_of(call).to_owned());
        let (request, is_streaming) = (call.request.clone(), call.is_streaming);
        let listener = self.listener.clone();
        let mut asked = Box::pin(async move {
            let mut watch = |progress| {
                // Whoever listens is the stream below, which holds this.
                let _ = sender.send(progress);
            };
            client.ask(&endpoint, &model, &request, AskOptions::default(), &stop, &mut watch).await
        });
        let mut ended: Option<Result<Answer, CallError>> = None;
        let mut is_over = false;
        stream::poll_fn(move |context| {
            if is_over {
                return Poll::Ready(None);
            }
            if ended.is_none()
                && let Poll::Ready(result) = asked.as_mut().poll(context)
            {
                ended = Some(result);
            }
            while let Ok(progress) = pieces.try_recv() {
                match progress {
                    Progress::Waiting { why, .. } => listener.note(&why),
                    Progress::Delta(delta) => {
                        if let Some(piece) = piece(delta).filter(|_| is_streaming) {
                            return Poll::Ready(Some(Ok(piece)));
                        }
                    }
                }
            }
            match ended.take() {
                None => Poll::Pending,
                Some(result) => {
                    is_over = true;
                    Poll::Ready(last(result).transpose())
                }
            }
        })
        .boxed()
    }
}

/// What a request asks for that cannot be said in a dialect, in a sentence.
fn unsaid(api: Api, request: &LlmRequest) -> Option<String> {
    let built_in = request.tools.iter().find_map(|tool| match tool {
        // A form that functions are declared in: where it is not known, they are declared without it.
        _ if tool.namespace().is_some() => None,
        RequestTool::BuiltIn { json, .. } => json.as_object()?.keys().next().cloned(),
        RequestTool::Functions(_) => None,
    });
    if let Some(tool) = built_in.filter(|_| api != Api::Gemini) {
        return Some(format!(
            "`{tool}` is a tool that Gemini runs by itself, and a server that takes `{}` does not know it. Ask Gemini, or take the tool away.",
            api.name()
        ));
    }
    let has_schema =
        ["responseSchema", "responseJsonSchema"].iter().any(|name| request.config_field(name).is_some());
    (has_schema && api == Api::Anthropic).then(|| {
        "The agent has an output schema, which Strata cannot send to Anthropic's API. Ask another provider, or take \
         the schema away."
            .to_owned()
    })
}

/// A piece of an answer that comes in.
fn piece(delta: Delta) -> Option<LlmResponse> {
    let part = match delta {
        Delta::Text(text) => Part::from_text(text),
        Delta::Thought(text) => Part { thought: Some(true), ..Part::from_text(text) },
        Delta::Call { .. } | Delta::Arguments(_) => return None,
    };
    let content = Some(Arc::new(Content::new("model", [part])));
    Some(LlmResponse { content, partial: Some(true), ..LlmResponse::default() })
}

/// What the call comes to. `None`: it was stopped, and says nothing.
fn last(result: Result<Answer, CallError>) -> Result<Option<LlmResponse>, Failure> {
    let error = match result {
        Ok(answer) => return Ok(Some(response(answer))),
        Err(error) if error.kind == CallErrorKind::Cancelled => return Ok(None),
        Err(error) => error,
    };
    let CallError { kind, message, partial, may_be_charged, .. } = error;
    let charged = if may_be_charged { " The provider may charge for it." } else { "" };
    let mut kept = partial.map(|answer| response(*answer)).unwrap_or_default();
    // Calls may have come in half: they are not made.
    let parts = kept.content.iter().flat_map(|content| content.parts());
    let said: Vec<Part> = parts.filter(|part| part.text.is_some()).map(|part| Part::clone(part)).collect();
    if said.is_empty() {
        return Err(Failure::new("ModelServerError", format!("{message}{charged}")));
    }
    kept.content = Some(Arc::new(Content::new("model", said)));
    kept.error_code = Some(kind.name().to_uppercase().into());
    kept.error_message = Some(format!("{message}{charged}").into());
    Ok(Some(kept))
}

/// An answer as google-adk has it.
fn response(answer: Answer) -> LlmResponse {
    let mut response = LlmResponse {
        model_version: answer.model.clone(),
        finish_reason: answer.ended().map(|finish| finish_reason(&finish)),
        ..LlmResponse::default()
    };
    if let Some(Finish::Refused(words)) = answer.ended() {
        response.error_code = Some("REFUSED".into());
        response.error_message = Some(words.into());
    }
    if let Some(report) = &answer.usage {
        response.usage_metadata = Some(Box::new(report.usage.clone()));
        let written = report.cache_write.clone();
        response.custom_metadata = written.map(|written| Object::from_iter([(marks::CACHE_WRITE, written)]));
    }
    response.content = Some(Arc::new(answer.into_content()));
    response
}

/// One of Gemini's names.
fn finish_reason(finish: &Finish) -> Str {
    match finish {
        Finish::Stop | Finish::ToolCalls => "STOP".into(),
        Finish::Length => "MAX_TOKENS".into(),
        Finish::Refused(_) => "SAFETY".into(),
        Finish::Filtered(name) => name.to_uppercase().into(),
        Finish::Other(_) => "OTHER".into(),
    }
}
