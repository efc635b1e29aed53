//! `strata check` over the recordings of a test run: the example of `docs/ci.md`, before and after it got worse.

mod formats;
mod page;
mod shipped;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::strata::{Computer, Run, samples};

/// Before the change of `regression.patch`, and after it.
#[derive(Debug, Clone, Copy)]
enum Side {
    Before,
    After,
}

/// The example's folder, with the recordings of a run in it.
struct Project {
    computer: Computer,
    folder: PathBuf,
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/adk-ci")
}

impl Project {
    fn new(side: Side) -> Self {
        let computer = Computer::new();
        let folder = computer.path("desk");
        std::fs::create_dir_all(folder.join("recordings")).unwrap();
        std::fs::copy(example().join("budget.toml"), folder.join("budget.toml")).unwrap();
        // What is shown does not go by the release.
        let baseline: Vec<String> = std::fs::read_to_string(example().join("baseline.json"))
            .unwrap()
            .lines()
            .map(|line| {
                if line.trim_start().starts_with("\"writtenBy\"") {
                    format!("  \"writtenBy\": \"{}\",", env!("CARGO_PKG_VERSION"))
                } else {
                    line.to_owned()
                }
            })
            .collect();
        std::fs::write(folder.join("baseline.json"), baseline.join("\n") + "\n").unwrap();
        let project = Self { computer, folder };
        project.record(side);
        project
    }

    /// Puts the recordings of a run in the place of those that are there.
    fn record(&self, side: Side) {
        let run = match side {
            Side::Before => "ci/before/recordings",
            Side::After => "ci/after/recordings",
        };
        for name in ["parcel.strata.jsonl", "refund.strata.jsonl"] {
            std::fs::copy(samples().join(run).join(name), self.path("recordings").join(name)).unwrap();
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn check(&self, arguments: &str) -> Run {
        let mut command = self.computer.command(&format!("check {arguments}"));
        command.current_dir(&self.folder).output().unwrap().into()
    }

    fn document(&self, arguments: &str) -> Value {
        self.check(&format!("{arguments} --json")).document()
    }
}

#[test]
fn a_run_like_the_baseline_passes_and_one_that_got_worse_says_why() {
    let project = Project::new(Side::Before);
    let before = project.check("recordings --budget budget.toml --baseline baseline.json");
    assert_eq!(before.code, 0, "{}", before.seen());
    project.record(Side::After);
    let after = project.check("recordings --budget budget.toml --baseline baseline.json");
    insta::assert_snapshot!(before.seen() + "\n=====\n\n" + &after.seen());
}

#[test]
fn the_committed_baseline_is_what_this_strata_writes() {
    let project = Project::new(Side::Before);
    let written = project.check("recordings --write-baseline new.json");
    assert_eq!(written.code, 0, "{}", written.seen());
    assert!(written.stdout.contains("2 sessions were written to new.json"), "{}", written.stdout);
    let figures = |name: &str| {
        let text = project.read(name);
        text.lines().filter(|line| !line.contains("\"writtenBy\"")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(figures("new.json"), figures("baseline.json"), "docs/examples/adk-ci/baseline.json");
}

#[test]
fn causes_add_up_to_the_difference_of_the_prompts() {
    let project = Project::new(Side::After);
    let document = project.document("recordings --baseline baseline.json");
    let sessions = document["baseline"]["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    for session in sessions {
        for agent in session["agents"].as_array().unwrap() {
            let figure = |name: &str| {
                let figures = agent["figures"].as_array().unwrap();
                let figure = figures.iter().find(|figure| figure["figure"] == name).unwrap();
                figure["after"].as_i64().unwrap() - figure["before"].as_i64().unwrap()
            };
            let causes = agent["causes"].as_array().unwrap();
            let sum: i64 = causes.iter().map(|cause| cause["tokens"].as_i64().unwrap()).sum();
            assert_eq!(sum, figure("promptTokens"), "{}: {agent:#}", session["title"]);
        }
    }
}

#[test]
fn causes_are_those_of_the_difference_between_both_recordings() {
    let project = Project::new(Side::After);
    let before = samples().join("ci/before/recordings/parcel.strata.jsonl");
    let mut command = project.computer.command("diff");
    command.arg(before).arg(project.path("recordings/parcel.strata.jsonl")).arg("--json");
    let run: Run = command.output().unwrap().into();
    let difference = run.json();
    let document = project.document("recordings/parcel.strata.jsonl --baseline baseline.json");
    let agents = document["baseline"]["sessions"][0]["agents"].as_array().unwrap().clone();
    let told = |causes: &Value| -> Vec<(String, String, i64)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let rows = causes.as_array().unwrap().iter();
        let mut rows: Vec<_> = rows
            .map(|cause| (text(&cause["kind"]), text(&cause["what"]), cause["tokens"].as_i64().unwrap()))
            .filter(|(.., tokens)| *tokens != 0)
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(agents.len(), 1);
    assert_eq!(told(&agents[0]["causes"]), told(&difference["causes"]));
}

#[test]
fn growth_that_is_allowed_fails_nothing() {
    let project = Project::new(Side::After);
    let grown = |allowed: &str| {
        let arguments = format!("recordings --baseline baseline.json --allow-growth {allowed}");
        let document = project.document(&arguments);
        let failures = document["baseline"]["failures"].as_array().unwrap().clone();
        failures.iter().filter(|failure| failure["code"] == "grown").count()
    };
    assert!(grown("0%") > 0);
    assert_eq!(grown("100000%"), 0, "what is new fails still, and nothing else");
    let refused = project.check("recordings --baseline baseline.json --allow-growth much");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("write five of a hundred as 5%"), "{}", refused.stderr);
}

#[test]
fn folders_patterns_and_files_are_one_run_each_read_once() {
    let project = Project::new(Side::Before);
    project.write("budget.toml", "max_cost = 1");
    let sessions = |arguments: &str| -> Vec<String> {
        let document = project.document(&format!("{arguments} --budget budget.toml"));
        let sessions = document["sessions"].as_array().unwrap().clone();
        sessions.iter().map(|session| session["file"].as_str().unwrap().to_owned()).collect()
    };
    let both = ["recordings/parcel.strata.jsonl", "recordings/refund.strata.jsonl"];
    assert_eq!(sessions("recordings"), both);
    assert_eq!(sessions("recordings/*.jsonl"), both);
    assert_eq!(sessions("recordings/parcel.strata.jsonl recordings"), both);
    assert_eq!(sessions("recordings/r*"), both[1..]);
    let document = project.document("recordings --budget budget.toml");
    let sum: u64 = document["sessions"].as_array().unwrap().iter().map(prompt_tokens).sum();
    assert_eq!(prompt_tokens(&document), sum);
    assert_eq!(document["session"], Value::Null, "there are several");
    assert_eq!(project.document("recordings/r* --budget budget.toml")["session"], "refund");
    let chosen = project.document("recordings --session refund --budget budget.toml");
    assert_eq!(chosen["sessions"].as_array().unwrap().len(), 1);
}

fn prompt_tokens(of: &Value) -> u64 {
    of["bill"]["promptTokens"].as_u64().unwrap()
}

#[test]
fn captures_and_telemetry_are_runs_too() {
    let project = Project::new(Side::Before);
    for file in ["capture.jsonl", "otel-adk.jsonl", "otel-genai.binpb"] {
        let recording = project.path(&format!("recordings/{file}"));
        std::fs::copy(strata_testkit::samples::of_formats().join(file), recording).unwrap();
    }
    let written = project.check("recordings --write-baseline all.json");
    assert_eq!(written.code, 0, "{}", written.seen());
    let document = project.document("recordings --baseline all.json");
    assert_eq!(document["passed"], true, "{:#}", document["baseline"]["failures"]);
    let compared = document["baseline"]["sessions"].as_array().unwrap();
    assert_eq!(compared.len(), document["sessions"].as_array().unwrap().len());
    assert!(compared.len() > 4, "{}", compared.len());
    let bases: Vec<&Value> = compared
        .iter()
        .flat_map(|session| session["agents"].as_array().unwrap())
        .map(|agent| &agent["basis"])
        .collect();
    assert!(bases.contains(&&"reported".into()) && bases.contains(&&"estimated".into()), "{bases:?}");
}

#[test]
fn a_trace_beside_its_session_is_no_session_of_its_own() {
    let project = Project::new(Side::Before);
    let adk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/samples/adk");
    std::fs::create_dir(project.path("traced")).unwrap();
    for file in ["weather.session.json", "weather.debug-log.yaml"] {
        std::fs::copy(adk.join(file), project.path("traced").join(file)).unwrap();
    }
    project.write("budget.toml", "max_session_tokens = 100_000");
    let names = |arguments: &str| -> Vec<Value> {
        let document = project.document(&format!("{arguments} --budget budget.toml"));
        document["sessions"].as_array().unwrap().iter().map(|session| session["file"].clone()).collect()
    };
    assert_eq!(names("traced"), ["traced/weather.session.json"]);
    assert_eq!(names("traced/weather.debug-log.yaml"), ["traced/weather.debug-log.yaml"]);
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_is_no_failed_check() {
    let project = Project::new(Side::Before);
    project.write("recordings/broken.zip", "PK\u{3}\u{4} and nothing behind it");
    project.write("recordings/notes.md", "What was tried.\n");
    project.write("budget.toml", "max_cost = 1");
    let run = project.check("recordings --budget budget.toml");
    assert_eq!(run.code, 2, "{}", run.seen());
    assert!(run.stdout.contains("2 budgets kept"), "the others are checked: {}", run.stdout);
    assert!(run.stderr.contains("(recordings/broken.zip)"), "{}", run.stderr);
    assert!(
        run.stderr.contains("1 file holds no session and was left out: recordings/notes.md"),
        "{}",
        run.stderr
    );
    let run = project.check("recordings/parcel.strata.jsonl nowhere.jsonl --budget budget.toml");
    assert_eq!(run.code, 2, "{}", run.seen());
    assert!(run.stderr.contains("nowhere.jsonl"), "{}", run.stderr);
    let document = project.document("recordings/parcel.strata.jsonl nowhere.jsonl --budget budget.toml");
    assert_eq!((&document["passed"], &document["incomplete"]), (&Value::from(false), &Value::from(true)));
    let refused = project.check("recordings nowhere.jsonl --write-baseline new.json");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("new.json was not written"), "{}", refused.stderr);
    assert!(!project.path("new.json").exists());
}

#[test]
fn names_that_lead_nowhere_are_errors() {
    let project = Project::new(Side::Before);
    for (name, expected) in [
        ("gone/*.jsonl", "No file is called like gone/*.jsonl"),
        ("gone.jsonl", "There is no file gone.jsonl"),
        ("budget.toml", "budget.toml"),
    ] {
        let run = project.check(&format!("{name} --budget budget.toml"));
        assert_eq!((run.code, &*run.stdout), (2, ""), "{name}");
        assert!(run.stderr.contains(expected), "{name}: {}", run.stderr);
    }
    std::fs::create_dir(project.path("empty")).unwrap();
    let run = project.check("empty --budget budget.toml");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("There is no session in it"), "{}", run.stderr);
    let nothing = project.check("recordings");
    assert_eq!(nothing.code, 2);
    assert!(nothing.stderr.contains("--budget"), "{}", nothing.stderr);
}

#[test]
fn a_budget_of_all_other_agents_holds_for_those_without_one() {
    let project = Project::new(Side::Before);
    let budget = "[agents.refunds]\nmax_prompt_tokens = 100_000\n[agents.\"*\"]\nmax_prompt_tokens = 1\nmax_breaks = 0\n";
    project.write("budget.toml", budget);
    let document = project.document("recordings/refund.strata.jsonl --budget budget.toml");
    let budgets = document["budgets"].as_array().unwrap();
    let of = |agent: &str| budgets.iter().filter(|budget| budget["agent"] == agent).collect::<Vec<_>>();
    assert_eq!(of("refunds").len(), 1, "its own table, and nothing else");
    let desk = of("desk");
    assert_eq!(desk.len(), 2);
    assert_eq!((desk[0]["passed"].as_bool(), desk[0]["line"].as_u64()), (Some(false), Some(4)));
}

#[test]
fn breaks_and_findings_may_be_limited_in_number() {
    let project = Project::new(Side::After);
    project.write("budget.toml", "max_breaks = 0\nmax_findings = { prefix = 0, bloat = 100 }\n");
    let run = project.check("recordings/parcel.strata.jsonl --budget budget.toml");
    assert_eq!(run.code, 1);
    insta::assert_snapshot!(run.seen());
}

#[test]
fn an_agent_that_no_session_has_is_told() {
    let project = Project::new(Side::Before);
    project.write("budget.toml", "max_cost = 1\n[agents.refund]\nmax_cost = 1\n");
    let run = project.check("recordings --budget budget.toml");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("budget.toml:2: agents.refund: there is no agent refund"), "{}", run.stderr);
    assert!(run.stderr.contains("Did you mean refunds?"), "{}", run.stderr);
    project.write("budget.toml", "max_cost = 1\n[agents.refunds]\nmax_cost = 1\n");
    let run = project.check("recordings/parcel.strata.jsonl --budget budget.toml");
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("The agent refunds made no call in this session"), "{}", run.stderr);
}

#[test]
fn sessions_that_one_side_has_are_told_on_both() {
    let project = Project::new(Side::Before);
    project.check("recordings/parcel.strata.jsonl --write-baseline parcel.json");
    let document = project.document("recordings --baseline parcel.json");
    let compared = &document["baseline"];
    assert_eq!(compared["onlyInRun"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&document["passed"], compared["sessions"].as_array().unwrap().len()),
        (&Value::from(true), 1)
    );
    let nothing = project.check("recordings/refund.strata.jsonl --baseline parcel.json");
    assert_eq!(nothing.code, 1, "{}", nothing.seen());
    assert!(nothing.stdout.contains("None of 1 session is in the baseline"), "{}", nothing.stdout);
}

#[test]
fn a_baseline_that_was_counted_otherwise_is_not_compared_in_silence() {
    let project = Project::new(Side::Before);
    let baseline = project.read("baseline.json");
    project.write("other.json", &baseline.replace("\"o200k_base\"", "\"llama3\""));
    let run = project.check("recordings --baseline other.json");
    assert_eq!(run.code, 1, "{}", run.seen());
    let said = "The baseline is counted with llama3, and this run with o200k_base.";
    assert!(run.stdout.replace("\n              ", " ").contains(said), "{}", run.stdout);
    project.write("other.json", &baseline.replace("\"estimated\"", "\"reported\""));
    let run = project.check("recordings --baseline other.json");
    assert!(run.stdout.contains("reported in the baseline"), "{}", run.stdout);
    for (text, expected) in [
        (baseline.replacen("\"strataBaseline\": 1", "\"strataBaseline\": 7", 1), "has the version 7"),
        ("{}".to_owned(), "this is no baseline"),
        ("{".to_owned(), "other.json:1:1: this is not JSON"),
        (baseline.replacen("\"title\"", "\"titles\"", 1), "unknown field `titles`"),
    ] {
        project.write("other.json", &text);
        let run = project.check("recordings --baseline other.json");
        assert_eq!((run.code, &*run.stdout), (2, ""), "{expected}");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let missing = project.check("recordings --baseline nowhere.json");
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.contains("`--write-baseline nowhere.json` writes a baseline"),
        "{}",
        missing.stderr
    );
}

#[test]
fn a_baseline_of_another_release_is_compared_and_that_is_said() {
    let project = Project::new(Side::Before);
    project.check("recordings --write-baseline new.json");
    let of_release = project.read("new.json").replacen(env!("CARGO_PKG_VERSION"), "0.0.9", 1);
    project.write("old.json", &of_release);
    let run = project.check("recordings --baseline old.json");
    assert_eq!(run.code, 0, "{}", run.seen());
    assert!(run.stdout.contains("It was written by Strata 0.0.9"), "{}", run.stdout);
    let run = project.check("recordings --baseline old.json --format github");
    assert!(
        run.stdout.contains("::notice file=old.json,title=Written by another release::"),
        "{}",
        run.stdout
    );
    let run = project.check("recordings --baseline new.json");
    assert!(!run.stdout.contains("written by"), "{}", run.stdout);
}

#[test]
fn a_baseline_that_cannot_be_written_leaves_what_was_there() {
    let project = Project::new(Side::Before);
    let run = project.check("recordings --write-baseline gone/new.json");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("gone/new.json"), "{}", run.stderr);
    let both = project.check("recordings --baseline baseline.json --write-baseline baseline.json");
    assert_eq!(both.code, 2, "one or the other");
}

#[test]
fn two_sessions_of_one_id_are_told_apart() {
    let project = Project::new(Side::Before);
    std::fs::create_dir(project.path("again")).unwrap();
    let recording = "recordings/parcel.strata.jsonl";
    std::fs::copy(project.path(recording), project.path("again/parcel.strata.jsonl")).unwrap();
    project.write("budget.toml", "max_cost = 0.0000001");
    let document = project.document("recordings again --budget budget.toml");
    let names: Vec<&str> = document["failures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failure| failure["session"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["parcel", "refund", "parcel in again/parcel.strata.jsonl"]);
}

/// A test that crashes leaves a part of a recording, or an empty file.
#[test]
fn what_a_crashed_test_leaves_is_incomplete_and_no_baseline() {
    let project = Project::new(Side::Before);
    let recording = project.path("recordings/refund.strata.jsonl");
    let whole = std::fs::read(&recording).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let call = lines.iter().position(|line| line.starts_with(br#"{"record":"call""#)).unwrap();
    let random: Vec<u8> = (0..4096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
    let left: [(&str, Vec<u8>); 6] = [
        ("cut in the first call", whole[..20_000].to_vec()),
        ("cut between two lines, before the first call", lines[..call].concat()),
        ("cut between two lines, behind the first call", lines[..=call].concat()),
        ("cut in the last line", whole[..whole.len() - 10].to_vec()),
        ("empty", Vec::new()),
        ("random", random),
    ];
    for (case, bytes) in left {
        std::fs::write(&recording, bytes).unwrap();
        for names in ["recordings", "recordings/refund.strata.jsonl"] {
            let run = project.check(&format!("{names} --budget budget.toml --baseline baseline.json"));
            assert_eq!(run.code, 2, "{case}, {names}: {}", run.seen());
            assert!(run.stderr.contains("recordings/refund.strata.jsonl"), "{case}, {names}: {}", run.stderr);
            for nonsense in ["this run .", "(, "] {
                assert!(!run.stdout.contains(nonsense), "{case}, {names}: {}", run.stdout);
            }
            let refused = project.check(&format!("{names} --write-baseline new.json"));
            assert_eq!(refused.code, 2, "{case}, {names}: {}", refused.seen());
            assert!(!project.path("new.json").exists(), "{case}, {names}");
        }
        let document = project.document("recordings --budget budget.toml");
        let said = (&document["passed"], &document["incomplete"]);
        assert_eq!(said, (&Value::from(false), &Value::from(true)), "{case}");
        let junit = project.check("recordings --budget budget.toml --format junit").stdout;
        assert!(junit.contains("<error "), "{case}: {junit}");
    }
}

#[test]
fn a_broken_file_beside_the_recordings_is_told_and_one_about_something_else_is_left_out() {
    let project = Project::new(Side::Before);
    project.write(
        "recordings/cases.jsonl",
        "{\"question\":\"Where is my parcel?\",\"answer\":\"On its way.\"}\n",
    );
    let run = project.check("recordings --budget budget.toml");
    assert_eq!(run.code, 0, "{}", run.seen());
    project.write("recordings/broken.jsonl", "{broken\n");
    let run = project.check("recordings --budget budget.toml");
    assert_eq!(run.code, 2, "{}", run.seen());
    assert!(run.stderr.contains("recordings/broken.jsonl"), "{}", run.stderr);
}

#[test]
fn a_share_is_what_it_is_meant_to_be() {
    let project = Project::new(Side::Before);
    let check =
        |share: &str| project.check(&format!("recordings --baseline baseline.json --allow-growth={share}"));
    for share in ["5%", "5", "0", "0.5%"] {
        assert_eq!(check(share).code, 0, "{share}");
    }
    for (share, said) in [
        ("5%%", "write five of a hundred as 5%"),
        ("five", "write five of a hundred as 5%"),
        ("-5%", "write five of a hundred as 5%"),
        ("inf", "write five of a hundred as 5%"),
        ("0.05", "write 0.05% for 0.05 of a hundred, or 5% for that share of one"),
    ] {
        let run = check(share);
        assert_eq!(run.code, 2, "{share}: {}", run.seen());
        assert!(run.stderr.contains(said), "{share}: {}", run.stderr);
    }
}
