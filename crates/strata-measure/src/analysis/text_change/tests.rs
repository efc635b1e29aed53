//! Every kind of change, as clients make them.

use super::*;

#[track_caller]
fn check(before: &str, after: &str, expected: (&str, &str, &str, &str)) {
    let found = TextChange::between(before, after).expect("a change");
    let told = (found.kind.code(), &*found.label, &*found.before, &*found.after);
    assert_eq!(told, expected, "{before:?} → {after:?}");
}

const RULES: &str = "\nYou are careful.\nYou never guess.\n";

#[track_caller]
fn in_rules(before: &str, after: &str, expected: (&str, &str, &str, &str)) {
    check(before, after, expected);
    check(&format!("{before}{RULES}"), &format!("{after}{RULES}"), expected);
    check(&format!("{RULES}{before}{RULES}"), &format!("{RULES}{after}{RULES}"), expected);
    // Whatever changes behind it.
    let (a, b) = (format!("{before}{RULES}Left: 11"), format!("{after}{RULES}Left: 27"));
    check(&a, &b, expected);
}

#[test]
fn times_are_times_however_they_are_written() {
    let same = [
        ("Current time: ", "2026-11-20T10:12:31Z", "2026-11-20T10:13:31Z"),
        ("Current time: ", "2026-11-20 10:12:31.250 UTC", "2026-11-20 10:13:31.100 UTC"),
        ("Today is ", "Friday, 20 November 2026", "Saturday, 21 November 2026"),
        ("Date: ", "Nov 20, 2026", "Nov 21, 2026"),
        ("It is ", "9:59 am", "10:02 am"),
        ("Now ", "20/11/2026 10:12", "20/11/2026 10:13"),
        ("Started ", "Fri Nov 20 10:12:31 2026", "Fri Nov 20 10:12:58 2026"),
        ("ts=", "1763633001", "1763633041"),
        ("ts: ", "1763633001250", "1763633041999"),
        ("Elapsed: ", "35 seconds", "71 seconds"),
        ("Day: ", "2026-11-20", "2026-11-21"),
    ];
    for (label, before, after) in same {
        let expected = ("time", label.trim_end_matches([' ', ':', '=']), before, after);
        in_rules(&format!("{label}{before}"), &format!("{label}{after}"), expected);
    }
    in_rules(
        r#"{"now":"2026-11-20T10:12:31Z","zone":"CET"}"#,
        r#"{"now":"2026-11-20T10:13:31Z","zone":"CET"}"#,
        ("time", "now", "2026-11-20T10:12:31Z", "2026-11-20T10:13:31Z"),
    );
}

#[test]
fn drawn_names_are_ids() {
    in_rules(
        "Session: 7c9e6679-7425-40de-944b-e07fc1f90ae7.",
        "Session: 1b4e28ba-2fa1-41d2-883f-0016d3cca427.",
        (
            "random_id",
            "Session",
            "7c9e6679-7425-40de-944b-e07fc1f90ae7",
            "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
        ),
    );
    in_rules(
        "Request req_8f3a2c91 by web",
        "Request req_07bc1e44 by web",
        ("random_id", "Request", "req_8f3a2c91", "req_07bc1e44"),
    );
    in_rules(
        "cwd: /tmp/run-8f3a2c91/work",
        "cwd: /tmp/run-17bd90e2/work",
        ("random_id", "cwd: /tmp/", "run-8f3a2c91", "run-17bd90e2"),
    );
    in_rules("nonce 48219730", "nonce 10773255", ("random_id", "nonce", "48219730", "10773255"));
    in_rules(
        "Request id 00041bbe by web",
        "Request id 00043aad by web",
        ("random_id", "Request id", "00041bbe", "00043aad"),
    );
}

#[test]
fn counters_go_up_by_little_and_numbers_do_not() {
    in_rules("Turn: 9 of 50", "Turn: 10 of 50", ("counter", "Turn", "9", "10"));
    in_rules("step 1", "step 12", ("counter", "step", "1", "12"));
    in_rules("Tokens left: 118,204.", "Tokens left: 96,410.", ("number", "Tokens left", "118,204", "96,410"));
    in_rules("Balance: $12.50", "Balance: $9.75", ("number", "Balance: $", "12.50", "9.75"));
    in_rules("context: 41% used", "context: 63% used", ("number", "context", "41", "63"));
    in_rules("item-12 is open", "item-13 is open", ("counter", "item", "12", "13"));
    in_rules("Width: 12px", "Width: 13px", ("counter", "Width", "12", "13"));
    in_rules("Gate: 3a", "Gate: 4b", ("words", "Gate", "3a", "4b"));
}

#[test]
fn lists_are_reordered_and_grow_and_shrink() {
    in_rules("- red\n- blue\n- green", "- green\n- red\n- blue", ("order", "", "- red", "- green"));
    in_rules("Tags: red, blue, green.", "Tags: blue, red, green.", ("order", "Tags", "red", "blue"));
    in_rules(r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#, ("order", "", r#""a": 1"#, r#""b": 2"#));
    in_rules("Files: a.txt, b.txt", "Files: a.txt, b.txt, c.txt", ("grown", "Files", "", "c.txt"));
    in_rules("Open: a.txt, b.txt, c.txt", "Open: a.txt, c.txt", ("shrunk", "Open", "b.txt", ""));
    in_rules(
        "Notes:\n- one\n- two",
        "Notes:\n- one\n- two and a half\n- two",
        ("grown", "", "", "- two and a half"),
    );
    in_rules("Notes:\n- one\n- two", "Notes:\n- two", ("shrunk", "", "- one", ""));
    check("Be kind.\n", "Be kind.\n\nRemember: tea.", ("grown", "", "", "Remember: tea."));
}

#[test]
fn white_space_and_cut_texts_are_told_from_other_words() {
    in_rules("a:  b", "a: b", ("white_space", "a", "␣", ""));
    check("a\nb\n", "a\nb", ("white_space", "b", "⏎", ""));
    // What cannot be seen, or looks like something else, is told by its number.
    check("a\r\nb", "a\nb", ("white_space", "a", "␍⏎", "⏎"));
    in_rules(
        "For passen\u{ad}ger: x",
        "For passenger: x",
        ("words", "For", "passen‹U+00AD›ger", "passenger"),
    );
    let long = "row after row of a table ".repeat(100);
    let cut = format!("{}… [truncated]", &long[..200]);
    let found = TextChange::between(&long, &cut).expect("a change");
    assert_eq!((found.kind, found.chars), (ChangeKind::Shortened, (2500, 213)));
    let gone = TextChange::between(&long, "[Old tool result content cleared]").expect("a change");
    assert_eq!((gone.kind, &*gone.after), (ChangeKind::Shortened, "[Old tool result content cleared]"));
    assert_eq!(TextChange::between("same", "same"), None);
}

#[test]
fn other_words_are_told_without_those_around_them() {
    in_rules("Mode: plan", "Mode: act", ("words", "Mode", "plan", "act"));
    in_rules("Ask Ann (gold) first.", "Ask Bert (gold) first.", ("words", "Ask", "Ann", "Bert"));
    in_rules("Style: Brief. Be kind.", "Style: brief. Be kind.", ("words", "Style", "Brief", "brief"));
    in_rules("App 2.1.7 on the web", "App 2.1.8 on the web", ("words", "App", "2.1.7", "2.1.8"));
    in_rules("App 2.1.17 on the web", "App 2.1.18 on the web", ("words", "App", "2.1.17", "2.1.18"));
    in_rules("user:Ann;seats=3", "user:Bert;seats=3", ("words", "user", "Ann", "Bert"));
    in_rules(r#"{"beta":true,"a":1}"#, r#"{"beta":false,"a":1}"#, ("words", "beta", "true", "false"));
    in_rules("Mode: plan", "Mode: planner", ("words", "Mode", "plan", "planner"));
    in_rules("Done", "Done!", ("words", "", "Done", "Done!"));
    in_rules("one|two", "one*two", ("words", "", "one|two", "one*two"));
    in_rules(
        "Role: planner of long trips",
        "Role: writer of short letters",
        ("words", "Role", "planner of long trips", "writer of short letters"),
    );
    in_rules(
        "Please read the old file first, then ask.",
        "Please read all new notes first, then ask.",
        ("words", "Please read", "the old file", "all new notes"),
    );
}

#[test]
fn a_value_that_stays_is_not_what_changes() {
    in_rules("Rooms: 12", "Rooms: 12 of 40", ("grown", "Rooms: 12", "", "of 40"));
    in_rules("Id 8f3a2c91", "Id 8f3a2c91 of web", ("grown", "Id 8f3a2c91", "", "of web"));
    in_rules("Day: 2026-11-20", "Day: 2026-11-20 in Oslo", ("grown", "Day: 2026-11-20", "", "in Oslo"));
}

#[test]
fn a_list_of_one_item_grows_as_any_other() {
    in_rules("Seen: o0", "Seen: o0, o1", ("grown", "Seen", "", "o1"));
    in_rules("Seen: 100", "Seen: 100, 101", ("grown", "Seen", "", "101"));
    in_rules("Seen: 100, 101", "Seen: 100", ("shrunk", "Seen", "101", ""));
}

#[test]
fn what_is_shown_begins_where_the_texts_differ() {
    let words = "The same words stand before it in both. ".repeat(10);
    let found =
        TextChange::between(&format!("{words}Mode: plan"), &format!("{words}Mode: act")).expect("a change");
    assert_eq!((&*found.before, &*found.after), ("plan", "act"));
    assert_eq!(found.arrow(), "plan → act");
}

#[test]
fn values_behind_the_first_one_are_told_as_well() {
    let further = |before: &str, after: &str| -> Vec<String> {
        let found = TextChange::between(before, after).expect("a change");
        found
            .further
            .iter()
            .map(|next| format!("{} {} {}", next.kind.code(), next.label, next.arrow()))
            .collect()
    };
    let before = "Now: 10:12:31, turn 4.\nSession: 7c9e6679-7425-40de-944b-e07fc1f90ae7\nLeft: 900";
    let after = "Now: 10:13:07, turn 5.\nSession: 1b4e28ba-2fa1-41d2-883f-0016d3cca427\nLeft: 700";
    let session = "7c9e6679-7425-40de-944b-e07fc1f90ae7 → 1b4e28ba-2fa1-41d2-883f-0016d3cca427";
    assert_eq!(
        further(before, after),
        ["counter turn 4 → 5".to_owned(), format!("random_id Session {session}")]
    );
    // Other words behind a value are no value.
    assert_eq!(further("Now: 10:12\nBe kind.", "Now: 10:13\nBe brief."), Vec::<String>::new());
    // A line that came in leaves nothing side by side.
    assert_eq!(further("a\nTurn: 4", "a\nb\nTurn: 5"), Vec::<String>::new());
}

#[test]
fn long_values_are_shown_from_where_they_differ() {
    let long = "always answer with care ".repeat(6);
    let (before, after) = (format!("{long}and joy"), format!("{long}and calm"));
    let found = TextChange::of_values(&format!("\"{before}\""), &format!("\"{after}\""));
    assert!(found.before != found.after, "{found:?}");
    assert!(found.before.contains("joy") && found.after.contains("calm"), "{found:?}");
}

#[test]
fn times_of_other_places_are_times() {
    check("Zone: +01:00", "Zone: +02:00", ("time", "Zone", "+01:00", "+02:00"));
    check(
        "今天是2026年11月20日",
        "今天是2026年11月21日",
        ("time", "今天是", "2026年11月20日", "2026年11月21日"),
    );
    check(
        "Heute ist Freitag, der 20.11.2026",
        "Heute ist Samstag, der 21.11.2026",
        ("time", "Heute ist", "Freitag, der 20.11.2026", "Samstag, der 21.11.2026"),
    );
    check("Oslo: 9 °C", "Oslo: 12 °C", ("number", "Oslo", "9", "12"));
}
