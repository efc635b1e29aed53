//! `strata import FOLDER`: many files at once.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::strata::{Computer, samples};

/// A folder with a file of each kind of outcome.
fn folder(computer: &Computer) -> PathBuf {
    let folder = computer.path("transcripts");
    fs::create_dir_all(folder.join("deeper")).unwrap();
    let weather = fs::read(samples().join("weather.session.json")).unwrap();
    fs::write(folder.join("a.json"), &weather).unwrap();
    fs::write(folder.join("deeper/b.json"), &weather).unwrap();
    fs::write(folder.join("notes.md"), "no session").unwrap();
    fs::write(folder.join("broken.db"), b"SQLite format 3\0 and nothing else").unwrap();
    folder
}

fn run_in_home(computer: &Computer, arguments: &str) -> crate::strata::Run {
    computer.command(arguments).current_dir(computer.path("")).output().unwrap().into()
}

#[test]
fn every_file_is_accounted_for_and_unchanged_ones_are_skipped() {
    let computer = Computer::new();
    let folder = folder(&computer);
    let import = || run_in_home(&computer, "import transcripts --json").document();
    let first = import();
    let counts = |document: &Value| {
        let files = &document["files"];
        let n_failed = files["failed"].as_array().unwrap().len();
        (files["imported"].clone(), files["unchanged"].clone(), files["withoutSession"].clone(), n_failed)
    };
    assert_eq!(counts(&first), (json!(2), json!(0), json!(1), 1), "{first}");
    let failed = &first["files"]["failed"][0];
    assert!(failed["path"].as_str().unwrap().ends_with("broken.db"), "{failed}");
    assert!(failed["reason"].as_str().unwrap().len() > 10, "{failed}");

    let second = import();
    assert_eq!(counts(&second), (json!(0), json!(2), json!(1), 1));
    assert_eq!(second["sessions"], first["sessions"], "the same sessions, with the same ids");

    let two = fs::read(samples().join("two.sessions.json")).unwrap();
    fs::write(folder.join("a.json"), two).unwrap();
    assert_eq!(counts(&import()), (json!(1), json!(1), json!(1), 1), "what changed is read again");
}

#[test]
fn a_person_reads_what_came_of_a_folder() {
    let computer = Computer::new();
    folder(&computer);
    let seen = run_in_home(&computer, "import transcripts").stdout;
    assert!(seen.contains("2 files imported, 0 unchanged, 1 without a session, 1 failed\n"), "{seen}");
    assert!(seen.contains("broken.db"), "{seen}");
}
