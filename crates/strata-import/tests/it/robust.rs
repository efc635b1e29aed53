//! Broken, cut and hostile input: always sessions or reasons, never a panic.

use proptest::prelude::*;
use strata_import::{Format, Import, ImportedSession, Importer, detect, import, import_tables};
use strata_model::{Event, EventActions, Part, Severity};

use crate::formats::{SAMPLES, tables};
use crate::support::sample;

/// Nothing is returned without a reason, no success without content, and what is returned is consistent.
#[track_caller]
fn check(imported: &Import, what: &str) {
    let has_error = imported.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert!(!imported.sessions.is_empty() || has_error, "{what}: nothing, and no reason");
    assert!(imported.sessions.is_empty() || imported.sessions.iter().any(has_content), "{what}: no content");
    for one in &imported.sessions {
        assert_eq!(one.sources.len(), one.session.events.len(), "{what}");
        assert!(!one.title.contains('\n'), "{what}: {:?}", one.title);
    }
    for found in &imported.diagnostics {
        assert!(!found.message.is_empty() && !found.message.ends_with('.'), "{what}: {:?}", found.message);
    }
}

/// Whether anybody says anything in a session, or something is counted or changed. One that did not begin has no events.
fn has_content(one: &ImportedSession) -> bool {
    let events = &one.session.events;
    let says = |event: &Event| {
        let mut parts = event.parts().iter();
        parts.any(|part| **part != Part::default() && **part != Part::from_text(""))
            || event.usage_metadata.is_some()
            || event.error_code.is_some()
            || event.actions != EventActions::default()
            || !event.other.is_empty()
    };
    events.is_empty() || !one.requests.is_empty() || events.iter().any(|event| says(event))
}

/// A value without its words and numbers: what is short and has no blanks may be the name of something.
fn hollow(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) if text.len() > 40 || text.contains(char::is_whitespace) => {
            text.clear();
        }
        serde_json::Value::Number(_) => *value = serde_json::Value::Null,
        serde_json::Value::Array(items) => items.iter_mut().for_each(hollow),
        serde_json::Value::Object(members) => members.values_mut().for_each(hollow),
        _ => {}
    }
}

fn read_as(format: Format, pieces: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Import {
    let mut importer = Importer::new(format);
    for piece in pieces {
        importer.feed(piece.as_ref());
    }
    importer.finish()
}

#[test]
fn a_file_that_is_cut_off_before_anything_is_said_tells_so() {
    let cut = |name: &str| import(&sample(name)[..160]);
    for name in ["traffic.har", "provider-chat.jsonl", "claude-code.jsonl", "codex.jsonl", "ai-studio.json"] {
        let cut = cut(name);
        let [found] = &*cut.diagnostics else { panic!("{name}: {:?}", cut.diagnostics) };
        assert_eq!(
            (found.code, found.severity, &*cut.sessions),
            ("truncated", Severity::Error, &[][..]),
            "{name}"
        );
        let said = "nothing before it is a session, so nothing was kept. Import the file again when it has been written";
        assert!(found.message.contains(said), "{}", found.message);
    }
    for name in ["chatgpt.json", "langfuse.json", "amp.json"] {
        let cut = cut(name);
        assert!(
            cut.diagnostics[0].message.contains("It is cut off in the middle"),
            "{name}: {:?}",
            cut.diagnostics
        );
    }
    // Further on, what is whole is kept, and the place is where what is not begins.
    let entry = r#"{"startedDateTime":"2026-01-01T00:00:00Z","request":{"url":"https://api.openai.com/v1/chat/completions","postData":{"text":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"}},"response":{"status":200,"content":{}}}"#;
    let head = format!(r#"{{"log":{{"entries":[{entry},"#);
    let kept = import(format!("{head}{}", &entry[..60]).as_bytes());
    assert_eq!((kept.sessions.len(), kept.diagnostics[0].code), (1, "truncated"));
    assert_eq!(kept.diagnostics[0].at, format!("byte {}", head.len()));
}

fn text_samples() -> impl Iterator<Item = (&'static str, Format)> {
    SAMPLES.into_iter().filter(|(_, format)| !format.is_database())
}

#[test]
fn a_file_cut_anywhere_gives_what_is_there_or_a_reason() {
    std::thread::scope(|threads| {
        for (name, format) in text_samples() {
            threads.spawn(move || check_cuts(name, format));
        }
    });
}

fn check_cuts(name: &str, format: Format) {
    /// At most so many of each: after every byte of most.
    const CUTS: usize = 6_000;
    let bytes = sample(name);
    let n_events =
        |imported: &Import| imported.sessions.iter().map(|one| one.session.events.len()).sum::<usize>();
    let n_whole = n_events(&read_as(format, [&bytes]));
    for cut in (0..bytes.len()).step_by(1 + bytes.len() / CUTS) {
        let imported = read_as(format, [&bytes[..cut]]);
        check(&imported, &format!("{name} cut at {cut}"));
        // Pieces of a streamed answer count as events while the whole answer is missing, and so does the place of an
        // answer that was cut off.
        let n_events = n_events(&imported);
        assert!(n_events <= n_whole + 2, "{name} cut at {cut}: {n_events} events of {n_whole}");
    }
}

#[test]
fn a_file_fed_in_pieces_gives_what_it_gives_whole() {
    for (name, format) in text_samples() {
        let bytes = sample(name);
        let whole = read_as(format, [&bytes]);
        for step in [1, 7, 1000] {
            assert_eq!(read_as(format, bytes.chunks(step)), whole, "{name} in pieces of {step}");
        }
    }
}

#[test]
fn every_file_read_as_every_format_gives_a_reason_at_least() {
    for (name, _) in SAMPLES {
        let bytes = sample(name);
        for format in Format::ALL {
            check(&read_as(format, [&bytes]), &format!("{name} as {}", format.id()));
        }
    }
}

#[test]
fn no_format_succeeds_without_content() {
    let mut n_read = 0;
    for (name, format) in SAMPLES {
        let bytes = sample(name);
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        let mut values: Vec<serde_json::Value> = Vec::new();
        let mut documents = serde_json::Deserializer::from_str(text).into_iter();
        values.extend(documents.by_ref().map_while(Result::ok));
        if values.is_empty() {
            continue;
        }
        // Everything at once, and each member of a document alone.
        let mut all = values.clone();
        all.iter_mut().for_each(hollow);
        let mut cases = vec![all];
        for at in 0..values.len() {
            for key in
                values[at].as_object().map(|it| it.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
            {
                let mut case = values.clone();
                hollow(&mut case[at][&*key]);
                cases.push(case);
            }
        }
        for case in cases {
            let text: Vec<String> = case.iter().map(serde_json::Value::to_string).collect();
            let text = text.join("\n");
            let imported = if format.is_database() {
                import_tables(&mut tables(text.as_bytes()))
            } else {
                read_as(format, [text])
            };
            check(&imported, name);
            n_read += usize::from(!imported.sessions.is_empty());
        }
    }
    assert!(n_read > SAMPLES.len(), "{n_read} files are read");
}

#[test]
fn hostile_and_mistaken_input_is_named() {
    let utf16: Vec<u8> = "{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let deep = "[".repeat(200_000);
    let deep_objects = "{\"a\":".repeat(200_000);
    let cases: [(&str, &[u8], &str); 16] = [
        ("nothing", b"", "the file is empty"),
        ("blanks", b" \n\t\r\n", "the file is empty"),
        ("a mark alone", b"\xef\xbb\xbf", "the file is empty"),
        ("words", b"Dear diary,\ntoday", "plain text"),
        ("a log", b"[INFO] started\n", "begins like JSON but is none"),
        ("zeros", &[0; 64], "binary"),
        ("noise", b"\x01\x02\x03\x04\x05\x06abc", "binary"),
        ("a picture", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "an image (PNG)"),
        ("gzip", b"\x1f\x8b\x08\0", "unpack it"),
        ("UTF-16 with a mark", b"\xff\xfe{\0\"\0", "save it as UTF-8"),
        ("UTF-16 without", &utf16, "save it as UTF-8"),
        ("other JSON", br#"{"name":"x","dependencies":{}}"#, "with the keys name, dependencies"),
        ("a number", b"42", "plain text"),
        ("an empty list", b"[]", "JSON that holds an array"),
        ("deep lists", deep.as_bytes(), "not a session"),
        ("deep objects", deep_objects.as_bytes(), "with the keys a"),
    ];
    for (what, bytes, expected) in cases {
        let imported = import(bytes);
        check(&imported, what);
        assert!(imported.sessions.is_empty(), "{what}");
        let message = &imported.diagnostics[0].message;
        assert!(message.contains(expected), "{what}: {message}");
        for format in Format::ALL {
            check(&read_as(format, [bytes]), what);
        }
    }
}

#[test]
fn a_mark_before_the_text_changes_nothing_but_places() {
    for (name, format) in text_samples() {
        let bytes = sample(name);
        let marked = [b"\xef\xbb\xbf".as_slice(), &bytes].concat();
        let (plain, marked) = (read_as(format, [&bytes]), read_as(format, [&marked]));
        assert_eq!(plain.diagnostics, marked.diagnostics, "{name}");
        for (one, other) in plain.sessions.iter().zip(&marked.sessions) {
            assert_eq!(one.session, other.session, "{name}");
        }
    }
}

#[test]
fn a_line_of_fifty_megabytes_is_read_and_its_neighbours_too() {
    let line = |uuid: &str, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":null,"message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let text = [line("u1", "short"), line("u2", &"x".repeat(50_000_000)), line("u3", "short")].join("\n");
    let imported = read_as(Format::CLAUDE_CODE, text.as_bytes().chunks(1 << 16));
    assert_eq!(imported.sessions[0].session.events.len(), 3);
    assert_eq!(imported.sessions[0].session.events[1].parts()[0].text.as_ref().unwrap().len(), 50_000_000);
}

#[test]
fn a_hundred_thousand_odd_lines_give_a_handful_of_diagnostics() {
    let mut text = String::new();
    for number in 0..100_000 {
        text += &format!("{{\"type\":\"user\",\"message\":{{\"content\": bro{number}ken}}}}\n");
    }
    text += r#"{"type":"user","uuid":"u1","message":{"role":"user","content":"hello"}}"#;
    let imported = read_as(Format::CLAUDE_CODE, [text]);
    assert_eq!(imported.sessions[0].session.events.len(), 1);
    assert!(imported.diagnostics.len() < 30, "{}", imported.diagnostics.len());
    assert!(imported.diagnostics[0].message.contains("100000 times"), "{}", imported.diagnostics[0].message);
}

#[test]
fn values_nested_too_deep_cost_only_their_record() {
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    let line =
        |content: &str| format!(r#"{{"type":"user","message":{{"role":"user","content":{content}}}}}"#);
    let lines = [line("\"one\""), line(&deep), line("\"three\"")].join("\n");
    let imported = read_as(Format::CLAUDE_CODE, [&lines]);
    assert_eq!(imported.sessions[0].session.events.len(), 2);
    assert!(imported.diagnostics[0].message.contains("nested deeper"), "{:?}", imported.diagnostics);

    let event = |output: &str| format!(r#"{{"author":"a","output":{output}}}"#);
    let events = [event("1"), event(&deep), event("3")].join(",");
    let imported = read_as(Format::ADK_SESSION, [format!(r#"{{"appName":"x","events":[{events}]}}"#)]);
    assert_eq!(imported.sessions[0].session.events.len(), 2);
    assert_eq!(imported.diagnostics[0].at, "events[1]");
}

#[test]
fn text_that_is_not_utf8_is_kept_as_far_as_it_can_be() {
    let session = b"{\"id\":\"s\",\"appName\":\"x\",\"events\":[{\"author\":\"user\",\"content\":{\"parts\":[{\"text\":\"a\xffb \\ud83d c\"}]}},{\"author\":\"x\"}]}";
    let line = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"a\xffb \\ud83d c\"}}\n";
    for (format, bytes) in [(Format::ADK_SESSION, &session[..]), (Format::CLAUDE_CODE, &line[..])] {
        let imported = read_as(format, [bytes]);
        let event = &imported.sessions[0].session.events[0];
        assert_eq!(event.parts()[0].text.as_deref(), Some("a\u{fffd}b \u{fffd} c"));
        let codes: Vec<_> = imported.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(codes, ["repaired-text"]);
    }
}

#[test]
fn broken_databases_give_a_reason() {
    for (name, _) in SAMPLES.iter().filter(|(_, format)| format.is_database()) {
        let text = String::from_utf8(sample(name)).unwrap();
        for (from, to) in [
            ("\\\"author\\\"", "\\\"aut"),
            ("event_data", "event_datum"),
            ("\"sessions\"", "\"sessionz\""),
            ("{\\\"hits", "[\\\"hits"),
            ("\"s-1\"", "null"),
        ] {
            let imported = import_tables(&mut tables(text.replace(from, to).as_bytes()));
            check(&imported, &format!("{name} with {to} for {from}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(
        which in 0..SAMPLES.len(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let (name, format) = SAMPLES[which];
        let mut bytes = sample(name);
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        detect(&bytes);
        check(&import(&bytes), name);
        check(&read_as(format, [&bytes]), name);
    }

    #[test]
    fn pieces_of_any_size_give_what_the_whole_gives(
        which in 0..SAMPLES.len(),
        flip in any::<Option<(prop::sample::Index, u8)>>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let (name, format) = SAMPLES[which];
        let mut bytes = sample(name);
        if let Some((at, byte)) = flip {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]);
        prop_assert_eq!(read_as(format, pieces), read_as(format, [&bytes]));
    }

    #[test]
    fn arbitrary_text_never_panics(text in "[\\[\\]{}\",:a-z0-9\\\\ \\n]{0,200}") {
        check(&import(text.as_bytes()), &text);
        for format in Format::ALL {
            check(&read_as(format, [&text]), &text);
        }
    }

    #[test]
    fn records_in_any_shape_never_panic(
        records in prop::collection::vec(record(), 1..20),
    ) {
        let text: String = records.join("\n");
        check(&read_as(Format::CLAUDE_CODE, [&text]), &text);
    }
}

/// Records of transcripts with parents, kinds and contents at random, circles included.
fn record() -> impl Strategy<Value = String> {
    let uuid = prop::sample::select(vec!["\"a\"", "\"b\"", "\"c\"", "\"d\"", "null", "7"]);
    let kind =
        prop::sample::select(vec!["user", "assistant", "system", "progress", "attachment", "summary", "odd"]);
    let content = prop::sample::select(vec![
        r#""words""#,
        "null",
        r#"[{"type":"tool_use","id":"t1","name":"f","input":3}]"#,
        r#"[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image"}]}]"#,
        r#"[{"type":"image","source":{"type":"base64","data":"x"}},{"type":"later"},5]"#,
        r#"{"odd":true}"#,
    ]);
    let subtype = prop::sample::select(vec!["compact_boundary", "microcompact_boundary", "api_error", ""]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (uuid.clone(), uuid, kind, content, subtype, flags).prop_map(|(uuid, parent, kind, content, subtype, flags)| {
        let (is_sidechain, is_summary, is_meta) = flags;
        format!(
            r#"{{"type":"{kind}","uuid":{uuid},"parentUuid":{parent},"logicalParentUuid":{parent},"isSidechain":{is_sidechain},"isCompactSummary":{is_summary},"isMeta":{is_meta},"subtype":"{subtype}","message":{{"id":{uuid},"content":{content},"usage":{{"input_tokens":-4,"output_tokens":1.5}}}},"compactMetadata":{{"preservedSegment":{{"headUuid":{parent}}}}},"data":{{"type":"agent_progress","agentId":"x","message":{{"type":"{kind}","message":{{"content":{content}}}}}}},"attachment":{{"type":"file","content":{content}}}}}"#
        )
    })
}

#[test]
fn conversations_in_many_files_are_read_as_one() {
    let ui = r#"[{"ts":1,"type":"say","say":"text","text":"hi"},{"ts":2,"type":"say","say":"api_req_started","text":"{\"tokensIn\":10,\"tokensOut\":4,\"cacheWrites\":3,\"cacheReads\":50}"}]"#;
    let task = [sample("cline-task.json"), ui.as_bytes().to_vec()].concat();
    let imported = import(&task);
    let usage = imported.sessions[0].summary().reported_usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens), (63, 50, 3));
    let alone = import(ui.as_bytes());
    assert!(
        alone.sessions.is_empty() && alone.diagnostics[0].message.contains("api_conversation_history.json")
    );

    let stored = r#"{"id":"s1","projectID":"p","title":"Old","time":{"created":1730000000000}}
        {"id":"m1","sessionID":"s1","role":"user","time":{"created":1730000001000}}
        {"id":"m2","sessionID":"s1","role":"assistant","time":{"created":1730000002000},"tokens":{"input":7,"output":2}}
        {"id":"q1","sessionID":"s1","messageID":"m1","type":"text","text":"Hello"}
        {"id":"q2","sessionID":"s1","messageID":"m2","type":"text","text":"Hi"}"#;
    let imported = import(stored.as_bytes());
    let summary = imported.sessions[0].summary();
    assert_eq!((summary.events, summary.user_turns, summary.calls), (2, 1, 1));
    assert_eq!(imported.sessions[0].title, "Old");
}

/// A session is called by its id where nobody says anything.
#[test]
fn titles_are_one_line_whatever_an_id_holds() {
    let text = concat!(
        r#"{"type":"session","version":3,"id":"one\ntwo","timestamp":"2026-01-01T00:00:00Z","cwd":"/work"}"#,
        "\n",
        r#"{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}}"#,
    );
    let imported = import(text.as_bytes());
    check(&imported, text);
    assert_eq!(imported.sessions[0].title, "one");
}

#[test]
fn counts_of_any_size_are_counts() {
    const MOST: &str = "18446744073709551615";
    let cursor = String::from_utf8(sample("cursor.tables.json")).unwrap();
    let cursor = cursor.replace(r#"inputTokens\":0"#, &format!(r#"inputTokens\":{MOST}"#));
    let cursor = cursor.replace(r#"outputTokens\":0"#, &format!(r#"outputTokens\":{MOST}"#));
    assert!(cursor.contains(MOST), "the sample has counts");
    check(&import_tables(&mut tables(cursor.as_bytes())), "cursor");
    for (name, format) in text_samples() {
        let Ok(text) = String::from_utf8(sample(name)) else { continue };
        check(&read_as(format, [with_counts(&text, MOST)]), name);
    }
}

/// The text with another number behind every key that speaks of tokens, input or output.
fn with_counts(text: &str, number: &str) -> String {
    let mut out = String::new();
    for piece in text.split_inclusive(':') {
        let digits = piece.trim_start().bytes().take_while(u8::is_ascii_digit).count();
        let key: String = out.chars().rev().take(24).collect::<String>().chars().rev().collect();
        let key = key.to_lowercase();
        if digits > 0 && ["token", "input", "output", "cache"].iter().any(|it| key.contains(it)) {
            out.push_str(number);
            out.push_str(&piece.trim_start()[digits..]);
        } else {
            out.push_str(piece);
        }
    }
    out
}

/// An event has some levels around what a file says.
#[test]
fn what_is_nested_as_deep_as_may_be_comes_back() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(251), "}".repeat(251));
    let text = format!(
        r#"[{{"role":"user","content":"go"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"f","input":{deep}}}]}}]"#
    );
    let imported = import(text.as_bytes());
    let [one] = &imported.sessions[..] else { panic!("{:?}", imported.diagnostics) };
    let exported = strata_model::json::to_compact(&one.session.to_json());
    let again = import(exported.as_bytes());
    assert_eq!(again.sessions[0].session.events.len(), 2, "{:?}", again.diagnostics);
}
