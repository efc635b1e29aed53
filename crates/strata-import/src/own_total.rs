//! Totals that a source has of its own, held against what its calls add up to.

use strata_wire::usage::Counts;

use crate::findings::Findings;

/// Says where the tokens of all calls differ from what the source says they come to. What either leaves unsaid is not
/// compared. `what` names the total.
pub(crate) fn check(what: &str, own: Counts, calls: Counts, place: String, findings: &mut Findings) {
    let named = [
        ("input", own.input, calls.input),
        ("cached", own.cached, calls.cached),
        ("output", own.output, calls.output),
    ];
    let said = named.into_iter().filter_map(|(name, own, calls)| Some((name, own?, calls?)));
    let differ: Vec<(&str, u64, u64)> = said.filter(|(_, own, calls)| own != calls).collect();
    if differ.is_empty() {
        return;
    }
    let told = differ
        .iter()
        .map(|(name, own, calls)| format!("{own} {name} tokens by {what}, {calls} by its calls"));
    let told = told.collect::<Vec<_>>().join("; ");
    let why = if differ.iter().any(|(_, own, calls)| own > calls) {
        "the rest was used by calls that it does not hold, or was counted twice"
    } else {
        "its own total leaves some of them out, such as those that write summaries"
    };
    let message =
        format!("the source does not add up: {told}. What its calls report is what is counted; {why}");
    findings.warning("own-total-differs", place, message);
}

/// Says what the prompts of several calls came to together, where no call has a part of it.
pub(crate) fn of_prompts(sum: Counts, place: String, findings: &mut Findings) {
    let Some(input) = sum.input.filter(|input| *input > 0) else { return };
    let cached = sum.cached.unwrap_or(0);
    let message = format!(
        "the tokens of prompts are known as a total alone: {input}, {cached} of them read from a cache. What a call has of \
         it is not known: what its prompt came to is predicted here"
    );
    findings.info("own-total-alone", place, message);
}

/// Says a total that no call has a part of. `cost` is in dollars, as the source has it.
pub(crate) fn alone(own: Counts, cost: Option<f64>, place: String, findings: &mut Findings) {
    let tokens = [("input", own.input), ("output", own.output)].into_iter().filter_map(|(name, count)| {
        let count = count.filter(|count| *count > 0)?;
        Some(format!("{count} {name} tokens"))
    });
    let cost = cost.filter(|cost| *cost > 0.0).map(|cost| format!("${cost} by the source's own prices"));
    let told: Vec<String> = tokens.chain(cost).collect();
    if !told.is_empty() {
        let message =
            format!("usage is known as a total alone: {}. No call has a part of it", told.join(", "));
        findings.info("own-total-alone", place, message);
    }
}
