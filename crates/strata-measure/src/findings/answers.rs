//! Answers: those that are JSON, and those that only other agents read.

use std::collections::{BTreeMap, HashMap};

use strata_model::{EventIndex, Part, Severity};

use super::carried::PieceKind;
use super::evidence::Evidence;
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::agent_answers::AgentAnswers;
use crate::answer_fields::{AnswerFields, compact_of_spaced};
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
        Rule {
            code: "words-around-json",
            surprises: &[],
            kind: FindingKind::Bloat,
            title: "JSON answers with words around them",
            meaning: "Where every answer of an agent is one JSON object, the words and fences around it are said to \
                      nobody, and are history for all calls after it.",
            advice: "Give the agent an output schema: it then answers with the JSON alone.",
            look: words_around_json,
        },
        Rule {
            code: "long-answers-for-agents",
            surprises: &[],
            kind: FindingKind::Bloat,
            title: "Long answers that only agents read",
            meaning: "An agent in the middle of a pipeline that tells at length what it did tells it to every agent \
                      after it, in all of their calls.",
            advice: "Give the agent an output schema of the few fields that the agents after it need.",
            look: long_answers_for_agents,
        },
    ],
};

/// Tokens of an agent's answers on average from which on they are long: a record of a few fields takes fewer.
const LONG_ANSWER: u64 = 100;

/// Where answers stand in prompts.
const ANSWERS: [PieceKind; 3] = [PieceKind::Words, PieceKind::Quotation, PieceKind::Result];

fn unused_fields(evidence: &Evidence<'_>) -> Vec<Observation> {
    let Some(fields) = AnswerFields::of(evidence.experiment) else { return Vec::new() };
    let unused = |event: EventIndex, _: &Part| fields.answers.get(&event).copied();
    let Some((tally, events)) = shares(evidence, unused) else { return Vec::new() };
    let message = format!(
        "Nothing later names what {} hold{} in {}: {} tokens, {}.",
        listed(&fields.unused),
        if fields.unused.len() == 1 { "s" } else { "" },
        count(events.len() as u64, "JSON answer"),
        number(tally.tokens()),
        evidence.share(tally.tokens()),
    );
    vec![Observation::new(evidence.severity(tally.tokens()), message, tally).of_events(events)]
}

fn spaced(evidence: &Evidence<'_>) -> Vec<Observation> {
    let scale = evidence.first_scale();
    let weigh = |text: &str| scale.as_ref().map_or(0, |scale| scale.weigher().text(text).tokens as usize);
    // White space takes other tokens than its characters let one think: both forms are counted.
    let spare = |_: EventIndex, part: &Part| {
        let returned = part.function_response.as_ref().and_then(|response| response.response.as_deref());
        let returned = returned.and_then(|response| response.get("result")?.as_str());
        let text = part.text.as_deref().or(returned)?;
        let compact = compact_of_spaced(text)?;
        let whole = weigh(text);
        Some((whole.saturating_sub(weigh(&compact)), whole))
    };
    let Some((tally, events)) = shares(evidence, spare) else { return Vec::new() };
    let message = format!(
        "The white space in {} took {} tokens, {}.",
        count(events.len() as u64, "JSON answer"),
        number(tally.tokens()),
        evidence.share(tally.tokens()),
    );
    vec![Observation::new(evidence.severity(tally.tokens()), message, tally).of_events(events)]
}

fn words_around_json(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut found = Vec::new();
    for answers in AgentAnswers::of(evidence.experiment) {
        let Some(objects) = &answers.objects else { continue };
        let around: HashMap<EventIndex, (usize, usize)> = answers
            .events
            .iter()
            .zip(objects)
            .map(|(event, object)| (*event, (object.n_around, object.n_bytes)))
            .collect();
        let in_words = |event: EventIndex, part: &Part| around.get(&event).copied().filter(|_| is_said(part));
        let Some((tally, events)) = shares(evidence, in_words) else { continue };
        let message = format!(
            "Each of {}’s {} holds one JSON object, and what is said around it took {} tokens, {}.{}",
            answers.agent,
            count(answers.events.len() as u64, "answer"),
            number(tally.tokens()),
            evidence.share(tally.tokens()),
            of_tools(&answers),
        );
        found.push(Observation::new(evidence.severity(tally.tokens()), message, tally).of_events(events));
    }
    found
}

fn long_answers_for_agents(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut found = Vec::new();
    let are_told = |answers: &AgentAnswers| answers.are_for_agents && answers.objects.is_none();
    for answers in AgentAnswers::of(evidence.experiment).into_iter().filter(are_told) {
        let mut tally = Tally::default();
        let mut sizes: BTreeMap<EventIndex, u64> = BTreeMap::new();
        for carried in evidence.sent([PieceKind::Words, PieceKind::Quotation]) {
            let Some(event) = carried.piece.origin.event() else { continue };
            if answers.events.binary_search(&event).is_err()
                || !carried.stored.is_some_and(|(_, part)| is_said(part))
            {
                continue;
            }
            evidence.add(&mut tally, carried);
            let size = sizes.entry(event).or_default();
            *size = (*size).max(u64::from(carried.piece.tokens));
        }
        let average = sizes.values().sum::<u64>() / (sizes.len() as u64).max(1);
        if average < LONG_ANSWER || !evidence.is_worth(tally.tokens()) {
            continue;
        }
        let message = format!(
            "{} gave {} of {} tokens on average that only other agents read: {} tokens in {}, {}. \
             It is the most that a schema can save: what it answers by one is not known before.{}",
            answers.agent,
            count(sizes.len() as u64, "answer"),
            number(average),
            number(tally.tokens()),
            count(tally.n_calls(), "call"),
            evidence.share(tally.tokens()),
            of_tools(&answers),
        );
        found.push(Observation::new(Severity::Info, message, tally).of_events(sizes.into_keys()));
    }
    found
}

/// What an output schema costs an agent that has tools.
fn of_tools(answers: &AgentAnswers) -> &'static str {
    if answers.has_tools {
        " It has tools: by a schema it answers with a call of `set_model_response`, and later prompts hold the call, its \
         result and the answer, unless other agents’ calls are stripped from them."
    } else {
        ""
    }
}

fn is_said(part: &Part) -> bool {
    part.text.is_some() && !part.is_thought()
}

/// What a part of each answer took, given as characters or tokens of so many, and the answers; `None` where it is not worth it.
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
