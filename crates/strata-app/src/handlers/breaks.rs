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
        Cause::HandOff { .. } => {
            "the agent sees its current turn only, and another agent has spoken since".to_owned()
        }
        Cause::Scope { .. } => "the agent sees its current turn only, and a new one began".to_owned(),
        Cause::Window { .. } => "the filter's window moved on, so the history begins later".to_owned(),
        Cause::Truncated { .. } => "the beginning of the history was cut off at another place".to_owned(),
        Cause::LateResponse { event: at } => {
            format!("{} came late and stands at its call, before what was already sent", event(at))
        }
        Cause::Artifacts { .. } => "another list of artifacts is shown".to_owned(),
        Cause::Memory => "other memories were looked up, or they stand at another place".to_owned(),
        Cause::Placement { origin } => {
            format!("{} moves with what the user said last", words::source(origin, log))
        }
        Cause::Script { stage } => format!("{stage} changed it"),
        Cause::Model { before, after } => format!("the model changed {before} → {after}"),
        Cause::Parameters { changed } => format!("settings changed: {}", words::listed(changed)),
        Cause::Expired { idle_s, lifetime_s } => {
            format!("nothing was sent for {idle_s} s, and the provider keeps a prefix for {lifetime_s} s")
        }
        Cause::Evicted => "other prompts took its place in the server".to_owned(),
        Cause::BelowMinimum { minimum_tokens } => {
            format!("the prompt is shorter than the {minimum_tokens} tokens that are cached at least")
        }
        Cause::NoBreakpoint { lookback_blocks } => {
            format!("no breakpoint within {lookback_blocks} blocks of what was sent before")
        }
        Cause::Unknown { origin: Some(origin) } => {
            format!("{} changed in the conversation", words::source(origin, log))
        }
        Cause::Unknown { origin: None } => "the conversation changed".to_owned(),
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
