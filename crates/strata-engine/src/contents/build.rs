//! The contents of consecutive events, step by step.

use std::sync::Arc;

use strata_model::{Json, Origin, RequestContent, RequestPart, RichText, Str, json};

use super::item::{Item, Words};
use super::omission::Omissions;
use super::pairing::{self, End};
use super::scope::ContentsScope;
use super::{present, select, summaries};
use crate::adk_text::SINGLE_TURN_NUDGE;
use crate::log::{LoggedEvent, without_client_ids};

/// The contents of a history, from beginning to end.
pub(crate) fn build_contents(
    events: &[&LoggedEvent],
    scope: &ContentsScope<'_>,
    omissions: &mut Omissions,
) -> Vec<Arc<RequestContent>> {
    let head = scope.isolation_scope.and_then(|id| task_input(events, id, scope)).map(Arc::new);
    let body = build_piece(events, scope, End::Last, omissions);
    head.into_iter().chain(body.contents).collect()
}

/// The contents of consecutive events of a history.
pub(super) struct HistoryPiece {
    pub contents: Vec<Arc<RequestContent>>,
    /// No event of it is shown to the agent at all.
    pub is_blank: bool,
}

pub(super) fn build_piece(
    events: &[&LoggedEvent],
    scope: &ContentsScope<'_>,
    end: End,
    omissions: &mut Omissions,
) -> HistoryPiece {
    let kept = select::select(events, scope, omissions);
    let items = summaries::substitute(kept, scope.rules, omissions);
    let items = present::present(items, scope, omissions);
    let items = pairing::without_orphan_responses(items, omissions);
    let is_blank = items.is_empty();
    let items = pairing::pair(items, end, scope.rules, omissions);
    let contents = items.iter().filter_map(|item| outgoing(item, scope.keep_client_ids)).collect();
    HistoryPiece { contents, is_blank }
}

fn outgoing(item: &Item<'_>, keep_client_ids: bool) -> Option<Arc<RequestContent>> {
    match &item.words {
        Words::Own if keep_client_ids => item.source.own_content().cloned(),
        Words::Own => item.source.own_content_without_ids().cloned(),
        Words::Other(content) if keep_client_ids => content.clone(),
        Words::Other(content) => {
            let content = content.as_ref()?;
            let stripped = without_client_ids(content);
            Some(if stripped.fingerprint == content.fingerprint {
                content.clone()
            } else {
                Arc::new(stripped)
            })
        }
    }
}

/// What a task was given: the arguments of the call that started it, else what its run was started with.
pub(super) fn task_input(
    events: &[&LoggedEvent],
    isolation_scope: &str,
    scope: &ContentsScope<'_>,
) -> Option<RequestContent> {
    let mut parts = match delegating_args(events, isolation_scope) {
        Some(part) => vec![part],
        None => {
            let content = scope.user_content.filter(|content| !content.parts().is_empty())?;
            RequestContent::from_content(content, |_| unknown_origin()).parts
        }
    };
    if scope.is_single_turn {
        let framing = Origin::processor("contents");
        let nudge = RichText::from_span(SINGLE_TURN_NUDGE, framing.clone());
        parts.push(RequestPart::from_rich_text(&nudge, framing));
    }
    Some(RequestContent::new(Some("user".into()), parts))
}

fn delegating_args(events: &[&LoggedEvent], isolation_scope: &str) -> Option<RequestPart> {
    events.iter().find_map(|logged| {
        logged.event.parts().iter().enumerate().find_map(|(at, part)| {
            let call = part.function_call.as_ref()?;
            let args = call.args.as_ref().filter(|args| !args.is_empty())?;
            if call.id.as_deref() != Some(isolation_scope) {
                return None;
            }
            let text: Str = json::to_spaced(&Json::Object((**args).clone())).into();
            let origin = logged.origin(at);
            Some(RequestPart::from_rich_text(&RichText::from_span(text, origin.clone()), origin))
        })
    })
}

/// Of what a run was given and no event holds.
pub(crate) fn unknown_origin() -> Origin {
    Origin::Run { field: "user_content".into() }
}
