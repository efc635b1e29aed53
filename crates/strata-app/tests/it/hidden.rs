//! What providers counted as input and files do not show: a row of its own in the ledger.

use std::path::{Path, PathBuf};

use strata_app::report::{self, Basis, RequestBasis, TokensReport};
use strata_testkit::samples::{files_below, folders};

use crate::samples::{self, Unwatched};

/// Recorded files larger than this add time and no kind of session.
const MAX_BYTES: u64 = 150_000;

/// The ledgers of all sessions of a file; none where nothing can be read.
fn ledgers(path: &Path) -> Vec<TokensReport> {
    let source = samples::source(path);
    if let Ok(only) = report::tokens(&source, None, &Unwatched::default()) {
        return vec![only];
    }
    let Ok(shown) = report::show(&source, &Unwatched::default()) else { return Vec::new() };
    let sessions = shown.sessions.iter().map(|shown| &shown.session.id);
    sessions.filter_map(|id| report::tokens(&source, Some(id), &Unwatched::default()).ok()).collect()
}

/// The hidden row is what was reported beyond our count, call by call, and nothing of it is in any other row. A call without
/// a report has that of the one it goes on from.
#[track_caller]
fn check(ledger: &TokensReport, what: &str) {
    let counted: u64 = ledger.calls.iter().map(|call| u64::from(call.tokens)).sum();
    assert_eq!(ledger.total, counted, "{what}: calls");
    let parts: u64 = ledger.parts.iter().map(|part| part.lifetime_tokens).sum();
    assert_eq!(parts + ledger.overhead, counted, "{what}: parts");
    let kinds: u64 = ledger.kinds.iter().map(|kind| kind.lifetime_tokens).sum();
    assert_eq!(kinds + ledger.overhead, counted, "{what}: kinds");

    let mut hidden = Vec::new();
    let (mut sized, mut counted, mut overcounted) = (0, 0, 0);
    for call in &ledger.calls {
        assert_eq!(call.reported.is_some(), call.residual.is_some(), "{what}: C{}", call.call);
        let taken_over = call.hidden.map(|_| u64::from(call.prompt_tokens));
        let Some(of_call) = call.reported.or(taken_over) else { continue };
        let tokens = u64::from(call.tokens);
        let residual = call.reported.map(|reported| reported as i64 - tokens as i64);
        assert_eq!(call.residual, residual, "{what}: C{}", call.call);
        let beyond = of_call.saturating_sub(tokens);
        assert_eq!(call.hidden, Some(beyond), "{what}: C{}", call.call);
        hidden.extend((beyond > 0).then_some(beyond));
        overcounted += tokens.saturating_sub(of_call);
        sized += of_call;
        counted += tokens;
    }
    match ledger.hidden {
        None => assert!(ledger.calls.iter().all(|call| call.reported.is_none()), "{what}: no row"),
        Some(row) => {
            assert_eq!(row.calls as usize, hidden.len(), "{what}");
            assert_eq!(row.tokens, hidden.last().copied().unwrap_or(0), "{what}");
            assert_eq!(row.lifetime_tokens, hidden.iter().sum::<u64>(), "{what}");
            assert_eq!(row.overcounted_tokens, overcounted, "{what}");
            assert_eq!(sized, counted + row.lifetime_tokens - row.overcounted_tokens, "{what}");
        }
    }
    let of_agents: u64 = ledger.agents.iter().map(|agent| agent.hidden).sum();
    assert_eq!(of_agents, ledger.hidden.map_or(0, |row| row.lifetime_tokens), "{what}: agents");
}

/// Of the second call nothing is reported; its prompt goes on from the first one's, of which 46 tokens are hidden.
#[test]
fn a_call_without_a_report_hides_what_the_one_it_goes_on_from_does() {
    let ledgers = ledgers(&samples::of_formats().join("adk-run.sse"));
    let calls = &ledgers.first().expect("a session").calls;
    let seen: Vec<_> =
        calls.iter().map(|call| (call.reported, call.tokens, call.hidden, call.prompt_tokens)).collect();
    assert_eq!(seen, [(Some(80), 34, Some(46), 80), (None, 45, Some(46), 91)]);
}

#[test]
fn what_samples_hide_is_a_row_of_its_own() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut n_hiding = 0;
    for path in samples::committed(scratch.path()) {
        let ledgers = ledgers(&path);
        assert!(!ledgers.is_empty(), "{}", path.display());
        for ledger in &ledgers {
            check(ledger, &format!("{} {}", path.display(), ledger.session));
            n_hiding += usize::from(ledger.hidden.is_some_and(|row| row.calls > 0));
        }
    }
    assert!(n_hiding > 20, "{n_hiding}");
}

#[test]
fn what_recorded_sessions_hide_is_a_row_of_its_own() {
    for folder in folders() {
        let mut files = files_below(&folder);
        files.retain(|file| file.metadata().expect("a file").len() <= MAX_BYTES);
        let mut n_hiding = 0;
        for (path, ledger) in in_parallel(&files) {
            check(&ledger, &format!("{} {}", path.display(), ledger.session));
            n_hiding += usize::from(ledger.hidden.is_some_and(|row| row.calls > 0));
        }
        assert!(n_hiding > 0, "no session of {} hides anything", folder.display());
    }
}

fn in_parallel(files: &[PathBuf]) -> Vec<(PathBuf, TokensReport)> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|threads| {
        let all: Vec<_> = (0..n_threads)
            .map(|first| {
                threads.spawn(move || {
                    let own = files.iter().skip(first).step_by(n_threads);
                    own.flat_map(|path| ledgers(path).into_iter().map(|it| (path.clone(), it)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        all.into_iter().flat_map(|thread| thread.join().expect("a thread ends")).collect()
    })
}

/// Recorded files whose requests hold all that the model was given: system prompt, tools, messages. The repository's own
/// and those of the larger folder.
const WHOLE: [&str; 6] = [
    "openai-chat/desk.jsonl",
    "har/anthropic-stream-cache.har",
    "har/openai-chat-tools.har",
    "langfuse/koog-2025-08-26.trace.json",
    "mitmproxy/gemini-tools.flows",
    "openai-chat/test_openai_chat_prompt_cache_e2e.pairs.jsonl",
];

#[test]
fn whole_requests_hide_no_more_than_the_count_is_off() {
    let files: Vec<PathBuf> = folders()
        .iter()
        .flat_map(|folder| WHOLE.map(|file| folder.join(file)))
        .filter(|file| file.exists())
        .collect();
    let ledgers = in_parallel(&files);
    let calls = ledgers.iter().flat_map(|(path, ledger)| ledger.calls.iter().map(move |call| (path, call)));
    let sent = calls.filter(|(_, call)| call.request_basis == RequestBasis::Recorded);
    let mut n_checked = 0;
    for (path, call) in sent {
        let (Some(reported), Some(hidden)) = (call.reported, call.hidden) else { continue };
        // How providers write tools down is not published, and costs tens of tokens in the smallest of requests.
        let error = if call.basis == Basis::Exact { 0 } else { (reported * 35 / 100).max(100) };
        assert!(hidden <= error, "{} C{}: {hidden} of {reported}", path.display(), call.call);
        n_checked += 1;
    }
    assert!(n_checked > 3, "{n_checked}");
}
