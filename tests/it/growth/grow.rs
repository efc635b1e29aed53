//! Sessions that come in pieces.

use std::sync::Arc;

use strata_engine::{Experiment, FlowKind, Growth};
use strata_measure::analysis::{CacheAnalysis, Counting, SessionAnalysis};
use strata_measure::prices::Prices;
use strata_model::{App, Content, Event, EventIndex, LlmRequest, Object, Part, RecordedCall, Session};
use strata_wire::CacheRules;

/// A session as it is in the end.
pub(crate) struct Recorded {
    pub session: Session,
    pub app: Arc<App>,
    pub kind: FlowKind,
    pub requests: Vec<(EventIndex, LlmRequest)>,
    pub calls: Vec<(EventIndex, RecordedCall)>,
}

/// What comes at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// All events before this one are there then.
    pub end: usize,
    /// Events behind them that turn out to be others when the next piece comes.
    pub n_replaced: usize,
    /// Events of another growth, which came first and of which nothing came.
    pub n_given_up: usize,
    /// Calls that are compiled before the next piece comes.
    pub most_calls: usize,
    /// What is recorded of calls comes with the next piece.
    pub is_late: bool,
}

/// A session and what is known of it.
pub(crate) struct Grown {
    pub experiment: Experiment,
    pub analysis: SessionAnalysis,
    pub caches: CacheAnalysis,
}

/// What weighs and prices.
pub(crate) struct Tables {
    pub counting: Counting,
    pub rules: CacheRules,
    pub prices: Prices,
}

impl Tables {
    pub(crate) fn embedded() -> Self {
        Self { counting: Counting::default(), rules: CacheRules::embedded(), prices: Prices::embedded() }
    }
}

impl Recorded {
    pub(crate) fn of(session: Session, app: Arc<App>, kind: FlowKind) -> Self {
        Self { session, app, kind, requests: Vec::new(), calls: Vec::new() }
    }
}

impl Piece {
    /// All events before this one, with all there is to know of them.
    pub(crate) fn whole(end: usize) -> Self {
        Self { end, n_replaced: 0, n_given_up: 0, most_calls: usize::MAX, is_late: false }
    }
}

/// The first piece is opened, and grows by the others.
pub(crate) fn grown_along(recorded: &Recorded, pieces: &[Piece], tables: &Tables) -> Grown {
    let counting = &tables.counting;
    let mut so_far: Option<Grown> = None;
    // Events that stay, and those of which all is told.
    let (mut kept, mut told) = (0, 0);
    for (nth, piece) in pieces.iter().enumerate() {
        let is_last = nth + 1 == pieces.len();
        let events = &recorded.session.events;
        let tail = (0..piece.n_replaced).map(|nth| replaced(events, piece.end, nth));
        let until = if piece.is_late && !is_last { told } else { piece.end };
        let is_due = |answer: EventIndex| (told..until).contains(&answer.as_usize());
        let growth = Growth {
            kept,
            events: events[kept..piece.end].iter().cloned().chain(tail).collect(),
            state: if is_last { recorded.session.state.clone() } else { early_state(recorded, nth) },
            last_update_time: recorded.session.last_update_time,
            requests: recorded.requests.iter().filter(|(answer, _)| is_due(*answer)).cloned().collect(),
            calls: recorded.calls.iter().filter(|(answer, _)| is_due(*answer)).cloned().collect(),
        };
        let (experiment, mut analysis, caches) = match so_far.take() {
            None => {
                let session =
                    Session { events: growth.events, state: growth.state, ..recorded.session.clone() };
                let experiment = Experiment::new(Arc::new(session), recorded.app.clone(), recorded.kind)
                    .with_recorded_calls(growth.calls)
                    .with_requests(growth.requests);
                (experiment, SessionAnalysis::default(), CacheAnalysis::default())
            }
            Some(Grown { experiment: before, analysis, mut caches }) => {
                if piece.n_given_up > 0 {
                    let other = (0..piece.n_given_up).map(|nth| replaced(events, kept, nth % 2));
                    let growth = Growth { kept, events: other.collect(), ..Growth::default() };
                    caches = grown_in_vain(&before, (&analysis, caches), growth, tables);
                }
                let grown = before.grown(growth);
                let analysis = analysis.grown(&before, &grown);
                (grown.experiment, analysis, caches)
            }
        };
        let most_calls = if is_last { usize::MAX } else { piece.most_calls };
        let mut n_calls = 0;
        while n_calls < most_calls && analysis.step(&experiment, counting) {
            n_calls += 1;
        }
        let caches = caches.grown(&experiment, &analysis, &tables.rules, &tables.prices);
        so_far = Some(Grown { experiment, analysis, caches });
        (kept, told) = (piece.end, until);
    }
    so_far.expect("there is a piece")
}

/// A session that grows and is not looked at again: what there was before stays as it is, and caches that went along
/// go back.
fn grown_in_vain(
    before: &Experiment,
    (analysis, caches): (&SessionAnalysis, CacheAnalysis),
    growth: Growth,
    tables: &Tables,
) -> CacheAnalysis {
    let grown = before.grown(growth);
    let mut after = analysis.grown(before, &grown);
    while after.step(&grown.experiment, &tables.counting) {}
    caches.grown(&grown.experiment, &after, &tables.rules, &tables.prices)
}

/// An event that is not what will stand there.
fn replaced(events: &[Arc<Event>], end: usize, nth: usize) -> Arc<Event> {
    let model = events.iter().find(|event| !event.is_from_user());
    let author = model.filter(|_| nth == 0).map_or_else(|| "user".into(), |event| event.author.clone());
    let role = if nth == 0 { "model" } else { "user" };
    let mut event = Event {
        id: format!("unfinished-{end}-{nth}").into(),
        author,
        invocation_id: events.last().map(|event| event.invocation_id.clone()).unwrap_or_default(),
        content: Some(Arc::new(Content::new(role, [Part::from_text(format!("half a sen {nth}"))]))),
        timestamp: events.get(end).map_or(0.0, |event| event.timestamp),
        ..Event::default()
    };
    event.actions.state_delta = Object::from_iter([("half", "told")]);
    Arc::new(event)
}

/// Early on, keys are missing that are there in the end.
fn early_state(recorded: &Recorded, nth: usize) -> Object {
    let mut state = recorded.session.state.clone();
    if nth.is_multiple_of(2) {
        let mut nth_key = 0;
        state.retain(|_, _| {
            nth_key += 1;
            nth_key % 2 == 0
        });
    }
    state
}
