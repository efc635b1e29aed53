//! The calls of a session, compiled and weighed one after the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use imbl::OrdMap;
use strata_engine::turn::compaction::summarizer_model;
use strata_engine::{
    Call, Compilation, CompileError, ErrorKind, Experiment, GrownExperiment, Outcome, Stage,
};
use strata_model::{Event, LlmRequest, Part, SharedList, Str};
use strata_wire::{CacheRule, CacheRules};

use super::blame::Pair;
use super::call::CallAnalysis;
use super::call_compiler::CallCompiler;
use super::kind::Kind;
use super::ledger::Ledger;
use super::matches::{ExplicitCache, PromptTree, SentElsewhere};
use super::model_fits::ModelFits;
use super::prefix::{MatchedPrefix, PrefixEnd, common_prefix};
use super::summaries::{self, LoggedSummary, Summaries};
use super::weigh::{Counting, Scale, Weights};
use crate::tokens::Tokenizer;

/// Results of stages that are kept: some 400 bytes each.
const MAX_RESULTS: usize = 200_000;

/// Lineages whose last call's stages are kept for the next one. Those of older ones are compiled again when needed.
const KEPT_STAGES: usize = 64;

/// Calls before the last at which it is kept what is known: what a session grows by may replace its last events.
const STEPS_BACK: usize = 4;
const MAX_CHECKPOINTS: usize = 8;

/// What is known of a session's calls. It grows by [`SessionAnalysis::step`] until every call is compiled. A copy is
/// cheap, and stays as it is while the other grows.
#[derive(Clone, Default)]
pub struct SessionAnalysis {
    known: KnownCalls,
    /// What was known before some of the last calls, in their order.
    checkpoints: Vec<KnownCalls>,
    compiler: CallCompiler,
    /// What was weighed before, by model; it holds for every experiment over one session.
    weights: Arc<Mutex<HashMap<Str, Arc<Weights>>>>,
    rules: Arc<CacheRules>,
    /// How the providers of its models count. `None` before the first step.
    fits: Option<Arc<ModelFits>>,
    /// They were made from calls that are others now.
    are_fits_outdated: bool,
}

/// What is known of the first calls.
#[derive(Clone, Default)]
struct KnownCalls {
    calls: SharedList<CallAnalysis>,
    ledger: Ledger,
    models: Vec<ModelScale>,
    /// The place of the last call of each.
    lineages: imbl::HashMap<Lineage, usize>,
    /// Models that were called, as providers tell them apart.
    sent_to: Vec<Str>,
    prompts: PromptTree,
    /// Stages of the last calls of lineages, by the place of the call.
    last_stages: OrdMap<usize, Arc<Vec<Stage>>>,
    /// Those that google-adk had written; read once all calls are known.
    summaries: Summaries,
    /// Tokens of the prompt that they are asked for with.
    summary_template: u32,
}

/// Calls whose prompts a provider compares with each other.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Lineage {
    agent: Str,
    model: Str,
    branch: Option<Str>,
}

#[derive(Clone)]
struct ModelScale {
    model: Str,
    tokenizer: Tokenizer,
    weights: Arc<Weights>,
    rule: Arc<CacheRule>,
}

impl SessionAnalysis {
    /// With other rules than those that are carried along; they say in which order a provider reads prompts.
    pub fn with_rules(rules: CacheRules) -> Self {
        Self { rules: Arc::new(rules), ..Self::default() }
    }

    /// An empty one that goes on with what this one found out: for another experiment over the same session. Stages
    /// that an edit does not reach are not run again, and prompts are weighed by what is new in them.
    pub fn sharing(&self) -> Self {
        Self {
            known: KnownCalls { models: self.known.models.clone(), ..KnownCalls::default() },
            checkpoints: Vec::new(),
            compiler: self.compiler.sharing(),
            weights: self.weights.clone(),
            rules: self.rules.clone(),
            fits: self.fits.clone(),
            are_fits_outdated: self.are_fits_outdated,
        }
    }

    /// The same for a recording that begins with the same events and is another one now: what its reports tell is looked
    /// at again.
    pub fn sharing_with_another(&self) -> Self {
        Self { are_fits_outdated: true, ..self.sharing() }
    }

    /// What is known of a session that has grown, `before` being what it was: all that holds for its calls as well.
    #[must_use]
    pub fn grown(&self, before: &Experiment, grown: &GrownExperiment) -> Self {
        let same_calls = grown.same_calls;
        let is_same = |known: &&KnownCalls| known.calls.len() <= same_calls;
        let checkpoints: Vec<KnownCalls> = self.checkpoints.iter().take_while(is_same).cloned().collect();
        let known = Some(&self.known).filter(is_same).or(checkpoints.last()).cloned();
        let mut known = known.unwrap_or_default();
        known.summaries.keep(grown.kept);
        let mut after = Self {
            known,
            checkpoints,
            compiler: self.compiler.sharing(),
            weights: self.weights.clone(),
            rules: self.rules.clone(),
            fits: self.fits.clone(),
            are_fits_outdated: self.are_fits_outdated
                || self.fits.as_ref().is_some_and(|fits| fits.n_calls() > same_calls),
        };
        if !is_read_alike(before, &grown.experiment, grown.kept) {
            after.forget_weights();
        }
        after
    }

    /// Weighs everything anew from here on.
    fn forget_weights(&mut self) {
        self.weights = Arc::default();
        let known = self.checkpoints.iter_mut().chain([&mut self.known]);
        for model in known.flat_map(|known| &mut known.models) {
            let mut weights = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
            model.weights = weights.entry(model.model.clone()).or_default().clone();
        }
    }

    /// What compiles single calls of the experiment whose calls are stepped through here.
    pub fn compiler(&self) -> &CallCompiler {
        &self.compiler
    }

    /// How the providers of its models count, once the first call is looked at.
    pub fn fits(&self) -> Option<&ModelFits> {
        self.fits.as_deref()
    }

    pub fn rules(&self) -> &CacheRules {
        &self.rules
    }

    pub fn calls(&self) -> &SharedList<CallAnalysis> {
        &self.known.calls
    }

    /// The order in which the provider of a call's model reads its prompt.
    pub fn rule_of(&self, call: &CallAnalysis) -> &CacheRule {
        self.rules.of_model(&call.model)
    }

    /// The call with a number counted from 1, if it is compiled.
    pub fn call(&self, number: u32) -> Option<&CallAnalysis> {
        self.known.calls.get((number as usize).checked_sub(1)?)
    }

    /// Summaries that google-adk asks a model for by itself, once all calls are compiled.
    pub fn summaries(&self) -> &SharedList<LoggedSummary> {
        self.known.summaries.found()
    }

    /// Tokens of the prompt that these are asked for with, without what is summarised.
    pub fn summary_template_tokens(&self) -> u32 {
        self.known.summary_template
    }

    /// The model google-adk would have write summaries: the configured one, else the agent's, else the root's.
    pub(crate) fn summarizer(&self, experiment: &Experiment, agent: Option<&str>) -> Str {
        let index = experiment.index();
        let id = agent.and_then(|name| index.find(name)).or_else(|| index.ids().next());
        let configured = summarizer_model(index, id).ok().filter(|model| !model.is_empty());
        configured.unwrap_or_else(|| self.calls().first().map(|call| call.model.clone()).unwrap_or_default())
    }

    pub fn ledger(&self) -> &Ledger {
        &self.known.ledger
    }

    /// The tokenizers of the models that were called, in the order of their first call; those of the experiment whose
    /// knowledge is shared come first.
    pub fn tokenizers(&self) -> impl Iterator<Item = &Tokenizer> {
        self.known.models.iter().map(|model| &model.tokenizer)
    }

    /// How a model that was called is counted.
    pub fn tokenizer(&self, model: &str) -> Option<&Tokenizer> {
        self.tokenizers().find(|tokenizer| tokenizer.model() == model)
    }

    /// What weighs prompts to `model`. `None` for a model that no call is known to be made to.
    pub fn scale<'s>(
        &'s self,
        experiment: &'s Experiment,
        counting: &'s Counting,
        model: &str,
    ) -> Option<Scale<'s>> {
        let model = self.known.models.iter().find(|known| *known.model == *model)?;
        Some(Scale::new(&model.tokenizer, counting, experiment.log(), &model.weights))
    }

    /// Looks at the reports on as many calls as there are now. Where they tell otherwise how providers count, all calls
    /// are weighed again.
    fn refit(&mut self, experiment: &Experiment, counting: &Counting) {
        let n_calls = ModelFits::calls_looked_at(experiment);
        let is_fitted = self.fits.as_ref().is_some_and(|fits| fits.n_calls() == n_calls);
        if is_fitted && !self.are_fits_outdated {
            return;
        }
        let fits = ModelFits::of(experiment, counting);
        if self.fits.as_ref().is_some_and(|known| !known.is_same(&fits)) {
            self.known = KnownCalls::default();
            self.checkpoints.clear();
            self.weights = Arc::default();
        }
        self.fits = Some(Arc::new(fits));
        self.are_fits_outdated = false;
    }

    /// Compiles the next call. False when all are compiled.
    pub fn step(&mut self, experiment: &Experiment, counting: &Counting) -> bool {
        self.refit(experiment, counting);
        let n_calls = experiment.calls().len();
        let Some(call) = experiment.calls().get(self.known.calls.len()) else {
            self.read_summaries(experiment, counting);
            return false;
        };
        if n_calls - self.known.calls.len() <= STEPS_BACK {
            self.checkpoints.push(self.known.clone());
            self.checkpoints.drain(..self.checkpoints.len().saturating_sub(MAX_CHECKPOINTS));
        }
        let compilation = self.compiler.compile_next(experiment, call, MAX_RESULTS);
        let analysis = self.analyse(experiment, counting, call, compilation);
        self.known.calls.push(analysis);
        let goes_on = self.known.calls.len() < n_calls;
        if !goes_on {
            self.read_summaries(experiment, counting);
        }
        goes_on
    }

    fn read_summaries(&mut self, experiment: &Experiment, counting: &Counting) {
        let Some(first) = self.known.calls.first().filter(|_| summaries::are_asked_for(experiment)) else {
            return;
        };
        let Some(scale) = self.scale(experiment, counting, &first.model) else { return };
        let mut known = self.known.summaries.clone();
        known.read(experiment.log(), &scale.weigher());
        let template = scale.weigher().text(summaries::template_of(experiment)).tokens;
        (self.known.summaries, self.known.summary_template) = (known, template);
    }

    fn analyse(
        &mut self,
        experiment: &Experiment,
        counting: &Counting,
        call: &Call,
        compilation: Option<Compilation>,
    ) -> CallAnalysis {
        let compilation = compilation.unwrap_or_else(|| not_compiled(call));
        let request = compilation.working_context();
        let model = asked_model(call, &request);
        let sent_to = sent_to(call, &model);
        let at = self.model(&model, counting);
        let provider = self.provider(&sent_to);
        let ModelScale { tokenizer, weights, rule, .. } = &self.known.models[at];
        let (scale, rule) = (Scale::new(tokenizer, counting, experiment.log(), weights), rule.clone());
        let prompt = scale.prompt(&request);
        let total = prompt.total();
        let is_unpaid = call.is_unpaid();
        let request_at = |at: usize| &self.known.calls[at].request;
        let read_by = (!is_unpaid).then_some(provider);
        let mut matches = self.known.prompts.enter(read_by, (&request, &prompt), request_at, (&scale, &rule));
        matches.elsewhere = SentElsewhere::of(experiment, call.answer, &prompt);

        let lineage = Lineage {
            agent: call.invocation.agent.clone(),
            model: sent_to.clone(),
            branch: call.invocation.branch.clone(),
        };
        let previous = if is_unpaid {
            self.known.lineages.get(&lineage).copied()
        } else {
            self.known.lineages.insert(lineage, self.known.calls.len())
        };
        let previous = previous.map(|at| &self.known.calls[at]);
        let common = previous.map(|previous| common_prefix(&rule, &previous.request, &request));
        let matched = common.map(|common| common.weigh(&scale, &request, &prompt));
        let said =
            |call: &Call| experiment.session().events.get(call.answer.as_usize())?.cache_metadata.as_deref();
        let before = previous.and_then(|previous| said(experiment.call(previous.number)?));
        matches.explicit = ExplicitCache::of(said(call), before, &prompt);
        let known_stages = previous.and_then(|previous| self.known.last_stages.remove(&previous.place()));
        let prefix_break = previous.zip(common).zip(matched).and_then(|((previous, common), matched)| {
            if common.ends_in == PrefixEnd::Whole {
                return None;
            }
            let earlier = experiment.call(previous.number)?;
            let stages = known_stages
                .or_else(|| Some(Arc::new(experiment.compile(earlier, &mut self.compiler.stages())?.stages)));
            let stages = (&stages.unwrap_or_default()[..], &compilation.stages[..]);
            let pair = Pair {
                experiment,
                earlier: (earlier, &previous.request),
                later: (call, &request),
                stages,
                rule: &rule,
            };
            pair.find_break(&common, matched.tokens)
        });
        // A prompt that has shrunk pays for no more than it holds.
        let rebilled = |previous: &CallAnalysis, matched: MatchedPrefix| {
            previous.total.tokens.min(total.tokens).saturating_sub(matched.tokens)
        };
        self.known.ledger.enter(call.number, &prompt, common.as_ref().zip(matched));
        CallAnalysis {
            number: call.number,
            is_unpaid,
            is_pending: call.is_pending,
            total,
            overhead: prompt.overhead().tokens,
            by_kind: prompt.by_kind(),
            previous: previous.map(|previous| previous.number),
            rebilled: match (&prefix_break, previous, matched) {
                (Some(_), Some(previous), Some(matched)) => rebilled(previous, matched),
                _ => 0,
            },
            matched: matched.unwrap_or_default(),
            prefix_break,
            matches,
            reused_stages: compilation.reused_stages(),
            stage_errors: compilation.errors(),
            gaps: compilation.gaps(),
            outcome: {
                self.known.last_stages.insert(self.known.calls.len(), Arc::new(compilation.stages));
                if self.known.last_stages.len() > KEPT_STAGES {
                    self.known.last_stages = self.known.last_stages.without_min().1;
                }
                compilation.outcome
            },
            model,
            sent_to,
            request,
        }
    }

    fn provider(&mut self, sent_to: &Str) -> usize {
        self.known.sent_to.iter().position(|known| known == sent_to).unwrap_or_else(|| {
            self.known.sent_to.push(sent_to.clone());
            self.known.sent_to.len() - 1
        })
    }

    fn model(&mut self, model: &Str, counting: &Counting) -> usize {
        self.known.models.iter().position(|known| known.model == *model).unwrap_or_else(|| {
            let own = self.fits.as_ref().map(|fits| fits.tokenizer(model, counting));
            let tokenizer = own.unwrap_or_else(|| counting.tokenizer(model));
            let rule = self.rules.of_model(model).clone();
            let mut weights = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
            let weights = weights.entry(model.clone()).or_default().clone();
            self.known.models.push(ModelScale { model: model.clone(), tokenizer, weights, rule });
            self.known.models.len() - 1
        })
    }
}

impl CallAnalysis {
    fn place(&self) -> usize {
        self.number as usize - 1
    }
}

/// Whether what events say counts as the same kind of thing in two sessions, for all events behind the first `kept` that
/// are in both: prompts are weighed by what they say and by the numbers of events.
fn is_read_alike(before: &Experiment, after: &Experiment, kept: usize) -> bool {
    let pairs =
        before.log().events().range(kept..usize::MAX).zip(after.log().events().range(kept..usize::MAX));
    let kind = |event: &Event, part: &Arc<Part>| Kind::of_event_part(event, Some(part));
    pairs.into_iter().all(|(a, b)| {
        let (a, b) = (&*a.event, &*b.event);
        let mut parts = a.parts().iter().zip(b.parts());
        Kind::of_event_part(a, None) == Kind::of_event_part(b, None)
            && parts.all(|(x, y)| kind(a, x) == kind(b, y))
    })
}

/// The model that a prompt is made for.
pub fn asked_model(call: &Call, request: &LlmRequest) -> Str {
    request.model.clone().or_else(|| call.model.clone()).unwrap_or_default()
}

/// The model that answered, unless its name is only a longer one of the model that was asked.
fn sent_to(call: &Call, asked: &Str) -> Str {
    let bare = asked.rsplit('/').next().unwrap_or_default();
    let is_version = |rest: &str| rest.bytes().filter(u8::is_ascii_digit).count() > 2 || rest.is_empty();
    match &call.model {
        // Names in angle brackets are no models: a client wrote the answer itself.
        Some(answered) if answered.starts_with('<') => asked.clone(),
        Some(answered) if answered.strip_prefix(bare).is_some_and(is_version) => asked.clone(),
        Some(answered) => answered.clone(),
        None => asked.clone(),
    }
}

/// The call of an agent that the configuration does not have.
fn not_compiled(call: &Call) -> Compilation {
    let agent = &call.invocation.agent;
    let error = CompileError::new(
        ErrorKind::ValueError,
        format!("The configuration has no agent called {agent}."),
        "Add the agent to the configuration, or go back to the inferred one.",
    );
    Compilation {
        stages: Vec::new(),
        outcome: Outcome::Failed { processor: "".into(), error },
        violations: Vec::new(),
    }
}
