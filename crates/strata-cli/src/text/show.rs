//! Sessions in numbers.

use strata_app::report::{AppReport, Basis, SessionReport, ShowReport, ShownSession};
use strata_app::{counted, listed};

use super::fields::Fields;
use super::number::{count, share, tokens};
use super::{Style, bill};

/// Kinds of unread records that are named.
const MAX_UNMAPPED: usize = 6;

pub(crate) fn show(report: &ShowReport, style: Style) -> String {
    let sessions: Vec<String> = report.sessions.iter().map(|shown| session(shown, style)).collect();
    sessions.join("\n")
}

fn session(shown: &ShownSession, style: Style) -> String {
    let session = &shown.session;
    let mut fields = Fields::under(&session.title, style);
    fields.add("id", &session.id);
    fields.add("format", &session.format_name);
    fields.add("source", &session.source);
    fields.add("events", &events(session));
    fields.add("user turns", &count(session.user_turns));
    fields.add("calls", &calls(shown));
    fields.add("tool calls", &count(session.tool_calls));
    fields.add("prompts", &prompts(shown));
    if let Some(known) = &shown.tokens {
        fields.add("paid", &bill::paid(&known.bill));
        fields.add("of these", &bill::made_of(&known.bill).unwrap_or_default());
    }
    if shown.recorded_requests > 0 {
        let calls = counted(session.calls as usize, "call");
        fields.add("requests", &format!("recorded for {} of {calls}", count(shown.recorded_requests)));
    }
    fields.add("reported", &reported(session));
    for explanation in shown.tokens.iter().flat_map(|tokens| &tokens.explanations) {
        fields.add("counting", explanation);
    }
    fields.add("model", bill::no_model(&shown.app).unwrap_or_default());
    fields.add("app", &app(&shown.app));
    for note in &shown.app.notes {
        fields.add("", note);
    }
    fields.add("not read", &unmapped(session));
    fields.print()
}

fn events(session: &SessionReport) -> String {
    let mut text =
        format!("{} in {}", count(session.events), counted(session.invocations as usize, "invocation"));
    if session.session_events != session.events {
        text += &format!(" (E1 to E{} as read)", count(session.session_events));
    }
    if session.compactions > 0 {
        text += &format!(", {}", counted(session.compactions as usize, "compaction"));
    }
    text
}

fn calls(shown: &ShownSession) -> String {
    let calls = count(shown.session.calls);
    let Some(known) = shown.tokens.as_ref().filter(|known| !known.callers.is_empty()) else { return calls };
    let relayed = match known.relayed_calls {
        0 => String::new(),
        n => format!(
            "; {} of them of sub-agents, which this file only repeats: `strata usage` sets these beside its sums",
            count(n)
        ),
    };
    format!("{calls} by {}{relayed}", listed(&known.callers))
}

fn prompts(shown: &ShownSession) -> String {
    let Some(known) = &shown.tokens else { return String::new() };
    format!(
        "{}, the largest {} (C{})",
        bill::heading_of(&known.bill, &shown.app),
        tokens(known.largest, known.largest_basis),
        known.largest_call
    )
}

fn reported(session: &SessionReport) -> String {
    let Some(usage) = session.reported_usage else { return "nothing".to_owned() };
    // No prompt is empty: where the sum is 0, none was reported.
    if usage.input_tokens == 0 {
        return format!("nothing of prompts, {} output tokens", count(usage.output_tokens));
    }
    let cached = share(usage.cached_tokens, usage.input_tokens);
    let mut text = format!("{} input tokens", tokens(usage.input_tokens, Basis::Reported));
    if usage.cached_tokens > 0 {
        text += &format!(", {} of them cached ({cached})", count(usage.cached_tokens));
    }
    if usage.cache_write_tokens > 0 {
        text += &format!(", {} written to the cache", count(usage.cache_write_tokens));
    }
    // No answer is empty either.
    if usage.output_tokens == 0 {
        return text + ", nothing of answers";
    }
    let mark = if session.output_caveat.is_some() { " (too few, see below)" } else { "" };
    format!("{text}, {} output tokens{mark}", count(usage.output_tokens))
}

fn app(app: &AppReport) -> String {
    match (app.inferred, &app.source) {
        (true, _) => "inferred from the events".to_owned(),
        (false, Some(source)) => format!("{} from {source}", app.name),
        (false, None) => app.name.clone(),
    }
}

fn unmapped(session: &SessionReport) -> String {
    let mut unmapped: Vec<_> = session.unmapped.iter().collect();
    unmapped.sort_by_key(|unmapped| std::cmp::Reverse(unmapped.count));
    let mut named: Vec<String> = unmapped
        .iter()
        .take(MAX_UNMAPPED)
        .map(|unmapped| format!("{} × {}", count(unmapped.count), unmapped.name))
        .collect();
    if unmapped.len() > MAX_UNMAPPED {
        named.push(counted(unmapped.len() - MAX_UNMAPPED, "other kind"));
    }
    listed(&named)
}
