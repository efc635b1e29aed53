//! What compiled prompts cost, and why: pure functions of stages and their working contexts.

mod blame;
mod cache;
mod call;
mod call_compiler;
mod call_rates;
mod called_tools;
mod difference;
mod effect;
mod event_finder;
mod kind;
mod ledger;
mod marked;
mod matches;
mod model_fits;
mod prefix;
mod sent_prompts;
mod sent_tokens;
mod session;
mod setting_change;
mod stage_diff;
mod summaries;
mod text_change;
mod weigh;

pub use blame::{Cause, Link, Nature, PartsKind, PrefixBreak};
pub use cache::{
    AgentSums, Asked, BillTotals, BilledCalls, CacheAnalysis, CacheFix, CacheTotals, CallBill, CallCache,
    Comparison, Cost, FixKind, LeftOut, Loss, NeverRead, Prediction, ReportedCounts, SentCall, SummaryBill,
    Zone, ZoneSpan, simulate,
};
pub(crate) use cache::{Payer, Timeline, TriedCalls, price_of};
pub use call::CallAnalysis;
pub use call_compiler::CallCompiler;
pub use call_rates::CallRates;
pub(crate) use called_tools::CalledTools;
pub use difference::Difference;
pub use effect::{Effect, Totals};
pub use event_finder::EventFinder;
pub use kind::{Kind, is_quotation, is_quoted};
pub use ledger::{CarriedTokens, Ledger, LedgerSum, SentPiece, SentRun, SentTogether, SourceUse, UseTotals};
pub(crate) use matches::PromptTree;
pub(crate) use matches::SentElsewhere;
pub use matches::{ExplicitCache, Match, PromptMatches};
pub use model_fits::{ModelFits, ModelGrowths, model_growths};
pub use prefix::{CommonPrefix, MatchedPrefix, PrefixEnd, common_prefix};
pub use sent_prompts::SentPrompts;
pub use sent_tokens::SentTokens;
pub use session::{SessionAnalysis, asked_model};
pub use setting_change::SettingChange;
pub use stage_diff::{Change, PartDelta, diff_events, diff_omitting, diff_requests};
pub use summaries::LoggedSummary;
pub(crate) use summaries::{SourceWeigher, Summaries, template_of};
pub use text_change::{ChangeKind, TextChange};
pub use weigh::{ByKind, Counting, Piece, Scale, WeighedChunk, WeighedPieces, WeighedPrompt};
