//! What would make instructions smaller, or stay the same from call to call.

use std::collections::BTreeSet;

use strata_engine::{AppEdit, FlowEdit, Piece, Template};
use strata_model::app::{IncludeContents, Instruction};
use strata_model::{Agent, Json, Origin, Str, python};

use super::candidate::{Candidate, words};
use super::seen::FixEvidence;
use crate::analysis::{CallAnalysis, Cause, is_quoted};

/// Characters of a state value in an instruction from which on a shorter form is worth it.
const LARGE_VALUE: usize = 1000;
/// Characters of a field's values up to which it is kept in a shorter form.
const SHORT_FIELD: usize = 60;
/// Characters of documentation in an instruction from which on it is worth making it static.
const LONG_DOCUMENTATION: usize = 1500;

pub(super) fn candidates(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    found.extend(compact_state(seen));
    found.extend(volatile(seen));
    for (name, call) in &seen.last {
        let Some(agent) = seen.agent(name) else { continue };
        found.extend(static_documentation(name, agent));
        found.extend(without_history(seen, name, agent, call));
    }
    found
}

/// State values that fill much of an instruction and have entries with long fields.
fn compact_state(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    let mut keys: BTreeSet<Str> = BTreeSet::new();
    for call in seen.analysis.calls() {
        for span in call.request.system_instruction.iter().flat_map(|text| text.spans()) {
            if let Origin::State { key } = &span.origin
                && python::len(&span.text) >= LARGE_VALUE
            {
                keys.insert(key.clone());
            }
        }
    }
    let states = seen.experiment.states().at(usize::MAX);
    let candidate = |key: Str| {
        let fields = short_fields(states.get(&key).known()?);
        if fields.is_empty() {
            return None;
        }
        let title = format!("Show only {} of state.{key} to instructions", fields.join(", "));
        let edit = FlowEdit::StateMap { key, fields }.into();
        Some(
            Candidate::new(title, vec![edit]).answering(&["state-in-instruction", "state-printed-as-python"]),
        )
    };
    keys.into_iter().filter_map(candidate).collect()
}

/// Fields whose values are all short, where there are others that are not.
fn short_fields(value: &Json) -> Vec<Str> {
    let entries: Vec<&Json> = match value {
        Json::Array(entries) => entries.iter().collect(),
        Json::Object(object) if object.values().all(|value| value.as_object().is_some()) => {
            object.values().collect()
        }
        other => vec![other],
    };
    let mut short: Vec<Str> = Vec::new();
    let mut long: BTreeSet<Str> = BTreeSet::new();
    for entry in entries.iter().filter_map(|entry| entry.as_object()) {
        for (key, value) in entry.iter() {
            let size = python::len(&strata_model::json::to_compact_python(value));
            if size > SHORT_FIELD {
                long.insert(key.clone());
            } else if !short.contains(key) {
                short.push(key.clone());
            }
        }
    }
    short.retain(|key| !long.contains(key));
    if long.is_empty() { Vec::new() } else { short }
}

/// State values whose changes broke prefixes.
fn volatile(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let keys: BTreeSet<&Str> = seen
        .analysis
        .calls()
        .iter()
        .filter_map(|call| match &call.prefix_break.as_ref()?.cause {
            Cause::State { key, .. } => Some(key),
            _ => None,
        })
        .collect();
    if keys.is_empty() {
        return None;
    }
    let names: Vec<String> = keys.iter().map(|key| format!("state.{key}")).collect();
    let title = format!("Send {} behind the history", names.join(", "));
    let params = [("keys", words(keys.iter().map(|key| &***key)))];
    Some(Candidate::insert(title, "move_volatile", &params).answering(&["state-in-instruction"]))
}

/// Documentation around placeholders becomes a static instruction. Wherever it stands, what changes before it is not in
/// its way any more.
fn static_documentation(name: &Str, agent: &Agent) -> Option<Candidate> {
    let Some(Instruction::Template(text)) = &agent.instruction else { return None };
    if agent.static_instruction.is_some() {
        return None;
    }
    let (fixed, rest) = documentation(text)?;
    let edits = vec![
        AppEdit::StaticInstruction { agent: name.clone(), text: Some(fixed.into()) }.into(),
        AppEdit::Instruction { agent: name.clone(), text: Some(rest.into()) }.into(),
    ];
    let mut candidate =
        Candidate::new(format!("Make the documentation in {name}’s instruction static"), edits)
            .answering(&["state-in-instruction", "instruction-in-tool-loop"]);
    candidate.agent = Some(name.clone());
    Some(candidate)
}

/// The lines of a template that are never filled, where they stand in long runs, and what is left of it. `None` where
/// there are none, where nothing else is filled, and where a placeholder goes over lines.
fn documentation(text: &str) -> Option<(String, String)> {
    let n_filled = |text: &str| {
        let pieces = Template::parse(text).pieces;
        pieces.iter().filter(|piece| !matches!(piece, Piece::Literal(_))).count()
    };
    let (mut fixed, mut rest) = (String::new(), String::new());
    let (mut run, mut n_in_lines) = (String::new(), 0);
    let mut flush = |run: &mut String, rest: &mut String| {
        let begins = run.len() - run.trim_start_matches('\n').len();
        if python::len(&run[begins..]) < LONG_DOCUMENTATION {
            rest.push_str(run);
        } else {
            rest.push_str(&run[..begins]);
            fixed.push_str(&run[begins..]);
        }
        run.clear();
    };
    for line in text.split_inclusive('\n') {
        match n_filled(line) {
            0 => run.push_str(line),
            n => {
                flush(&mut run, &mut rest);
                rest.push_str(line);
                n_in_lines += n;
            }
        }
    }
    flush(&mut run, &mut rest);
    (!fixed.is_empty() && n_in_lines > 0 && n_in_lines == n_filled(text)).then_some((fixed, rest))
}

/// A specialist whose prompts are mostly other agents' words works from what it is given.
fn without_history(
    seen: &FixEvidence<'_>,
    name: &Str,
    agent: &Agent,
    call: &CallAnalysis,
) -> Option<Candidate> {
    let index = seen.experiment.index();
    let is_root = index.find(name).is_none_or(|id| index.parent(id).is_none());
    if is_root || agent.include_contents.is_some_and(|value| value != IncludeContents::Default) {
        return None;
    }
    let (mut quoted, mut all) = (0, 0);
    for part in call.request.contents.iter().flat_map(|content| &content.parts) {
        let size = part.part.text.as_deref().map_or(200, str::len);
        all += size;
        quoted += if is_quoted(part) { size } else { 0 };
    }
    if quoted * 2 < all {
        return None;
    }
    let edit = AppEdit::IncludeContents { agent: name.clone(), value: "none".into() }.into();
    let mut candidate =
        Candidate::new(format!("Show {name} its own turn only (include_contents: none)"), vec![edit])
            .answering(&["quotation-frames", "quoted-tool-results"]);
    candidate.agent = Some(name.clone());
    Some(candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_is_found_wherever_it_stands() {
        let fields =
            "campaign.clicks: a whole number, without those that were found to be invalid.\n".repeat(30);
        let between = format!("Queries: {{queries?}}\n\n{fields}Today is {{today}}.");
        let found = documentation(&between).expect("documentation");
        assert_eq!(found, (fields.clone(), "Queries: {queries?}\n\nToday is {today}.".to_owned()));
        let ahead = format!("{fields}Queries: {{queries?}}");
        assert_eq!(documentation(&ahead), Some((fields.clone(), "Queries: {queries?}".to_owned())));
        let over_lines = format!("{{queries\n}}{fields}{{today}}");
        for text in [fields.as_str(), "Queries: {queries?}\nBe brief.", &over_lines] {
            assert_eq!(documentation(text), None, "{text}");
        }
    }
}
