//! Whether an endpoint works, tried with one word.

use std::sync::Arc;
use std::time::{Duration, Instant};

use strata_model::{Content, LlmRequest, Origin, Part, RequestContent};
use strata_wire::{Answer, Finish};
use tokio_util::sync::CancellationToken;

use crate::client::{AskOptions, Client};
use crate::endpoint::Endpoint;
use crate::error::{CallError, CallErrorKind};

/// Enough for a word, and for models that think first.
const MAX_TOKENS: u32 = 256;

/// What a trial gave.
#[derive(Debug, Clone)]
pub struct Trial {
    /// In a sentence or two: what answered, or what is wrong and what to do.
    pub message: String,
    pub took: Duration,
    /// `None`: it does not work.
    pub answer: Option<Answer>,
    pub error: Option<CallErrorKind>,
}

impl Client {
    /// Asks a model for one word.
    pub async fn try_out(&self, endpoint: &Endpoint, model: &str, stop: &CancellationToken) -> Trial {
        let started = Instant::now();
        let mut request = LlmRequest::default();
        let content = Content::new("user", [Part::from_text("Answer with the word: ready")]);
        let origin = |_| Origin::Run { field: "trial".into() };
        request.contents.push(Arc::new(RequestContent::from_content(&content, origin)));
        let options = AskOptions { max_output_tokens: Some(MAX_TOKENS) };
        let asked = self.ask(endpoint, model, &request, options, stop, &mut |_| ()).await;
        let took = started.elapsed();
        match asked {
            Ok(answer) => Trial {
                message: praise(endpoint, model, &answer, took),
                took,
                answer: Some(answer),
                error: None,
            },
            // It thought, and had no room left to speak: it works.
            Err(CallError { kind: CallErrorKind::Empty, partial: Some(partial), .. })
                if partial.ended() == Some(Finish::Length) =>
            {
                let message = praise(endpoint, model, &partial, took);
                Trial { message, took, answer: Some(*partial), error: None }
            }
            Err(error) => Trial { message: error.message, took, answer: None, error: Some(error.kind) },
        }
    }
}

fn praise(endpoint: &Endpoint, model: &str, answer: &Answer, took: Duration) -> String {
    let name = answer.model.as_deref().unwrap_or(model);
    let counts =
        if answer.usage.is_some() { "" } else { " It does not report tokens, so costs are estimates." };
    format!("{} answered with {name} in {:.1} s.{counts}", endpoint.name, took.as_secs_f64())
}
