//! A kind of processor that experiments can put into a flow.

use std::sync::Arc;

use strata_model::Str;

use super::params::{ParamSpec, Params};
use crate::processor::AnyProcessor;
use crate::script_host::ScriptHost;

/// A kind of processor that can be inserted.
pub struct ProcessorKind {
    /// A stable name, which edits use.
    pub name: &'static str,
    /// What it is called in lists.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    pub params: &'static [ParamSpec],
    /// The processor it stands before, unless an edit says otherwise.
    pub place: &'static str,
    pub(crate) build: Build,
}

/// Makes a processor of its name, its checked parameters and what runs scripts, if there is that.
pub(crate) type Build =
    fn(Str, &Params, Option<&Arc<dyn ScriptHost>>) -> Result<Arc<dyn AnyProcessor>, String>;
