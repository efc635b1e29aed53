//! Two experiments, or two recordings, side by side.

use strata_app::counted;
use strata_app::report::{
    AlignedCall, AlignedSide, ChangeKind, ChangeReport, ComparedCall, ComparedSide, DiffReport,
    PartChangeReport, RecordingsReport, SideReport,
};

use super::fields::Fields;
use super::number::{count, difference, dollars, dollars_more, tokens};
use super::table::{Align, Table};
use super::{Style, bill, causes};

pub(crate) fn diff(report: &DiffReport, limit: usize, style: Style) -> String {
    let n_changed = report.calls_changed as usize;
    let head = format!("{} of {} changed", counted(n_changed, "prompt"), report.calls.len());
    let mut fields = Fields::under(&head, style);
    fields.add("session", &format!("{} ({})", report.title, report.session));
    fields.add("a", &side(&report.a));
    fields.add("b", &side(&report.b));
    let mut text = fields.print();
    let changed: Vec<&ComparedCall> = report.calls.iter().filter(|call| call.is_changed).collect();
    if !report.causes.is_empty() {
        text += &causes::causes(&report.causes, limit, style);
    }
    if !changed.is_empty() {
        text += &format!("\n{}\n{}", style.strong("Calls that changed"), calls(&changed, limit).print(style));
    }
    if let Some(changes) = &report.changes {
        let mut table = Table::new([
            ("change", Align::Left),
            ("part", Align::Left),
            ("from", Align::Left),
            ("before", Align::Right),
            ("after", Align::Right),
            ("text", Align::Left),
        ]);
        for PartChangeReport { change, .. } in changes.iter().take(shown(limit, changes.len())) {
            let kind = match change.kind {
                ChangeKind::Added => "added",
                ChangeKind::Removed => "removed",
                ChangeKind::Moved => "moved",
                ChangeKind::Rewritten => "rewritten",
            };
            let (before, after) = (count(change.tokens_before), count(change.tokens_after));
            table.row([
                kind.to_owned(),
                change.path.clone(),
                change.from.clone(),
                before,
                after,
                strata_app::cut(&change.text, 60),
            ]);
        }
        if changes.len() > limit && limit > 0 {
            table.quiet_line(format!("and {} more; --limit 0 shows all", changes.len() - limit));
        }
        text += &format!("\n{}\n{}", style.strong("Request"), table.print(style));
        let texts = changes.iter().take(shown(limit, changes.len())).filter(|part| !part.diff.is_empty());
        for part in texts {
            text += &format!("\n{}\n{}", style.strong(&heading(&part.change)), lines(&part.diff, limit));
        }
    }
    text
}

/// Two recordings of one task.
pub(crate) fn recordings(report: &RecordingsReport, limit: usize, style: Style) -> String {
    let RecordingsReport { name_a, name_b, comparison, .. } = report;
    let (a, b) = (&comparison.a, &comparison.b);
    let more = difference(b.bill.prompt_tokens.cast_signed() - a.bill.prompt_tokens.cast_signed());
    let dearer = a.bill.cost.zip(b.bill.cost).map(|(a, b)| dollars_more(Some(b - a)));
    let dearer = dearer.map_or(String::new(), |dearer| format!(", {dearer}"));
    let mut fields = Fields::under(&format!("{more} prompt tokens{dearer}"), style);
    for (name, named, side) in [("a", name_a, a), ("b", name_b, b)] {
        fields.add(name, &format!("{named}: {} ({})", side.title, side.session));
        fields.add("", &recording(side));
    }
    if let Some(promise) = &comparison.promise {
        fields.add("promise", &promise.sentence);
    }
    for note in &comparison.notes {
        fields.add("note", note);
    }
    let mut text = fields.print();
    if !comparison.causes.is_empty() {
        text += &causes::causes(&comparison.causes, limit, style);
    }
    if !comparison.calls.is_empty() {
        text += &format!("\n{}\n{}", style.strong("Calls"), aligned(&comparison.calls, limit).print(style));
    }
    text
}

fn recording(side: &ComparedSide) -> String {
    let breaks = counted(side.breaks as usize, "break");
    format!("{}, {}, {breaks}", bill::heading(&side.bill), bill::paid(&side.bill))
}

fn aligned(calls: &[AlignedCall], limit: usize) -> Table {
    let mut table = Table::new([
        ("turn", Align::Right),
        ("agent", Align::Left),
        ("a", Align::Left),
        ("b", Align::Left),
        ("tokens a", Align::Right),
        ("tokens b", Align::Right),
        ("cached a", Align::Right),
        ("cached b", Align::Right),
        ("cost a", Align::Right),
        ("cost b", Align::Right),
    ]);
    let n_shown = shown(limit, calls.len());
    for AlignedCall { turn, agent, a, b, .. } in &calls[..n_shown] {
        let sides = [a, b];
        let cells = |cell: &dyn Fn(&AlignedSide) -> String| {
            sides.map(|side| side.as_ref().map_or_else(|| "–".to_owned(), cell))
        };
        let [call_a, call_b] = cells(&|side| format!("C{}", side.call));
        let [tokens_a, tokens_b] = cells(&|side| tokens(side.tokens, side.basis));
        let [cached_a, cached_b] = cells(&|side| count(side.cached_tokens));
        let [cost_a, cost_b] = cells(&|side| dollars(side.cost));
        let turn = count(*turn);
        let agent = agent.clone();
        table.row([turn, agent, call_a, call_b, tokens_a, tokens_b, cached_a, cached_b, cost_a, cost_b]);
    }
    if n_shown < calls.len() {
        table.quiet_line(format!("and {} more; --limit 0 shows all", calls.len() - n_shown));
    }
    table
}

fn heading(change: &ChangeReport) -> String {
    if change.from.is_empty() { change.path.clone() } else { format!("{}, {}", change.path, change.from) }
}

/// The lines of a difference, up to the limit.
fn lines(diff: &str, limit: usize) -> String {
    let n_lines = diff.lines().count();
    let n_shown = shown(limit, n_lines);
    let mut text: String = diff.split_inclusive('\n').take(n_shown).collect();
    if n_shown < n_lines {
        text += &format!("and {} more; --limit 0 shows all\n", counted(n_lines - n_shown, "line"));
    }
    text
}

fn side(side: &SideReport) -> String {
    let breaks = counted(side.breaks as usize, "break");
    format!("{}: {}, {}, {breaks}", side.name, bill::heading(&side.bill), bill::paid(&side.bill))
}

fn calls(changed: &[&ComparedCall], limit: usize) -> Table {
    let mut table = Table::new([
        ("call", Align::Left),
        ("agent", Align::Left),
        ("tokens a", Align::Right),
        ("tokens b", Align::Right),
        ("cached a", Align::Right),
        ("cached b", Align::Right),
        ("cost a", Align::Right),
        ("cost b", Align::Right),
    ]);
    let n_shown = shown(limit, changed.len());
    for call in &changed[..n_shown] {
        table.row([
            format!("C{}", call.call),
            call.agent.clone(),
            count(call.tokens_a),
            count(call.tokens_b),
            count(call.cached_a),
            count(call.cached_b),
            dollars(call.cost_a_usd),
            dollars(call.cost_b_usd),
        ]);
    }
    if n_shown < changed.len() {
        table.quiet_line(format!("and {} more; --limit 0 shows all", changed.len() - n_shown));
    }
    table
}

fn shown(limit: usize, len: usize) -> usize {
    if limit == 0 { len } else { limit.min(len) }
}
