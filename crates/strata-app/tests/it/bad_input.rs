//! Files that are not what they should be: what is said, and what is kept.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};
use strata_app::{Host, Options, Strata};

use crate::{import, import_files, start};

const SESSION: &str = r#"{"id": "s1", "appName": "desk", "userId": "u", "state": {}, "lastUpdateTime": 3.0, "events": [
  {"id": "e1", "author": "user", "invocationId": "i1", "timestamp": 1.0, "content": {"role": "user", "parts": [{"text": "Grüße"}]}},
  {"id": "e2", "author": "desk", "invocationId": "i1", "timestamp": 2.0, "content": {"role": "model", "parts": [{"text": "Hello."}]}}
]}"#;

/// State, outcome and what was reported, one line each.
fn told(job: &Value) -> String {
    let mut lines =
        vec![format!("{}: {}", job["state"].as_str().unwrap_or(""), job["outcome"].as_str().unwrap_or(""))];
    for row in job["diagnostics"].as_array().into_iter().flatten() {
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        lines.push(format!("  {} {}: {} ({})", text("severity"), text("code"), text("message"), text("at")));
    }
    lines.join("\n")
}

#[test]
fn odd_files_are_named_and_what_can_be_kept_is_kept() {
    let utf16: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(SESSION.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let latin1: Vec<u8> = SESSION.chars().map(|character| character as u8).collect();
    let duplicate = SESSION.replace(r#""id": "e2""#, r#""id": "e1""#);
    let claude = concat!(
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"c","isSidechain":false,"timestamp":"2026-01-27T23:13:36Z","message":{"role":"user","content":"Hi"}}"#,
        "\n{\"type\":\"user\",\"uuid\":\"u2\",\"par\n",
        r#"{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"c","isSidechain":false,"timestamp":"2026-01-27T23:13:38Z","message":{"role":"assistant","id":"m1","model":"claude-opus-5","content":[{"type":"text","text":"Hello"}]}}"#,
    );
    let files: [(&str, Vec<u8>); 12] = [
        ("empty.json", Vec::new()),
        ("blank.json", b" \n\t".to_vec()),
        ("binary.bin", (0..=255).cycle().take(5_000).collect()),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
        ("truncated.json", SESSION.as_bytes()[..SESSION.len() - 90].to_vec()),
        ("utf16.json", utf16),
        ("latin1.json", latin1),
        ("deep.json", format!("{{\"events\": {}", "[".repeat(200_000)).into_bytes()),
        ("duplicate-ids.json", duplicate.into_bytes()),
        ("broken-line.jsonl", claude.as_bytes().to_vec()),
        ("other.json", br#"{"name": "left-pad", "version": "1.3.0"}"#.to_vec()),
        ("prose.txt", b"Dear diary".to_vec()),
    ];
    let strata = start();
    let folder = tempfile::tempdir().expect("a folder");
    let mut report = Vec::new();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        report.push(format!("{name}\n{}", told(&import(&strata, &path))));
    }
    report.push(format!("missing.json\n{}", told(&import(&strata, &folder.path().join("missing.json")))));
    let report = report.join("\n").replace(&folder.path().display().to_string(), "[folder]");
    insta::assert_snapshot!(report);
}

#[test]
fn of_several_files_each_that_failed_is_named() {
    let strata = start();
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let good = file("good.json", SESSION);
    let bad = [file("cut.json", r#"{"id": "s1", "ev"#), file("foreign.json", r#"{"nothing": "of ours"}"#)];
    let job = import_files(&strata, &[&bad[0], &good, &bad[1]]);
    assert_eq!(job["outcome"], "1 session: 1 file imported, 2 failed.");
    let failed = job["files"]["failed"].as_array().expect("files");
    let paths: Vec<_> = failed.iter().filter_map(|file| file["path"].as_str().map(Path::new)).collect();
    assert_eq!(paths, [&*bad[0], &*bad[1]]);
    assert!(failed.iter().all(|file| file["reason"].as_str().is_some_and(|reason| reason.ends_with('.'))));

    let job = import_files(&strata, &[&bad[0], &bad[1]]);
    assert_eq!(
        (&job["state"], &job["outcome"]),
        (&json!("failed"), &json!("No session was found: 2 files failed."))
    );
    let job = import(&strata, &bad[0]);
    assert_eq!(job["state"], "failed");
    assert!(job["outcome"].as_str().expect("words").starts_with("cut.json: "), "{job:#}");
}

#[test]
fn a_folder_is_read_for_what_is_in_it() {
    let strata = start();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("deeper")).expect("a folder");
    std::fs::write(folder.path().join("deeper/a.json"), SESSION).expect("a file");
    std::fs::write(folder.path().join("notes.txt"), "nothing").expect("a file");
    let job = import(&strata, folder.path());
    assert_eq!(job["outcome"], "1 session: 1 file imported, 1 without a session.");
    assert_eq!(job["diagnostics"][0]["code"], "skipped-files");
}

/// Start with a store that cannot be used.
fn refused(database: &Path) -> String {
    let options = Options {
        host: Host::Browser,
        database: Some(database.to_owned()),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    };
    let error = Strata::start(options).err().expect("it does not start");
    error.message.replace(&database.parent().expect("a folder").display().to_string(), "[folder]")
}

#[test]
fn a_store_that_cannot_be_used_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let newer = folder.path().join("newer.db");
    drop(Strata::start(Options {
        host: Host::Browser,
        database: Some(newer.clone()),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    }));
    let connection = Connection::open(&newer).expect("a database");
    connection.pragma_update(None, "user_version", 9_999).expect("a version");
    drop(connection);
    // What indexes and packs in the background closes the file last, and takes what was logged into it.
    while folder.path().join("newer.db-wal").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = std::fs::read(&newer).expect("the file");

    let foreign = folder.path().join("notes.db");
    std::fs::write(&foreign, "these are my notes, not a database").expect("a file");

    insta::assert_snapshot!(format!("newer: {}\nforeign: {}", refused(&newer), refused(&foreign)));
    assert_eq!(std::fs::read(&newer).expect("the file"), before);
    assert_eq!(std::fs::read(&foreign).expect("the file"), b"these are my notes, not a database");
}
