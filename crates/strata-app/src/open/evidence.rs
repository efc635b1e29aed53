//! What the numbers of a call rest on.

use strata_engine::Experiment;
use strata_import::Format;
use strata_measure::analysis::CallAnalysis;
use strata_model::{Evidence, EvidenceKind, Gap, LlmRequest};

use super::app_config::AppSource;

/// The evidence of a call, in a session of this format.
pub(crate) fn evidence(
    experiment: &Experiment,
    app: &AppSource,
    format: &str,
    call: &CallAnalysis,
) -> Evidence {
    if !experiment.has_recorded_request(call.number) {
        let kind = if app.is_inferred { EvidenceKind::Inferred } else { EvidenceKind::Given };
        let lacks = if app.is_inferred { gaps_of_inferred(experiment, call) } else { Vec::new() };
        let source = app.location.clone().unwrap_or_default();
        return Evidence { kind, source, lacks, is_edited: false };
    }
    let kind = kind(experiment, format, call.number);
    // On the wire there is everything that was sent; others may keep some of it back.
    let lacks = if kind == EvidenceKind::Wire { Vec::new() } else { gaps(&call.request) };
    let is_edited = !experiment.is_as_sent(call.number, &call.request);
    Evidence { kind, source: format.to_owned(), lacks, is_edited }
}

fn kind(experiment: &Experiment, format: &str, call: u32) -> EvidenceKind {
    if experiment.has_recorded_call(call) {
        return EvidenceKind::Client;
    }
    let known = Format::ALL.into_iter().find(|known| known.name() == format);
    known.map_or(EvidenceKind::Client, Format::evidence)
}

fn gaps(request: &LlmRequest) -> Vec<Gap> {
    let parts = || request.contents.iter().flat_map(|content| &content.parts);
    let mut lacks = Vec::new();
    if request.system_instruction.is_none() {
        lacks.push(Gap::SystemText);
    }
    if request.tools.is_empty() && parts().any(|part| part.part.function_call.is_some()) {
        lacks.push(Gap::Tools);
    }
    if request.config.is_empty() {
        lacks.push(Gap::Settings);
    }
    lacks
}

fn gaps_of_inferred(experiment: &Experiment, call: &CallAnalysis) -> Vec<Gap> {
    let agent = experiment.call(call.number).and_then(|call| experiment.index().find(&call.invocation.agent));
    let agent = agent.map(|agent| experiment.index().agent(agent));
    // An instruction can only have been inferred from other requests of the agent, which hold all of this.
    if agent.is_some_and(|agent| agent.instruction.is_some()) {
        return Vec::new();
    }
    vec![Gap::SystemText, Gap::Tools, Gap::Settings]
}
