//! A part of a prompt beside another, line by line.

use strata_engine::EventLog;
use strata_measure::analysis::{Change, PartDelta, is_quoted};
use strata_model::Origin;
use strata_wire::{Item, Path, Segment};

use super::segments::readable;
use crate::api::part::PartDiff;
use crate::text_diff::diff_lines;

/// `contents[6].parts[0]`, `system_instruction[1]`, `tools.search`.
pub(crate) fn place(path: &Path<'_>) -> String {
    match path {
        Path::Part { content, part } => format!("contents[{content}].parts[{part}]"),
        Path::System { block } => format!("system_instruction[{block}]"),
        Path::Tool { name, .. } => format!("tools.{name}"),
        Path::Config { field } => format!("config.{field}"),
        Path::Request { field } => (*field).to_owned(),
    }
}

/// Who speaks; tools and instructions are the system's.
pub(crate) fn role(segment: &Segment<'_>) -> String {
    match segment.item {
        Item::Part { .. } | Item::EmptyContent(_) => segment.role().unwrap_or("no role").to_owned(),
        _ => "system".to_owned(),
    }
}

/// A part on both sides, which are called so, line by line.
pub(crate) fn part_diff(
    delta: &PartDelta<'_>,
    (before_label, after_label): (String, String),
    log: &EventLog,
) -> PartDiff {
    let shown = |segment: &Option<Segment<'_>>| segment.as_ref().map_or(String::new(), readable);
    let diff = diff_lines(&shown(&delta.before), &shown(&delta.after));
    let segment = delta.after.as_ref().or(delta.before.as_ref());
    PartDiff {
        title: segment.map_or(String::new(), |segment| place(&segment.path)),
        subtitle: subtitle(delta, log),
        before_label,
        after_label,
        lines: diff.lines,
        is_approximate: diff.is_approximate,
        is_whitespace_only: diff.is_whitespace_only,
        hidden_lines: diff.hidden_lines,
    }
}

fn subtitle(delta: &PartDelta<'_>, log: &EventLog) -> String {
    let said = match delta.change {
        Change::Added => "added",
        Change::Removed => "taken out",
        Change::LeftOut(reason) => return reason.explanation(),
        Change::Moved => "the same words in another place",
        Change::Unchanged => "as it was",
        Change::Rewritten => "rewritten",
    };
    let (Some(before), Some(after)) = (&delta.before, &delta.after) else { return said.to_owned() };
    let mut said = vec![said.to_owned()];
    let (role_before, role_after) = (role(before), role(after));
    if role_before != role_after {
        said[0] = format!("role {role_before} → {role_after}");
    }
    if let (Item::Part { part, .. }, Some(event)) = (&after.item, after.main_origin().and_then(Origin::event))
        && is_quoted(part)
    {
        let author = log.get(event).map_or(String::new(), |logged| logged.event.author.to_string());
        said.push(format!("quoted as {author}’s words"));
    }
    said.join(", ")
}
