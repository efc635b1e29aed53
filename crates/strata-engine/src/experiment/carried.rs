//! What edits make of a request that was really sent.
//!
//! Three requests meet here: what the session compiles to without the edits, what was sent for it, and what it compiles
//! to with the edits. Whatever the edits leave alone stays as it was sent, byte for byte; what they change, take out or
//! add is changed in what was sent. So an edit that changes nothing changes nothing, and what no compiling knows of (a
//! client's own reminders, tools that a provider runs, system text of one call) is still there beside an edit that does.

mod contents;

use std::collections::BTreeSet;
use std::sync::Arc;

use strata_model::{
    ConfigField, Declaration, Diagnostic, EventIndex, LlmRequest, RequestTool, RichText, Str,
};

/// Bytes of unchanged text that tell the place of a change in a text that is otherwise not the same.
const CONTEXT_BYTES: usize = 40;

/// A call's request before edits.
#[derive(Debug, Clone)]
pub(super) struct UneditedRequest {
    /// As the session compiles to it.
    pub compiled: LlmRequest,
    /// As it was sent, with the sources that compiling knows.
    pub request: LlmRequest,
}

/// The request that was sent with the changes that lead from what was compiled to `edited`, and what could not be
/// carried over as it is.
pub(super) fn carried(
    sent: &UneditedRequest,
    edited: &LlmRequest,
    dropped: &BTreeSet<EventIndex>,
) -> (LlmRequest, Vec<Diagnostic>) {
    let compiled = &sent.compiled;
    if sent.request.is_same_prompt(compiled) {
        // Nothing was sent that compiling does not know, so it knows what the edits make of it, in which order, too.
        return (edited.clone(), Vec::new());
    }
    let mut request = sent.request.clone();
    let mut problems = Vec::new();
    if compiled.model != edited.model {
        request.model.clone_from(&edited.model);
    }
    let is_compiled = text(compiled) == text(&sent.request) || edited.system_instruction.is_none();
    if text(compiled) != text(edited) && is_compiled {
        request.system_instruction.clone_from(&edited.system_instruction);
    } else if text(compiled) != text(edited) {
        match system(sent, edited) {
            Some(changed) => request.system_instruction = Some(Arc::new(changed)),
            None => {
                request.system_instruction.clone_from(&edited.system_instruction);
                problems.push(Diagnostic::warning(
                    "edit-replaces-sent",
                    "",
                    "the system text that was sent has nothing of what this experiment changes in it; the compiled one \
                     stands in its place",
                ));
            }
        }
    }
    if !is_same_tools(&compiled.tools, &edited.tools) {
        request.tools = Arc::new(tools(&compiled.tools, &sent.request.tools, &edited.tools));
    }
    if compiled.config != edited.config {
        request.config = Arc::new(config(&compiled.config, &sent.request.config, &edited.config));
    }
    if compiled.cache_config != edited.cache_config {
        request.cache_config.clone_from(&edited.cache_config);
    }
    if compiled.cache_metadata != edited.cache_metadata {
        request.cache_metadata.clone_from(&edited.cache_metadata);
        request.cacheable_contents_token_count = edited.cacheable_contents_token_count;
    }
    if compiled.previous_interaction_id != edited.previous_interaction_id {
        request.previous_interaction_id.clone_from(&edited.previous_interaction_id);
    }
    if compiled.service_tier != edited.service_tier {
        request.service_tier.clone_from(&edited.service_tier);
    }
    if compiled.contents != edited.contents || !dropped.is_empty() {
        match contents::carried(&compiled.contents, &sent.request.contents, &edited.contents, dropped) {
            Some(changed) => request.contents = changed,
            None => {
                request.contents = edited.contents.clone();
                problems.push(Diagnostic::warning(
                    "edit-replaces-sent",
                    "",
                    "this experiment brings the contents into another order; they stand as they are compiled, without \
                     what only the sent request holds",
                ));
            }
        }
    }
    (request, problems)
}

fn text(request: &LlmRequest) -> Option<Str> {
    request.system_text()
}

/// The sent system text with what differs between the compiled ones. `None` where that has no place in it.
fn system(sent: &UneditedRequest, edited: &LlmRequest) -> Option<RichText> {
    let edited = edited.system_instruction.as_deref()?;
    let (before, after) = (text(&sent.compiled)?, edited.to_text());
    let sent = sent.request.system_instruction.as_deref()?;
    let whole = sent.to_text();
    let (keep, from, to) = difference(&before, &after);
    let (start, end) = place(&whole, &before, keep, from)?;
    let mut changed = sent.slice(0, start);
    changed.append(edited.slice(keep, to));
    changed.append(sent.slice(end, whole.len()));
    Some(changed)
}

/// `(keep, from, to)`: `before[keep..from]` became `after[keep..to]`, between characters.
fn difference(before: &str, after: &str) -> (usize, usize, usize) {
    let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b);
    let keep: usize = same.map(|(a, _)| a.len_utf8()).sum();
    let same = before[keep..].chars().rev().zip(after[keep..].chars().rev()).take_while(|(a, b)| a == b);
    let end: usize = same.map(|(a, _)| a.len_utf8()).sum();
    (keep, before.len() - end, after.len() - end)
}

/// Where `before[keep..from]` stands in `whole`: the same words between the same words, as far as that is one place.
fn place(whole: &str, before: &str, keep: usize, from: usize) -> Option<(usize, usize)> {
    let ahead = floor(before, keep.saturating_sub(CONTEXT_BYTES));
    let behind = floor(before, (from + CONTEXT_BYTES).min(before.len()));
    let around = [(ahead, behind), (ahead, from), (keep, behind)];
    around.into_iter().chain((from > keep).then_some((keep, from))).find_map(|(low, high)| {
        let needle = before.get(low..high).filter(|needle| !needle.is_empty())?;
        let mut found = whole.match_indices(needle).map(|(at, _)| at);
        let at = found.next().filter(|_| found.next().is_none())?;
        Some((at + keep - low, at + from - low))
    })
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn is_same_tools(before: &[RequestTool], after: &[RequestTool]) -> bool {
    let prints = |tools: &[RequestTool]| tools.iter().map(RequestTool::fingerprint).collect::<Vec<_>>();
    prints(before) == prints(after)
}

fn declarations(tools: &[RequestTool]) -> impl Iterator<Item = &Arc<Declaration>> {
    tools.iter().flat_map(|tool| match tool {
        RequestTool::Functions(declarations) => &declarations[..],
        RequestTool::BuiltIn { .. } => &[],
    })
}

/// The sent tools with the functions that edits changed, left out or added.
fn tools(compiled: &[RequestTool], sent: &[RequestTool], edited: &[RequestTool]) -> Vec<RequestTool> {
    let named = |tools, name: &str| declarations(tools).find(|declaration| declaration.name() == name);
    let kept = |declaration: &Arc<Declaration>| {
        let name = declaration.name();
        match (named(compiled, name), named(edited, name)) {
            (Some(_), None) => None,
            (Some(before), Some(after)) if before.fingerprint != after.fingerprint => Some(after.clone()),
            _ => Some(declaration.clone()),
        }
    };
    let built_in = |tools: &[RequestTool], tool: &RequestTool| {
        tools.iter().any(|known| known.fingerprint() == tool.fingerprint())
    };
    let mut all = Vec::new();
    for tool in sent {
        match tool {
            RequestTool::Functions(of_tool) => {
                let functions: Vec<_> = of_tool.iter().filter_map(kept).collect();
                if !functions.is_empty() {
                    all.push(RequestTool::Functions(functions));
                }
            }
            RequestTool::BuiltIn { .. } if built_in(compiled, tool) && !built_in(edited, tool) => {}
            RequestTool::BuiltIn { .. } => all.push(tool.clone()),
        }
    }
    let is_new = |after: &&Arc<Declaration>| {
        named(compiled, after.name()).is_none() && named(sent, after.name()).is_none()
    };
    let new: Vec<_> = declarations(edited).filter(is_new).cloned().collect();
    if !new.is_empty() {
        let functions = all.iter_mut().find_map(|tool| match tool {
            RequestTool::Functions(functions) => Some(functions),
            RequestTool::BuiltIn { .. } => None,
        });
        match functions {
            Some(functions) => functions.extend(new),
            None => all.push(RequestTool::Functions(new)),
        }
    }
    let is_new = |tool: &&RequestTool| {
        matches!(tool, RequestTool::BuiltIn { .. }) && !built_in(compiled, tool) && !built_in(sent, tool)
    };
    all.extend(edited.iter().filter(is_new).cloned());
    RequestTool::drop_empty_namespaces(&mut all, sent);
    all
}

/// The sent settings with those that edits changed, took away or added.
fn config(compiled: &[ConfigField], sent: &[ConfigField], edited: &[ConfigField]) -> Vec<ConfigField> {
    let named =
        |fields: &[ConfigField], name: &str| fields.iter().find(|field| *field.name == *name).cloned();
    let kept = |field: &ConfigField| match (named(compiled, &field.name), named(edited, &field.name)) {
        (Some(_), None) => None,
        (before, Some(after)) if before.as_ref().map(|before| &before.value) != Some(&after.value) => {
            Some(after)
        }
        _ => Some(field.clone()),
    };
    let is_new = |field: &&ConfigField| {
        named(sent, &field.name).is_none()
            && named(compiled, &field.name).is_none_or(|before| before.value != field.value)
    };
    sent.iter().filter_map(kept).chain(edited.iter().filter(is_new).cloned()).collect()
}
