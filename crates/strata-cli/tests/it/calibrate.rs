//! `strata calibrate`.

use std::fs;

use serde_json::{Value, json};

use crate::strata::Computer;

/// A transcript of Claude Code whose provider reports `ratio` tokens for each word that is added, and 80 for each call.
fn transcript(id: &str, ratio: f64, n_calls: usize) -> String {
    const WORDS: [&str; 7] = ["water", "garden", "green", "house", "bed", "seed", "light"];
    let line = |uuid: usize, role: &str, content: Value, usage: Option<u64>| {
        let parent = uuid.checked_sub(1).map(|parent| format!("{id}-{parent}"));
        let mut message = json!({"role": role, "content": content});
        if let Some(tokens) = usage {
            message["id"] = json!(format!("msg_{uuid}"));
            message["model"] = json!("claude-opus-4-6");
            message["usage"] = json!({"input_tokens": tokens, "output_tokens": 50});
        }
        let timestamp = format!("2026-03-02T09:{:02}:{:02}.000Z", uuid / 60, uuid % 60);
        let record = json!({
            "parentUuid": parent, "isSidechain": false, "type": role, "message": message, "uuid": format!("{id}-{uuid}"),
            "sessionId": id, "version": "2.1.62", "cwd": "/home/ada/garden", "timestamp": timestamp,
        });
        format!("{record}\n")
    };
    let mut text = line(0, "user", json!("What grows in the garden?"), None);
    let mut prompt = 9_000.0;
    for call in 0..n_calls {
        let n_words = 200 + 137 * (call * call % 11);
        let result: Vec<&str> = (0..n_words).map(|at| WORDS[(at * 3 + call) % WORDS.len()]).collect();
        let tool = format!("toolu_{id}_{call}");
        let asked =
            json!([{"type": "tool_use", "id": tool, "name": "Read", "input": {"file_path": "beds.txt"}}]);
        text += &line(2 * call + 1, "assistant", asked, Some(prompt as u64));
        let read = json!([{"type": "tool_result", "tool_use_id": tool, "content": result.join(" ")}]);
        text += &line(2 * call + 2, "user", read, None);
        prompt += ratio * n_words as f64 + 80.0;
    }
    text + &line(
        2 * n_calls + 1,
        "assistant",
        json!([{"type": "text", "text": "Beds."}]),
        Some(prompt as u64),
    )
}

#[test]
fn stored_sessions_are_counted_by_what_all_of_them_tell() {
    let computer = Computer::new();
    let store = computer.path("garden.db").display().to_string();
    let sessions =
        [("aaaa-1111", 1.30, 24), ("bbbb-2222", 1.31, 24), ("cccc-3333", 1.29, 24), ("dddd-4444", 1.30, 4)];
    for (id, ratio, n_calls) in sessions {
        let file = computer.path(&format!("{id}.jsonl"));
        fs::write(&file, transcript(id, ratio, n_calls)).unwrap();
        assert_eq!(computer.run(&format!("import {} --db {store}", file.display())).code, 0);
    }
    let stored = || computer.run(&format!("tokens dddd-4444 --db {store} --json")).document();
    let file = || {
        let file = computer.path("dddd-4444.jsonl").display().to_string();
        computer.run(&format!("tokens {file} --json")).document()
    };
    let before = stored();
    assert_eq!(before["calibrations"], json!([]), "four growths tell too little");

    let learned = computer.run(&format!("calibrate --db {store} --json")).document();
    assert_eq!(learned["read"], json!({"sessions": 4, "failed": 0}));
    let [model] = &learned["models"].as_array().unwrap()[..] else { panic!("{learned}") };
    assert_eq!((&model["model"], &model["from"]["sessions"]), (&json!("claude-opus-4-6"), &json!(3)));
    let error = model["from"]["error"].as_f64().unwrap();
    assert!(error < 0.05, "sessions are alike: ± {error}");

    let after = stored();
    let calibration = &after["calibrations"][0];
    assert_eq!((&calibration["growths"], &calibration["learned"]["sessions"]), (&json!(0), &json!(3)));
    // The last call reports what it is sent; what is hidden is the same in all, so errors show in the growth.
    let growth = |ledger: &Value, field: &str| {
        let of_call = |at: usize| ledger["calls"][at][field].as_f64().unwrap();
        of_call(4) - of_call(0)
    };
    let off = |ledger: &Value| (growth(ledger, "tokens") / growth(ledger, "reported") - 1.0).abs();
    assert!(off(&after) < 0.02 && off(&after) < off(&before) / 3.0, "{} after {}", off(&after), off(&before));
    assert_eq!(file()["total"], before["total"], "a file that is only read counts the same everywhere");

    let shown = computer.run(&format!("calibrate --show --db {store}")).seen();
    assert!(shown.contains("63 growths of 3 stored sessions"), "{shown}");
    computer.run(&format!("calibrate --forget --db {store}"));
    assert_eq!(stored(), before);
}

#[test]
fn an_empty_store_tells_nothing() {
    let computer = Computer::new();
    let run = computer.run("calibrate");
    assert_eq!(run.code, 2, "{}", run.seen());
    assert!(run.seen().contains("There is no database"), "{}", run.seen());
}
