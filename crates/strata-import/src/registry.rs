//! Every format, by one row: what it is called, how it is recognised, how it is read.
//!
//! A file is what the first row says that recognises it, so the telling ones stand first: a list of plain messages may be
//! found in many formats, a line of a Codex rollout in no other.

use Reads::{Documents, Pieces, Records, Tables, Whole};
use Sign::{Bytes, InTables, ListOf, Object, Text, Values};
use strata_model::Json;

use crate::adk::{self, AdkFormats};
use crate::agents::{
    aider, amp, cline, codex, continue_dev, copilot, crush, cursor, droid, gemini_cli, goose, kiro, opencode,
    openhands, pi, specstory, vscode_chat, windsurf, zed,
};
use crate::chats::{ai_studio, chatgpt, claude_ai};
use crate::claude;
use crate::document_file::{DocumentFile, DocumentFormat};
use crate::findings::Findings;
use crate::format::{Format, Traits, UnreadFormat};
use crate::frameworks::{autogen, crewai, llama_index, openai_agents, pydantic_ai, smolagents, unread};
use crate::head::Head;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::pieces::PieceReader;
use crate::records::RecordFile;
use crate::tables::{self, Table, TableError, TableSource};
use crate::telemetry::{
    adk_trace, braintrust, gemini_telemetry, langfuse, langgraph, langsmith, mlflow, otlp, phoenix,
};
use crate::traffic::{capture, claude_bodies, har, helicone, litellm, mitmproxy, provider_log, vcr};
use crate::trajectories::{atif, inspect, messages, mini_swe, swe_agent, tau_bench, who_and_when};
use crate::values::Value;

/// What is known of a format.
pub(crate) struct Row {
    pub(crate) format: Format,
    /// Any of them gives it away.
    pub(crate) signs: &'static [Sign],
    pub(crate) reads: Reads,
}

/// What gives a format away.
pub(crate) enum Sign {
    /// An object of the file, or the first element of a list that tells something.
    Object(fn(Keys<'_>) -> bool),
    /// An element of a list, which is asked before what it could be by itself.
    ListOf(fn(Keys<'_>) -> bool),
    /// The values a file begins with, together.
    Values(fn(&[Json]) -> bool),
    /// The beginning of a file that is no JSON.
    Text(fn(&Head<'_>) -> bool),
    /// The beginning of a file that is no text.
    Bytes(fn(&[u8]) -> bool),
    InTables(fn(&[Table]) -> bool),
}

/// The sessions of a database, or why its tables could not be read.
type FromTables = Result<Vec<ImportedSession>, TableError>;

/// How the sessions of a format are read.
#[derive(Clone, Copy)]
pub(crate) enum Reads {
    /// From all bytes of a file, without the mark that may stand before UTF-8 text.
    Whole(fn(&[u8], Format, &mut Findings) -> Vec<ImportedSession>),
    /// From its records, a value a line or the elements of one list.
    Records(fn(Vec<Value>, Format, &mut Findings) -> Vec<ImportedSession>),
    /// From JSON documents, one after the other, wherever lines end.
    Documents(&'static DocumentFormat),
    /// From its bytes as they come in.
    Pieces(fn(Format) -> Box<dyn PieceReader>),
    /// From the tables of a database.
    Tables(fn(&mut dyn TableSource, Format, &mut Findings) -> FromTables),
}

/// Makes the list of rows, and a name for the format of each.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident($id:literal, $called:literal, $traits:expr) [$($sign:expr),*] => $reads:expr;)*) => {
        impl Format {
            $($(#[$doc])* pub const $name: Self = Self::new($id, $called, $traits);)*

            /// Every format, in the order in which files are held against them.
            pub const ALL: [Self; [$($id),*].len()] = [$(Self::$name),*];
        }

        /// Every format, in the order in which files are held against them.
        pub(crate) static ROWS: &[Row] =
            &[$(Row { format: Format::$name, signs: &[$($sign),*], reads: $reads }),*];
    };
}

formats! {
    /// What Strata's own recorder writes.
    ADK_RECORDING("adk-recording", "ADK recording", Traits::None)
        [Object(adk::is_recording)] => Records(adk::read_recording);
    /// Rollouts of every version, and what `codex exec --json` puts out.
    CODEX("codex-rollout-jsonl", "Codex rollout", Traits::None)
        [Object(codex::is_rollout)] => Pieces(codex::reader);
    /// The object of old versions and the log of new ones; chats of Qwen Code.
    GEMINI_CLI("gemini-cli-chat-jsonl", "Gemini CLI chat", Traits::None)
        [Object(gemini_cli::is_chat)] => Documents(&gemini_cli::DOCUMENTS);
    COPILOT_CLI("copilot-cli-events-jsonl", "Copilot CLI event log", Traits::None)
        [Object(copilot::is_log)] => Pieces(copilot::reader);
    /// The log of changes of a chat, the document of older versions, and what is exported.
    VSCODE_CHAT("vscode-chat", "VS Code chat", Traits::None)
        [Object(vscode_chat::is_chat)] => Documents(&vscode_chat::DOCUMENTS);
    /// The requests of Copilot's chat, as it exports them.
    VSCODE_CHAT_REPLAY("vscode-chat-replay", "VS Code chat replay", Traits::None)
        [Object(vscode_chat::replay::is_replay)] => Documents(&vscode_chat::replay::DOCUMENTS);
    /// The database of Cursor's editor.
    CURSOR("cursor-sqlite", "Cursor database", Traits::None)
        [InTables(cursor::is_database)] => Tables(cursor::read_tables);
    /// What Cursor's agent puts out, and its transcripts.
    CURSOR_AGENT("cursor-agent-jsonl", "Cursor agent log", Traits::None)
        [Values(cursor::is_output), Object(cursor::is_transcript)] => Records(cursor::read);
    /// Sessions of Pi, and what `pi --mode json` puts out.
    PI("pi-session-jsonl", "Pi session", Traits::None)
        [Object(pi::is_session)] => Records(pi::read);
    CONTINUE("continue-session-json", "Continue session", Traits::None)
        [Object(continue_dev::is_session)] => Documents(&continue_dev::DOCUMENTS);
    DROID("droid-session-jsonl", "Droid session", Traits::None)
        [Object(droid::is_transcript)] => Records(droid::read);
    /// What Cascade writes down for a hook.
    WINDSURF("windsurf-transcript-jsonl", "Windsurf transcript", Traits::None)
        [Object(windsurf::is_step)] => Records(windsurf::read);
    AMP("amp-thread-json", "Amp thread", Traits::None)
        [Object(amp::is_thread)] => Documents(&amp::DOCUMENTS);
    /// Threads of Zed's agent.
    ZED("zed-sqlite", "Zed database", Traits::None)
        [InTables(zed::is_database)] => Tables(zed::read_tables);
    /// Conversations of Kiro's command line, and of Amazon Q's before it.
    KIRO("kiro-sqlite", "Kiro database", Traits::None)
        [InTables(kiro::is_database)] => Tables(kiro::read_tables);
    CRUSH("crush-sqlite", "Crush database", Traits::None)
        [InTables(crush::is_database)] => Tables(crush::read_tables);
    /// Markdown of other agents' sessions.
    SPECSTORY("specstory-markdown", "SpecStory history", Traits::None)
        [Text(specstory::is_history)] => Whole(specstory::read);
    CHATGPT("chatgpt-export", "ChatGPT export", Traits::None)
        [Object(chatgpt::is_conversation)] => Documents(&chatgpt::DOCUMENTS);
    CLAUDE_AI("claude-ai-export", "Claude.ai export", Traits::None)
        [Object(claude_ai::is_conversation)] => Documents(&claude_ai::DOCUMENTS);
    AI_STUDIO("ai-studio-chat", "AI Studio chat", Traits::None)
        [Object(ai_studio::is_chat)] => Documents(&ai_studio::DOCUMENTS);
    /// Conversations of Cline and Roo: those of the command line, and the task folders of the extension.
    CLINE("cline-messages-json", "Cline conversation", Traits::None)
        [Values(cline::is_task_folder), Values(cline::is_task), ListOf(cline::is_message), Object(cline::is_conversation)]
        => Whole(cline::read);
    /// Sessions of goose that are not in its database.
    GOOSE_FILE("goose-session-json", "goose session", Traits::None)
        [Object(goose::is_session)] => Documents(&goose::DOCUMENTS);
    /// Events of OpenHands, of both generations.
    OPENHANDS("openhands-events-json", "OpenHands conversation", Traits::None)
        [ListOf(openhands::is_old_event), Object(openhands::is_conversation)] => Documents(&openhands::DOCUMENTS);
    OPENCODE_EXPORT("opencode-export-json", "opencode export", Traits::None)
        [Object(opencode::is_export)] => Whole(opencode::read_export);
    SWE_AGENT("swe-agent-traj", "SWE-agent trajectory", Traits::None)
        [Object(swe_agent::is_trajectory)] => Whole(swe_agent::read);
    MINI_SWE_AGENT("mini-swe-agent-traj", "mini-swe-agent trajectory", Traits::None)
        [Object(mini_swe::is_trajectory)] => Whole(mini_swe::read);
    /// The JSON of `inspect_ai`, and the archive of it.
    INSPECT("inspect-ai-log", "Inspect log", Traits::None)
        [Bytes(inspect::is_archive), Object(inspect::is_log)] => Whole(inspect::read);
    TAU_BENCH("tau-bench-json", "tau-bench result", Traits::None)
        [ListOf(tau_bench::is_run), Object(tau_bench::is_result)] => Whole(tau_bench::read);
    /// Spans and log records of any tracer, as OTLP, as Tempo and Jaeger give them out, or as SDKs print them.
    OTLP("otlp-json-traces", "OpenTelemetry data", Traits::Trace)
        [Bytes(otlp::is_protobuf), Object(otlp::is_telemetry)] => Documents(&otlp::DOCUMENTS);
    /// What `telemetry.outfile` gets: SDK objects, one after the other.
    GEMINI_TELEMETRY("gemini-cli-telemetry", "Gemini CLI telemetry", Traits::None)
        [Object(gemini_telemetry::is_record)] => Documents(&gemini_telemetry::DOCUMENTS);
    /// Trajectories that Harbor keeps of every agent it runs, and those of programs that write its format.
    ATIF("atif-json", "ATIF trajectory", Traits::None)
        [Object(atif::is_trajectory)] => Documents(&atif::DOCUMENTS);
    PYDANTIC_AI("pydantic-ai-messages", "Pydantic AI messages", Traits::None)
        [Object(pydantic_ai::is_messages)] => Documents(&pydantic_ai::DOCUMENTS);
    /// What a processor of traces is given, and what the exporter sends.
    OPENAI_AGENTS_TRACE("openai-agents-trace", "OpenAI Agents trace", Traits::None)
        [Object(openai_agents::is_trace)] => Documents(&openai_agents::DOCUMENTS);
    OPENAI_AGENTS("openai-agents-sqlite", "OpenAI Agents session database", Traits::None)
        [InTables(openai_agents::is_database)] => Tables(openai_agents::read_tables);
    MLFLOW_TRACE("mlflow-trace", "MLflow trace", Traits::None)
        [Object(mlflow::is_trace)] => Documents(&mlflow::DOCUMENTS);
    MLFLOW("mlflow-sqlite", "MLflow database", Traits::None)
        [InTables(mlflow::is_database)] => Tables(mlflow::read_tables);
    /// A memory, what stands around it, or its messages.
    LLAMA_INDEX("llama-index-memory", "LlamaIndex memory", Traits::None)
        [ListOf(llama_index::is_message), Object(llama_index::is_memory)] => Documents(&llama_index::DOCUMENTS);
    LLAMA_INDEX_DATABASE("llama-index-sqlite", "LlamaIndex memory database", Traits::None)
        [InTables(llama_index::is_database)] => Tables(llama_index::read_tables);
    /// Results, states and messages, and the log of events.
    AUTOGEN("autogen-json", "AutoGen conversation", Traits::None)
        [ListOf(autogen::is_message), Object(autogen::is_conversation)] => Documents(&autogen::DOCUMENTS);
    SMOLAGENTS("smolagents-memory", "smolagents run", Traits::None)
        [ListOf(smolagents::is_step), Object(smolagents::is_result)] => Documents(&smolagents::DOCUMENTS);
    /// The output of a crew or a task, and the log of tasks.
    CREWAI("crewai-output-json", "CrewAI output", Traits::None)
        [ListOf(crewai::is_output), Object(crewai::is_output)] => Documents(&crewai::DOCUMENTS);
    CREWAI_DATABASE("crewai-sqlite", "CrewAI task database", Traits::None)
        [InTables(crewai::is_database)] => Tables(crewai::read_tables);
    PHOENIX("phoenix-sqlite", "Phoenix database", Traits::None)
        [InTables(phoenix::is_database)] => Tables(phoenix::read_tables);
    HELICONE("helicone-export", "Helicone export", Traits::None)
        [Object(helicone::is_request)] => Documents(&helicone::DOCUMENTS);
    BRAINTRUST("braintrust-spans", "Braintrust spans", Traits::None)
        [Object(braintrust::is_span)] => Documents(&braintrust::DOCUMENTS);
    WHO_AND_WHEN("who-and-when", "Who&When case", Traits::None)
        [Object(who_and_when::is_case)] => Whole(who_and_when::read);
    /// What Strata's own gateway writes.
    CAPTURE("strata-capture", "captured traffic", Traits::Trace)
        [Object(capture::is_log)] => Records(capture::read);
    HAR("har-1.2", "HTTP archive", Traits::Headers)
        [Object(har::is_archive)] => Whole(har::read);
    LANGFUSE("langfuse-trace", "Langfuse trace", Traits::None)
        [Object(langfuse::is_export)] => Documents(&langfuse::DOCUMENTS);
    VCR("vcr-cassette-yaml", "VCR cassette", Traits::Headers)
        [Object(vcr::is_cassette), Text(vcr::is_yaml)] => Whole(vcr::read);
    LITELLM("litellm-log", "LiteLLM log", Traits::None)
        [Object(litellm::is_payload)] => Documents(&litellm::DOCUMENTS);
    LANGSMITH("langsmith-runs", "LangSmith runs", Traits::None)
        [Object(langsmith::is_run)] => Documents(&langsmith::DOCUMENTS);
    /// The spans that `adk web` shows, with the requests in them.
    ADK_TRACE("adk-debug-trace", "ADK debug trace", Traits::Trace)
        [ListOf(adk_trace::is_span), Object(adk_trace::is_trace)] => Whole(adk_trace::read);
    /// What `OTEL_LOG_RAW_API_BODIES=file:FOLDER` gets.
    CLAUDE_BODIES("claude-code-bodies", "Claude Code request folder", Traits::Trace)
        [Object(claude_bodies::is_index)] => Whole(claude_bodies::read);
    /// Transcripts, and what `claude -p` puts out.
    CLAUDE_CODE("claude-code-jsonl", "Claude Code transcript", Traits::None)
        [Object(claude::is_record)] => Pieces(claude::reader);
    /// An evaluation set, or a legacy `.test.json`: one session a case.
    ADK_EVAL_SET("adk-evalset", "ADK evaluation set", Traits::InText)
        [ListOf(adk::is_query), Object(adk::is_eval_set)] => Whole(adk_document);
    /// The result of `adk eval`, with the sessions it ran.
    ADK_EVAL_RESULT("adk-evalset-result", "ADK evaluation result", Traits::InText)
        [Object(adk::is_eval_result)] => Whole(adk_document);
    /// A saved session, a REST answer, a web export, a dump in either spelling, a list of events as `POST /run` answers;
    /// one or several in a file.
    ADK_SESSION("adk-session-json", "ADK session", Traits::InText)
        [ListOf(adk::is_event), Object(adk::is_session)] => Whole(adk_document);
    /// `adk run --jsonl`.
    ADK_EVENTS("adk-events-jsonl", "ADK event log", Traits::None)
        [Object(adk::is_event)] => Pieces(adk::event_lines);
    /// The server-sent events of `POST /run_sse`.
    ADK_EVENT_STREAM("adk-run-sse", "ADK event stream", Traits::None)
        [Text(adk::is_event_stream)] => Pieces(adk::event_stream);
    /// Messages without anything around them, or a conversation a line.
    MESSAGES("messages-json", "list of messages", Traits::None)
        [ListOf(messages::is_listed_message), Object(messages::is_talk)] => Documents(&messages::DOCUMENTS);
    /// Requests to models and their answers in any dialect, whole or streamed.
    PROVIDER_LOG("provider-log-jsonl", "log of model requests", Traits::None)
        [Object(provider_log::is_record), Text(provider_log::is_stream_of_answers)] => Documents(&provider_log::DOCUMENTS);
    AIDER("aider-chat-history-md", "Aider chat history", Traits::None)
        [Text(aider::is_history)] => Whole(aider::read);
    /// What `DebugLoggingPlugin` writes.
    ADK_DEBUG_LOG("adk-debug-log-yaml", "ADK debug log", Traits::Trace)
        [Text(adk::is_debug_log)] => Whole(adk::read_debug_log);
    MITMPROXY("mitmproxy-flows", "mitmproxy flow file", Traits::Headers)
        [Text(mitmproxy::is_flow_file)] => Whole(mitmproxy::read);
    /// A database of `DatabaseSessionService`, schema 1.
    ADK_DATABASE("adk-db-v1-json", "ADK session database (schema 1)", Traits::None)
        [InTables(adk::is_database)] => Tables(|source, format, findings| Ok(adk::read_database(source, format, findings)));
    /// The database of `SqliteSessionService`.
    ADK_SQLITE("adk-sqlite-service", "ADK session database", Traits::None)
        [InTables(adk::is_sqlite)] => Tables(|source, format, findings| Ok(adk::read_sqlite(source, format, findings)));
    /// A database of `DatabaseSessionService` before 1.22, whose actions are Python pickles.
    ADK_PICKLE_DATABASE("adk-db-v0-pickle", "ADK session database (schema 0)", Traits::None)
        [InTables(adk::is_pickle_database)] => Tables(|source, format, findings| Ok(adk::read_pickle_database(source, format, findings)));
    OPENCODE("opencode-sqlite", "opencode database", Traits::None)
        [InTables(opencode::is_database)] => Tables(opencode::read_tables);
    GOOSE("goose-sqlite", "goose database", Traits::None)
        [InTables(goose::is_database)] => Tables(goose::read_tables);
    LANGGRAPH("langgraph-sqlite", "LangGraph checkpoint database", Traits::None)
        [InTables(langgraph::is_database)] => Tables(langgraph::read_tables);
}

/// Formats that are recognised to be refused by name.
pub(crate) static UNREAD: &[(UnreadFormat, Sign)] = &[
    (UnreadFormat::ADK_BEFORE_1, Object(adk::is_before_1)),
    (UnreadFormat::SPAN_DATABASE, InTables(|all| tables::has(all, "spans"))),
    (
        UnreadFormat::LLM_LOGS,
        InTables(|all| tables::has_column(all, "responses", "prompt") && tables::has(all, "conversations")),
    ),
    (UnreadFormat::AGNO, Object(unread::is_agno)),
    (UnreadFormat::PRINTED_DSPY, Object(unread::is_printed_dspy)),
    (UnreadFormat::CODEX_INDEX, InTables(|all| tables::has_column(all, "threads", "rollout_path"))),
];

/// A document of ADK's may hold sessions of several formats.
fn adk_document(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    const FORMATS: AdkFormats = AdkFormats {
        events: Format::ADK_EVENTS,
        eval_set: Format::ADK_EVAL_SET,
        eval_result: Format::ADK_EVAL_RESULT,
    };
    adk::read_document(bytes, format, FORMATS, findings)
}

impl Format {
    pub(crate) fn reads(self) -> Reads {
        ROWS.iter().find(|row| row.format == self).expect("every format is made by its row").reads
    }

    /// Reads files of the format as they come in; `None` for those that are read as one, and for databases.
    pub(crate) fn piece_reader(self) -> Option<Box<dyn PieceReader>> {
        match self.reads() {
            Pieces(reader) => Some(reader(self)),
            Records(read) => Some(Box::new(RecordFile::new(self, read))),
            Documents(documents) => Some(Box::new(DocumentFile::new(self, documents))),
            Whole(_) | Tables(_) => None,
        }
    }

    /// Whether sessions come out of database tables rather than out of the bytes of a file.
    pub fn is_database(self) -> bool {
        matches!(self.reads(), Tables(_))
    }
}
