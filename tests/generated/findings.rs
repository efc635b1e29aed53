//! `docs/findings.md`: every rule, with the pages of the specification that show what it finds.

use std::fs;
use std::path::Path;

use strata_measure::findings::{NOT_DETECTABLE, Rule, families, rules};

const INTRODUCTION: &str = "\
# Findings

What is worth a person's time in a session: tokens that need not be sent, cached prefixes that are lost, information
that does not reach the model, and settings that do something else than they seem to.

A finding has a code, says what happened in words and numbers of the session, and names the calls, events and sources it
is about. Its price is in tokens over the whole session: for bloat what the thing took in all calls that carried it, for
a lost prefix what was paid in full again. Prices of findings overlap, so they do not add up.

The rules stand for the surprises of google-adk 2.13, S01 to S52, which [the specification](../tests/spec/README.md)
shows by example; those without a number are waste in the prompts of any runtime. Bloat below 500 tokens or 2 % of everything that was sent is not reported, and neither are prefixes
below 1,024 tokens, which no provider caches.

This page is made from the code by `cargo xtask gen`.
";

/// An example of what a rule finds: a heading of the specification.
struct Shown {
    page: String,
    heading: String,
    code: String,
}

pub(crate) fn document(root: &Path) -> String {
    let shown = shown(&root.join("tests/spec"));
    let mut out = format!("{INTRODUCTION}\n| code | kind | finds | of |\n|---|---|---|---|\n");
    for Rule { code, kind, title, surprises, .. } in rules() {
        out += &format!("| [`{code}`](#{code}) | {} | {title} | {} |\n", kind.name(), surprises.join(", "));
    }
    for family in families() {
        out += &format!("\n## {}\n", family.title);
        for rule in family.rules {
            out += &format!(
                "\n### {}\n\n**{}.** {}\n\nWhat to do: {}\n",
                rule.code, rule.title, rule.meaning, rule.advice
            );
            let examples: Vec<String> =
                shown.iter().filter(|shown| shown.code == rule.code).map(link).collect();
            if !examples.is_empty() {
                out += &format!("\nShown in {}.\n", examples.join(", "));
            }
        }
    }
    out += "\n## What a stored session cannot show\n\n| of | what happens | why it is not found |\n|---|---|---|\n";
    for surprise in NOT_DETECTABLE {
        out += &format!("| {} | {} | {} |\n", surprise.surprise, surprise.what, surprise.why);
    }
    out
}

fn link(shown: &Shown) -> String {
    let is_kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' ');
    let anchor: String = shown.heading.to_lowercase().chars().filter(is_kept).collect();
    format!("[{}](../tests/spec/{}#{})", shown.heading, shown.page, anchor.replace(' ', "-"))
}

/// Lines ``Finding: [`code`](…)`` of the specification, with the headings they stand under.
fn shown(folder: &Path) -> Vec<Shown> {
    let entries = fs::read_dir(folder).expect("the specification is there");
    let mut pages: Vec<_> = entries.map(|entry| entry.expect("a page").path()).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    let mut shown = Vec::new();
    for path in pages {
        let page = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut heading = String::new();
        for line in fs::read_to_string(&path).expect("a page is text").lines() {
            if line.starts_with('#') {
                line.trim_start_matches('#').trim().clone_into(&mut heading);
            }
            let code = line.strip_prefix("Finding: [`").and_then(|rest| rest.split_once('`'));
            if let Some((code, _)) = code {
                shown.push(Shown { page: page.clone(), heading: heading.clone(), code: code.to_owned() });
            }
        }
    }
    shown
}

#[test]
fn pages_name_rules_that_exist() {
    let pages = shown(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec"));
    assert!(!pages.is_empty());
    for Shown { page, heading, code } in pages {
        assert!(rules().any(|rule| rule.code == code), "{page}, {heading}: there is no finding `{code}`");
    }
}
