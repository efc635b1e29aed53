//! Whole requests that Claude Code writes into its transcripts.

mod client;

use proptest::prelude::*;
use serde_json::{Value, json};
use strata_import::{Format, Import, ImportedSession, Importer};
use strata_model::marks::{self, UNANSWERED};
use strata_model::{Json, Severity, json as model_json};
use strata_testkit::samples;

use crate::support::sample;
use client::{Client, hash, sorted};

fn import(text: &str) -> Import {
    let mut importer = Importer::new(Format::CLAUDE_CODE);
    importer.feed(text.as_bytes());
    importer.finish()
}

fn session(imported: &Import) -> &ImportedSession {
    assert_eq!(imported.sessions.len(), 1, "{:?}", imported.diagnostics);
    &imported.sessions[0]
}

fn found(imported: &Import, code: &str) -> Vec<(Severity, String)> {
    let found = imported.diagnostics.iter().filter(|found| found.code == code);
    found.map(|found| (found.severity, found.message.clone())).collect()
}

/// Compact JSON with its keys in order.
fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

fn canonical_body(body: &Json) -> String {
    canonical(&serde_json::from_str(&model_json::to_compact(body)).unwrap())
}

/// A body that was sent, without what the client does not write down.
fn journaled(mut sent: Value) -> Value {
    let body = sent.as_object_mut().unwrap();
    for key in ["metadata", "stream", "diagnostics"] {
        body.remove(key);
    }
    let system = body["system"].as_array_mut().unwrap();
    system.retain(|block| !block["text"].as_str().unwrap().starts_with("x-anthropic-billing-header:"));
    sent
}

/// The client's own id of the request that an event answers.
fn answered_request(session: &ImportedSession, answer: usize) -> Option<&str> {
    let source = session.session.events[answer].custom_metadata.as_ref()?.get("source")?;
    source.get("requestRef")?.as_str()
}

/// Every request that is rebuilt is the one that was sent under its id; nothing is reported.
fn check_sent(imported: &Import, sent: &[(String, Value)]) {
    assert_eq!(imported.diagnostics, []);
    let session = session(imported);
    assert_eq!(session.requests.len(), sent.len());
    for (request, (id, body)) in session.requests.iter().zip(sent) {
        assert_eq!(canonical_body(&request.body), canonical(body), "{id}");
        let answer = request.answer.filter(|at| session.session.events[*at].error_code.is_none());
        if let Some(answer) = answer {
            assert_eq!(answered_request(session, answer), Some(&**id));
        }
    }
}

/// What was sent in the samples, with the ids of the requests.
fn sent() -> Vec<(String, Value)> {
    let lines = include_str!("journal/sent.jsonl").lines().map(|line| serde_json::from_str(line).unwrap());
    lines.map(|line: Value| (line["id"].as_str().unwrap().to_owned(), line["body"].clone())).collect()
}

#[test]
fn requests_of_a_transcript_are_those_that_were_sent() {
    let text = String::from_utf8(sample("claude-code-journal.jsonl")).unwrap();
    let imported = import(&text);
    let sent = sent().into_iter().map(|(id, body)| (id, journaled(body)));
    check_sent(&imported, &sent.collect::<Vec<_>>());
    let session = session(&imported);
    // The first attempt was answered by an error. Behind the compaction a history begins anew.
    let told: Vec<_> = session
        .requests
        .iter()
        .map(|request| {
            let answer = request.answer.map(|answer| &*session.session.events[answer].id);
            let it = request.alignment;
            (answer, it.shared, it.appended, it.removed)
        })
        .collect();
    assert_eq!(
        told,
        [
            (Some("s1"), 0, 3, 0),
            (Some("msg_1-0"), 3, 0, 0),
            (Some("msg_2-0"), 3, 4, 0),
            (Some("msg_3-0"), 7, 3, 0),
            (Some("msg_4-0"), 0, 3, 10),
            (Some("msg_5-0"), 3, 4, 0),
        ]
    );
}

#[test]
fn a_record_of_a_request_may_come_at_any_time_and_changes_nothing_before_it() {
    let text = String::from_utf8(sample("claude-code-journal.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (journal, talk): (Vec<&str>, Vec<&str>) =
        lines.iter().partition(|line| line.contains("\"api-request"));
    let whole = import(&text);
    // As a file that is followed grows: what was read stays, requests are added.
    let mut n_requests = 0;
    for n in 1..=lines.len() {
        let grown = import(&lines[..n].join("\n"));
        let Some(session) = grown.sessions.first() else { continue };
        assert!(session.requests.len() >= n_requests, "{n} lines");
        n_requests = session.requests.len();
        for (now, last) in session.requests.iter().zip(&whole.sessions[0].requests) {
            assert_eq!(now.body, last.body, "{n} lines");
        }
        assert_eq!(found(&grown, "broken-request"), [], "{n} lines");
    }
    for text in [[talk.clone(), journal.clone()].concat(), [journal, talk.clone()].concat()] {
        let moved = import(&text.join("\n"));
        let bodies = |imported: &Import| -> Vec<_> {
            session(imported).requests.iter().map(|it| (it.answer, it.body.clone())).collect()
        };
        assert_eq!(bodies(&moved), bodies(&whole));
    }
    let without = import(&talk.join("\n"));
    assert_eq!(session(&without).requests, []);
    assert_eq!(session(&without).session, session(&whole).session);
    let missing = found(&without, "missing-request");
    assert!(missing[0].1.starts_with("5 answers name a request that is not in this file"), "{missing:?}");
}

/// A talk with a call of tools, and a second prompt.
fn talk() -> Client {
    let mut client = Client::new("Be brief.");
    for (words, n_calls) in [("I look.", 2), ("There.", 0)] {
        let request = client.send();
        client.records.push(request.clone());
        client.answer(&request, words, n_calls);
    }
    client.prompt("And now?");
    let request = client.send();
    client.records.push(request.clone());
    client.answer(&request, "Still there.", 0);
    client
}

/// Requests that are left when records were changed, by their ids, and the finding about each that is lost.
fn left(client: &Client) -> (Vec<String>, Vec<String>) {
    let imported = import(&client.file());
    let one = session(&imported);
    let told = |found: &(Severity, String)| {
        assert_eq!(found.0, Severity::Warning);
        found.1.split(": ").nth(1).unwrap().split(". What").next().unwrap().to_owned()
    };
    let ids = one.requests.iter().map(|it| answered_request(one, it.answer.unwrap()).unwrap().to_owned());
    let lost = found(&imported, "broken-request").iter().map(told).collect();
    for (request, id) in one.requests.iter().zip(ids.clone()) {
        let (_, sent) = client.sent.iter().find(|(own, _)| *own == id).unwrap();
        assert_eq!(canonical_body(&request.body), canonical(sent), "{id}");
    }
    (ids.collect(), lost)
}

#[test]
fn a_request_that_cannot_be_put_together_is_left_out_with_a_reason() {
    let all = ["r0", "r1", "r2"].map(str::to_owned);
    assert_eq!(left(&talk()), (all.to_vec(), Vec::new()));

    let mut no_shape = talk();
    no_shape.records.retain(|record| record["type"] != "api-request-shape");
    let (ids, lost) = left(&no_shape);
    let reason = "its system prompt and tools are not in this file";
    assert_eq!((ids.len(), &*lost), (0, &[reason.to_owned()][..]), "told once, with how often");

    // Only the last request has the second prompt.
    let mut no_message = talk();
    let blobs = no_message.records.iter().rposition(|record| record["type"] == "api-request-blob");
    no_message.records.remove(blobs.unwrap());
    let (ids, lost) = left(&no_message);
    assert_eq!((&*ids, &*lost), (&all[..2], &["messages of it are not in this file".to_owned()][..]));

    // What is not there is not guessed, even where a message that looks right stands in its place.
    let mut no_result = talk();
    let result =
        no_result.records.iter().position(|record| record["message"]["content"][0]["type"] == "tool_result");
    no_result.records[result.unwrap()]["message"]["content"][0]["content"] = json!("another result");
    assert_eq!(left(&no_result).0, &all[..1]);

    let mut no_base = talk();
    no_base.records.retain(|record| record["id"] != "r1");
    let (ids, lost) = left(&no_base);
    let reason = "the request it goes on with is not in this file, or incomplete";
    assert_eq!((&*ids, &*lost), (&all[..1], &[reason.to_owned()][..]));

    let mut short_base = talk();
    for record in short_base.records.iter_mut().filter(|record| record["id"] == "r1") {
        record["keep"] = json!(99);
    }
    let (ids, lost) = left(&short_base);
    let reasons = [
        "it keeps more messages of the request before it than that one had",
        "the request it goes on with is not in this file, or incomplete",
    ];
    assert_eq!((&*ids, &*lost), (&all[..1], &reasons.map(str::to_owned)[..]));

    // A request cannot go on with itself.
    let mut circle = talk();
    for record in circle.records.iter_mut().filter(|record| record["id"] == "r1") {
        record["base"] = json!("r1");
    }
    assert_eq!(left(&circle).0, &all[..1]);
}

#[test]
fn a_call_whose_request_is_lost_stands_on_what_it_stood_on_without_a_journal() {
    let mut broken = talk();
    broken.records.retain(|record| record["type"] != "api-request-shape");
    let mut without = talk();
    without.records.retain(|record| !record["type"].as_str().unwrap().starts_with("api-request"));
    let [broken, without] = [broken, without].map(|client| import(&client.file()));
    assert_eq!(session(&broken).session, session(&without).session);
    assert_eq!(session(&broken).requests, []);
    // Its records are counted as what became no event.
    let n_kept = session(&broken).unmapped.records.get("api-request").map(Vec::len);
    assert_eq!(n_kept, Some(3));
}

#[test]
fn records_of_another_shape_are_counted_and_told() {
    let mut client = talk();
    for (at, change) in [
        ("api-request-shape", json!({"shape": "text"})),
        ("api-request-blob", json!({"message": {"role": 7}})),
        ("api-request", json!({"tail": "all"})),
        ("api-request", json!({"keep": -1})),
        ("api-request", json!({"cacheControl": [{"path": [1.5], "value": {}}]})),
        ("api-request", json!({"params": null})),
        ("api-request-resumed", json!({"id": "r1"})),
    ] {
        let mut record =
            client.records.iter().find(|record| record["type"] == at).cloned().unwrap_or(json!({"type": at}));
        record.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        record["id"] = json!("other");
        client.records.push(record);
    }
    let imported = import(&client.file());
    let session = session(&imported);
    assert_eq!(session.requests.len(), 3);
    let told = found(&imported, "unknown-request-record");
    assert!(
        matches!(&told[..], [(Severity::Warning, it)] if it.ends_with("(6 times; the place is that of the first)"))
    );
    let counted = |kind: &str| session.unmapped.records.get(kind).map_or(0, Vec::len);
    let kinds = ["api-request-shape", "api-request-blob", "api-request", "api-request-resumed"];
    assert_eq!(kinds.map(counted), [1, 1, 4, 1]);
}

#[test]
fn a_mark_without_a_place_is_told() {
    let mut client = talk();
    for record in client.records.iter_mut().filter(|record| record["id"] == "r0") {
        record["cacheControl"][1]["path"] = json!(["messages", 9, "content", 0]);
    }
    let imported = import(&client.file());
    assert_eq!(session(&imported).requests.len(), 3);
    assert_eq!(found(&imported, "lost-cache-mark").len(), 1);
    let marks =
        |at: usize| canonical_body(&session(&imported).requests[at].body).matches("cache_control").count();
    assert_eq!([marks(0), marks(1)], [1, 2]);
}

#[test]
fn a_file_whose_names_were_replaced_is_read_by_its_places() {
    let mut client = Client::new("Work in /home/bob/shop.");
    for (words, n_calls) in [("I look into /home/bob/shop.", 2), ("/home/bob/shop has it.", 0)] {
        let request = client.send();
        client.records.push(request.clone());
        client.answer(&request, words, n_calls);
    }
    client.prompt("Is /home/bob/shop all?");
    let request = client.send();
    client.records.push(request.clone());
    client.answer(&request, "Yes.", 0);
    let text = client.file().replace("/home/bob/", "/home/ann/");
    let imported = import(&text);
    let one = session(&imported);
    assert_eq!(one.requests.len(), 3);
    for (request, (id, sent)) in one.requests.iter().zip(&client.sent) {
        let sent = canonical(sent).replace("/home/bob/", "/home/ann/");
        assert_eq!(canonical_body(&request.body), sent, "{id}");
    }
    let told = found(&imported, "changed-requests");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, Severity::Info);
    assert!(told[0].1.starts_with("2 of 4 pieces of requests do not have the hash"), "{told:?}");
    assert!(told[0].1.ends_with("3 messages were found by their place instead of their hash"), "{told:?}");
    // A message that was written down and is gone is not found by any place.
    let first = hash(&json!({"role": "user", "content": [
        {"type": "text", "text": "<reminder>be kind</reminder>"}, {"type": "text", "text": "Where am I?"}]}));
    let without: Vec<&str> =
        text.lines().filter(|line| !line.contains(&format!("\"hash\":\"{first}\""))).collect();
    assert_eq!(without.len() + 1, text.lines().count());
    let imported = import(&without.join("\n"));
    assert_eq!(session(&imported).requests, []);
    assert_eq!(found(&imported, "broken-request").len(), 1);
}

#[derive(Debug, Clone)]
struct Turn {
    words: String,
    n_calls: usize,
    fails: bool,
    is_late: bool,
    is_compacted: bool,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = ("[a-zäß€😀\"\\\\\n ]{1,12}", 0..4_usize, any::<[bool; 2]>(), 0..5_u8).prop_map(
        |(words, n_calls, [fails, is_late], compacted)| Turn {
            words,
            n_calls,
            fails,
            is_late,
            is_compacted: compacted == 0,
        },
    );
    prop::collection::vec(turn, 1..8)
}

proptest! {
    #[test]
    fn whatever_is_sent_is_read_back(turns in turns(), cut in 1..400_usize) {
        let mut client = Client::new("Be brief.");
        for Turn { words, n_calls, fails, is_late, is_compacted } in turns {
            if is_compacted {
                client.begin(&words);
            }
            if fails {
                let request = client.send();
                client.records.push(request);
            }
            let request = client.send();
            if !is_late {
                client.records.push(request.clone());
            }
            client.answer(&request, &words, n_calls);
            if is_late {
                client.records.push(request);
            }
            if n_calls == 0 {
                client.prompt(&words);
            }
        }
        let text = client.file();
        check_sent(&import(&text), &client.sent);
        // Wherever the bytes are cut that come in, all of it is the same.
        let mut importer = Importer::new(Format::CLAUDE_CODE);
        text.as_bytes().chunks(cut).for_each(|piece| importer.feed(piece));
        prop_assert_eq!(importer.finish(), import(&text));
    }
}

/// Every request that recorded runs of Claude Code wrote down equals what a server received for it.
#[test]
fn requests_of_recorded_runs_are_those_that_a_server_received() {
    let Some(folder) = samples::captured() else { return };
    let mut told = Vec::new();
    for run in std::fs::read_dir(folder.join("sessions")).unwrap() {
        let run = run.unwrap().file_name().into_string().unwrap();
        let files = samples::files_below(&folder.join("sessions").join(&run).join(".claude/projects"));
        let received = received(&folder.join("exchanges").join(&run));
        let mut n_seen = 0;
        for file in files.iter().filter(|file| file.extension().is_some_and(|it| it == "jsonl")) {
            let imported = strata_import::import(&std::fs::read(file).unwrap());
            assert_eq!(found(&imported, "broken-request"), [], "{}", file.display());
            for request in imported.sessions.iter().flat_map(|it| &it.requests) {
                let body = canonical_body(&request.body);
                assert!(received.contains(&body), "{}: {body}", file.display());
                n_seen += 1;
            }
        }
        if n_seen > 0 {
            told.push((run, n_seen, received.len()));
        }
    }
    assert!(told.iter().map(|(_, n, _)| n).sum::<usize>() >= 29, "{told:?}");
}

#[test]
fn a_folder_of_bodies_is_one_session_with_the_requests_that_were_sent() {
    let imported = strata_import::import(&sample("claude-code-bodies.jsonl"));
    assert_eq!(imported.diagnostics, []);
    let one = session(&imported);
    assert_eq!(one.format, Format::CLAUDE_BODIES);
    assert_eq!(one.requests.len(), 6);
    for (request, (id, body)) in one.requests.iter().zip(sent()) {
        assert_eq!(canonical_body(&request.body), canonical(&body), "{id}");
    }
    let answers = |session: &ImportedSession| -> Vec<_> {
        let events = &session.session.events;
        // Where none is recorded, an event stands in its place.
        let is_told = |at: &usize| !marks::has(&events[*at], UNANSWERED);
        let answers = session.requests.iter().map(|it| it.answer.filter(is_told));
        answers.map(|at| at.map(|at| events[at].id.to_string())).collect()
    };
    let ids = [None, Some("msg_1-2"), Some("msg_2-0"), Some("msg_3-0"), Some("msg_4-1"), Some("msg_5-0")];
    assert_eq!(answers(one), ids.map(|id| id.map(str::to_owned)));
    // A transcript that holds no requests is given them, by the ids of its answers.
    let text = String::from_utf8(sample("claude-code-journal.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("\"api-request")).collect();
    let mut transcript = import(&lines.join("\n")).sessions.remove(0);
    assert_eq!(&*transcript.session.id, &*one.session.id);
    assert_eq!(transcript.join(one), 5);
    let ids = ["msg_1-0", "msg_2-0", "msg_3-0", "msg_4-0", "msg_5-0"];
    assert_eq!(answers(&transcript), ids.map(|id| Some(id.to_owned())));
}

#[test]
fn a_body_that_is_not_in_the_folder_costs_only_itself() {
    let text = String::from_utf8(sample("claude-code-bodies.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let is_file = |line: &str, end: &str| line.starts_with("{\"file\"") && line.contains(end);
    let answer = "req_msg_2.response.json";
    let without: Vec<&str> = lines.iter().copied().filter(|line| !is_file(line, answer)).collect();
    let imported = strata_import::import(without.join("\n").as_bytes());
    assert_eq!(found(&imported, "missing-body").len(), 1);
    assert_eq!(session(&imported).requests.len(), 6);
    let index: Vec<&str> = lines.iter().copied().filter(|line| !line.starts_with("{\"file\"")).collect();
    let alone = strata_import::import(index.join("\n").as_bytes());
    assert_eq!(alone.sessions, []);
    assert!(found(&alone, "missing-body")[0].1.contains("Import the folder, not its index alone"));
    // Without its request an answer is still a call.
    let no_requests: Vec<&str> =
        lines.iter().copied().filter(|line| !is_file(line, ".request.json\",\"content")).collect();
    let imported = strata_import::import(no_requests.join("\n").as_bytes());
    assert_eq!(imported.sessions.iter().map(|it| it.facts.model_responses).sum::<u64>(), 5);
}

/// A folder as it is read: the index, then every body with its name.
#[test]
fn a_recorded_folder_of_bodies_has_what_a_server_received() {
    let Some(folder) = samples::captured() else { return };
    let bodies = folder.join("otlp/claude-code__file/raw-bodies-folder");
    let mut text = std::fs::read_to_string(bodies.join("index.jsonl")).unwrap();
    for file in samples::files_below(&bodies).iter().filter(|file| !file.ends_with("index.jsonl")) {
        let name = file.file_name().unwrap().to_str().unwrap();
        text += &format!("{{\"file\":{name:?},\"content\":{}}}\n", std::fs::read_to_string(file).unwrap());
    }
    let imported = strata_import::import(text.as_bytes());
    let received = received(&folder.join("exchanges/otlp-claude-code__file"));
    let received: Vec<String> = received.iter().map(|body| without_thoughts(body)).collect();
    let requests = &session(&imported).requests;
    assert_eq!(requests.len(), 7);
    for request in requests {
        let body: Value = serde_json::from_str(&model_json::to_compact(&request.body)).unwrap();
        assert!(received.contains(&canonical(&journaled(body))));
        assert!(request.answer.is_some());
    }
}

/// The client keeps no thoughts in its folder, and says so in their place.
fn without_thoughts(body: &str) -> String {
    let mut body: Value = serde_json::from_str(body).unwrap();
    for message in body["messages"].as_array_mut().unwrap() {
        let blocks = message["content"].as_array_mut().into_iter().flatten();
        for block in blocks.filter(|block| block["type"] == "thinking") {
            block["thinking"] = "<REDACTED>".into();
        }
    }
    canonical(&body)
}

/// Bodies of the requests to the model that a server received, in canonical form.
fn received(run: &std::path::Path) -> Vec<String> {
    let files = samples::files_below(run);
    let requests = files.iter().filter(|file| file.to_string_lossy().ends_with(".request.json"));
    let exchanges =
        requests.map(|file| -> Value { serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap() });
    let to_model = exchanges.filter(|it| it["line"].as_str().unwrap().contains("/v1/messages?"));
    to_model.map(|it| canonical(&journaled(it["body"].clone()))).collect()
}
