//! Why work ended before it was done.

use std::fmt;
use std::sync::Arc;

use strata_engine::CompileError;
use strata_model::{Str, python};

/// What ends work early. Only a [`Failure`] is anybody's mistake.
#[derive(Debug, Clone, PartialEq)]
pub enum Halt {
    Failed(Failure),
    /// A node waits for an answer from outside; which one is noted in its context.
    Interrupted,
    /// Whoever started the work no longer wants it.
    Cancelled,
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// An error as google-adk raises it: the name of a Python exception, and its message.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Name of the exception class.
    pub kind: Str,
    /// The argument the exception was made with; for a `KeyError` the bare key.
    pub message: Str,
    /// The canonical status of a provider's error, such as `PERMISSION_DENIED`.
    pub status: Option<Str>,
    /// The failure of a child node, of which its own node has told.
    pub(crate) child: Option<Arc<ChildFailure>>,
}

/// Where a child node failed, and of what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChildFailure {
    pub failure: Failure,
    pub node_path: Str,
}

impl Failure {
    pub fn new(kind: impl Into<Str>, message: impl Into<Str>) -> Self {
        Self { kind: kind.into(), message: message.into(), status: None, child: None }
    }

    pub fn value_error(message: impl Into<Str>) -> Self {
        Self::new("ValueError", message)
    }

    /// Data that does not fit what takes it while a workflow runs.
    pub(crate) fn data(message: impl Into<Str>) -> Self {
        Self::new("WorkflowDataError", message)
    }

    pub(crate) fn of_child(node: &str, failure: Self, node_path: Str) -> Self {
        let child = Some(Arc::new(ChildFailure { failure, node_path }));
        Self { child, ..Self::new("DynamicNodeFailError", format!("Dynamic node {node} failed")) }
    }

    /// The failure itself, where this one only tells of a child's.
    pub fn root(&self) -> &Self {
        self.child.as_ref().map_or(self, |child| child.failure.root())
    }

    /// What Python prints for the exception: a `KeyError` prints its key with quotes.
    pub fn text(&self) -> String {
        if &*self.kind == "KeyError" { python::repr_str(&self.message) } else { self.message.to_string() }
    }

    /// Whether the exception's class or one it inherits from has one of these names.
    pub(crate) fn is_one_of(&self, names: &[Str]) -> bool {
        let is_named = |class: &str| names.iter().any(|name| **name == *class);
        is_named(&self.kind) || bases_of(&self.kind).iter().any(|base| is_named(base))
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Self {
        Self::new(error.kind.python_name(), error.message)
    }
}

impl From<CompileError> for Halt {
    fn from(error: CompileError) -> Self {
        Self::Failed(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.text())
    }
}

impl std::error::Error for Failure {}

/// The classes an exception inherits from, `object` left out.
fn bases_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "TimeoutError" | "ConnectionError" | "PermissionError" | "FileNotFoundError" | "FileExistsError"
        | "InterruptedError" | "BlockingIOError" | "ChildProcessError" | "ProcessLookupError"
        | "IsADirectoryError" | "NotADirectoryError" => &["OSError", "Exception", "BaseException"],
        "ConnectionResetError" | "ConnectionRefusedError" | "ConnectionAbortedError" | "BrokenPipeError" => {
            &["ConnectionError", "OSError", "Exception", "BaseException"]
        }
        "KeyError" | "IndexError" => &["LookupError", "Exception", "BaseException"],
        "ZeroDivisionError" | "OverflowError" | "FloatingPointError" => {
            &["ArithmeticError", "Exception", "BaseException"]
        }
        "NotImplementedError" | "RecursionError" | "WorkflowInvariantError" => {
            &["RuntimeError", "Exception", "BaseException"]
        }
        "ModuleNotFoundError" => &["ImportError", "Exception", "BaseException"],
        "StateSchemaError" => &["TypeError", "Exception", "BaseException"],
        "WorkflowDataError"
        | "WorkflowConfigurationError"
        | "GraphValidationError"
        | "ValidationError"
        | "JSONDecodeError"
        | "UnicodeDecodeError"
        | "UnicodeEncodeError"
        | "SessionNotFoundError" => &["ValueError", "Exception", "BaseException"],
        "Exception" => &["BaseException"],
        _ => &["Exception", "BaseException"],
    }
}
