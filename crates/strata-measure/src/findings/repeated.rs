//! Things that are sent again and again.

use std::collections::{BTreeMap, HashMap};

use strata_model::{EventIndex, Origin, Severity, Tool};

use super::carried::{CarriedPiece, PieceKind};
use super::evidence::{Evidence, is_call_of, is_result_of};
use super::finding::FindingKind;
use super::forgotten::ForgettingCalls;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::phrases::{count, events, listed, number, times};

/// Calls of one turn from which on searching memory anew each time adds up.
const MANY_CALLS: usize = 3;

/// The key under which ADK's `MultimodalToolResultsPlugin` keeps media in a session's state.
const KEPT_MEDIA: &str = "multimodal_tool_results_plugin:PARTS_RETURNED_BY_TOOLS_ID";

pub(super) const FAMILY: Family = Family {
    title: "Sent again and again",
    rules: &[
        Rule {
            code: "memories-stay",
            surprises: &["S05"],
            kind: FindingKind::Bloat,
            title: "Memories that became history",
            meaning: "What `load_memory` finds is a tool result: words of past sessions are part of this session from \
                      then on.",
            advice: "Return fewer and shorter memories, or compact the history after the turn that needed them.",
            look: |evidence| stays(evidence, "load_memory", "memories that were found"),
        },
        Rule {
            code: "memories-preloaded-each-call",
            surprises: &["S05"],
            kind: FindingKind::Bloat,
            title: "Memory searched at every call of a turn",
            meaning: "`preload_memory` searches with the user's words before every model call of the turn and inserts \
                      what it finds each time. Nothing of it is stored.",
            advice: "Use `load_memory` for agents that call many tools in a turn.",
            look: memories_preloaded,
        },
        Rule {
            code: "skills-stay",
            surprises: &["S49"],
            kind: FindingKind::Bloat,
            title: "Skills that stay loaded",
            meaning: "The text of a skill is the result of `load_skill` and stays in the history after the work it was \
                      loaded for.",
            advice: "Keep SKILL.md short and put details into files of the skill, or switch on the skill lifecycle \
                     and accept that it changes the history.",
            look: |evidence| stays(evidence, "load_skill", "skills that were loaded"),
        },
        Rule {
            code: "structured-answer-thrice",
            surprises: &["S07"],
            kind: FindingKind::Bloat,
            title: "Structured answers three times",
            meaning: "With tools and an output schema an answer is the arguments of `set_model_response`, its result, \
                      and a text. All three are history.",
            advice: "Use a model that combines a response schema with tools, or let a second agent without tools \
                     give the answer its form.",
            look: structured_answer_thrice,
        },
        Rule {
            code: "thoughts-resent",
            surprises: &["S08"],
            kind: FindingKind::Bloat,
            title: "Old thoughts sent again",
            meaning: "An agent's thoughts that stand beside text or calls are sent back to it with every later call. \
                      With the PlanReAct planner they even become plain text.",
            advice: "Drop thoughts of earlier turns in a callback before the call, or do not ask for thoughts.",
            look: thoughts_resent,
        },
        Rule {
            code: "media-attached-forever",
            surprises: &["S48"],
            kind: FindingKind::Bloat,
            title: "Media attached to every request",
            meaning: "`MultimodalToolResultsPlugin` in session scope attaches what tools returned to the last content \
                      of every request, for good. The recording does not hold the media, so prompts here are smaller \
                      than they were.",
            advice: "Use the plugin in its default scope, the invocation.",
            look: media_attached_forever,
        },
    ],
};

/// Results of a tool in all calls but the first that read them.
fn stays(evidence: &Evidence<'_>, tool: &str, what: &str) -> Vec<Observation> {
    let mut read_in: HashMap<&Origin, u32> = HashMap::new();
    let mut tally = Tally::default();
    let mut results: Vec<EventIndex> = Vec::new();
    for sent in evidence.sent([PieceKind::Result, PieceKind::Quotation]) {
        if !sent.stored.is_some_and(|(_, part)| is_result_of(part, tool)) {
            continue;
        }
        let first = *read_in.entry(&sent.piece.origin).or_insert(evidence.carriers(sent).first_call());
        evidence.add_from(&mut tally, sent, first + 1);
        results.extend(sent.piece.origin.event());
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    let n_calls = tally.n_calls();
    let seen = Observation::new(evidence.severity(tokens), String::new(), tally).of_events(results);
    let message = format!(
        "{} by {tool} ({}) went on being sent after the call that asked: {} tokens in {}.",
        capitalised(what),
        events(&seen.events),
        number(tokens),
        count(n_calls, "call"),
    );
    vec![Observation { message, ..seen }]
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn memories_preloaded(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut found = Vec::new();
    for caller in &evidence.callers {
        if !caller.agent.tools().iter().any(|tool| matches!(tool, Tool::PreloadMemory)) {
            continue;
        }
        let mut by_turn: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for call in &caller.calls {
            by_turn.entry(call.call.turn).or_default().push(call.call.number);
        }
        by_turn.retain(|_, calls| calls.len() >= MANY_CALLS);
        let repeated: Vec<u32> = by_turn.values().flat_map(|calls| &calls[1..]).copied().collect();
        if repeated.is_empty() {
            continue;
        }
        let in_repeated = Tally::of_calls(repeated.iter().copied()).calls();
        let mut tally = Tally::default();
        let is_memory = |sent: &&CarriedPiece<'_>| {
            sent.content.is_some()
                && match &sent.piece.origin {
                    Origin::Memory { .. } => true,
                    Origin::Tool { name } => &**name == "preload_memory",
                    _ => false,
                }
        };
        for sent in evidence.sent([PieceKind::Runtime]).filter(is_memory) {
            evidence.add_in(&mut tally, sent, &in_repeated);
        }
        for call in &repeated {
            tally.add_call(*call);
        }
        let message = format!(
            "{} has preload_memory and searched memory again for the same words {}, in turns of up to {}.",
            caller.agent.name,
            times(repeated.len() as u64),
            count(by_turn.values().map(Vec::len).max().unwrap_or(0) as u64, "call"),
        );
        let origin = Origin::Tool { name: "preload_memory".into() };
        found.push(Observation::new(Severity::Info, message, tally).of_origins([origin]));
    }
    found
}

fn structured_answer_thrice(evidence: &Evidence<'_>) -> Vec<Observation> {
    const TOOL: &str = "set_model_response";
    let mut answers = Vec::new();
    let mut tally = Tally::default();
    for sent in evidence.sent([PieceKind::Call, PieceKind::Result, PieceKind::Quotation]) {
        let Some((_, part)) = sent.stored else { continue };
        if is_call_of(part, TOOL) || is_result_of(part, TOOL) {
            evidence.add(&mut tally, sent);
            answers.extend(sent.piece.origin.event());
        }
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    let message = format!(
        "Answers of {} are in the history as a text, and twice more as call and result of {TOOL}: {} tokens in {}.",
        listed(&evidence.agents_of(&tally)),
        number(tokens),
        count(tally.n_calls(), "call"),
    );
    vec![Observation::new(evidence.severity(tokens), message, tally).of_events(answers)]
}

fn thoughts_resent(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut sources = Vec::new();
    let mut tally = Tally::default();
    let forgetting = ForgettingCalls::of(evidence);
    for sent in evidence.sent([PieceKind::Thought]) {
        let before = tally.tokens();
        match &forgetting {
            Some(forgetting) => evidence.add_in(&mut tally, sent, &forgetting.calls_with(sent)),
            None => evidence.add(&mut tally, sent),
        }
        sources.extend(sent.piece.origin.event().filter(|_| tally.tokens() > before));
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    let agents = evidence.agents_of(&tally);
    let seen = Observation::new(evidence.severity(tokens), String::new(), tally).of_events(sources);
    let without = forgetting.map_or_else(String::new, |forgetting| {
        format!(
            " Thoughts of earlier turns are not counted: {} leaves them out by itself.",
            listed(&forgetting.models)
        )
    });
    let message = format!(
        "{} read thoughts of {} again: {} tokens, {}.{without}",
        listed(&agents),
        count(seen.events.len() as u64, "earlier answer"),
        number(tokens),
        evidence.share(tokens),
    );
    vec![Observation { message, ..seen }]
}

fn media_attached_forever(evidence: &Evidence<'_>) -> Vec<Observation> {
    let is_kept_at_end = evidence.experiment.session().state.contains_key(KEPT_MEDIA);
    let states = evidence.experiment.states();
    let writes: Vec<EventIndex> = states.writes(KEPT_MEDIA).map(|(event, _)| *event).collect();
    if !is_kept_at_end && writes.is_empty() {
        return Vec::new();
    }
    let since = writes.first().copied();
    let all = || Tally::of_calls(evidence.calls.iter().map(|call| call.call.number));
    let tally = since.map_or_else(all, |event| evidence.calls_after(event));
    let message = format!(
        "State holds media that tools returned, and they were attached to {} without being shown here.",
        count(tally.n_calls(), "request"),
    );
    let origin = Origin::State { key: KEPT_MEDIA.into() };
    vec![Observation::new(Severity::Warning, message, tally).of_events(writes).of_origins([origin])]
}
