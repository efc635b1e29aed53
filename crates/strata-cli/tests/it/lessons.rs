//! `strata lessons`: every lesson holds, and bad ones are told.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::strata::{Computer, strata};

fn ids() -> Vec<String> {
    let list = strata("lessons list --json").json();
    let lessons = list["lessons"].as_array().unwrap();
    lessons.iter().map(|lesson| lesson["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_lesson_is_open_at_the_start_and_solved_by_each_of_its_solutions() {
    let ids = ids();
    assert!(ids.len() >= 10, "{ids:?}");
    for id in ids {
        let run = strata(&format!("lessons check {id} --json"));
        let report = run.document();
        let attempts = report["attempts"].as_array().unwrap();
        assert!(
            run.code == 0 && attempts.len() >= 2,
            "{id}: {}",
            strata(&format!("lessons check {id}")).seen()
        );
        assert_eq!(
            (&attempts[0]["isSolved"], &attempts[1]["isSolved"]),
            (&Value::from(false), &Value::from(true))
        );
        // Only a learner who has met all goals is told how it comes about.
        assert_eq!(report["explanation"], Value::Null);
    }
}

#[test]
fn every_file_of_the_folder_is_a_lesson_and_has_hints() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lessons");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    let of_files = files.iter().map(|file| {
        let report = strata(&format!("lessons show {} --json", file.display())).json();
        let goals = report["goals"].as_array().unwrap();
        assert!(goals.iter().all(|goal| !goal["hints"].as_array().unwrap().is_empty()), "{}", file.display());
        report["id"].as_str().unwrap().to_owned()
    });
    assert_eq!(of_files.collect::<Vec<_>>(), ids());
}

#[test]
fn an_attempt_is_graded_by_what_it_does_to_the_session() {
    let computer = Computer::new();
    let edits = computer.path("edits.yaml");
    fs::write(&edits, "- {edit: insert_processor, use: strip_agent_traffic}\n").unwrap();
    let edits = edits.display();

    let run = computer.run(&format!("lessons check filtering --edit {edits} --json"));
    let report = run.json();
    assert_eq!(report["passed"], true);
    assert!(report["explanation"].as_str().unwrap().contains("The better rule"));

    // The measured number is the one that other commands tell.
    let goals = report["attempts"][0]["goals"].as_array().unwrap();
    let cost = goals.iter().find(|goal| goal["goal"] == "cost" || goal["goal"] == "cheaper").unwrap();
    let shown = computer.run(&format!("tokens sample --edit {edits} --json")).json();
    let dollars = format!("${:.4}", shown["bill"]["cost"].as_f64().unwrap());
    assert!(cost["measured"].as_str().unwrap().starts_with(&dollars), "{cost} {dollars}");

    let run = computer.run("lessons check append-everything --answer peak=C16 --answer weight=e7");
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("Your attempt: 2 of 5 goals met"), "{}", run.stdout);
}

#[test]
fn what_cannot_be_graded_is_told() {
    let computer = Computer::new();
    let misfit = computer.path("misfit.yaml");
    fs::write(&misfit, "- {edit: drop_event, event: 999}\n").unwrap();
    let run = computer.run(&format!("lessons check filtering --edit {}", misfit.display()));
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("Edit 1 does not fit this session, and nothing was done. There is no E999."),
        "{}",
        run.stderr
    );

    let run = computer.run("lessons check append-everything --answer peek=C17");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Did you mean peak?"), "{}", run.stderr);

    let run = computer.run("lessons show appending");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Those are append-everything, tiers"), "{}", run.stderr);
}

#[test]
fn a_lesson_that_is_none_says_where_and_why() {
    #[track_caller]
    fn check(text: &str, code: i32, expected: &[&str]) {
        let computer = Computer::new();
        let file = computer.path("own.md");
        fs::write(&file, text).unwrap();
        let run = computer.run(&format!("lessons check {}", file.display()));
        let seen = run.seen();
        assert_eq!(run.code, code, "{seen}");
        for expected in expected {
            assert!(seen.contains(expected), "no \"{expected}\" in {seen}");
        }
    }
    let whole = "---\nid: own\ntitle: Own\nlevel: beginner\nminutes: 5\nsession: sample\ngoals:\n  - id: small\n    text: Small\n    \
                 check: {peak_prompt: {at_most: 1}}\nsolutions:\n  - title: None\n---\nText.\n\n## Explanation\n\nSo.\n";
    // A lesson that nobody can solve is one, and is told to its author.
    check(whole, 1, &["Without edits: 0 of 1 goal met", "Solution: None: 0 of 1 goal met"]);
    check(&whole.replace("at_most: 1", "at_most: 900000"), 1, &["and it must not be solved"]);
    check(&whole.replace("level: beginner", "level: easy"), 2, &["own.md", "line 4", "easy", "beginner"]);
    check(&whole.replace("minutes: 5", "minuts: 5"), 2, &["minuts", "line 5"]);
    check(&whole.replace("at_most: 1", "most: 1"), 2, &["`most`", "at_most", "line 10"]);
    check(
        &whole.replace("peak_prompt: {at_most: 1}", "total_tokens: {less_by: 40}"),
        2,
        &["goal `small`", "share"],
    );
    check(&whole.replace("peak_prompt: {at_most: 1}", "no_finding: {code: none}"), 2, &["no finding `none`"]);
    check(
        &whole.replace("peak_prompt: {at_most: 1}", "prompt_tokens: {call: 99, at_most: 1}"),
        2,
        &["no C99"],
    );
    check(&whole.replace("## Explanation", "## Why"), 2, &["no section `## Explanation`"]);
    check(
        &whole.replace("session: sample", "session: ../x.json"),
        2,
        &["../x.json is not the name of a file"],
    );
    check("# A page\n", 2, &["does not begin with front matter"]);
}

#[test]
fn a_class_file_carries_a_lesson_with_its_session_and_is_checked_as_one() {
    let computer = Computer::new();
    for name in ["class.strata", "class.html"] {
        let file = computer.path(name);
        let file = file.display();
        let run = computer.run(&format!("lessons class seven-fixes --out {file} --json"));
        assert_eq!(run.json()["lessons"][0]["id"], "seven-fixes");
        // It can be solved with what is in it.
        let check = computer.run(&format!("lessons check {file} --json"));
        assert_eq!(
            (check.code, &check.document()["lesson"]),
            (0, &Value::from("seven-fixes")),
            "{}",
            check.seen()
        );
        // It is no session, and says what it is.
        let show = computer.run(&format!("show {file}"));
        assert_eq!(show.code, 2, "{}", show.seen());
    }
    let page = fs::read_to_string(computer.path("class.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("strata serve"));
    for solution in ["## Explanation", "solutions:"] {
        let (shown, _) = page.split_once("<script").unwrap();
        assert!(!shown.contains(solution), "{solution}");
    }

    let several = computer.path("several.strata");
    let several = several.display();
    let run = computer.run(&format!("lessons class prefixes filtering --out {several}"));
    assert!(run.code == 0 && run.stdout.contains("prefixes"), "{}", run.seen());
    let run = computer.run(&format!("lessons show {several}"));
    assert!(run.code == 2 && run.stderr.contains("prefixes, filtering. Name one as"), "{}", run.seen());
    assert_eq!(computer.run(&format!("lessons show {several}#filtering --json")).json()["id"], "filtering");
    let run = computer.run("lessons class prefixes --out class.txt");
    assert!(run.code == 2 && run.stderr.contains("ends in .strata"), "{}", run.seen());
    let run = computer.run(&format!("lessons class prefixes prefixes --out {several}"));
    assert!(run.code == 2 && run.stderr.contains("Two lessons are called prefixes"), "{}", run.seen());
}

#[test]
fn secrets_of_a_session_do_not_go_into_a_class_file() {
    let computer = Computer::new();
    let session = fs::read_to_string(crate::strata::samples().join("weather.session.json")).unwrap();
    let key = "OPENAI_API_KEY=sk-0123456789abcdefghij";
    fs::write(computer.path("own.json"), session.replace("Will it rain in Oslo", key)).unwrap();
    let lesson = "---\nid: own\ntitle: Own\nlevel: beginner\nminutes: 5\nsession: own.json\ngoals:\n  - id: small\n    \
                  text: Small\n    check: {peak_prompt: {at_most: 1}}\nsolutions:\n  - title: None\n---\nText.\n\n\
                  ## Explanation\n\nSo.\n";
    fs::write(computer.path("own.md"), lesson).unwrap();
    let (lesson, out) = (computer.path("own.md"), computer.path("own.strata"));
    let class = format!("lessons class {} --out {}", lesson.display(), out.display());
    let run = computer.run(&class);
    assert!(run.code == 0 && run.stderr.contains("1 secret masked"), "{}", run.seen());
    assert!(!fs::read_to_string(&out).unwrap().contains("sk-0123456789abcdefghij"));
    assert_eq!(computer.run(&format!("{class} --no-redact")).stderr, "");
    assert!(fs::read_to_string(&out).unwrap().contains("sk-0123456789abcdefghij"));
}

#[test]
fn results_of_what_holds_none_say_so() {
    let computer = Computer::new();
    let run = computer.run("lessons results nobody.strata");
    assert!(run.code == 2 && run.stderr.contains("nobody.strata is not there"), "{}", run.seen());
    let run = computer.run("lessons results weather.session.json");
    assert!(run.code == 2 && run.stderr.contains("is neither a store nor"), "{}", run.seen());
    let class = computer.path("class.strata");
    let class = class.display();
    computer.run(&format!("lessons class prefixes --out {class}"));
    let run = computer.run(&format!("lessons results {class}"));
    assert!(run.code == 2 && run.stderr.contains("holds lessons, and nothing of what"), "{}", run.seen());
}
