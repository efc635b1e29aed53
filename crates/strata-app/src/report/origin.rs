//! Sources of bytes as scripts and people read them.

use strata_engine::EventLog;
use strata_model::{AgentField, InstructionKind, Origin};

use crate::show::words;

/// What people call a source: "E39 coordinator", "instruction of planner", "own words of contents".
pub(super) fn from(origin: &Origin, log: &EventLog) -> String {
    match origin {
        Origin::Processor { name } => format!("own words of {name}"),
        origin => words::source(origin, log),
    }
}

/// `E39`, `state.hits`, `tool.search`, `agent.planner.instruction`: one text for one source. Parts of an event are of
/// that event.
pub(super) fn text(origin: &Origin) -> String {
    match origin {
        Origin::Event { event, .. } | Origin::Summary { event, .. } => format!("E{}", event.number()),
        Origin::Instruction { agent, kind } => format!("agent.{agent}.{}", instruction(*kind)),
        Origin::State { key } => format!("state.{key}"),
        Origin::Artifact { name } => format!("artifact.{name}"),
        Origin::Memory { rank } => format!("memory.{}", rank + 1),
        Origin::Tool { name } => format!("tool.{name}"),
        Origin::Agent { name, field } => format!("agent.{name}.{}", agent_field(*field)),
        Origin::Run { field } => format!("run.{field}"),
        Origin::Processor { name } => format!("processor.{name}"),
        Origin::Extension { name } => format!("plugin.{name}"),
        Origin::Rewritten { by, event: Some(event), .. } => format!("E{} by {by}", event.number()),
        Origin::Rewritten { by, event: None, .. } => format!("processor.{by}"),
    }
}

fn instruction(kind: InstructionKind) -> &'static str {
    match kind {
        InstructionKind::Global => "globalInstruction",
        InstructionKind::Static => "staticInstruction",
        InstructionKind::Dynamic => "instruction",
    }
}

fn agent_field(field: AgentField) -> &'static str {
    match field {
        AgentField::Name => "name",
        AgentField::Description => "description",
        AgentField::Model => "model",
        AgentField::GenerateContentConfig => "generateContentConfig",
        AgentField::OutputSchema => "outputSchema",
        AgentField::Planner => "planner",
    }
}
