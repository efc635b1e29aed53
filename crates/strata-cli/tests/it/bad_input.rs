//! What is not a session, or not whole, or not asked for in the right way.

use std::path::Path;

use crate::strata::{Computer, strata};

#[test]
fn what_is_no_session_is_named() {
    for file in ["empty.jsonl", "binary.bin", "unknown.json", "nothing-here.json"] {
        for command in ["show", "compile", "tokens"] {
            let run = strata(&format!("{command} {file}"));
            assert_eq!((run.code, &*run.stdout), (2, ""), "{command} {file}");
            assert!(run.stderr.contains(file), "{command} {file}: {}", run.stderr);
        }
    }
    let seen =
        ["empty.jsonl", "binary.bin", "unknown.json"].map(|file| strata(&format!("show {file}")).seen());
    insta::assert_snapshot!(seen.concat());
}

#[test]
fn a_document_says_why_it_holds_no_session() {
    let run = strata("show unknown.json --json");
    assert_eq!((run.code, &*run.stderr), (2, ""));
    let document = run.document();
    assert_eq!(document["sessions"].as_array().unwrap().len(), 0);
    assert_eq!(document["diagnostics"][0]["severity"], "error");
    assert_eq!(document["diagnostics"][0]["code"], "not-a-session");
    assert_eq!(document["diagnostics"][0]["file"], "unknown.json");
}

#[test]
fn what_is_complete_of_a_cut_file_is_kept() {
    insta::assert_snapshot!(strata("show truncated.session.json").seen());
    assert_eq!(strata("compile truncated.session.json").code, 0);
}

#[test]
fn a_broken_line_costs_that_line_only() {
    insta::assert_snapshot!(strata("show broken-line.jsonl").seen());
}

#[test]
fn a_pickle_that_cannot_be_read_costs_itself_only() {
    let computer = Computer::new();
    write_pickled_database(&computer.path("pickled.db"));
    let run = computer.run(&format!("show {}", computer.path("pickled.db").display()));
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("could not be read as data"), "{}", run.stderr);
    assert!(run.stdout.contains("1 in 1 invocation"), "{}", run.stdout);
}

#[test]
fn the_recorder_replaces_nothing_but_a_recorder() {
    let computer = Computer::new();
    let (app, recorder) = (computer.path("app.py"), computer.path("strata_recorder.py"));
    std::fs::write(&app, "app = App()").unwrap();
    let run = computer.run(&format!("adk-recorder {}", app.display()));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("app.py is there and is no recorder"), "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(&app).unwrap(), "app = App()");
    for _ in ["a first", "a newer one"] {
        assert_eq!(computer.run(&format!("adk-recorder {}", recorder.display())).code, 0);
    }
    assert!(std::fs::read_to_string(&recorder).unwrap().contains("class StrataRecorder"));
}

fn write_pickled_database(path: &Path) {
    let database = rusqlite::Connection::open(path).unwrap();
    let tables = r#"CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT, state TEXT);
        CREATE TABLE events (id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, actions BLOB, content TEXT);
        INSERT INTO events VALUES ('e1', 'weather', 'ada', 'oslo', x'80049506', '{"parts":[{"text":"hi"}]}');"#;
    database.execute_batch(tables).unwrap();
}

#[test]
fn one_of_several_sessions_has_to_be_chosen() {
    let seen = [
        strata("tokens two.sessions.json").seen(),
        strata("tokens two.sessions.json --session stockholm").seen(),
    ];
    insta::assert_snapshot!(seen.concat());
}

#[test]
fn calls_and_agents_that_are_not_there_are_told_with_those_that_are() {
    let seen = ["--call 5", "--call 0", "--agent nobody"]
        .map(|choice| strata(&format!("compile weather.session.json {choice}")).seen());
    insta::assert_snapshot!(seen.concat());
}

#[test]
fn a_configuration_without_the_agent_compiles_no_further() {
    let computer = Computer::new();
    let app = computer.path("other.app.json");
    std::fs::write(&app, r#"{"name": "other", "root_agent": {"name": "gardener"}}"#).unwrap();
    let run = computer.run(&format!("compile weather.session.json --app {} --json", app.display()));
    assert_eq!(run.code, 2);
    let document = run.document();
    assert!(document["failure"]["message"].as_str().unwrap().contains("packer"), "{}", document["failure"]);
}

#[test]
fn what_is_no_configuration_is_refused() {
    let run = strata("compile weather.session.json --app unknown.json");
    assert_eq!((run.code, &*run.stdout), (2, ""));
    assert!(run.stderr.contains("root_agent"), "{}", run.stderr);
}

#[test]
fn a_configuration_that_google_adk_would_refuse_is_refused_for_its_reason() {
    let computer = Computer::new();
    let refused = |name: &str, text: &str| {
        let app = computer.path(name);
        std::fs::write(&app, text).unwrap();
        let run = computer.run(&format!("compile weather.session.json --app {}", app.display()));
        assert_eq!((run.code, &*run.stdout), (2, ""));
        run.stderr
    };
    let message = refused("app.yaml", "name: user\nroot_agent:\n  name: packer\n");
    assert!(message.contains("an app cannot be called user"), "{message}");
    let message =
        refused("app.json", r#"{"name": "a", "root_agent": {"name": "a packer", "sub_agent": []}}"#);
    assert!(message.contains("a packer") && message.contains("sub_agent: is no field here"), "{message}");
}

#[test]
fn names_that_are_neither_file_nor_session_are_told() {
    let computer = Computer::new();
    let run = computer.run("show 0123456789abcdef");
    assert_eq!(run.code, 2);
    computer.run("import weather.session.json");
    let run = computer.run("show 0123456789abcdef");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("strata sessions"), "{}", run.stderr);
}

#[test]
fn folders_are_to_be_imported() {
    let run = strata("show .");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("strata import ."), "{}", run.stderr);
}

#[test]
fn a_database_of_something_else_is_not_a_store() {
    let computer = Computer::new();
    write_pickled_database(&computer.path("pickled.db"));
    for command in ["sessions", "import weather.session.json", "show weather.session.json"] {
        let run = computer.run(&format!("{command} --db {}", computer.path("pickled.db").display()));
        assert_eq!(run.code, 2, "{command}");
        assert!(run.stderr.contains("not a Strata database"), "{command}: {}", run.stderr);
    }
    assert_eq!(computer.run("sessions --db /nowhere/at/all.db").code, 2);
}
