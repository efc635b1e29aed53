//! The calls of a session, compiled and weighed one after the other.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use strata_engine::{Call, Compilation, CompileError, ErrorKind, Experiment, Outcome, Stage};
use strata_model::{LlmRequest, Str};
use strata_wire::{CacheRules, PrefixOrder};

use super::blame::Pair;
use super::call::CallAnalysis;
use super::call_compiler::CallCompiler;
use super::ledger::Ledger;
use super::matches::{ExplicitCache, PromptMatches, PromptTree};
use super::prefix::{Matched, PrefixEnd, common_prefix_in};
use super::weigh::{Counting, Scale, Weights};
use crate::tokens::Tokenizer;

/// Results of stages that are kept: some 400 bytes each.
const MAX_RESULTS: usize = 200_000;

/// Lineages whose last call's stages are kept for the next one. Those of older ones are compiled again when needed.
const KEPT_STAGES: usize = 64;

/// What is known of a session's calls. It grows by [`SessionAnalysis::step`] until every call is compiled.
#[derive(Default)]
pub struct SessionAnalysis {
    calls: Vec<CallAnalysis>,
    ledger: Ledger,
    models: Vec<ModelScale>,
    lineages: HashMap<Lineage, usize>,
    /// Models that were called, as providers tell them apart.
    sent_to: Vec<Str>,
    prompts: PromptTree,
    /// Stages of the last calls of lineages, by the place of the call.
    last_stages: BTreeMap<usize, Vec<Stage>>,
    compiler: CallCompiler,
    /// What was weighed before, by model; it holds for every experiment over one session.
    weights: Arc<Mutex<HashMap<Str, Arc<Weights>>>>,
    rules: CacheRules,
}

/// Calls whose prompts a provider compares with each other.
#[derive(PartialEq, Eq, Hash)]
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
    order: PrefixOrder,
}

impl SessionAnalysis {
    /// With other rules than those that are carried along; they say in which order a provider reads prompts.
    pub fn with_rules(rules: CacheRules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// An empty one that goes on with what this one found out: for another experiment over the same session. Stages
    /// that an edit does not reach are not run again, and prompts are weighed by what is new in them.
    pub fn sharing(&self) -> Self {
        Self {
            compiler: self.compiler.sharing(),
            models: self.models.clone(),
            weights: self.weights.clone(),
            rules: self.rules.clone(),
            ..Self::default()
        }
    }

    /// What compiles single calls of the experiment whose calls are stepped through here.
    pub fn compiler(&self) -> &CallCompiler {
        &self.compiler
    }

    pub fn rules(&self) -> &CacheRules {
        &self.rules
    }

    pub fn calls(&self) -> &[CallAnalysis] {
        &self.calls
    }

    /// The order in which the provider of a call's model reads its prompt.
    pub fn order_of(&self, call: &CallAnalysis) -> PrefixOrder {
        self.rules.of_model(&call.model).order
    }

    /// The call with a number counted from 1, if it is compiled.
    pub fn call(&self, number: u32) -> Option<&CallAnalysis> {
        self.calls.get((number as usize).checked_sub(1)?)
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The tokenizers of the models that were called, in the order of their first call; those of the experiment whose
    /// knowledge is shared come first.
    pub fn tokenizers(&self) -> impl Iterator<Item = &Tokenizer> {
        self.models.iter().map(|model| &model.tokenizer)
    }

    /// What weighs prompts to `model`. `None` for a model that no call is known to be made to.
    pub fn scale<'s>(
        &'s self,
        experiment: &'s Experiment,
        counting: &'s Counting,
        model: &str,
    ) -> Option<Scale<'s>> {
        let model = self.models.iter().find(|known| *known.model == *model)?;
        Some(Scale::new(&model.tokenizer, counting, experiment.log(), &model.weights))
    }

    /// Compiles the next call. False when all are compiled.
    pub fn step(&mut self, experiment: &Experiment, counting: &Counting) -> bool {
        let Some(call) = experiment.calls().get(self.calls.len()) else { return false };
        let compilation = self.compiler.compile_next(experiment, call, MAX_RESULTS);
        let analysis = self.analyse(experiment, counting, call, compilation);
        self.calls.push(analysis);
        self.calls.len() < experiment.calls().len()
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
        let at = self.model(&model);
        let provider = self.provider(&sent_to);
        let ModelScale { tokenizer, weights, order, .. } = &self.models[at];
        let (scale, order) = (Scale::new(tokenizer, counting, experiment.log(), weights), *order);
        let prompt = scale.prompt(&request);
        let total = prompt.total();
        let is_unpaid = call.is_unpaid();
        let mut matches = if is_unpaid {
            self.prompts.pass();
            PromptMatches::alone(&request, &prompt)
        } else {
            self.prompts.enter(provider, (&request, &prompt), |at| &self.calls[at].request, (&scale, order))
        };

        let lineage = Lineage {
            agent: call.invocation.agent.clone(),
            model: sent_to.clone(),
            branch: call.invocation.branch.clone(),
        };
        let previous = if is_unpaid {
            self.lineages.get(&lineage).copied()
        } else {
            self.lineages.insert(lineage, self.calls.len())
        };
        let previous = previous.map(|at| &self.calls[at]);
        let common = previous.map(|previous| common_prefix_in(order, &previous.request, &request));
        let matched = common.map(|common| common.weigh(&scale, &request, &prompt));
        let said =
            |call: &Call| experiment.session().events.get(call.answer.as_usize())?.cache_metadata.as_deref();
        let before = previous.and_then(|previous| said(experiment.call(previous.number)?));
        matches.explicit = ExplicitCache::of(said(call), before, &prompt);
        let known_stages = previous.and_then(|previous| self.last_stages.remove(&previous.place()));
        let prefix_break = previous.zip(common).zip(matched).and_then(|((previous, common), matched)| {
            if common.ends_in == PrefixEnd::Whole {
                return None;
            }
            let earlier = experiment.call(previous.number)?;
            let stages = known_stages
                .or_else(|| Some(experiment.compile(earlier, &mut self.compiler.stages())?.stages));
            let stages = (&stages.unwrap_or_default()[..], &compilation.stages[..]);
            let pair =
                Pair { experiment, earlier: (earlier, &previous.request), later: (call, &request), stages };
            pair.find_break(&common, matched.tokens)
        });
        // A prompt that has shrunk pays for no more than it holds.
        let rebilled = |previous: &CallAnalysis, matched: Matched| {
            previous.total.tokens.min(total.tokens).saturating_sub(matched.tokens)
        };
        self.ledger.enter(call.number, &prompt, common.as_ref().zip(matched));
        CallAnalysis {
            number: call.number,
            is_unpaid,
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
            outcome: {
                self.last_stages.insert(self.calls.len(), compilation.stages);
                if self.last_stages.len() > KEPT_STAGES {
                    self.last_stages.pop_first();
                }
                compilation.outcome
            },
            model,
            sent_to,
            request,
        }
    }

    fn provider(&mut self, sent_to: &Str) -> usize {
        self.sent_to.iter().position(|known| known == sent_to).unwrap_or_else(|| {
            self.sent_to.push(sent_to.clone());
            self.sent_to.len() - 1
        })
    }

    fn model(&mut self, model: &Str) -> usize {
        self.models.iter().position(|known| known.model == *model).unwrap_or_else(|| {
            let tokenizer = Tokenizer::of_model(model);
            let order = self.rules.of_model(model).order;
            let mut weights = self.weights.lock().unwrap_or_else(PoisonError::into_inner);
            let weights = weights.entry(model.clone()).or_default().clone();
            self.models.push(ModelScale { model: model.clone(), tokenizer, weights, order });
            self.models.len() - 1
        })
    }
}

impl CallAnalysis {
    fn place(&self) -> usize {
        self.number as usize - 1
    }
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
