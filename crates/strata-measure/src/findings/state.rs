//! What rewinds do to state.

use std::collections::BTreeSet;

use strata_engine::{Facts, Piece, Template};
use strata_model::{EventIndex, Json, Origin, Severity, Str};

use super::evidence::Evidence;
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::phrases::{event_name, listed};

pub(super) const FAMILY: Family = Family {
    title: "State",
    rules: &[Rule {
        code: "rewind-cleared-state",
        surprises: &["S30"],
        kind: FindingKind::Trap,
        title: "A rewind emptied the initial state",
        meaning: "A rewind restores state from events. Keys that no event had written, which is the state the session \
                  was created with, are set to nothing, and templates show nothing in their place.",
        advice: "Write initial values in an event (a `state_delta` of the first message), or again after a rewind.",
        look: rewind_cleared_state,
    }],
};

fn rewind_cleared_state(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut written: BTreeSet<&Str> = BTreeSet::new();
    let mut found = Vec::new();
    for logged in evidence.events() {
        let delta = &logged.event.actions.state_delta;
        let at = logged.index.unwrap_or(EventIndex(0));
        let is_initial = |key: &&Str| !written.contains(key) && delta.get(key) == Some(&Json::Null);
        let cleared: Vec<Str> = if logged.is(Facts::REWIND) {
            delta.keys().filter(is_initial).cloned().collect()
        } else {
            Vec::new()
        };
        written.extend(delta.keys());
        if !cleared.is_empty() {
            found.push(observation(evidence, at, cleared));
        }
    }
    found
}

fn observation(evidence: &Evidence<'_>, at: EventIndex, cleared: Vec<Str>) -> Observation {
    let mut tally = Tally::default();
    let mut shown: Vec<&str> = Vec::new();
    for caller in &evidence.callers {
        let text = caller.agent.instruction.as_ref().map_or("", |instruction| instruction.text());
        let shows = Template::parse(text)
            .pieces
            .into_iter()
            .any(|piece| matches!(piece, Piece::State { key, .. } if cleared.contains(&key)));
        let after = caller.calls.iter().filter(|call| call.call.n_events() > at.as_usize());
        let after: Vec<u32> = after.map(|call| call.call.number).collect();
        if shows && !after.is_empty() {
            shown.push(&caller.agent.name);
            for call in after {
                tally.add_call(call);
            }
        }
    }
    let (severity, effect) = match &shown[..] {
        [] => (Severity::Info, "No instruction shows them.".to_owned()),
        agents => (
            Severity::Warning,
            format!("The instruction of {} shows nothing in their place.", listed(agents)),
        ),
    };
    let message = format!(
        "The rewind {} set {} to nothing: only the initial state held a value. {effect}",
        event_name(at),
        listed(&cleared)
    );
    let origins = cleared.into_iter().map(|key| Origin::State { key });
    Observation::new(severity, message, tally).of_events([at]).of_origins(origins)
}
