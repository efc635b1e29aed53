//! Contexts of served apps.

use strata_app::report::{CleanupReport, ContextReport, ContextRow, ContextsReport, utc_minute};
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
    text
}

fn expires(row: &ContextRow) -> String {
    row.expires_ms.map_or_else(|| "not by the clock".to_owned(), utc_minute)
}

fn doors(row: &ContextRow) -> String {
    let doors = row.doors.iter().map(|door| format!("{} ({})", door.door, door.requests));
    doors.collect::<Vec<_>>().join(", ")
}

pub(crate) fn context(report: &ContextReport, style: Style) -> String {
    let row = &report.context;
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
    let dropped = row.messages_ever.saturating_sub(row.messages);
    fields.add(
        "messages",
        &format!("{} kept of {}, {dropped} dropped or summarised", row.messages, row.messages_ever),
    );
    let mut text = fields.print();
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
