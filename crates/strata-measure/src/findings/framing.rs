//! What quoting other agents costs.

use std::collections::BTreeMap;

use strata_engine::adk_text::{QUOTE_BEGIN, QUOTE_END};
use strata_model::{Origin, Str};

use super::carried::{Carriers, PieceKind};
use super::evidence::{Evidence, SeenCall, is_call_of, is_result_of};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::analysis::Piece;
use crate::phrases::{count, listed, number};

pub(super) const FAMILY: Family = Family {
    title: "Other agents' words",
    rules: &[
        Rule {
            code: "quotation-frames",
            surprises: &["S01"],
            kind: FindingKind::Bloat,
            title: "Frames around other agents' words",
            meaning: "Every event of another agent is introduced by the same paragraph of 409 characters, and each \
                      of its parts stands between two markers. Events that follow each other are not merged.",
            advice: "Give specialists `include_contents: none` and hand them what they need, run them as tools, or \
                     strip what other agents' tools did before the call.",
            look: quotation_frames,
        },
        Rule {
            code: "transfer-residue",
            surprises: &["S02"],
            kind: FindingKind::Bloat,
            title: "Hand-overs that stay in the history",
            meaning: "A hand-over leaves a call and an empty result, and both are quoted, each with its frame, in every \
                      later request of the other agents.",
            advice: "Strip transfer events before the call, hand over less often, or call the specialist as a tool.",
            look: transfer_residue,
        },
        Rule {
            code: "quoted-tool-results",
            surprises: &["S03"],
            kind: FindingKind::Bloat,
            title: "Other agents' tool results in full",
            meaning: "What an agent's tools returned is quoted to all other agents as Python prints it, however long \
                      it is. Nothing is cut.",
            advice: "Cap rows where the tool returns them, keep results in artifacts or state and pass on a summary, \
                     or give the reader `include_contents: none`.",
            look: quoted_tool_results,
        },
        Rule {
            code: "parallel-branches-joined",
            surprises: &["S04", "S40"],
            kind: FindingKind::Bloat,
            title: "All parallel branches, side by side",
            meaning: "Branches hide siblings from each other only. An agent without a branch, such as the one after a \
                      parallel agent, sees all of them with every tool call.",
            advice: "Let each branch put its result into state with `output_key`, and give the agent behind them \
                     `include_contents: none` and an instruction that shows these keys.",
            look: parallel_branches_joined,
        },
    ],
};

fn quotation_frames(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut tally = Tally::default();
    for sent in evidence.sent([PieceKind::Runtime]).filter(|sent| is_preamble(sent.piece)) {
        evidence.add(&mut tally, sent);
    }
    let n_contents = tally.n_calls();
    if n_contents == 0 {
        return Vec::new();
    }
    let marker_tokens = marker_tokens(evidence);
    for sent in evidence.sent([PieceKind::Quotation]) {
        tally.add_share(&evidence.models, sent, evidence.carriers(sent), marker_tokens);
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    let message = format!(
        "Paragraphs and markers around other agents' words took {} tokens ({}) in {}, read by {}.",
        number(tokens),
        evidence.share(tokens),
        count(tally.n_calls(), "call"),
        listed(&evidence.agents_of(&tally)),
    );
    let origin = Origin::processor("contents");
    vec![Observation::new(evidence.severity(tokens), message, tally).of_origins([origin])]
}

fn is_preamble(piece: &Piece) -> bool {
    matches!(&piece.origin, Origin::Processor { name } if &**name == "contents")
}

/// What the two markers around a quotation weigh, for the first model. Those of other vocabularies differ by a token.
fn marker_tokens(evidence: &Evidence<'_>) -> u32 {
    let scale = evidence.first_scale();
    let weigh = |text: &str| scale.as_ref().map_or(0, |scale| scale.weigher().text(text).tokens);
    weigh(QUOTE_BEGIN) + weigh(QUOTE_END)
}

fn transfer_residue(evidence: &Evidence<'_>) -> Vec<Observation> {
    let is_transfer = |piece: &Piece| {
        let stored = evidence.stored(&piece.origin);
        stored.is_some_and(|(_, part)| {
            is_call_of(part, "transfer_to_agent") || is_result_of(part, "transfer_to_agent")
        })
    };
    let mut events = Vec::new();
    let mut tally = Tally::default();
    for sent in evidence.sent([PieceKind::Quotation, PieceKind::Runtime]) {
        let Some(content) = sent.content else { continue };
        // The frame goes with the hand-over it introduces.
        let mut quoted = content.pieces.iter().filter(|piece| piece.is_quoted).peekable();
        if quoted.peek().is_some() && quoted.all(is_transfer) {
            evidence.add(&mut tally, sent);
            events.extend(sent.piece.origin.event());
        }
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    let (n_calls, readers) = (tally.n_calls(), listed(&evidence.agents_of(&tally)));
    let seen = Observation::new(evidence.severity(tokens), String::new(), tally).of_events(events);
    let message = format!(
        "{} of hand-overs were quoted in {} of {readers}: {} tokens that say only who spoke next.",
        count(seen.events.len() as u64, "event"),
        count(n_calls, "call"),
        number(tokens),
    );
    vec![Observation { message, ..seen }]
}

/// What one agent's tools cost its readers.
#[derive(Default)]
struct Quoted {
    tally: Tally,
    by_tool: BTreeMap<Str, u64>,
    events: Vec<strata_model::EventIndex>,
}

fn quoted_tool_results(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut by_author: BTreeMap<Str, Quoted> = BTreeMap::new();
    for sent in evidence.sent([PieceKind::Quotation]) {
        let Some((event, part)) = sent.stored else { continue };
        let Some(name) = part.function_response.as_ref().and_then(|response| response.name.clone()) else {
            continue;
        };
        if &*name == "transfer_to_agent" {
            continue;
        }
        let quoted = by_author.entry(event.author.clone()).or_default();
        evidence.add(&mut quoted.tally, sent);
        let n_calls = evidence.carriers(sent).n_calls();
        *quoted.by_tool.entry(name).or_default() += n_calls * u64::from(sent.piece.tokens);
        quoted.events.extend(sent.piece.origin.event());
    }
    let worth = by_author.into_iter().filter(|(_, quoted)| evidence.is_worth(quoted.tally.tokens()));
    worth
        .map(|(author, quoted)| {
            let tokens = quoted.tally.tokens();
            let mut tools: Vec<(Str, u64)> = quoted.by_tool.into_iter().collect();
            tools.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
            let tools: Vec<String> =
                tools.iter().map(|(name, tokens)| format!("{name} {}", number(*tokens))).collect();
            let message = format!(
                "What tools returned to {author} was quoted in full to {}: {} tokens in {} ({}).",
                listed(&evidence.agents_of(&quoted.tally)),
                number(tokens),
                count(quoted.tally.n_calls(), "call"),
                listed(&tools),
            );
            Observation::new(evidence.severity(tokens), message, quoted.tally).of_events(quoted.events)
        })
        .collect()
}

/// Parallel work that somebody outside of it read.
#[derive(Default)]
struct Joined {
    tally: Tally,
    branches: Vec<Str>,
    events: Vec<strata_model::EventIndex>,
}

fn parallel_branches_joined(evidence: &Evidence<'_>) -> Vec<Observation> {
    let mut by_parent: BTreeMap<String, Joined> = BTreeMap::new();
    let outside = evidence.calls.iter().filter(|call| !is_on_a_branch(call));
    let outside = Tally::of_calls(outside.map(|call| call.call.number)).calls();
    let mut last: Option<(usize, Carriers)> = None;
    for sent in evidence.sent([PieceKind::Quotation]) {
        let Some((event, _)) = sent.stored else { continue };
        let Some(branch) = event.branch.as_ref().filter(|branch| !branch.is_empty()) else { continue };
        let (_, readers) = match last.take().filter(|(together, _)| *together == sent.together) {
            Some(known) => last.insert(known),
            None => last.insert((sent.together, evidence.carriers(sent).only(&evidence.models, &outside))),
        };
        if readers.runs.is_empty() {
            continue;
        }
        let parent = branch.rsplit_once('.').map_or("", |(parent, _)| parent);
        let joined = by_parent.entry(parent.to_owned()).or_default();
        joined.tally.add_carried(&evidence.models, sent, readers);
        joined.events.extend(sent.piece.origin.event());
        if !joined.branches.contains(branch) {
            joined.branches.push(branch.clone());
        }
    }
    let siblings = by_parent.into_values().filter(|joined| joined.branches.len() > 1);
    siblings
        .filter(|joined| evidence.is_worth(joined.tally.tokens()))
        .map(|joined| {
            let tokens = joined.tally.tokens();
            let message = format!(
                "{} has no branch, so it read everything the parallel branches {} did: {} tokens in {}.",
                listed(&evidence.agents_of(&joined.tally)),
                listed(&joined.branches),
                number(tokens),
                count(joined.tally.n_calls(), "call"),
            );
            Observation::new(evidence.severity(tokens), message, joined.tally).of_events(joined.events)
        })
        .collect()
}

fn is_on_a_branch(call: &SeenCall<'_>) -> bool {
    call.call.invocation.branch.as_deref().is_some_and(|branch| !branch.is_empty())
}
