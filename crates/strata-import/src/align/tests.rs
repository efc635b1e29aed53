//! Conversations as letters: `u:` a prompt, `m:` an answer, `c:` a call with this prompt and id, `t:` a result, `r:` that of
//! the call with this id, `s:` the system prompt. `+` stands between the parts of one.

use strata_model::{FunctionCall, FunctionResponse, Json, Object, Part};
use strata_wire::Answer;
use strata_wire::message::{Role, Turn};

use super::*;
use crate::imported::Alignment;
use crate::source::SourceRecord;

fn turn(text: &str) -> Turn {
    let (letter, words) = text.split_once(':').unwrap();
    let mut turn = Turn::new(match letter {
        "s" => Role::System,
        "m" | "c" => Role::Model,
        "t" | "r" => Role::Tool,
        _ => Role::User,
    });
    match letter {
        "c" => turn.parts.push(Part::from_call(FunctionCall {
            id: Some(words.into()),
            name: Some("task".into()),
            args: Some(std::sync::Arc::new(Object::from_iter([("prompt", Json::from(words))]))),
            ..FunctionCall::default()
        })),
        "r" => turn.parts.push(Part::from_response(FunctionResponse {
            id: Some(words.into()),
            ..FunctionResponse::default()
        })),
        _ => turn.parts.extend(words.split('+').map(Part::from_text)),
    }
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
    told_of(steps(exchanges))
}

fn steps(exchanges: &[(&str, &str)]) -> Vec<Step> {
    let steps = exchanges.iter().enumerate().map(|(at, (request, answer))| exchange(at + 1, request, answer));
    steps.collect()
}

/// The same, of a session, by whoever stands before each.
fn asked_by(session: Option<&str>, exchanges: &[(&str, &str, &str)]) -> Vec<Step> {
    let said: Vec<_> = exchanges.iter().map(|(_, request, answer)| (*request, *answer)).collect();
    let mut steps = steps(&said);
    for (step, (agent, _, _)) in steps.iter_mut().zip(exchanges) {
        if let Step::Exchange(exchange) = step {
            exchange.about.agent = Some((*agent).into());
            exchange.about.session = session.map(Into::into);
        }
    }
    steps
}

fn told_of(steps: Vec<Step>) -> String {
    let sessions = sessions(steps, Draft::new("test", "agent"), Format::HAR, &mut Findings::default());
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
    // Another example in the place of one.
    let got = told(&[("u:ask, m:say, u:a", "m:b"), ("u:question, m:answer, u:a, m:b, u:c", "m:d")]);
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
fn a_question_that_is_asked_otherwise_is_no_summary() {
    let first = [("u:a", "m:b"), ("u:a, m:b, u:c", "c:one"), ("u:a, m:b, u:c, c:one, t:r", "m:d")];
    let got = told(
        &[&first[..], &[("u:a, m:b, u:instead", "m:e"), ("u:a, m:b, u:instead, m:e, u:f", "m:g")]].concat(),
    );
    let events = "u:a a:b u:c a:call one a:r a:d u:instead a:e u:f a:g";
    assert_eq!(got, format!("{events} | 0+1-0~0 2+1-0~0 4+1-0~0 2+1-4~0 4+1-0~0"));
    // Also where the log begins to tell of it later, and something that comes back is the same.
    let got = told(&[&first[..], &[("u:a, m:b, u:instead, c:one, t:r, m:e, u:f", "m:g")]].concat());
    assert!(!got.contains("=:"), "{got}");
    // A summary tells what is gone, or says that it is one.
    let first = [
        ("u:show orders", "m:b"),
        ("u:show orders, m:b, u:and late ones", "c:one"),
        (
            "u:show orders, m:b, u:and late ones, c:one, t:order A-2012 of K-1014 and order A-3012 of K-1021 came wet on 2026-03-14",
            "m:d",
        ),
    ];
    let values = "So far A-2012 of K-1014 and A-3012 of K-1021 were found: late on 2026-03-14";
    let summary = format!("{values}. {}", "What was paid was paid. ".repeat(8));
    let of_client = "This session is being continued from a previous conversation.";
    for (summary, is_one) in [(&*summary, true), (of_client, true), (values, false)] {
        let summed_up = format!("u:show orders, m:b, u:{summary}");
        let got = told(&[&first[..], &[(&*summed_up, "m:e")]].concat());
        assert_eq!(got.contains("=:"), is_one, "{got}");
    }
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

#[test]
fn what_is_said_twice_is_two_events_where_another_agent_asks_besides() {
    let got = told_of(asked_by(
        Some("s"),
        &[
            ("title", "u:a", "m:name"),
            ("agent", "u:a", "c:one"),
            ("agent", "u:a, c:one, t:same", "c:two"),
            ("agent", "u:a, c:one, t:same, c:two, t:same", "m:b"),
            ("agent", "u:a, c:one, t:same, c:two, t:same, m:b, u:on", "m:c"),
            ("agent", "u:a, c:one, t:same, c:two, t:same, m:b, u:on, m:c, u:on", "m:d"),
        ],
    ));
    let events = "u:a t:name a:call one a:same a:call two a:same a:b u:on a:c u:on a:d";
    assert_eq!(got, format!("{events} | 0+1-0~0 0+1-0~0 2+1-0~0 4+1-0~0 6+1-0~0 8+1-0~0"));
}

#[test]
fn a_sub_agent_is_told_everything_once_where_a_client_names_its_main_agent_alone() {
    let finder = "s:you are a finder, u:find every file";
    let steps = |session: Option<&str>| {
        asked_by(
            session,
            &[
                ("agent", "u:a", "c:find every file"),
                ("agent", finder, "m:two"),
                ("agent", &format!("{finder}, m:two, u:go on"), "m:three"),
                ("agent", "u:a, c:find every file, t:three", "m:done"),
            ],
        )
    };
    let branch = "@agent.find every file";
    let expected = format!(
        "u@main:a a@main:call find every file u{branch}:you are a finder u{branch}:find every file a{branch}:two \
         u{branch}:go on a{branch}:three a@main:three a@main:done | 0+1-0~0 0+1-0~0 2+1-0~0 2+1-0~0"
    );
    assert_eq!(told_of(steps(None)), expected);
    assert_eq!(told_of(steps(Some("s"))), expected);
    let found = sessions(steps(None), Draft::new("test", "agent"), Format::HAR, &mut Findings::default());
    let authors: Vec<(&str, &str)> = (found[0].session.events.iter())
        .filter(|event| &*event.author != "user")
        .map(|event| (event.branch.as_deref().unwrap_or_default(), &*event.author))
        .collect();
    let is_right = |(branch, author): &(&str, &str)| match *branch {
        "main" => *author == "agent",
        _ => *author == "agent.task",
    };
    assert!(authors.iter().all(is_right), "{authors:?}");
}

#[test]
fn a_sub_agent_that_is_told_all_that_its_caller_was_told_is_a_branch() {
    let caller = "u:about here, m:ok, u:a, c:find every file, t:started";
    let fork = format!("{caller}, u:you are a fork: find every file, m:yes, u:begin");
    let fork_on = format!("{fork}, m:two, u:more");
    let caller_on = format!("{caller}, m:waiting, u:b");
    let branch = "@main.agent-find every file";
    let first = "u@main:about here a@main:ok u@main:a a@main:call find every file";
    let forked =
        format!("u{branch}:you are a fork: find every file a{branch}:yes u{branch}:begin a{branch}:two");
    // Whoever asks first.
    let got = told(&[
        ("u:about here, m:ok, u:a", "c:find every file"),
        (&fork, "m:two"),
        (caller, "m:waiting"),
        (&fork_on, "m:three"),
        (&caller_on, "m:c"),
    ]);
    let expected = format!(
        "{first} a{branch}:started {forked} a@main:started a@main:waiting u{branch}:more a{branch}:three u@main:b \
         a@main:c | 0+3-0~0 4+4-0~0 4+1-0~0 9+1-0~0 6+1-0~0"
    );
    assert_eq!(got, expected);
    let got = told(&[
        ("u:about here, m:ok, u:a", "c:find every file"),
        (caller, "m:waiting"),
        (&fork, "m:two"),
        (&caller_on, "m:c"),
        (&fork_on, "m:three"),
    ]);
    let expected = format!(
        "{first} a@main:started a@main:waiting {forked} u@main:b a@main:c u{branch}:more a{branch}:three | 0+3-0~0 \
         4+1-0~0 5+3-0~0 6+1-0~0 9+1-0~0"
    );
    assert_eq!(got, expected);
}

#[test]
fn a_person_who_repeats_what_a_tool_was_given_is_no_sub_agent() {
    let got = told(&[
        ("u:a", "c:src/main.rs"),
        ("u:a, c:src/main.rs, t:b, u:look at src/main.rs", "m:c"),
        ("u:a, c:src/main.rs, t:b, u:look at src/main.rs, m:c, u:find every file", "m:d"),
    ]);
    assert!(!got.contains('@'), "{got}");
}

#[test]
fn what_a_client_says_before_every_first_prompt_joins_no_conversations() {
    let got = told(&[
        ("u:about here, m:ok, u:a", "m:b"),
        ("u:about here, m:ok, u:x", "m:y"),
        ("u:about here, m:ok, u:a, m:b, u:c", "m:d"),
        ("u:about here, m:ok, u:x, m:y, u:z", "m:w"),
    ]);
    let one = "u:about here a:ok u:a a:b u:c a:d | 0+3-0~0 4+1-0~0";
    assert_eq!(got, format!("{one}\nu:about here a:ok u:x a:y u:z a:w | 0+3-0~0 4+1-0~0"));
    // The same prompt, in another run.
    let got = told(&[
        ("u:about here, m:ok, u:a", "m:b"),
        ("u:about here, m:ok, u:a", "m:B"),
        ("u:about here, m:ok, u:a, m:B, u:c", "m:d"),
    ]);
    let one = "u:about here a:ok u:a a:b | 0+3-0~0";
    assert_eq!(got, format!("{one}\nu:about here a:ok u:a a:B u:c a:d | 0+3-0~0 4+1-0~0"));
}

#[test]
fn a_sub_agent_is_found_behind_what_its_client_says_first() {
    let about = "This is the Qwen Code. We are setting up the context";
    let first = format!("u:{about}, m:ok, u:a");
    let got = told(&[
        (&first, "c:find every file"),
        (&format!("s:finder, u:{about}, m:ok, u:find every file"), "m:two"),
        (&format!("{first}, c:find every file, t:two"), "m:done"),
    ]);
    let branch = "@agent.find every file";
    let expected = format!(
        "u@main:{about} a@main:ok u@main:a a@main:call find every file u{branch}:finder u{branch}:{about} a{branch}:ok \
         u{branch}:find every file a{branch}:two a@main:two a@main:done | 0+3-0~0 0+3-0~0 4+1-0~0"
    );
    assert_eq!(got, expected);
}

#[test]
fn a_sub_agent_whose_call_was_answered_at_once_is_a_branch() {
    let caller = "u:a, c:find every file, r:find every file";
    let got = told(&[
        ("u:a", "c:find every file"),
        (caller, "m:waiting"),
        ("s:finder, u:find every file", "m:two"),
        (&format!("{caller}, m:waiting, u:b"), "m:done"),
    ]);
    let branch = "@agent.find every file";
    let found = format!("u{branch}:finder u{branch}:find every file a{branch}:two");
    assert!(got.contains(&found), "{got}");
    assert!(got.ends_with("u@main:b a@main:done | 0+1-0~0 2+1-0~0 0+1-0~0 4+1-0~0"), "{got}");
    // Who asks the same once more is a person, also where a tool was given the words.
    let asked = "u:find every file";
    let got = told(&[
        (asked, "c:find every file"),
        (&format!("{asked}, c:find every file, r:find every file"), "m:b"),
        (asked, "m:c"),
    ]);
    assert_eq!(got.lines().count(), 2, "{got}");
    assert!(!got.contains('@'), "{got}");
}

#[test]
fn what_a_client_asks_beside_its_work_is_of_the_session_that_it_is_for() {
    let got = told_of(asked_by(
        None,
        &[
            ("router", "u:a", "m:easy"),
            ("router", "u:x", "m:hard"),
            ("agent", "u:a", "m:b"),
            ("agent", "u:x", "m:y"),
            ("agent", "u:a, m:b, u:c", "m:d"),
        ],
    ));
    let one = "u:a r:easy a:b u:c a:d | 0+1-0~0 0+1-0~0 2+1-0~0";
    assert_eq!(got, format!("{one}\nu:x r:hard a:y | 0+1-0~0 0+1-0~0"));
}

#[test]
fn a_message_is_told_to_another_agent_already_when_all_of_it_is() {
    let got = told_of(asked_by(
        Some("s"),
        &[
            ("title", "u:note, u:a", "m:name"),
            ("agent", "u:note+a", "m:b"),
            ("helper", "u:other", "m:x"),
            ("agent", "u:note+a, m:b, u:other+c", "m:d"),
        ],
    ));
    let events = "u:note u:a t:name a:b u:other h:x u:other+c a:d";
    assert_eq!(got, format!("{events} | 0+2-0~0 0+2-0~0 0+1-0~0 3+2-0~0"));
}
