//! `strata import` and `strata sessions`.

use std::fs;

use serde_json::json;

use crate::strata::{Computer, samples};

/// Ids and folders are those of this computer.
fn settled(computer: &Computer, text: &str) -> String {
    let mut settled = text.replace(&computer.path("").display().to_string(), "[home]/");
    for (at, session) in
        computer.run("sessions --json").json()["sessions"].as_array().unwrap().iter().enumerate()
    {
        let name = format!("{:16}", format!("[session {at}]"));
        settled = settled.replace(session["id"].as_str().unwrap(), &name);
    }
    settled
}

#[test]
fn imported_sessions_are_in_the_store() {
    let computer = Computer::new();
    let imported = computer.run("import two.sessions.json broken-line.jsonl");
    assert_eq!(imported.code, 0);
    insta::assert_snapshot!("imported", settled(&computer, &imported.seen()));
    insta::assert_snapshot!("listed", settled(&computer, &computer.run("sessions").seen()));
    let found = computer.run("sessions bergen --json").json();
    assert_eq!(found["sessions"][0]["ownId"], "bergen");
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn import_and_show_say_the_same_of_a_session() {
    let computer = Computer::new();
    let imported = computer.run("import weather.session.json --json").json();
    let imported = imported["sessions"][0].as_object().unwrap();
    let id = imported["id"].as_str().unwrap();
    let shown = computer.run(&format!("show {id} --json")).json();
    for (field, value) in imported {
        assert_eq!(shown["sessions"][0][field], *value, "{field}");
    }
}

#[test]
fn a_file_that_has_not_changed_is_left_alone() {
    let computer = Computer::new();
    computer.run("import weather.session.json");
    let again = computer.run("import weather.session.json --json").json();
    assert_eq!((&again["unchanged"], again["sessions"].as_array().unwrap().len()), (&json!(1), 1));
    assert_eq!(computer.run("sessions --json").json()["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_folder_imports_what_is_in_it() {
    let computer = Computer::new();
    let folder = computer.path("sessions");
    fs::create_dir_all(folder.join("deeper")).unwrap();
    for (from, to) in [
        ("weather.session.json", "a.json"),
        ("broken-line.jsonl", "deeper/b.jsonl"),
        ("unknown.json", "deeper/c.json"),
    ] {
        fs::copy(samples().join(from), folder.join(to)).unwrap();
    }
    let imported = computer.run(&format!("import {} --json", folder.display()));
    let document = imported.document();
    assert_eq!((imported.code, document["sessions"].as_array().unwrap().len()), (0, 2));
    let codes: Vec<_> =
        document["diagnostics"].as_array().unwrap().iter().map(|found| &found["code"]).collect();
    assert!(codes.contains(&&json!("skipped-files")), "{codes:?}");
}

#[test]
fn one_path_without_a_session_is_bad_input_and_the_rest_is_kept() {
    let computer = Computer::new();
    let imported = computer.run("import unknown.json nothing-here.json weather.session.json");
    insta::assert_snapshot!(settled(&computer, &imported.seen()));
    assert_eq!(computer.run("sessions --json").json()["sessions"].as_array().unwrap().len(), 1);
}
