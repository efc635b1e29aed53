//! What each inserted processor makes of a session.

use strata_engine::PROCESSOR_KINDS;
use strata_model::{Json, json};
use strata_testkit::{experiment, request, shape};

use crate::{edited, last_contents, sample, with_instruction};

fn insert(kind: &str, params: &str) -> String {
    format!(r#"[{{"edit":"insert_processor","use":"{kind}","params":{params}}}]"#)
}

#[track_caller]
fn check(transcript: &str, kind: &str, params: &str, expected: &[&str]) {
    let shown = last_contents(&edited(&experiment(transcript), &insert(kind, params)));
    assert_eq!(shown, expected);
}

/// The result in the last call's content at a place, as JSON.
#[track_caller]
fn result(transcript: &str, kind: &str, params: &str, content: usize) -> String {
    let experiment = edited(&experiment(transcript), &insert(kind, params));
    let request = request(&experiment, experiment.calls().len() as u32);
    let part = &request.contents.get(content).expect("a content").parts[0];
    let response = part.part.function_response.as_ref().and_then(|response| response.response.clone());
    let response = response.expect("a result");
    json::to_compact(&Json::Object((*response).clone()))
}

fn turns(n_turns: usize) -> String {
    (1..=n_turns).map(|n| format!("user: Q{n}\nbot: A{n}")).collect::<Vec<_>>().join("\n")
}

const ROWS: &str = r#"
user: List
bot: -> list() #c1
tool #c1: {"rows": [{"id": 1, "eur": 5, "who": "Ana"}, {"id": 2, "eur": 9, "who": "Ben"}, {"id": 3, "eur": 7, "who": "Ana"}], "total": 40}
bot: Many.
user: Again
bot: No.
"#;

#[test]
fn rows_are_capped_and_the_true_total_is_told() {
    assert_eq!(
        result(ROWS, "cap_rows", r#"{"max_rows": 1}"#, 2),
        r#"{"rows":[{"id":1,"eur":5,"who":"Ana"}],"total":40,"_row_limits":{"rows":{"shown":1,"total":40}}}"#
    );
    // Capped again, the total stays the true one.
    let twice = r#"[{"edit":"insert_processor","use":"cap_rows","params":{"max_rows":2}},
                    {"edit":"insert_processor","use":"cap_rows","params":{"max_rows":1}}]"#;
    let last = last_contents(&edited(&experiment(ROWS), twice));
    assert!(last[2].ends_with("<- E3 by cap_rows_2"), "{}", last[2]);
    assert_eq!(
        result(ROWS, "cap_rows", r#"{"max_rows": 1, "tools": ["other"]}"#, 2).matches("who").count(),
        3
    );
}

#[test]
fn tables_become_totals_counts_and_top_rows() {
    assert_eq!(
        result(ROWS, "summarize_results", r#"{"min_rows": 3, "top_rows": 1, "order_by": "eur"}"#, 2),
        r#"{"rows":{"total_rows":40,"columns":{"id":{"sum":6,"min":1,"max":3},"eur":{"sum":21,"min":5,"max":9},"who":{"distinct":2,"most_common":{"Ana":2}}},"top_rows":[{"id":2,"eur":9,"who":"Ben"}]},"total":40}"#
    );
}

#[test]
fn results_of_the_last_turns_can_be_kept() {
    let late = r#"
user: List
bot: -> list() #c1
tool #c1: {"rows": [{"id": 1}, {"id": 2}]}
bot: Two.
"#;
    assert_eq!(
        result(late, "cap_rows", r#"{"max_rows": 1, "keep_turns": 1}"#, 2),
        r#"{"rows":[{"id":1},{"id":2}]}"#
    );
}

#[test]
fn the_middle_of_long_texts_is_cut_and_the_rest_keeps_its_source() {
    let text = format!("{}-{}", "a".repeat(50), "z".repeat(50));
    let talk = format!("user: {text}\nbot: Yes.\nuser: More\nbot: No.");
    let experiment = edited(
        &experiment(&talk),
        &insert("truncate_middle", r#"{"max_chars": 40, "start_percent": 75, "what": "messages"}"#),
    );
    let request = request(&experiment, 2);
    let part = &request.contents.get(0).unwrap().parts[0];
    assert_eq!(
        part.part.text.as_deref(),
        Some(&*format!("{}\n[61 characters left out]\n{}", "a".repeat(30), "z".repeat(10)))
    );
    let sources: Vec<_> =
        part.origins().iter().map(|(bytes, origin)| (*bytes, origin.event().is_some())).collect();
    assert_eq!(sources, [(30, true), (26, false), (10, true)]);
}

#[test]
fn large_results_are_offloaded_until_they_are_asked_for() {
    let long = "x".repeat(300);
    let talk = format!(
        "user: Read\nbot: -> read() #c1\ntool #c1: {{\"text\": \"{long}\"}}\nbot: Read it.\nuser: Again\nbot: -> load_artifacts(artifact_names=[\"NAME\"]) #c2\ntool #c2: {{\"ok\": true}}\nbot: Here.\n"
    );
    let params = r#"{"min_chars": 200, "preview_chars": 9}"#;
    let handle = result(&talk, "offload_results", params, 2);
    let name = handle.split('"').nth(3).unwrap().to_owned();
    assert!(
        name.starts_with("read-") && name.strip_suffix(".json").is_some_and(|stem| stem.len() == 13),
        "{handle}"
    );
    assert!(handle.contains(r#""characters":311,"begins":"{\"text\":\"""#), "{handle}");
    assert_eq!(
        result(&talk.replace("NAME", &name), "offload_results", params, 2),
        format!("{{\"text\":\"{long}\"}}")
    );
}

#[test]
fn what_is_there_twice_is_sent_once() {
    let long = format!("The rules are: {}", "be kind, ".repeat(20));
    let talk = format!("user: {long}\nbot: Yes.\nuser: {long}\nbot: Still yes.\n");
    let rows = last_contents(&edited(&experiment(&talk), &insert("deduplicate", r#"{"min_chars": 100}"#)));
    assert!(rows[0].ends_with("<- E1"));
    assert!(rows[2].starts_with(r#"02 user "[same as the earlier message that begins"#), "{}", rows[2]);
    assert!(rows[2].ends_with("<- E3 by deduplicate"), "{}", rows[2]);
}

#[test]
fn old_thoughts_go_and_those_of_the_last_turn_stay() {
    let answering = "user: One\nbot: ~ Hm.\n    + First.\nuser: Two\nbot: ~ Hm again.\n    -> f() #c1\ntool #c1: {\"n\": 1}\nbot: Second.\n";
    let thoughts = |talk: &str| {
        [r#"{"keep_turns": 2}"#, "{}", r#"{"keep_turns": 0}"#].map(|params| {
            let rows = last_contents(&edited(&experiment(talk), &insert("drop_thoughts", params)));
            rows.iter().filter(|row| row.contains("Hm")).count()
        })
    };
    // The call that is being answered keeps its thought: a request without it is refused.
    assert_eq!(thoughts(answering), [2, 1, 1]);
    assert_eq!(thoughts(&format!("{answering}user: Three\nbot: Third.\n")), [1, 0, 0]);
}

#[test]
fn the_newest_turns_are_kept_in_steps() {
    let talk = turns(5);
    let first =
        |params: &str| last_contents(&edited(&experiment(&talk), &insert("retention", params))).remove(0);
    assert_eq!(first(r#"{"max_turns": 2}"#), r#"00 user "Q4" <- E7"#);
    assert_eq!(first(r#"{"max_turns": 2, "step": 2}"#), r#"00 user "Q5" <- E9"#);
    assert_eq!(first(r#"{"max_chars": 4}"#), r#"00 user "Q5" <- E9"#);
    assert_eq!(first(r#"{"max_turns": 9}"#), r#"00 user "Q1" <- E1"#);
}

#[test]
fn answers_are_cut_to_their_fields() {
    let talk = "user: Do\nbot: {\"answer\": 5, \"why\": \"because\", \"rows\": [{\"answer\": 1, \"x\": 2}]}\nuser: Go on\nbot: Yes.\n";
    check(
        talk,
        "compact_output",
        r#"{"fields": ["answer", "rows"]}"#,
        &[
            r#"00 user "Do" <- E1"#,
            r#"01 model "{"answer":5,"rows":[{"answer":1}]}" <- E2 by compact_output"#,
            r#"02 user "Go on" <- E3"#,
        ],
    );
}

#[test]
fn the_context_filter_cuts_as_adks_does() {
    let talk = turns(4);
    check(&talk, "context_filter", r#"{"num_invocations_to_keep": 1}"#, &[r#"00 user "Q4" <- E7"#]);
}

const TRAFFIC: &str = r#"
user: Check
clerk: -> look_up(id=1) #c1
tool #c1: {"n": 1}
clerk: It is one.
bot: One.
"#;

#[test]
fn other_agents_tool_traffic_goes_in_both_forms_and_their_words_stay() {
    let rows = last_contents(&edited(&experiment(TRAFFIC), &insert("strip_agent_traffic", "{}")));
    assert!(rows.iter().any(|row| row.contains("It is one")), "{rows:?}");
    assert!(
        !rows.iter().any(|row| row.contains("called tool") || row.contains("returned result")),
        "{rows:?}"
    );
    let older = r#"[{"edit":"edit_event","event":1,"content":{"role":"user","parts":[{"text":"For context:"},{"text":"[clerk] called tool `look_up` with parameters: {'id': 1}"},{"text":"[clerk] said: It is two."}]}},
                    {"edit":"insert_processor","use":"strip_agent_traffic","params":{"form":"for_context"}}]"#;
    let rows = last_contents(&edited(&experiment("user: x\nbot: Hm\nuser: And?\nbot: Yes"), older));
    assert!(
        rows.iter().any(|row| row.contains("It is two"))
            && !rows.iter().any(|row| row.contains("called tool")),
        "{rows:?}"
    );
}

#[test]
fn state_is_compacted_before_templates_are_filled() {
    let talk = "user: Go\nbot [state jobs={\"a\":{\"id\":1,\"log\":\"long\"},\"b\":{\"id\":2,\"log\":\"longer\"}}]: Wrote it.\nuser: Now\nbot: Done.\n";
    let base = with_instruction(talk, "Jobs: {jobs}");
    let text = |experiment: &strata_engine::Experiment| {
        request(experiment, 2).system_instruction.unwrap().to_text().to_string()
    };
    assert!(text(&base).contains("longer"), "{}", text(&base));
    let compact = edited(&base, r#"[{"edit":"set_state_map","key":"jobs","fields":["id"]}]"#);
    assert!(text(&compact).contains("Jobs: {'a': {'id': 1}, 'b': {'id': 2}}"), "{}", text(&compact));
    let again = edited(
        &base,
        r#"[{"edit":"set_state_map","key":"jobs","fields":["id"]},{"edit":"set_state_map","key":"jobs"}]"#,
    );
    assert_eq!(text(&again), text(&base));
    let behind = edited(&base, &insert("move_volatile", "{}"));
    let moved = request(&behind, 2);
    assert!(!moved.system_instruction.clone().unwrap().contains("longer"));
    assert!(moved.contents.last().unwrap().parts[0].part.text.as_deref().unwrap().contains("longer"));
}

#[test]
fn dropped_tools_are_not_declared() {
    let experiment = edited(&sample(), &insert("drop_tools", r#"{"tools": ["grep", "sql_query"]}"#));
    let shape = shape(&request(&experiment, 25));
    let tools = shape.lines().find(|row| row.starts_with("tools")).unwrap();
    assert!(
        !tools.contains("grep") && !tools.contains("sql_query") && tools.contains("read_file"),
        "{tools}"
    );
}

#[test]
fn every_kind_can_be_inserted_as_it_is_and_says_what_it_does() {
    for kind in PROCESSOR_KINDS {
        assert!(kind.summary.ends_with('.') && !kind.title.is_empty(), "{}", kind.name);
        for param in kind.params {
            assert!(param.doc.ends_with('.'), "{}.{}", kind.name, param.name);
            assert!(json::parse(param.default.as_bytes()).is_ok(), "{}.{}", kind.name, param.name);
        }
        let params = match kind.name {
            "retention" => r#"{"max_turns": 3}"#,
            "compact_state" => r#"{"key": "hits", "fields": []}"#,
            _ => "{}",
        };
        let experiment =
            sample().lay(&crate::edits(&insert(kind.name, params)), &strata_engine::Catalog::new()).finish();
        assert!(experiment.notes.is_empty(), "{}: {:?}", kind.name, experiment.notes);
        assert!(!last_contents(&experiment.experiment).is_empty(), "{}", kind.name);
    }
}
