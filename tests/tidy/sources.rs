//! What a source file looks like.

use crate::assert_none;
use crate::tree::{SourceFile, is_data, text_files};

/// The most lines a file may have, by extension.
const MAX_LINES: &[(&str, usize)] = &[("rs", 600), ("svelte", 400), ("ts", 400), ("js", 400), ("mjs", 400)];

/// Files that may be longer, and why.
const LONGER: &[(&str, &str)] = &[("ui/src/api/gen/api.ts", "generated")];

/// Names that say where code was put instead of what it is about.
const DRAWERS: &[&str] = &["helper", "helpers", "manager", "managers", "misc", "util", "utils"];

/// Files somebody writes by hand.
fn sources() -> impl Iterator<Item = SourceFile> {
    text_files().into_iter().filter(|file| !is_data(&file.path))
}

#[test]
fn files_stay_small() {
    let mut problems = Vec::new();
    for file in sources().filter(|file| LONGER.iter().all(|(path, _)| *path != file.path)) {
        let n_lines = file.text.lines().count();
        let limit = MAX_LINES.iter().find(|(extension, _)| file.has_extension(&[extension]));
        if let Some((_, limit)) = limit
            && n_lines > *limit
        {
            problems.push(format!(
                "{}: {n_lines} lines, and {limit} is the limit. Look for the second concept in it and give it a file.",
                file.path
            ));
        }
    }
    assert_none(&problems);
}

#[test]
fn exceptions_to_the_size_rule_are_needed() {
    let files: Vec<_> = sources().collect();
    let is_needed = |path: &str| {
        files.iter().any(|file| {
            let limit = MAX_LINES.iter().find(|(extension, _)| file.has_extension(&[extension]));
            file.path == path && limit.is_some_and(|(_, limit)| file.text.lines().count() > *limit)
        })
    };
    let problems: Vec<_> = LONGER
        .iter()
        .filter(|(path, _)| !is_needed(path))
        .map(|(path, _)| {
            format!("{path} is short enough or gone: take it off LONGER in tests/tidy/sources.rs.")
        })
        .collect();
    assert_none(&problems);
}

#[test]
fn rust_files_begin_with_what_they_are_about() {
    let problems: Vec<_> = sources()
        .filter(|file| file.has_extension(&["rs"]) && !file.text.starts_with("//! "))
        .map(|file| format!("{}: begin it with `//!` and a sentence that says what it is about.", file.path))
        .collect();
    assert_none(&problems);
}

#[test]
fn files_are_named_by_what_they_are_about() {
    let mut problems = Vec::new();
    for file in sources().filter(|file| file.has_extension(&["rs", "ts", "js", "mjs", "svelte"])) {
        let stem = file.name().split('.').next().unwrap_or_default().to_lowercase();
        if DRAWERS.contains(&stem.as_str()) {
            problems.push(format!(
                "{}: name it by the concept in it. `{stem}` collects unrelated things.",
                file.path
            ));
        }
        if file.name() == "mod.rs" {
            problems
                .push(format!("{}: move it beside its folder, as `folder.rs` with `folder/`.", file.path));
        }
    }
    assert_none(&problems);
}

#[test]
fn lines_and_files_end_as_they_should() {
    let mut problems = Vec::new();
    for file in sources().filter(|file| !file.text.is_empty()) {
        let ends_well = file.text.ends_with('\n') && !file.text.ends_with("\n\n");
        if !ends_well {
            problems.push(format!("{}: end it with one line break.", file.path));
        }
        for (number, line) in file.text.split('\n').enumerate().map(|(idx, line)| (idx + 1, line)) {
            if line.ends_with([' ', '\t', '\r']) {
                problems
                    .push(format!("{}:{number}: remove the white space at the end of the line.", file.path));
            }
        }
    }
    assert_none(&problems);
}
