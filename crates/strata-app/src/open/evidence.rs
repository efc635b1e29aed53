//! What the numbers of a call rest on.

use strata_engine::{Call, Experiment, FlowKind};
use strata_import::Format;
use strata_measure::analysis::CallAnalysis;
use strata_model::{Evidence, EvidenceKind, Gap, Json, LlmRequest, Tool};

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
        let mut lacks =
            if app.is_inferred { gaps_of_inferred(experiment, call) } else { gaps_of_given(experiment) };
        lacks.extend(&call.gaps);
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

/// google-adk runs an app with settings that neither its configuration nor a session holds.
fn gaps_of_given(experiment: &Experiment) -> Vec<Gap> {
    match experiment.kind() {
        FlowKind::Adk => vec![Gap::RunSettings],
        FlowKind::Transcript => Vec::new(),
    }
}

fn gaps_of_inferred(experiment: &Experiment, call: &CallAnalysis) -> Vec<Gap> {
    let agent = experiment.call(call.number).and_then(|call| experiment.index().find(&call.invocation.agent));
    let agent = agent.map(|agent| experiment.index().agent(agent));
    let Some(agent) = agent.filter(|agent| agent.instruction.is_some()) else {
        return vec![Gap::SystemText, Gap::Tools, Gap::Settings];
    };
    // Other requests of the agent hold all of this. Clients that write only their system text down do not.
    let is_recorded =
        |of: &Call| of.invocation.agent == agent.name && experiment.has_recorded_request(of.number);
    if experiment.n_recorded_requests() > 0 && experiment.calls().iter().any(is_recorded) {
        return Vec::new();
    }
    let tools = Some(Gap::Tools).filter(|_| !agent.tools().iter().any(is_described));
    tools.into_iter().chain([Gap::Settings]).collect()
}

/// Whether it is as it was declared, and not only as it was called.
fn is_described(tool: &Tool) -> bool {
    match tool {
        Tool::Function { declaration, .. } => {
            declaration.get("description").and_then(Json::as_str).is_some_and(|text| !text.is_empty())
        }
        _ => false,
    }
}
