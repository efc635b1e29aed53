//! Every command on the bundled sample, and on a file.

use std::path::Path;

use serde_json::{Value, json};
use strata_app::ErrorCode;

use crate::{ask, ask_bytes, import, refuse, sample, start};

fn words(bytes: &[u8], from: usize, n: usize) -> Vec<u32> {
    let words = bytes[from..from + 4 * n].chunks_exact(4);
    words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

#[test]
fn the_first_start_shows_the_sample() {
    let strata = start();
    let info = ask(&strata, "app/start", &json!({}));
    assert_eq!(info["openSession"], info["sampleSession"]);
    let session = sample(&strata);
    let header = ask(&strata, "session/open", &json!({ "session": session }));
    insta::assert_json_snapshot!("header", header, { ".session" => "[id]" });
}

#[test]
fn columns_and_map_add_up_to_the_calls() {
    let strata = start();
    let session = sample(&strata);
    let columns = ask_bytes(
        &strata,
        "call/columns",
        &json!({ "session": session, "from": 1, "to": 41, "maxColumns": 100 }),
    );
    let [version, n] = words(&columns, 0, 2)[..] else { panic!("a header") };
    assert_eq!((version, n), (2, 41));
    let n = n as usize;
    assert_eq!(columns.len(), 8 + n * (12 * 4 + 2 * 2));
    let tokens = words(&columns, 8 + 2 * n * 4, n);

    let map = ask_bytes(
        &strata,
        "call/map",
        &json!({ "session": session, "from": 1, "to": 41, "maxColumns": 100, "minTokens": 1 }),
    );
    let [_, n_columns, n_segments] = words(&map, 0, 3)[..] else { panic!("a header") };
    assert_eq!(n_columns, 41);
    let starts = words(&map, 12 + n * 4, n + 1);
    let segments = words(&map, 12 + (2 * n + 1) * 4, n_segments as usize);
    for call in 1..=41 {
        let detail = ask(&strata, "call/get", &json!({ "session": session, "call": call }));
        assert_eq!(detail["prompt"]["tokens"], tokens[call - 1], "C{call}");
        let in_map: u32 = segments[starts[call - 1] as usize..starts[call] as usize].iter().sum();
        let stages = ask(&strata, "call/stages", &json!({ "session": session, "call": call }));
        assert_eq!(
            json!(in_map),
            json!(u64::from(tokens[call - 1]) - stages["overheadTokens"].as_u64().unwrap_or(0))
        );
        let last = stages["rows"].as_array().and_then(|rows| rows.last()).expect("stages");
        assert_eq!(last["tokensAfter"], in_map, "C{call}: stages add up to the prompt");
    }
}

#[test]
fn every_stage_and_part_of_a_call_can_be_opened() {
    let strata = start();
    let session = sample(&strata);
    let stages = ask(&strata, "call/stages", &json!({ "session": session, "call": 25 }));
    let n_stages = stages["rows"].as_array().expect("rows").len();
    for stage in 1..=n_stages {
        for with in ["stageBefore", "previousCall"] {
            let params = json!({
                "session": session, "call": 25, "stage": stage, "compareWith": with,
                "foldUnchanged": true, "offset": 0, "limit": 500,
            });
            let page = ask(&strata, "call/stageParts", &params);
            for row in page["rows"].as_array().expect("rows") {
                let address = row["address"].as_str().expect("an address");
                if !address.starts_with("C25/") {
                    continue;
                }
                let of_part = json!({ "session": session, "address": address, "stage": stage });
                let detail = ask(&strata, "part/get", &of_part);
                assert_eq!(detail["tokens"]["tokens"], row["tokensAfter"], "{address}");
                let text = json!({ "session": session, "address": address, "stage": stage, "offset": 0, "limit": 1_000_000 });
                let text = ask(&strata, "part/text", &text);
                let spans = detail["spans"].as_array().expect("spans");
                assert_eq!(
                    spans.last().map_or(json!(0), |span| span["to"].clone()),
                    text["totalLength"],
                    "{address}"
                );
                let diff =
                    json!({ "session": session, "address": address, "stage": stage, "compareWith": with });
                ask(&strata, "part/diff", &diff);
            }
        }
    }
}

#[test]
fn the_sample_s_contents_stage_reads_as_it_should() {
    let strata = start();
    let session = sample(&strata);
    let params = json!({
        "session": session, "call": 25, "stage": 8, "compareWith": "stageBefore",
        "foldUnchanged": false, "offset": 0, "limit": 40,
    });
    insta::assert_json_snapshot!("contents_of_c25", ask(&strata, "call/stageParts", &params));
    let params = json!({ "session": session, "address": "C25/sys.0", "stage": null });
    insta::assert_json_snapshot!("instruction_of_c25", ask(&strata, "part/get", &params));
}

#[test]
fn a_json_page_is_cut_between_characters() {
    let strata = start();
    let session = sample(&strata);
    let whole = ask(
        &strata,
        "call/json",
        &json!({ "session": session, "call": 17, "stage": 17, "offset": 0, "limit": 10_000_000 }),
    );
    let total = whole["totalLength"].as_u64().expect("a length");
    let mut text = String::new();
    let mut offset = 0;
    while offset < total {
        let params =
            json!({ "session": session, "call": 17, "stage": 17, "offset": offset, "limit": 99_999 });
        let page = ask(&strata, "call/json", &params);
        let page = page["text"].as_str().expect("text");
        offset += page.encode_utf16().count() as u64;
        text.push_str(page);
    }
    assert_eq!(Some(&*text), whole["text"].as_str());
}

#[test]
fn events_are_sorted_filtered_and_told() {
    let strata = start();
    let session = sample(&strata);
    let page = |filter: &str, order: &str| {
        let params =
            json!({ "session": session, "order": order, "filter": filter, "offset": 0, "limit": 200 });
        ask(&strata, "event/page", &params)
    };
    assert_eq!(page("", "inOrder")["total"], 84);
    let costliest = page("kind:result", "byLifetime")["rows"][0].clone();
    assert_eq!(costliest["event"], 7);
    assert_eq!(costliest["carriedBy"], "C4–C17");
    assert_eq!(page("kind:reslt", "inOrder")["filterError"]["suggestion"], "kind:result");
    assert_eq!(page("knid:result", "inOrder")["filterError"]["suggestion"], "kind:result");
    assert_eq!(page("size:x", "inOrder")["filterError"]["message"], "size:x is not a filter");
    let event = ask(&strata, "event/get", &json!({ "session": session, "event": 7 }));
    assert_eq!(event["fate"], "C4–C17, then summarised by E35");
    let by_call = event["byCall"].as_array().expect("runs of calls");
    let number = |of: &Value, name: &str| of[name].as_u64().expect("a number");
    let n_calls = |run: &Value| number(run, "to") - number(run, "from") + 1;
    let sent: u64 = by_call.iter().map(|run| n_calls(run) * number(run, "tokens")).sum();
    assert_eq!(json!(sent as f64), costliest["lifetimeTokens"]);
    let calls = json!({ "from": 5, "to": 41 });
    let stratum = ask(&strata, "event/stratum", &json!({ "session": session, "event": 7, "calls": calls }));
    let runs = stratum["runs"].as_array().expect("runs of calls");
    assert_eq!(runs.iter().map(n_calls).sum::<u64>(), 13, "C5 to C17 of those that carried it");
    assert_eq!((number(&runs[0], "from"), number(&runs[runs.len() - 1], "to")), (5, 17));
    assert!(runs.len() < 13, "calls that have it at the same place are one run: {runs:?}");
    for number in 1..=84 {
        ask(&strata, "event/get", &json!({ "session": session, "event": number }));
        let calls = json!({ "from": 1, "to": 41 });
        ask(&strata, "event/stratum", &json!({ "session": session, "event": number, "calls": calls }));
    }
}

#[test]
fn questions_have_answers() {
    let strata = start();
    let session = sample(&strata);
    let questions = [
        "costliestToolResult",
        "largestCalls",
        "promptByKind",
        "toolsNeverCalled",
        "costliestTurn",
        "costliestAgent",
        "stageThatAddedMost",
        "stagesThatDidNothing",
        "whatGrewSincePreviousCall",
        "hiddenContext",
        "lookedUp",
        "leftOut",
        "reframed",
        "stateShown",
        "editEffect",
        "whyMissed",
        "dearestCalls",
        "avoidableBreaks",
        "stableShare",
        "bestCacheFix",
        "belowMinimum",
        "compactionSavings",
    ];
    let answers: Vec<Value> = questions
        .iter()
        .map(|question| {
            ask(&strata, "palette/ask", &json!({ "session": session, "question": question, "cursor": 17 }))
        })
        .collect();
    insta::assert_json_snapshot!("answers", answers);
    for query in ["", "e7", "c17", "contents", "hits", "search", "log_analyst", "Decimal"] {
        let params = json!({ "session": session, "query": query, "limit": 10 });
        assert!(
            !ask(&strata, "palette/search", &params)["items"].as_array().expect("items").is_empty(),
            "{query}"
        );
    }
}

#[test]
fn a_context_window_is_what_the_client_wrote_down_or_what_is_listed_for_the_model() {
    let strata = start();
    let window = |session: &str, n_calls: u32| {
        let last = json!({ "session": session, "call": n_calls });
        ask(&strata, "session/open", &json!({ "session": session }));
        ask(&strata, "call/get", &last);
        ask(&strata, "session/header", &json!({ "session": session }))["agents"][0]["contextWindow"].clone()
    };
    let codex = import(&strata, Path::new("../strata-import/samples/codex.jsonl"));
    let codex = codex["sessions"][0]["session"].as_str().expect("a session").to_owned();
    assert_eq!(
        window(&codex, 4),
        json!({ "model": "gpt-5.5", "tokens": 200_000, "source": "the client, in the session" })
    );
    assert_eq!(window(&sample(&strata), 41)["tokens"], 1_048_576);
}

#[test]
fn a_file_is_imported_opened_given_a_configuration_and_removed() {
    let strata = start();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.json");
    std::fs::copy("assets/invoice-triage.session.json", &path).expect("a copy");
    let job = import(&strata, &path);
    assert_eq!((&job["state"], &job["outcome"]), (&json!("done"), &json!("1 session imported.")));
    let session = job["sessions"][0]["session"].as_str().expect("a session").to_owned();
    let header = ask(&strata, "session/open", &json!({ "session": session }));
    assert_eq!(header["app"]["isInferred"], true);
    assert!(!header["app"]["notes"].as_array().expect("notes").is_empty());

    let app = Path::new("assets/invoice-triage.app.json").canonicalize().expect("the sample's configuration");
    let header = ask(&strata, "session/setApp", &json!({ "session": session, "path": app }));
    assert_eq!(header["app"]["isInferred"], false);
    let given = ask(&strata, "call/get", &json!({ "session": session, "call": 17 }));
    let of_sample = ask(&strata, "call/get", &json!({ "session": sample(&strata), "call": 17 }));
    assert_eq!(given["prompt"], of_sample["prompt"]);

    assert_eq!(import(&strata, &path)["outcome"], "1 session already here, unchanged.");
    ask(&strata, "session/remove", &json!({ "session": session }));
    assert_eq!(refuse(&strata, "session/open", &json!({ "session": session })).0, ErrorCode::NotFound);
    assert!(path.exists(), "the file stays");
}

#[test]
fn what_cannot_be_answered_is_refused_in_words() {
    let strata = start();
    let session = sample(&strata);
    let refused = [
        ("call/get", json!({ "session": session, "call": 42 })),
        ("call/get", json!({ "session": session, "call": 0 })),
        ("call/get", json!({ "session": "nowhere", "call": 1 })),
        ("call/json", json!({ "session": session, "call": 1, "stage": 99, "offset": 0, "limit": 1 })),
        ("event/get", json!({ "session": session, "event": 0 })),
        ("part/get", json!({ "session": session, "address": "C1/99.0", "stage": null })),
        ("part/get", json!({ "session": session, "address": "nonsense", "stage": null })),
        (
            "part/text",
            json!({ "session": session, "address": "E1/7", "stage": null, "offset": 0, "limit": 1 }),
        ),
        ("session/import", json!({ "paths": [] })),
        ("session/setApp", json!({ "session": session, "path": "/does/not/exist.yaml" })),
        ("session/remove", json!({ "session": session })),
        ("job/cancel", json!({ "job": "9" })),
        ("call/get", json!({ "call": "one" })),
        ("no/such", json!({})),
    ];
    let messages: Vec<String> = refused
        .iter()
        .map(|(name, params)| {
            let (code, message) = refuse(&strata, name, params);
            format!("{name} {code:?}: {}", message.replace(&session, "[id]"))
        })
        .collect();
    insta::assert_snapshot!("refusals", messages.join("\n"));
}
