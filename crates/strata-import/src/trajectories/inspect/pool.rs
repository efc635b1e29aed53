//! What a sample writes down once and names in many places: long texts, messages, and messages as they were sent.

use strata_model::take::{take_first_text, take_list, take_object};
use strata_model::{Json, Object};

use crate::draft::Draft;

pub(super) struct Pool {
    attachments: Object,
    messages: Vec<Json>,
    /// Messages of requests, in the words of their providers.
    sent: Vec<Json>,
}

impl Pool {
    pub(super) fn take(sample: &mut Object, draft: &mut Draft) -> Self {
        let mut data = take_object(sample, "events_data").unwrap_or_default();
        let pool = Self {
            attachments: take_object(sample, "attachments").unwrap_or_default(),
            messages: take_list(&mut data, "messages").unwrap_or_default(),
            sent: take_list(&mut data, "calls").unwrap_or_default(),
        };
        draft.note_rest("events_data", &data);
        pool
    }

    /// The request in a `call`, with the messages that were taken out of it. `None` where they are not all there.
    pub(super) fn request(&self, mut call: Object, draft: &mut Draft) -> Option<Object> {
        let mut request = take_object(&mut call, "request")?;
        let key = take_first_text(&mut call, &["call_key"]).unwrap_or_else(|| "messages".into());
        if let Some(references) = take_list(&mut call, "call_refs") {
            let Some(messages) = referred(&references, &self.sent) else {
                draft.unmapped.field("call", "call_refs", &Json::Array(references));
                return None;
            };
            request.insert(key, messages);
        }
        // The answer is the output of the event.
        for key in ["response", "time"] {
            call.remove(key);
        }
        draft.note_rest("call", &call);
        Some(request)
    }

    /// The messages that a call was given, in the words of the log.
    pub(super) fn given(&self, event: &mut Object, draft: &mut Draft) -> Option<Vec<Json>> {
        let input = take_list(event, "input").filter(|input| !input.is_empty());
        if input.is_some() {
            return input;
        }
        let references = take_list(event, "input_refs")?;
        let given = referred(&references, &self.messages);
        if given.is_none() {
            draft.unmapped.field("events.model", "input_refs", &Json::Array(references));
        }
        given
    }

    /// The value with `attachment://…` replaced by what it names.
    pub(super) fn resolved(&self, value: Json) -> Json {
        match value {
            Json::String(text) => {
                match text.strip_prefix("attachment://").and_then(|hash| self.attachments.get(hash)) {
                    Some(attached) => attached.clone(),
                    None => Json::String(text),
                }
            }
            Json::Array(items) => {
                items.into_iter().map(|item| self.resolved(item)).collect::<Vec<_>>().into()
            }
            Json::Object(object) => {
                object.into_iter().map(|(key, value)| (key, self.resolved(value))).collect::<Object>().into()
            }
            other => other,
        }
    }
}

/// Messages by their places, or by ranges of these: `[from, to]`, without the last. `None` where one is not there.
fn referred(references: &[Json], messages: &[Json]) -> Option<Vec<Json>> {
    let place = |value: &Json| value.as_i64().and_then(|at| usize::try_from(at).ok());
    let mut found = Vec::new();
    for reference in references {
        let range = match reference {
            Json::Array(range) => match &range[..] {
                [from, to] => place(from)?..place(to)?,
                _ => return None,
            },
            one => {
                let at = place(one)?;
                at..at + 1
            }
        };
        found.extend_from_slice(messages.get(range)?);
    }
    Some(found)
}
