//! Home reads what it may, once, and adds up as `usage/get` does.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{Host, Options, Strata};

use crate::{ask, start, wait_until};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples")
}

fn start_with(database: &Path) -> Arc<Strata> {
    let database = Some(database.to_owned());
    let options =
        Options { host: Host::Browser, database, open: Vec::new(), runtime: strata_testkit::runtime() };
    Strata::start(options).expect("a store opens")
}

fn choose(strata: &Arc<Strata>, path: &Path, choice: &str) -> Value {
    ask(strata, "place/choose", &json!({ "choices": [{ "path": path, "choice": choice }] }))
}

fn page(strata: &Arc<Strata>, filter: &str) -> Value {
    let asked = json!({
        "filter": filter, "since": null, "until": null, "timezone": "UTC", "order": "newest",
        "offset": 0, "limit": 1000
    });
    ask(strata, "home/get", &asked)
}

/// Reads until there is nothing to read.
fn read(strata: &Arc<Strata>) -> Value {
    ask(strata, "home/read", &json!({ "goesOn": true }));
    wait_until(|| page(strata, "")["reading"]["isRunning"] == false);
    page(strata, "")
}

fn usage(strata: &Arc<Strata>, path: &Path, by: &str) -> Value {
    let asked = json!({ "paths": [path], "by": by, "since": null, "until": null, "timezone": "UTC" });
    ask(strata, "usage/get", &asked)
}

#[track_caller]
fn same_sums(home: &Value, usage: &Value) {
    for (name, number) in usage.as_object().expect("sums") {
        match name.as_str() {
            // The last digit goes by the order in which they are added up.
            "cost" | "cacheRatio" => {
                let (a, b) = (home[name].as_f64(), number.as_f64());
                assert!(a == b || a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 1e-9), "{name}: {a:?} {b:?}");
            }
            _ => assert_eq!(&home[name], number, "{name}"),
        }
    }
}

#[test]
fn nothing_is_read_before_a_person_agrees() {
    let folder = tempfile::tempdir().expect("a folder");
    // It would be a row with a reason, or a file that was read.
    fs::write(folder.path().join("poison.jsonl"), b"\x00poison").expect("written");
    let strata = start();
    let before = read(&strata);
    assert_eq!(before["reading"]["files"], 0);
    choose(&strata, folder.path(), "leave");
    assert_eq!(read(&strata)["reading"], before["reading"]);
    let listed = choose(&strata, folder.path(), "read");
    let places = listed["places"].as_array().expect("places");
    let own =
        places.iter().find(|place| place["path"] == json!(folder.path())).expect("a place of one's own");
    assert_eq!((&own["choice"], &own["files"], &own["bytes"]), (&json!("read"), &json!(1), &json!(7.0)));
    // Agreeing reads nothing by itself.
    assert_eq!(page(&strata, "")["reading"]["readFiles"], 0);
    assert_eq!(read(&strata)["reading"]["newlyReadFiles"], 1);
    choose(&strata, folder.path(), "leave");
    assert_eq!(read(&strata)["reading"]["files"], 0, "what was read is gone with the place");
}

#[test]
fn sums_are_those_of_usage_however_they_are_cut() {
    let strata = start();
    choose(&strata, &samples(), "read");
    let home = read(&strata);
    for (by, rows) in [("day", "days"), ("tool", "tools"), ("project", "projects"), ("model", "models")] {
        let usage = usage(&strata, &samples(), by);
        same_sums(&home["total"], &usage["total"]);
        let (ours, theirs) = (home[rows].as_array().expect("rows"), usage["rows"].as_array().expect("rows"));
        assert_eq!(ours.len(), theirs.len(), "{by}");
        for (a, b) in ours.iter().zip(theirs) {
            same_sums(a, b);
            if by == "day" {
                continue;
            }
            // A click on a bar shows what the bar says.
            let key = a["key"].as_str().unwrap_or_default();
            let alone = page(&strata, &format!("\"{by}:={key}\""));
            let mut expected = b.clone();
            expected.as_object_mut().expect("a row").retain(|name, _| name != "key" && name != "title");
            same_sums(&alone["total"], &expected);
        }
    }
    let listed = usage(&strata, &samples(), "session");
    let sum = |rows: &Value, name: &str| -> f64 {
        rows.as_array().expect("rows").iter().filter_map(|row| row[name].as_f64()).sum()
    };
    for name in ["calls", "inputTokens", "outputTokens", "cachedTokens"] {
        let (at_home, counted) = (sum(&home["sessions"], name), sum(&listed["rows"], name));
        assert!((at_home - counted).abs() < 0.5, "{name}: {at_home}, {counted}");
    }
    let mut n_priced = 0;
    for session in home["sessions"].as_array().expect("sessions") {
        let wasted = session["waste"]["tokens"].as_u64().unwrap_or(0);
        assert!(wasted <= session["inputTokens"].as_u64().expect("tokens"), "{}", session["path"]);
        let (Some(waste), Some(cost)) = (session["waste"]["cost"].as_f64(), session["cost"].as_f64()) else {
            continue;
        };
        assert!(waste <= cost, "{}: {waste} of {cost}", session["path"]);
        n_priced += 1;
    }
    assert!(n_priced > 0);
}

#[test]
fn a_filter_that_leaves_nothing_names_its_term() {
    let strata = start();
    choose(&strata, &samples().join("codex.jsonl"), "read");
    read(&strata);
    let empty = page(&strata, "tool:codex zebra model:gpt");
    assert_eq!((&empty["nSessions"], &empty["excludingTerm"]), (&json!(0), &json!("zebra")));
    assert_eq!(page(&strata, "tool:codex")["excludingTerm"], Value::Null);
}

#[test]
fn a_second_start_reads_what_has_changed_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("place");
    fs::create_dir(&place).expect("a place");
    for name in ["codex.jsonl", "claude-code.jsonl"] {
        fs::copy(samples().join(name), place.join(name)).expect("copied");
    }
    let database = folder.path().join("strata.db");
    let first = {
        let strata = start_with(&database);
        choose(&strata, &place, "read");
        read(&strata)
    };
    assert_eq!((&first["reading"]["newlyReadFiles"], &first["news"]), (&json!(2), &Value::Null));
    let strata = start_with(&database);
    let second = read(&strata);
    assert_eq!(second["reading"]["newlyReadFiles"], 0);
    for same in ["total", "days", "sessions", "patterns", "waste"] {
        assert_eq!(second[same], first[same], "{same}");
    }
    assert_eq!(second["news"]["calls"], 0);
    let text = fs::read_to_string(place.join("codex.jsonl")).expect("text");
    fs::write(place.join("codex.jsonl"), text + "\n").expect("written");
    assert_eq!(read(&strata)["reading"]["newlyReadFiles"], 1);
    fs::remove_file(place.join("codex.jsonl")).expect("removed");
    let left = read(&strata);
    same_sums(&left["total"], &usage(&strata, &place, "day")["total"]);
    assert_eq!(fs::read_dir(folder.path().join("strata.home")).expect("kept").count(), 1);
}

#[test]
fn a_damaged_file_is_a_row_in_place_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(samples().join("codex.jsonl"), folder.path().join("codex.jsonl")).expect("copied");
    fs::write(folder.path().join("torn.db"), b"SQLite format 3\0 and no more").expect("written");
    let strata = start();
    choose(&strata, folder.path(), "read");
    let home = read(&strata);
    let rows = home["sessions"].as_array().expect("rows");
    let torn = rows.iter().find(|row| row["title"] == "torn.db").expect("a row");
    assert_eq!(torn["isUnread"], true);
    assert!(torn["problem"].as_str().is_some_and(|reason| reason.len() > 10), "{torn}");
    assert_eq!(rows.len(), 2);
}

#[test]
fn what_comes_back_is_counted_by_session_and_leads_to_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let strata = start();
    choose(&strata, &samples(), "read");
    let home = read(&strata);
    let patterns = home["patterns"].as_array().expect("patterns");
    assert!(!patterns.is_empty(), "{:?}", folder.path());
    for pattern in patterns {
        let (code, tool) =
            (pattern["code"].as_str().expect("a code"), pattern["tool"].as_str().expect("a tool"));
        let those = page(&strata, &format!("finding:={code} \"tool:={tool}\""));
        assert_eq!(those["nSessions"], pattern["sessions"], "{pattern}");
        assert!(pattern["sessions"].as_u64() <= pattern["ofSessions"].as_u64());
    }
}
