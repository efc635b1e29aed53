//! Runs of nodes: what came of each, where it went on, and what it still waits for.

use std::collections::{BTreeMap, HashMap, HashSet};

use strata_engine::Experiment;
use strata_model::{Event, Json, json};

use super::CompiledSession;
use super::carried::ranges;
use crate::api::stores_kept::{NodeRow, NodeState, NodesPage};
use crate::show::words;

/// Characters of an output that are shown.
const MOST: usize = 400;

/// All runs, in the order in which they began; each below the run that it is a part of.
pub(crate) fn nodes_page(of: CompiledSession<'_>) -> NodesPage {
    let events = &of.experiment.session().events;
    let known = Known::of(of.experiment);
    let mut order: Vec<(String, String)> = Vec::new();
    let mut runs: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        let path = event.node_info.path.as_str();
        if path.is_empty() {
            continue;
        }
        let key = (event.invocation_id.to_string(), path.to_owned());
        let of_run = runs.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        of_run.push(at);
    }
    let rows: Vec<NodeRow> = order
        .iter()
        .enumerate()
        .filter_map(|(at, key)| {
            let of_run: Vec<(usize, &Event)> = runs.get(key)?.iter().map(|at| (*at, &*events[*at])).collect();
            Some(row(at as u32 + 1, key, &of_run, &known))
        })
        .collect();
    NodesPage {
        total: rows.len() as u32,
        waiting: rows.iter().filter(|row| row.state == NodeState::Waits).count() as u32,
        gap: rows.is_empty().then(|| {
            if of.has_state() {
                "The events of this session do not say which node they are of: google-adk writes that from 2.0 on.".to_owned()
            } else {
                "What this tool records holds no nodes.".to_owned()
            }
        }),
        rows,
    }
}

/// What runs are told by, of the whole session.
struct Known<'e> {
    /// Ids of the tool calls that have a result.
    answered: HashSet<&'e str>,
    /// The calls of models by the places of their answers.
    calls: HashMap<usize, u32>,
    /// What agents were given as nodes, by the places of their answers.
    inputs: HashMap<usize, String>,
    /// Turns by their invocations.
    turns: HashMap<&'e str, u32>,
}

impl<'e> Known<'e> {
    fn of(experiment: &'e Experiment) -> Self {
        let events = &experiment.session().events;
        let answered = events
            .iter()
            .flat_map(|event| event.function_responses().filter_map(|answer| answer.id.as_deref()));
        let mut known = Self {
            answered: answered.collect(),
            calls: HashMap::new(),
            inputs: HashMap::new(),
            turns: HashMap::new(),
        };
        for call in experiment.calls() {
            known.calls.insert(call.answer.as_usize(), call.number);
            if let Some((_, given)) = &call.input {
                let texts = given.event.parts().iter().filter_map(|part| part.text.as_deref());
                let text = texts.collect::<Vec<_>>().join("\n");
                known.inputs.insert(call.answer.as_usize(), words::row(&text, MOST));
            }
            known.turns.entry(&*call.invocation.invocation_id).or_insert(call.turn);
        }
        known
    }
}

fn row(
    number: u32,
    (invocation, path): &(String, String),
    events: &[(usize, &Event)],
    known: &Known<'_>,
) -> NodeRow {
    let last_name = path.rsplit('/').next().unwrap_or(path);
    let (name, run) = last_name.split_once('@').unwrap_or((last_name, ""));
    let (first, last) = (events.first(), events.last());
    let interrupts: Vec<String> = events
        .iter()
        .flat_map(|(_, event)| event.long_running_tool_ids.iter().flatten())
        .filter(|id| !known.answered.contains(&***id))
        .map(ToString::to_string)
        .collect();
    let failed =
        events.iter().find_map(|(_, event)| event.error_message.as_deref().or(event.error_code.as_deref()));
    let output =
        events.iter().rev().find_map(|(_, event)| event.output.as_ref().filter(|output| !output.is_null()));
    let route = events.iter().rev().find_map(|(_, event)| event.actions.route.as_ref());
    let calls: Vec<u32> = events.iter().filter_map(|(at, _)| known.calls.get(at).copied()).collect();
    let state = if failed.is_some() {
        NodeState::Failed
    } else if interrupts.is_empty() {
        NodeState::Done
    } else {
        NodeState::Waits
    };
    NodeRow {
        number,
        path: path.clone(),
        name: name.to_owned(),
        run: run.to_owned(),
        depth: path.matches('/').count() as u32,
        turn: known.turns.get(&**invocation).copied(),
        events: events.len() as u32,
        first_event: first.map_or(0, |(at, _)| *at as u32 + 1),
        last_event: last.map_or(0, |(at, _)| *at as u32 + 1),
        n_calls: calls.len() as u32,
        calls: ranges(calls.into_iter()),
        seconds: match (first, last) {
            (Some((_, first)), Some((_, last))) => (last.timestamp - first.timestamp).max(0.0),
            _ => 0.0,
        },
        state,
        input: events.iter().find_map(|(at, _)| known.inputs.get(at).cloned()),
        output: output.map(shown),
        route: route.map(shown),
        interrupts,
        problem: failed.map(|problem| words::row(problem, MOST)),
    }
}

fn shown(value: &Json) -> String {
    let text = value.as_str().map_or_else(|| json::to_compact(value), str::to_owned);
    words::row(&text, MOST)
}
