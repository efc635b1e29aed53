//! Experiments: edits laid over the bundled sample.

use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{ErrorCode, Strata};

use crate::{ask, compiled, import, refuse, sample, start, wait_until};

#[test]
fn an_experiment_is_a_session_to_every_command() {
    let strata = start();
    let session = sample(&strata);
    let before = compiled(&strata, &session);
    let made = ask(&strata, "experiment/create", &json!({ "session": session, "name": "Fewer rows" }));
    let experiment = made["experiment"].as_str().expect("an id").to_owned();
    assert_eq!((made["edits"].as_u64(), made["list"].as_array().map(Vec::len)), (Some(0), Some(0)));
    assert_eq!(compiled(&strata, &experiment)["bill"]["promptTokens"], before["bill"]["promptTokens"]);

    let insert =
        json!({ "edit": "insert_processor", "use": "truncate_middle", "params": { "max_chars": 200 } });
    let preview =
        ask(&strata, "experiment/preview", &json!({ "session": experiment, "call": 25, "edits": [insert] }));
    let edited = ask(&strata, "experiment/edit", &json!({ "experiment": experiment, "edits": [insert] }));
    assert_eq!(edited["list"][0]["title"], "Truncate the middle of long texts: max_chars 200");
    let after = compiled(&strata, &experiment);
    assert!(after["bill"]["promptTokens"].as_f64() < before["bill"]["promptTokens"].as_f64(), "{after}");
    assert_eq!(
        after["bill"]["promptTokens"].as_f64(),
        preview["allCalls"]["tokensAfter"].as_f64(),
        "what was previewed came true"
    );
    assert_eq!(preview["thisCall"]["firstChangedStage"], "truncate_middle");
    assert_eq!(preview["thisCall"]["stagesRun"], 1);

    let stages = ask(&strata, "call/stages", &json!({ "session": experiment, "call": 25 }));
    let rows = stages["rows"].as_array().expect("stages");
    let row = rows.iter().find(|row| row["processor"] == "truncate_middle").expect("the stage");
    assert_eq!(row["inserted"], json!({ "kind": "truncate_middle", "params": { "max_chars": 200 } }));
    assert_eq!(row["tokensAfter"].as_u64(), rows.last().and_then(|row| row["tokensAfter"].as_u64()));
    for command in ["call/get", "call/stages"] {
        ask(&strata, command, &json!({ "session": experiment, "call": 3 }));
    }
    ask(&strata, "event/get", &json!({ "session": experiment, "event": 3 }));

    let pair = json!({ "a": session, "b": experiment, "onlyChanged": true, "offset": 0, "limit": 5 });
    let compared = ask(&strata, "experiment/compare", &pair);
    assert_eq!(compared["effect"]["tokensAfter"].as_f64(), after["bill"]["promptTokens"].as_f64());
    assert_eq!(compared["effect"]["callsChanged"], compared["total"]);
    let call = compared["rows"][0]["call"].clone();
    let parts = json!({ "a": session, "b": experiment, "call": call, "foldUnchanged": true, "offset": 0, "limit": 50 });
    let parts = ask(&strata, "experiment/compareParts", &parts);
    assert!(parts["headline"].as_str().is_some_and(|said| said.contains("rewritten")), "{parts}");
    assert_eq!(
        (&parts["addedTokens"], &parts["leftOutTokens"]),
        (&json!(0), &json!(0)),
        "rewriting is told once"
    );
    assert!(parts["rewritingTokens"].as_i64().is_some_and(|saved| saved < 0), "{parts}");

    ask(&strata, "experiment/undo", &json!({ "experiment": experiment }));
    assert_eq!(compiled(&strata, &experiment)["bill"]["promptTokens"], before["bill"]["promptTokens"]);
    ask(&strata, "experiment/redo", &json!({ "experiment": experiment }));
    assert_eq!(compiled(&strata, &experiment)["bill"]["promptTokens"], after["bill"]["promptTokens"]);
    assert_eq!(
        compiled(&strata, &session)["bill"]["promptTokens"],
        before["bill"]["promptTokens"],
        "the recording stays"
    );
}

#[test]
fn names_copies_and_removal() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session }));
    let first = made["experiment"].clone();
    assert_eq!(made["name"], "Experiment 1");
    let edits =
        json!([{ "edit": "drop_event", "event": 3 }, { "edit": "disable_processor", "processor": "nope" }]);
    let detail = ask(&strata, "experiment/edit", &json!({ "experiment": first, "edits": edits }));
    assert_eq!(detail["list"][0]["diagnostics"][0]["code"], "edit-half-a-call");
    assert_eq!(detail["list"][1]["diagnostics"][0]["code"], "edit-no-processor");
    ask(&strata, "experiment/undo", &json!({ "experiment": first }));
    ask(&strata, "experiment/rename", &json!({ "experiment": first, "name": " Tried " }));
    let copy = ask(&strata, "experiment/duplicate", &json!({ "experiment": first }));
    assert_eq!(
        (&copy["name"], &copy["edits"], &copy["undone"]),
        (&json!("Tried copy"), &json!(1), &json!(0))
    );
    let list = ask(&strata, "experiment/list", &json!({ "session": first }));
    assert_eq!(list["rows"].as_array().map(Vec::len), Some(2));
    ask(&strata, "experiment/remove", &json!({ "experiment": first }));
    assert_eq!(refuse(&strata, "experiment/get", &json!({ "experiment": first })).0, ErrorCode::NotFound);
    let (code, message) = refuse(&strata, "experiment/undo", &json!({ "experiment": session }));
    assert!(code == ErrorCode::BadInput && message.contains("never changed"), "{message}");
    let configured = |rows: u64| json!([{ "edit": "configure_processor", "processor": "cap_rows", "params": { "max_rows": rows } }]);
    let insert = json!([{ "edit": "insert_processor", "use": "cap_rows" }]);
    ask(&strata, "experiment/edit", &json!({ "experiment": copy["experiment"], "edits": insert }));
    for rows in 1..4 {
        let params =
            json!({ "experiment": copy["experiment"], "edits": configured(rows), "replacesLast": true });
        assert_eq!(
            ask(&strata, "experiment/edit", &params)["edits"],
            3,
            "a parameter that is dragged is one edit"
        );
    }
}

#[test]
fn every_edit_crosses_to_the_window_and_back() {
    let strata = start();
    let session = sample(&strata);
    let edits = json!([
        { "edit": "enable_processor", "processor": "identity", "agent": "coordinator" },
        { "edit": "move_processor", "processor": "identity", "before": "basic" },
        { "edit": "insert_processor", "use": "cap_rows", "name": "rows", "before": "model_call", "params": { "tools": ["a"] }, "agent": "coordinator" },
        { "edit": "configure_processor", "processor": "rows", "params": {} },
        { "edit": "remove_processor", "processor": "rows" },
        { "edit": "set_instruction", "agent": "coordinator", "text": "x" },
        { "edit": "set_static_instruction", "agent": "coordinator", "text": null },
        { "edit": "set_global_instruction", "text": null },
        { "edit": "set_tool", "agent": "log_analyst", "tool": "grep", "declaration": { "name": "grep" } },
        { "edit": "set_output_schema", "agent": "report_writer", "schema": { "type": "object" } },
        { "edit": "set_include_contents", "agent": "report_writer", "value": "none" },
        { "edit": "drop_event", "event": 2 },
        { "edit": "edit_event", "event": 1, "content": { "role": "user", "parts": [{ "text": "hi" }] } },
        { "edit": "pin_event", "event": 5 },
        { "edit": "set_compaction", "config": null },
        { "edit": "set_cache", "config": { "min_tokens": 5 } },
        { "edit": "set_state_map", "key": "k", "fields": ["a"] },
    ]);
    let made = ask(&strata, "experiment/create", &json!({ "session": session }));
    let detail =
        ask(&strata, "experiment/edit", &json!({ "experiment": made["experiment"], "edits": edits }));
    let list: Vec<Value> =
        detail["list"].as_array().expect("edits").iter().map(|row| row["edit"].clone()).collect();
    assert_eq!(json!(list), edits);
    for row in detail["list"].as_array().expect("edits") {
        assert_eq!(
            row["diagnostics"]
                .as_array()
                .map_or(0, |found| found.iter().filter(|row| row["severity"] == "error").count()),
            0,
            "{row}"
        );
    }
}

#[test]
fn fixes_are_tried_and_do_what_they_say() {
    let strata = start();
    let session = sample(&strata);
    let before = compiled(&strata, &session);
    let (fixes, _) = sample_fixes(&strata, &session);
    let fix = &fixes[0];
    let made = ask(
        &strata,
        "findings/apply",
        &json!({ "session": session, "title": fix["title"], "edits": fix["edits"] }),
    );
    let after = compiled(&strata, made["experiment"].as_str().expect("an id"));
    let saved = before["bill"]["promptTokens"].as_f64().unwrap_or(0.0)
        - after["bill"]["promptTokens"].as_f64().unwrap_or(0.0);
    assert_eq!(fix["savesTokens"].as_f64(), Some(saved));
    assert_eq!(made["name"], fix["title"]);
}

/// The fixes of the sample that change prompts, the most saving first; and one that keeps a prefix.
fn sample_fixes(strata: &Arc<Strata>, session: &str) -> (Vec<Value>, Value) {
    let mut found = Value::Null;
    wait_until(|| {
        found = ask(strata, "findings/list", &json!({ "session": session }));
        found["isComplete"] == true
    });
    let rows = found["bloat"].as_array().expect("bloat").iter();
    let fixes = rows.filter_map(|row| row["fixes"].as_array()?.first().cloned()).collect();
    let of_cache = ask(strata, "cache/fixes", &json!({ "session": session }));
    let has_edits = |fix: &&Value| fix["edits"].as_array().is_some_and(|edits| !edits.is_empty());
    let kept = of_cache["rows"].as_array().expect("fixes").iter().find(has_edits).expect("a fix of edits");
    (fixes, kept.clone())
}

fn apply(strata: &Arc<Strata>, to: &str, fix: &Value, promised: &Value) -> Value {
    let params = json!({ "session": to, "title": fix["title"], "edits": fix["edits"], "promised": promised });
    ask(strata, "findings/apply", &params)
}

#[test]
fn what_a_fix_promised_is_set_beside_what_it_saves() {
    let strata = start();
    let session = sample(&strata);
    compiled(&strata, &session);
    let (fixes, _) = sample_fixes(&strata, &session);
    let first = &fixes[0];
    let other = fixes.iter().find(|fix| fix["title"] != first["title"]).expect("another fix");
    let promised = |fix: &Value| json!({ "of": "prompt", "tokens": fix["savesTokens"].as_f64().unwrap() as i64, "costUsd": fix["savesUsd"] });
    let made = apply(&strata, &session, first, &promised(first));
    let experiment = made["experiment"].as_str().expect("an id").to_owned();
    let rows = |experiment: &str| {
        compiled(&strata, experiment);
        let list = ask(&strata, "experiment/promises", &json!({ "experiment": experiment }));
        list["rows"].as_array().expect("promises").clone()
    };
    let alone = rows(&experiment);
    assert_eq!(alone.len(), 1);
    assert_eq!(alone[0]["saves"]["tokens"], alone[0]["promised"]["tokens"], "{alone:?}");
    assert!(alone[0]["sentence"].as_str().unwrap().ends_with("less, as promised."), "{alone:?}");

    let only_first = prompt_tokens(&strata, &experiment);
    apply(&strata, &experiment, other, &promised(other));
    let both = prompt_tokens(&strata, &experiment);
    let found = rows(&experiment);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1]["saves"]["tokens"].as_i64(), Some(only_first - both), "beside the first");
    let only_other = apply(&strata, &session, other, &Value::Null);
    let only_other = prompt_tokens(&strata, only_other["experiment"].as_str().expect("an id"));
    assert_eq!(found[0]["saves"]["tokens"].as_i64(), Some(only_other - both), "beside the other");

    let copy = ask(&strata, "experiment/duplicate", &json!({ "experiment": experiment }));
    assert_eq!(rows(copy["experiment"].as_str().expect("an id")), found);
    ask(&strata, "experiment/undo", &json!({ "experiment": experiment }));
    let undone = rows(&experiment);
    assert_eq!(
        (&undone[0]["saves"]["tokens"], &undone[1]["saves"]),
        (&alone[0]["saves"]["tokens"], &Value::Null)
    );
    assert!(undone[1]["sentence"].as_str().unwrap().ends_with("it is taken back."), "{undone:?}");
}

#[test]
fn a_fix_of_a_prefix_is_measured_by_what_is_paid_in_full() {
    let strata = start();
    let session = sample(&strata);
    let before = compiled(&strata, &session);
    let (_, fix) = sample_fixes(&strata, &session);
    let promised = json!({ "of": "fullPrice", "tokens": fix["savesTokens"], "costUsd": fix["savesCostUsd"] });
    let made = apply(&strata, &session, &fix, &promised);
    let experiment = made["experiment"].as_str().expect("an id");
    let after = compiled(&strata, experiment);
    let list = ask(&strata, "experiment/promises", &json!({ "experiment": experiment }));
    let fresh = |header: &Value| {
        let of = |name: &str| header["bill"][name].as_i64().expect("a number");
        of("promptTokens") - of("unpaidTokens") - of("cachedTokens")
    };
    let row = &list["rows"][0];
    assert_eq!(row["saves"]["tokens"].as_i64(), Some(fresh(&before) - fresh(&after)), "{row}");
    assert_eq!(row["promised"], promised);
}

fn prompt_tokens(strata: &Arc<Strata>, session: &str) -> i64 {
    compiled(strata, session)["bill"]["promptTokens"].as_f64().expect("a number") as i64
}

#[test]
fn scripts_are_checked_tried_and_fail_at_their_stage() {
    let strata = start();
    let session = sample(&strata);
    let check =
        |source: &str, on: Value| ask(&strata, "script/check", &json!({ "source": source, "on": on }));
    let report = check("export function process( {", Value::Null);
    assert_eq!(report["failure"]["code"], "syntax");
    let on = json!({ "session": session, "call": 25, "before": null });
    let half = "export function process(request, context) { console.log(context.agent.name, context.call.events > 0); request.contents = request.contents.slice(-2); return request }";
    let report = check(half, on.clone());
    assert_eq!(report["failure"], Value::Null);
    assert_eq!(report["console"][0]["text"], "log_analyst true");
    assert!(report["tokens"]["after"].as_u64() < report["tokens"]["before"].as_u64(), "{report}");
    let failing = "export function process(request) {\n  return request.nothing.here\n}";
    assert_eq!(check(failing, on)["failure"]["line"], 2);
    let made = ask(&strata, "experiment/create", &json!({ "session": session }));
    let insert = json!([{ "edit": "insert_processor", "use": "script", "params": { "source": failing } }]);
    ask(&strata, "experiment/edit", &json!({ "experiment": made["experiment"], "edits": insert }));
    let stages = ask(&strata, "call/stages", &json!({ "session": made["experiment"], "call": 25 }));
    let row = stages["rows"]
        .as_array()
        .and_then(|rows| rows.iter().find(|row| row["processor"] == "script"))
        .expect("the stage")
        .clone();
    assert_eq!((&row["isChanged"], &row["script"]["failure"]["line"]), (&json!(false), &json!(2)));
    assert_eq!(row["diagnostics"][0]["code"], "script-failed");
}

#[test]
fn what_a_script_leaves_alone_keeps_its_source() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session }));
    let source = "export function process(request) { request.contents[0].parts[0].text += ' (said first)'; request.contents.push({ role: 'user', parts: [{ text: 'New.' }] }); return request }";
    let insert = json!([{ "edit": "insert_processor", "use": "script", "name": "mine", "params": { "source": source } }]);
    ask(&strata, "experiment/edit", &json!({ "experiment": made["experiment"], "edits": insert }));
    let parts = json!({ "a": session, "b": made["experiment"], "call": 3, "foldUnchanged": false, "offset": 0, "limit": 500 });
    let page = ask(&strata, "experiment/compareParts", &parts);
    let changed: Vec<(Value, Value)> = page["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| row["change"] != "unchanged")
        .map(|row| (row["change"].clone(), row["from"].clone()))
        .collect();
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert!(changed.iter().any(|(change, from)| change == "added" && from == "words of mine"), "{changed:?}");
}

#[test]
fn experiments_are_exported() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session, "name": "Short ones" }));
    let edits = json!([{ "edit": "insert_processor", "use": "cap_rows", "params": { "max_rows": 3 } }, { "edit": "drop_event", "event": 3 }]);
    ask(&strata, "experiment/edit", &json!({ "experiment": made["experiment"], "edits": edits }));
    let export = |form: &str| {
        ask(
            &strata,
            "experiment/export",
            &json!({ "session": made["experiment"], "as": form, "masksSecrets": true }),
        )
    };
    let python = export("adk-python");
    let text = python["text"].as_str().expect("a module");
    assert_eq!(python["file"], "short_ones.py");
    assert!(
        text.contains("cap_rows(max_rows=3, tools=[], keep_turns=0)") && text.contains("app = App("),
        "{text}"
    );
    assert_eq!(python["diagnostics"], json!([]), "a plugin drops E3");
    assert_eq!(export("adk-json")["diagnostics"].as_array().map(Vec::len), Some(2));
    assert!(
        export("yaml")["text"].as_str().is_some_and(|text| text.contains("- edit: \"insert_processor\""))
    );
    assert!(export("json")["text"].as_str().is_some_and(|text| text.contains("\"use\": \"cap_rows\"")));
}

/// What is asked while edits follow each other quickly is answered about what there is then, and is no error.
#[test]
fn edits_supersede_no_answer() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session }));
    let experiment = made["experiment"].clone();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let last = std::thread::scope(|scope| {
        for call in [3, 25, 41] {
            let (strata, experiment, is_over) = (&strata, &experiment, &is_over);
            scope.spawn(move || {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    let params = json!({ "session": experiment, "call": call });
                    ask(strata, "call/stages", &params);
                    let edits = json!([{ "edit": "pin_event", "event": 1 }]);
                    ask(
                        strata,
                        "experiment/preview",
                        &json!({ "session": experiment, "call": call, "edits": edits }),
                    );
                }
            });
        }
        let mut last = Value::Null;
        for size in 100..140 {
            let edit = match size {
                100 => {
                    json!({ "edit": "insert_processor", "use": "truncate_middle", "params": { "max_chars": size } })
                }
                _ => {
                    json!({ "edit": "configure_processor", "processor": "truncate_middle", "params": { "max_chars": size } })
                }
            };
            let params = json!({ "experiment": experiment, "edits": [edit], "replacesLast": true });
            last = ask(&strata, "experiment/edit", &params);
            // The edit's own answer, and what is asked behind it, are about the edit.
            let stages = ask(&strata, "call/stages", &json!({ "session": experiment, "call": 3 }));
            let rows = stages["rows"].as_array().cloned().unwrap_or_default();
            let row = rows.iter().find(|row| row["processor"] == "truncate_middle").expect("the stage");
            assert_eq!(row["inserted"]["params"]["max_chars"], size);
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        last
    });
    assert_eq!(last["edits"], 2, "each took the place of the one before");
}

#[test]
fn a_compared_part_is_told_line_by_line() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session, "name": "Another" }));
    let experiment = made["experiment"].clone();
    let edits = json!([
        { "edit": "set_instruction", "agent": "coordinator", "text": "You triage invoices.\nBe brief." },
        { "edit": "edit_event", "event": 1, "content": { "role": "user", "parts": [{ "text": "Why?" }] } },
    ]);
    ask(&strata, "experiment/edit", &json!({ "experiment": experiment, "edits": edits }));
    compiled(&strata, experiment.as_str().expect("an id"));
    let parts =
        json!({ "a": session, "b": experiment, "call": 1, "foldUnchanged": false, "offset": 0, "limit": 50 });
    let rows =
        ask(&strata, "experiment/compareParts", &parts)["rows"].as_array().cloned().unwrap_or_default();
    let mut signs = Vec::new();
    for row in rows.iter().filter(|row| row["change"] != "unchanged") {
        let is_left_out = row["change"] == "leftOut";
        assert!(!is_left_out || row["address"] == "", "what is gone has no place in what is shown");
        let params = json!({ "a": session, "b": experiment, "call": 1, "path": row["path"], "isLeftOut": is_left_out });
        let diff = ask(&strata, "experiment/compareText", &params);
        for line in diff["lines"].as_array().into_iter().flatten() {
            let runs = line["runs"].as_array().cloned().unwrap_or_default();
            let text: String = runs.iter().filter_map(|run| run["text"].as_str()).collect();
            signs.push((line["sign"].as_str().unwrap_or_default().to_owned(), text));
        }
        assert!(diff["beforeLabel"].as_str().is_some_and(|label| label.starts_with("Recorded")), "{diff}");
        assert!(diff["afterLabel"].as_str().is_some_and(|label| label.starts_with("Another")), "{diff}");
    }
    let has = |sign: &str, text: &str| signs.iter().any(|(s, t)| s == sign && t == text);
    assert!(has("added", "Why?") && has("added", "Be brief."), "{signs:?}");
    let first = "Invoices fail with decimal errors since Tuesday. Find out why.";
    assert!(has("removed", first), "{signs:?}");
    let (code, _) = refuse(
        &strata,
        "experiment/compareText",
        &json!({ "a": session, "b": experiment, "call": 1, "path": "99.0", "isLeftOut": false }),
    );
    assert_eq!(code, ErrorCode::NotFound);
}

#[test]
fn an_edited_event_shows_what_is_sent_beside_what_was_recorded() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session }));
    let experiment = made["experiment"].clone();
    let edits = json!([
        { "edit": "edit_event", "event": 1, "content": { "role": "user", "parts": [{ "text": "Why, in short?" }] } },
        { "edit": "pin_event", "event": 1 },
        { "edit": "drop_event", "event": 7 },
    ]);
    ask(&strata, "experiment/edit", &json!({ "experiment": experiment, "edits": edits }));
    compiled(&strata, experiment.as_str().expect("an id"));
    let page = |session: &Value, filter: &str| {
        let params =
            json!({ "session": session, "order": "inOrder", "filter": filter, "offset": 0, "limit": 10 });
        ask(&strata, "event/page", &params)
    };
    let rows = page(&experiment, "")["rows"].clone();
    assert_eq!(
        (&rows[0]["what"], &rows[0]["edits"]),
        (&json!("Why, in short?"), &json!(["edited", "pinned"]))
    );
    assert_eq!((&rows[1]["edits"], &rows[6]["edits"]), (&json!([]), &json!(["dropped"])));
    assert_eq!(
        page(&experiment, "text:\"in short\"")["rows"][0]["event"],
        1,
        "it is found by what it says here"
    );

    let get = |session: &Value, event: u32| {
        ask(&strata, "event/get", &json!({ "session": session, "event": event }))
    };
    let (edited, recorded) = (get(&experiment, 1), get(&json!(session), 1));
    assert_eq!(edited["parts"][0]["preview"], "Why, in short?");
    assert_eq!(edited["recorded"]["parts"], recorded["parts"]);
    assert_eq!(edited["recorded"]["size"], recorded["size"]);
    assert!(edited["size"]["tokens"].as_u64() < recorded["size"]["tokens"].as_u64());
    assert!(edited["content"].as_str().is_some_and(|text| text.contains("Why, in short?")));
    assert_eq!(edited["raw"], recorded["raw"], "what was recorded is still there");
    let lines = edited["recorded"]["difference"]["lines"].as_array().cloned().unwrap_or_default();
    assert!(
        lines.iter().any(|line| line["sign"] == "removed")
            && lines.iter().any(|line| line["sign"] == "added")
    );
    let text = json!({ "session": experiment, "address": "E1/0", "stage": null, "offset": 0, "limit": 100 });
    assert_eq!(ask(&strata, "part/text", &text)["text"], "Why, in short?");
    assert_eq!((&recorded["recorded"], &recorded["row"]["edits"]), (&Value::Null, &json!([])));

    let dropped = get(&experiment, 7);
    assert_eq!(dropped["fate"], "Dropped by an edit: in no history");
    assert_eq!(dropped["calls"], 0);
    assert_eq!(dropped["parts"], get(&json!(session), 7)["parts"], "what was dropped can be read");
}

#[test]
fn state_is_listed_with_what_a_map_can_keep() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("jobs.session.json");
    let jobs = json!([{ "id": 1, "body": "a long text" }, { "id": 2, "body": "another one", "late": true }]);
    let session = json!({
        "id": "s1", "appName": "jobs", "userId": "ada", "state": { "jobs": jobs, "plain": 3 }, "lastUpdateTime": 3.0,
        "events": [
            { "id": "e1", "invocationId": "i1", "author": "user", "timestamp": 1.0, "content": { "role": "user", "parts": [{ "text": "Hello" }] }, "actions": {} },
            { "id": "e2", "invocationId": "i1", "author": "desk", "timestamp": 2.0, "content": { "role": "model", "parts": [{ "text": "Hello" }] }, "actions": {} },
        ],
    });
    std::fs::write(&file, session.to_string()).expect("it is written");
    let strata = start();
    let session = import(&strata, &file)["sessions"][0]["session"].clone();
    let state = |session: &Value| ask(&strata, "call/state", &json!({ "session": session, "call": 1 }));
    let rows = state(&session)["rows"].clone();
    let fields = json!([
        { "name": "id", "entries": 2, "characters": 2.0 },
        { "name": "body", "entries": 2, "characters": 26.0 },
        { "name": "late", "entries": 1, "characters": 4.0 },
    ]);
    assert_eq!(
        (&rows[0]["key"], &rows[0]["entries"], &rows[0]["fields"]),
        (&json!("jobs"), &json!(2), &fields)
    );
    assert_eq!((&rows[0]["shown"], &rows[1]["fields"]), (&json!([]), &json!([])));
    let made = ask(&strata, "experiment/create", &json!({ "session": session }));
    let experiment = made["experiment"].clone();
    let edits = json!([{ "edit": "set_state_map", "key": "jobs", "fields": ["id"] }]);
    ask(&strata, "experiment/edit", &json!({ "experiment": experiment, "edits": edits }));
    let after = state(&experiment)["rows"].clone();
    assert_eq!(after[0]["shown"], json!(["id"]));
    assert_eq!(after[0]["characters"], rows[0]["characters"], "the state itself stays");
}

#[test]
fn edits_of_events_are_exported_as_a_plugin() {
    let strata = start();
    let session = sample(&strata);
    let export = |edits: Value, format: &str| {
        let made = ask(&strata, "experiment/create", &json!({ "session": session }));
        let experiment = made["experiment"].clone();
        ask(&strata, "experiment/edit", &json!({ "experiment": experiment, "edits": edits }));
        ask(
            &strata,
            "experiment/export",
            &json!({ "session": experiment, "as": format, "masksSecrets": true }),
        )
    };
    let events = json!([
        { "edit": "edit_event", "event": 1, "content": { "role": "user", "parts": [{ "text": "Why?" }] } },
        { "edit": "pin_event", "event": 1 },
        { "edit": "drop_event", "event": 7 },
    ]);
    let python = export(events.clone(), "adk-python");
    let text = python["text"].as_str().expect("a module");
    assert_eq!(python["diagnostics"], json!([]));
    assert!(text.contains("plugins=[EditedEvents("), "{text}");
    assert!(text.contains("class EditedEvents(BasePlugin):"));
    assert!(
        text.contains(r#""parts": [{"text": "Why?"}]"#) && text.contains(r#""is_dropped": True"#),
        "{text}"
    );
    let app = export(events, "adk-json");
    assert!(app["diagnostics"][0]["message"].as_str().is_some_and(|said| said.contains("The Python form")));

    let with_rule = json!([
        { "edit": "pin_event", "event": 1 },
        { "edit": "insert_processor", "use": "cap_rows", "params": {} },
        { "edit": "insert_processor", "use": "script", "params": { "source": "export const process = (r) => r" } },
    ]);
    let python = export(with_rule, "adk-python");
    let said: Vec<&str> = python["diagnostics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row["message"].as_str())
        .collect();
    assert!(said.iter().any(|said| said.contains("takes nothing of E1 out")), "{said:?}");
    assert!(said.iter().any(|said| said.contains("before_model_callback")), "{said:?}");
}
