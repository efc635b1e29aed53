//! What processors of tool results share.

use std::sync::Arc;

use strata_model::{Contents, FunctionResponse, Object, Part, RequestContent, RequestPart, Str};

use super::rule::{Change, PartChange, RuleContext, change_parts};
use crate::adk_text::{BARE_FOREIGN_PREAMBLE, FOREIGN_PREAMBLE};
use crate::processors::params::{ParamKind, ParamSpec};

pub(super) const TOOLS: ParamSpec = ParamSpec {
    name: "tools",
    kind: ParamKind::Words,
    default: "[]",
    unit: None,
    doc: "Only results of these tools; of all tools where the list is empty.",
};

pub(super) const KEEP_TURNS: ParamSpec = ParamSpec {
    name: "keep_turns",
    kind: ParamKind::Integer { min: 0, max: 1000 },
    default: "0",
    unit: Some("turns"),
    doc: "Turns of the user at the end that stay as they are. Anything but 0 changes the history again with every turn, which breaks the cached prefix there.",
};

/// Changes the results of some tools.
pub(super) fn change_results(
    content: &Arc<RequestContent>,
    pen: &RuleContext<'_>,
    tools: &[Str],
    mut change: impl FnMut(&RequestPart, &Object) -> Option<Object>,
) -> Change {
    if !content.has_function_response() {
        return Change::Keep;
    }
    change_parts(content, pen, |part| {
        let changed = result_of(part, tools).and_then(|result| change(part, result));
        match changed {
            Some(result) => PartChange::Replace(with_result(part, pen, result)),
            None => PartChange::Keep,
        }
    })
}

/// The result a part holds, if it is one of these tools'.
pub(super) fn result_of<'p>(part: &'p RequestPart, tools: &[Str]) -> Option<&'p Object> {
    let response = part.part.function_response.as_deref()?;
    let name = response.name.as_deref().unwrap_or_default();
    let is_meant = tools.is_empty() || tools.iter().any(|tool| **tool == *name);
    response.response.as_deref().filter(|_| is_meant)
}

pub(super) fn with_result(part: &RequestPart, pen: &RuleContext<'_>, result: Object) -> RequestPart {
    let mut changed = Part::clone(&part.part);
    let response = changed.function_response.get_or_insert_with(|| Box::new(FunctionResponse::default()));
    response.response = Some(Arc::new(result));
    pen.rewritten(part, changed)
}

/// How many contents stand before the last `n_turns` turns of the user.
pub(super) fn before_turns(contents: &Contents, n_turns: usize) -> usize {
    if n_turns == 0 {
        return contents.len();
    }
    let mut n_found = 0;
    let mut at = contents.len();
    while at > 0 {
        at -= 1;
        if is_turn_start(contents, at) {
            n_found += 1;
            if n_found == n_turns {
                return at;
            }
        }
    }
    0
}

/// Whether the user begins to speak here. What other agents did is told in the user's role, too.
pub(super) fn is_turn_start(contents: &Contents, at: usize) -> bool {
    contents.get(at).is_some_and(|content| is_said(content))
        && at.checked_sub(1).and_then(|before| contents.get(before)).is_none_or(|before| !is_said(before))
}

fn is_said(content: &RequestContent) -> bool {
    let first = content.parts.first().and_then(|part| part.part.text.as_deref());
    content.is_user()
        && !content.has_function_response()
        && !first.is_some_and(|text| text == FOREIGN_PREAMBLE || text == BARE_FOREIGN_PREAMBLE)
}
