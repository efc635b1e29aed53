//! What a workflow is made of besides agents and tools: functions, joins and edges.

use super::output_schema::OutputSchema;
use crate::Str;
use crate::decode::{Decoder, FromJson, record};
use crate::json::{Json, Object};

record! {
    /// A node whose work is the host's code.
    CodeNode: "a function node" {
        kind: CodeNodeKind = "type",
        name: Str = "name",
        description: Option<Str> = "description",
        /// What runs; only the host looks inside.
        code: Object = "code",
        /// Values taken from the state; only function nodes have any.
        params: Option<Vec<Parameter>> = "params",
        /// It takes no input.
        no_input: Option<bool> = "noInput",
        /// Python annotation of the input, such as `str`.
        input_type: Option<Str> = "inputType",
        input_schema: Option<OutputSchema> = "inputSchema",
        output_schema: Option<OutputSchema> = "outputSchema",
        state_schema: Option<OutputSchema> = "stateSchema",
        rerun_on_resume: Option<bool> = "rerunOnResume",
        wait_for_output: Option<bool> = "waitForOutput",
        require_confirmation: Option<bool> = "requireConfirmation",
        timeout: Option<f64> = "timeout",
        retry: Option<Retry> = "retry",
        parallel_worker: Option<bool> = "parallelWorker",
        max_parallel_workers: Option<i64> = "maxParallelWorkers",
    }
}

/// What a node makes of what its code gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CodeNodeKind {
    /// ADK's `FunctionNode`: parameters are bound, and what it gives becomes events.
    #[default]
    Function,
    /// A node of its own kind: events and values as they come.
    Base,
}

impl FromJson for CodeNodeKind {
    const EXPECTED: &'static str = "`function_node` or `base_node`";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        match value.as_str() {
            Some("function_node") => Ok(Self::Function),
            Some("base_node") => Ok(Self::Base),
            _ => Err(value),
        }
    }

    fn to_json(&self) -> Json {
        Json::from(match self {
            Self::Function => "function_node",
            Self::Base => "base_node",
        })
    }
}

crate::decode::always_written!(CodeNodeKind);

record! {
    /// A parameter of a function.
    Parameter: "a parameter" {
        name: Str = "name",
        /// Python annotation, such as `int`.
        kind: Option<Str> = "type",
        default: Option<Json> = "default",
    }
}

record! {
    /// A node that runs once all nodes before it have.
    JoinNode: "a join" {
        kind: Option<Str> = "type",
        name: Str = "name",
        input_schema: Option<OutputSchema> = "inputSchema",
        output_schema: Option<OutputSchema> = "outputSchema",
        wait_for_output: Option<bool> = "waitForOutput",
    }
}

record! {
    /// How often and when a node that failed runs again.
    Retry: "a retry configuration" {
        /// The first attempt included.
        max_attempts: Option<i64> = "maxAttempts",
        /// Seconds.
        initial_delay: Option<f64> = "initialDelay",
        /// Seconds.
        max_delay: Option<f64> = "maxDelay",
        backoff_factor: Option<f64> = "backoffFactor",
        jitter: Option<f64> = "jitter",
        /// Names of exception classes that are tried again; absent: all.
        exceptions: Option<Vec<Str>> = "exceptions",
    }
}

record! {
    /// Leads from one node of a workflow to another.
    Edge: "an edge" {
        /// `START` or the name of a node.
        from: Str = "from",
        to: Str = "to",
        /// A value or a list of values that open it; `__DEFAULT__` where no other route is taken.
        route: Option<Json> = "route",
    }
}

/// The name by which edges call a workflow's beginning.
pub const START: &str = "START";
