//! Prefixes that are lost because what was sent is not sent again as it was, whoever made the requests.

use std::collections::BTreeMap;

use strata_model::Severity;

use super::evidence::{Evidence, MIN_CACHED_TOKENS};
use super::finding::FindingKind;
use super::prefix::{said, said_of};
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::analysis::{Cause, ChangeKind, Loss, PartsKind, TextChange};
use crate::phrases::{distinct, listed, times};
use crate::remedies::Aim;

pub(super) const FAMILY: Family = Family {
    title: "What changes between requests",
    rules: &[
        Rule {
            code: "changing-system-text",
            surprises: &[],
            kind: FindingKind::Prefix,
            title: "A value that changes in the system text",
            meaning: "The system text stands before the whole conversation. A time, an id, a counter or a list in another \
                      order in it makes every prompt a new one: nothing behind it is found in the cache.",
            advice: "Say what changes in the newest message, and keep the system text the same for all calls.",
            look: changing_system_text,
        },
        Rule {
            code: "history-rewritten",
            surprises: &[],
            kind: FindingKind::Prefix,
            title: "Old messages are sent otherwise",
            meaning: "What was sent before is cut, cleared, left out or put in between. Everything behind that place is \
                      paid in full again, and each time it happens.",
            advice: "Send again what was sent as it was, and add behind it. Make results short when they come in; clear or leave \
                     out many at once and seldom.",
            look: history_rewritten,
        },
        Rule {
            code: "tools-change",
            surprises: &["S17"],
            kind: FindingKind::Prefix,
            title: "Tools are declared otherwise",
            meaning: "Tools stand at the very beginning of a prompt. Another list, another order or another description \
                      makes everything behind them new.",
            advice: "Declare the same tools in the same order in all calls, and keep values that change out of their \
                     descriptions.",
            look: tools_change,
        },
        Rule {
            code: "settings-change",
            surprises: &[],
            kind: FindingKind::Prefix,
            title: "Another model or other settings",
            meaning: "A cache belongs to a model, and some settings empty it, as the schema of answers does: nothing that was \
                      sent before is found.",
            advice: "Stay with one model and one setting for a conversation, and give other work a conversation of its own.",
            look: settings_change,
        },
    ],
};

fn changing_system_text(evidence: &Evidence<'_>) -> Vec<Observation> {
    observed(evidence, |cause| matches!(cause, Cause::Instruction { .. } | Cause::ClientBlock { .. }))
}

fn history_rewritten(evidence: &Evidence<'_>) -> Vec<Observation> {
    observed(evidence, |cause| match cause {
        Cause::LeftOut { what, .. } => *what != PartsKind::Thoughts,
        Cause::Truncated { n_messages, .. } => *n_messages > 0,
        cause => matches!(cause, Cause::Rewritten { .. } | Cause::PutIn { .. }),
    })
}

fn tools_change(evidence: &Evidence<'_>) -> Vec<Observation> {
    observed(evidence, |cause| matches!(cause, Cause::Definitions { .. }) && !cause.is_of_schema())
}

fn settings_change(evidence: &Evidence<'_>) -> Vec<Observation> {
    observed(evidence, |cause| {
        matches!(cause, Cause::Parameters { .. } | Cause::Model { .. }) || cause.is_of_schema()
    })
}

const CHEAPER_MODEL: &str =
    "Nothing for the sake of the price: the model that was left would have cost more for these calls.";

/// An agent, a cause, and a kind of value with the name before it.
type Reason<'e> = (&'e str, &'static str, Option<(&'static str, &'e str)>);

/// What a value is called, without others that stand between its name and it: of `Tags: a b`, `Tags`. What stands before the
/// end of a growing list is another item each time, and before a message that came or went another message.
fn name_of<'c>(cause: &Cause, change: &'c TextChange) -> &'c str {
    let is_of_history = matches!(
        cause,
        Cause::Rewritten { .. } | Cause::PutIn { .. } | Cause::LeftOut { .. } | Cause::Truncated { .. }
    );
    match change.label.split_once([':', '=']) {
        _ if change.kind == ChangeKind::Grown => "",
        Some((name, _)) => name,
        None if is_of_history => "",
        None => &change.label,
    }
}

/// Losses for the same reason, by the same agent, of the same kind of value: a finding each.
fn observed<'e>(evidence: &Evidence<'e>, is: impl Fn(&Cause) -> bool) -> Vec<Observation> {
    let mut all: BTreeMap<Reason<'e>, (Tally, Vec<&'e Loss>)> = BTreeMap::new();
    for (call, loss) in evidence.losses().filter(|(_, loss)| is(&loss.cause)) {
        let change = loss.cause.change().map(|change| (change.kind.code(), name_of(&loss.cause, change)));
        let (tally, losses) = all.entry((call.name(), loss.cause.code(), change)).or_default();
        evidence.add_loss(tally, call, loss);
        losses.push(loss);
    }
    let worth = all.into_values().filter(|(tally, _)| tally.tokens() >= MIN_CACHED_TOKENS);
    worth
        .filter_map(|(tally, losses)| {
            let dearest = losses.iter().rev().max_by_key(|loss| loss.tokens)?;
            let message = match came_and_went(&losses) {
                Some(sentence) => said_of(evidence, &tally, &sentence),
                None => said(evidence, &tally, dearest),
            };
            let seen = Observation::new(Severity::Warning, message, tally);
            let seen = seen.of_origins(losses.iter().filter_map(|loss| loss.origin.clone()));
            let is_cheaper = matches!(dearest.cause, Cause::Model { staying_micros: Some(1..), .. });
            let advice = is_cheaper.then_some(CHEAPER_MODEL);
            Some(Observation { advice, ..seen.towards(Aim::of_cause(&dearest.cause)) })
        })
        .collect()
}

/// Of tools that came in in some calls and went, or changed, in others: what, and how often. `None` where it was the same
/// each time.
fn came_and_went(losses: &[&Loss]) -> Option<String> {
    let mut kinds: [(&str, Vec<&str>, u64); 3] =
        [("came in", Vec::new(), 0), ("went", Vec::new(), 0), ("changed", Vec::new(), 0)];
    for loss in losses {
        let Cause::Definitions { added, removed, changed, .. } = &loss.cause else { return None };
        for ((_, names, n), found) in kinds.iter_mut().zip([added, removed, changed]) {
            *n += u64::from(!found.is_empty());
            names.extend(found.iter().map(String::as_str));
        }
    }
    let kinds = kinds.into_iter().filter(|(_, _, n)| *n > 0).collect::<Vec<_>>();
    if kinds.len() < 2 {
        return None;
    }
    let told =
        kinds.into_iter().map(|(verb, names, n)| format!("{} {verb} {}", listed(&distinct(names)), times(n)));
    Some(format!("tools: {}", listed(&told.collect::<Vec<_>>())))
}
