//! What may happen between two messages of the user.

use strata_model::{Json, Object};

use super::agents::Cast;
use super::history::{History, OpenCall};
use super::parts::{call, response, response_with_media, spoken, text_part};
use super::texts::{data, text};
use super::tools::TOOL_NAMES;
use crate::dice::{Dice, json, object};

type Step = fn(&mut Dice, &Cast, &mut History);

const STEPS: &[(usize, Step)] = &[
    (20, speak),
    (30, call_and_answer),
    (8, leave_open),
    (10, answer_late),
    (6, transfer),
    (8, summarise),
    (5, rewind),
    (3, change_state),
    (5, ask_approval),
    (2, ask_credential),
    (3, transcribe),
    (2, answer_nothing),
    (4, load_artifacts),
    (2, run_code),
    (2, call_and_answer_at_once),
];

/// Steps of sessions that are all about calls and their answers.
const PAIRING_STEPS: &[(usize, Step)] = &[
    (3, speak),
    (4, call_and_answer),
    (4, leave_open),
    (8, answer_late),
    (3, call_and_answer_at_once),
    (3, summarise),
    (2, rewind),
];

pub(crate) fn step(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let steps = if history.habits.is_about_pairing { PAIRING_STEPS } else { STEPS };
    let step = dice.weighted(steps);
    step(dice, cast, history);
}

fn agent(dice: &mut Dice, cast: &Cast) -> &'static str {
    if dice.chance(3) { "stranger" } else { dice.word(&cast.names) }
}

fn speak(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let agent = agent(dice, cast);
    let parts = dice.several(1, 3, spoken);
    let event = history.event(dice, agent, "model", parts);
    history.push(dice, event);
}

fn call_id(dice: &mut Dice, history: &History) -> Json {
    if history.habits.is_about_pairing {
        return dice.maybe(90, |dice| dice.word(&["adk-1", "c1", "c2", "c3"]));
    }
    match dice.between(0, 19) {
        0..9 => format!("adk-{}", history.calls.len() + 1).into(),
        9..14 => format!("c{}", history.calls.len() + 1).into(),
        14 => Json::Null,
        15 => "".into(),
        16 => "adk-".into(),
        // Ids come back, as providers reuse them.
        _ => dice.word(&["adk-1", "c1", "c2"]).into(),
    }
}

/// An event with one call or several, which are open from then on.
fn open_calls(dice: &mut Dice, cast: &Cast, history: &mut History) -> Vec<OpenCall> {
    let agent = agent(dice, cast);
    let n_calls = *dice.weighted(&[(7, 1), (3, 2), (1, 3)]);
    let mut opened = Vec::new();
    let mut parts = Vec::new();
    if dice.chance(25) {
        parts.push(spoken(dice));
    }
    for _ in 0..n_calls {
        let id = call_id(dice, history);
        let name = dice.word(TOOL_NAMES);
        let args = dice.maybe(90, |dice| data(dice, 2));
        let mut part = call(&id, name, args.clone());
        if let Json::Object(part) = &mut part
            && dice.chance(8)
        {
            part.push(dice.word(&["thought", "thought"]), true);
            part.push("thoughtSignature", "c2ln");
        }
        parts.push(part);
        let open = OpenCall { id, name: name.to_owned(), args, agent };
        history.calls.push(open.clone());
        opened.push(open);
    }
    if dice.chance(5) {
        parts.push(spoken(dice));
    }
    let mut event = history.event(dice, agent, "model", parts);
    if dice.chance(30) {
        let long_running: Vec<Json> = opened
            .iter()
            .filter(|open| !open.id.is_null() && dice.chance(60))
            .map(|open| open.id.clone())
            .collect();
        event.push("longRunningToolIds", long_running);
    }
    history.push(dice, event);
    opened
}

fn answer(dice: &mut Dice, history: &mut History, answered: &[OpenCall], author: &str) {
    let mut parts: Vec<Json> = answered
        .iter()
        .map(|open| {
            let name = if dice.chance(3) { "renamed" } else { &open.name };
            if dice.chance(5) {
                return response_with_media(dice, &open.id, name);
            }
            response(&open.id, name, dice.maybe(95, |dice| data(dice, 2)))
        })
        .collect();
    if dice.chance(4) {
        parts.insert(dice.between(0, parts.len()), spoken(dice));
    }
    let mut event = history.event(dice, author, "user", parts);
    if dice.chance(5) {
        event.push("actions", object([("skipSummarization", true.into())]));
    }
    history.push(dice, event);
}

fn call_and_answer(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let opened = open_calls(dice, cast, history);
    let Some(first) = opened.first() else { return };
    let agent = first.agent;
    match dice.between(0, 9) {
        0..6 => answer(dice, history, &opened, agent),
        6 => opened.iter().for_each(|open| answer(dice, history, std::slice::from_ref(open), agent)),
        7 => opened.iter().rev().for_each(|open| answer(dice, history, std::slice::from_ref(open), agent)),
        // Some stay open.
        8 => answer(dice, history, &opened[..1], agent),
        _ => {
            answer(dice, history, &opened, agent);
            answer(dice, history, &opened[..1], agent);
        }
    }
}

fn leave_open(dice: &mut Dice, cast: &Cast, history: &mut History) {
    open_calls(dice, cast, history);
}

/// Calls and answers in one event, which providers never make.
fn call_and_answer_at_once(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let agent = agent(dice, cast);
    let parts = dice.several(1, 4, |dice| {
        let (id, name) = (call_id(dice, history), dice.word(TOOL_NAMES));
        match dice.between(0, 4) {
            0 | 1 => call(&id, name, data(dice, 1).into()),
            2 | 3 => response(&id, name, data(dice, 1).into()),
            _ => spoken(dice),
        }
    });
    let author = if dice.chance(20) { "user" } else { agent };
    let role = dice.word(&["model", "user"]);
    let event = history.event(dice, author, role, parts);
    history.push(dice, event);
}

/// Answers calls of the past, by their agent, the user or somebody else, or calls nobody made.
fn answer_late(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let n_answers = *dice.weighted(&[(6, 1), (2, 2)]);
    let mut answered = Vec::new();
    for _ in 0..n_answers {
        if history.calls.is_empty() || dice.chance(8) {
            let (id, name) = ("unknown".into(), "search".to_owned());
            answered.push(OpenCall { id, name, args: Json::Null, agent: "root" });
        } else {
            answered.push(dice.pick(&history.calls).clone());
        }
    }
    let author = match dice.between(0, 9) {
        0..5 => answered[0].agent,
        5..9 => "user",
        _ => agent(dice, cast),
    };
    answer(dice, history, &answered, author);
}

fn transfer(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let (from, to) = (agent(dice, cast), agent(dice, cast));
    let id: Json = format!("adk-t{}", history.events.len()).into();
    let args = json([("agent_name", to.into())]);
    let event = history.event(dice, from, "model", vec![call(&id, "transfer_to_agent", args)]);
    history.push(dice, event);
    let result: Json = Object::from_iter([("result", Json::Null)]).into();
    let mut event = history.event(dice, from, "user", vec![response(&id, "transfer_to_agent", result)]);
    event.push("actions", object([("transferToAgent", to.into())]));
    history.push(dice, event);
    if dice.chance(50) {
        let parts = vec![text_part(&text(dice))];
        let event = history.event(dice, to, "model", parts);
        history.push(dice, event);
    }
}

/// A summary of a range of the past; ranges overlap, contain each other and end before they begin.
fn summarise(dice: &mut Dice, _: &Cast, history: &mut History) {
    if !history.habits.has_summaries || history.events.is_empty() {
        return;
    }
    let time_of = |event: &Json| event.get("timestamp").and_then(Json::as_f64).unwrap_or_default();
    let start = time_of(dice.pick(&history.events));
    let end = if dice.chance(40) {
        history.events.last().map(time_of).unwrap_or_default()
    } else {
        time_of(dice.pick(&history.events))
    };
    let (start, end) = if dice.chance(92) { (start.min(end), start.max(end)) } else { (start, end) };
    let role = dice.word(&["model", "model", "model", "user"]);
    let summary = json([("role", role.into()), ("parts", dice.several(0, 2, spoken).into())]);
    let mut event = if dice.chance(5) {
        let parts = dice.several(1, 2, spoken);
        history.event(dice, "user", "user", parts)
    } else {
        history.empty_event(dice, "user")
    };
    let compaction = json([
        ("startTimestamp", Json::Float(start)),
        ("endTimestamp", Json::Float(end)),
        ("compactedContent", summary),
    ]);
    event.push("actions", object([("compaction", compaction)]));
    history.push(dice, event);
}

fn rewind(dice: &mut Dice, _: &Cast, history: &mut History) {
    if !history.habits.has_rewinds {
        return;
    }
    let target = history.earlier_invocation(dice);
    let mut event = history.empty_event(dice, "user");
    event.push("actions", object([("rewindBeforeInvocationId", target.into())]));
    history.push(dice, event);
}

fn change_state(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let agent = agent(dice, cast);
    let mut event = history.empty_event(dice, agent);
    event.push("actions", object([("stateDelta", data(dice, 1).into())]));
    history.push(dice, event);
}

/// A tool that asks before it runs, the question put to the user, and perhaps the user's answer and the result.
fn ask_approval(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let opened = open_calls(dice, cast, history);
    let first = opened[0].clone();
    let waiting =
        Object::from_iter([("error", "This tool call requires confirmation, please approve or reject.")]);
    let parts = vec![response(&first.id, &first.name, waiting.into())];
    let mut event = history.event(dice, first.agent, "user", parts);
    if let Some(id) = first.id.as_str() {
        let asked = Object::from_iter([(id.to_owned(), json([("hint", "Sure?".into())]))]);
        let actions =
            object([("requestedToolConfirmations", asked.into()), ("skipSummarization", true.into())]);
        event.push("actions", actions);
    }
    history.push(dice, event);
    let id: Json = format!("adk-q{}", history.events.len()).into();
    let args = if dice.chance(95) { first.args.clone() } else { json([]) };
    let original = json([("id", first.id.clone()), ("name", first.name.as_str().into()), ("args", args)]);
    let args =
        json([("originalFunctionCall", original), ("toolConfirmation", json([("hint", "Sure?".into())]))]);
    let mut parts = vec![call(&id, "adk_request_confirmation", args)];
    if dice.chance(15) {
        parts.push(spoken(dice));
    }
    let mut event = history.event(dice, first.agent, "model", parts);
    event.push("longRunningToolIds", vec![id.clone()]);
    history.push(dice, event);
    if dice.chance(60) {
        let confirmed = json([("confirmed", dice.chance(70).into())]);
        let event =
            history.event(dice, "user", "user", vec![response(&id, "adk_request_confirmation", confirmed)]);
        history.push(dice, event);
        // Without a result yet, the approval is taken up by the next call.
        if dice.chance(50) {
            answer(dice, history, std::slice::from_ref(&first), first.agent);
        }
    }
}

fn ask_credential(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let agent = agent(dice, cast);
    let name = dice.word(&["adk_request_credential", "adk_request_input", "adk_framework"]);
    let id: Json = format!("adk-r{}", history.events.len()).into();
    let asked = vec![call(&id, name, data(dice, 1).into())];
    let mut event = history.event(dice, agent, "model", asked);
    event.push("longRunningToolIds", vec![id.clone()]);
    history.push(dice, event);
    if dice.chance(50) {
        let answered = vec![response(&id, name, data(dice, 1).into())];
        let event = history.event(dice, "user", "user", answered);
        history.push(dice, event);
    }
}

fn transcribe(dice: &mut Dice, cast: &Cast, history: &mut History) {
    for _ in 0..dice.between(1, 4) {
        let (author, field) = if dice.chance(50) {
            ("user", "inputTranscription")
        } else {
            (agent(dice, cast), "outputTranscription")
        };
        let mut event = history.empty_event(dice, author);
        event.push(field, object([("text", dice.maybe(90, text)), ("finished", dice.maybe(40, |_| true))]));
        history.push(dice, event);
    }
}

/// An event without content: an error, or nothing at all.
fn answer_nothing(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let agent = agent(dice, cast);
    let mut event = history.empty_event(dice, agent);
    if dice.chance(50) {
        event.push("errorCode", "MODEL_RETURNED_NO_CONTENT");
    }
    history.push(dice, event);
}

fn load_artifacts(dice: &mut Dice, cast: &Cast, history: &mut History) {
    const NAMES: &[&str] = &["notes.txt", "cv.txt", "user:cv.txt", "user:notes.txt", "plot.png", "none.txt"];
    let agent = agent(dice, cast);
    let names: Json = dice.several(0, 3, |dice| Json::from(dice.word(NAMES))).into();
    let id: Json = format!("adk-l{}", history.events.len()).into();
    let args = json([("artifact_names", names.clone())]);
    let event = history.event(dice, agent, "model", vec![call(&id, "load_artifacts", args)]);
    history.push(dice, event);
    let names = match dice.between(0, 19) {
        0 => "notes.txt".into(),
        1 => vec![Json::Int(1), "notes.txt".into()].into(),
        2 => Json::Null,
        _ => names,
    };
    let result = json([("artifact_names", names), ("status", "loaded".into())]);
    let event = history.event(dice, agent, "user", vec![response(&id, "load_artifacts", result)]);
    history.push(dice, event);
}

fn run_code(dice: &mut Dice, cast: &Cast, history: &mut History) {
    let agent = agent(dice, cast);
    let code = json([("executableCode", json([("code", text(dice).into()), ("language", "PYTHON".into())]))]);
    let event = history.event(dice, agent, "model", vec![code]);
    history.push(dice, event);
    let result = json([("outcome", "OUTCOME_OK".into()), ("output", dice.maybe(80, text))]);
    let event = history.event(dice, agent, "model", vec![json([("codeExecutionResult", result)])]);
    history.push(dice, event);
}
