//! Counting what an import gave, for files that are written down in a test.

use std::collections::BTreeSet;

use strata_import::{Facts, Import, import};

/// The numbers that are compared; every session of a file counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) sessions: usize,
    pub(crate) turns: u64,
    pub(crate) responses: u64,
    pub(crate) calls: u64,
    pub(crate) results: u64,
    /// Input, cached, output with thoughts.
    pub(crate) tokens: [u64; 3],
    pub(crate) errors: u64,
}

pub(crate) fn facts(import: &Import) -> impl Iterator<Item = &Facts> {
    import.sessions.iter().map(|session| &session.facts)
}

pub(crate) fn count(import: &Import) -> Counted {
    let mut counted = Counted { sessions: import.sessions.len(), ..Counted::default() };
    for facts in facts(import) {
        counted.turns += facts.user_turns;
        counted.responses += facts.model_responses;
        counted.calls += facts.tool_calls;
        counted.results += facts.tool_results;
        counted.errors += facts.error_events;
        let tokens = [facts.input_tokens, facts.cached_tokens, facts.output_tokens + facts.thoughts_tokens];
        for (sum, more) in counted.tokens.iter_mut().zip(tokens) {
            *sum += more;
        }
    }
    counted
}

/// Reads a file and compares `[sessions, user turns, responses, calls, results]` and `[input, cached, output]`.
#[track_caller]
pub(crate) fn check(format: &str, bytes: impl AsRef<[u8]>, numbers: [u64; 5], tokens: [u64; 3]) -> Import {
    let bytes = bytes.as_ref();
    let shown = String::from_utf8_lossy(bytes);
    let imported = import(bytes);
    let formats: BTreeSet<&str> = imported.sessions.iter().map(|session| session.format.id()).collect();
    assert_eq!(formats.into_iter().collect::<Vec<_>>(), [format], "{shown}\n{:?}", imported.diagnostics);
    let [sessions, turns, responses, calls, results] = numbers;
    let expected = Counted {
        sessions: usize::try_from(sessions).unwrap(),
        turns,
        responses,
        calls,
        results,
        tokens,
        errors: count(&imported).errors,
    };
    assert_eq!(count(&imported), expected, "{shown}");
    check_cuts(bytes);
    imported
}

/// Wherever a file breaks off, something is said.
#[track_caller]
pub(crate) fn check_cuts(bytes: &[u8]) {
    for end in (0..bytes.len()).step_by(bytes.len() / 97 + 1) {
        let cut = import(&bytes[..end]);
        assert!(
            !cut.sessions.is_empty() || !cut.diagnostics.is_empty(),
            "{}",
            String::from_utf8_lossy(&bytes[..end])
        );
    }
}

/// All words of a session, an event a line.
pub(crate) fn words(import: &Import) -> String {
    let events = import.sessions.iter().flat_map(|session| &session.session.events);
    let lines = events.map(|event| {
        let texts = event.parts().iter().filter_map(|part| part.text.as_deref());
        format!("{}: {}", event.author, texts.collect::<Vec<_>>().join("|"))
    });
    lines.collect::<Vec<_>>().join("\n")
}
