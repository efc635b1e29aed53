//! Files that agents saved, and what they remember.

use strata_app::report::{
    ArtifactReport, ArtifactsReport, MemoryChange, MemoryReport, RecallReport, RemovedArtifact,
    SavedArtifact, utc_minute,
};
use strata_app::{counted, cut, size};

use super::Style;
use super::fields::Fields;
use super::table::{Align, Table};

/// Letters of a memory that stand in one row.
const MEMORY: usize = 96;

/// Letters of a hash that tell files apart.
const HASH: usize = 12;

pub(crate) fn artifacts(report: &ArtifactsReport, style: Style) -> String {
    let mut table = Table::new([
        ("app", Align::Left),
        ("user", Align::Left),
        ("session", Align::Left),
        ("file", Align::Left),
        ("version", Align::Right),
        ("kind", Align::Left),
        ("size", Align::Right),
        ("saved (UTC)", Align::Left),
        ("hash", Align::Left),
    ]);
    for row in &report.artifacts {
        table.row([
            row.app.clone(),
            row.user.clone(),
            row.session.clone().unwrap_or_else(|| "all".to_owned()),
            row.name.clone(),
            row.version.to_string(),
            kind(row).to_owned(),
            size(row.bytes as usize),
            utc_minute(row.saved_ms),
            short(row),
        ]);
    }
    let n = counted(report.artifacts.len(), "version");
    let held = if report.distinct_bytes < report.bytes {
        format!("{}, {} of it different", size(report.bytes as usize), size(report.distinct_bytes as usize))
    } else {
        size(report.bytes as usize)
    };
    table.print(style) + &format!("{n} in {}: {held}\n", report.database)
}

pub(crate) fn artifact(report: &ArtifactReport, style: Style) -> String {
    let row = &report.artifact;
    let mut fields = Fields::under(&row.name, style);
    fields.add("app", &row.app);
    fields.add("user", &row.user);
    fields.add("session", row.session.as_deref().unwrap_or("all"));
    fields.add("version", &format!("{} of {}", row.version, counted(report.versions.len(), "version")));
    fields.add("kind", kind(row));
    fields.add("size", &size(row.bytes as usize));
    fields.add("saved", &utc_minute(row.saved_ms));
    fields.add("hash", row.hash.as_deref().unwrap_or_default());
    let content = match &report.text {
        Some(text) => format!("\n{text}\n"),
        None if row.hash.is_none() => "\nThis version holds nothing.\n".to_owned(),
        None => "\nIt is no text; `--out FILE` writes it to a file.\n".to_owned(),
    };
    fields.print() + &content
}

pub(crate) fn removed_artifact(report: &RemovedArtifact) -> String {
    format!(
        "Took {} out of {}, with {}.\n",
        report.name,
        report.database,
        counted(report.versions as usize, "version")
    )
}

fn kind(row: &SavedArtifact) -> &str {
    row.mime_type.as_deref().unwrap_or(if row.hash.is_some() { "text" } else { "nothing" })
}

fn short(row: &SavedArtifact) -> String {
    row.hash.as_deref().map_or_else(|| "–".to_owned(), |hash| hash[..HASH.min(hash.len())].to_owned())
}

pub(crate) fn memory(report: &MemoryReport, style: Style) -> String {
    let mut table = Table::new([
        ("app", Align::Left),
        ("user", Align::Left),
        ("session", Align::Left),
        ("memories", Align::Right),
        ("added (UTC)", Align::Left),
    ]);
    for row in &report.sessions {
        table.row([
            row.app.clone(),
            row.user.clone(),
            row.session.clone(),
            row.memories.to_string(),
            utc_minute(row.added_ms),
        ]);
    }
    table.print(style) + &format!("{} in {}\n", counted(report.sessions.len(), "session"), report.database)
}

pub(crate) fn recalled(report: &RecallReport, style: Style) -> String {
    let mut table = Table::new([("said (UTC)", Align::Left), ("by", Align::Left), ("memory", Align::Left)]);
    for row in &report.found {
        table.row([row.timestamp.clone(), row.author.clone(), cut(&row.text.replace('\n', " "), MEMORY)]);
    }
    let n = match report.found.len() {
        0 => "Nothing".to_owned(),
        n => counted(n, "memory"),
    };
    table.print(style)
        + &format!("{n} of {}, {} has a word of \"{}\".\n", report.app, report.user, report.query)
}

pub(crate) fn remembered(report: &MemoryChange) -> String {
    format!(
        "{}, {} remembers {} of session {}.\n",
        report.app,
        report.user,
        counted(report.memories as usize, "memory"),
        report.session
    )
}

pub(crate) fn forgotten(report: &MemoryChange) -> String {
    format!(
        "{}, {} remembers session {} no more: {} forgotten.\n",
        report.app,
        report.user,
        report.session,
        counted(report.memories as usize, "memory")
    )
}
