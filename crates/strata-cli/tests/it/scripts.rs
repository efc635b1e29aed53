//! `strata scripts`, and saved scripts that are named.

use crate::strata::Computer;

const SOURCE: &str = "// Nothing but the newest.\nexport const process = (request) => ({ ...request, contents: request.contents.slice(-1) })\n";

#[test]
fn a_saved_script_is_used_by_its_name() {
    let computer = Computer::new();
    let nothing = computer.run("scripts --json").json();
    assert_eq!(nothing["scripts"].as_array().map(Vec::len), Some(0));
    let folder = std::path::PathBuf::from(nothing["folder"].as_str().unwrap());
    assert!(folder.ends_with("strata/scripts"), "{}", folder.display());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("newest.js"), SOURCE).unwrap();
    let listed = computer.run("scripts");
    assert_eq!(listed.code, 0);
    assert!(
        listed.stdout.contains("newest") && listed.stdout.contains("Nothing but the newest."),
        "{listed:?}"
    );

    let file = computer.path("elsewhere.js");
    std::fs::write(&file, SOURCE).unwrap();
    let by_name = computer.run("compile sample --call 17 --script newest --json").json();
    let by_file =
        computer.run(&format!("compile sample --call 17 --script {} --json", file.display())).json();
    assert_eq!(by_name["request"], by_file["request"]);
    assert_eq!(by_name["request"]["contents"].as_array().map(Vec::len), Some(1));
    let stages = by_name["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage["processor"] == "newest"));
}

#[test]
fn a_script_that_is_nowhere_is_told_with_those_that_are_saved() {
    let computer = Computer::new();
    let folder = computer.path("strata/scripts");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("newest.js"), SOURCE).unwrap();
    let run = computer.run("compile sample --call 17 --script oldest");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("oldest is neither a file nor a saved script."), "{}", run.stderr);
    assert!(run.stderr.contains("Saved are `newest`."), "{}", run.stderr);
    let run = computer.run("compile sample --call 17 --script no/such.js");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("there is no such file"), "{}", run.stderr);
}

#[test]
fn the_request_of_a_call_is_compared_line_by_line() {
    let computer = Computer::new();
    let edits = computer.path("edits.yaml");
    std::fs::write(
        &edits,
        "- edit: edit_event\n  event: 1\n  content: {role: user, parts: [{text: \"Invoices fail.\\nWhy?\"}]}\n",
    )
    .unwrap();
    let run = computer.run(&format!("diff sample {} --call 1", edits.display()));
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("\n@@ "), "{}", run.stdout);
    assert!(run.stdout.contains("\n+Invoices fail.\n+Why?\n"), "{}", run.stdout);
    let json = computer.run(&format!("diff sample {} --call 1 --json", edits.display())).json();
    let changes = json["changes"].as_array().unwrap();
    assert!(changes.iter().any(|part| part["diff"].as_str().unwrap().contains("+Why?")), "{changes:?}");
}
