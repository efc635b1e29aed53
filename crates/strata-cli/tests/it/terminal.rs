//! Pipes that close and people who press Ctrl-C.
#![cfg(unix)]

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::strata::{Computer, Run, samples};

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let computer = Computer::new();
    for arguments in ["tokens sample --json", "compile sample --limit 0", "show sample"] {
        let mut command = computer.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), &*stderr), (Some(0), ""), "{arguments}");
    }
}

#[test]
fn nothing_is_coloured_outside_a_terminal() {
    let run = Computer::new().run("compile sample --stages");
    assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'));
}

#[test]
fn ctrl_c_stops_an_import_and_keeps_what_is_stored() {
    const N_FILES: usize = 1_500;
    let computer = Computer::new();
    let folder = computer.path("many");
    fs::create_dir(&folder).unwrap();
    for at in 0..N_FILES {
        fs::copy(samples().join("weather.session.json"), folder.join(format!("{at:04}.json"))).unwrap();
    }
    let mut command = computer.command(&format!("import {}", folder.display()));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();

    let stored = || {
        let listed = computer.run("sessions --json");
        // The store is refused while it is being made.
        if listed.code == 0 { listed.json()["sessions"].as_array().unwrap().len() } else { 0 }
    };
    let start = Instant::now();
    while stored() == 0 {
        assert!(start.elapsed() < Duration::from_mins(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());

    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, 130);
    assert!(run.stdout.contains("before that stay."), "{}", run.stdout);
    assert!((1..N_FILES).contains(&stored()));
}
