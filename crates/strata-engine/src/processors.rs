//! google-adk's request processors, one file each; and those that experiments insert, in `inserted`.

mod agent_tools;
mod agent_transfer;
mod auth;
mod basic;
mod callbacks;
mod catalog;
mod code_execution;
mod compaction;
mod contents;
mod context_cache;
mod dynamic_instructions;
mod identity;
mod inserted;
mod instructions;
mod interactions;
mod model_call;
mod nl_planning;
mod output_schema;
mod plugins;
mod request_confirmation;
mod toolset_auth;

pub use agent_tools::AgentTools;
pub use agent_transfer::AgentTransfer;
pub use auth::Auth;
pub use basic::Basic;
pub use callbacks::BeforeModelCallback;
pub use catalog::{Catalog, PROCESSOR_KINDS, ParamKind, ParamSpec, ProcessorKind};
pub use code_execution::CodeExecution;
pub use compaction::{Compaction, CompactionCheck};
pub use contents::{
    ContentsProcessor, History, Omission, OmissionReason, explain_omission, explain_omissions,
};
pub(crate) use contents::{ContentsScope, DroppedIds, Omissions, build_contents};
pub use context_cache::ContextCache;
pub use dynamic_instructions::DynamicInstructions;
pub use identity::Identity;
pub use inserted::{Rewritten, StateField, is_relayed_traffic, moved_behind, state_fields, tables};
pub use instructions::Instructions;
pub use interactions::Interactions;
pub use model_call::ModelCall;
pub use nl_planning::NlPlanning;
pub use output_schema::OutputSchemaProcessor;
pub use plugins::plugin;
pub use request_confirmation::RequestConfirmation;
pub use toolset_auth::ToolsetAuth;
