//! Running a flow: from the frozen inputs of a call to its working context.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use strata_model::{Diagnostic, EventIndex, Fingerprint, Gap, LlmRequest, Object, Severity, Str};

use crate::artifacts::SavedArtifacts;
use crate::context::{CompileContext, Services};
use crate::error::CompileError;
use crate::flow::{Flow, OrderViolation, Step};
use crate::log::LoggedEvent;
use crate::processor::{AnyProcessor, EarlyEnd, Phase, StageOutput};
use crate::sections::{self, Sections};
use crate::turn::tool_calls::is_final;

/// A processor's result.
#[derive(Debug, Clone)]
pub struct Stage {
    pub processor: Str,
    /// The request as the processor left it.
    pub request: LlmRequest,
    pub changed: Sections,
    /// Taken from the cache instead of being computed.
    pub is_reused: bool,
    /// False for a processor that is switched off and did not run.
    pub is_enabled: bool,
    /// No processor's work, but what was really sent.
    pub recorded: Option<RecordedStage>,
    pub output: Arc<StageOutput>,
}

/// How a stage stands to a request that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedStage {
    /// It is that request.
    AsSent,
    /// It is that request with what edits change of it.
    Edited,
}

/// All stages of one call.
#[derive(Debug, Clone)]
pub struct Compilation {
    pub stages: Vec<Stage>,
    pub outcome: Outcome,
    pub violations: Vec<OrderViolation>,
}

impl Compilation {
    /// The request as the last stage left it: what was sent.
    pub fn working_context(&self) -> LlmRequest {
        self.stages.last().map(|stage| stage.request.clone()).unwrap_or_default()
    }

    /// Stages whose result was known, a bit each, the first stage in the lowest.
    pub fn reused_stages(&self) -> u64 {
        let stages = self.stages.iter().take(64).enumerate();
        stages.filter(|(_, stage)| stage.is_reused).map(|(at, _)| 1 << at).sum()
    }

    /// How the working context stands to a recorded request; `None` where there is none.
    pub fn recorded(&self) -> Option<RecordedStage> {
        self.stages.last()?.recorded
    }

    /// What stages say that could not do their work.
    pub fn errors(&self) -> Vec<Diagnostic> {
        let said = self.stages.iter().flat_map(|stage| &stage.output.diagnostics);
        said.filter(|said| said.severity == Severity::Error).cloned().collect()
    }

    /// What stages would have put into the request and nobody knows.
    pub fn gaps(&self) -> BTreeSet<Gap> {
        self.stages.iter().flat_map(|stage| &stage.output.gaps).copied().collect()
    }

    pub fn stage(&self, processor: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| &*stage.processor == processor)
    }
}

/// How a compile ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The model is called with the working context.
    Request,
    /// A processor ended the run, or a callback answered.
    Early(EarlyEnd),
    /// The named processor failed. The stages before it are there.
    Failed { processor: Str, error: CompileError },
}

/// Results of stages under the keys of what they depend on.
#[derive(Debug, Clone, Default)]
pub struct StageCache {
    results: HashMap<Fingerprint, CachedStage>,
    generation: u64,
}

#[derive(Debug, Clone)]
struct CachedStage {
    request: LlmRequest,
    written: Sections,
    output: Arc<StageOutput>,
    made_in: u64,
    used_in: u64,
}

/// Results unused for this many generations are dropped.
const KEPT_GENERATIONS: u64 = 4;

impl StageCache {
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a new generation, usually an edit and everything that is compiled after it, and forgets results that
    /// the last few generations did not use.
    pub fn next_generation(&mut self) {
        self.generation += 1;
        let oldest = self.generation.saturating_sub(KEPT_GENERATIONS);
        self.results.retain(|_, cached| cached.used_in >= oldest);
    }

    /// Forgets results once there are more than `most`: those that neither this nor the last generation used, and all
    /// of them where that does not help much.
    pub fn limit(&mut self, most: usize) {
        if self.results.len() <= most {
            return;
        }
        let oldest = self.generation.saturating_sub(1);
        self.results.retain(|_, cached| cached.used_in >= oldest);
        if self.results.len() > most - most / 4 {
            self.results.clear();
        }
    }

    /// Forgets what this generation made, where that is more than `most`: what was only tried is seldom asked for again, and
    /// of a long session it is much.
    pub fn forget_latest(&mut self, most: usize) {
        let is_latest = |cached: &CachedStage| cached.made_in == self.generation;
        if self.results.values().filter(|cached| is_latest(cached)).count() > most {
            self.results.retain(|_, cached| !is_latest(cached));
        }
    }

    pub fn len(&self) -> usize {
        self.results.len()
    }

    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }
}

/// Compiles one call. Results of stages are taken from `cache` where nothing they depend on has changed.
pub fn compile(flow: &Flow, context: &CompileContext<'_>, cache: &mut StageCache) -> Compilation {
    let mut run = CompileRun::new();
    let mut outcome = Outcome::Request;
    for step in flow.steps() {
        if step.is_enabled && run.is_answered && step.processor.phase() == Phase::Call {
            outcome = Outcome::Early(EarlyEnd::Ended);
            break;
        }
        match run.step(step, context, cache) {
            Ok(None) => {}
            Ok(Some(end)) => {
                outcome = Outcome::Early(end);
                break;
            }
            Err(error) => {
                outcome = Outcome::Failed { processor: step.processor.name().into(), error };
                break;
            }
        }
    }
    run.finish(flow, outcome)
}

/// A compile that goes step by step, so that work can be done between two steps: each step may see another context.
#[derive(Debug, Default)]
pub struct CompileRun {
    request: LlmRequest,
    /// State that stages have written.
    state: Option<Object>,
    emitted: Vec<LoggedEvent>,
    /// With what stages have saved.
    services: Option<Services>,
    /// An event of a stage needs no further words of the model.
    is_answered: bool,
    stages: Vec<Stage>,
}

impl CompileRun {
    pub fn new() -> Self {
        Self::default()
    }

    /// The request as the last stage left it.
    pub fn request(&self) -> &LlmRequest {
        &self.request
    }

    /// Puts a stage that code from outside made behind the others.
    pub fn add_stage(&mut self, name: &str, request: LlmRequest) {
        let changed = sections::changed(&self.request, &request);
        let note = if changed.is_empty() { "left the request as it was" } else { "edited the request" };
        self.request = request.clone();
        self.stages.push(Stage {
            processor: name.into(),
            request,
            changed,
            is_reused: false,
            is_enabled: true,
            recorded: None,
            output: Arc::new(StageOutput { note: note.into(), ..StageOutput::default() }),
        });
    }

    pub fn n_stages(&self) -> usize {
        self.stages.len()
    }

    /// What the last stage gave besides the request.
    pub fn last_output(&self) -> Option<&Arc<StageOutput>> {
        self.stages.last().map(|stage| &stage.output)
    }

    pub fn finish(self, flow: &Flow, outcome: Outcome) -> Compilation {
        Compilation { stages: self.stages, outcome, violations: flow.violations() }
    }

    fn skip(&mut self, processor: &dyn AnyProcessor) {
        self.stages.push(Stage {
            processor: processor.name().into(),
            request: self.request.clone(),
            changed: Sections::empty(),
            is_reused: true,
            is_enabled: false,
            recorded: None,
            output: Arc::new(StageOutput { note: "switched off".to_owned(), ..StageOutput::default() }),
        });
    }

    /// Runs one step. What it gave is the last stage; `Some`: no model is called after all.
    pub fn step(
        &mut self,
        step: &Step,
        context: &CompileContext<'_>,
        cache: &mut StageCache,
    ) -> Result<Option<EarlyEnd>, CompileError> {
        let processor = &*step.processor;
        if !step.is_enabled {
            self.skip(processor);
            return Ok(None);
        }
        let given = context;
        let context = CompileContext {
            events: context.events.followed_by(&self.emitted),
            state: self.state.as_ref().map_or(context.state, |written| context.state.overlaid(written)),
            services: self.services.as_ref().unwrap_or(context.services),
            ..context.clone()
        };
        let stage = stage(processor, &context, &self.request, cache)?;
        self.request = stage.request.clone();
        if !stage.output.state_delta.is_empty() {
            self.state.get_or_insert_default().update(&stage.output.state_delta);
        }
        let saved = &stage.output.saved_artifacts;
        if !saved.is_empty() {
            self.services = Some(with_saved(self.services.as_ref().unwrap_or(given.services), saved));
        }
        let end = stage.output.end.clone();
        for event in &stage.output.emitted {
            if !event.actions.state_delta.is_empty() {
                self.state.get_or_insert_default().update(&event.actions.state_delta);
            }
            self.is_answered |= is_final(event);
            // Such an event is stored behind those the call sees, and later stages already speak of it there.
            let n_stored = given.events.iter().filter(|logged| logged.index.is_some()).count();
            let index = EventIndex((n_stored + self.emitted.len()) as u32);
            self.emitted.push(LoggedEvent::new(event.clone(), Some(index)));
        }
        self.stages.push(stage);
        Ok(end)
    }
}

fn with_saved(services: &Services, saved: &SavedArtifacts) -> Services {
    let artifacts = services.artifacts.as_ref();
    let artifacts = artifacts.map(|artifacts| Arc::new(artifacts.with_all_saved(saved.clone())));
    Services { artifacts, ..services.clone() }
}

fn stage(
    processor: &dyn AnyProcessor,
    context: &CompileContext<'_>,
    before: &LlmRequest,
    cache: &mut StageCache,
) -> Result<Stage, CompileError> {
    let key = processor.key(context, before);
    let mut request = before.clone();
    if let Some(cached) = cache.results.get_mut(&key) {
        cached.used_in = cache.generation;
        sections::copy(&cached.request, &mut request, cached.written);
        let (changed, output) = (cached.written, cached.output.clone());
        let processor = processor.name().into();
        return Ok(Stage {
            processor,
            request,
            changed,
            is_reused: true,
            is_enabled: true,
            recorded: None,
            output,
        });
    }
    let mut output = StageOutput::default();
    processor.run(context, &mut request, &mut output)?;
    let changed = sections::changed(before, &request);
    let output = Arc::new(output);
    let cached = CachedStage {
        request: request.clone(),
        written: changed,
        output: output.clone(),
        made_in: cache.generation,
        used_in: cache.generation,
    };
    // Whether a script is done in time is chance: the next compile may have more luck.
    let is_by_chance = cached.output.script_failure.as_ref().is_some_and(|failure| failure.code == "time");
    if !is_by_chance {
        cache.results.insert(key, cached);
    }
    let processor = processor.name().into();
    Ok(Stage { processor, request, changed, is_reused: false, is_enabled: true, recorded: None, output })
}
