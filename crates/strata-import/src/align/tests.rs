//! Conversations as letters: `u:` a prompt, `m:` an answer, `t:` a result, `s:` the system prompt.

use strata_model::{FunctionCall, Json, Object, Part};
use strata_wire::Answer;
use strata_wire::message::{Role, Turn};

use super::*;
use crate::imported::Alignment;
use crate::source::SourceRecord;

fn turn(text: &str) -> Turn {
    let (role, words) = text.split_once(':').unwrap();
    let role = match role {
        "s" => Role::System,
        "m" | "c" => Role::Model,
        "t" => Role::Tool,
        _ => Role::User,
    };
    let mut turn = Turn::new(role);
    turn.parts.push(match text.split_once(':').unwrap().0 {
        "c" => Part::from_call(FunctionCall {
            id: Some(words.into()),
            name: Some("task".into()),
            args: Some(std::sync::Arc::new(Object::from_iter([("prompt", Json::from(words))]))),
            ..FunctionCall::default()
        }),
        _ => Part::from_text(words),
    });
    turn
}

fn exchange(number: usize, request: &str, answer: &str) -> Step {
    let turns = request.split(", ").map(turn).collect();
    let answer = (!answer.is_empty()).then(|| Answer {
        id: Some(format!("r{number}").into()),
        turn: Some(turn(answer)),
        ..Answer::default()
    });
    Step::Exchange(Box::new(Exchange {
        time: Some(number as f64),
        ..Exchange::new(SourceRecord::Bytes(0..1), Json::Object(Object::new()), turns, answer)
    }))
}

/// Events of every session as text, and the alignment of every request as `shared+appended-removed~rewritten`.
fn told(exchanges: &[(&str, &str)]) -> String {
    let steps = exchanges.iter().enumerate().map(|(at, (request, answer))| exchange(at + 1, request, answer));
    let sessions =
        sessions(steps.collect(), Draft::new("test", "agent"), Format::HAR, &mut Findings::default());
    let mut out = Vec::new();
    for one in &sessions {
        let events = one.session.events.iter().map(|event| {
            let compaction = event.actions.compaction.as_ref().and_then(|it| it.compacted_content.as_ref());
            let parts = compaction.map_or(event.parts(), |content| content.parts());
            let text = parts.iter().map(|part| match &part.function_call {
                Some(call) => format!("call {}", call.id.as_deref().unwrap_or_default()),
                None => part.text.as_deref().unwrap_or_default().to_owned(),
            });
            let text = text.collect::<Vec<_>>().join("+");
            let sign = if event.is_compaction() { "=" } else { "" };
            let branch = event.branch.as_deref().map(|branch| format!("@{branch}")).unwrap_or_default();
            format!("{}{branch}{sign}:{text}", &event.author[..1])
        });
        let requests = one.requests.iter().map(|request| {
            let Alignment { shared, appended, removed, rewritten } = request.alignment;
            format!("{shared}+{appended}-{removed}~{rewritten}")
        });
        out.push(format!(
            "{} | {}",
            events.collect::<Vec<_>>().join(" "),
            requests.collect::<Vec<_>>().join(" ")
        ));
    }
    out.join("\n")
}

#[test]
fn requests_that_grow_are_one_conversation() {
    let got = told(&[("s:be kind, u:a", "m:b"), ("s:be kind, u:a, m:b, u:c", "m:d")]);
    assert_eq!(got, "u:be kind u:a a:b u:c a:d | 0+1-0~0 2+1-0~0");
}

#[test]
fn a_changed_system_prompt_is_said_again() {
    let got = told(&[("s:one, u:a", "m:b"), ("s:two, u:a, m:b, u:c", "m:d")]);
    assert_eq!(got, "u:one u:a a:b u:two u:c a:d | 0+1-0~0 2+1-0~0");
}

#[test]
fn an_answer_that_comes_back_in_other_words_is_one_event() {
    let got = told(&[("u:a", "m:b"), ("u:a, m:B, u:c", "m:d"), ("u:a, m:B, u:c, m:d, u:e", "m:f")]);
    assert_eq!(got, "u:a a:b u:c a:d u:e a:f | 0+1-0~0 1+1-1~1 4+1-0~0");
}

#[test]
fn a_summary_in_the_place_of_messages_is_a_compaction() {
    let got = told(&[
        ("u:a", "m:b"),
        ("u:a, m:b, u:c", "m:d"),
        ("u:a, m:b, u:c, m:d, u:e", "m:f"),
        ("u:sum, u:e, m:f, u:g", "m:h"),
        ("u:sum, u:e, m:f, u:g, m:h, u:i", "m:j"),
    ]);
    assert_eq!(
        got,
        "u:a a:b u:c a:d u:e a:f u=:sum u:g a:h u:i a:j | 0+1-0~0 2+1-0~0 4+1-0~0 0+1-4~1 5+1-0~0"
    );
}

#[test]
fn messages_that_are_told_anew_are_no_summary() {
    let first = [("u:at 10 show orders", "m:b"), ("u:at 10 show orders, m:b, u:at 10 show bills", "m:d")];
    let stamped = "u:at 11 show orders, m:b, u:at 11 show bills, m:d, u:e";
    let got = told(&[first[0], first[1], (stamped, "m:f")]);
    let events =
        "u:at 10 show orders a:b u:at 10 show bills a:d u:at 11 show orders u:at 11 show bills u:e a:f";
    assert_eq!(got, format!("{events} | 0+1-0~0 2+1-0~0 0+1-2~2"));
    // Two answers in each other's place.
    let got =
        told(&[("u:a", "m:one"), ("u:a, m:one, u:b", "m:two"), ("u:a, m:two, u:b, m:one, u:c", "m:three")]);
    assert!(!got.contains("=:"), "{got}");
    // A first message that tells of all the others besides is a summary of them.
    let summary = format!("show orders. {}", "So far late orders were found and paid. ".repeat(8));
    let got = told(&[
        ("u:show orders", "m:b"),
        ("u:show orders, m:b, u:c", "m:d"),
        ("u:show orders, m:b, u:c, m:d, u:e", "m:f"),
        (&format!("u:{summary}, u:e, m:f, u:g"), "m:h"),
    ]);
    assert!(got.contains("u=:show orders. So far"), "{got}");
}

#[test]
fn messages_that_are_left_out_at_the_beginning_are_no_compaction() {
    let got = told(&[
        ("u:a", "m:b"),
        ("u:a, m:b, u:c", "m:d"),
        ("u:a, m:b, u:c, m:d, u:e", "m:f"),
        ("u:e, m:f, u:g", "m:h"),
    ]);
    assert_eq!(got, "u:a a:b u:c a:d u:e a:f u:g a:h | 0+1-0~0 2+1-0~0 4+1-0~0 0+1-4~0");
}

#[test]
fn a_cleared_result_is_counted() {
    let got = told(&[("u:a", "m:b"), ("u:a, m:b, t:big", "m:d"), ("u:a, m:b, t:cleared, m:d, u:e", "m:f")]);
    assert_eq!(got, "u:a a:b a:big a:d a:cleared u:e a:f | 0+1-0~0 2+1-0~0 2+1-1~1");
}

#[test]
fn requests_that_share_nothing_are_conversations_of_their_own() {
    let got = told(&[("u:a", "m:b"), ("u:x", "m:y"), ("u:a, m:b, u:c", "m:d")]);
    assert_eq!(got, "u:a a:b u:c a:d | 0+1-0~0 2+1-0~0\nu:x a:y | 0+1-0~0");
}

#[test]
fn a_prompt_that_a_call_holds_is_that_of_a_sub_agent() {
    let got = told(&[
        ("u:a", "c:find every file"),
        ("s:you are a finder, u:find every file", "m:two"),
        ("u:a, c:find every file, t:two", "m:done"),
    ]);
    let expected = "u@main:a a@main:call find every file u@agent.find every file:you are a finder u@agent.find every \
                    file:find every file a@agent.find every file:two a@main:two a@main:done | 0+1-0~0 0+1-0~0 2+1-0~0";
    assert_eq!(got, expected);
    let timed = told(&[
        ("u:a", "c:find every file"),
        ("s:you are a finder, u:<time>12:00</time> find every file", "m:two"),
        ("u:a, c:find every file, t:two", "m:done"),
    ]);
    assert_eq!(timed, expected.replace(":find every file a@", ":<time>12:00</time> find every file a@"));
}

#[test]
fn a_request_without_an_answer_waits_for_one_in_the_next() {
    let got = told(&[("u:a", ""), ("u:a, m:b, u:c", "m:d")]);
    assert_eq!(got, "u:a a:b u:c a:d | 0+1-0~0 1+2-0~0");
}

#[test]
fn a_request_that_nothing_answers_has_an_event_without_words() {
    let sessions = sessions(
        vec![exchange(1, "u:a", ""), exchange(2, "u:a", "m:b"), exchange(3, "u:a, m:b, u:c", "")],
        Draft::new("test", "agent"),
        Format::HAR,
        &mut Findings::default(),
    );
    let [one] = &*sessions else { panic!("{sessions:?}") };
    let answers: Vec<_> = one.requests.iter().map(|request| request.answer).collect();
    assert_eq!(answers, [Some(1), Some(2), Some(4)]);
    let unanswered: Vec<_> = (one.session.events.iter())
        .map(|event| (event.parts().len(), strata_model::marks::has(event, crate::marks::UNANSWERED)))
        .collect();
    assert_eq!(unanswered, [(1, false), (0, true), (1, false), (1, false), (0, true)]);
    // The first is an attempt: the same was sent again.
    assert_eq!((one.summary().calls, one.facts.model_responses), (2, 1));
}

#[test]
fn a_request_that_failed_and_is_sent_again_says_nothing_new() {
    let got = told(&[("u:a", ""), ("u:a", "m:b")]);
    assert_eq!(got, "u:a a: a:b | 0+1-0~0 1+0-0~0");
}

#[test]
fn a_request_that_is_sent_again_although_it_was_answered_is_of_the_same_conversation() {
    let got = told(&[
        ("u:a", "m:b"),
        ("u:a, m:b, u:c", "m:d"),
        ("u:a, m:b, u:c", "m:D"),
        ("u:a, m:b, u:c, m:D, u:e", "m:f"),
    ]);
    assert_eq!(got, "u:a a:b u:c a:d a:D u:e a:f | 0+1-0~0 2+1-0~0 3+0-1~0 4+1-0~0");
    // As a first prompt, it begins another one.
    let got = told(&[("u:a", "m:b"), ("u:a", "m:B"), ("u:a, m:B, u:c", "m:d")]);
    assert_eq!(got, "u:a a:b | 0+1-0~0\nu:a a:B u:c a:d | 0+1-0~0 2+1-0~0");
}
