//! How long a prompt an agent's model takes.

use strata_engine::Experiment;
use strata_import::Format;
use strata_measure::analysis::BilledCalls;
use strata_measure::prices::Prices;
use strata_model::Json;
use strata_model::marks::{self, CONTEXT_WINDOW};

use crate::api::session::ContextWindow;

/// What the client wrote down of the agent's last call, else what is listed for its model. `format` is the id of the
/// session's.
pub(crate) fn context_window(
    agent: &str,
    format: &str,
    experiment: &Experiment,
    BilledCalls { analysis, caches }: BilledCalls<'_>,
    prices: &Prices,
) -> Option<ContextWindow> {
    let sums = caches.agent(agent)?;
    let last = analysis.call(sums.last_call)?;
    let model = &*last.sent_to;
    let answer = experiment.session().events.get(experiment.call(last.number)?.answer.as_usize())?;
    let told = marks::of(answer, CONTEXT_WINDOW).and_then(Json::as_i64);
    let (tokens, source) = match told.and_then(|tokens| u32::try_from(tokens).ok()) {
        Some(tokens) => (tokens, "the client, in the session".to_owned()),
        None => {
            let window = prices.context_window(model)?;
            // Claude Code asks for a long window by itself, and its transcripts do not say when.
            if format == Format::CLAUDE_CODE.id() && window.tokens > 200_000 && !model.ends_with("[1m]") {
                return None;
            }
            (window.tokens, window.source)
        }
    };
    let window = ContextWindow { model: model.to_owned(), tokens, source };
    (sums.peak_tokens <= tokens).then_some(window)
}
