//! The action, the hook and the example call what there is.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Project, Side, example};
use crate::strata::{Run, strata};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn yaml(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Options in a text.
fn options(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_owned).collect()
}

#[track_caller]
fn assert_options_exist(text: &str) {
    let known = options(&strata("check --help").stdout);
    let named = options(text);
    assert!(!named.is_empty());
    for option in named {
        assert!(known.contains(&option), "there is no {option}");
    }
}

#[test]
fn the_action_passes_on_what_it_was_given() {
    let action = yaml(&root().join("packaging/action/action.yml"));
    let inputs = action["inputs"].as_object().unwrap();
    let step = &action["runs"]["steps"][0];
    assert_eq!(action["runs"]["using"], "composite");
    let environment = step["env"].as_object().unwrap();
    for name in inputs.keys().filter(|name| *name != "working-directory") {
        let value = Value::from(format!("${{{{ inputs.{name} }}}}"));
        assert_eq!(environment[&name.to_uppercase().replace('-', "_")], value, "{name}");
    }
    assert_options_exist(&std::fs::read_to_string(root().join("packaging/action/check.sh")).unwrap());
}

/// The script of the action, run as a runner would.
fn act(project: &Project, given: &[(&str, &str)]) -> Run {
    let mut command = Command::new("bash");
    command
        .arg(root().canonicalize().unwrap().join("packaging/action/check.sh"))
        .current_dir(&project.folder);
    for name in ["RECORDINGS", "BUDGET", "BASELINE", "ALLOW_GROWTH", "OUTPUT"] {
        command.env(name, "");
    }
    command.env("FORMAT", "github").env("STRATA", env!("CARGO_BIN_EXE_strata"));
    command.envs(given.iter().copied()).env("HOME", &project.folder).output().unwrap().into()
}

#[test]
fn the_action_ends_as_the_check_does() {
    let project = Project::new(Side::Before);
    let files = [("BUDGET", "budget.toml"), ("BASELINE", "baseline.json"), ("ALLOW_GROWTH", "2%")];
    let recordings = [("RECORDINGS", "recordings/parcel.strata.jsonl\nrecordings/r*.jsonl\n")];
    let run = act(&project, &[&files[..], &recordings].concat());
    assert_eq!(run.code, 0, "{}", run.seen());
    project.record(Side::After);
    let run = act(&project, &[&files[..], &recordings].concat());
    assert_eq!(run.code, 1, "{}", run.seen());
    assert!(run.stdout.contains("::error file=baseline.json,line="), "{}", run.stdout);
    let run = act(&project, &[("RECORDINGS", "recordings"), ("BUDGET", "$(touch owned)")]);
    assert_eq!(run.code, 2, "{}", run.seen());
    assert!(!project.path("owned").exists(), "what is given is no code");
}

#[test]
fn hooks_name_options_and_files_that_exist() {
    let hooks = yaml(&root().join(".pre-commit-hooks.yaml"));
    assert_eq!(hooks[0]["entry"], "strata check");
    assert_eq!((&hooks[0]["language"], &hooks[0]["pass_filenames"]), (&"system".into(), &false.into()));
    assert_options_exist(hooks[0]["description"].as_str().unwrap());
    let of_example = yaml(&example().join(".pre-commit-config.yaml"));
    let entry = of_example["repos"][0]["hooks"][0]["entry"].as_str().unwrap().to_owned();
    let arguments = entry.strip_prefix("strata check ").unwrap();
    let project = Project::new(Side::Before);
    assert_eq!(project.check(arguments).code, 0, "{}", project.check(arguments).seen());
}

#[test]
fn the_workflow_of_the_example_gives_the_action_what_it_takes() {
    let workflow = yaml(&example().join(".github/workflows/contexts.yml"));
    let steps = workflow["jobs"]["contexts"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["uses"] == "./.strata/packaging/action").unwrap();
    let action = yaml(&root().join("packaging/action/action.yml"));
    for (input, value) in step["with"].as_object().unwrap() {
        assert!(action["inputs"].get(input).is_some(), "there is no input {input}");
        let is_file = ["budget", "baseline"].contains(&&**input);
        assert!(!is_file || example().join(value.as_str().unwrap()).is_file(), "{input}: {value}");
    }
}

#[test]
fn the_change_of_the_example_fits_its_app() {
    let patch = std::fs::read_to_string(example().join("regression.patch")).unwrap();
    let app = std::fs::read_to_string(example().join("desk.py")).unwrap();
    let kept = patch.lines().skip(2).filter(|line| line.starts_with([' ', '-']));
    for line in kept.map(|line| &line[1..]) {
        assert!(app.lines().any(|of_app| of_app == line), "desk.py has no line {line:?}");
    }
}
