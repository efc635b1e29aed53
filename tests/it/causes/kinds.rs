//! What is injected, one kind a row, and what has to be said about it.

use serde_json::json;

use super::conversation::{Request, Said, filler, tool};
use super::writers::Writer;

pub(super) struct Kind {
    pub name: &'static str,
    /// Done to the call in question and to all behind it.
    pub inject: fn(&mut Request),
    /// Done to the calls before.
    pub prepare: Option<fn(&mut Request)>,
    /// The cause's code, and the kind of change.
    pub cause: &'static str,
    pub change: Option<&'static str>,
    /// What the sentence has to name.
    pub values: &'static [&'static str],
    /// What the path of the place begins with.
    pub place: &'static str,
    /// All of them, where none is named.
    only: &'static [Writer],
    /// Later calls have it again.
    pub is_repeated: bool,
}

impl Kind {
    pub(super) fn is_written_by(&self, writer: Writer) -> bool {
        self.only.is_empty() || self.only.contains(&writer)
    }
}

/// A line of the system text that says one thing before the call and another from it on.
macro_rules! line {
    ($name:literal, $before:literal, $after:literal, $change:literal, $values:expr) => {
        Kind {
            name: $name,
            inject: |request| add_line(request, $after),
            prepare: Some(|request| add_line(request, $before)),
            cause: "instruction_changed",
            change: Some($change),
            values: $values,
            place: "sys.",
            only: &[],
            is_repeated: false,
        }
    };
}

/// What is done to the call in question alone, and to all behind it.
fn injected(
    name: &'static str,
    inject: fn(&mut Request),
    cause: &'static str,
    change: Option<&'static str>,
    values: &'static [&'static str],
    place: &'static str,
) -> Kind {
    Kind { name, inject, prepare: None, cause, change, values, place, only: &[], is_repeated: false }
}

fn add_line(request: &mut Request, line: &str) {
    request.system[0] = request.system[0].replacen("Mode: plan.", &format!("{line}\nMode: plan."), 1);
}

pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds = in_instruction();
    kinds.extend(in_definitions());
    kinds.extend(in_history());
    kinds
}

fn in_instruction() -> Vec<Kind> {
    vec![
        line!(
            "time stamp",
            "Current time: 2026-11-20T10:12:31Z",
            "Current time: 2026-11-20T10:13:07Z",
            "time",
            &["Current time", "10:12:31Z", "10:13:07Z"]
        ),
        line!(
            "day in words",
            "Today is Friday, 20 November 2026.",
            "Today is Saturday, 21 November 2026.",
            "time",
            &["Today is Friday, 20 November 2026 → Saturday, 21 November 2026"]
        ),
        line!("seconds since 1970", "now=1795170000", "now=1795170061", "time", &["1795170000 → 1795170061"]),
        line!("time of day", "It is 9:59 am.", "It is 10:02 am.", "time", &["9:59 am → 10:02 am"]),
        line!(
            "time that has passed",
            "Uptime: 35 seconds",
            "Uptime: 71 seconds",
            "time",
            &["35 seconds → 71 seconds"]
        ),
        line!(
            "UUID",
            "Session: 7c9e6679-7425-40de-944b-e07fc1f90ae7",
            "Session: 1b4e28ba-2fa1-41d2-883f-0016d3cca427",
            "random_id",
            &["Session", "7c9e6679", "1b4e28ba"]
        ),
        line!(
            "request id",
            "Request req_8f3a2c91 of web",
            "Request req_07bc1e44 of web",
            "random_id",
            &["req_8f3a2c91 → req_07bc1e44"]
        ),
        line!(
            "temporary folder",
            "Working in /tmp/run-8f3a2c91/src",
            "Working in /tmp/run-17bd90e2/src",
            "random_id",
            &["run-8f3a2c91 → run-17bd90e2"]
        ),
        line!("nonce", "Nonce: 48219730", "Nonce: 10773255", "random_id", &["Nonce 48219730 → 10773255"]),
        line!("counter", "Turn: 9 of 50", "Turn: 10 of 50", "counter", &["a counter", "Turn 9 → 10"]),
        line!(
            "tokens that are left",
            "Tokens left: 118,204.",
            "Tokens left: 96,410.",
            "number",
            &["Tokens left 118,204 → 96,410"]
        ),
        line!("share of the window", "Context: 41% used", "Context: 63% used", "number", &["41 → 63"]),
        line!(
            "lines in another order",
            "- cat.md\n- ant.md\n- bee.md",
            "- ant.md\n- bee.md\n- cat.md",
            "order",
            &["another order", "cat.md", "ant.md"]
        ),
        line!(
            "words in another order",
            "Tags: red, blue, green.",
            "Tags: blue, red, green.",
            "order",
            &["another order", "Tags red → blue"]
        ),
        line!(
            "keys of JSON in another order",
            "{\"a\": 1, \"b\": 2}",
            "{\"b\": 2, \"a\": 1}",
            "order",
            &["another order"]
        ),
        line!(
            "list of files grows",
            "Files: a.txt, b.txt",
            "Files: a.txt, b.txt, c.txt",
            "grown",
            &["has grown", "c.txt"]
        ),
        line!(
            "notes grow",
            "Notes:\n- likes tea",
            "Notes:\n- likes tea\n- lives in Oslo",
            "grown",
            &["has grown", "lives in Oslo"]
        ),
        line!(
            "list shrinks",
            "Open: a.txt, b.txt, c.txt",
            "Open: a.txt, c.txt",
            "shrunk",
            &["has lost", "b.txt"]
        ),
        line!("white space", "Be  brief.", "Be brief.", "white_space", &["white space"]),
        line!("other words", "Role: planner", "Role: writer", "words", &["Role planner → writer"]),
        Kind {
            name: "text behind the system text",
            inject: |request| request.system[0].push_str("\nRemember: the shop is closed."),
            prepare: None,
            cause: "instruction_changed",
            change: Some("grown"),
            values: &["has grown", "the shop is closed"],
            place: "sys.",
            only: &[Writer::ChatLog, Writer::AnthropicLog, Writer::LiteLlm, Writer::Adk],
            is_repeated: false,
        },
        Kind {
            name: "block of the client",
            inject: |request| request.system.insert(0, "x-client: version=2.1.7; check=e31f0a;".to_owned()),
            prepare: Some(|request| {
                request.system.insert(0, "x-client: version=2.1.7; check=0b77c4;".to_owned());
            }),
            cause: "client_block",
            change: Some("random_id"),
            values: &["the block that the client puts", "0b77c4 → e31f0a"],
            place: "sys.0",
            only: &[Writer::AnthropicLog],
            is_repeated: false,
        },
    ]
}

fn in_definitions() -> Vec<Kind> {
    vec![
        injected(
            "another tool",
            |request| request.tools.push(tool("mail", "Writes a mail.", &["short"])),
            "tools_changed",
            None,
            &["mail came in"],
            "tool.",
        ),
        injected(
            "a tool less",
            |request| drop(request.tools.pop()),
            "tools_changed",
            None,
            &["refund went"],
            "",
        ),
        injected(
            "tools in another order",
            |request| request.tools.reverse(),
            "tools_reordered",
            None,
            &["another order"],
            "tool.",
        ),
        injected(
            "date in a tool's description",
            |request| {
                request.tools[0]["description"] = json!("Finds orders of the shop. Today is 2026-11-21.");
            },
            "tools_changed",
            Some("grown"),
            &["search changed", "2026-11-21"],
            "tool.",
        ),
        injected(
            "values of a tool in another order",
            |request| {
                request.tools[0] = tool("search", "Finds orders of the shop.", &["paid", "open", "late"]);
            },
            "tools_changed",
            Some("order"),
            &["search changed", "late", "paid"],
            "tool.",
        ),
        Kind {
            only: &[Writer::AnthropicLog],
            ..injected(
                "thinking turned on",
                |request| {
                    request.settings.push(("thinking", json!({"type": "enabled", "budget_tokens": 2000})));
                },
                "parameters_changed",
                None,
                &["settings changed", "thinking"],
                "",
            )
        },
        injected(
            "another model",
            |request| {
                request.model = match &*request.model {
                    "" => "gpt-4.1-mini".to_owned(),
                    model => model.to_owned(),
                };
            },
            "model_changed",
            None,
            &["the model changed", "gpt-4.1-mini"],
            "request.model",
        ),
        Kind {
            only: &[Writer::AnthropicLog],
            ..injected(
                "a pause",
                |request| request.time += 900.0,
                "expired",
                None,
                &["nothing was sent for 15 min"],
                "",
            )
        },
    ]
}

fn in_history() -> Vec<Kind> {
    vec![
        injected(
            "old result cut off",
            |request| on_first_result(request, |text| format!("{}… [truncated]", &text[..300])),
            "history_rewritten",
            Some("shortened"),
            &["was shortened from", "to 313 characters"],
            "",
        ),
        injected(
            "old result cleared",
            |request| on_first_result(request, |_| "[Old tool result content cleared]".to_owned()),
            "history_rewritten",
            Some("shortened"),
            &["was shortened from"],
            "",
        ),
        injected(
            "time in an old result",
            |request| on_first_result(request, |text| text.replacen("Table 0:", "Table 0 at 10:13:07:", 1)),
            "history_rewritten",
            Some("time"),
            &["10:12:31 → 10:13:07"],
            "",
        )
        .prepared(|request| {
            on_first_result(request, |text| text.replacen("Table 0:", "Table 0 at 10:12:31:", 1));
        }),
        injected(
            "oldest round left out",
            |request| drop(request.history.drain(..6)),
            "truncated_history",
            None,
            &["the oldest", "messages were left out"],
            "",
        ),
        injected(
            "reminder put in",
            |request| request.history.insert(2, Said::User("Remember: be brief.".to_owned())),
            "history_put_in",
            None,
            &["put in before"],
            "",
        ),
        injected(
            "image left out",
            |request| request.history.retain(|said| *said != Said::Picture),
            "history_left_out",
            None,
            &["1 image or file was left out"],
            "",
        ),
        Kind {
            only: &[Writer::AnthropicLog],
            is_repeated: true,
            ..injected(
                "thoughts left out",
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
                None,
                &["thought"],
                "",
            )
        },
        injected(
            "time in the first message",
            |request| on_first_user(request, "Now: 2026-11-20 10:13:07"),
            "history_rewritten",
            Some("time"),
            &["10:12:31 → ", "10:13:07"],
            "0.0",
        )
        .prepared(|request| on_first_user(request, "Now: 2026-11-20 10:12:31")),
        injected(
            "summary in the place of old messages",
            |request| {
                let summary = Said::User(format!("Summary so far: {}", filler("the customer asked", 20)));
                request.history.splice(..8, [summary]);
            },
            "compaction",
            None,
            &["summar"],
            "",
        ),
    ]
}

impl Kind {
    /// The code of the finding about it.
    pub(super) fn finding(&self) -> Option<&'static str> {
        match self.cause {
            "instruction_changed" | "client_block" => Some("changing-system-text"),
            "tools_changed" | "tools_reordered" => Some("tools-change"),
            "parameters_changed" | "model_changed" => Some("settings-change"),
            "history_rewritten" | "history_put_in" | "truncated_history" => Some("history-rewritten"),
            _ => None,
        }
    }

    fn prepared(self, prepare: fn(&mut Request)) -> Self {
        Self { prepare: Some(prepare), ..self }
    }
}

fn on_first_result(request: &mut Request, change: impl Fn(&str) -> String) {
    let first = request.history.iter_mut().find_map(|said| match said {
        Said::Result { text, .. } => Some(text),
        _ => None,
    });
    if let Some(text) = first {
        *text = change(text);
    }
}

fn on_first_user(request: &mut Request, line: &str) {
    if let Some(Said::User(text)) = request.history.first_mut() {
        *text = format!("{line}\n{text}");
    }
}
