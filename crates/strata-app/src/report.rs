//! The documents of the command line, in the JSON shapes that scripts may rely on.
//!
//! Every document says its `version`. Within a version, fields are added and never renamed or removed.
//!
//! [`Source`] is what a person names: a file, a session in the store, or `sample`. From it come [`show`], [`compile`]
//! and [`tokens`]; [`import`] and [`list`] work on the store. Everything blocks, tells a [`Watch`] how far it is, and ends
//! when that wants to stop. What asks models does so on the runtime of the process, whose handle it is given.

mod adk_recorder;
mod answer_text;
mod app;
mod artifacts;
mod attach;
mod batch;
mod branches;
mod cache;
mod calibration;
mod call_changes;
mod capture;
mod change;
mod check;
mod compact;
mod compact_choice;
mod compact_result;
mod compile;
mod compiled;
mod contexts;
mod diagnostic;
mod diff;
mod evidence;
mod export;
mod findings;
mod follow;
mod found;
mod import;
mod inputs;
mod known;
mod learn;
mod list;
mod losses;
mod meanwhile;
mod memory;
mod model_access;
mod models;
mod opened;
mod origin;
mod page;
mod patterns;
mod places;
mod prompt;
mod replay;
mod room;
mod run;
mod scripts;
mod search;
mod secrets;
mod session;
mod show;
mod source;
mod stores;
mod sweep;
mod tables;
mod times;
mod tokens;
mod usage;
mod verify;

pub use adk_recorder::{RecorderReport, adk_recorder};
pub use answer_text::AnswerText;
pub use app::AppReport;
pub use artifacts::{
    ArtifactChoice, ArtifactReport, ArtifactsReport, RemovedArtifact, SavedArtifact, artifact, artifacts,
    remove_artifact,
};
pub use attach::{AttachChoice, AttachReport, attach};
pub use batch::{BatchAsked, BatchPlanReport, BatchReport, batch, batch_plan};
pub use branches::{AgentBranch, agent_branches};
pub use cache::{
    BreakReport, CacheFixReport, CacheReport, CallCacheReport, TextChangeReport, VerdictReport, ZoneReport,
    cache, cache_of,
};
pub use calibration::{
    CalibrationReport, CalibrationUsed, ErrorsReport, FitReport, KindRatio, ModelCalibration, calibration,
};
pub use call_changes::{CallChanges, call_changes};
pub use capture::{
    CaptureChoice, CaptureReport, CaptureUpdate, ClientEnd, Elsewhere, capture, forget_authority,
};
pub use change::{ChangeKind, ChangeReport};
pub use check::{
    AgentGrowth, Amount, BaselineFailure, BaselineReport, BudgetFailure, BudgetReport, CheckChoice,
    CheckProblem, CheckReport, CheckedSession, FigureGrowth, GrownCause, NewBreak, NewFinding, ProblemLevel,
    SessionGrowth, check,
};
pub use compact::{
    CompactReport, CompactTotals, LossItemReport, RegretReport, ToldReport, WindowLossReport, WindowReport,
    compact, compact_of,
};
pub use compact_choice::{CompactChoice, SummaryModel};
pub use compact_result::{AppliedReport, CompactEstimate, compact_estimate};
pub use compile::{
    CallChoice, CompileContents, CompileFailure, CompileReport, LeftOut, StageReport, compile,
};
pub use contexts::{
    ArchivedRow, ArtifactRow, CleanedRow, CleanupReport, ConflictRow, ContextReport, ContextRow, ContextSize,
    ContextsReport, DoorRow, MessageRow, SeenIn, SeenRow, TaskRow, clean_contexts, context, contexts,
    expire_context,
};
pub use diagnostic::FileDiagnostic;
pub use diff::{
    DiffChoice, DiffReport, DifferenceReport, PartChangeReport, RecordingsReport, SideReport, diff,
};
pub use evidence::EvidenceReport;
pub use export::{ExportReport, export};
pub use findings::{FindingReport, FindingsReport, FixReport, findings, findings_of};
pub use follow::{FollowUpdate, FollowedChange, Following, follow};
pub use found::{FoundPart, found_in};
pub use import::{ImportReport, import};
pub use known::{KnownPlace, KnownSession, KnownSessions, SessionsKept};
pub use learn::{LearnedReport, ReadSessions, forget_learned, learn, learned};
pub use list::{ListReport, ListedSession, list};
pub use losses::{SummaryFact, SummaryLoss, summary_losses};
pub use memory::{
    FoundRow, MemoryChange, MemoryChoice, MemoryReport, RecallReport, RememberedRow, add_to_memory,
    forget_memory, memory, recall,
};
pub(crate) use model_access::ModelAccess;
pub use models::{
    EndpointChange, EndpointReport, KeptKey, ModelTest, ModelsReport, SavedEndpoint, forget_model, models,
    save_model, set_model_key, try_model,
};
pub use opened::{OpenedSession, session_with_call};
pub use page::page;
pub(crate) use page::page_of;
pub use patterns::{PatternsReport, patterns};
pub use places::{PlacesReport, choose_places, places};
pub use prompt::{PromptTokens, SegmentReport, Zone, prompt_of};
pub use replay::{AnswerReport, ReplayChoice, ReplayReport, replay};
pub use room::{Drop, RoomReport, room};
pub use run::{RunArtifact, RunCallReport, RunCompany, RunReport, RunState, run};
pub use scripts::{ScriptsReport, scripts};
pub use search::{SearchChoice, SearchReport, search};
pub use secrets::{SecretsChoice, SecretsReport, secrets};
pub use session::SessionReport;
pub use show::{SessionTokens, ShowReport, ShownSession, show};
pub use source::Source;
pub use stores::{StoresChoice, StoresReport, stores, stores_of};
pub use strata_capture::{AdkUpdate, Catch, Received, Signal};
pub use sweep::{BillReport, SweepChoice, SweepProgress, SweepReport, SweepRowReport, sweep};
pub use tables::{ExportedTable, TableColumns, TablesReport, export_tables, table_columns};
pub(crate) use times::utc_second;
pub use times::{utc_day, utc_minute};
pub use tokens::{
    AgentTokens, CallTokens, HiddenTokens, KindTotal, PartTokens, TokensReport, ToolTokens, tokens, tokens_of,
};
pub use usage::{UsageReport, usage};
pub use verify::{ModelVerification, VerifyReport, verify};

pub use crate::api::capture::CaptureDecision;
pub use crate::api::common::{
    Basis, Bill, CallRange, DiagnosticRow, DiagnosticSeverity, Kind, Remedy, RequestBasis, SummaryBill,
};
pub use crate::api::comparison::{
    AlignedCall, AlignedSide, CauseBreak, CauseRanking, ComparedSide, DifferenceCause, KindDifference,
    SessionComparison, SideName,
};
pub use crate::api::counts::{LearnedFrom, LearnedModel, LearnedRatio};
pub use crate::api::experiment::{ComparedCall, ExportFormat, ReportForm};
pub use crate::api::home::{HomePattern, HomeWaste};
pub use crate::api::job::{FailedFile, FileCounts};
pub use crate::api::model::{Api, Endpoint, Header};
pub use crate::api::place::{PlaceChoice, PlaceRow};
pub use crate::api::search::{SearchHit, SnippetPiece};
pub use crate::api::secret::{KeptSecrets, SecretKind, SessionSecrets};
pub use crate::api::stores::{
    AgentRow, HandOffRow, HandOffVia, KeyColumns, KeyRow, KeyScope, StatePage, ValueState,
};
pub use crate::api::stores_kept::{
    ArtifactsPage, Carried, ContextSighting, FileRow, LostFact, MemoryPage, MemorySearchRow, NodeRow,
    NodeState, NodesPage, RetentionLoss, SeenContext,
};
pub use crate::api::usage::{
    ApartReason, UnpricedModel, Usage, UsageApart, UsageBy, UsageFiles, UsagePlace, UsagePrice, UsageRow,
    UsageSums,
};
pub use crate::captures::{GateKeeper, HeldAtGate};
pub use crate::home::PatternQuestion;
pub use crate::run::{
    Continuation, HeldEdit, HeldReport, HoldCondition, HoldDecision, Holder, Step as HoldStep,
};
pub use crate::run::{FromCall, ModelChoice, Person, RunChoice, RunLimits, RunListener, RunNews};
pub use crate::run::{messages_in, named_state, named_values};
pub use crate::usage::UsageQuestion;
pub use crate::watch::{Step, Watch, Writing};

/// Of all documents.
pub const VERSION: u32 = 1;
