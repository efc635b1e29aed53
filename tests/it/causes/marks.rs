//! What a client asks to be cached, and what it pays where it does not.

use strata_measure::analysis::Counting;
use strata_measure::findings::Finding;

use super::conversation::{Marked, Request, conversation, instruction};
use super::writers::Writer;
use super::{Found, read};

/// What is said of it.
pub(super) const FINDING: &str = "cache-not-asked";

fn marked(marked: Marked, change: impl Fn(usize, &mut Request)) -> Found {
    let mut requests = conversation();
    for (at, request) in requests.iter_mut().enumerate() {
        request.marked = marked;
        change(at, request);
    }
    read(Writer::AnthropicLog.read(&requests), &Counting::default())
}

fn not_asked(found: &Found) -> Option<&Finding> {
    found.findings.iter().find(|finding| finding.code == FINDING)
}

/// What is read from the cache by each call.
fn cached(found: &Found) -> Vec<u32> {
    found.caches.calls.iter().map(|call| call.bill.cached_tokens).collect()
}

#[test]
fn a_client_that_marks_its_prompts_is_told_nothing() {
    let found = marked(Marked::Usual, |_, _| {});
    assert_eq!(not_asked(&found), None);
    assert!(cached(&found)[1..].iter().all(|tokens| *tokens > 0), "{:?}", cached(&found));
}

#[test]
fn what_is_not_marked_is_paid_in_full_and_said() {
    let (all, found) = (marked(Marked::Usual, |_, _| {}), marked(Marked::Nothing, |_, _| {}));
    assert_eq!(cached(&found), vec![0; found.caches.calls.len()]);
    assert_eq!(found.said(), [], "nothing is lost of what was never kept");
    let finding = not_asked(&found).expect("a finding");
    // What marking would have saved is what a client that marks has.
    assert_eq!(finding.tokens(), all.caches.bill().cached_tokens);
    let costs = |found: &Found| found.caches.bill().cost_usd().expect("a price");
    let lost = finding.lost_usd.expect("a price");
    assert!((lost - (costs(&found) - costs(&all))).abs() < 1e-9, "{lost}");
    assert!(
        finding.message.starts_with("No request of model asks for its prompt to be cached: "),
        "{finding:?}"
    );
    let remedy = finding.remedy_in(found.writer).expect("a remedy");
    assert!(remedy.text.contains("cache_control"), "{remedy:?}");
}

#[test]
fn a_system_text_that_is_marked_alone_is_found_alone() {
    let (all, found) = (marked(Marked::Usual, |_, _| {}), marked(Marked::SystemText, |_, _| {}));
    let found_of_each = cached(&found);
    let head = found_of_each[1];
    assert!(head > 1_024 && found_of_each[1..].iter().all(|tokens| *tokens == head), "{found_of_each:?}");
    assert_eq!(found.said(), []);
    let finding = not_asked(&found).expect("a finding");
    assert_eq!(finding.tokens() + found.caches.bill().cached_tokens, all.caches.bill().cached_tokens);
    assert!(finding.message.starts_with("Requests of model do not mark their newest message"), "{finding:?}");
}

#[test]
fn a_first_message_that_is_marked_is_found_up_to_its_end() {
    let found = marked(Marked::FirstMessage, |_, _| {});
    let (sizes, found_of_each) =
        (found.caches.calls.iter().map(|call| call.bill.prompt_tokens), cached(&found));
    let first = sizes.take(1).sum::<u32>();
    assert!(found_of_each[1..].iter().all(|tokens| *tokens == first), "{found_of_each:?} of {first}");
    assert_eq!(found.said(), []);
    assert!(not_asked(&found).is_some());
}

#[test]
fn where_something_changes_at_the_head_marking_is_not_enough() {
    let found = marked(Marked::Nothing, |at, request| {
        request.system = vec![instruction(&format!("Now it is 2026-11-20T10:{at:02}:31Z."))];
    });
    let finding = not_asked(&found).expect("a finding");
    assert!(finding.message.contains("to ask is not enough: "), "{finding:?}");
    assert!(finding.message.contains("2026-11-20T10:00:31Z"), "{finding:?}");
    assert_eq!((finding.tokens(), finding.n_calls()), (0, found.caches.calls.len() as u64));
}

#[test]
fn where_calls_come_far_apart_marks_ask_for_longer() {
    let found = marked(Marked::Nothing, |at, request| request.time += at as f64 * 400.0);
    let finding = not_asked(&found).expect("a finding");
    assert!(
        finding.message.ends_with("Calls come so far apart that marks would ask for 1 h."),
        "{finding:?}"
    );
    let close = marked(Marked::Nothing, |_, _| {});
    assert_eq!(finding.tokens(), not_asked(&close).expect("a finding").tokens());
    let saved = |found: &Found| not_asked(found).and_then(|finding| finding.lost_usd).expect("a price");
    assert!(saved(&found) > 0.0 && saved(&found) < saved(&close), "to write for an hour costs more");
}
