//! Processors that an experiment can put into a flow, with what can be set about each.

use std::sync::Arc;

use strata_model::{Object, Str};

use super::inserted;
use super::kind::ProcessorKind;
use super::params::Params;
use crate::processor::AnyProcessor;
use crate::script_host::ScriptHost;

/// All kinds of processors, in the order of lists.
pub const PROCESSOR_KINDS: &[&ProcessorKind] = inserted::KINDS;

/// What edits can insert, and what runs scripts.
#[derive(Clone, Default)]
pub struct Catalog {
    script_host: Option<Arc<dyn ScriptHost>>,
}

impl Catalog {
    /// Without anything that runs scripts: a script then is a stage that says so.
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with_scripts(host: Arc<dyn ScriptHost>) -> Self {
        Self { script_host: Some(host) }
    }

    pub fn script_host(&self) -> Option<&Arc<dyn ScriptHost>> {
        self.script_host.as_ref()
    }

    pub fn kind(&self, name: &str) -> Option<&'static ProcessorKind> {
        PROCESSOR_KINDS.iter().find(|kind| kind.name == name).copied()
    }

    /// The processor that one of this kind stands before.
    pub(crate) fn place(&self, kind: &str) -> &'static str {
        self.kind(kind).map_or("model_call", |kind| kind.place)
    }

    /// Makes a processor. An error says what of the parameters does not fit, and what would.
    pub(crate) fn build(
        &self,
        kind: &str,
        name: &Str,
        params: &Object,
    ) -> Result<Arc<dyn AnyProcessor>, String> {
        let Some(kind) = self.kind(kind) else {
            let names: Vec<&str> = PROCESSOR_KINDS.iter().map(|kind| kind.name).collect();
            return Err(format!("There is no kind of processor `{kind}`. Kinds: {}.", names.join(", ")));
        };
        let params = Params::read(kind.name, kind.params, params)?;
        (kind.build)(name.clone(), &params, self.script_host.as_ref())
    }
}
