//! What rules look at: the events, the calls, and what was sent in them, each put in order once.

use std::collections::{HashMap, HashSet};

use strata_engine::{AgentId, Call, Experiment, Facts, LoggedEvent, live_events};
use strata_model::app::IncludeContents;
use strata_model::{Agent, App, Event, EventIndex, Origin, Part, Severity, SharedList};

use super::call_models::CallModels;
use super::carried::{AllCarried, CarriedPiece, Carriers, PieceKind, parts, stored};
use super::finding::CallRange;
use super::tally::Tally;
use crate::analysis::{
    BilledCalls, CacheAnalysis, CallAnalysis, Counting, LeftOut, Loss, NeverRead, Scale, SessionAnalysis,
};

/// Bloat below this many tokens over a whole session costs nobody anything: at the highest prices it is a cent.
const WORTH_TOKENS: u64 = 500;
/// Bloat below this part of everything that was sent (1/50, 2 %) is lost in what changes from run to run.
const WORTH_SHARE: u64 = 50;
/// From this part of everything that is counted on (1/20), counting too much is said.
const OVERCOUNTED_SHARE: u64 = 20;
/// From this part of everything that was sent on (1/10), somebody should look at it soon.
const GRAVE_SHARE: u64 = 10;
/// No provider caches a prefix shorter than this, so losing one costs nothing.
pub(super) const MIN_CACHED_TOKENS: u64 = 1024;

/// Everything that is known about a session, for rules.
pub(super) struct Evidence<'e> {
    pub experiment: &'e Experiment,
    pub analysis: &'e SessionAnalysis,
    /// What became of their prefixes.
    caches: &'e CacheAnalysis,
    pub counting: &'e Counting,
    /// Those that are compiled.
    pub calls: Vec<SeenCall<'e>>,
    pub models: CallModels,
    pub callers: Vec<Caller<'e>>,
    carried: AllCarried<'e>,
    /// Everything that is counted in all calls.
    pub total: u64,
    /// The same with hidden context: everything that was sent.
    sent: u64,
    /// The part of what was sent again that a cache gave.
    pub found_share: f64,
    /// Events that rewinds took back.
    rewound: HashSet<EventIndex>,
    /// What the user said in each invocation, in order.
    questions: HashMap<&'e str, Vec<EventIndex>>,
}

/// A compiled call.
#[derive(Clone, Copy)]
pub(super) struct SeenCall<'e> {
    pub call: &'e Call,
    pub result: &'e CallAnalysis,
    /// None: not in the configuration.
    pub agent: Option<(AgentId, &'e Agent)>,
    pub include_contents: IncludeContents,
}

impl<'e> Evidence<'e> {
    pub(super) fn gather(
        experiment: &'e Experiment,
        billed: BilledCalls<'e>,
        counting: &'e Counting,
    ) -> Self {
        let BilledCalls { analysis, caches } = billed;
        let index = experiment.index();
        let seen = |(call, result): (&'e Call, &'e CallAnalysis)| {
            let agent = index.find(&call.invocation.agent).map(|id| (id, &**index.agent(id)));
            let own = agent.and_then(|(_, agent)| agent.include_contents);
            let include_contents = call.invocation.include_contents.or(own);
            let include_contents = include_contents.unwrap_or(IncludeContents::Default);
            SeenCall { call, result, agent, include_contents }
        };
        let mut rewound = HashSet::new();
        live_events(experiment.log().events().iter(), |logged| rewound.extend(logged.index));
        let models = CallModels::of(analysis.calls());
        let carried = AllCarried::of(analysis.ledger(), experiment.log(), &models);
        let calls: Vec<SeenCall<'e>> = experiment.calls().iter().zip(analysis.calls()).map(seen).collect();
        let total = analysis.calls().iter().map(|call| u64::from(call.total.tokens)).sum();
        let mut evidence = Self {
            experiment,
            analysis,
            caches,
            counting,
            callers: callers(&calls),
            calls,
            models,
            carried,
            total,
            sent: total + caches.bill().hidden_tokens,
            found_share: billed.found_share(),
            rewound,
            questions: HashMap::new(),
        };
        let mut questions: HashMap<&'e str, Vec<EventIndex>> = HashMap::new();
        for (at, logged) in evidence.live_events().filter(|(_, logged)| is_question(logged)) {
            questions.entry(&logged.event.invocation_id).or_default().push(at);
        }
        evidence.questions = questions;
        evidence
    }

    pub(super) fn app(&self) -> &'e App {
        self.experiment.index().app()
    }

    pub(super) fn events(&self) -> &'e SharedList<LoggedEvent> {
        self.experiment.log().events()
    }

    /// The events no rewind took back, with their places.
    pub(super) fn live_events(&self) -> impl Iterator<Item = (EventIndex, &'e LoggedEvent)> + '_ {
        self.events().iter().filter_map(|logged| {
            let index = logged.index?;
            (!self.rewound.contains(&index)).then_some((index, logged))
        })
    }

    pub(super) fn event(&self, index: EventIndex) -> Option<&'e LoggedEvent> {
        self.experiment.log().get(index)
    }

    /// The stored part that a piece of a prompt shows.
    pub(super) fn stored(&self, origin: &Origin) -> Option<(&'e Event, &'e Part)> {
        stored(self.experiment.log(), origin)
    }

    /// What was sent of some kinds. Pieces that were sent together stand together.
    pub(super) fn sent(
        &self,
        kinds: impl IntoIterator<Item = PieceKind>,
    ) -> impl Iterator<Item = &CarriedPiece<'e>> {
        kinds.into_iter().flat_map(|shows| &self.carried.pieces[shows as usize])
    }

    /// What was sent of an event.
    pub(super) fn sent_of(&self, event: EventIndex) -> impl Iterator<Item = &CarriedPiece<'e>> {
        self.carried.of_event(event)
    }

    pub(super) fn call(&self, number: u32) -> Option<&SeenCall<'e>> {
        self.calls.get((number as usize).checked_sub(1)?)
    }

    /// The calls that were made with this event in the session, which cost nothing more.
    pub(super) fn calls_after(&self, event: EventIndex) -> Tally {
        let from = self.calls.partition_point(|call| call.call.n_events() <= event.as_usize());
        Tally::of_calls(self.calls[from..].iter().map(|call| call.call.number))
    }

    /// What the user said last in the run of a call.
    pub(super) fn question(&self, call: &SeenCall<'_>) -> Option<EventIndex> {
        let said = self.questions.get(&*call.call.invocation.invocation_id)?;
        let before = said.partition_point(|at| at.as_usize() < call.call.n_events());
        said.get(before.checked_sub(1)?).copied()
    }

    /// Names of the agents of some calls, each once.
    pub(super) fn agents_of(&self, tally: &Tally) -> Vec<&'e str> {
        let mut names: Vec<&'e str> = Vec::new();
        for range in tally.calls() {
            for call in (range.first..=range.last).filter_map(|number| self.call(number)) {
                if !names.contains(&call.name()) {
                    names.push(call.name());
                }
            }
        }
        names
    }

    /// Calls that lost something they could have found in a cache, with what that cost.
    pub(super) fn losses(&self) -> impl Iterator<Item = (&SeenCall<'e>, &'e Loss)> {
        self.calls.iter().filter_map(|call| Some((call, self.loss(call)?)))
    }

    /// What a call lost of what it could have found in a cache.
    pub(super) fn loss(&self, call: &SeenCall<'_>) -> Option<&'e Loss> {
        self.caches.call(call.call.number)?.broken()
    }

    /// Calls that leave their prompts out of the cache, though it may be that nothing would be found of them.
    pub(super) fn unmarked(&self) -> impl Iterator<Item = &SeenCall<'e>> {
        self.calls.iter().enumerate().filter(|(at, _)| self.caches.is_left_out(*at)).map(|(_, call)| call)
    }

    /// Calls of agents that leave their prompts out of the cache, with what that cost.
    pub(super) fn left_out(&self) -> impl Iterator<Item = (&SeenCall<'e>, &'e LeftOut)> {
        self.calls
            .iter()
            .filter_map(|call| Some((call, self.caches.call(call.call.number)?.left_out.as_ref()?)))
    }

    /// Calls of models whose cache is never read, with what should have been.
    pub(super) fn never_read(&self) -> impl Iterator<Item = (&SeenCall<'e>, &'e NeverRead)> {
        self.calls
            .iter()
            .filter_map(|call| Some((call, self.caches.call(call.call.number)?.never_read.as_ref()?)))
    }

    /// The calls that carried a piece.
    pub(super) fn carriers(&self, carried: &CarriedPiece<'_>) -> &Carriers {
        &self.carried.carriers[carried.together]
    }

    pub(super) fn add(&self, tally: &mut Tally, carried: &CarriedPiece<'_>) {
        tally.add_carried(&self.models, carried, self.carriers(carried));
    }

    /// Adds a piece in the calls from this one on.
    pub(super) fn add_from(&self, tally: &mut Tally, carried: &CarriedPiece<'_>, first_call: u32) {
        self.add_in(tally, carried, &[CallRange { first: first_call, last: u32::MAX }]);
    }

    /// Adds a piece in those of these calls that carried it.
    pub(super) fn add_in(&self, tally: &mut Tally, carried: &CarriedPiece<'_>, calls: &[CallRange]) {
        for run in self.carriers(carried).runs.iter().flat_map(|run| parts(run, calls)) {
            let range = (run.first_call, run.last_call);
            tally.add(&self.models, range, carried.piece.tokens, run.matched(&carried.sent));
        }
    }

    /// What texts weigh for the first model; those of other vocabularies differ by little.
    pub(super) fn first_scale(&self) -> Option<Scale<'_>> {
        self.analysis.scale(self.experiment, self.counting, self.models.names().first()?)
    }

    /// Adds what a call lost, at the price that it has wherever it is shown.
    pub(super) fn add_loss(&self, tally: &mut Tally, call: &SeenCall<'_>, loss: &Loss) {
        tally.add_rebilled(&self.models, call.call.number, loss.tokens);
        tally.add_lost(loss.cost_usd);
    }

    /// Adds tokens that a call would have read from the cache, and what that would have saved: below 0 for a call that would
    /// only have written.
    pub(super) fn add_unread(
        &self,
        tally: &mut Tally,
        call: &SeenCall<'_>,
        tokens: u32,
        cost_usd: Option<f64>,
    ) {
        if tokens > 0 {
            tally.add_rebilled(&self.models, call.call.number, tokens);
        }
        tally.add_lost(cost_usd);
    }

    pub(super) fn add_rebilled(&self, tally: &mut Tally, call: &SeenCall<'_>) {
        tally.add_rebilled(&self.models, call.call.number, call.result.rebilled);
    }

    /// Whether bloat of this size is worth a person's time.
    pub(super) fn is_worth(&self, tokens: u64) -> bool {
        tokens >= WORTH_TOKENS && tokens.saturating_mul(WORTH_SHARE) >= self.sent
    }

    pub(super) fn severity(&self, tokens: u64) -> Severity {
        if tokens.saturating_mul(GRAVE_SHARE) >= self.sent { Severity::Warning } else { Severity::Info }
    }

    /// `3 % of everything that was sent`, hidden context included. Where a good deal more is counted than was reported, it
    /// is a share of that.
    pub(super) fn share(&self, tokens: u64) -> String {
        let bill = self.caches.bill();
        let sent = self.sent;
        let share = (tokens * 100 + sent / 2) / sent.max(1);
        if bill.overcounted_tokens.saturating_mul(OVERCOUNTED_SHARE) < sent {
            return format!("{share} % of everything that was sent");
        }
        let times = sent as f64 / bill.prompt_tokens.max(1) as f64;
        format!("{share} % of what is counted, which is {times:.1} times what was reported")
    }
}

/// An agent with its calls.
pub(super) struct Caller<'e> {
    pub id: AgentId,
    pub agent: &'e Agent,
    pub calls: Vec<SeenCall<'e>>,
}

impl Caller<'_> {
    /// Its calls, which cost nothing more.
    pub(super) fn tally(&self) -> Tally {
        Tally::of_calls(self.calls.iter().map(|call| call.call.number))
    }
}

impl<'e> SeenCall<'e> {
    pub(super) fn name(&self) -> &'e str {
        &self.call.invocation.agent
    }

    /// The last event before the call.
    pub(super) fn event_before(&self, evidence: &Evidence<'e>) -> Option<&'e LoggedEvent> {
        evidence.events().get(self.call.n_events().checked_sub(1)?)
    }

    pub(super) fn sees_one_turn(&self) -> bool {
        self.include_contents == IncludeContents::None
    }
}

/// The agents that made calls, in the order of their first, with all of theirs.
fn callers<'e>(calls: &[SeenCall<'e>]) -> Vec<Caller<'e>> {
    let mut callers: Vec<Caller<'e>> = Vec::new();
    let mut places: HashMap<AgentId, usize> = HashMap::new();
    for call in calls {
        let Some((id, agent)) = call.agent else { continue };
        let place = *places.entry(id).or_insert(callers.len());
        if place == callers.len() {
            callers.push(Caller { id, agent, calls: Vec::new() });
        }
        callers[place].calls.push(*call);
    }
    callers
}

fn is_question(logged: &LoggedEvent) -> bool {
    logged.is(Facts::FROM_USER)
        && !logged.is(Facts::HAS_RESPONSES)
        && !logged.is(Facts::EMPTY)
        && !logged.is(Facts::COMPACTION)
}

/// Names of the tools whose results an event holds.
pub(super) fn result_names(event: &Event) -> impl Iterator<Item = &str> {
    event.function_responses().filter_map(|response| response.name.as_deref())
}

pub(super) fn call_names(event: &Event) -> impl Iterator<Item = &str> {
    event.function_calls().filter_map(|call| call.name.as_deref())
}

/// Whether the part is a result of this tool.
pub(super) fn is_result_of(part: &Part, tool: &str) -> bool {
    part.function_response.as_ref().is_some_and(|response| response.name.as_deref() == Some(tool))
}

pub(super) fn is_call_of(part: &Part, tool: &str) -> bool {
    part.function_call.as_ref().is_some_and(|call| call.name.as_deref() == Some(tool))
}
