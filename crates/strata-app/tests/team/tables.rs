//! Tables for other engines are the documents of the command line, row by row.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use strata_app::report::{Source, TablesReport, cache, export_tables, findings, table_columns, tokens};
use strata_parquet::{Form, Value, read};

use crate::watch::Nobody;

type Row = BTreeMap<String, Value>;

fn export(names: &[&str], folder: &Path) -> TablesReport {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    export_tables(&names, &Source::default(), None, folder, true, &Nobody::new()).unwrap()
}

fn rows(folder: &Path, table: &str) -> Vec<Row> {
    let rows = read(&folder.join(format!("{table}.parquet"))).unwrap();
    rows.into_iter().map(|row| row.into_iter().collect()).collect()
}

/// As JSON has it.
fn plain(value: &Value) -> Json {
    match value {
        Value::Missing => Json::Null,
        Value::Text(text) => json!(text),
        Value::Integer(number) | Value::Time(number) => json!(number),
        Value::Number(number) => json!(number),
        Value::Flag(flag) => json!(flag),
    }
}

/// Rows have the values of a list of the document, by these pairs of a column and a field.
#[track_caller]
fn compare(rows: &[Row], list: &[&Json], pairs: &[(&str, &str)]) {
    assert_eq!(rows.len(), list.len());
    for (row, item) in rows.iter().zip(list) {
        for (column, field) in pairs {
            let expected = item.pointer(field).cloned().unwrap_or(Json::Null);
            let found = plain(&row[*column]);
            match (found.as_f64(), expected.as_f64()) {
                (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-12, "{column}"),
                _ => assert_eq!(found, expected, "{column}"),
            }
        }
    }
}

/// Recorded sessions of our own: one whose provider reported, and one of requests.
fn transcripts() -> [String; 2] {
    ["claude-code/garden.jsonl", "openai-chat/desk.jsonl"]
        .map(|name| strata_testkit::samples::own().join(name).display().to_string())
}

fn source(name: &str) -> Source {
    Source { name: name.to_owned(), ..Source::default() }
}

#[test]
fn tables_are_the_documents_of_the_same_session() {
    let folder = tempfile::tempdir().unwrap();
    let transcripts = transcripts();
    let names: Vec<String> = std::iter::once("sample".to_owned()).chain(transcripts).collect();
    for name in names {
        let written = export(&[&name], folder.path());
        let (source, nobody) = (source(&name), Nobody::new());
        let tokens = serde_json::to_value(tokens(&source, None, &nobody).unwrap()).unwrap();
        let cache = serde_json::to_value(cache(&source, None, &nobody).unwrap()).unwrap();
        let found = serde_json::to_value(findings(&source, None, &nobody).unwrap()).unwrap();
        let list = |document: &Json, name: &str| -> Vec<Json> { document[name].as_array().unwrap().clone() };
        let (counted, cached) = (list(&tokens, "calls"), list(&cache, "calls"));
        let calls = rows(folder.path(), "calls");
        compare(
            &calls,
            &counted.iter().collect::<Vec<_>>(),
            &[
                ("call", "/call"),
                ("agent", "/agent"),
                ("model", "/model"),
                ("is_answered", "/answered"),
                ("request_basis", "/requestBasis"),
                ("prompt_tokens", "/promptTokens"),
                ("prompt_tokens_basis", "/promptBasis"),
                ("counted_tokens", "/tokens"),
                ("counted_tokens_basis", "/basis"),
                ("reported_tokens", "/reported"),
                ("hidden_tokens", "/hidden"),
                ("cached_tokens", "/cachedTokens"),
                ("prefix_match_tokens", "/stablePrefix"),
                ("cost_usd", "/cost"),
            ],
        );
        compare(
            &calls,
            &cached.iter().collect::<Vec<_>>(),
            &[
                ("is_paid", "/paid"),
                ("predicted_cached_tokens", "/predictedCachedTokens"),
                ("predicted_written_tokens", "/predictedWrittenTokens"),
                ("cacheable_tokens", "/ceilingTokens"),
                ("cached_tokens", "/cachedTokens"),
            ],
        );
        compare(
            &rows(folder.path(), "parts"),
            &list(&tokens, "parts").iter().collect::<Vec<_>>(),
            &[
                ("origin", "/origin"),
                ("kind", "/kind"),
                ("n_calls", "/calls"),
                ("tokens", "/tokens"),
                ("lifetime_tokens", "/lifetimeTokens"),
                ("fresh_tokens", "/freshTokens"),
                ("matched_tokens", "/cachedTokens"),
                ("cost_usd", "/cost"),
            ],
        );
        let broken: Vec<&Json> = cached
            .iter()
            .filter(|call| !call["break"].is_null() && call["break"]["cause"] != "below_minimum")
            .collect();
        compare(
            &rows(folder.path(), "breaks"),
            &broken,
            &[
                ("call", "/call"),
                ("cause", "/break/cause"),
                ("is_avoidable", "/break/isAvoidable"),
                ("previous_call", "/break/previousCall"),
                ("at_token", "/break/atToken"),
                ("rebilled_tokens", "/break/rebilledTokens"),
                ("cost_usd", "/break/cost"),
                ("change_kind", "/break/change/kind"),
            ],
        );
        compare(
            &rows(folder.path(), "findings"),
            &list(&found, "findings").iter().collect::<Vec<_>>(),
            &[
                ("code", "/code"),
                ("kind", "/kind"),
                ("severity", "/severity"),
                ("tokens", "/tokens"),
                ("cost_usd", "/cost"),
                ("fix", "/fix/title"),
                ("fix_saves_tokens", "/fix/savesTokens"),
            ],
        );
        let n_rows: Vec<u64> = written.tables.iter().map(|table| table.rows).collect();
        assert_eq!(n_rows[0], counted.len() as u64);
        assert_eq!((written.sessions, written.incomplete), (1, false));
    }
}

#[test]
fn several_sessions_are_in_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let transcripts = transcripts();
    let one = export(&["sample"], folder.path());
    let other = export(&[&transcripts[0]], folder.path());
    let both = export(&["sample", &transcripts[0]], folder.path());
    assert_eq!(both.sessions, 2);
    for ((one, other), both) in one.tables.iter().zip(&other.tables).zip(&both.tables) {
        assert_eq!(one.rows + other.rows, both.rows, "{}", both.file);
    }
    let calls = rows(folder.path(), "calls");
    let sources: std::collections::BTreeSet<String> =
        calls.iter().map(|row| format!("{:?}", row["source"])).collect();
    assert_eq!(sources.len(), 2);
    // Nothing else is left there.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn columns_have_the_form_that_they_promise() {
    let folder = tempfile::tempdir().unwrap();
    export(&["sample"], folder.path());
    for table in table_columns() {
        let rows = rows(folder.path(), table.name);
        for column in table.columns {
            for row in &rows {
                let is_right = match (&row[column.name], column.form) {
                    (Value::Missing, _) => column.is_optional,
                    (Value::Text(_), Form::Text)
                    | (Value::Integer(_), Form::Integer)
                    | (Value::Number(_), Form::Number)
                    | (Value::Flag(_), Form::Flag)
                    | (Value::Time(_), Form::Time) => true,
                    _ => false,
                };
                assert!(is_right, "{}.{}: {:?}", table.name, column.name, row[column.name]);
            }
        }
    }
}

#[test]
fn secrets_are_masked_and_what_fails_leaves_the_old_tables() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables");
    // In a text and in the name of the file: both are in the tables.
    let key = "sk-0123456789abcdefghij";
    let file = folder.path().join(format!("OPENAI_API_KEY={key}.jsonl"));
    let line = |role: &str, text: &str| json!({ "role": role, "content": text });
    let said =
        json!({ "messages": [line("user", &format!("OPENAI_API_KEY={key}")), line("assistant", "Noted.")] });
    fs::write(&file, said.to_string()).unwrap();
    let written = export(&[&file.display().to_string()], &tables);
    assert!(written.diagnostics.iter().any(|found| found.code == "masked-secrets"));
    let bytes: Vec<u8> = ["calls", "parts", "breaks", "findings"]
        .iter()
        .flat_map(|table| fs::read(tables.join(format!("{table}.parquet"))).unwrap())
        .collect();
    assert!(!bytes.windows(key.len()).any(|window| window == key.as_bytes()));
    let before = rows(&tables, "calls");
    let missing = ["/nowhere.jsonl".to_owned()];
    let failed = export_tables(&missing, &Source::default(), None, &tables, true, &Nobody::new());
    assert!(failed.is_err());
    assert_eq!(rows(&tables, "calls"), before);
    assert_eq!(fs::read_dir(&tables).unwrap().count(), 4);
}
