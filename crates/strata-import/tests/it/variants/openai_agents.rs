//! The OpenAI Agents SDK: streamed runs, tools that failed, and branches of a session.

use strata_import::{Format, Import, ImportedSession, MemoryTables, OwnedValue, import_tables};
use strata_model::{Branch, json};

use super::{event_told, joined, session, told};

fn span(id: &str, second: u32, data: &str, error: &str) -> String {
    let time = |second: u32| format!("2026-01-01T00:00:{second:02}Z");
    let (start, end) = (time(2 * second), time(2 * second + 1));
    format!(
        r#"{{"object":"trace.span","id":"{id}","trace_id":"t","parent_id":"run","started_at":"{start}","ended_at":"{end}","span_data":{data},"error":{error}}}"#
    )
}

fn generation(input: &str, output: &str) -> String {
    format!(
        r#"{{"type":"generation","input":[{input}],"output":[{output}],"model":"m","model_config":{{}},"usage":{{"requests":1,"input_tokens":10,"output_tokens":2,"total_tokens":12}}}}"#
    )
}

fn ran(name: &str, input: &str, output: &str) -> String {
    let input = serde_json::to_string(input).unwrap();
    format!(r#"{{"type":"function","name":"{name}","input":{input},"output":"{output}","mcp_data":null}}"#)
}

const AGENT: &str = r#"{"type":"agent","name":"V","handoffs":[],"tools":["f"],"output_type":"str"}"#;
const PROMPT: &str = r#"{"role":"user","content":"Hi"}"#;

#[test]
fn an_answer_of_a_streamed_run_is_a_whole_response() {
    let response = |id: &str, items: &str| {
        let items =
            items.replace("PROVIDER", &format!(r#""provider_data":{{"model":"m","response_id":"{id}"}}"#));
        format!(
            r#"{{"id":"__fake_id__","object":"response","created_at":1767225600.5,"error":null,"incomplete_details":null,"model":"m","output":[{items}],"parallel_tool_calls":false,"status":null,"tools":[],"usage":{{"input_tokens":10,"output_tokens":2,"total_tokens":12}}}}"#
        )
    };
    let called = response(
        "r1",
        r#"{"id":"__fake_id__","type":"reasoning","summary":[{"type":"summary_text","text":"why"}],PROVIDER},{"id":"__fake_id__","type":"function_call","call_id":"c","name":"f","arguments":"{}",PROVIDER}"#,
    );
    let said = response(
        "r2",
        r#"{"id":"__fake_id__","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Done"}],PROVIDER}"#,
    );
    let echoed = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"ok"}"#;
    let lines = [
        span("g1", 1, &generation(PROMPT, &called), "null"),
        span("g2", 2, &generation(&format!("{PROMPT},{echoed}"), &said), "null"),
        span("run", 0, AGENT, "null"),
    ];
    let lines: Vec<&str> = lines.iter().map(|line| &**line).collect();
    let one = session(Format::OPENAI_AGENTS_TRACE, &joined(&lines));
    assert_eq!(told(&one), ["user: Hi", "V: (why), call f 10+2", "V: result of f", "V: Done 10+2"]);
    let events = &one.session.events;
    assert_eq!((&*events[1].id, &*events[3].id), ("r1", "r2"));
    assert_eq!(one.requests.iter().map(|request| request.answer).collect::<Vec<_>>(), [Some(1), Some(3)]);
    assert!(one.unmapped.fields.is_empty(), "{:?}", one.unmapped.fields);
}

#[test]
fn a_result_is_an_error_where_the_span_of_its_tool_has_one() {
    let called = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\":2}"}}]}"#;
    let results = r#"{"role":"tool","tool_call_id":"c1","content":"fine"},{"role":"tool","tool_call_id":"c2","content":"oops"}"#;
    let sorry = r#"{"role":"assistant","content":"Sorry."}"#;
    let more = r#"{"role":"assistant","content":"More."}"#;
    let error = r#"{"message":"Error running tool","data":{"tool_name":"f","error":"redacted"}}"#;
    let before = format!("{PROMPT},{called},{results}");
    let later = format!(r#"{before},{sorry},{{"role":"user","content":"And?"}}"#);
    let lines = [
        span("run", 0, AGENT, "null"),
        span("g1", 1, &generation(PROMPT, called), "null"),
        span("f2", 2, &ran("f", r#"{"a": 2}"#, "oops"), error),
        span("f1", 3, &ran("f", r#"{"a": 1}"#, "fine"), "null"),
        span("g2", 4, &generation(&before, sorry), "null"),
        span("h1", 5, &ran("h", "{}", "oops"), error),
        span("g3", 6, &generation(&later, more), "null"),
    ];
    let lines: Vec<&str> = lines.iter().map(|line| &**line).collect();
    let one = session(Format::OPENAI_AGENTS_TRACE, &joined(&lines));
    assert_eq!(
        told(&one),
        [
            "user: Hi",
            "V: call f, call f 10+2",
            "V: result of f",
            "V: result of f",
            "V: Sorry. 10+2",
            "user: And?",
            "V: More. 10+2"
        ]
    );
    let results = one.session.events.iter().flat_map(|event| event.function_responses());
    let results: Vec<String> =
        results.map(|result| json::object_to_compact(result.response.as_ref().unwrap())).collect();
    assert_eq!(results, [r#"{"result":"fine"}"#, r#"{"result":"oops","isError":true}"#]);
    // No call is known for the last tool.
    assert_eq!(one.unmapped.fields.get("span.function.error"), Some(&1));
    assert_eq!(one.unmapped.records.get("span.function").map(Vec::len), Some(3));
}

/// The session of these items, and of branches that hold them: a message by its number, the branch and the turn there.
fn stored(items: &[&str], structure: &[(i64, &str, i64)]) -> ImportedSession {
    let text = |text: &str| OwnedValue::Text(text.to_owned());
    let number = OwnedValue::Integer;
    let items = items.iter().zip(1..);
    let items = items.map(|(item, id)| vec![number(id), text("s"), text(item), text("2026-01-01 00:00:00")]);
    let held = structure.iter().zip(1..);
    let held = held.map(|((message, branch, turn), id)| {
        vec![number(id), text("s"), number(*message), text(branch), number(*turn)]
    });
    let mut tables = MemoryTables::new();
    tables.add("agent_messages", &["id", "session_id", "message_data", "created_at"], items.collect());
    let columns = ["id", "session_id", "message_id", "branch_id", "user_turn_number"];
    tables.add("message_structure", &columns, held.collect());
    let Import { mut sessions, diagnostics } = import_tables(&mut tables);
    assert_eq!(sessions.len(), 1, "{diagnostics:?}");
    sessions.remove(0)
}

fn prompt(text: &str) -> String {
    format!(r#"{{"role":"user","content":"{text}"}}"#)
}

/// What an agent that works where an event stands sees of the events before it.
fn seen_at(session: &ImportedSession, at: usize) -> Vec<String> {
    let events = &session.session.events;
    let own = Branch::of(events[at].branch.as_ref());
    let seen = events[..at].iter().filter(|event| own.sees(Branch::of(event.branch.as_ref())));
    seen.map(|event| event_told(event)).collect()
}

#[test]
fn a_branch_sees_the_messages_that_it_holds() {
    let items: Vec<String> = ["One", "Two", "Three", "Other", "Deep", "Again", "Alone"].map(prompt).to_vec();
    let items: Vec<&str> = items.iter().map(|item| &**item).collect();
    let one = stored(
        &items,
        &[
            (1, "main", 1),
            (2, "main", 2),
            (3, "main", 3),
            (1, "alt", 1),
            (4, "alt", 2),
            (1, "b.c", 1),
            (4, "b.c", 2),
            (5, "b.c", 3),
            (6, "alt", 3),
            (7, "alone", 1),
        ],
    );
    let branches: Vec<_> = one.session.events.iter().map(|event| event.branch.as_deref().unwrap()).collect();
    let expected = ["main", "main.main", "main.main", "main.alt", "main.alt.b_c", "main.alt.alt", "alone"];
    assert_eq!(branches, expected);
    assert_eq!(seen_at(&one, 2), ["user: One", "user: Two"]);
    assert_eq!(seen_at(&one, 3), ["user: One"]);
    assert_eq!(seen_at(&one, 4), ["user: One", "user: Other"]);
    assert_eq!(seen_at(&one, 5), ["user: One", "user: Other"]);
    assert_eq!(seen_at(&one, 6), [""; 0]);
}

#[test]
fn a_session_of_one_branch_has_none() {
    let items = [prompt("One"), prompt("Two")];
    let one = stored(&[&items[0], &items[1]], &[(1, "main", 1), (2, "main", 2)]);
    assert!(one.session.events.iter().all(|event| event.branch.is_none()));
}

#[test]
fn the_model_of_an_answer_stands_with_any_of_its_items() {
    let provider = r#","provider_data":{"model":"m","response_id":"r1"}"#;
    let item = |provider: &str, rest: &str| format!(r#"{{"id":"__fake_id__",{rest}{provider}}}"#);
    let thought = r#""type":"reasoning","summary":[{"type":"summary_text","text":"why"}]"#;
    let said = r#""type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]"#;
    for of_thought in [provider, ""] {
        let items = [prompt("Hi"), item(of_thought, thought), item(provider, said)];
        let one = stored(&[&items[0], &items[1], &items[2]], &[]);
        assert_eq!(told(&one), ["user: Hi", "agent: (why), Hello"]);
        assert_eq!(one.session.events[1].model_version.as_deref(), Some("m"));
        assert!(one.unmapped.fields.is_empty(), "{:?}", one.unmapped.fields);
    }
}
