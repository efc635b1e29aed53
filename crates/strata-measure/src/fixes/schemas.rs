//! Schemas that are larger than what is made of them: of tools, and in instructions.

use std::collections::BTreeMap;
use std::ops::Range;

use strata_engine::{AppEdit, Edit};
use strata_model::app::Instruction;
use strata_model::{Agent, Json, Object, Origin, RequestTool, Str, json};

use super::candidate::Candidate;
use super::seen::FixEvidence;
use crate::phrases::{count, listed};
use crate::tool_parameters::{PassedArguments, SpareParameters};

/// Bytes of a schema in an instruction from which on leaving it out is worth it.
const LARGE_SCHEMA: usize = 400;

pub(super) fn candidates(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    let mut found = spare_parameters(seen);
    for name in seen.last.keys() {
        found.extend(seen.agent(name).and_then(|agent| schema_told_twice(name, agent)));
    }
    found
}

/// Declarations without the parameters that no call passes: a candidate for each tool.
fn spare_parameters(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    let passed = PassedArguments::of(seen.experiment);
    let mut by_tool: BTreeMap<Str, (SpareParameters, Vec<Edit>)> = BTreeMap::new();
    for (agent, call) in &seen.last {
        for tool in call.request.tools.iter() {
            let RequestTool::Functions(declarations) = tool else { continue };
            for declaration in declarations.iter().filter(|it| matches!(it.origin, Origin::Tool { .. })) {
                let Some(spare) = passed.spare(&declaration.json) else { continue };
                let name = Str::from(declaration.name());
                let declaration = Some(spare.declaration.clone());
                let edit = AppEdit::Tool { agent: agent.clone(), tool: name.clone(), declaration };
                by_tool.entry(name).or_insert((spare, Vec::new())).1.push(edit.into());
            }
        }
    }
    let candidate = |(tool, (spare, edits)): (Str, (SpareParameters, Vec<Edit>))| {
        let title = format!("Declare {tool} without {}", listed(&spare.names));
        let mut candidate = Candidate::new(title, edits).answering(&["unused-parameters"]);
        candidate.assumptions.push(format!(
            "None of the {} of {tool} passes {}, and what is required stays, so every recorded call is still a valid \
             one. A later task that needs {} cannot pass {} any more, and a model that is shown less may call otherwise.",
            count(spare.n_calls as u64, "call"),
            if spare.names.len() == 1 { "it" } else { "them" },
            if spare.names.len() == 1 { "it" } else { "one" },
            if spare.names.len() == 1 { "it" } else { "that" },
        ));
        candidate.tools = vec![tool];
        candidate
    };
    by_tool.into_iter().map(candidate).collect()
}

/// An instruction without the schema that its agent's answers have to follow anyway. Without an output schema the one in
/// the instruction is all that a model knows of the form, and stays.
fn schema_told_twice(name: &Str, agent: &Agent) -> Option<Candidate> {
    let Some(Instruction::Template(text)) = &agent.instruction else { return None };
    let enforced = agent.output_schema.as_ref()?.json_schema.get("properties")?.as_object()?;
    let range = schema_in(text, enforced)?;
    let rest = format!("{}{}", text[..range.start].trim_end(), &text[range.end..]);
    let edit = AppEdit::Instruction { agent: name.clone(), text: Some(rest.into()) };
    let title = format!("Leave the schema out of {name}’s instruction, which its output schema says again");
    let mut candidate = Candidate::new(title, vec![edit.into()]);
    candidate.agent = Some(name.clone());
    candidate.assumptions.push(format!(
        "Answers are held to the output schema all the same. What only the schema in the instruction says, as in its \
         descriptions, {name} is not told any more."
    ));
    Some(candidate)
}

/// Where a text holds a large JSON Schema of these fields and no others, with the fence around it.
fn schema_in(text: &str, fields: &Object) -> Option<Range<usize>> {
    for (start, _) in text.match_indices('{') {
        let Some(end) = object_end(&text[start..]).map(|end| start + end) else { continue };
        let Ok(Json::Object(read)) = json::parse(&text.as_bytes()[start..end]) else { continue };
        let Some(own) = read.get("properties").and_then(Json::as_object) else { continue };
        let is_same = !own.is_empty() && own.keys().all(|name| fields.contains_key(name));
        if !is_same || end - start < LARGE_SCHEMA {
            return None;
        }
        let head = text[..start].trim_end();
        let fence = ["```json", "```"].into_iter().find(|fence| head.ends_with(fence));
        let behind = text[end..].trim_start();
        return Some(match fence.filter(|_| behind.starts_with("```")) {
            Some(fence) => head.len() - fence.len()..text.len() - behind.len() + 3,
            None => start..end,
        });
    }
    None
}

/// Where the object ends that a text begins with.
fn object_end(text: &str) -> Option<usize> {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_u32, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b'{' if !is_quoted => depth += 1,
            b'}' if !is_quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
