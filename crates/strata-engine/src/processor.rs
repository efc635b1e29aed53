//! The one kind of step a request is compiled by.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;

use strata_model::{
    Diagnostic, Event, EventIndex, Fingerprint, FingerprintBuilder, FunctionCall, Gap, LlmRequest, Object,
    Str,
};

use crate::artifacts::SavedArtifacts;
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::script_host::{ScriptFailure, ScriptLine};
use crate::sections::{self, Sections};
use crate::turn::compaction::CompactionCheck;

/// One ordered step of a [`crate::Flow`].
///
/// `process` sees neither the processor nor the context: only its declared inputs and the request. So the inputs,
/// with the sections the processor reads, are the whole key under which its result may be used again.
pub trait Processor: Send + Sync + 'static {
    /// Everything `process` may look at besides the request.
    type Inputs<'c>: Hash;

    fn name(&self) -> &str;

    /// Processors that have to run before this one. A violation is reported; the flow still compiles.
    fn after(&self) -> &'static [&'static str] {
        &[]
    }

    /// The sections of the request whose content matters to the result.
    fn reads(&self) -> Sections;

    /// When it runs.
    fn phase(&self) -> Phase {
        Phase::Assembly
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Self::Inputs<'c>;

    fn process(
        inputs: Self::Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError>;
}

/// The two parts of making a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Putting the request together.
    Assembly,
    /// The model is about to be called: plugins, callbacks, the call itself.
    Call,
}

/// What comes of a stage besides the request.
#[derive(Debug, Clone, Default)]
pub struct StageOutput {
    /// One line on what was done, or why nothing was: "template with {hits}", "no planner".
    pub note: String,
    pub diagnostics: Vec<Diagnostic>,
    /// Events the stage adds to the session before the call.
    pub emitted: Vec<Arc<Event>>,
    /// State the stage writes.
    pub state_delta: Object,
    /// The model is not called after all.
    pub end: Option<EarlyEnd>,
    /// Memories looked up on the way: `(query, ranks found)`.
    pub memory_searches: Vec<MemorySearch>,
    /// What the stage would have put into the request and nobody knows: each is said in a diagnostic too.
    pub gaps: BTreeSet<Gap>,
    /// The check of the token trigger.
    pub compaction: Option<CompactionCheck>,
    /// Artifacts that tools saved.
    pub saved_artifacts: SavedArtifacts,
    /// Calls that have to be run before this request can be made, and whose results were not given.
    pub awaited_calls: Vec<FunctionCall>,
    /// What a script wrote to the console.
    pub console: Vec<ScriptLine>,
    /// Edited events that recorded code wrote contents from: it is not known what it would have made of the edits.
    pub unreached_edits: BTreeSet<EventIndex>,
    /// Why a script gave no request.
    pub script_failure: Option<ScriptFailure>,
}

impl StageOutput {
    pub fn note(&mut self, note: impl Into<String>) {
        self.note = note.into();
    }
}

/// A search in memory made by a processor.
#[derive(Debug, Clone, PartialEq)]
pub struct MemorySearch {
    pub query: String,
    pub found: Vec<crate::memory::MemoryEntry>,
}

/// Why no model is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EarlyEnd {
    /// A processor ended the run.
    Ended,
    /// A callback answered instead.
    Answered { text: Str },
}

/// A processor in a flow, whatever its inputs are.
pub trait AnyProcessor: Send + Sync {
    fn name(&self) -> &str;
    fn after(&self) -> &'static [&'static str];
    fn phase(&self) -> Phase;
    /// Identifies everything the result depends on.
    fn key(&self, context: &CompileContext<'_>, request: &LlmRequest) -> Fingerprint;
    fn run(
        &self,
        context: &CompileContext<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError>;
}

impl<P: Processor> AnyProcessor for P {
    fn name(&self) -> &str {
        Processor::name(self)
    }

    fn after(&self) -> &'static [&'static str] {
        Processor::after(self)
    }

    fn phase(&self) -> Phase {
        Processor::phase(self)
    }

    fn key(&self, context: &CompileContext<'_>, request: &LlmRequest) -> Fingerprint {
        let mut hash = FingerprintBuilder::new();
        hash.text(Processor::name(self));
        self.inputs(context).hash(&mut hash);
        hash.fingerprint(sections::fingerprint(request, self.reads()));
        hash.finish()
    }

    fn run(
        &self,
        context: &CompileContext<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        P::process(self.inputs(context), request, output)
    }
}

/// A value that is hashed by a fingerprint made once, for inputs too large to hash at every compile.
pub(crate) struct Fingerprinted<T> {
    pub value: T,
    pub fingerprint: Fingerprint,
}

impl<T> Hash for Fingerprinted<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.fingerprint.hash(state);
    }
}
