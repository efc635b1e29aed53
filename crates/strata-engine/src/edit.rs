//! What an experiment changes: a closed list of edits, in a form that is stored, shared and written by hand.
//!
//! A recorded session is never changed. Edits are laid over it by [`crate::Experiment::lay`]: each is applied to
//! what the ones before it left, and one that does not fit is reported while all others still count. Taking an edit
//! back is applying the list without it.

use serde::{Deserialize, Serialize};
use strata_model::{Json, Object, Str};

/// One change to a session's compile.
///
/// As JSON or YAML: an object whose `edit` is the name of the variant in `snake_case`, beside its fields. These names
/// are promised: stored experiments and files of edits use them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// Runs a processor again.
    EnableProcessor {
        processor: Str,
        /// In this agent's flow only; absent: in every flow that has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Str>,
    },
    /// Leaves a processor out. It keeps its place.
    DisableProcessor {
        processor: Str,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Str>,
    },
    MoveProcessor {
        processor: Str,
        /// The processor it then stands before; absent: behind all others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Str>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Str>,
    },
    InsertProcessor {
        /// Its kind, as the catalogue calls it.
        #[serde(rename = "use")]
        kind: Str,
        /// What it is called in the flow; absent: its kind, with a number where that is taken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<Str>,
        /// The processor it stands before; absent: where processors of its kind belong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<Str>,
        /// What is left out has its default.
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        params: Object,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Str>,
    },
    /// Gives an inserted processor other parameters. What is left out has its default.
    ConfigureProcessor {
        processor: Str,
        params: Object,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Str>,
    },
    /// Takes an inserted processor out again.
    RemoveProcessor {
        processor: Str,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Str>,
    },
    /// Another template for an agent's instruction; absent: none.
    SetInstruction {
        agent: Str,
        #[serde(default)]
        text: Option<Str>,
    },
    /// Another static instruction, which is never filled; absent: none.
    SetStaticInstruction {
        agent: Str,
        #[serde(default)]
        text: Option<Str>,
    },
    /// Another template for the root agent's instruction to all agents; absent: none.
    SetGlobalInstruction {
        #[serde(default)]
        text: Option<Str>,
    },
    /// Another declaration for a function of an agent, a `FunctionDeclaration` in camelCase; absent: the agent does
    /// not have the tool.
    SetTool {
        agent: Str,
        tool: Str,
        #[serde(default)]
        declaration: Option<Object>,
    },
    /// Another schema that answers have to follow, as JSON Schema; absent: none.
    SetOutputSchema {
        agent: Str,
        #[serde(default)]
        schema: Option<Json>,
    },
    /// How much of the session an agent is shown: `default` or `none`.
    SetIncludeContents { agent: Str, value: Str },
    /// Takes an event out of every history, with a summary or a rewind it carries. What it did to state stays.
    DropEvent {
        /// E1 is 1.
        event: u32,
    },
    /// Another content for an event: ADK's `{role, parts}`.
    EditEvent { event: u32, content: Json },
    /// Keeps an event in histories: summaries do not replace it, and no processor of Strata's takes it out.
    PinEvent { event: u32 },
    /// Another `eventsCompactionConfig`, in ADK's field names; absent: none. What it would have summarised is
    /// summarised: by the recorded summaries where the windows are the recorded ones, else by extracts.
    SetCompaction {
        #[serde(default)]
        config: Option<Object>,
    },
    /// These summaries in place of the recorded ones, as a run of compaction wrote them.
    LaySummaries {
        /// What they were written for, as `interval=3,overlap=1`.
        config: Str,
        /// The prompt the summariser was given in place of google-adk's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<Str>,
        summaries: Vec<LaidSummary>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cleared: Vec<ClearedResults>,
    },
    /// Another `contextCacheConfig`, in ADK's field names; absent: none.
    SetCache {
        #[serde(default)]
        config: Option<Object>,
    },
    /// Which fields instructions are shown of the entries of a state key; an empty list: all again.
    SetStateMap {
        key: Str,
        #[serde(default)]
        fields: Vec<Str>,
    },
}

/// A summary, and what it stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaidSummary {
    /// It stands behind this recorded event: 3 for E3.
    pub after: u32,
    /// The first and the last event in whose time lie all that it covers.
    pub first: u32,
    pub last: u32,
    /// ADK's `{role, parts}`.
    pub content: Json,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub by: Str,
    /// Covers events of this isolation scope; absent: those of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation_scope: Option<Str>,
}

/// Events whose long tool results give way to a note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearedResults {
    /// From this call on.
    pub before_call: u32,
    /// E1 is 1.
    pub events: Vec<u32>,
}

impl Edit {
    /// The name of the variant, as files have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::EnableProcessor { .. } => "enable_processor",
            Self::DisableProcessor { .. } => "disable_processor",
            Self::MoveProcessor { .. } => "move_processor",
            Self::InsertProcessor { .. } => "insert_processor",
            Self::ConfigureProcessor { .. } => "configure_processor",
            Self::RemoveProcessor { .. } => "remove_processor",
            Self::SetInstruction { .. } => "set_instruction",
            Self::SetStaticInstruction { .. } => "set_static_instruction",
            Self::SetGlobalInstruction { .. } => "set_global_instruction",
            Self::SetTool { .. } => "set_tool",
            Self::SetOutputSchema { .. } => "set_output_schema",
            Self::SetIncludeContents { .. } => "set_include_contents",
            Self::DropEvent { .. } => "drop_event",
            Self::EditEvent { .. } => "edit_event",
            Self::PinEvent { .. } => "pin_event",
            Self::SetCompaction { .. } => "set_compaction",
            Self::LaySummaries { .. } => "lay_summaries",
            Self::SetCache { .. } => "set_cache",
            Self::SetStateMap { .. } => "set_state_map",
        }
    }
}
