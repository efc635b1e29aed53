//! Causes in what was said before.

use serde_json::{Value, json};

use super::{Kind, Needs};
use crate::causes::conversation::{Request, Said, filler};

const CLEARED: &str = "[Old tool result content cleared]";

pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds = results();
    kinds.extend(messages());
    kinds.extend(rounds());
    kinds
}

fn rewritten(name: &'static str, inject: fn(&mut Request)) -> Kind {
    Kind::new(name, Needs::History, inject, "history_rewritten")
}

fn results() -> Vec<Kind> {
    vec![
        rewritten("old result cut off", |request| {
            on_results(request, 1, |text| format!("{}… [truncated]", &text[..300]));
        })
        .changes("shortened", "…", "…")
        .says(&["was shortened from", "to 313 characters"]),
        rewritten("old result cleared", |request| on_results(request, 1, |_| CLEARED.to_owned()))
            .changes("shortened", "{…", CLEARED)
            .says(&["was shortened from", "to 33 characters"]),
        rewritten("two old results cleared", |request| on_results(request, 2, |_| CLEARED.to_owned()))
            .changes("shortened", "{…", CLEARED)
            .says(&["was shortened from", "to 33 characters"]),
        rewritten("time in an old result", |request| {
            on_results(request, 1, |text| text.replacen("late\":", "at\": \"10:13:07\", \"late\":", 1));
        })
        .prepared(|request| {
            on_results(request, 1, |text| text.replacen("late\":", "at\": \"10:12:31\", \"late\":", 1));
        })
        .changes("time", "10:12:31", "10:13:07"),
        rewritten("keys of an old result in another order", |request| {
            on_results(request, 1, |text| {
                text.replacen("{\"turn\": 0, \"late\": 3, ", "{\"late\": 3, \"turn\": 0, ", 1)
            });
        })
        .changes("order", "\"turn\"…", "\"late\"…"),
        rewritten("number in an old result", |request| {
            on_results(request, 1, |text| text.replacen("\"late\": 3", "\"late\": 41", 1));
        })
        .changes("number", "3", "41"),
    ]
}

fn messages() -> Vec<Kind> {
    vec![
        rewritten("time in the first message", |request| on_first_user(request, "Now: 2026-11-20 10:13:07"))
            .prepared(|request| on_first_user(request, "Now: 2026-11-20 10:12:31"))
            .changes("time", "2026-11-20 10:12:31", "2026-11-20 10:13:07")
            .at("0.0"),
        rewritten("other words in an old answer", |request| {
            on_first_answer(request, |text| text.replacen("these are late", "those came early", 1));
        })
        .changes("words", "these are late", "those came early"),
        rewritten("other words at the beginning of an old answer", |request| {
            on_first_answer(request, |text| text.replacen("Answer 0", "Reply 0", 1));
        })
        .changes("words", "Answer", "Reply"),
        rewritten("white space in an old answer", |request| {
            on_first_answer(request, |text| text.replacen("these are", "these  are", 1));
        })
        .changes("white_space", "", "␣"),
        rewritten("arguments of an old call", |request| {
            on_first_call(request, |args| *args = json!({"query": "late orders 0 of Oslo"}));
        })
        .changes("grown", "", "of Oslo"),
        rewritten("id of an old call", |request| on_ids(request, "call_7d1e90b2", "call_9f3a2c91")).changes(
            "random_id",
            "call_7d1e90b2",
            "call_9f3a2c91",
        ),
        rewritten("time before every message of the user", |request| on_users(request, "10:13"))
            .prepared(|request| on_users(request, "10:12"))
            .changes("time", "10:12", "10:13")
            .at("0.0"),
        rewritten("reminder taken out of an old message", |_| {})
            .prepared(|request| {
                if let Some(Said::User(text)) = request.history.first_mut() {
                    text.push_str("\n<reminder>Be brief.</reminder>");
                }
            })
            .changes("shrunk", "<reminder>Be brief.</reminder>", "")
            .at("0.0"),
        rewritten("two answers in each other's place", |request| {
            let answers =
                (0..request.history.len()).filter(|at| matches!(request.history[*at], Said::Answer(_)));
            let answers: Vec<usize> = answers.collect();
            request.history.swap(answers[0], answers[1]);
        })
        .changes("counter", "0", "1"),
        Kind::new(
            "another image",
            Needs::MediaBytes,
            |request| {
                for said in &mut request.history {
                    if *said == Said::Picture {
                        *said = Said::OtherPicture;
                    }
                }
            },
            "history_rewritten",
        )
        .changes("media", "image/png…", "another image/png…")
        .says(&["shows another image or file"]),
        rewritten("time in the first message, and an old result cleared", |request| {
            on_first_user(request, "Now: 2026-11-20 10:13:07");
            on_results(request, 1, |_| CLEARED.to_owned());
        })
        .prepared(|request| on_first_user(request, "Now: 2026-11-20 10:12:31"))
        .changes("time", "2026-11-20 10:12:31", "2026-11-20 10:13:07")
        .at("0.0"),
        Kind::new(
            "reminder put in",
            Needs::History,
            |request| request.history.insert(2, Said::User("Remember: be brief.".to_owned())),
            "history_put_in",
        )
        .says(&["1 text was put in before what was already sent: Remember: be brief."]),
        Kind::new(
            "image left out",
            Needs::History,
            |request| request.history.retain(|said| *said != Said::Picture),
            "history_left_out",
        )
        .says(&["1 image or file was left out"]),
        Kind::new(
            "old answer left out",
            Needs::History,
            |request| {
                if let Some(at) = request.history.iter().position(|said| matches!(said, Said::Answer(_))) {
                    request.history.remove(at);
                }
            },
            "history_left_out",
        )
        .says(&["1 text was left out of the history, from", ": Answer 0: these are late now"]),
        Kind {
            is_repeated: true,
            ..Kind::new(
                "thoughts left out",
                Needs::Thoughts,
                |request| {
                    let last =
                        request.history.iter().rposition(|said| matches!(said, Said::User(_))).unwrap_or(0);
                    let mut at = 0;
                    request.history.retain(|said| {
                        at += 1;
                        at > last || !matches!(said, Said::Thought(_))
                    });
                },
                "history_left_out",
            )
            .says(&["thought"])
        },
    ]
}

fn rounds() -> Vec<Kind> {
    let truncated = |name, inject| {
        Kind::new(name, Needs::History, inject, "truncated_history")
            .says(&["the oldest", "messages were left out"])
    };
    vec![
        truncated("oldest round left out", |request| drop(request.history.drain(..6))),
        truncated("oldest round left out behind the task", |request| drop(request.history.drain(1..6)))
            .says(&["messages were left out behind the first one"]),
        Kind::new(
            "a round left out of the middle",
            Needs::History,
            |request| drop(request.history.drain(6..12)),
            "history_left_out",
        )
        .says(&["parts were left out of the history, from"]),
        Kind::new(
            "summary in the place of old messages",
            Needs::Summaries,
            |request| {
                let summary = Said::User(format!("Summary so far: {}", filler("the customer asked", 20)));
                request.history.splice(..8, [summary]);
            },
            "compaction",
        )
        .says(&["summar"]),
    ]
}

/// Changes the first results.
fn on_results(request: &mut Request, n_results: usize, change: impl Fn(&str) -> String) {
    let results = request.history.iter_mut().filter_map(|said| match said {
        Said::Result { text, .. } => Some(text),
        _ => None,
    });
    for text in results.take(n_results) {
        *text = change(text);
    }
}

fn on_users(request: &mut Request, time: &str) {
    for said in &mut request.history {
        if let Said::User(text) = said {
            *text = format!("[{time}] {text}");
        }
    }
}

fn on_first_user(request: &mut Request, line: &str) {
    if let Some(Said::User(text)) = request.history.first_mut() {
        *text = format!("{line}\n{text}");
    }
}

fn on_first_answer(request: &mut Request, change: impl Fn(&str) -> String) {
    let mut answers = request.history.iter_mut().filter_map(|said| match said {
        Said::Answer(text) => Some(text),
        _ => None,
    });
    if let Some(text) = answers.next() {
        *text = change(text);
    }
}

fn on_first_call(request: &mut Request, change: impl Fn(&mut Value)) {
    let mut calls = request.history.iter_mut().filter_map(|said| match said {
        Said::Call { args, .. } => Some(args),
        _ => None,
    });
    if let Some(args) = calls.next() {
        change(args);
    }
}

fn on_ids(request: &mut Request, before: &str, after: &str) {
    for said in &mut request.history {
        if let Said::Call { id, .. } | Said::Result { id, .. } = said
            && id == before
        {
            after.clone_into(id);
        }
    }
}
