//! Caches: what was found, what was lost, what would help.

use strata_app::counted;
use strata_app::report::{Basis, CacheReport, CallCacheReport, Remedy};

use super::fields::Fields;
use super::number::{count, dollars, share, tokens};
use super::{Style, bill};

use super::table::{Align, Table};

pub(crate) fn cache(report: &CacheReport, limit: usize, style: Style) -> String {
    let mut text = head(report, style);
    if report.calls.is_empty() {
        return text;
    }
    let mut broken: Vec<&CallCacheReport> =
        report.calls.iter().filter(|call| call.loss.as_ref().is_some_and(|loss| loss.is_break())).collect();
    broken.sort_by_key(|call| std::cmp::Reverse(call.loss.as_ref().map(|loss| loss.rebilled_tokens)));
    let mut section = |title: String, table: &Table| {
        text += &format!("\n{}\n{}", style.strong(&title), table.print(style));
    };
    if !broken.is_empty() {
        let lost_nothing =
            |call: &&&CallCacheReport| call.loss.as_ref().is_some_and(|loss| loss.rebilled_tokens == 0);
        let without_loss = match broken.iter().filter(lost_nothing).count() {
            0 => String::new(),
            n => format!("; {} of them lost nothing", count(n as u64)),
        };
        let of_calls = counted(report.calls.len(), "call");
        section(
            format!("Breaks, {} of {of_calls}{without_loss}", count(broken.len() as u64)),
            &breaks(&broken, limit),
        );
    }
    let remedies = remedies(&broken);
    if !remedies.is_empty() {
        section("What to change where the requests are made".to_owned(), &remedies_table(&remedies));
    }
    if !report.fixes.is_empty() {
        section("What would help, replayed over all calls".to_owned(), &fixes(report));
    }
    section("Calls".to_owned(), &calls(report, limit));
    text
}

fn head(report: &CacheReport, style: Style) -> String {
    let mut fields = Fields::under(&bill::heading_of(&report.bill, &report.app), style);
    fields.add("session", &format!("{} ({})", report.title, report.session));
    let known = if report.is_rule_known { "" } else { " (assumed: no rule is known for all of its models)" };
    fields.add("paid", &bill::paid(&report.bill));
    fields.add("of these", &bill::made_of(&report.bill).unwrap_or_default());
    // Of calls that nobody is known to have paid for nothing is predicted.
    let paid_tokens = report.bill.prompt_tokens - report.bill.unpaid_tokens;
    if paid_tokens > 0 {
        let cached = share(report.predicted_cached_tokens, paid_tokens);
        let found = count(report.predicted_cached_tokens);
        fields.add("predicted", &format!("{found} can be found in a cache ({cached})"));
    }
    fields.add("rules", &format!("{}{known}", report.provider));
    fields.add(
        "lost",
        &format!(
            "{} tokens were paid in full again, {} of them for no need",
            count(report.lost_tokens),
            count(report.avoidable_tokens)
        ),
    );
    if report.app.inferred {
        fields.add(
            "app",
            "inferred from the events; instructions and tools that are not recorded are not compared",
        );
    }
    fields.print()
}

fn breaks(broken: &[&CallCacheReport], limit: usize) -> Table {
    let mut table = Table::new([
        ("call", Align::Left),
        ("lost", Align::Right),
        ("loss predicted", Align::Right),
        ("cost", Align::Right),
        ("at", Align::Right),
        ("stage", Align::Left),
        ("why", Align::Left),
    ]);
    let n_rows = if limit == 0 { broken.len() } else { limit };
    for call in broken.iter().take(n_rows) {
        let Some(loss) = &call.loss else { continue };
        let mark = if loss.is_avoidable { "◆" } else { "◇" };
        table.row([
            format!("C{}", call.call),
            count(loss.rebilled_tokens),
            if loss.is_reported { count(loss.predicted_tokens) } else { String::new() },
            dollars(loss.cost),
            count(loss.at_token),
            loss.stage.clone().unwrap_or_default(),
            format!(
                "{mark} {}{}",
                loss.detail,
                verdict(call).map_or(String::new(), |said| format!("; {said}"))
            ),
        ]);
    }
    table
}

/// Remedies for losses that could have been avoided, each once, with what they lost.
fn remedies<'r>(broken: &[&'r CallCacheReport]) -> Vec<(&'r Remedy, u32)> {
    let mut remedies: Vec<(&Remedy, u32)> = Vec::new();
    for loss in broken.iter().filter_map(|call| call.loss.as_ref()).filter(|loss| loss.is_avoidable) {
        let Some(remedy) = &loss.remedy else { continue };
        match remedies.iter_mut().find(|(known, _)| *known == remedy) {
            Some((_, tokens)) => *tokens += loss.rebilled_tokens,
            None => remedies.push((remedy, loss.rebilled_tokens)),
        }
    }
    remedies.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    remedies
}

fn remedies_table(remedies: &[(&Remedy, u32)]) -> Table {
    let mut table = Table::new([
        ("lost", Align::Right),
        ("where", Align::Left),
        ("what", Align::Left),
        ("source", Align::Left),
    ]);
    for (remedy, tokens) in remedies {
        table.row([count(*tokens), remedy.place.clone(), remedy.text.clone(), remedy.source.clone()]);
    }
    table
}

fn fixes(report: &CacheReport) -> Table {
    let mut table = Table::new([
        ("saves", Align::Right),
        ("", Align::Right),
        ("prompts", Align::Right),
        ("", Align::Left),
    ]);
    for fix in &report.fixes {
        table.row([
            count(fix.saves_tokens),
            dollars(fix.saves_cost),
            count(fix.changes as u64),
            fix.title.clone(),
        ]);
    }
    table
}

fn calls(report: &CacheReport, limit: usize) -> Table {
    let mut table = Table::new([
        ("call", Align::Left),
        ("agent", Align::Left),
        ("prompt", Align::Right),
        ("cached", Align::Right),
        ("", Align::Right),
        ("cache predicted", Align::Right),
        ("", Align::Left),
    ]);
    let n_rows = if limit == 0 { report.calls.len() } else { limit };
    for call in report.calls.iter().take(n_rows) {
        table.row([
            format!("C{}", call.call),
            call.agent.clone(),
            count(call.prompt_tokens),
            if call.paid { tokens(call.cached_tokens, cached_basis(call)) } else { "–".to_owned() },
            if call.paid {
                share(call.cached_tokens.into(), call.prompt_tokens.into())
            } else {
                String::new()
            },
            count(call.predicted_cached_tokens),
            if call.paid {
                let difference = call.difference.map(|difference| difference.replace('_', " "));
                difference.into_iter().chain(verdict(call)).collect::<Vec<_>>().join("; ")
            } else {
                "failed, or no answer recorded".to_owned()
            },
        ]);
    }
    table
}

/// "the provider says tools changed, 12,345 tokens missed"
fn verdict(call: &CallCacheReport) -> Option<String> {
    let verdict = call.provider_verdict.as_ref()?;
    let missed = verdict.missed_tokens.map_or(String::new(), |n| format!(", {} tokens missed", count(n)));
    Some(format!("the provider says {}{missed}", verdict.reason.replace('_', " ")))
}

fn cached_basis(call: &CallCacheReport) -> Basis {
    if call.reported_cached_tokens.is_some() { Basis::Reported } else { Basis::Estimated }
}
