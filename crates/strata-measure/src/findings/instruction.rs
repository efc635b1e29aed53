//! Instructions: their templates, and where they stand.

use strata_engine::{Facts, Piece, Template};
use strata_model::app::Instruction;
use strata_model::{Agent, InstructionKind, Json, Origin, Severity, Str};

use super::carried::{CarriedPiece, PieceKind};
use super::evidence::{Caller, Evidence, SeenCall};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::phrases::{count, listed, number};

pub(super) const FAMILY: Family = Family {
    title: "Instructions",
    rules: &[
        Rule {
            code: "instruction-in-tool-loop",
            surprises: &["S19"],
            kind: FindingKind::Bloat,
            title: "The instruction is sent again after each result",
            meaning: "With a static instruction the other one stands at the end of each request. It spares the prefix, \
                      and is never part of it: every call of a tool loop pays for it in full.",
            advice: "Keep `instruction` to what really changes and move the rest into `static_instruction`.",
            look: instruction_in_tool_loop,
        },
        Rule {
            code: "braces-not-escaped",
            surprises: &["S29"],
            kind: FindingKind::Trap,
            title: "Doubled braces are filled too",
            meaning: "`{{name}}` is no escape in ADK's templates. It is filled like `{name}`, and stops the run when \
                      there is no such key.",
            advice: "Write `${name}` or `\\{name}` to show braces, or give the text from an instruction provider.",
            look: braces_not_escaped,
        },
        Rule {
            code: "state-printed-as-python",
            surprises: &["S29"],
            kind: FindingKind::Trap,
            title: "State shown as Python prints it",
            meaning: "A list or a mapping in a template appears as Python's repr: single quotes, `None`, `True`. Models \
                      that copy it write broken JSON.",
            advice: "Store the value as text (`json.dumps`), or only the field that is shown.",
            look: state_printed_as_python,
        },
        Rule {
            code: "provider-not-filled",
            surprises: &["S51"],
            kind: FindingKind::Trap,
            title: "Placeholders in the text of a provider",
            meaning: "What an instruction provider returns is sent as it is. Placeholders work only in instructions \
                      that are plain strings.",
            advice: "Fill the text in the provider, or call `inject_session_state` there.",
            look: provider_not_filled,
        },
    ],
};

fn instruction_in_tool_loop(evidence: &Evidence<'_>) -> Vec<Observation> {
    let is_after_result = |call: &&SeenCall<'_>| {
        call.event_before(evidence).is_some_and(|logged| logged.is(Facts::HAS_RESPONSES))
    };
    let after_results = evidence.calls.iter().filter(is_after_result).map(|call| call.call.number);
    let after_results = Tally::of_calls(after_results).calls();
    let is_instruction = |sent: &&CarriedPiece<'_>| {
        let is_alone = sent.content.is_some_and(|content| content.pieces.len() == 1);
        is_alone
            && match &sent.piece.origin {
                Origin::Processor { name } => &**name == "instructions",
                Origin::Instruction { kind, .. } => *kind == InstructionKind::Dynamic,
                Origin::State { .. } => true,
                _ => false,
            }
    };
    let mut tally = Tally::default();
    for sent in evidence.sent([PieceKind::Runtime]).filter(is_instruction) {
        evidence.add_in(&mut tally, sent, &after_results);
    }
    let tokens = tally.tokens();
    if !evidence.is_worth(tokens) {
        return Vec::new();
    }
    let message = format!(
        "The instruction of {} was sent again after each result: {} tokens in {}.",
        listed(&evidence.agents_of(&tally)),
        number(tokens),
        count(tally.n_calls(), "call"),
    );
    vec![Observation::new(evidence.severity(tokens), message, tally)]
}

/// The instructions of an agent that made calls, the app's included.
fn instructions<'e>(evidence: &Evidence<'e>, caller: &Caller<'e>) -> Vec<&'e Instruction> {
    let index = evidence.experiment.index();
    let root: &Agent = index.agent(index.root(caller.id));
    [root.global_instruction.as_ref(), caller.agent.instruction.as_ref()].into_iter().flatten().collect()
}

fn placeholders(text: &str) -> Vec<Str> {
    let pieces = Template::parse(text).pieces.into_iter();
    let mut keys: Vec<Str> = pieces
        .filter_map(|piece| match piece {
            Piece::State { key, .. } => Some(key),
            Piece::Literal(_) | Piece::Artifact { .. } => None,
        })
        .collect();
    keys.sort();
    keys.dedup();
    keys
}

fn templates<'e>(evidence: &Evidence<'e>, caller: &Caller<'e>) -> Vec<&'e Str> {
    let all = instructions(evidence, caller).into_iter();
    all.filter_map(|instruction| match instruction {
        Instruction::Template(text) => Some(text),
        Instruction::Provider { .. } => None,
    })
    .collect()
}

/// A finding of each agent whose instructions hold such keys.
fn of_keys(
    evidence: &Evidence<'_>,
    keys: impl Fn(&Caller<'_>) -> Vec<Str>,
    severity: Severity,
    say: impl Fn(&str, &str) -> String,
) -> Vec<Observation> {
    let callers = evidence.callers.iter();
    callers
        .filter_map(|caller| {
            let mut found = keys(caller);
            found.sort();
            found.dedup();
            if found.is_empty() {
                return None;
            }
            let message = say(&caller.agent.name, &listed(&found));
            let origins = found.into_iter().map(|key| Origin::State { key });
            Some(Observation::new(severity, message, caller.tally()).of_origins(origins))
        })
        .collect()
}

fn braces_not_escaped(evidence: &Evidence<'_>) -> Vec<Observation> {
    let doubled = |text: &Str| -> Vec<Str> {
        let is_doubled = |key: &Str| {
            text.match_indices("{{").any(|(at, _)| {
                let inner = text[at..].trim_start_matches('{').trim_start();
                inner
                    .strip_prefix(&**key)
                    .is_some_and(|rest| rest.trim_start_matches('?').trim_start().starts_with("}}"))
            })
        };
        placeholders(text).into_iter().filter(is_doubled).collect()
    };
    of_keys(
        evidence,
        |caller| templates(evidence, caller).into_iter().flat_map(doubled).collect(),
        Severity::Warning,
        |agent, keys| {
            format!(
                "The instruction of {agent} doubles the braces around {keys}, and the values are filled in all the same."
            )
        },
    )
}

fn state_printed_as_python(evidence: &Evidence<'_>) -> Vec<Observation> {
    let is_structured = |key: &Str, caller: &Caller<'_>| {
        let states = evidence.experiment.states();
        caller.calls.iter().any(|call| {
            let value = states.at(call.call.n_events()).get(key);
            matches!(value.known(), Some(Json::Object(_) | Json::Array(_)))
        })
    };
    of_keys(
        evidence,
        |caller| {
            let keys = templates(evidence, caller).into_iter().flat_map(|text| placeholders(text));
            keys.filter(|key| is_structured(key, caller)).collect()
        },
        Severity::Info,
        |agent, keys| {
            format!(
                "The instruction of {agent} shows {keys} as Python prints lists and mappings, which is no JSON."
            )
        },
    )
}

fn provider_not_filled(evidence: &Evidence<'_>) -> Vec<Observation> {
    // Braces alone may be meant; a name that the state has is not.
    let known = evidence.experiment.states().keys();
    of_keys(
        evidence,
        |caller| {
            let texts =
                instructions(evidence, caller).into_iter().filter_map(|instruction| match instruction {
                    Instruction::Provider { text, .. } => Some(text),
                    Instruction::Template(_) => None,
                });
            texts.flat_map(|text| placeholders(text)).filter(|key| known.contains(key)).collect()
        },
        Severity::Warning,
        |agent, keys| {
            format!(
                "The provider of the instruction of {agent} returns {keys} in braces, and the model is sent the braces."
            )
        },
    )
}
