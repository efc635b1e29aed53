//! What documents owe the reader: links that lead somewhere.

use std::collections::BTreeSet;

use crate::assert_none;
use crate::tree::{self, SourceFile, text_files};

#[test]
fn links_in_documents_lead_somewhere() {
    let mut problems = Vec::new();
    for file in text_files().iter().filter(|file| file.has_extension(&["md"])) {
        for (number, link) in links(&file.text) {
            if let Err(reason) = resolve(file, link) {
                problems.push(format!("{}:{number}: the link `{link}` {reason}.", file.path));
            }
        }
    }
    assert_none(&problems);
}

/// Targets of links outside code, with their lines.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_code = false;
    for (idx, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        let targets = outside_code(line).into_iter().flat_map(|piece| piece.split("](").skip(1));
        found.extend(targets.filter_map(|rest| rest.split_once(')')).map(|(link, _)| (idx + 1, link)));
    }
    found
}

/// The pieces of a line between code spans. A link's text may hold a span, so only what lies around it counts.
fn outside_code(line: &str) -> Vec<&str> {
    line.split('`').step_by(2).collect()
}

fn resolve(file: &SourceFile, link: &str) -> Result<(), String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Ok(());
    }
    let (path, heading) = link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let target =
        if path.is_empty() { tree::root().join(&file.path) } else { tree::root().join(folder).join(path) };
    if !target.exists() {
        return Err(format!("leads to {}, which is not there", target.display()));
    }
    let Some(heading) = heading else { return Ok(()) };
    let document =
        std::fs::read_to_string(&target).map_err(|error| format!("cannot be followed: {error}"))?;
    if headings(&document).contains(heading) {
        Ok(())
    } else {
        Err(format!("names a heading that {} does not have", target.display()))
    }
}

/// Anchors of a document's headings: lower case, hyphens for spaces, without punctuation.
fn headings(document: &str) -> BTreeSet<String> {
    let is_kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' ');
    let titles =
        document.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    titles
        .map(|title| title.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-"))
        .collect()
}

#[test]
fn links_are_found_outside_code_only() {
    let text = "See [the list](a.md#b) and `[x](no.md)`.\n```\n[y](no.md)\n```\n[`z`](c.md)";
    assert_eq!(links(text), [(1, "a.md#b"), (5, "c.md")]);
}

#[test]
fn headings_become_anchors() {
    assert_eq!(
        headings("## Where state lives: SQLite"),
        BTreeSet::from(["where-state-lives-sqlite".to_owned()])
    );
}
