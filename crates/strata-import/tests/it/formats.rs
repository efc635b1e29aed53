//! Every format, with one sample of our own making at least: recognised, read, read back.

use std::collections::BTreeSet;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use strata_import::{
    Detection, Format, Import, MemoryTables, OwnedValue, SourceRecord, TableSource, detect, detect_tables,
    import, import_tables,
};
use strata_model::{Json, json};

use crate::dump::dump;
use crate::support::{sample, samples_folder};

pub(crate) const SAMPLES: [(&str, Format); 110] = [
    ("adk-saved-session.json", Format::ADK_SESSION),
    ("adk-rest-session.json", Format::ADK_SESSION),
    ("adk-dump-snake-case.json", Format::ADK_SESSION),
    ("adk-run-events.jsonl", Format::ADK_EVENTS),
    ("adk-run.sse", Format::ADK_EVENT_STREAM),
    ("adk-evalset.json", Format::ADK_EVAL_SET),
    ("adk-legacy.test.json", Format::ADK_EVAL_SET),
    ("adk-evalset-result.json", Format::ADK_EVAL_RESULT),
    ("adk-sqlite-service.tables.json", Format::ADK_SQLITE),
    ("adk-database.tables.json", Format::ADK_DATABASE),
    ("adk-recording.jsonl", Format::ADK_RECORDING),
    ("adk-recording-workflow.jsonl", Format::ADK_RECORDING),
    ("adk-recording-1x.jsonl", Format::ADK_RECORDING),
    ("claude-code.jsonl", Format::CLAUDE_CODE),
    ("claude-code-subagents.jsonl", Format::CLAUDE_CODE),
    ("claude-code-agent.jsonl", Format::CLAUDE_CODE),
    ("claude-code-rewinds.jsonl", Format::CLAUDE_CODE),
    ("claude-code-output.jsonl", Format::CLAUDE_CODE),
    ("claude-code-journal.jsonl", Format::CLAUDE_CODE),
    ("claude-code-bodies.jsonl", Format::CLAUDE_BODIES),
    ("codex.jsonl", Format::CODEX),
    ("codex-agent.jsonl", Format::CODEX),
    ("gemini-cli.jsonl", Format::GEMINI_CLI),
    ("gemini-cli.json", Format::GEMINI_CLI),
    ("gemini-cli-telemetry.log", Format::GEMINI_TELEMETRY),
    ("copilot-cli.jsonl", Format::COPILOT_CLI),
    ("vscode-chat.jsonl", Format::VSCODE_CHAT),
    ("vscode-chat-export.json", Format::VSCODE_CHAT),
    ("vscode-chat-replay.json", Format::VSCODE_CHAT_REPLAY),
    ("cursor.tables.json", Format::CURSOR),
    ("cursor-agent.jsonl", Format::CURSOR_AGENT),
    ("cursor-transcript.jsonl", Format::CURSOR_AGENT),
    ("pi.jsonl", Format::PI),
    ("continue.json", Format::CONTINUE),
    ("droid.jsonl", Format::DROID),
    ("windsurf.jsonl", Format::WINDSURF),
    ("amp.json", Format::AMP),
    ("zed.tables.json", Format::ZED),
    ("kiro.tables.json", Format::KIRO),
    ("crush.tables.json", Format::CRUSH),
    ("specstory.md", Format::SPECSTORY),
    ("chatgpt.json", Format::CHATGPT),
    ("claude-ai.json", Format::CLAUDE_AI),
    ("ai-studio.json", Format::AI_STUDIO),
    ("cline.messages.json", Format::CLINE),
    ("cline-task.json", Format::CLINE),
    ("opencode-export.json", Format::OPENCODE_EXPORT),
    ("opencode.tables.json", Format::OPENCODE),
    ("goose.tables.json", Format::GOOSE),
    ("goose-session.jsonl", Format::GOOSE_FILE),
    ("openhands.jsonl", Format::OPENHANDS),
    ("openhands-v0.json", Format::OPENHANDS),
    ("aider.chat.history.md", Format::AIDER),
    ("messages.json", Format::MESSAGES),
    ("messages-tuning.jsonl", Format::MESSAGES),
    ("atif.json", Format::ATIF),
    ("pydantic-ai.json", Format::PYDANTIC_AI),
    ("openai-agents-trace.jsonl", Format::OPENAI_AGENTS_TRACE),
    ("openai-agents-responses.jsonl", Format::OPENAI_AGENTS_TRACE),
    ("openai-agents.tables.json", Format::OPENAI_AGENTS),
    ("mlflow-trace.json", Format::MLFLOW_TRACE),
    ("mlflow.tables.json", Format::MLFLOW),
    ("llama-index.json", Format::LLAMA_INDEX),
    ("llama-index.tables.json", Format::LLAMA_INDEX_DATABASE),
    ("autogen-team.json", Format::AUTOGEN),
    ("autogen-calls.jsonl", Format::AUTOGEN),
    ("smolagents.json", Format::SMOLAGENTS),
    ("smolagents-tools.json", Format::SMOLAGENTS),
    ("crewai.json", Format::CREWAI),
    ("crewai-log.json", Format::CREWAI),
    ("crewai.tables.json", Format::CREWAI_DATABASE),
    ("phoenix.tables.json", Format::PHOENIX),
    ("helicone.jsonl", Format::HELICONE),
    ("braintrust.jsonl", Format::BRAINTRUST),
    ("who-and-when.json", Format::WHO_AND_WHEN),
    ("semantic-kernel.json", Format::MESSAGES),
    ("mini-swe-agent.traj.json", Format::MINI_SWE_AGENT),
    ("swe-agent.traj", Format::SWE_AGENT),
    ("tau-bench.json", Format::TAU_BENCH),
    ("inspect.json", Format::INSPECT),
    ("inspect.eval", Format::INSPECT),
    ("provider-chat.jsonl", Format::PROVIDER_LOG),
    ("provider-responses.jsonl", Format::PROVIDER_LOG),
    ("provider-anthropic.jsonl", Format::PROVIDER_LOG),
    ("provider-gemini.jsonl", Format::PROVIDER_LOG),
    ("provider-bedrock.jsonl", Format::PROVIDER_LOG),
    ("provider-stream.sse", Format::PROVIDER_LOG),
    ("capture.jsonl", Format::CAPTURE),
    ("traffic.har", Format::HAR),
    ("traffic.flows", Format::MITMPROXY),
    ("cassette.yaml", Format::VCR),
    ("litellm.jsonl", Format::LITELLM),
    ("otel-genai.jsonl", Format::OTLP),
    ("otel-genai.binpb", Format::OTLP),
    ("otel-claude-code.jsonl", Format::OTLP),
    ("otel-claude-code-agents.jsonl", Format::OTLP),
    ("otel-codex.jsonl", Format::OTLP),
    ("otel-gemini-cli.jsonl", Format::OTLP),
    ("otel-adk-openinference.jsonl", Format::OTLP),
    ("otel-two-libraries.jsonl", Format::OTLP),
    ("otel-legacy.jsonl", Format::OTLP),
    ("otel-openinference.jsonl", Format::OTLP),
    ("otel-adk.jsonl", Format::OTLP),
    ("adk-debug-trace.json", Format::ADK_TRACE),
    ("adk-debug-log.yaml", Format::ADK_DEBUG_LOG),
    ("langfuse.json", Format::LANGFUSE),
    ("langsmith-runs.jsonl", Format::LANGSMITH),
    ("langsmith-ingest.jsonl", Format::LANGSMITH),
    ("langgraph.tables.json", Format::LANGGRAPH),
    ("adk-pickle.tables.json", Format::ADK_PICKLE_DATABASE),
];

#[test]
fn every_sample_is_recognised_read_and_read_back() {
    for (name, format) in SAMPLES {
        let bytes = sample(name);
        let imported = if format.is_database() {
            let mut tables = tables(&bytes);
            assert_eq!(detect_tables(&tables.tables().unwrap()), Detection::Readable(format), "{name}");
            import_tables(&mut tables)
        } else {
            assert_eq!(detect(&bytes), Detection::Readable(format), "{name}");
            check_places(name, format, &bytes, &import(&bytes));
            import(&bytes)
        };
        insta::assert_snapshot!(name, dump(&imported));
        check_round_trip(name, &imported);
    }
}

#[test]
fn every_format_and_every_file_of_the_folder_is_in_the_list() {
    let formats: BTreeSet<_> = SAMPLES.iter().map(|(_, format)| *format).collect();
    assert_eq!(formats, Format::ALL.into_iter().collect());
    let listed: BTreeSet<_> = SAMPLES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let there = std::fs::read_dir(samples_folder()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(there.map(|name| name.into_string().unwrap()).collect::<BTreeSet<_>>(), listed);
}

/// A session exported as ADK JSON comes back as the same session.
fn check_round_trip(name: &str, imported: &Import) {
    assert!(!imported.sessions.is_empty(), "{name}");
    for one in &imported.sessions {
        let text = json::to_compact(&one.session.to_json());
        let again = import(text.as_bytes());
        assert_eq!(again.diagnostics, [], "{name}");
        assert_eq!(again.sessions.len(), 1, "{name}");
        assert_eq!(again.sessions[0].session, one.session, "{name}");
        assert_eq!(again.sessions[0].summary(), one.summary(), "{name}");
    }
}

/// Formats that are not JSON, or hold it packed.
const NOT_JSON: [Format; 5] =
    [Format::AIDER, Format::SPECSTORY, Format::MITMPROXY, Format::VCR, Format::ADK_DEBUG_LOG];

/// Every event knows where it was read from, and a JSON value stands there.
fn check_places(name: &str, format: Format, bytes: &[u8], imported: &Import) {
    let is_packed = format == Format::INSPECT || ["provider-stream.sse", "otel-genai.binpb"].contains(&name);
    let is_json = !NOT_JSON.contains(&format) && !is_packed;
    for one in &imported.sessions {
        assert_eq!(one.sources.len(), one.session.events.len(), "{name}");
        let records = one.unmapped.records.values().flatten();
        for source in one.sources.iter().flatten().chain(records) {
            let SourceRecord::Bytes(range) = source else { panic!("{name}: {source:?}") };
            let text = &bytes[range.start as usize..range.end as usize];
            assert!(!text.is_empty(), "{name}: {range:?}");
            let is_object = || matches!(json::parse(text), Ok(Json::Object(_)));
            assert!(!is_json || is_object(), "{name}: {range:?}");
        }
    }
}

/// A database written down as `{table: {columns, rows}}`.
pub(crate) fn tables(text: &[u8]) -> MemoryTables {
    let document = json::parse(text).unwrap();
    let mut tables = MemoryTables::new();
    for (name, table) in document.as_object().unwrap().iter() {
        let columns: Vec<_> = table.get("columns").unwrap().as_array().unwrap().iter().collect();
        let columns: Vec<_> = columns.iter().map(|column| column.as_str().unwrap()).collect();
        let rows = table.get("rows").unwrap().as_array().unwrap();
        let rows = rows.iter().map(|row| row.as_array().unwrap().iter().map(value).collect());
        tables.add(name, &columns, rows.collect());
    }
    tables
}

fn value(value: &Json) -> OwnedValue {
    match value {
        Json::Null => OwnedValue::Null,
        Json::Int(number) => OwnedValue::Integer(*number),
        Json::Float(number) => OwnedValue::Real(*number),
        Json::String(text) => OwnedValue::Text(text.to_string()),
        Json::Object(blob) => {
            let text = blob.get("base64").and_then(Json::as_str).unwrap();
            OwnedValue::Blob(STANDARD.decode(text).unwrap())
        }
        other => panic!("no value of a row: {}", other.kind()),
    }
}

#[test]
fn the_table_in_the_readme_names_every_format_and_its_samples() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let rows: Vec<Vec<&str>> = readme
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    for format in Format::ALL {
        let id = format!("`{}`", format.id());
        let row = rows.iter().find(|row| row[0] == id).unwrap_or_else(|| panic!("no row for {id}"));
        assert_eq!(row.len(), 4, "columns of the row of {id}");
        assert_eq!(row[1], format.name(), "name of {id}");
        let samples: BTreeSet<_> = row[3].split(", ").map(|sample| sample.trim_matches('`')).collect();
        let expected = SAMPLES.iter().filter(|(_, it)| *it == format).map(|(name, _)| *name);
        assert_eq!(samples, expected.collect(), "samples of {id}");
    }
    assert_eq!(rows.len(), Format::ALL.len(), "rows that name no format");
}

#[test]
fn every_format_has_a_page_that_names_its_samples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats");
    let read = |name: &str| {
        std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let index = read("README.md");
    for format in Format::ALL {
        let id = format.id();
        let page = read(&format!("{id}.md"));
        let head = format!("# {}\n\n`{id}`: ", format.name());
        assert!(page.starts_with(&head), "the head of the page of {id}");
        let link = format!("| [{}]({id}.md) |", format.name());
        let row = index.lines().find(|line| line.starts_with(&link));
        let row = row.unwrap_or_else(|| panic!("no row for {id} in the index"));
        for (sample, _) in SAMPLES.iter().filter(|(_, it)| *it == format) {
            let sample = format!("`{sample}`");
            assert!(page.contains(&sample), "the page of {id} does not name {sample}");
            assert!(row.contains(&sample), "the row of {id} does not name {sample}");
        }
    }
    let there = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let of_formats = Format::ALL.into_iter().map(|format| format!("{}.md", format.id()));
    let expected = of_formats.chain(["README.md", "adk-services.md", "requests.md"].map(str::to_owned));
    assert_eq!(
        there.map(|name| name.into_string().unwrap()).collect::<BTreeSet<_>>(),
        expected.collect(),
        "pages of no format"
    );
}
