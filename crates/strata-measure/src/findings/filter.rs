//! What ADK's context filter does besides saving tokens.

use strata_model::app::Plugin;
use strata_model::{EventIndex, Severity};

use super::evidence::{Evidence, MIN_CACHED_TOKENS};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::analysis::Cause;
use crate::phrases::{count, event_name, number};

/// Turns in a row whose beginning is cut anew: one is the filter at work, two are its habit.
const MIN_SHIFTS: usize = 2;

pub(super) const FAMILY: Family = Family {
    title: "Context filter",
    rules: &[
        Rule {
            code: "filter-shifts-every-turn",
            surprises: &["S15"],
            kind: FindingKind::Prefix,
            title: "A window that moves every turn",
            meaning: "With `remove_amount: 1` the context filter drops the oldest turn whenever a new one begins. From \
                      then on no prompt begins like the one before it.",
            advice: "Set `remove_amount` to several turns, so that the window moves seldom and far.",
            look: filter_shifts_every_turn,
        },
        Rule {
            code: "filter-cuts-the-turn",
            surprises: &["S36"],
            kind: FindingKind::Loss,
            title: "The filter cut the turn that is being answered",
            meaning: "The filter takes everything a user role says for a turn: quotations of agents, the instruction \
                      behind a result, memories, files. In a tool loop the question and the calls can fall out of the \
                      window.",
            advice: "Keep more turns than one, and avoid `static_instruction` together with `instruction` where the \
                     filter is on.",
            look: filter_cuts_the_turn,
        },
    ],
};

/// The filter's name and how many turns it takes at a time, if it cuts at all.
fn cutting_filter<'e>(evidence: &Evidence<'e>) -> Option<(&'e str, i64)> {
    evidence.app().plugins().iter().find_map(|plugin| match plugin {
        Plugin::ContextFilter { num_invocations_to_keep: Some(keep), remove_amount, .. } if *keep > 0 => {
            Some((plugin.name(), remove_amount.unwrap_or(1).max(1)))
        }
        _ => None,
    })
}

fn filter_shifts_every_turn(evidence: &Evidence<'_>) -> Vec<Observation> {
    let Some((name, 1)) = cutting_filter(evidence) else { return Vec::new() };
    let mut tally = Tally::default();
    let mut turns = Vec::new();
    for (call, found) in evidence.losses() {
        let is_shift = matches!(found.cause, Cause::Window { .. } | Cause::Truncated { .. });
        let head = call.result.request.static_prefix_end.unwrap_or(0);
        let content = found.path.split('.').next().and_then(|content| content.parse::<usize>().ok());
        if is_shift && content.is_some_and(|content| content <= head) {
            evidence.add_loss(&mut tally, call, found);
            turns.push(call.call.turn);
        }
    }
    turns.dedup();
    if turns.len() < MIN_SHIFTS || tally.tokens() < MIN_CACHED_TOKENS {
        return Vec::new();
    }
    let message = format!(
        "{name} dropped the oldest turn in {} in a row, and {} tokens were paid in full again.",
        count(turns.len() as u64, "turn"),
        number(tally.tokens()),
    );
    vec![Observation::new(Severity::Warning, message, tally)]
}

fn filter_cuts_the_turn(evidence: &Evidence<'_>) -> Vec<Observation> {
    let Some((name, _)) = cutting_filter(evidence) else { return Vec::new() };
    let mut questions: Vec<EventIndex> = Vec::new();
    let mut tally = Tally::default();
    for call in evidence.calls.iter().filter(|call| call.call.invocation.isolation_scope.is_none()) {
        let Some(question) = evidence.question(call) else { continue };
        let first = call
            .result
            .request
            .contents
            .iter()
            .find_map(|content| content.parts.last()?.main_origin().event());
        if first.is_none_or(|first| first > question) {
            questions.push(question);
            tally.add_call(call.call.number);
        }
    }
    let Some(first) = questions.first() else { return Vec::new() };
    let message = format!(
        "{name} left {} without the question it answers, {} for the first.",
        count(tally.n_calls(), "call"),
        event_name(*first),
    );
    vec![Observation::new(Severity::Error, message, tally).of_events(questions)]
}
