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

pub(crate) const SAMPLES: [(&str, Format); 56] = [
    ("adk-saved-session.json", Format::AdkSession),
    ("adk-rest-session.json", Format::AdkSession),
    ("adk-dump-snake-case.json", Format::AdkSession),
    ("adk-run-events.jsonl", Format::AdkEvents),
    ("adk-run.sse", Format::AdkEventStream),
    ("adk-evalset.json", Format::AdkEvalSet),
    ("adk-legacy.test.json", Format::AdkEvalSet),
    ("adk-evalset-result.json", Format::AdkEvalResult),
    ("adk-sqlite-service.tables.json", Format::AdkSqlite),
    ("adk-database.tables.json", Format::AdkDatabase),
    ("claude-code.jsonl", Format::ClaudeCode),
    ("claude-code-subagents.jsonl", Format::ClaudeCode),
    ("claude-code-agent.jsonl", Format::ClaudeCode),
    ("claude-code-rewinds.jsonl", Format::ClaudeCode),
    ("codex.jsonl", Format::Codex),
    ("codex-agent.jsonl", Format::Codex),
    ("gemini-cli.jsonl", Format::GeminiCli),
    ("gemini-cli.json", Format::GeminiCli),
    ("gemini-cli-telemetry.log", Format::GeminiTelemetry),
    ("copilot-cli.jsonl", Format::CopilotCli),
    ("cline.messages.json", Format::Cline),
    ("cline-task.json", Format::Cline),
    ("opencode-export.json", Format::OpenCodeExport),
    ("opencode.tables.json", Format::OpenCode),
    ("goose.tables.json", Format::Goose),
    ("openhands.jsonl", Format::OpenHands),
    ("openhands-v0.json", Format::OpenHands),
    ("aider.chat.history.md", Format::Aider),
    ("messages.json", Format::Messages),
    ("messages-tuning.jsonl", Format::Messages),
    ("mini-swe-agent.traj.json", Format::MiniSweAgent),
    ("swe-agent.traj", Format::SweAgent),
    ("tau-bench.json", Format::TauBench),
    ("inspect.json", Format::Inspect),
    ("inspect.eval", Format::Inspect),
    ("provider-chat.jsonl", Format::ProviderLog),
    ("provider-responses.jsonl", Format::ProviderLog),
    ("provider-anthropic.jsonl", Format::ProviderLog),
    ("provider-gemini.jsonl", Format::ProviderLog),
    ("provider-bedrock.jsonl", Format::ProviderLog),
    ("provider-stream.sse", Format::ProviderLog),
    ("traffic.har", Format::Har),
    ("traffic.flows", Format::Mitmproxy),
    ("cassette.yaml", Format::Vcr),
    ("litellm.jsonl", Format::LiteLlm),
    ("otel-genai.jsonl", Format::Otlp),
    ("otel-legacy.jsonl", Format::Otlp),
    ("otel-openinference.jsonl", Format::Otlp),
    ("otel-adk.jsonl", Format::Otlp),
    ("adk-debug-trace.json", Format::AdkTrace),
    ("adk-debug-log.yaml", Format::AdkDebugLog),
    ("langfuse.json", Format::Langfuse),
    ("langsmith-runs.jsonl", Format::LangSmith),
    ("langsmith-ingest.jsonl", Format::LangSmith),
    ("langgraph.tables.json", Format::LangGraph),
    ("adk-pickle.tables.json", Format::AdkPickleDatabase),
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
const NOT_JSON: [Format; 4] = [Format::Aider, Format::Mitmproxy, Format::Vcr, Format::AdkDebugLog];

/// Every event knows where it was read from, and a JSON value stands there.
fn check_places(name: &str, format: Format, bytes: &[u8], imported: &Import) {
    let is_json = !NOT_JSON.contains(&format) && format != Format::Inspect && name != "provider-stream.sse";
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
    let expected = of_formats.chain(["README.md".to_owned(), "requests.md".to_owned()]);
    assert_eq!(
        there.map(|name| name.into_string().unwrap()).collect::<BTreeSet<_>>(),
        expected.collect(),
        "pages of no format"
    );
}
