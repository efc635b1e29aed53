//! How the providers of a session's models count, as their reports on its calls tell.

use std::collections::HashMap;
use std::sync::Arc;

use strata_engine::{Call, Experiment};
use strata_model::{Event, Origin, RequestContent, RequestPart, Str};

use super::weigh::Counting;
use crate::tokens::{Growth, Sizes, TokenFit, Tokenizer, Weigher, bare_name};

/// Later calls change no fit any more: what they would add to it is less than it is off.
const MAX_CALLS: usize = 1_000;
const FIRST_CALLS: usize = 8;

/// The fits of the models of one session. A pure function of what was recorded: edits that are laid over it change none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelFits {
    by_model: Vec<(String, Arc<TokenFit>)>,
    n_calls: usize,
}

/// What prompts to one model grew by.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelGrowths {
    /// As the provider calls it, or as it was asked for.
    pub model: String,
    pub growths: Vec<Growth>,
}

impl ModelFits {
    /// From [`Self::calls_looked_at`] of what was recorded.
    pub(super) fn of(experiment: &Experiment, counting: &Counting) -> Self {
        let n_calls = Self::calls_looked_at(experiment);
        let growths = model_growths(experiment, counting).into_iter();
        let fits = growths.filter_map(|of_model| {
            Some((bare_name(&of_model.model), Arc::new(TokenFit::of(&of_model.growths)?)))
        });
        Self { by_model: fits.collect(), n_calls }
    }

    /// How many of its first calls a session's fits are made from. That changes only when it has a quarter more: else
    /// each call that is added would change the counts of all calls before it.
    pub(super) fn calls_looked_at(experiment: &Experiment) -> usize {
        let n_calls = recorded(experiment).calls().len().min(MAX_CALLS);
        let mut n_looked_at = 0;
        let mut next = FIRST_CALLS;
        while next <= n_calls {
            n_looked_at = next;
            next = (next + next / 4).min(MAX_CALLS.max(next + 1));
        }
        n_looked_at
    }

    pub(super) fn n_calls(&self) -> usize {
        self.n_calls
    }

    /// Whether they count alike, however many calls they were made from.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.by_model == other.by_model
    }

    pub fn of_model(&self, model: &str) -> Option<Arc<TokenFit>> {
        let bare_name = bare_name(model);
        self.by_model.iter().find(|(known, _)| *known == bare_name).map(|(_, fit)| fit.clone())
    }
}

/// What the prompts of a recording grew by, from each of its first calls to the next of the same agent, model and branch, by model in the
/// order of their first call. Models are left out whose vocabulary is known.
///
/// Growths are what stands between two answers, the first of them included. There is none where history was summarised
/// in between, or where the prompt is reported to be no longer.
pub fn model_growths(experiment: &Experiment, counting: &Counting) -> Vec<ModelGrowths> {
    let experiment = recorded(experiment);
    let n_calls = ModelFits::calls_looked_at(experiment);
    let mut found: Vec<ModelGrowths> = Vec::new();
    let mut tokenizers: HashMap<Str, Tokenizer> = HashMap::new();
    let mut last: HashMap<(Str, Option<Str>), &Call> = HashMap::new();
    for call in experiment.calls().iter().take(n_calls) {
        let of = &call.invocation;
        let Some(earlier) = last.insert((of.agent.clone(), of.branch.clone()), call) else { continue };
        let Some(model) = call.model.as_ref().filter(|model| earlier.model.as_ref() == Some(*model)) else {
            continue;
        };
        let Some(reported) = reported_growth(earlier, call) else { continue };
        let tokenizer = tokenizers.entry(model.clone()).or_insert_with(|| Tokenizer::of_model(model));
        if !tokenizer.is_translated() {
            continue;
        }
        let weigher = Weigher::new(tokenizer, &counting.vocabularies, &counting.memo);
        let Some(sizes) = added(experiment, earlier, call, &weigher) else { continue };
        let growth = Growth { sizes, reported };
        match found.iter_mut().find(|of_model| *of_model.model == **model) {
            Some(of_model) => of_model.growths.push(growth),
            None => found.push(ModelGrowths { model: model.to_string(), growths: vec![growth] }),
        }
    }
    found
}

fn recorded(experiment: &Experiment) -> &Experiment {
    experiment.laid_over().unwrap_or(experiment)
}

fn reported_growth(earlier: &Call, later: &Call) -> Option<u32> {
    let prompt = |call: &Call| call.usage.as_ref()?.prompt_token_count.filter(|tokens| *tokens > 0);
    let grown = prompt(later)?.checked_sub(prompt(earlier)?)?;
    u32::try_from(grown).ok().filter(|tokens| *tokens > 0)
}

/// What stands between the prompts of two calls. `None` where that is nothing, or more than was added.
fn added(experiment: &Experiment, earlier: &Call, later: &Call, weigher: &Weigher<'_>) -> Option<Sizes> {
    let events = experiment.session().events.get(earlier.answer.as_usize()..later.answer.as_usize())?;
    let mut sizes = Sizes::default();
    for event in events.iter().filter(|event| event.branch == later.invocation.branch) {
        if event.is_compaction() {
            return None;
        }
        sizes += event_sizes(event, weigher);
    }
    Some(sizes).filter(|sizes| sizes.total() > 0)
}

fn event_sizes(event: &Event, weigher: &Weigher<'_>) -> Sizes {
    let parts =
        event.parts().iter().map(|part| RequestPart::new(part.clone(), Origin::processor("contents")));
    let parts: Vec<RequestPart> = parts.collect();
    if parts.is_empty() {
        return Sizes::default();
    }
    let role = event.content.as_ref().and_then(|content| content.role.clone());
    weigher.sizes(&RequestContent::new(role, parts))
}
