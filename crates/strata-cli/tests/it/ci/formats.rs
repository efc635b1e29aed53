//! The same result, as other programs read it.

use serde_json::Value;

use super::{Project, Side};
use crate::strata::Run;

const ALL: &str = "recordings --budget budget.toml --baseline baseline.json";

fn worse(format: &str) -> Run {
    let run = Project::new(Side::After).check(&format!("{ALL} --format {format}"));
    assert_eq!((run.code, &*run.stderr), (1, ""));
    run
}

#[test]
fn annotations_are_one_command_a_line() {
    let run = worse("github");
    let commands = ["::error ", "::warning ", "::notice "];
    for line in run.stdout.lines() {
        assert!(commands.iter().any(|command| line.starts_with(command)), "{line}");
        let (properties, _) = line.trim_start_matches(':').split_once("::").unwrap();
        for property in properties.split_once(' ').unwrap().1.split(',') {
            assert!(["file=", "line=", "title="].iter().any(|name| property.starts_with(name)), "{line}");
        }
    }
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn junit_has_a_suite_for_each_session() {
    insta::assert_snapshot!(worse("junit").stdout);
    let passed = Project::new(Side::Before).check(&format!("{ALL} --format junit"));
    assert_eq!(passed.code, 0);
    assert!(!passed.stdout.contains("<failure"), "{}", passed.stdout);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_of_the_run() {
    let project = Project::new(Side::Before);
    let run = project.check(&format!("nowhere.jsonl {ALL} --format junit"));
    assert_eq!(run.code, 2);
    assert!(run.stdout.contains("errors=\"1\""), "{}", run.stdout);
    assert!(run.stdout.contains("<testcase name=\"nowhere.jsonl\" classname=\"the run\""), "{}", run.stdout);
    let run = project.check(&format!("nowhere.jsonl {ALL} --format sarif"));
    let sarif: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

/// What the schema of SARIF 2.1.0 asks for of what is written.
#[test]
fn sarif_has_what_its_schema_asks_for() {
    let run = worse("sarif");
    insta::assert_snapshot!(run.stdout.replace(env!("CARGO_PKG_VERSION"), "[version]"));
    let sarif: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let [run] = &sarif["runs"].as_array().unwrap()[..] else { panic!("one run") };
    assert!(run["tool"]["driver"]["name"].is_string());
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert!(["error", "warning", "note", "none"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["artifactLocation"]["uri"].is_string(), "{result}");
        assert!(location["region"]["startLine"].as_u64().is_none_or(|line| line > 0));
    }
}

#[test]
fn the_document_has_the_shape_that_scripts_rely_on() {
    let run = worse("json");
    insta::assert_snapshot!(run.stdout.replace(env!("CARGO_PKG_VERSION"), "[version]"));
    assert_eq!(run.stdout, Project::new(Side::After).check(&format!("{ALL} --json")).stdout);
}

#[test]
fn a_file_gets_the_result_and_people_read_it_too() {
    let project = Project::new(Side::After);
    for format in ["text", "json", "junit", "sarif", "github"] {
        let plain = project.check(&format!("{ALL} --format {format}"));
        let run = project.check(&format!("{ALL} --format {format} --output out.txt"));
        assert_eq!(run.code, 1);
        assert_eq!(project.read("out.txt"), plain.stdout, "{format}");
        assert!(run.stdout.contains("budgets broken"), "{format}: {}", run.stdout);
    }
    let run = project.check(&format!("{ALL} --format junit --output gone/out.xml"));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("could not be written to gone/out.xml"), "{}", run.stderr);
}
