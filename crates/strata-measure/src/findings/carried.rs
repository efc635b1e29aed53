//! Pieces of prompts with the calls that carried them.
//!
//! Pieces that are always sent together share their calls, so the calls are looked at once for all of them: a session
//! where agents take turns has as many runs of calls as turns, for each of thousands of pieces.

use std::cell::OnceCell;
use std::collections::HashMap;

use strata_engine::EventLog;
use strata_model::{Event, EventIndex, Origin, Part};

use super::call_models::CallModels;
use super::finding::CallRange;
use crate::analysis::{Ledger, Piece, SentPiece, SentRun, SentTogether, WeighedPieces};

/// A piece of prompts.
pub(super) struct CarriedPiece<'e> {
    pub piece: &'e Piece,
    /// The content it is a part of; `None` for tools and the system instruction.
    pub content: Option<&'e WeighedPieces>,
    /// The event and the part of it that it shows.
    pub stored: Option<(&'e Event, &'e Part)>,
    /// Which [`Carriers`] are its own.
    pub together: usize,
    pub(super) sent: SentPiece<'e>,
}

/// What a piece shows. Rules look at few of them, and most pieces are of no interest to most rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// Tools and the system instruction.
    Head,
    /// Something in the conversation that is no event's: frames, instructions, memories, files.
    Runtime,
    Summary,
    /// Another agent's event.
    Quotation,
    Call,
    Result,
    /// What was stored as a thought, even if it is sent as text.
    Thought,
    /// Any other part of an event.
    Words,
}

impl PieceKind {
    pub(super) const N: usize = 8;
    /// What the agent and its user said and did.
    pub(super) const OWN: [Self; 4] = [Self::Call, Self::Result, Self::Thought, Self::Words];
    pub(super) const ALL: [Self; Self::N] = [
        Self::Head,
        Self::Runtime,
        Self::Summary,
        Self::Quotation,
        Self::Call,
        Self::Result,
        Self::Thought,
        Self::Words,
    ];
}

impl CarriedPiece<'_> {
    fn shows(&self) -> PieceKind {
        match (self.content, &self.piece.origin, self.stored) {
            (None, ..) => PieceKind::Head,
            (Some(_), Origin::Summary { .. }, _) => PieceKind::Summary,
            (Some(_), _, _) if self.piece.is_quoted => PieceKind::Quotation,
            (Some(_), _, None) => PieceKind::Runtime,
            (Some(_), _, Some((_, part))) if part.function_call.is_some() => PieceKind::Call,
            (Some(_), _, Some((_, part))) if part.function_response.is_some() => PieceKind::Result,
            (Some(_), _, Some((_, part))) if part.is_thought() => PieceKind::Thought,
            (Some(_), _, Some(_)) => PieceKind::Words,
        }
    }
}

/// The calls that carried some pieces.
pub(super) struct Carriers {
    pub runs: Vec<SentRun>,
    /// How many calls went to each model, and how many of them had sent everything before.
    pub(super) by_model: Vec<ModelCalls>,
    /// Runs that had sent a part before.
    pub(super) partly: Vec<SentRun>,
}

/// Calls to one model.
pub(super) struct ModelCalls {
    pub model: usize,
    pub n_calls: u64,
    pub n_matched_whole: u64,
}

impl Carriers {
    pub(super) fn of(runs: Vec<SentRun>, models: &CallModels) -> Self {
        let n_models = models.names().len();
        let mut by_model: Vec<ModelCalls> =
            (0..n_models).map(|model| ModelCalls { model, n_calls: 0, n_matched_whole: 0 }).collect();
        for run in &runs {
            for calls in &mut by_model {
                let n_calls = models.calls_to(calls.model, run.first_call, run.last_call);
                calls.n_calls += n_calls;
                calls.n_matched_whole += if run.is_matched_whole { n_calls } else { 0 };
            }
        }
        by_model.retain(|calls| calls.n_calls > 0);
        let partly = runs.iter().filter(|run| !run.is_matched_whole && !run.is_fresh).copied().collect();
        Self { runs, by_model, partly }
    }

    pub(super) fn first_call(&self) -> u32 {
        self.runs.first().map_or(0, |run| run.first_call)
    }

    pub(super) fn last_call(&self) -> u32 {
        self.runs.last().map_or(0, |run| run.last_call)
    }

    pub(super) fn n_calls(&self) -> u64 {
        self.by_model.iter().map(|calls| calls.n_calls).sum()
    }

    /// Those that are among these calls.
    pub(super) fn only(&self, models: &CallModels, calls: &[CallRange]) -> Self {
        Self::of(self.runs.iter().flat_map(|run| parts(run, calls)).collect(), models)
    }
}

/// The parts of a run that lie in these ranges of calls, which are in order and do not touch.
pub(super) fn parts<'p>(run: &'p SentRun, calls: &'p [CallRange]) -> impl Iterator<Item = SentRun> + 'p {
    let from = calls.partition_point(|range| range.last < run.first_call);
    let within = calls[from..].iter().take_while(|range| range.first <= run.last_call);
    within.map(|range| run.within(range.first, range.last))
}

/// Everything that was sent, by what it shows, and who carried it.
pub(super) struct AllCarried<'e> {
    pub pieces: [Vec<CarriedPiece<'e>>; PieceKind::N],
    pub carriers: Vec<Carriers>,
    /// The places of those that come from an event; found when somebody asks.
    by_event: OnceCell<HashMap<EventIndex, Vec<(usize, usize)>>>,
}

impl<'e> AllCarried<'e> {
    pub(super) fn of(ledger: &'e Ledger, log: &'e EventLog, models: &CallModels) -> Self {
        let pieces = std::array::from_fn(|_| Vec::new());
        let mut all = Self { pieces, carriers: Vec::new(), by_event: OnceCell::new() };
        for SentTogether { pieces, runs } in ledger.sent() {
            let together = all.carriers.len();
            for sent in pieces {
                let stored = stored(log, &sent.piece.origin);
                let carried =
                    CarriedPiece { piece: sent.piece, content: sent.content, stored, together, sent };
                all.pieces[carried.shows() as usize].push(carried);
            }
            all.carriers.push(Carriers::of(runs, models));
        }
        all
    }

    /// What comes from an event, or stands for it.
    pub(super) fn of_event(&self, event: EventIndex) -> impl Iterator<Item = &CarriedPiece<'e>> {
        let by_event = self.by_event.get_or_init(|| {
            let mut by_event: HashMap<EventIndex, Vec<(usize, usize)>> = HashMap::new();
            for (kind, pieces) in self.pieces.iter().enumerate() {
                for (at, carried) in pieces.iter().enumerate() {
                    if let Some(event) = carried.piece.origin.event() {
                        by_event.entry(event).or_default().push((kind, at));
                    }
                }
            }
            by_event
        });
        by_event.get(&event).into_iter().flatten().map(|(kind, at)| &self.pieces[*kind][*at])
    }
}

/// The stored part that a piece of a prompt shows.
pub(super) fn stored<'e>(log: &'e EventLog, origin: &Origin) -> Option<(&'e Event, &'e Part)> {
    let Origin::Event { event, part } = origin else { return None };
    let event: &'e Event = &log.get(*event)?.event;
    Some((event, event.parts().get(usize::from(*part))?))
}
