//! Recorded summaries that left out what later answers used, and their neighbours that left nothing out.

use std::sync::Arc;

use serde_json::{Value, json};
use strata_engine::{Experiment, FlowKind, infer_app};
use strata_import::import;
use strata_measure::findings::Finding;
use strata_measure::remedies::Writer;

use super::case::{Given, all, of};

const CODE: &str = "summary-lost-facts";

fn lost(found: Vec<Finding>) -> Vec<Finding> {
    found.into_iter().filter(|finding| finding.code == CODE).collect()
}

/// What a session of google-adk with this summary and this second turn is told.
#[track_caller]
fn adk(app: &'static str, summary: &str, later: &str) -> Option<(String, Option<String>)> {
    let session = format!(
        "
        user: Look the order up.
        desk: -> read_file(path=\"orders.txt\") #c1
        tool: \"ORD-44117 for Ada Lovelace Works\\n«120 words»\"
        desk: I have read it.
        compaction 1: {summary}
        {later}"
    );
    let found = lost(all(Given { app, session: session.leak() }));
    assert!(found.len() < 2, "{found:?}");
    let one = found.into_iter().next()?;
    let remedy = one.remedy_in(Writer::Adk).map(|remedy| format!("{}: {}", remedy.place, remedy.text));
    Some((one.message, remedy))
}

/// How a message about the order goes on behind what was lost.
#[track_caller]
fn says(message: &str, begins: &str, ends: &str) {
    const LOST: &str = "E5 stands for what an event held and does not tell it, and later answers used it: `ORD-44117` (E3). ";
    let way = message.strip_prefix(LOST).unwrap_or_else(|| panic!("{message}"));
    assert!(way.starts_with(begins) && way.ends_with(ends), "{message}");
}

const READ_AGAIN: &str = "user: Ship it.
        desk: -> read_file(path=\"orders.txt\") #c2
        tool: \"ORD-44117 for Ada Lovelace Works\\n«120 words»\"
        desk: ORD-44117 is shipped.";

#[test]
fn what_a_summary_left_out_is_named_with_what_it_took_to_get_it_again() {
    let (message, remedy) = adk("", "The order was read.", READ_AGAIN).expect("a finding");
    says(&message, "read_file was called again and gave in E8 what E3 had: ", " tokens in 1 call.");
    let prompt = "EventsCompactionConfig(…): summarizer=LlmEventSummarizer(llm=…, prompt_template=\"… Keep ids, paths and \
                  numbers of results word for word, as ORD-44117. {conversation_history}\")";
    assert_eq!(remedy.as_deref(), Some(prompt));

    let asked = "user: Ship it.
        desk: Which order shall I ship?
        user: Still ORD-44117.
        desk: ORD-44117 is shipped.";
    let (message, _) = adk("", "The order was read.", asked).expect("a finding");
    says(&message, "The user was asked for it in E7 and said it again in E8: ", " tokens in 1 call.");

    let made_up = "user: Ship it.
        desk: -> ship(order=\"ORD-44117\") #c2
        tool: {\"ok\": true}
        desk: Done.";
    let (message, _) = adk("", "The order was read.", made_up).expect("a finding");
    says(&message, "C3 used `ORD-44117` although nothing that is recorded of the prompt tells it.", "");
}

#[test]
fn nothing_is_said_of_summaries_that_kept_what_was_used() {
    let told = "The order ORD-44117 was read.";
    // It is told, in this spelling or in another; read again all the same.
    assert_eq!(adk("", told, READ_AGAIN), None);
    assert_eq!(adk("", "Order no. 44117 was read.", READ_AGAIN), None);
    let quiet = "The order was read.";
    for later in [
        // Nobody used it.
        "user: Thanks.\n        desk: You are welcome.",
        // The user says it again unasked, or a tool that had not said it.
        "user: Ship ORD-44117.\n        desk: ORD-44117 is shipped.",
        "user: Ship what is open.
        desk: -> open_orders() #c2
        tool: {\"open\": [\"ORD-44117\"]}
        desk: ORD-44117 is shipped.",
        // The file is another one by now.
        "user: Ship it.
        desk: -> read_file(path=\"orders.txt\") #c2
        tool: \"ORD-44117 is late\\nand paid\\nand packed\"
        desk: ORD-44117 is shipped.",
        // Too short to be told from chance.
        "user: How many?\n        desk: It is 12 of 200.",
    ] {
        assert_eq!(adk("", quiet, later), None, "{later}");
    }
}

#[test]
fn what_would_have_kept_it_goes_by_the_settings_and_by_what_the_summarizer_is_shown() {
    let threshold = "
        events_compaction_config: {token_threshold: 4000, event_retention_size: 0}
        root_agent: {name: desk, model: gemini-2.5-pro}";
    let (_, remedy) = adk(threshold, "The order was read.", READ_AGAIN).expect("a finding");
    assert_eq!(remedy.as_deref(), Some("EventsCompactionConfig(…): event_retention_size=2"));

    let session = "
        user: Look the order up.
        desk: -> read_file(path=\"orders.txt\") #c1
        tool: \"«600 words»\\nORD-44117\"
        desk: I have read it.
        compaction 1: The order was read.
        user: Ship it.
        desk: -> ship(order=\"ORD-44117\") #c2
        tool: {\"ok\": true}
        desk: Done.";
    let found = lost(all(Given { app: "", session }));
    let remedy = found[0].remedy_in(Writer::Adk).expect("a remedy");
    assert_eq!(remedy.place, "the tool");
    assert!(remedy.text.starts_with("tool_context.state"), "{}", remedy.text);
}

/// A summary that two follow: each is judged by the prompts before and behind it.
#[test]
fn the_summary_that_lost_it_is_named_and_not_the_one_that_told_it() {
    let session = |second: &str| {
        format!(
            "
            user: Look the order up.
            desk: -> read_file(path=\"orders.txt\") #c1
            tool: ORD-44117
            desk: I have read it.
            compaction 1: ORD-44117 was read.
            user: And now?
            desk: It waits.
            compaction 1-2: {second}
            user: Ship it.
            desk: -> ship(order=\"ORD-44117\") #c2
            tool: {{\"ok\": true}}
            desk: Done."
        )
    };
    let found = |second: &str| lost(all(Given { app: "", session: session(second).leak() }));
    assert_eq!(found("ORD-44117 waits."), []);
    let events: Vec<u32> = found("An order waits.")[0].events.iter().map(|event| event.number()).collect();
    assert_eq!(events, [3, 8]);
}

/// The session in a file as it is looked at, and who wrote it.
fn read(records: &[Value]) -> (Vec<Finding>, Writer) {
    let file = records.iter().fold(String::new(), |file, record| file + &format!("{record}\n"));
    let mut imported = import(file.as_bytes());
    assert_eq!(imported.sessions.len(), 1, "{:?}", imported.diagnostics);
    let imported = imported.sessions.remove(0);
    let app = infer_app(&imported.session, FlowKind::Transcript, &[]).app;
    let format = imported.format.name();
    let experiment = Experiment::new(Arc::new(imported.session), app, FlowKind::Transcript);
    assert!(experiment.session().events.iter().any(|event| event.is_compaction()), "{format}");
    (lost(of(&experiment)), Writer::of(format, &experiment))
}

fn orders() -> String {
    let lines: Vec<String> = (0..40).map(|at| format!("line {at} of the orders, nothing to see")).collect();
    format!("ORD-44117 for Ada\n{}", lines.join("\n"))
}

/// A transcript of Claude Code that reads a file, is summarised, and reads it again.
fn claude_code(summary: &str) -> Vec<Value> {
    let call = |id: &str| {
        json!({"role": "assistant", "id": format!("m{id}"), "model": "claude-sonnet-4-5", "content": [{"type": "tool_use", "id": id,
            "name": "Read", "input": {"file_path": "/home/ada/orders.txt"}}]})
    };
    let result = |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": orders()}]});
    let says = |id: &str, text: &str| json!({"role": "assistant", "id": id, "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": text}]});
    let asks = |text: &str| json!({"role": "user", "content": text});
    let messages = [
        ("user", asks("Look the order up.")),
        ("assistant", call("t1")),
        ("user", result("t1")),
        ("assistant", says("m2", "I have read it.")),
        ("boundary", Value::Null),
        ("summary", asks(summary)),
        ("user", asks("Ship it.")),
        ("assistant", call("t2")),
        ("user", result("t2")),
        ("assistant", says("m4", "ORD-44117 is shipped.")),
    ];
    let mut parent = Value::Null;
    let mut records = Vec::new();
    for (at, (kind, message)) in messages.into_iter().enumerate() {
        let uuid = format!("00000000-0000-4000-8000-0000000000{at:02}");
        let mut record = json!({
            "type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": false, "message": message,
            "sessionId": "5f0c0de0-0000-4000-8000-00000000b001", "cwd": "/home/ada", "version": "2.1.100",
            "timestamp": format!("2026-11-20T10:00:{at:02}.000Z"), "userType": "external",
        });
        match kind {
            "boundary" => {
                record["type"] = "system".into();
                record["subtype"] = "compact_boundary".into();
                record["content"] = "Conversation compacted".into();
                record["logicalParentUuid"] = parent.clone();
                record["parentUuid"] = Value::Null;
                record["compactMetadata"] = json!({"trigger": "auto", "preTokens": 9000});
                record.as_object_mut().map(|fields| fields.remove("message"));
            }
            "summary" => {
                record["type"] = "user".into();
                record["isCompactSummary"] = true.into();
            }
            _ => {}
        }
        parent = uuid.into();
        records.push(record);
    }
    records
}

/// A rollout of Codex that does the same.
fn codex(summary: &str) -> Vec<Value> {
    let says = |role: &str, text: &str| {
        let kind = if role == "user" { "input_text" } else { "output_text" };
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    };
    let call = |id: &str| json!({"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"cat orders.txt\"}", "call_id": id});
    let result = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": orders()});
    let context = |turn: &str| json!({"turn_id": turn, "cwd": "/home/ada", "model": "gpt-5"});
    let meta =
        json!({"id": "01aa-codex", "cwd": "/home/ada", "originator": "codex_cli", "cli_version": "0.142.0"});
    let compacted = json!({"message": summary, "replacement_history": [
        says("user", "Look the order up."), says("user", summary)]});
    let records = [
        ("session_meta", meta),
        ("turn_context", context("t1")),
        ("response_item", says("user", "Look the order up.")),
        ("response_item", call("c1")),
        ("response_item", result("c1")),
        ("response_item", says("assistant", "I have read it.")),
        ("compacted", compacted),
        ("turn_context", context("t2")),
        ("response_item", says("user", "Ship it.")),
        ("response_item", call("c2")),
        ("response_item", result("c2")),
        ("response_item", says("assistant", "ORD-44117 is shipped.")),
    ];
    let timed = records.into_iter().enumerate();
    timed
        .map(|(at, (kind, payload))| {
            json!({"timestamp": format!("2026-11-20T10:00:{at:02}.000Z"), "type": kind, "payload": payload})
        })
        .collect()
}

#[test]
fn coding_agents_are_told_in_their_own_words_and_only_where_something_was_lost() {
    let remedies = [
        "CLAUDE.md: # Compact instructions: Keep ids, paths and numbers of results word for word, as ORD-44117.",
        "~/.codex/config.toml: compact_prompt = \"Write a handoff summary. Keep ids, paths and numbers of results word for \
         word, as ORD-44117.\"",
    ];
    for (write, setting) in [claude_code as fn(&str) -> Vec<Value>, codex].into_iter().zip(remedies) {
        let (found, writer) = read(&write("The order was looked up in orders.txt. Next: ship it."));
        let [finding] = &found[..] else { panic!("{writer:?}: {found:?}") };
        assert!(finding.tokens() > 300 && finding.n_calls() > 0, "{finding:?}");
        let (lost, again) = ("`ORD-44117` (E", " was called again and gave in E");
        assert!(finding.message.contains(lost) && finding.message.contains(again), "{}", finding.message);
        let remedy = finding.remedy_in(writer).expect("a setting");
        assert_eq!(format!("{}: {}", remedy.place, remedy.text), setting);
        let (kept, _) = read(&write("ORD-44117 was looked up in orders.txt. Next: ship it."));
        assert_eq!(kept, [], "{writer:?}");
    }
}

/// What a provider encrypts may tell everything.
#[test]
fn summaries_that_nobody_can_read_are_not_judged() {
    let mut records = codex("");
    let compaction = json!({"type": "compaction", "encrypted_content": "gAAAAABpZm9vYmFy"});
    records[6]["payload"]["replacement_history"][1] = compaction;
    assert_eq!(read(&records).0, []);
    // So may what was taken out of the file.
    records[6]["payload"]["replacement_history"].as_array_mut().expect("a list").truncate(1);
    assert_eq!(read(&records).0, []);
}
