//! Prefix breaks in a sentence.

use strata_engine::EventLog;
use strata_engine::analysis::{CallAnalysis, Cause};
use strata_model::Origin;

use crate::api::call::PrefixBreak;
use crate::open::{OpenSession, Tables};
use crate::words;

/// Characters of a state value in a sentence.
const VALUE: usize = 40;

pub(super) fn prefix_break(open: &OpenSession, tables: &Tables, call: &CallAnalysis) -> Option<PrefixBreak> {
    let found = call.prefix_break.as_ref()?;
    let price = tables.prices.of_model(&call.model);
    Some(PrefixBreak {
        is_avoidable: found.cause.is_avoidable(),
        at_token: call.matched.tokens,
        rebilled_tokens: call.rebilled,
        cost_usd: price.map(|price| {
            let rates = price.rates_for(call.total.tokens.into());
            f64::from(call.rebilled) * (rates.input - rates.cached_read) / 1e6
        }),
        cause: sentence(&found.cause, open.experiment.log()),
        address: format!("C{}/{}", call.number, found.path),
        previous_call: call.previous.unwrap_or_default(),
    })
}

pub(crate) fn sentence(cause: &Cause, log: &EventLog) -> String {
    let event = |event: &strata_model::EventIndex| format!("E{}", event.number());
    match cause {
        Cause::State { key, before, after } => format!(
            "state.{key} changed {} → {} inside the instruction",
            words::cut(before, VALUE),
            words::cut(after, VALUE)
        ),
        Cause::Instruction { origin: Origin::Processor { name } } => {
            format!("{name} wrote other text into the instruction")
        }
        Cause::Instruction { origin } => format!("{} is not the same text", words::source(origin, log)),
        Cause::Definitions { added, removed, changed } => definitions(added, removed, changed),
        Cause::Compacted { by } => format!("{} summarised the history", event(by)),
        Cause::Rewound { by } => format!("{} took a part of the history back", event(by)),
        Cause::OtherTurn => "the agent sees its current turn only, and a new one began".to_owned(),
        Cause::Reordered { event: at } => {
            format!("something came into the history before {}, or it moved", event(at))
        }
        Cause::Rewritten { event: at } => format!("{} is told in other words", event(at)),
        Cause::Inserted { origin } => format!("{} changed in the conversation", words::source(origin, log)),
        Cause::Dropped { event: at } => format!("{} is no longer sent", event(at)),
    }
}

fn definitions(added: &[String], removed: &[String], changed: &[String]) -> String {
    let what = |names: &[String], verb: &str| {
        (!names.is_empty()).then(|| format!("{} {verb}", words::listed(names)))
    };
    let said: Vec<String> = [what(added, "came in"), what(removed, "went"), what(changed, "changed")]
        .into_iter()
        .flatten()
        .collect();
    if said.is_empty() {
        "tools are in another order".to_owned()
    } else {
        format!("tools: {}", said.join(", "))
    }
}
