//! Compaction: windows, summaries, and what they lose.

use strata_app::report::{CompactEstimate, CompactReport, RegretReport, WindowReport};

use super::Style;
use super::fields::Fields;
use super::number::{count, dollars, share};
use super::table::{Align, Table};

/// Characters of a fact in the table.
const FACT: usize = 88;

pub(crate) fn compact(report: &CompactReport, limit: usize, style: Style) -> String {
    let mut text = head(report, style);
    for (at, window) in report.windows.iter().enumerate() {
        text += &format!("\n{}\n", style.strong(&title(at, window)));
        if let Some(blocked) = &window.blocked {
            text += &format!("  {}\n", style.warning(&format!("not used: {blocked}")));
        }
        for line in window.summary.lines() {
            text += &format!("  {} {line}\n", style.quiet("│"));
        }
        if !window.said.is_empty() {
            text += &format!("  {}\n", style.quiet(&window.said));
        }
        text += &losses(window, limit, style);
    }
    text + &regrets(report, limit, style)
}

/// What was summarised away and used later.
fn regrets(report: &CompactReport, limit: usize, style: Style) -> String {
    if report.regret.is_empty() {
        return String::new();
    }
    let mut table = Table::new([("", Align::Left), ("", Align::Left), ("", Align::Left)]);
    let n_shown = if limit == 0 { usize::MAX } else { limit };
    for RegretReport { value, event, call, tool, .. } in report.regret.iter().take(n_shown) {
        let by = tool.as_ref().map_or_else(String::new, |tool| format!(" for {tool}"));
        table.row([
            strata_app::cut(value, FACT),
            format!("stood in E{event}"),
            format!("used by C{call}{by}"),
        ]);
    }
    let n_more = report.regret.len().saturating_sub(n_shown);
    if n_more > 0 {
        table.quiet_line(format!("{} more", count(n_more as u64)));
    }
    format!("\n{}\n{}", style.strong("Used later"), table.print(style))
}

/// What a run would take.
pub(crate) fn compact_estimate(estimate: &CompactEstimate, style: Style) -> String {
    let mut fields = Fields::under(&format!("{} with {}, not sent", estimate.title, estimate.config), style);
    fields.add("session", &estimate.session);
    fields.add("asks", &format!("{} at {}", estimate.model, estimate.address));
    let before = match estimate.from_before {
        0 => String::new(),
        n => format!(", {} of them from before and free", count(u64::from(n))),
    };
    fields.add("summaries", &format!("{}{before}", count(u64::from(estimate.summaries))));
    let about = |basis: &str| if basis == "exact" { "" } else { "≈ " };
    let said =
        if estimate.input_said.is_empty() { String::new() } else { format!(", {}", estimate.input_said) };
    let input = count(u64::from(estimate.input_tokens));
    fields.add("in", &format!("{}{input} tokens{said}", about(estimate.input_basis)));
    let cached = count(u64::from(estimate.cached_tokens));
    fields.add("cached", &format!("{}{cached} of them should be found again", about(estimate.cached_basis)));
    fields
        .add("out", &format!("≈ {} tokens (size {})", count(estimate.output_tokens), estimate.output_basis));
    if let Some(tokens) = estimate.context_tokens {
        fields.add("context", &format!("{} tokens with the answer", count(u64::from(tokens))));
    }
    if estimate.too_long > 0 {
        let said = format!("{} of the prompts are longer than that, and are not sent", estimate.too_long);
        fields.add("problem", &said);
    }
    let cost = match estimate.cost {
        Some(_) if estimate.is_free => "free: the server runs on this computer".to_owned(),
        Some(cost) => format!("≈ {}", dollars(Some(cost))),
        None => "not known: this model has no price here".to_owned(),
    };
    fields.add("cost", &cost);
    fields.add("time", &format!("≈ {:.0} s with usual rates", estimate.seconds.ceil()));
    fields.print()
}

fn head(report: &CompactReport, style: Style) -> String {
    let totals = &report.totals;
    let used = report.windows.iter().filter(|window| window.blocked.is_none()).count();
    let summaries =
        if used == 1 { "1 summary".to_owned() } else { format!("{} summaries", count(used as u64)) };
    let heading = format!("{summaries} for {} with {}", report.title, report.config);
    let mut fields = Fields::under(&heading, style);
    fields.add("session", &report.session);
    let change = |now: u64, before: u64| {
        let share = if now <= before { share(before - now, before) } else { share(now - before, before) };
        let word = if now <= before { "less" } else { "more" };
        format!("{} instead of {} as recorded ({share} {word})", count(now), count(before))
    };
    fields.add(
        "prompts",
        &format!("{} tokens", change(totals.bill.prompt_tokens, totals.baseline.prompt_tokens)),
    );
    fields.add(
        "billed",
        &format!("{} tokens", change(totals.bill.billed_tokens, totals.baseline.billed_tokens)),
    );
    fields.add(
        "longest",
        &format!("{} tokens", change(totals.bill.peak_tokens.into(), totals.baseline.peak_tokens.into())),
    );
    fields.add(
        "cost",
        &format!(
            "{} instead of {} as recorded, of which {} for the summaries ({} tokens in, {} out)",
            dollars(totals.bill.cost),
            dollars(totals.baseline.cost),
            dollars(totals.bill.summary_cost),
            count(totals.summary_input_tokens),
            count(totals.summary_output_tokens)
        ),
    );
    if let Some(prompts) = &totals.prompts {
        let cached = prompts.reported_cached_tokens.map_or("nothing".to_owned(), |found| count(found as u64));
        let about = if prompts.is_exact { "" } else { "≈ " };
        fields.add(
            "predicted",
            &format!(
                "{about}{} tokens of the summaries' prompts ({} reported), {about}{} of them found again ({cached} reported)",
                count(prompts.predicted_tokens as u64),
                count(prompts.reported_tokens as u64),
                count(prompts.predicted_cached_tokens as u64)
            ),
        );
    }
    if !totals.said.is_empty() {
        fields.add("results", &totals.said);
    }
    fields.add("regret", &report.regret_said);
    if totals.facts > 0 {
        fields.add(
            "told",
            &format!(
                "{} of {} facts of the summarised events can still be read at the end ({})",
                count(totals.facts_alive),
                count(totals.facts),
                share(totals.facts_alive.into(), totals.facts.into())
            ),
        );
    }
    if let Some(applied) = &report.applied {
        fields.add(
            "applied",
            &format!("as {}, “{}”; it stands wherever a session does", applied.experiment, applied.name),
        );
    }
    if report.windows.is_empty() {
        fields.add("note", "nothing is ever due with this setting");
    }
    fields.print()
}

fn title(at: usize, window: &WindowReport) -> String {
    let when =
        window.at_call.map_or_else(|| "after the last call".to_owned(), |call| format!("before C{call}"));
    let [first, last] = window.events;
    let seed = window.seed.map_or_else(String::new, |seed| format!(" and summary {}", seed + 1));
    format!(
        "Summary {} {when}: E{first} to E{last}{seed}, {} tokens into {} ({})",
        at + 1,
        count(window.tokens_before),
        count(window.tokens_after),
        window.summarizer
    )
}

fn losses(window: &WindowReport, limit: usize, style: Style) -> String {
    let Some(loss) = &window.loss else { return String::new() };
    let mut table = Table::new([("", Align::Left), ("", Align::Left), ("", Align::Left), ("", Align::Left)]);
    let dropped = loss.items.iter().filter(|item| item.verdict == "dropped");
    let n_shown = if limit == 0 { usize::MAX } else { limit };
    for item in dropped.clone().take(n_shown) {
        let used =
            if item.used_later > 0 { format!("used again {}×", item.used_later) } else { String::new() };
        table.row([
            "−".to_owned(),
            item.kind.replace('_', " "),
            strata_app::cut(&item.text, FACT),
            format!("E{} {used}", item.event).trim_end().to_owned(),
        ]);
    }
    let n_more = dropped.count().saturating_sub(n_shown);
    if n_more > 0 {
        table.quiet_line(format!("{} more", count(n_more as u64)));
    }
    let line = format!(
        "{} kept, {} in other words, {} dropped ({:.0} % by weight)",
        count(loss.kept),
        count(loss.paraphrased),
        count(loss.dropped),
        loss.lost_share * 100.0
    );
    format!("  {}\n{}", style.quiet(&line), table.print(style))
}
