//! Runs the pages beside this file: every heading with a story below it is a test.
//!
//! `cargo test -p strata-context --test spec [-- TEXT…]` checks all, or those whose name contains one of the texts.
//! `STRATA_SPEC=write` writes what happens into the pages instead, for a person to review; prose stays.
#![expect(clippy::print_stdout, reason = "the report of a test binary")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod shown;
mod story;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The fence of a story.
const FENCE: &str = "```story";
/// What begins a line that tells what came of the line above it.
const OUTCOME: &str = "-> ";

fn main() -> ExitCode {
    let filters: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_writing = std::env::var("STRATA_SPEC").is_ok_and(|mode| mode == "write");
    let (mut n_passed, mut n_failed) = (0, 0);
    for path in pages() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut page = String::new();
        for piece in pieces(&text) {
            let Piece { heading, line, body, is_story } = piece;
            let title = format!("{name} › {heading}");
            if !is_story || (!filters.is_empty() && !filters.iter().any(|filter| title.contains(&**filter))) {
                page += &body;
                continue;
            }
            let told = told(&body);
            if told == body {
                n_passed += 1;
            } else if !is_writing {
                n_failed += 1;
                println!("FAILED {title}\n  {}:{line}\n{}", path.display(), difference(&body, &told));
            }
            page += &told;
        }
        if is_writing && page != text {
            println!("{name} written");
            std::fs::write(&path, page).unwrap();
        }
    }
    println!("{n_passed} stories hold, {n_failed} do not");
    if n_failed == 0 && n_passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// In the order in which they are read.
fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths
}

/// A part of a page: a story, or what stands between two of them.
struct Piece {
    heading: String,
    /// From 1.
    line: usize,
    body: String,
    is_story: bool,
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut heading, mut is_story) = (String::new(), false);
    for (at, line) in text.lines().enumerate() {
        if let Some(title) = line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
            && !is_story
        {
            title.clone_into(&mut heading);
        }
        let ends = is_story && line == "```";
        if ends {
            is_story = false;
        }
        match pieces.last_mut() {
            Some(last) if last.is_story == is_story => last.body += &format!("{line}\n"),
            _ => pieces.push(Piece {
                heading: heading.clone(),
                line: at + 1,
                body: format!("{line}\n"),
                is_story,
            }),
        }
        if line == FENCE {
            is_story = true;
        }
    }
    pieces
}

/// The steps of a story, each with what came of it.
fn told(body: &str) -> String {
    let mut story = story::Story::default();
    let steps = body.lines().filter(|line| !line.trim_start().starts_with(OUTCOME));
    let mut told = String::new();
    for step in steps {
        told += &format!("{step}\n");
        if !step.trim().is_empty() {
            let outcome = story
                .take(step.trim())
                .unwrap_or_else(|problem| vec![format!("(cannot be read: {problem})")]);
            for line in outcome {
                told += &format!("      {OUTCOME}{line}\n");
            }
        }
    }
    told
}

fn difference(expected: &str, actual: &str) -> String {
    let mut lines = String::new();
    let (mut old, mut new) = (expected.lines(), actual.lines());
    loop {
        match (old.next(), new.next()) {
            (None, None) => return lines,
            (a, b) if a == b => lines += &format!("      {}\n", a.unwrap_or_default()),
            (a, b) => {
                for (sign, line) in [("-", a), ("+", b)] {
                    if let Some(line) = line {
                        lines += &format!("    {sign} {line}\n");
                    }
                }
            }
        }
    }
}
