//! Runs the specification: every page beside this file is a list of examples, and each example is a test.
//!
//! `cargo test -p strata-tests --test spec [-- TEXT…]` checks all examples, or those whose name contains one of the
//! texts. `STRATA_SPEC=write` writes what Strata does into the pages instead, for a person to review; prose stays.
//! `STRATA_SPEC=export` writes every example with what Strata makes of it to a file, which `oracle.py` compares with
//! google-adk itself. `README.md` explains the format.
#![expect(clippy::print_stdout, reason = "the report of a test binary")]

mod example;
mod export;
mod page;
mod show;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use similar::TextDiff;

use example::Example;
use page::{Block, Case, Page};
use show::Shows;

fn main() -> ExitCode {
    let filters: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let pages = match read_pages(&folder()) {
        Ok(pages) => pages,
        Err(message) => {
            println!("{message}");
            return ExitCode::FAILURE;
        }
    };
    match std::env::var("STRATA_SPEC").as_deref() {
        Ok("export") => export::export(&pages),
        mode => run(&pages, &filters, mode == Ok("write")),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("spec")
}

/// All pages, in the order in which they are read.
fn read_pages(folder: &Path) -> Result<Vec<Page>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
            Page::parse(&name, text)
        })
        .collect()
}

fn run(pages: &[Page], filters: &[String], is_writing: bool) -> ExitCode {
    let shows = Shows::new();
    let (mut n_passed, mut n_failed) = (0, 0);
    for page in pages {
        let mut bodies = Vec::new();
        for case in &page.cases {
            let name = format!("{} › {}", page.name, case.heading);
            if !filters.is_empty() && !filters.iter().any(|filter| name.contains(filter.as_str())) {
                continue;
            }
            let mut failures = Vec::new();
            for (block, actual) in check(case, &shows) {
                match actual {
                    Ok(actual) if actual == block.body => {}
                    Ok(actual) if is_writing => bodies.push((block.lines.clone(), actual)),
                    Ok(actual) => failures.push((block.line, difference(&block.body, &actual))),
                    Err(message) => failures.push((block.line, format!("    {message}\n"))),
                }
            }
            for (line, failure) in &failures {
                println!("FAILED {name}\n  tests/spec/{}:{line}\n{failure}", page.name);
            }
            if failures.is_empty() { n_passed += 1 } else { n_failed += 1 }
        }
        if !bodies.is_empty() {
            println!("{}: {} blocks written", page.name, bodies.len());
            std::fs::write(folder().join(&page.name), page.rewritten(&bodies))
                .expect("a page can be written");
        }
    }
    println!("{n_passed} examples hold, {n_failed} do not");
    if n_failed == 0 && n_passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What each expecting block of an example shows.
fn check<'c>(case: &'c Case, shows: &Shows) -> Vec<(&'c Block, Result<String, String>)> {
    let example = Example::of(case);
    let expected = case.blocks.iter().filter(|block| block.is_expected());
    expected
        .map(|block| {
            let shown =
                example.as_ref().map_err(String::clone).and_then(|example| shows.block(example, block));
            (block, shown.map(|shown| without_trailing_space(&shown)))
        })
        .collect()
}

fn without_trailing_space(text: &str) -> String {
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

fn difference(expected: &str, actual: &str) -> String {
    let diff = TextDiff::from_lines(expected, actual);
    let mut out = String::new();
    for change in diff.iter_all_changes() {
        out += &format!("    {} {change}", change.tag());
    }
    out
}
