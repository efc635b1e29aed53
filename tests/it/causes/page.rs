//! `docs/injected-causes.md`: what is said of each cause, by whoever wrote the session.

use std::path::Path;
use std::{env, fs};

use similar::TextDiff;

use super::Found;
use super::conversation::CHANGED;
use super::kinds::Kind;
use super::writers::Writer;

const INTRODUCTION: &str = "\
# Injected causes

What Strata says of a prefix that is lost, for every kind of cause that clients are known to have.
Each is put into a conversation of seven calls that has none, from the sixth on.
The conversation is written down by every writer whose records hold such a thing, and the file is read as any other.
Without a cause, none of these files gives a loss or a finding about prefixes.

This page is made by a test, `tests/it/causes.rs`: `cargo xtask gen` writes it.
";

/// What is said of one kind by one writer's record.
pub(super) struct Row {
    kind: &'static str,
    writer: Writer,
    cause: &'static str,
    sentence: String,
    fix: String,
    tokens: u32,
}

impl Row {
    /// `None` where nothing was lost.
    pub(super) fn of(kind: &Kind, writer: Writer, found: &Found) -> Option<Self> {
        let losses = found.losses();
        let (_, loss) = losses.iter().find(|(call, _)| call.call == CHANGED)?;
        Some(Self {
            kind: kind.name,
            writer,
            cause: loss.cause.code(),
            sentence: loss.cause.sentence(&found.experiment),
            fix: found.fix(loss, found.finding(kind)).unwrap_or_default(),
            tokens: loss.tokens,
        })
    }
}

pub(super) fn document(rows: &[Row]) -> String {
    format!("{INTRODUCTION}\n{}\n{}\n{}", what_is_said(rows), what_to_do(rows), what_it_costs(rows))
}

/// A row for everything that is said, with those who say it.
fn what_is_said(rows: &[Row]) -> String {
    let mut out =
        "## What is said\n\n| injected | cause | what is said | in |\n|---|---|---|---|\n".to_owned();
    for of_kind in rows.chunk_by(|a, b| a.kind == b.kind) {
        let mut told: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for row in of_kind {
            match told
                .iter_mut()
                .find(|(cause, sentence, _)| (*cause, *sentence) == (row.cause, &row.sentence))
            {
                Some((.., writers)) => writers.push(row.writer.name()),
                None => told.push((row.cause, &row.sentence, vec![row.writer.name()])),
            }
        }
        for (cause, sentence, writers) in told {
            let by = match writers.len() {
                n if n == of_kind.len() && n > 1 => format!("all {n}"),
                _ => writers.join(", "),
            };
            out += &format!("| {} | `{cause}` | {} | {by} |\n", of_kind[0].kind, cell(sentence));
        }
    }
    out
}

fn what_to_do(rows: &[Row]) -> String {
    let mut out = "## What to do about it\n\n| cause | in | fix |\n|---|---|---|\n".to_owned();
    let mut told: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.fix.is_empty()) {
        let known = told.iter_mut().find(|(cause, fix, _)| (*cause, *fix) == (row.cause, &row.fix));
        match known {
            Some((.., writers)) if writers.contains(&row.writer.name()) => {}
            Some((.., writers)) => writers.push(row.writer.name()),
            None => told.push((row.cause, &row.fix, vec![row.writer.name()])),
        }
    }
    told.sort_by_key(|(cause, ..)| *cause);
    for (cause, fix, writers) in told {
        out += &format!("| `{cause}` | {} | {} |\n", writers.join(", "), cell(fix));
    }
    out
}

fn what_it_costs(rows: &[Row]) -> String {
    let names: Vec<&str> = Writer::ALL.iter().map(|writer| writer.name()).collect();
    let mut out = format!(
        "## What it costs\n\nTokens of the sixth call that are paid in full again. Nothing stands where the record holds no such thing.\n\n\
         | injected | {} |\n|---|{}\n",
        names.join(" | "),
        "---:|".repeat(names.len())
    );
    for of_kind in rows.chunk_by(|a, b| a.kind == b.kind) {
        let tokens = Writer::ALL.iter().map(|writer| {
            let row = of_kind.iter().find(|row| row.writer == *writer);
            row.map_or_else(String::new, |row| row.tokens.to_string())
        });
        out += &format!("| {} | {} |\n", of_kind[0].kind, tokens.collect::<Vec<_>>().join(" | "));
    }
    out
}

/// A text in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

/// Holds the page against the file, or writes it where that is asked for.
pub(super) fn compare(page: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is a folder of the repository");
    let path = root.join("docs/injected-causes.md");
    if env::var_os("STRATA_GEN").is_some_and(|wish| wish == "write") {
        return fs::write(&path, page).expect("the page can be written");
    }
    let current = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let diff = TextDiff::from_lines(&*current, page);
    let diff = diff.unified_diff().header("docs/injected-causes.md", "as it is said").to_string();
    assert!(current == page, "{diff}\nThis page is not what is said: cargo xtask gen");
}
