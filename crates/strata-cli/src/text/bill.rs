//! What calls come to, in the same words wherever it is said.

use strata_app::report::{AppReport, Basis, Bill};
use strata_app::{cache_basis, counted};

use super::number::{count, dollars, share, tokens};

/// `16,477,967 prompt tokens in 169 calls`.
pub(super) fn heading(bill: &Bill) -> String {
    let calls = counted(bill.calls as usize, "call");
    format!("{} prompt tokens in {calls}", tokens(bill.prompt_tokens, bill.basis))
}

/// The same for an app, with the model that its figures are for where somebody chose it: `…, as if sent to gpt-4o`.
pub(super) fn heading_of(bill: &Bill, app: &AppReport) -> String {
    let as_if = app.as_if.as_ref().map_or(String::new(), |model| format!(", as if sent to {model}"));
    heading(bill) + &as_if
}

/// What to say of a session that names no model; nothing where one is known or chosen.
pub(super) fn no_model(app: &AppReport) -> Option<&'static str> {
    (app.names_no_model && app.as_if.is_none())
        .then_some("not named: counted by a guess and without a price; `--as-if MODEL` chooses one")
}

/// What was paid: `96 % cached (reported), 638,459 written, 410 tokens of answers, $14.32`.
pub(super) fn paid(bill: &Bill) -> String {
    let unpaid = unpaid(bill);
    if bill.calls == 0 && bill.summaries.summaries == 0 {
        return "nothing was paid".to_owned();
    }
    if bill.unpaid_calls == bill.calls && bill.calls > 0 {
        return unpaid;
    }
    let paid_tokens = bill.prompt_tokens - bill.unpaid_tokens;
    // What failed is counted by us; all else may be reported.
    let is_reported = bill.reported_calls + bill.unpaid_calls == bill.calls;
    let paid_basis = if is_reported { Basis::Reported } else { bill.basis };
    let of = if bill.unpaid_calls == 0 { "them".to_owned() } else { tokens(paid_tokens, paid_basis) };
    let mut said = vec![format!(
        "{} of {of} cached ({}, {})",
        count(bill.cached_tokens),
        share(bill.cached_tokens, paid_tokens),
        cache_basis(bill)
    )];
    let written = bill.written_tokens + bill.written_long_tokens;
    if written > 0 {
        let long = match bill.written_long_tokens {
            0 => String::new(),
            long if long == written => " for the longer lifetime".to_owned(),
            long => format!(" ({} of them for the longer lifetime)", count(long)),
        };
        said.push(format!("{} written{long}", tokens(written, paid_basis)));
    }
    if bill.output_tokens > 0 {
        said.push(format!("{} tokens of answers", count(bill.output_tokens)));
    } else if bill.reported_calls > 0 {
        said.push("nothing reported of answers".to_owned());
    }
    said.push(cost(bill));
    let mut said = said.join(", ");
    if !unpaid.is_empty() {
        said += &format!("; {unpaid}");
    }
    for summaries in summaries(bill) {
        said += &format!("; {summaries}");
    }
    said
}

/// `$14.32`; `$0.0207 and 2 calls without a known price`.
fn cost(bill: &Bill) -> String {
    match (bill.cost, bill.partial_cost) {
        (Some(_), _) => dollars(bill.cost),
        (None, Some(_)) => {
            let calls = counted(bill.unpriced_calls as usize, "call");
            format!("{} and {calls} without a known price", dollars(bill.partial_cost))
        }
        (None, None) => "no price known".to_owned(),
    }
}

/// `$0.0412 of it for writing 2 summaries (≈27,010 tokens read, ≈1,204 written)`, and those of which nothing is known.
fn summaries(bill: &Bill) -> Vec<String> {
    let written = &bill.summaries;
    let mut said = Vec::new();
    if written.summaries > 0 {
        let basis = if written.reported == written.summaries { Basis::Reported } else { Basis::Estimated };
        let of = written.cost.map_or(String::new(), |cost| format!("{} of it ", dollars(Some(cost))));
        said.push(format!(
            "{of}for writing {} ({} tokens read, {} written)",
            counted(written.summaries as usize, "summary"),
            tokens(written.input_tokens, basis),
            tokens(written.output_tokens, basis)
        ));
    }
    if written.unbilled > 0 {
        said.push(format!("without writing {}", counted(written.unbilled as usize, "summary")));
    }
    said
}

/// `nothing that is known for 1 call that failed or has no recorded answer`.
fn unpaid(bill: &Bill) -> String {
    if bill.unpaid_calls == 0 {
        return String::new();
    }
    let have = if bill.unpaid_calls == 1 { "has" } else { "have" };
    let calls = counted(bill.unpaid_calls as usize, "call");
    format!("nothing that is known for {calls} that failed or {have} no recorded answer")
}

/// What the prompts are made of: `≈9,010,765 counted, 7,467,202 hidden context`; nothing where all is counted.
pub(super) fn made_of(bill: &Bill) -> Option<String> {
    if bill.hidden_tokens == 0 && bill.overcounted_tokens == 0 {
        return None;
    }
    let hidden_basis = bill.counted_basis.max(Basis::Exact);
    let mut text = format!(
        "{} counted, {} hidden context",
        tokens(bill.counted_tokens, bill.counted_basis),
        tokens(bill.hidden_tokens, hidden_basis)
    );
    if bill.overcounted_tokens > 0 {
        text += &format!(", {} counted too much", count(bill.overcounted_tokens));
    }
    let reported = if bill.reported_calls == bill.calls {
        "all calls".to_owned()
    } else {
        format!("{} of {}", count(bill.reported_calls), counted(bill.calls as usize, "call"))
    };
    Some(format!("{text}; reported for {reported}"))
}
