//! Scripts in their folder.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{ErrorCode, Host, Options, Strata};

use crate::{ask, refuse, start};

const SOURCE: &str = "// Keeps the last four contents.\nexport function process(request) {\n  request.contents = request.contents.slice(-4)\n  return request\n}\n";

fn start_in(folder: &Path) -> Arc<Strata> {
    let options = Options {
        host: Host::Browser,
        database: Some(folder.join("x.db")),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    };
    Strata::start(options).expect("a store opens")
}

fn names(list: &Value) -> Vec<&str> {
    list["scripts"].as_array().into_iter().flatten().filter_map(|script| script["name"].as_str()).collect()
}

#[test]
fn a_script_is_saved_as_the_plain_file_it_is() {
    let home = tempfile::tempdir().expect("a folder");
    let strata = start_in(home.path());
    assert_eq!(names(&ask(&strata, "script/list", &json!({}))), [""; 0]);
    let save = json!({ "name": " Last four.js ", "source": SOURCE, "replaces": false });
    let list = ask(&strata, "script/save", &save);
    assert_eq!(names(&list), ["Last four"]);
    assert_eq!(list["scripts"][0]["summary"], "Keeps the last four contents.");
    let path = list["scripts"][0]["path"].as_str().expect("a path");
    assert_eq!(std::fs::read_to_string(path).expect("the file"), SOURCE);
    assert!(Path::new(path).starts_with(list["folder"].as_str().expect("a folder")));
    let read = ask(&strata, "script/get", &json!({ "name": "Last four" }));
    assert_eq!(read["source"], SOURCE);

    // A file that somebody passed on is one of them, and anything else in the folder is not.
    let folder = Path::new(path).parent().expect("its folder");
    std::fs::write(folder.join("given.js"), "export function process(r) { return r }")
        .expect("it is written");
    std::fs::write(folder.join("notes.txt"), "no script").expect("it is written");
    assert_eq!(names(&ask(&strata, "script/list", &json!({}))), ["Last four", "given"]);

    // Another start finds them again.
    drop(strata);
    let strata = start_in(home.path());
    let left = ask(&strata, "script/remove", &json!({ "name": "Last four" }));
    assert_eq!(names(&left), ["given"]);
    let (code, message) = refuse(&strata, "script/get", &json!({ "name": "Last four" }));
    assert_eq!(
        (code, &*message),
        (ErrorCode::NotFound, "There is no script `Last four`. Saved are `given`.")
    );
}

#[test]
fn nothing_is_overwritten_unless_that_is_said() {
    let home = tempfile::tempdir().expect("a folder");
    let strata = start_in(home.path());
    let save =
        |source: &str, replaces: bool| json!({ "name": "one", "source": source, "replaces": replaces });
    ask(&strata, "script/save", &save("// first", false));
    let (code, message) = refuse(&strata, "script/save", &save("// second", false));
    assert_eq!(code, ErrorCode::BadInput);
    assert!(message.contains("was left as it is"), "{message}");
    assert_eq!(ask(&strata, "script/get", &json!({ "name": "one" }))["source"], "// first");
    ask(&strata, "script/save", &save("// second", true));
    assert_eq!(ask(&strata, "script/get", &json!({ "name": "one" }))["source"], "// second");
    let folder = ask(&strata, "script/list", &json!({}))["folder"].clone();
    let left = std::fs::read_dir(folder.as_str().expect("a folder")).expect("it is there").count();
    assert_eq!(left, 1, "no half-written file stays");
}

#[test]
fn names_lead_nowhere_else() {
    let home = tempfile::tempdir().expect("a folder");
    let strata = start_in(home.path());
    let long = "x".repeat(65);
    for name in [
        "", " ", ".js", "../up", "a/b", "a\\b", "C:x", ".hidden", "dots..", "NUL", "com1.old", "a\nb",
        "a\0b", &long,
    ] {
        for (command, params) in [
            ("script/save", json!({ "name": name, "source": "x", "replaces": true })),
            ("script/get", json!({ "name": name })),
            ("script/remove", json!({ "name": name })),
        ] {
            let (code, message) = refuse(&strata, command, &params);
            assert_eq!(code, ErrorCode::BadInput, "{command} {name:?}: {message}");
            assert!(message.contains("Nothing was changed"), "{message}");
        }
    }
    assert_eq!(
        std::fs::read_dir(home.path())
            .expect("it is there")
            .filter(|entry| {
                entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().contains("scripts"))
            })
            .count(),
        0,
        "not even the folder was made"
    );
}

#[test]
fn without_a_disk_there_is_nothing_to_save_in() {
    let strata = start();
    assert_eq!(names(&ask(&strata, "script/list", &json!({}))), [""; 0]);
    let save = json!({ "name": "one", "source": "x", "replaces": false });
    let (code, message) = refuse(&strata, "script/save", &save);
    assert_eq!(code, ErrorCode::BadInput);
    assert!(message.contains("Start it with a database"), "{message}");
}
