//! Causes in the system text.

use super::{Change, Kind, Needs};
use crate::causes::conversation::{Request, instruction};

/// A line of the system text that says one thing before the call and another from it on: the lines, and the kind of value
/// that changes.
macro_rules! line {
    ($name:literal, $before:literal => $after:literal, $kind:literal: $was:literal => $is:literal) => {
        Kind {
            prepare: Some(|request| request.system[0] = instruction($before)),
            change: Some(Change { kind: $kind, before: $was, after: $is }),
            ..line_of($name, |request| request.system[0] = instruction($after))
        }
    };
}

fn line_of(name: &'static str, inject: fn(&mut Request)) -> Kind {
    Kind::new(name, Needs::Instruction, inject, "instruction_changed").at("sys.")
}

pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds = values();
    kinds.extend(lists());
    kinds.extend([
        line_of("text behind the system text", |request| {
            request.system[0].push_str("\nRemember: the shop is closed.");
        })
        .changes("grown", "", "Remember: the shop is closed."),
        Kind::new(
            "block of the client",
            Needs::ClientBlock,
            |request| request.system.insert(0, "x-client: version=2.1.7; check=e31f0a;".to_owned()),
            "client_block",
        )
        .prepared(|request| request.system.insert(0, "x-client: version=2.1.7; check=0b77c4;".to_owned()))
        .changes("random_id", "0b77c4", "e31f0a")
        .says(&["the block that the client puts"])
        .at("sys.0"),
    ]);
    kinds
}

fn values() -> Vec<Kind> {
    vec![
        line!("time stamp", "Current time: 2026-11-20T10:12:31Z" => "Current time: 2026-11-20T10:13:07Z",
            "time": "2026-11-20T10:12:31Z" => "2026-11-20T10:13:07Z"),
        line!("day in words", "Today is Friday, 20 November 2026." => "Today is Saturday, 21 November 2026.",
            "time": "Friday, 20 November 2026" => "Saturday, 21 November 2026"),
        line!("seconds since 1970", "now=1795170000" => "now=1795170061", "time": "1795170000" => "1795170061"),
        line!("time of day", "It is 9:59 am." => "It is 10:02 am.", "time": "9:59 am" => "10:02 am"),
        line!("time that has passed", "Uptime: 35 seconds" => "Uptime: 71 seconds",
            "time": "35 seconds" => "71 seconds"),
        line!("UUID", "Session: 7c9e6679-7425-40de-944b-e07fc1f90ae7" => "Session: 1b4e28ba-2fa1-41d2-883f-0016d3cca427",
            "random_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7" => "1b4e28ba-2fa1-41d2-883f-0016d3cca427"),
        line!("request id", "Request req_8f3a2c91 of web" => "Request req_07bc1e44 of web",
            "random_id": "req_8f3a2c91" => "req_07bc1e44"),
        line!("temporary folder", "Working in /tmp/run-8f3a2c91/src" => "Working in /tmp/run-17bd90e2/src",
            "random_id": "run-8f3a2c91" => "run-17bd90e2"),
        line!("commit", "HEAD is 9fceb02 (main)" => "HEAD is 4b825dc (main)", "random_id": "9fceb02" => "4b825dc"),
        line!("nonce", "Nonce: 48219730" => "Nonce: 10773255", "random_id": "48219730" => "10773255"),
        line!("counter", "Turn: 9 of 50" => "Turn: 10 of 50", "counter": "9" => "10"),
        line!("tokens that are left", "Tokens left: 118,204." => "Tokens left: 96,410.",
            "number": "118,204" => "96,410"),
        line!("share of the window", "Context: 41% used" => "Context: 63% used", "number": "41" => "63"),
        line!("sum of money", "Spent so far: $12.50 of $20" => "Spent so far: $13.75 of $20",
            "number": "12.50" => "13.75"),
        line!("name of a person", "The customer Ann asks about orders." => "The customer Bert asks about orders.",
            "words": "Ann" => "Bert"),
        line!("capital letter", "Style: Brief. Ask when in doubt." => "Style: brief. Ask when in doubt.",
            "words": "Brief" => "brief"),
        line!("version", "Client 2.1.7 on the web" => "Client 2.1.8 on the web", "words": "2.1.7" => "2.1.8"),
        line!("other words", "Role: planner" => "Role: writer", "words": "planner" => "writer"),
        line!("several words", "Role: planner of long trips" => "Role: writer of short letters",
            "words": "planner of long trips" => "writer of short letters"),
        line!("longer word", "Mode of work: plan" => "Mode of work: planner", "words": "plan" => "planner"),
        line!("switch in JSON", r#"{"user":"Ann","beta":true,"seats":3}"# => r#"{"user":"Ann","beta":false,"seats":3}"#,
            "words": "true" => "false"),
        line!("value behind a sign", "plan=free;seats=3" => "plan=paid;seats=3", "words": "free" => "paid"),
        line!("two values on one line",
            "Now 2026-11-20T10:12:31Z, session 7c9e6679-7425-40de-944b-e07fc1f90ae7" =>
                "Now 2026-11-20T10:13:07Z, session 1b4e28ba-2fa1-41d2-883f-0016d3cca427",
            "time": "2026-11-20T10:12:31Z" => "2026-11-20T10:13:07Z")
        .says(&["and behind it a random id: session 7c9e6679-7425-40de-944b-e07fc1f90ae7 → 1b4e28ba"]),
        line!("two values on two lines", "Now: 10:12:31\nbe brief\nTurn: 4" => "Now: 10:13:07\nbe brief\nTurn: 5",
            "time": "10:12:31" => "10:13:07")
        .says(&["and behind it a counter: Turn 4 → 5"]),
        line!("time zone", "Time zone: +01:00" => "Time zone: +02:00", "time": "+01:00" => "+02:00"),
        line!("day in German", "Heute ist Freitag, der 20.11.2026." => "Heute ist Samstag, der 21.11.2026.",
            "time": "Freitag, der 20.11.2026" => "Samstag, der 21.11.2026"),
        line!("day in Chinese", "今天是2026年11月20日" => "今天是2026年11月21日", "time": "2026年11月20日" => "2026年11月21日"),
        line!("temperature outside", "Weather in Oslo: 9 °C" => "Weather in Oslo: 12 °C", "number": "9" => "12"),
        line!("locale", "Locale: en_US" => "Locale: de_DE", "words": "en_US" => "de_DE"),
        line!("white space", "Be  brief." => "Be brief.", "white_space": "␣" => ""),
    ]
}

fn lists() -> Vec<Kind> {
    vec![
        line!("lines in another order", "- cat.md\n- ant.md\n- bee.md" => "- ant.md\n- bee.md\n- cat.md",
            "order": "- cat.md" => "- ant.md"),
        line!("words in another order", "Tags: red, blue, green." => "Tags: blue, red, green.",
            "order": "red" => "blue"),
        line!("keys of JSON in another order", r#"{"a": 1, "b": 2}"# => r#"{"b": 2, "a": 1}"#,
            "order": r#""a": 1"# => r#""b": 2"#),
        line!("list of files grows", "Files: a.txt, b.txt" => "Files: a.txt, b.txt, c.txt", "grown": "" => "c.txt"),
        line!("list of one item grows", r#"{"seen": ["o1"]}"# => r#"{"seen": ["o1", "o2"]}"#, "grown": "" => "\"o2\""),
        line!("notes grow", "Notes:\n- likes tea" => "Notes:\n- likes tea\n- lives in Oslo",
            "grown": "" => "- lives in Oslo"),
        line!("list shrinks", "Open: a.txt, b.txt, c.txt" => "Open: a.txt, c.txt", "shrunk": "b.txt" => ""),
    ]
}
