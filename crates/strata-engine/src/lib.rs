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
//! Beside the compiler stand the steps around a call, as functions of the same kind: tool results, compaction after a
//! turn ([`compaction`]), sessions and their state, rewinding, the choice of the next agent, context caching
//! ([`gemini`]) and the checks of a configuration ([`check_config`]).
#![warn(clippy::disallowed_methods)]

#[rustfmt::skip]
pub mod adk_text;
mod answers;
mod app_index;
mod artifacts;
mod branch_events;
mod calls;
pub mod compaction;
mod compile;
mod config_check;
mod context;
mod edit;
mod error;
mod event_links;
mod event_log;
mod experiment;
mod flow;
pub mod gemini;
pub mod history;
mod infer;
mod laid_history;
mod laid_log;
pub mod memory;
mod models;
mod placement;
mod processor;
pub mod processors;
mod quotation;
mod recorded;
mod recorded_services;
mod rewind;
mod route;
mod sections;
mod sessions;
mod settled;
mod state_history;
mod template;
mod tool_calls;
mod tool_plan;

pub use answers::{Answers, ModelAnswer, ToolAnswer, ToolAnswers};
pub use app_index::{AgentId, AppIndex};
pub use artifacts::{Artifact, Artifacts};
pub use calls::{Call, Certainty};
pub use compile::{Compilation, Outcome, Stage, StageCache, compile};
pub use config_check::{ConfigError, ConfigTarget, Problem, check_config};
pub use context::{Backend, CallSource, CompileContext, Invocation, RunConfig, Services, SessionIds};
pub use edit::{
    ClearedResults, Edit, EditDraft, Edited, EventChange, LaidSummary, ScriptFailure, ScriptHost, ScriptLine,
    ScriptRun,
};
pub use error::{CompileError, ErrorKind};
pub use event_log::{EventLog, EventView, Facts, LoggedEvent};
pub use experiment::Experiment;
pub use flow::{Flow, FlowKind, Inserted, OrderViolation, Step};
pub use infer::{InferredApp, infer_app};
pub use laid_history::LaidSummaries;
pub use laid_log::LaidLog;
pub use models::{bare_model_name, is_gemini};
pub use processor::{AnyProcessor, EarlyEnd, MemorySearch, Phase, Processor, StageOutput};
pub use processors::{
    Catalog, CompactionCheck, History, Omission, OmissionReason, PROCESSOR_KINDS, ParamKind, ParamSpec,
    ProcessorKind, StateField, explain_omissions, state_fields,
};
pub use recorded::RECORDED;
pub use rewind::{InvocationNotFound, Rewind, rewind};
pub use route::{Route, RouteError, route};
pub use sections::Sections;
pub use sessions::{EventLimit, SessionError, Sessions};
pub use state_history::{StateHistory, StateValue, StateView};
pub use template::{Piece, Template};
pub use tool_calls::{
    AnsweredCalls, CallFailure, RunnableKind, RunnableTool, ToolConfirmation, ToolRun, runnable_tools,
};
