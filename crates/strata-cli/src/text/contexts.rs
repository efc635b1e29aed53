//! Contexts of served apps.

use strata_app::report::{
    CleanupReport, ContextReport, ContextRow, ContextsReport, RetentionLoss, SeenContext, SeenRow, utc_minute,
};
use strata_app::{counted, cut, size};

use super::Style;
use super::fields::Fields;
use super::number::count;
use super::table::{Align, Table};

/// Letters of a message.
const MESSAGE: usize = 96;

pub(crate) fn contexts(report: &ContextsReport, style: Style) -> String {
    let mut table = Table::new([
        ("context", Align::Left),
        ("whose", Align::Left),
        ("state", Align::Left),
        ("last used (UTC)", Align::Left),
        ("expires (UTC)", Align::Left),
        ("messages", Align::Right),
        ("state size", Align::Right),
        ("open tasks", Align::Right),
        ("doors", Align::Left),
        ("session", Align::Left),
    ]);
    for row in &report.contexts {
        table.row([
            row.id.clone(),
            row.principal.clone(),
            row.state.to_owned(),
            utc_minute(row.updated_ms),
            expires(row),
            count(row.messages),
            size(row.size.working_state),
            row.active_tasks.len().to_string(),
            doors(row),
            row.session.clone().unwrap_or_else(|| "–".to_owned()),
        ]);
    }
    let mut text = table.print(style);
    text += &format!("{} in {}\n", counted(report.contexts.len(), "context"), report.database);
    if !report.archived.is_empty() {
        let archived = report.archived.iter();
        let rows = archived
            .map(|row| format!("  {}  {}  expired {}\n", row.id, row.principal, utc_minute(row.expired_ms)));
        text += &format!("{}\n{}", style.strong("Expired"), rows.collect::<String>());
    }
    if !report.seen.is_empty() {
        let mut table = seen_table("named in");
        for row in &report.seen {
            table.row([
                row.id.clone(),
                row.doors.join(", "),
                count(row.times),
                utc_minute(row.last_ms as i64),
                row.sessions.iter().map(|it| &*it.session).collect::<Vec<_>>().join(", "),
            ]);
        }
        text += &format!("\n{}\n{}", style.strong("Named in stored sessions"), table.print(style));
    }
    text
}

fn seen_table(where_named: &'static str) -> Table {
    Table::new([
        ("context", Align::Left),
        ("doors", Align::Left),
        ("times", Align::Right),
        ("last (UTC)", Align::Left),
        (where_named, Align::Left),
    ])
}

/// Contexts that a session names.
pub(super) fn seen_contexts(contexts: &[SeenContext]) -> Table {
    let mut table = seen_table("first");
    for seen in contexts {
        table.row([
            seen.id.clone(),
            seen.doors.join(", "),
            count(seen.times),
            utc_minute(seen.last_ms as i64),
            seen.sightings.first().map_or_else(String::new, |first| {
                let call = first.call.map(|call| format!(" (C{call})")).unwrap_or_default();
                format!("E{}{call}: {}", first.event, first.place)
            }),
        ]);
    }
    table
}

fn expires(row: &ContextRow) -> String {
    row.expires_ms.map_or_else(|| "not by the clock".to_owned(), utc_minute)
}

fn doors(row: &ContextRow) -> String {
    let doors = row.doors.iter().map(|door| format!("{} ({})", door.door, door.requests));
    doors.collect::<Vec<_>>().join(", ")
}

pub(crate) fn context(report: &ContextReport, style: Style) -> String {
    let Some(row) = &report.context else {
        return report.seen.as_ref().map(|seen| only_seen(seen, style)).unwrap_or_default();
    };
    let mut fields = Fields::under(&row.id, style);
    fields.add("whose", &row.principal);
    fields.add("state", &format!("{}, {}", row.state, row.ttl.replace('_', " ")));
    match report.expired_ms {
        Some(at) => fields.add("expired", &utc_minute(at)),
        None => fields.add("expires", &expires(row)),
    }
    fields.add("doors", &doors(row));
    fields.add("session", row.session.as_deref().unwrap_or_default());
    let sizes = row.size;
    fields.add(
        "room",
        &format!(
            "{} of working state, {} of messages, {} put away",
            size(sizes.working_state),
            size(sizes.messages),
            size(sizes.artifacts)
        ),
    );
    fields.add("messages", &kept_messages(report, row.messages_ever));
    fields.add("when it goes", report.expiry_loss.as_deref().unwrap_or_default());
    let mut text = fields.print();
    if let Some(loss) = &report.retention_loss {
        text += &retention(loss, style);
    }
    let mut state = Fields::under("Working state", style);
    for (key, value) in report.working_state.iter() {
        state.add(key, &cut(&compact(value), MESSAGE));
    }
    text += &state.print();
    text += &format!("{}\n", style.strong("Messages"));
    for message in &report.messages {
        let door = message.door.map(|door| format!(" ({door})")).unwrap_or_default();
        text += &format!(
            "  {:4}  {:9}{door}  {}\n",
            message.number,
            message.role,
            cut(&message.content, MESSAGE)
        );
    }
    text += &format!("{}\n", style.strong("Tasks"));
    for task in &report.tasks {
        let inherited =
            if task.inherited.is_empty() { "nothing".to_owned() } else { task.inherited.join(", ") };
        let changed: Vec<&str> = task.changes.keys().map(|key| &**key).collect();
        let changed = if changed.is_empty() { "nothing".to_owned() } else { changed.join(", ") };
        text += &format!(
            "  {}  {}  {}: inherited {inherited}; changed {changed}\n",
            task.id,
            task.operation,
            task.status.replace('_', " ")
        );
        for conflict in &task.conflicts {
            text += &format!(
                "    {}: kept {}, and not the task's {}\n",
                conflict.key,
                cut(&compact(&conflict.kept), MESSAGE),
                cut(&compact(&conflict.refused), MESSAGE)
            );
        }
    }
    for artifact in &report.artifacts {
        let is_current = if artifact.current { ", in use" } else { "" };
        text += &format!(
            "  {} version {}: {}{is_current}\n",
            artifact.name,
            artifact.version,
            size(artifact.bytes)
        );
    }
    text
}

/// The summary is none of those that were said.
fn kept_messages(report: &ContextReport, said: u64) -> String {
    let summaries = report.messages.iter().filter(|message| message.role == "system").count();
    let kept = (report.messages.len() - summaries) as u64;
    match (said.saturating_sub(kept), summaries) {
        (0, _) if said == 0 => "none yet".to_owned(),
        (0, _) => format!("all {said} kept"),
        (gone, 0) => format!("{kept} kept of {said}, {gone} dropped"),
        (gone, _) => format!("{kept} kept of {said}, a summary stands for {gone}"),
    }
}

fn only_seen(seen: &SeenRow, style: Style) -> String {
    let mut fields = Fields::under(&seen.id, style);
    fields.add("doors", &seen.doors.join(", "));
    fields.add("named", &format!("{} times, last {}", count(seen.times), utc_minute(seen.last_ms as i64)));
    fields.add("kept", "elsewhere: what is in it, and when it expires, is not in these sessions");
    fields.print() + &sightings(seen, style)
}

fn sightings(seen: &SeenRow, style: Style) -> String {
    let mut text = String::new();
    for one in &seen.sessions {
        text += &format!("{} {}\n", style.strong(&one.session), cut(&one.title, MESSAGE));
        for sighting in &one.sightings {
            text += &format!("  E{:<5} {:9} {}\n", sighting.event, sighting.door, sighting.place);
        }
    }
    text
}

fn retention(loss: &RetentionLoss, style: Style) -> String {
    let mut fields = Fields::under("What retention dropped", style);
    fields.add("messages", &format!("{} of {} are gone", loss.gone, loss.said));
    if loss.kept + loss.paraphrased + loss.dropped > 0 {
        let told = if loss.is_summarised {
            format!("the summary tells {}, and {} in other words", loss.kept, loss.paraphrased)
        } else {
            "there is no summary".to_owned()
        };
        fields.add("stated", &format!("{} things dropped; {told}", loss.dropped));
        fields.add("used later", &format!("{} of what was dropped", loss.used));
    }
    fields.add("note", loss.gap.as_deref().unwrap_or_default());
    let mut text = fields.print();
    for fact in loss.facts.iter().filter(|fact| fact.verdict == "dropped") {
        let used = match fact.first_use {
            Some(event) => format!("; {} later, first in E{event}", counted(fact.used_later as usize, "use")),
            None => String::new(),
        };
        text += &format!("  E{:<5} {:10} {}{used}\n", fact.event, fact.kind, cut(&fact.text, MESSAGE));
    }
    text
}

fn compact(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(crate) fn cleaned_contexts(report: &CleanupReport, _: Style) -> String {
    let mut text = String::new();
    for row in &report.changed {
        let when = row.expired_ms.map(|at| format!(", expired {}", utc_minute(at))).unwrap_or_default();
        let became = match row.became {
            "archived" => "archived, then deleted",
            "deleted" => "deleted; nothing was in it",
            other => other,
        };
        text += &format!("{}: {became}{when}\n", row.id);
    }
    text + &format!("{} changed in {}\n", counted(report.changed.len(), "context"), report.database)
}
