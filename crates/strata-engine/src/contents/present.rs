//! Speech becomes text, and other agents' words become quotations (`ADK.md` 3.7 and 3.8).

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::{Origin, RequestContent, RichText, Str};

use super::item::{Item, ItemRole, Words, truthy};
use super::omission::Omissions;
use super::scope::ContentsScope;
use super::select::is_from_another_agent;
use crate::log::{Facts, OmissionReason};
use crate::quotation::quote_agent;

/// Whose words a summary is where an agent does not read it as its own.
const SUMMARY_AUTHOR: &str = "model";

pub(super) fn present<'e>(
    items: Vec<Item<'e>>,
    scope: &ContentsScope<'_>,
    omissions: &mut Omissions,
) -> Vec<Item<'e>> {
    let callers = callers(&items, scope);
    let items = with_speech_as_text(items);
    let mut presented = Vec::with_capacity(items.len());
    for item in items {
        if !is_foreign(&item, scope, &callers) {
            presented.push(item);
        } else if item.is_blank() {
            // ADK passes on what has nothing to quote as it is.
            presented.push(item);
        } else if let Some(quoted) = quoted(&item, scope) {
            presented.push(Item { words: Words::Other(Some(quoted)), role: ItemRole::Quoted, ..item });
        } else {
            omissions.event(item.source, OmissionReason::NothingToQuote);
        }
    }
    presented
}

/// Who made each call, by its id. Only needed where a response might answer another agent.
fn callers(items: &[Item<'_>], scope: &ContentsScope<'_>) -> HashMap<Str, bool> {
    let mut is_foreign = HashMap::new();
    let is_alone = items.iter().all(|item| {
        let author = item.author(scope.agent_name);
        author == scope.agent_name || author == "user"
    });
    if is_alone {
        return is_foreign;
    }
    for item in items {
        let author = item.author(scope.agent_name);
        for call in item.calls() {
            if let Some(id) = call.id.as_ref().filter(|id| !id.is_empty()) {
                let is_other = !author.is_empty() && author != scope.agent_name && author != "user";
                is_foreign.insert(id.clone(), is_other);
            }
        }
    }
    is_foreign
}

fn is_foreign(item: &Item<'_>, scope: &ContentsScope<'_>, callers: &HashMap<Str, bool>) -> bool {
    match item.role {
        ItemRole::Plain if is_from_another_agent(item.source, scope.agent_name) => return true,
        ItemRole::Summary if !scope.rules.owns_summaries() => return scope.agent_name != SUMMARY_AUTHOR,
        _ if !scope.rules.quotes_answers_to_others() => return false,
        _ => {}
    }
    item.responses().any(|response| {
        truthy(response.id.as_deref()).is_some_and(|id| callers.get(id).copied().unwrap_or(false))
    })
}

fn quoted(item: &Item<'_>, scope: &ContentsScope<'_>) -> Option<Arc<RequestContent>> {
    let form = scope.rules.quotation(scope.include_thoughts);
    match &item.words {
        Words::Own => item.source.foreign_content(form).cloned(),
        Words::Other(content) => {
            let parts = content.as_ref()?.parts.iter();
            let parts = parts.map(|part| (&part.part, part.main_origin().clone()));
            let author = match item.role {
                ItemRole::Summary => SUMMARY_AUTHOR,
                _ => &item.source.event.author,
            };
            quote_agent(author, parts, form).map(Arc::new)
        }
    }
}

/// Joins pieces of speech that follow each other and shows them as text, where the last piece stands.
fn with_speech_as_text(items: Vec<Item<'_>>) -> Vec<Item<'_>> {
    if !items.iter().any(|item| item.source.is(Facts::TRANSCRIPT)) {
        return items;
    }
    let mut heard = RichText::new();
    let mut spoken = RichText::new();
    let mut out = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        if item.has_content() || item.role != ItemRole::Plain {
            out.push(item.clone());
            continue;
        }
        let next = items.get(at + 1);
        let (said, role, goes_on) = if let Some(text) = speech(item, Direction::Heard) {
            heard.push(text, item.source.origin(0));
            (&mut heard, "user", next.is_some_and(|next| speech(next, Direction::Heard).is_some()))
        } else if let Some(text) = speech(item, Direction::Spoken) {
            spoken.push(text, item.source.origin(0));
            (&mut spoken, "model", next.is_some_and(|next| speech(next, Direction::Spoken).is_some()))
        } else {
            out.push(item.clone());
            continue;
        };
        if !goes_on {
            out.push(as_text(item, &std::mem::take(said), role));
        }
    }
    out
}

#[derive(Clone, Copy)]
enum Direction {
    Heard,
    Spoken,
}

fn speech<'i>(item: &'i Item<'_>, direction: Direction) -> Option<&'i str> {
    let event = &item.source.event;
    let transcription = match direction {
        Direction::Heard => &event.input_transcription,
        Direction::Spoken => &event.output_transcription,
    };
    truthy(transcription.as_ref()?.text.as_deref())
}

fn as_text<'e>(item: &Item<'e>, text: &RichText, role: &str) -> Item<'e> {
    let part = strata_model::RequestPart::from_rich_text(text, Origin::processor("contents"));
    item.saying(RequestContent::new(Some(role.into()), vec![part]))
}
