//! `strata check`.

use serde_json::Value;

use crate::strata::{Computer, Run, samples, strata};

#[test]
fn broken_budgets_are_named_with_stage_origin_and_cost() {
    insta::assert_snapshot!(strata("check sample --budget strict.budget.toml").seen());
}

#[test]
fn kept_budgets_pass() {
    insta::assert_snapshot!(strata("check sample --budget loose.budget.toml").seen());
}

#[test]
fn the_document_has_the_shape_that_scripts_rely_on() {
    let run = strata("check sample --budget strict.budget.toml --json");
    assert_eq!((run.code, &*run.stderr), (1, ""));
    insta::assert_snapshot!(run.stdout);
}

#[test]
fn every_broken_budget_has_a_failure_and_no_kept_one_has() {
    let document = strata("check sample --budget strict.budget.toml --json").document();
    let of = |list: &str| document[list].as_array().unwrap().clone();
    let key = |entry: &Value| (entry["budget"].clone(), entry["agent"].clone(), entry["limit"].clone());
    let failed: Vec<_> = of("failures").iter().map(key).collect();
    for budget in of("budgets") {
        assert_eq!(budget["passed"] == true, !failed.contains(&key(&budget)), "{budget}");
    }
    for failure in of("failures") {
        assert!(failure["cost"].is_number() && failure["stage"].is_string(), "{failure}");
        assert!(failure["origin"].is_string() && failure["message"].is_string(), "{failure}");
    }
    assert_eq!(document["passed"], false);
    assert_eq!(strata("check sample --budget loose.budget.toml --json").json()["passed"], true);
}

#[track_caller]
fn refused(budget: &str, expected: &str) {
    let computer = Computer::new();
    let file = computer.path("budget.toml");
    std::fs::write(&file, budget).unwrap();
    let run: Run = computer.command("check sample --budget").arg(&file).output().unwrap().into();
    assert_eq!(run.code, 2, "{}", run.seen());
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn a_budget_that_is_not_understood_is_refused_with_advice() {
    refused("max_promt_tokens = 1", "Did you mean `max_prompt_tokens`?");
    refused("[agents.log_analyst]\nmin_cash_ratio = 0.5", "Did you mean `min_cache_ratio`?");
    refused("forbid = [\"state-in-instructions\"]", "Did you mean `state-in-instruction`?");
    refused("max_cost = true", "a number that is not below 0");
    refused("", "there is no budget in it");
}

#[test]
fn an_agent_that_nobody_knows_is_refused_since_its_budget_would_be_kept_whatever_happens() {
    refused("[agents.log_analist]\nmax_cost = 1", "Did you mean log_analyst?");
    refused("max_cost = 100\n[agents.nobody]\nmax_cost = 1", "there is no agent nobody in this session");
}

#[test]
fn a_cost_that_nobody_knows_is_no_cost_that_is_kept() {
    let computer = Computer::new();
    let file = computer.path("budget.toml");
    std::fs::write(&file, "max_cost = 1\nmax_prompt_tokens = 100_000").unwrap();
    let app = std::fs::read_to_string(samples().join("weather.app.yaml")).unwrap();
    let of_nobody = computer.path("nobody.app.yaml");
    std::fs::write(&of_nobody, app.replace("gemini-2.5-flash", "a-model-of-nobody")).unwrap();
    let session = std::fs::read_to_string(samples().join("weather.session.json")).unwrap();
    let asked_nobody = computer.path("nobody.session.json");
    std::fs::write(&asked_nobody, session.replace("gemini-2.5-flash", "a-model-of-nobody")).unwrap();
    let mut command = computer.command("check");
    command.arg(&asked_nobody).arg("--budget").arg(&file).arg("--app").arg(&of_nobody);
    let run: Run = command.output().unwrap().into();
    assert_eq!(run.code, 1, "{}", run.seen());
    assert!(run.stdout.contains("No price of a-model-of-nobody is known"), "{}", run.stdout);
    assert!(run.stdout.contains("1 of 2 budgets broken"), "the other is kept: {}", run.stdout);
}

#[test]
fn a_budget_file_that_is_not_there_is_an_error() {
    let run = strata("check sample --budget nowhere.toml");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("nowhere.toml could not be read"), "{}", run.stderr);
}

#[test]
fn a_failure_advises_what_findings_advise() {
    let computer = Computer::new();
    let budget = computer.path("budget.toml");
    std::fs::write(&budget, "forbid = [\"loss\", \"bloat\", \"prefix\", \"trap\"]").unwrap();
    let formats = strata_testkit::samples::of_formats();
    for file in ["cline-task.json", "copilot-cli.jsonl", "opencode-export.json", "who-and-when.json"] {
        let path = formats.join(file).display().to_string();
        let checked = computer.run(&format!("check {path} --budget {} --json", budget.display())).document();
        let found = computer.run(&format!("findings {path} --json")).document();
        let said: Vec<String> = found["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| {
                format!("{} {}", finding["message"].as_str().unwrap(), finding["advice"].as_str().unwrap())
            })
            .collect();
        let failures = checked["failures"].as_array().unwrap();
        assert!(!failures.is_empty(), "{file}");
        for failure in failures {
            let message = failure["message"].as_str().unwrap();
            assert!(said.iter().any(|said| said == message), "{file}: {message}\n{said:?}");
            // Nobody but google-adk has its settings.
            for setting in
                ["event_retention_size", "include_contents", "static_instruction", "disallow_transfer"]
            {
                assert!(!message.contains(setting), "{file}: {message}");
            }
        }
    }
}
