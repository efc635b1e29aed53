//! How the providers of a session's models count, as their reports on its calls tell.

use std::collections::HashMap;
use std::sync::Arc;

use strata_engine::{Call, Experiment, Facts, FlowKind, LoggedEvent, QuotationForm};
use strata_model::app::IncludeContents;
use strata_model::{Event, Fingerprint, LlmRequest, RequestContent, Str};

use super::weigh::Counting;
use crate::tokens::{Growth, SizeKind, Sizes, TokenFit, Tokenizer, Weigher, bare_name};

/// Later calls change no fit any more: what they would add to it is less than it is off.
const MAX_CALLS: usize = 1_000;
const FIRST_CALLS: usize = 8;
/// Events of a turn that are searched for thoughts.
const MOST_OF_TURN: usize = 1_000;

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
            let prior = counting.learned.prior_of(&Tokenizer::of_model(&of_model.model));
            Some((bare_name(&of_model.model), Arc::new(TokenFit::of(&of_model.growths, &prior)?)))
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

    /// What the session's own reports tell of a model, on top of what others told.
    pub fn of_model(&self, model: &str) -> Option<Arc<TokenFit>> {
        let bare_name = bare_name(model);
        self.by_model.iter().find(|(known, _)| *known == bare_name).map(|(_, fit)| fit.clone())
    }

    /// How a model is counted: by the session's own reports, else by those of other sessions.
    pub(super) fn tokenizer(&self, model: &str, counting: &Counting) -> Tokenizer {
        match self.of_model(model) {
            Some(fit) => Tokenizer::of_model(model).fitted(Some(fit)),
            None => counting.tokenizer(model),
        }
    }
}

/// What the prompts of a recording grew by, from each of its first calls to the next of the same agent, model and branch, by model in the
/// order of their first call. Models are left out whose vocabulary is known.
///
/// Growths are what stands between two answers, the first of them included. There is none where history was summarised
/// or thoughts were left out in between, or where the prompt is reported to be no longer.
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
        if tokenizer.forgets_thoughts() && loses_thoughts(experiment, earlier, call) {
            continue;
        }
        let weigher = Weigher::new(tokenizer, &counting.memo);
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
    if let Some([before, after]) = requests(experiment, [earlier, later]) {
        return added_to_request(before, after, weigher);
    }
    let of = &later.invocation;
    let between = earlier.answer.as_usize()..later.answer.as_usize();
    let events = experiment.log().events().range(between).filter(|logged| logged.event.branch == of.branch);
    let is_own = |logged: &LoggedEvent| *logged.event.author == *of.agent;
    let is_whole = shows_all(experiment, later);
    let quotation = QuotationForm::of(experiment.index().app().release(), false);
    let mut sizes = Sizes::default();
    for logged in events {
        // Whoever sees its own turn alone is shown another history once a new turn or another agent comes in between, and
        // what stands in the place of another text is not what the prompt grew by.
        let is_other = logged.event.is_compaction() || logged.is(Facts::SYSTEM_TEXT);
        if is_other || !(is_whole || is_own(logged)) {
            return None;
        }
        let content = if is_own(logged) || logged.is(Facts::FROM_USER) {
            logged.own_content()
        } else {
            logged.foreign_content(quotation)
        };
        sizes += content.map(|content| weigher.sizes(content)).unwrap_or_default();
    }
    Some(sizes).filter(|sizes| sizes.total() > 0)
}

/// What was sent for two calls, where that is known and events do not tell it: google-adk's apps put instructions, state and
/// callbacks of their own around them, and a system text or a message that is sent anew stands in the place of that before.
fn requests<'e>(experiment: &'e Experiment, calls: [&Call; 2]) -> Option<[&'e LlmRequest; 2]> {
    let [earlier, later] = calls.map(|call| experiment.recorded_request(call.number));
    let (earlier, later) = (earlier?, later?);
    let is_around = experiment.kind() == FlowKind::Adk
        || earlier.system_instruction != later.system_instruction
        || is_rewritten(earlier, later);
    is_around.then_some([earlier, later])
}

/// Whether another content stands where the earlier request had one.
fn is_rewritten(earlier: &LlmRequest, later: &LlmRequest) -> bool {
    let n_shared = later.contents.n_shared(&earlier.contents);
    let mut both = earlier.contents.iter().skip(n_shared).zip(later.contents.iter().skip(n_shared));
    both.any(|(before, after)| before.fingerprint != after.fingerprint)
}

/// What a request has more than an earlier one. `None` where it has less of something, or other tools.
fn added_to_request(earlier: &LlmRequest, later: &LlmRequest, weigher: &Weigher<'_>) -> Option<Sizes> {
    let tools =
        |request: &LlmRequest| request.tools.iter().map(|tool| tool.fingerprint()).collect::<Vec<_>>();
    if tools(earlier) != tools(later) {
        return None;
    }
    let system = |request: &LlmRequest| {
        let tokens = request.system_instruction.iter().map(|text| weigher.system(text).tokens).sum();
        Sizes::of(SizeKind::Text, tokens)
    };
    let n_shared = later.contents.n_shared(&earlier.contents);
    let mut n_before: HashMap<Fingerprint, usize> = HashMap::new();
    for content in earlier.contents.iter().skip(n_shared) {
        *n_before.entry(content.fingerprint).or_default() += 1;
    }
    let later_contents = later.contents.iter().skip(n_shared);
    let new: Sizes = later_contents
        .filter(|content| !is_left(&mut n_before, content))
        .map(|content| weigher.sizes(content))
        .sum();
    let earlier_contents = earlier.contents.iter().skip(n_shared);
    let gone: Sizes = earlier_contents
        .filter(|content| is_left(&mut n_before, content))
        .map(|content| weigher.sizes(content))
        .sum();
    (new + system(later)).without(gone + system(earlier)).filter(|sizes| sizes.total() > 0)
}

/// Takes one of the contents that say this, where there is one left.
fn is_left(contents: &mut HashMap<Fingerprint, usize>, content: &RequestContent) -> bool {
    let Some(n) = contents.get_mut(&content.fingerprint).filter(|n| **n > 0) else { return false };
    *n -= 1;
    true
}

/// Whether the agent of a call is shown the whole history.
fn shows_all(experiment: &Experiment, call: &Call) -> bool {
    let index = experiment.index();
    let of_agent = || index.agent(index.find(&call.invocation.agent)?).include_contents;
    call.invocation.include_contents.or_else(of_agent) != Some(IncludeContents::None)
}

/// Whether the user says something between two calls, before which there are thoughts: those of the turn that ends are in
/// the prompt of the first and not in that of the second.
fn loses_thoughts(experiment: &Experiment, earlier: &Call, later: &Call) -> bool {
    let events = &experiment.session().events;
    let is_said = |at: &usize| {
        let event = events.get(*at);
        event.is_some_and(|event| event.branch == later.invocation.branch && is_said_by_user(event))
    };
    let Some(next_turn) = (earlier.answer.as_usize()..later.answer.as_usize()).find(is_said) else {
        return false;
    };
    let turn = (0..next_turn).rev().take(MOST_OF_TURN).take_while(|at| !is_said(at));
    let of_branch = turn.map(|at| &events[at]).filter(|event| event.branch == later.invocation.branch);
    of_branch.flat_map(|event| event.parts()).any(|part| part.is_thought())
}

fn is_said_by_user(event: &Event) -> bool {
    let is_users = event.content.as_ref().is_some_and(|content| content.role.as_deref() == Some("user"));
    is_users && event.parts().iter().any(|part| part.text.is_some() && !part.is_thought())
}
