//! The context compiler: from a session and an app's configuration to the request a model receives, processor by
//! processor, with the source of every byte.
//!
//! A compile runs in these steps:
//!
//! 1. [`EventLog`] prepares a session's events once; [`AppIndex`] an app's agents.
//! 2. [`CompileContext`] freezes the inputs of one call: who asks, which events it sees, state, services.
//! 3. [`Flow::of_agent`] lists the processors of the agent, in google-adk 2.13's order.
//! 4. [`compile`] runs them. Each [`Stage`] keeps the request as its processor left it; results are taken from a
//!    [`StageCache`] where nothing they depend on has changed.
//! 5. The last stage's request is the working context: [`Compilation::working_context`].
//!
//! Processors are pure functions of declared inputs ([`Processor::Inputs`]). Nothing here calls a model, reads a
//! file, a clock or the environment, or changes a session. What a compile would have to ask for, a summary or the
//! result of an approved tool, comes in as [`Answers`]; what is missing is reported as awaited.
//!
//! Beside the compiler stand the steps around a call, as functions of the same kind ([`turn`]), experiments over
//! recorded sessions ([`Experiment::lay`]), and the checks of a configuration ([`check_config`]).
#![warn(clippy::disallowed_methods)]

#[rustfmt::skip]
pub mod adk_text;
mod answers;
mod app_index;
mod artifacts;
mod backend;
pub mod branch;
mod calls;
mod compile;
mod config_check;
mod contents;
mod context;
mod edit;
mod error;
mod experiment;
mod flow;
mod flow_kind;
mod genai;
mod infer;
mod last_steps;
mod log;
pub mod memory;
mod models;
mod node_input;
mod overlay;
mod placement;
mod processor;
pub mod processors;
mod quotation;
mod script_host;
mod sections;
mod state_history;
mod template;
mod tool_plan;
pub mod turn;
mod workflow_edges;

pub use answers::{Answers, ModelAnswer, ToolAnswer, ToolAnswers};
pub use app_index::{AgentId, AppIndex};
pub use artifacts::{Artifact, Artifacts, SavedArtifacts};
pub use backend::Backend;
pub use calls::{Answer, Call, Certainty, answers, n_calls};
pub use compile::{Compilation, CompileRun, Outcome, RecordedStage, Stage, StageCache, compile};
pub use config_check::{ConfigError, ConfigTarget, Problem, check_config};
pub use contents::History;
pub use context::{ArtifactsKnown, CallSource, CompileContext, Invocation, RunConfig, Services, SessionIds};
pub use edit::{
    AppEdit, ClearedResults, CompactionEdit, Edit, EventsEdit, FlowEdit, JsonObject, LaidSummary,
};
pub use error::{CompileError, ErrorKind};
pub use experiment::{
    EDITED_BY_HAND, EventChange, Experiment, GrownExperiment, Growth, LaidSummaries, RECORDED, UnreachedEdit,
};
pub use flow::{Flow, Hook, Inserted, OrderViolation, Step};
pub use flow_kind::FlowKind;
pub use infer::{AppClues, InferredApp, infer_app, writer};
pub use log::{
    EventLog, EventView, Facts, LaidLog, LoggedEvent, Omission, OmissionReason, SummaryRange,
    events_after_rewinds, live_events, surviving,
};
pub use memory::Memory;
pub use models::{bare_model_name, is_gemini};
pub use node_input::input_content;
pub use overlay::{EditDraft, EditNote, Edited};
pub use processor::{AnyProcessor, EarlyEnd, MemorySearch, Phase, Processor, StageOutput};
pub use processors::{
    ApprovedCalls, Catalog, PROCESSOR_KINDS, ParamKind, ParamSpec, ProcessorKind, StateField, approved_calls,
    explain_omissions, own_branch_events, state_fields,
};
pub use quotation::QuotationForm;
pub use script_host::{ScriptFailure, ScriptHost, ScriptLine, ScriptRun};
pub use sections::Sections;
pub use state_history::{StateHistory, StateValue, StateView};
pub use template::{Piece, Template};
pub use tool_plan::node_tools::{NodeInput, tool_input};
pub use workflow_edges::{DEFAULT_ROUTE, next_nodes};
