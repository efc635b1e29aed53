//! Who answers a run's calls, within its budget.

use std::sync::Arc;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use strata_model::LlmResponse;
use strata_runtime::{Failure, ModelCall, Models};
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::listener::RunListener;
use super::recorded_turn::Replay;
use super::scripted::Script;
use super::sent::SentCalls;
use super::server::ModelServer;
use crate::error::sentence;

/// Who answers.
pub(crate) enum Answerer {
    Server(ModelServer),
    Script(Arc<Script>),
    /// Nobody: the last words of each request come back.
    Echo,
}

/// The models of a run.
pub(crate) struct RunModels {
    pub answerer: Answerer,
    /// Goes before everybody else.
    pub replay: Arc<Replay>,
    pub budget: Arc<Budget>,
    pub sent: Arc<SentCalls>,
    pub listener: Arc<dyn RunListener>,
    /// Stops calls that are being made.
    pub stop: CancellationToken,
}

impl Models for RunModels {
    fn generate(&self, call: ModelCall) -> BoxStream<'static, Result<LlmResponse, Failure>> {
        if let Some(answer) = self.replay.take(&call.agent) {
            return stream::iter([Ok(answer)]).boxed();
        }
        let model = match &self.answerer {
            Answerer::Server(server) => server.model_of(&call),
            // As if the agent's own model had answered.
            Answerer::Script(_) | Answerer::Echo => &*call.model,
        };
        let mut charge = match self.budget.begin(&call, model) {
            Ok(charge) => charge,
            Err(refusal) => {
                self.sent.withdraw(&call.agent);
                return stream::iter([Err(refusal)]).boxed();
            }
        };
        let answers = match &self.answerer {
            Answerer::Server(server) => server.answers(&call, self.stop.clone()),
            Answerer::Script(script) => script.answers(&call),
            Answerer::Echo => stream::iter([echo(&call)]).boxed(),
        };
        let summary_for = call.agent.is_empty().then(|| self.listener.clone());
        let counted = answers.inspect(move |answer| match answer {
            Ok(response) => charge.take(response),
            // An agent's failure is an event of the session; nobody hears of a summary's.
            Err(failure) => {
                if let Some(listener) = &summary_for {
                    listener.note(&format!("No summary was made: {}", sentence(&failure.message)));
                }
            }
        });
        counted.boxed()
    }
}

fn echo(call: &ModelCall) -> Result<LlmResponse, Failure> {
    if call.agent.is_empty() {
        return Err(Failure::new("EchoError", "An echo summarises nothing."));
    }
    let texts = call.request.contents.iter().rev().flat_map(|content| content.parts.iter().rev());
    let last = texts.filter(|part| !part.part.is_thought()).find_map(|part| part.part.text.clone());
    Ok(LlmResponse::from_text(last.unwrap_or_else(|| "(The request holds no words.)".into())))
}
