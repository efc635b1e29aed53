//! However the lines of a file are written, they say the same.

use strata_import::{ImportedSession, import};

/// Samples that are lines, which some writers put into a list or on several lines each.
const LINES: [&str; 9] = [
    "claude-code.jsonl",
    "claude-code-subagents.jsonl",
    "claude-code-output.jsonl",
    "codex.jsonl",
    "codex-agent.jsonl",
    "gemini-cli.jsonl",
    "copilot-cli.jsonl",
    "goose-session.jsonl",
    "openhands.jsonl",
];

#[test]
fn how_lines_are_written_does_not_matter() {
    let mut n_sound = 0;
    for name in LINES {
        let bytes = crate::support::sample(name);
        let text = String::from_utf8(bytes.clone()).unwrap();
        let expected = import(&bytes).sessions;
        assert!(!expected.is_empty(), "{name}");
        let records: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let parsed = || records.iter().map(|line| strata_model::json::parse(line.as_bytes()));
        // Some samples have a broken line on purpose.
        let is_sound = parsed().all(|record| record.is_ok());
        let mut ways = vec![format!("\u{feff}{}\r\n", text.lines().collect::<Vec<_>>().join("\r\n"))];
        if is_sound {
            n_sound += 1;
            let pretty = parsed().map(|record| strata_model::json::to_pretty(&record.unwrap()));
            ways.push(pretty.collect::<Vec<_>>().join("\n"));
            ways.push(records.concat());
            ways.push(format!("[{}]", records.join(",")));
            ways.push(format!("[\r\n{}\r\n]\r\n", records.join(",\r\n")));
        }
        for (way, text) in ways.iter().enumerate() {
            let found = import(text.as_bytes());
            let sessions: Vec<_> = found.sessions.iter().map(|one| &one.session).collect();
            let wanted: Vec<_> = expected.iter().map(|one| &one.session).collect();
            assert!(sessions == wanted, "{name} in way {way}: {:?}", found.diagnostics);
            let facts =
                |one: &ImportedSession| (one.facts.user_turns, one.facts.input_tokens, one.title.clone());
            assert_eq!(
                found.sessions.iter().map(facts).collect::<Vec<_>>(),
                expected.iter().map(facts).collect::<Vec<_>>()
            );
        }
    }
    assert!(n_sound >= 7, "{n_sound}");
}
