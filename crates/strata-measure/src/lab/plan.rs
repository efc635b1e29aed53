//! The words of a plan: windows, when they are summarised, and by whom.

use std::sync::Arc;

use strata_engine::turn::compaction::{CompactionConfig, SummaryJob, Trigger, Window};
use strata_model::{Content, Event, EventIndex, LlmRequest, Str, Usage};

use crate::analysis::{PromptMatches, Scale};

/// What writes summaries.
pub trait Writer {
    /// Writes the summary that is due. `None`: there is none, and the history stays as it is.
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop>;
}

/// Why a replay ends before its time: whoever writes the summaries gave up, or was asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop(pub String);

/// A summary that is due.
pub struct SummaryDue<'d> {
    /// Counted from 1.
    pub number: usize,
    pub moment: Moment,
    pub window: &'d Window<'d>,
    /// Tokens of what is summarised, as a summariser reads it, without its prompt.
    pub source_tokens: u32,
    /// The most tokens it may have, if that is limited.
    pub max_tokens: Option<u32>,
    /// Who is to write it.
    pub model: &'d Str,
    pub(super) config: &'d CompactionConfig,
    pub(super) scale: Scale<'d>,
    pub(super) isolation_scope: Option<&'d str>,
}

impl SummaryDue<'_> {
    /// The event its answer becomes, without what it says.
    pub(super) fn stored(&self) -> Event {
        self.window.summary_event(self.isolation_scope)
    }

    /// What a model is asked, and the event its answer becomes.
    pub fn job(&self) -> SummaryJob {
        SummaryJob::new(self.window, &self.config.for_prompt(), self.model.clone(), self.isolation_scope)
    }

    /// Tokens of a text, for the model that reads the summary.
    pub fn tokens(&self, text: &str) -> u32 {
        self.scale.weigher().text(text).tokens
    }
}

/// A summary and what it took.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WrittenSummary {
    pub content: Content,
    /// What the model reported; `None` where none was asked.
    pub usage: Option<Usage>,
    /// Who wrote it: a model, or a name that says none did.
    pub by: Str,
    /// It says nothing, and stands for one of its size.
    pub is_stand_in: bool,
    pub payment: Payment,
}

/// Who is paid for a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Payment {
    /// Nobody was asked: it is priced as if the configured model had been.
    #[default]
    AsConfigured,
    /// The model that wrote it, whatever is configured.
    Writer,
    /// Nobody: it was written on a computer of one's own.
    Nobody,
}

/// When a summary is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moment {
    /// Right before this call, which waits for it.
    BeforeCall(u32),
    /// After a turn, before this call, which need not wait; after the last one if there is none.
    AfterTurn { next_call: Option<u32> },
}

impl Moment {
    /// The first call that can see the summary.
    pub fn first_call(self) -> Option<u32> {
        match self {
            Self::BeforeCall(call) => Some(call),
            Self::AfterTurn { next_call } => next_call,
        }
    }
}

/// One window of a plan.
#[derive(Debug, Clone)]
pub struct WindowPlan {
    pub moment: Moment,
    pub trigger: Trigger,
    /// Recorded events, in order.
    pub events: Vec<EventIndex>,
    /// Recorded events that lie before the summary.
    pub after: usize,
    /// The earlier window whose summary is summarised again, by its place in the plan.
    pub seed: Option<usize>,
    /// What the token trigger went by.
    pub prompt_tokens: Option<u64>,
    /// Of what is summarised, without the summariser's prompt.
    pub source_tokens: u32,
    /// Of the summary.
    pub summary_tokens: u32,
    pub model: Str,
    pub written: Option<WrittenSummary>,
    /// The event that holds the summary. Its number is behind those of the session.
    pub event: Option<(EventIndex, Arc<Event>)>,
    pub blocked: Option<BlockReason>,
}

/// Why a summary was not laid over the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockReason {
    /// It is longer than what it stands for.
    LongerThanSource,
    /// A call would stay without its response, or the other way round.
    OrphanedCalls,
    /// Its writer gave nothing.
    Empty,
}

/// Tool results that were cleared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    pub before_call: u32,
    pub events: Vec<EventIndex>,
}

/// A session as it would have been.
#[derive(Debug, Clone)]
pub struct Replayed {
    pub config: CompactionConfig,
    pub calls: Vec<ReplayedCall>,
    pub windows: Vec<WindowPlan>,
    pub cleared: Vec<Cleared>,
}

/// A call as it would have been.
#[derive(Debug, Clone)]
pub struct ReplayedCall {
    /// C1 is number 1.
    pub number: u32,
    pub request: LlmRequest,
    pub tokens: u32,
    pub matches: PromptMatches,
}

impl WindowPlan {
    /// What the summary says; empty where there is none.
    pub fn summary_text(&self) -> String {
        let content = self.written.as_ref().map(|written| &written.content);
        let parts = content.into_iter().flat_map(|content| content.parts());
        // What its writer thought on the way is told to nobody.
        let texts = parts.filter(|part| !part.is_thought()).filter_map(|part| part.text.as_deref());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Whether the summary stands in the history of later calls.
    pub fn is_laid(&self) -> bool {
        self.event.is_some()
    }
}

impl Moment {
    /// Whether calls have to wait for a summary of this moment.
    pub fn is_waited_for(self) -> bool {
        matches!(self, Self::BeforeCall(_))
    }
}
