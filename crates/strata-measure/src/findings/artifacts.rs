//! Files that the model is told of and does not get.

use std::collections::BTreeMap;

use strata_engine::LoggedEvent;
use strata_model::{EventIndex, Origin, Severity, Str, Tool};

use super::evidence::{Caller, Evidence, result_names};
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::phrases::{count, event_name, events, listed};

const TOOL: &str = "load_artifacts";

pub(super) const FAMILY: Family = Family {
    title: "Artifacts",
    rules: &[
        Rule {
            code: "loaded-file-not-shown",
            surprises: &["S20"],
            kind: FindingKind::Loss,
            title: "A file that was loaded and not shown",
            meaning: "The contents of an artifact are inserted only if the result of `load_artifacts` is the last \
                      content. With a static instruction the other instruction stands there, and with `preload_memory` \
                      before it in the list of tools a memory does. The model is told that the file was inserted.",
            advice: "Put `load_artifacts` before `preload_memory`, and do not combine it with `static_instruction` and \
                     `instruction`.",
            look: loaded_file_not_shown,
        },
        Rule {
            code: "rewound-file-listed",
            surprises: &["S39"],
            kind: FindingKind::Trap,
            title: "A file that a rewind removed is still listed",
            meaning: "A rewind overwrites an artifact that did not exist before with an empty one. Its name stays on the \
                      list, and loading it gives nothing.",
            advice: "Save the file again, or delete it through the artifact service.",
            look: rewound_file_listed,
        },
    ],
};

/// What stands behind the result of `load_artifacts` in an agent's requests.
enum Behind {
    Instruction,
    /// If anything is remembered.
    Memories,
}

fn behind_result(caller: &Caller<'_>) -> Option<Behind> {
    let agent = caller.agent;
    let has_static = agent.static_instruction.as_ref().is_some_and(|fixed| fixed.is_set);
    let has_instruction = agent.instruction.as_ref().is_some_and(|instruction| instruction.is_set());
    // Files in the static instruction take the other one with them to the head.
    let is_at_head = caller.calls.iter().any(|call| call.result.request.has_static_contents);
    if has_static && has_instruction && !is_at_head {
        return Some(Behind::Instruction);
    }
    let place = |is: fn(&Tool) -> bool| agent.tools().iter().position(is);
    let memory = place(|tool| matches!(tool, Tool::PreloadMemory))?;
    let files = place(|tool| matches!(tool, Tool::LoadArtifacts))?;
    (memory < files).then_some(Behind::Memories)
}

fn loaded_file_not_shown(evidence: &Evidence<'_>) -> Vec<Observation> {
    let callers = evidence.callers.iter();
    callers
        .filter_map(|caller| {
            let behind = behind_result(caller)?;
            let mut tally = Tally::default();
            let mut loads: Vec<EventIndex> = Vec::new();
            for call in &caller.calls {
                let before = call.event_before(evidence);
                if let Some(load) = before.filter(|load| result_names(&load.event).any(|name| name == TOOL)) {
                    tally.add_call(call.call.number);
                    loads.extend(load.index);
                }
            }
            if loads.is_empty() {
                return None;
            }
            let (severity, why) = match behind {
                Behind::Instruction => {
                    (Severity::Error, "its instruction stands behind the result".to_owned())
                }
                Behind::Memories => {
                    (Severity::Warning, "preload_memory puts what it finds behind the result".to_owned())
                }
            };
            let message = format!(
                "{} loaded files ({}) and did not see them in {}: {why}.",
                caller.agent.name,
                events(&loads),
                count(tally.n_calls(), "call"),
            );
            Some(Observation::new(severity, message, tally).of_events(loads))
        })
        .collect()
}

fn rewound_file_listed(evidence: &Evidence<'_>) -> Vec<Observation> {
    let live: Vec<EventIndex> = evidence.live_events().map(|(at, _)| at).collect();
    let is_live = |at: &EventIndex| live.binary_search(at).is_ok();
    // Names whose first version was rewound, with the last event that saved one.
    let mut gone: BTreeMap<&Str, EventIndex> = BTreeMap::new();
    for logged in evidence.events() {
        let Some(at) = logged.index else { continue };
        for (name, version) in logged.event.actions.artifact_delta.iter() {
            let is_first = version.as_i64() == Some(0);
            if is_live(&at) && logged.event.actions.rewind_before_invocation_id.is_none() {
                gone.remove(name);
            } else if is_first && !name.starts_with("user:") && !is_live(&at) {
                gone.insert(name, at);
            }
        }
    }
    let lists =
        |caller: &Caller<'_>| caller.agent.tools().iter().any(|tool| matches!(tool, Tool::LoadArtifacts));
    let callers: Vec<_> = evidence.callers.iter().filter(|caller| lists(caller)).collect();
    let Some(first) = gone.values().min().copied() else { return Vec::new() };
    let is_rewind = |logged: &LoggedEvent| logged.event.actions.rewind_before_invocation_id.is_some();
    let rewind = evidence.events().range(first.as_usize()..usize::MAX).position(is_rewind);
    let since = rewind.map_or(usize::MAX, |after| first.as_usize() + after);
    let calls = callers.iter().flat_map(|caller| &caller.calls);
    let after_rewind = calls.filter(|call| call.call.n_events() > since);
    let tally = Tally::of_calls(after_rewind.map(|call| call.call.number));
    if tally.n_calls() == 0 {
        return Vec::new();
    }
    let names: Vec<&Str> = gone.keys().copied().collect();
    let message = format!(
        "{} was saved in a turn that a rewind took back ({}), and is still listed in {}.",
        listed(&names),
        event_name(first),
        count(tally.n_calls(), "call"),
    );
    let origins = names.into_iter().map(|name| Origin::Artifact { name: name.clone() });
    vec![Observation::new(Severity::Warning, message, tally).of_events([first]).of_origins(origins)]
}
