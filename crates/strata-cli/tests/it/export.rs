//! `strata export`: what people read who have no Strata.

use std::fs;

use crate::strata::{Computer, samples, strata};

const WEATHER: &str = "export weather.session.json --app weather.app.yaml";

/// A page as text: one element a line, without its style.
fn lines(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, rest) = rest.split_once("</style>").unwrap();
    format!("{head}{rest}").replace("><", ">\n<")
}

#[test]
fn a_report_is_one_page_that_says_it_all() {
    let run = strata(&format!("{WEATHER} --as html"));
    assert_eq!(run.code, 0, "{}", run.seen());
    insta::assert_snapshot!(lines(&run.stdout));
    // Nothing comes from elsewhere, and nothing runs.
    for outside in ["<script", "<link", "http://", "https://", "src=", "@import", "url("] {
        assert!(!run.stdout.contains(outside), "{outside}");
    }
}

#[test]
fn edits_are_before_and_after() {
    let computer = Computer::new();
    let edits = computer.path("edits.yaml");
    fs::write(&edits, "- {edit: set_instruction, agent: forecaster, text: Short.}\n").unwrap();
    let run = computer.run(&format!("{WEATHER} --edit {} --as html", edits.display()));
    assert!(run.stdout.contains("<h2>Before and after</h2>"), "{}", run.seen());
}

#[test]
fn secrets_are_masked_unless_they_are_wanted() {
    let computer = Computer::new();
    // Texts of the session are masked by whoever reads them; what the page says by itself is where it was read.
    let file = computer.path("OPENAI_API_KEY=sk-0123456789abcdefghij.json");
    fs::copy(samples().join("weather.session.json"), &file).unwrap();
    let export = format!("export {} --as html", file.display());
    let run = computer.run(&export);
    assert!(
        !run.stdout.contains("sk-0123456789abcdefghij") && run.stderr.contains("masked"),
        "{}",
        run.stderr
    );
    let open = computer.run(&format!("{export} --no-redact"));
    assert!(open.stdout.contains("sk-0123456789abcdefghij") && !open.stderr.contains("masked"));
}

#[test]
fn masks_end_where_a_text_does() {
    let computer = Computer::new();
    let (session, app) = (computer.path("keys.session.json"), computer.path("keys.app.yaml"));
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj/AgEAAoIBAQC7+VJTUt9Us8c";
    let said = "Begins it with -----BEGIN PRIVATE KEY-----?";
    let keys = format!(r"{said}\n-----BEGIN PRIVATE KEY-----\n{line}\n{line}\n");
    let sample = |name: &str| fs::read_to_string(samples().join(name)).unwrap();
    let question = "Will it rain in Oslo this week?";
    fs::write(&session, sample("weather.session.json").replace(question, &keys)).unwrap();
    let instruction = "You tell the weather. The last city was {city?}.";
    let quoted = format!("\"{keys}\"");
    fs::write(&app, sample("weather.app.yaml").replace(instruction, &quoted)).unwrap();
    for form in ["adk-json", "session", "adk-python"] {
        let run = computer.run(&format!("export {} --app {} --as {form}", session.display(), app.display()));
        assert_eq!(run.code, 0, "{}", run.seen());
        assert!(run.stderr.contains("× private key"), "{}", run.stderr);
        assert!(run.stdout.contains(said) && !run.stdout.contains(line), "{}", run.stdout);
        if form != "adk-python" {
            serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap();
        }
    }
}

#[test]
fn pictures_stand_alone() {
    for (form, about) in
        [("strip-svg", "Prompts, call by call"), ("map-svg", "Which part was sent in which calls")]
    {
        let run = strata(&format!("{WEATHER} --as {form}"));
        assert_eq!(run.code, 0, "{}", run.seen());
        assert!(
            run.stdout.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns="),
            "{}",
            run.stdout
        );
        assert!(run.stdout.contains(about) && run.stdout.contains("<rect class="), "{}", run.stdout);
        // What is drawn has its colours with it.
        assert!(!run.stdout.contains("var(") && run.stdout.trim_end().ends_with("</svg>"));
        insta::assert_snapshot!(form, lines(&run.stdout));
    }
}
