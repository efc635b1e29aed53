//! The one list of commands.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use strata_model::secret as secrets;
use ts_rs::TS;

use crate::Strata;
use crate::api::{
    app, cache, call, capture, common, comparison, counts, event, experiment, finding, home, job, lab,
    lab_batch, lab_prediction, lesson, model, palette, part, place, processor, run, script, search, secret,
    session, state, stores, stores_kept, usage, verification,
};
use crate::error::{AppError, ErrorCode};

/// How long a command follows edits of what it asks about.
const PATIENCE: Duration = Duration::from_secs(20);

/// Something a caller can ask for. The type itself holds the parameters.
pub trait Command: DeserializeOwned + TS + 'static {
    /// `resource/verb`.
    const NAME: &'static str;
    /// What it does, in a sentence, for the table of commands.
    const SUMMARY: &'static str;
    type Output: Answer;
}

/// What a command does, with the parts of the app that it needs. It may take long: hosts call it off their event loops.
pub(crate) trait Handler: Command {
    fn run(self, strata: &Strata) -> Result<Self::Output, AppError>;
}

/// The answer to a command as it leaves the app.
#[derive(Debug)]
pub enum Reply {
    /// JSON text.
    Json(String),
    Bytes(Vec<u8>),
}

/// What a command returns: a JSON shape, or bytes for columns of numbers.
pub trait Answer {
    fn type_name(config: &ts_rs::Config) -> String;
    fn visit_types(visitor: &mut impl ts_rs::TypeVisitor);
    fn into_reply(self) -> Result<Reply, AppError>;
}

impl<T: Serialize + TS + 'static> Answer for T {
    fn type_name(config: &ts_rs::Config) -> String {
        T::name(config)
    }

    fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
        visitor.visit::<T>();
    }

    fn into_reply(self) -> Result<Reply, AppError> {
        let text = serde_json::to_string(&self)
            .map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))?;
        Ok(Reply::Json(text))
    }
}

/// Columns of numbers, laid out as the command's documentation says. Not JSON.
#[derive(Debug)]
pub struct Bytes(pub Vec<u8>);

impl Answer for Bytes {
    fn type_name(_: &ts_rs::Config) -> String {
        "ArrayBuffer".into()
    }

    fn visit_types(_: &mut impl ts_rs::TypeVisitor) {}

    fn into_reply(self) -> Result<Reply, AppError> {
        Ok(Reply::Bytes(self.0))
    }
}

macro_rules! commands {
    ($($name:literal $command:ty => $output:ty: $summary:literal;)*) => {
        $(
            impl Command for $command {
                const NAME: &'static str = $name;
                const SUMMARY: &'static str = $summary;
                type Output = $output;
            }
        )*

        /// Name and summary of every command, in the order of the list.
        pub const COMMANDS: &[(&str, &str)] = &[$(($name, $summary)),*];

        impl Strata {
            /// Runs the command called `name` with parameters as JSON text. It blocks for as long as the command takes.
            pub fn dispatch(&self, name: &str, params: &str) -> Result<Reply, AppError> {
                match name {
                    $($name => answer::<$command>(self, params),)*
                    _ => Err(AppError::bad_input(format!("There is no command `{name}`."))),
                }
            }
        }

        /// Shows every command's types to `visit`.
        pub(crate) fn for_each_command(visit: &mut impl CommandVisitor) {
            $(visit.command::<$command>();)*
        }
    };
}

/// Runs a command. Where what it asks about was edited while it waited, it is run again on what there is now: a
/// command waits before it changes anything.
fn answer<C: Handler>(strata: &Strata, params: &str) -> Result<Reply, AppError> {
    let start = Instant::now();
    loop {
        let command: C = serde_json::from_str(params).map_err(|error| {
            AppError::bad_input(format!("The parameters of `{}` are not valid: {error}.", C::NAME))
        })?;
        match command.run(strata) {
            Err(error) if error.is_superseded && start.elapsed() < PATIENCE => {}
            done => return Ok(masked::<C>(strata, done?.into_reply()?)),
        }
    }
}

/// What is written to files says itself whether it masks.
const EXPORTS: [&str; 2] = ["experiment/export", "experiment/report"];

/// Where views mask secrets, the answer does.
fn masked<C: Command>(strata: &Strata, reply: Reply) -> Reply {
    match reply {
        Reply::Json(text) if strata.workspace.masks_secrets() && !EXPORTS.contains(&C::NAME) => {
            let masked = secrets::mask_in_place(&text).map(|masked| masked.text);
            Reply::Json(masked.unwrap_or(text))
        }
        reply => reply,
    }
}

pub(crate) trait CommandVisitor {
    fn command<C: Command>(&mut self);
}

commands! {
    "app/start" app::Start => app::StartInfo: "What the window needs for its first frame";
    "app/setSettings" app::SetSettings => app::Settings: "Stores the settings";
    "app/recorder" app::Recorder => app::RecorderFile: "The plugin that records a google-adk app, as a Python file";
    "app/prices" app::PriceTable => Vec<app::PriceRow>: "What models cost, with sources";
    "app/setPrice" app::SetPrice => Vec<app::PriceRow>: "Sets a price of one's own for a model";
    "app/forgetPrice" app::ForgetPrice => Vec<app::PriceRow>: "Forgets a price that was set";
    "app/cacheRules" app::CacheRuleTable => Vec<app::CacheRuleRow>: "How providers find a prefix again, with sources";
    "app/storage" app::Storage => app::StorageInfo: "Where sessions are kept, and how much space they take";
    "secret/state" secret::State => secret::SecretState: "Whether what looks like a key is masked in what is stored, and what was found last";
    "secret/look" secret::Look => session::JobStarted: "Looks through all that is stored for what looks like a key, as a job";
    "secret/mask" secret::Mask => session::JobStarted: "Masks what looks like a key in all that is stored, for good, as a job";
    "secret/keep" secret::Keep => secret::SecretState: "Stores what comes from now on as it was said";
    "counts/learned" counts::Learned => counts::LearnedCounts: "What stored sessions told of how providers count";
    "counts/learn" counts::Learn => session::JobStarted: "Learns from all stored sessions how providers count, as a job";
    "counts/forget" counts::Forget => counts::LearnedCounts: "Forgets what stored sessions told of how providers count";
    "session/list" session::List => session::SessionPage: "Sessions in the store, most recently opened first";
    "session/import" session::Import => session::JobStarted: "Reads files and folders, as a job";
    "session/importUploads" session::ImportUploads => session::JobStarted: "Reads files that were uploaded, as one job";
    "session/addRequests" session::AddRequests => session::RequestsAdded: "Gives a session the requests that another file recorded";
    "session/open" session::Open => session::SessionHeader: "Makes a session ready and compiles its calls in the background";
    "session/header" session::Header => session::SessionHeader: "The numbers of an open session, as far as it is compiled";
    "session/setApp" session::SetApp => session::SessionHeader: "Compiles a session with this app configuration from now on";
    "session/setModel" session::SetModel => session::SessionHeader: "Counts and prices a session that names no model as if sent to one";
    "session/setServices" session::SetServices => session::SessionHeader: "Compiles a session with the files and the memory of its app";
    "session/compare" comparison::CompareSessions => comparison::SessionComparison: "Two sessions of one task, before and after a change: what makes the difference";
    "session/follow" session::Follow => session::FollowState: "Reads the file of a session again whenever it changes, or stops that";
    "session/remove" session::Remove => session::Removed: "Takes a session out of the store";
    "call/columns" call::Columns => Bytes: "Columns of the strip: size, cached, kinds, agent and marks of calls";
    "call/map" call::Map => Bytes: "The parts of the prompts of a range of calls";
    "call/get" call::Get => call::CallDetail: "One call: prompt, cache, report, residual";
    "call/bill" call::RangeBill => common::Bill: "What the calls of a range come to";
    "call/verify" verification::Verify => verification::Verification: "A second opinion on the count of a call's prompt";
    "call/stages" call::Stages => call::StageList: "The processors that compiled a call";
    "call/stageParts" call::StageParts => call::PartPage: "What a stage did, part by part";
    "call/text" call::StageText => call::TextPage: "The prompt after a stage as text, with the source of each segment";
    "call/json" call::StageJson => call::JsonPage: "The request after a stage as JSON";
    "call/state" state::CallState => state::StateValues: "The state at a call, with the fields a state map can keep";
    "cache/breaks" cache::Breaks => cache::BreakPage: "Calls of which less is found in a cache than could be, and the sums";
    "cache/ladder" cache::Ladder => Bytes: "Sizes and prefixes of the prompts of calls";
    "cache/rows" cache::Rows => Bytes: "The parts of the prompts of some calls, as their providers read them";
    "cache/why" cache::Why => cache::CallCacheDetail: "What the cache does for one call, and why not more";
    "cache/difference" cache::Difference => cache::PromptDifference: "One difference between a prompt and the one it could have continued";
    "cache/fixes" cache::Fixes => cache::FixList: "Changes that would keep more in the cache, replayed over all calls";
    "stores/state" stores::State => stores::StatePage: "Every key of the state, with its value at a call and over all calls";
    "stores/key" stores::Key => stores::KeyDetail: "One key of the state: its versions, who wrote it, who reads it, what that cost";
    "stores/agents" stores::Agents => stores::AgentPage: "The agents of a session, and where one goes on after another";
    "stores/handOff" stores::HandOff => stores::HandOffDetail: "What one agent had and the next one saw, part by part";
    "stores/artifacts" stores_kept::Artifacts => stores_kept::ArtifactsPage: "The files that agents saved, with what loading them cost";
    "stores/memory" stores_kept::Memory => stores_kept::MemoryPage: "What agents searched for in memory, found, and used";
    "stores/nodes" stores_kept::Nodes => stores_kept::NodesPage: "Runs of nodes: what came of each, and what they wait for";
    "stores/contexts" stores_kept::Contexts => stores_kept::ContextsPage: "Contexts of served apps, with those that expired";
    "stores/context" stores_kept::Context => stores_kept::ContextDetail: "One context: what takes its room, and what would be lost with it";
    "stores/counts" stores_kept::Counts => stores_kept::StoreCounts: "How many there are in each store";
    "stores/archiveContext" stores_kept::ArchiveContext => stores_kept::ContextDetail: "Puts a context away until its client comes back";
    "stores/expireContext" stores_kept::ExpireContext => stores_kept::ContextDetail: "Ends a context before its time; it is archived";
    "stores/handOffText" stores::HandOffText => stores::HandOffDiff: "A part in the prompts of both agents, line by line";
    "part/get" part::Get => part::PartDetail: "One part of a request: size, source, what it was made from";
    "part/text" part::Text => part::PartText: "A page of a part's text with its tokens";
    "part/diff" part::Diff => part::PartDiff: "A part before and after a stage, line by line";
    "event/page" event::Page => event::EventPage: "Rows of the event table, sorted and filtered";
    "event/get" event::Get => event::EventDetail: "One event: cost, fate, source, content";
    "event/stratum" event::Stratum => event::StratumRuns: "Where an event lies in the prompts that carried it";
    "experiment/list" experiment::List => experiment::ExperimentList: "Experiments over a session";
    "experiment/create" experiment::Create => experiment::ExperimentDetail: "Makes an experiment over a session";
    "experiment/get" experiment::Get => experiment::ExperimentDetail: "An experiment with its edits, and what came of each";
    "experiment/rename" experiment::Rename => experiment::ExperimentDetail: "Gives an experiment another name";
    "experiment/duplicate" experiment::Duplicate => experiment::ExperimentDetail: "Makes another experiment with the same edits";
    "experiment/remove" experiment::Remove => session::Removed: "Takes an experiment out of the store";
    "experiment/edit" experiment::AddEdits => experiment::ExperimentDetail: "Adds edits to an experiment and compiles it again";
    "experiment/undo" experiment::Undo => experiment::ExperimentDetail: "Takes back the last edit";
    "experiment/redo" experiment::Redo => experiment::ExperimentDetail: "Makes the edit again that was taken back last";
    "experiment/preview" experiment::Preview => experiment::PreviewResult: "What edits would do to a call and to all calls, without making them";
    "experiment/promises" experiment::Promises => experiment::PromiseList: "What applied fixes promised, and what they save";
    "experiment/compare" experiment::Compare => experiment::Comparison: "Two experiments over a session, call by call";
    "experiment/compareParts" experiment::CompareParts => call::PartPage: "The requests of a call in two experiments, part by part";
    "experiment/compareText" experiment::CompareText => part::PartDiff: "A part of a request in two experiments, line by line";
    "experiment/export" experiment::Export => experiment::Exported: "An experiment as a patch of a google-adk app, as google-adk Python, as an app configuration, or as a file of edits";
    "experiment/report" experiment::Report => experiment::Exported: "A session or an experiment as a report: one page for a browser, or a picture";
    "processor/catalog" processor::Catalog => processor::ProcessorCatalog: "Kinds of processors that can be inserted, with their parameters";
    "script/check" script::Check => script::ScriptReport: "Reads a script, and tries it on a call";
    "script/list" script::List => script::ScriptList: "Scripts that are saved, with the folder they are in";
    "script/get" script::Get => script::ScriptSource: "The text of a saved script";
    "script/save" script::Save => script::ScriptList: "Saves a script in the folder";
    "script/remove" script::Remove => script::ScriptList: "Removes a saved script";
    "findings/list" finding::List => finding::FindingList: "What is worth a person's time, with fixes that were tried on all calls";
    "findings/apply" finding::Apply => experiment::ExperimentDetail: "Makes the edits of a fix";
    "lesson/list" lesson::List => lesson::LessonList: "The lessons that come with Strata and in class files, and how far they are";
    "lesson/get" lesson::Get => lesson::LessonPage: "A lesson: its text, its goals with hints, and its solutions if they are asked for";
    "lesson/start" lesson::Start => experiment::ExperimentDetail: "Makes an experiment over a lesson's session";
    "lesson/grade" lesson::Grade => lesson::LessonGrade: "Grades an experiment and answers, and remembers what is met";
    "lesson/hint" lesson::Hint => lesson::HintsTaken: "Notes that a learner took hints to a goal";
    "lesson/remove" lesson::Remove => lesson::LessonList: "Takes a lesson of a class file out of the list; its results stay";
    "lesson/results" lesson::Results => experiment::Exported: "What was done in lessons, as a table or as a file to hand in";
    "place/list" place::List => place::PlaceList: "Where agents leave their sessions on this computer";
    "place/choose" place::Choose => place::PlaceList: "Says which places Home may read";
    "home/get" home::Get => home::HomePage: "What agents did on this computer, as far as it may be read: sums, days, sessions, waste that comes back";
    "home/read" home::Read => home::HomeReading: "Looks for new and changed files in the places that may be read, and reads them in the background";
    "usage/get" usage::Get => usage::Usage: "What the calls of agents on this computer used, by day, project, model, tool or session";
    "search/find" search::Find => search::FoundPage: "Events and sessions with words in them, over everything stored";
    "palette/search" palette::Search => palette::PaletteResults: "Places in a session that match what is typed";
    "palette/ask" palette::Ask => palette::Answer: "The answer to a question about the session";
    "lab/plan" lab::Plan => lab::LabReplay: "What a configuration of compaction would have done to a session";
    "lab/sweep" lab::Sweep => session::JobStarted: "Replays a grid of configurations, as a job";
    "lab/sweepResult" lab::SweepResult => Option<lab::LabSweep>: "The rows of a sweep, as they come";
    "lab/estimate" lab_prediction::EstimateRun => lab_prediction::LabEstimate: "What a run with a model would take, before anything is sent";
    "lab/run" lab::Run => session::JobStarted: "Runs a configuration with a model, as a job";
    "lab/runResult" lab::RunResult => lab::LabRun: "A run as far as it is";
    "lab/runs" lab::Runs => lab::LabRunList: "Runs over a session, as they are stored";
    "lab/resume" lab::Resume => session::JobStarted: "Goes on with a run that was stopped or failed, as a job";
    "lab/forgetRun" lab::ForgetRun => session::Removed: "Takes a run out of the store";
    "lab/apply" lab::Apply => experiment::ExperimentDetail: "Lays the summaries of a run over its session, as an edit";
    "lab/batchPlan" lab_batch::PlanBatch => lab_batch::BatchPlan: "What runs of several configurations with several models would take";
    "lab/batch" lab_batch::StartBatch => lab_batch::BatchStarted: "Runs several configurations with several models within a budget, as a job";
    "lab/batchResume" lab_batch::ResumeBatch => lab_batch::BatchStarted: "Goes on with the cells of a batch that have not ended, as a job";
    "lab/batchResult" lab_batch::BatchResult => lab_batch::LabBatch: "A batch as far as it is";
    "lab/batches" lab_batch::Batches => lab_batch::BatchList: "Batches over a session, as they are stored";
    "lab/forgetBatch" lab_batch::ForgetBatch => session::Removed: "Takes a batch out of the store; its runs stay";
    "lab/probePlan" lab::PlanProbes => lab::LabProbePlan: "Questions about a window of a run, and what asking them would cost";
    "lab/probe" lab::Probes => session::JobStarted: "Asks a model about a window, from its events and from its summary, as a job";
    "lab/probeResult" lab::ProbeResult => lab::LabProbes: "What a model could answer from a summary";
    "lab/loss" lab::Loss => lab::LabLoss: "What the summary of a window no longer tells";
    "call/replayPreview" model::ReplayPreview => model::ReplayRequest: "A call in a provider's form, and what sending it would cost";
    "call/replay" model::Replay => session::JobStarted: "Sends a call again, as a job";
    "call/replayResult" model::ReplayResult => model::ReplayAnswer: "The answer to a call that was sent again";
    "model/list" model::List => model::ModelList: "Endpoints that are set up or were found here, with their models";
    "model/save" model::Save => model::ModelList: "Sets an endpoint up";
    "model/forget" model::Forget => model::ModelList: "Takes an endpoint off the list, with its key";
    "model/setKey" model::SetKey => model::ModelList: "Keeps an endpoint's key in the key store";
    "model/test" model::Test => model::TestAnswer: "Tries an endpoint with one word";
    "run/deeds" run::Deeds => run::RunDeeds: "What running an app would start and reach beside models, and whether somebody has agreed to it";
    "run/agree" run::Agree => run::RunDeeds: "Agrees to what running an app starts and reaches";
    "run/start" run::Start => run::RunStatus: "Begins to run an app, in a new session or in one that is stored";
    "run/send" run::Send => session::JobStarted: "Says something to a run's agents, or answers what they wait for, as a job";
    "run/get" run::Get => run::RunStatus: "A run as it is";
    "run/conversation" run::Conversation => run::RunConversation: "What was said and done in a run's session";
    "run/setHolds" run::SetHolds => run::RunStatus: "Holds a run's calls on these conditions from now on";
    "run/edit" run::Edit => run::RunStatus: "Changes what the held call would send";
    "run/release" run::Release => run::RunStatus: "Decides about the call that is held";
    "run/list" run::List => run::RunList: "Runs of this program";
    "run/stop" run::Stop => run::RunStatus: "Ends a run; its session stays";
    "capture/start" capture::Start => capture::CaptureState: "Listens for clients, and writes what they send to their models";
    "capture/get" capture::Get => capture::CaptureState: "What clients sent while it listened";
    "capture/stop" capture::Stop => capture::CaptureState: "Listens no more";
    "capture/setHolds" capture::SetHolds => capture::CaptureState: "Holds requests of clients on these conditions before they are sent";
    "capture/release" capture::Release => capture::CaptureState: "Decides about a request that is held";
    "job/list" job::List => job::JobList: "Running and ended jobs";
    "job/cancel" job::Cancel => job::JobList: "Asks a job to stop";
    "job/dismiss" job::Dismiss => job::JobList: "Takes an ended job off the list";
}
