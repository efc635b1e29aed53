//! Answers that are JSON.

use strata_model::{EventIndex, Part};

use super::carried::PieceKind;
use super::evidence::Evidence;
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::answer_fields::{AnswerFields, spare_share};
use crate::phrases::{count, listed, number};

pub(super) const FAMILY: Family = Family {
    title: "Answers",
    rules: &[
        Rule {
            code: "unused-answer-fields",
            surprises: &[],
            kind: FindingKind::Bloat,
            title: "Fields of answers that nobody uses",
            meaning: "An answer is history for all calls after it. Fields whose names and numbers come up nowhere later \
                      are carried for nothing.",
            advice: "Give the agent an output schema of the fields that are used, or keep only these of its answers.",
            look: unused_fields,
        },
        Rule {
            code: "spaced-answers",
            surprises: &[],
            kind: FindingKind::Bloat,
            title: "JSON answers with white space",
            meaning: "Models write JSON with line breaks and indents, which are tokens as everything else is, in every \
                      call that carries the answer.",
            advice: "Write answers without white space before they are sent again.",
            look: spaced,
        },
    ],
};

/// Where answers stand in prompts.
const ANSWERS: [PieceKind; 3] = [PieceKind::Words, PieceKind::Quotation, PieceKind::Result];

fn unused_fields(evidence: &Evidence<'_>) -> Vec<Observation> {
    let Some(fields) = AnswerFields::of(evidence.experiment) else { return Vec::new() };
    let unused = |event: EventIndex, _: &Part| fields.answers.get(&event).copied();
    let Some((tally, events)) = shares(evidence, unused) else { return Vec::new() };
    let message = format!(
        "Nothing later names what {} hold{} in {}: {} tokens, {} of everything that was sent.",
        listed(&fields.unused),
        if fields.unused.len() == 1 { "s" } else { "" },
        count(events.len() as u64, "JSON answer"),
        number(tally.tokens()),
        evidence.share(tally.tokens()),
    );
    vec![Observation::new(evidence.severity(tally.tokens()), message, tally).of_events(events)]
}

fn spaced(evidence: &Evidence<'_>) -> Vec<Observation> {
    let spare = |_: EventIndex, part: &Part| {
        let returned = part.function_response.as_ref().and_then(|response| response.response.as_deref());
        let returned = returned.and_then(|response| response.get("result")?.as_str());
        spare_share(part.text.as_deref().or(returned)?)
    };
    let Some((tally, events)) = shares(evidence, spare) else { return Vec::new() };
    let message = format!(
        "The white space in {} took {} tokens, {} of everything that was sent.",
        count(events.len() as u64, "JSON answer"),
        number(tally.tokens()),
        evidence.share(tally.tokens()),
    );
    vec![Observation::new(evidence.severity(tally.tokens()), message, tally).of_events(events)]
}

/// What a part of each answer took, given as characters of so many, and the answers; `None` where it is not worth it.
fn shares(
    evidence: &Evidence<'_>,
    share: impl Fn(EventIndex, &Part) -> Option<(usize, usize)>,
) -> Option<(Tally, Vec<EventIndex>)> {
    let mut tally = Tally::default();
    let mut events = Vec::new();
    for carried in evidence.sent(ANSWERS) {
        let Some((event, part)) = carried.stored.filter(|(event, _)| !event.is_from_user()) else { continue };
        let Some(index) = carried.piece.origin.event().filter(|_| !event.parts().is_empty()) else {
            continue;
        };
        let Some((spare, whole)) = share(index, part) else { continue };
        let tokens = u64::from(carried.piece.tokens) * spare as u64 / whole.max(1) as u64;
        tally.add_share(&evidence.models, carried, evidence.carriers(carried), tokens as u32);
        events.push(index);
    }
    events.sort_unstable();
    events.dedup();
    evidence.is_worth(tally.tokens()).then_some((tally, events))
}
