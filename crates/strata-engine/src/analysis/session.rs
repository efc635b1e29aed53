//! The calls of a session, compiled and weighed one after the other.

use std::collections::HashMap;

use strata_model::{LlmRequest, Str};

use super::blame::{Pair, PrefixBreak};
use super::ledger::Ledger;
use super::prefix::{Matched, common_prefix};
use super::weigh::{ByKind, Counting, Scale, Weights};
use crate::calls::Call;
use crate::compile::{Compilation, Outcome, StageCache};
use crate::error::{CompileError, ErrorKind};
use crate::experiment::Experiment;
use crate::tokens::{TokenCount, Tokenizer};

/// Calls between two clean-ups of the stage cache: results that no later call used are forgotten.
const CALLS_PER_GENERATION: usize = 512;

/// A compiled call.
pub struct CallAnalysis {
    /// C1 is number 1.
    pub number: u32,
    pub model: Str,
    /// What the model is sent, as far as it was compiled.
    pub request: LlmRequest,
    pub total: TokenCount,
    pub overhead: u32,
    /// Without the overhead.
    pub by_kind: ByKind,
    /// The call before it in its lineage: the same agent, model and branch.
    pub previous: Option<u32>,
    /// What it shares with the prompt of that call.
    pub matched: Matched,
    pub prefix_break: Option<PrefixBreak>,
    /// Tokens of the earlier prompt that are sent again after the break.
    pub rebilled: u32,
    /// Stages whose result was known, a bit each, the first stage in the lowest.
    pub reused_stages: u64,
    pub outcome: Outcome,
}

/// What is known of a session's calls. It grows by [`SessionAnalysis::step`] until every call is compiled.
#[derive(Default)]
pub struct SessionAnalysis {
    calls: Vec<CallAnalysis>,
    ledger: Ledger,
    models: Vec<ModelScale>,
    lineages: HashMap<Lineage, usize>,
    stages: StageCache,
}

/// Calls whose prompts a provider compares with each other.
#[derive(PartialEq, Eq, Hash)]
struct Lineage {
    agent: Str,
    model: Str,
    branch: Option<Str>,
}

struct ModelScale {
    model: Str,
    tokenizer: Tokenizer,
    weights: Weights,
}

impl SessionAnalysis {
    pub fn calls(&self) -> &[CallAnalysis] {
        &self.calls
    }

    /// The call with a number counted from 1, if it is compiled.
    pub fn call(&self, number: u32) -> Option<&CallAnalysis> {
        self.calls.get((number as usize).checked_sub(1)?)
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The tokenizers of the models that were called, in the order of their first call.
    pub fn tokenizers(&self) -> impl Iterator<Item = &Tokenizer> {
        self.models.iter().map(|model| &model.tokenizer)
    }

    /// What weighs prompts to `model`. `None` for a model that no compiled call is made to.
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
        if self.calls.len().is_multiple_of(CALLS_PER_GENERATION) {
            self.stages.next_generation();
        }
        let compilation = experiment.compile(call, &mut self.stages);
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
        let model = request.model.clone().or_else(|| call.model.clone()).unwrap_or_default();
        let at = self.model(&model);
        let scale =
            Scale::new(&self.models[at].tokenizer, counting, experiment.log(), &self.models[at].weights);
        let prompt = scale.prompt(&request);
        let total = prompt.total();

        let lineage = Lineage {
            agent: call.invocation.agent.clone(),
            model: model.clone(),
            branch: call.invocation.branch.clone(),
        };
        let previous = self.lineages.insert(lineage, self.calls.len()).map(|at| &self.calls[at]);
        let common = previous.map(|previous| common_prefix(&previous.request, &request));
        let matched = common.map(|common| common.weigh(&scale, &request, &prompt));
        let prefix_break = previous.zip(common).and_then(|(previous, common)| {
            let earlier = (experiment.call(previous.number)?, &previous.request);
            Pair { experiment, earlier, later: (call, &request) }.find_break(&common)
        });
        let rebilled =
            |previous: &CallAnalysis, matched: Matched| previous.total.tokens.saturating_sub(matched.tokens);
        self.ledger.enter(call.number, &prompt, common.as_ref().zip(matched));
        CallAnalysis {
            number: call.number,
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
            reused_stages: reused(&compilation),
            outcome: compilation.outcome,
            model,
            request,
        }
    }

    fn model(&mut self, model: &Str) -> usize {
        self.models.iter().position(|known| known.model == *model).unwrap_or_else(|| {
            let tokenizer = Tokenizer::of_model(model);
            self.models.push(ModelScale { model: model.clone(), tokenizer, weights: Weights::default() });
            self.models.len() - 1
        })
    }
}

fn reused(compilation: &Compilation) -> u64 {
    let stages = compilation.stages.iter().take(64).enumerate();
    stages.filter(|(_, stage)| stage.is_reused).map(|(at, _)| 1 << at).sum()
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
