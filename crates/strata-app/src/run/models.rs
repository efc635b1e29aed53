//! Who answers a run's calls, within its budget.

use std::sync::Arc;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use strata_model::LlmResponse;
use strata_runtime::{Failure, ModelCall, Models};
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::recorded_turn::Replay;
use super::scripted::Script;
use super::server::ModelServer;

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
    /// Stops calls that are being made.
    pub stop: CancellationToken,
}

impl Models for RunModels {
    fn generate(&self, call: ModelCall) -> BoxStream<'static, Result<LlmResponse, Failure>> {
        if let Some(answer) = self.replay.take(&call.agent) {
            return stream::iter([Ok(answer)]).boxed();
        }
        let (model, is_paid) = match &self.answerer {
            Answerer::Server(server) => (server.model_of(&call), true),
            Answerer::Script(_) | Answerer::Echo => (&*call.model, false),
        };
        let mut charge = match self.budget.begin(&call, model, is_paid) {
            Ok(charge) => charge,
            Err(refusal) => return stream::iter([Err(refusal)]).boxed(),
        };
        let answers = match &self.answerer {
            Answerer::Server(server) => server.answers(&call, self.stop.clone()),
            Answerer::Script(script) => script.answers(&call),
            Answerer::Echo => stream::iter([echo(&call)]).boxed(),
        };
        let counted = answers.inspect(move |answer| {
            if let Ok(response) = answer {
                charge.take(response);
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
