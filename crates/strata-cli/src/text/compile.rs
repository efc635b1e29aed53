//! A call: what each stage did, and the prompt it came to.

use strata_app::report::{ChangeKind, CompileReport, LeftOut, SegmentReport, StageReport, Zone};
use strata_app::{counted, cut};

use super::Style;
use super::fields::Fields;
use super::number::{count, difference, share, tokens};
use super::table::{Align, Table, fold};

/// Characters of a line of text.
const TEXT: usize = 64;
const FROM: usize = 36;

pub(crate) fn compile(report: &CompileReport, with_changes: bool, limit: usize, style: Style) -> String {
    let mut text = head(report, style);
    text += &format!("\n{}\n", style.strong("Stages"));
    text += &stages(report, with_changes, limit, style);
    if let Some(failure) = &report.failure {
        let at =
            if failure.processor.is_empty() { String::new() } else { format!(" in {}", failure.processor) };
        text += &format!(
            "\n{}{at}: {} {}\n",
            style.error("Not compiled further"),
            failure.message,
            failure.advice
        );
    }
    if report.ended_early {
        text += "\nThe model is not called: ";
        text += report.answer.as_deref().unwrap_or("a processor ended the run.");
        text.push('\n');
    }
    text += &format!("\n{}\n", style.strong("Prompt"));
    text += &prompt(report, limit, style);
    text
}

/// What was really sent for a call, beside what is compiled.
pub(crate) fn recorded(report: &CompileReport, limit: usize, style: Style) -> String {
    let mut text = head(report, style);
    let of_difference = report.stages.iter().rev().find(|stage| stage.recorded);
    text += &format!("\n{}\n", style.strong("Against what is compiled"));
    match of_difference.map(|stage| changes(stage, limit)) {
        Some(lines) if !lines.is_empty() => lines.iter().for_each(|line| text += &format!("  {line}\n")),
        _ => text += "  the same, part by part\n",
    }
    text += &format!("\n{}\n", style.strong("Sent"));
    text += &prompt(report, limit, style);
    text
}

fn head(report: &CompileReport, style: Style) -> String {
    let prompt = &report.tokens;
    let mut fields = Fields::under(&format!("C{} {}", report.call, report.agent), style);
    fields.add("session", &format!("{} ({})", report.title, report.session));
    fields.add("model", if report.model.is_empty() { "unknown" } else { &report.model });
    fields.add("invocation", &report.invocation);
    let bounds = if prompt.low == prompt.high {
        String::new()
    } else {
        format!(", between {} and {}", count(prompt.low), count(prompt.high))
    };
    fields.add("prompt", &format!("{} tokens{bounds}", tokens(prompt.total, prompt.basis)));
    fields.add("evidence", &report.evidence.said);
    if let Some(doubt) = &report.doubt {
        fields.add("not sure", doubt);
    }
    if let Some(previous) = prompt.previous_call {
        let stable = tokens(prompt.stable_prefix, prompt.basis);
        let share = share(prompt.stable_prefix.into(), prompt.total.into());
        fields.add("prefix", &format!("{stable} tokens ({share}) shared with C{previous}"));
    }
    if report.app.inferred {
        fields.add("app", "inferred from the events");
    } else if let Some(source) = &report.app.source {
        fields.add("app", &format!("{} from {source}", report.app.name));
    }
    if report.app.inferred || report.app.source.is_some() {
        for note in &report.app.notes {
            fields.add("", note);
        }
    }
    fields.print()
}

fn stages(report: &CompileReport, with_changes: bool, limit: usize, style: Style) -> String {
    let mut table = Table::new([
        ("", Align::Right),
        ("stage", Align::Left),
        ("tokens", Align::Right),
        ("change", Align::Right),
        ("", Align::Left),
    ]);
    for (at, stage) in report.stages.iter().enumerate() {
        let difference = i64::from(stage.tokens_after) - i64::from(stage.tokens_before);
        let cells = [
            (at + 1).to_string(),
            stage.title.clone(),
            count(stage.tokens_after),
            if stage.changed { self::difference(difference) } else { String::new() },
            cut(&stage.note, TEXT),
        ];
        if stage.changed {
            table.row(cells);
        } else {
            table.quiet_row(cells);
        }
        for diagnostic in &stage.diagnostics {
            table.line(format!("    ! {}", diagnostic.message));
        }
        for line in left_out(&stage.left_out) {
            table.line(format!("    {line}"));
        }
        if with_changes {
            for line in changes(stage, limit) {
                table.line(format!("    {line}"));
            }
        }
    }
    table.print(style)
}

/// Events that one rule left out, in one line.
fn left_out(left_out: &[LeftOut]) -> Vec<String> {
    let mut lines = Vec::new();
    for group in left_out.chunk_by(|a, b| a.reason == b.reason) {
        let mut events: Vec<&str> = group.iter().map(|left_out| &*left_out.origin).collect();
        events.dedup();
        let range = match events[..] {
            [] => continue,
            [only] => only.to_owned(),
            [first, .., last] => format!("{first}–{last}"),
        };
        let tokens: u64 = group.iter().map(|left_out| u64::from(left_out.tokens)).sum();
        let events = counted(events.len(), "event");
        lines.push(format!("− {range}  {events}, {} tokens: {}", count(tokens), group[0].reason));
    }
    lines
}

fn changes(stage: &StageReport, limit: usize) -> Vec<String> {
    let (first, last) = fold(stage.changes.len(), limit);
    let width = stage.changes.iter().map(|change| change.path.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (at, change) in stage.changes.iter().enumerate() {
        if at == first {
            lines.push(format!("… {}", counted(last - first, "more change")));
        }
        if (first..last).contains(&at) {
            continue;
        }
        let mark = match change.kind {
            ChangeKind::Added => "+",
            ChangeKind::Removed => "−",
            ChangeKind::Moved => "↕",
            ChangeKind::Rewritten => "~",
        };
        let size = match change.kind {
            ChangeKind::Added | ChangeKind::Moved => count(change.tokens_after),
            ChangeKind::Removed => count(change.tokens_before),
            ChangeKind::Rewritten => {
                format!("{} → {}", count(change.tokens_before), count(change.tokens_after))
            }
        };
        lines.push(format!(
            "{mark} {:width$}  {size:>7}  {}",
            change.path,
            describe(&change.from, &change.text)
        ));
    }
    lines
}

fn describe(from: &str, text: &str) -> String {
    format!("{}: {}", cut(from, FROM), cut(text, TEXT))
}

fn prompt(report: &CompileReport, limit: usize, style: Style) -> String {
    let mut table = Table::new([
        ("part", Align::Left),
        ("kind", Align::Left),
        ("tokens", Align::Right),
        ("from", Align::Left),
        ("", Align::Left),
    ]);
    let segments = &report.tokens.segments;
    let n_stable = segments.iter().take_while(|segment| segment.zone == Zone::StablePrefix).count();
    let (stable, variable) = segments.split_at(n_stable);
    let (of_stable, of_variable) = share_limit(stable.len(), variable.len(), limit);
    zone(&mut table, stable, of_stable);
    if n_stable > 0 {
        table.quiet_line("┄ here ends the prefix shared with the call before ┄".to_owned());
    }
    zone(&mut table, variable, of_variable);
    if report.tokens.overhead > 0 {
        let overhead = count(report.tokens.overhead);
        table.quiet_row([String::new(), String::new(), overhead, "message framing".to_owned()]);
    }
    table.print(style)
}

/// What one zone does not need of its half, the other gets.
fn share_limit(a: usize, b: usize, limit: usize) -> (usize, usize) {
    if limit == 0 {
        return (0, 0);
    }
    let half = limit.div_ceil(2);
    let of_a = half.max(limit.saturating_sub(b)).min(a).max(1);
    (of_a, limit.saturating_sub(of_a).max(1))
}

fn zone(table: &mut Table, segments: &[SegmentReport], limit: usize) {
    let (first, last) = fold(segments.len(), limit);
    for (at, segment) in segments.iter().enumerate() {
        if at == first {
            table.quiet_line(folded(&segments[first..last]));
        }
        if (first..last).contains(&at) {
            continue;
        }
        table.row([
            segment.path.clone(),
            segment.kind.name().to_owned(),
            count(segment.tokens),
            cut(&segment.from, FROM),
            cut(&segment.text, TEXT),
        ]);
    }
}

fn folded(segments: &[SegmentReport]) -> String {
    let tokens: u64 = segments.iter().map(|segment| u64::from(segment.tokens)).sum();
    let parts = counted(segments.len(), "more part");
    format!("… {parts}, {} tokens; `--limit 0` shows them", count(tokens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_share_the_rows() {
        assert_eq!(share_limit(100, 100, 10), (5, 5));
        assert_eq!(share_limit(100, 2, 10), (8, 2));
        assert_eq!(share_limit(2, 100, 10), (2, 8));
        assert_eq!(share_limit(0, 100, 1), (1, 1));
        assert_eq!(share_limit(5, 5, 0), (0, 0));
    }
}
