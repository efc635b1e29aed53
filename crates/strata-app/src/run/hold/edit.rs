//! What a person changes of a request that is held.

use std::collections::BTreeSet;
use std::sync::Arc;

use strata_model::{
    FunctionResponse, Json, LlmRequest, Object, Origin, Part, RequestContent, RequestPart, RichText, json,
};

use crate::run::typed::typed_value;

/// The source of what a person wrote.
const BY_HAND: &str = "edited by hand";

/// A change of a request, on what the changes before it left.
#[derive(Debug, Clone, PartialEq)]
pub enum HeldEdit {
    /// The instruction; empty for none.
    System { text: String },
    /// The text of a part, or the value of a tool's result: JSON, or else a text. Contents and parts count from 0.
    Text { content: usize, part: usize, text: String },
    /// Takes parts away, each named by its content and its place there; a call takes its result with it, and a result
    /// its call.
    LeaveOut { parts: Vec<(usize, usize)> },
    /// Another model, by its name.
    Model { name: String },
    /// The whole request, in ADK's JSON.
    Request { json: String },
}

/// The request with the changes made, in order. What is wrong with them, in a sentence.
pub(crate) fn edited(request: &LlmRequest, edits: &[HeldEdit]) -> Result<LlmRequest, String> {
    let mut edited = request.clone();
    for edit in edits {
        edit.make(&mut edited)?;
    }
    if edited.contents.is_empty() {
        return Err("Nothing would be left to send: the request has no message any more.".to_owned());
    }
    Ok(edited)
}

impl HeldEdit {
    fn make(&self, request: &mut LlmRequest) -> Result<(), String> {
        match self {
            Self::System { text } => {
                let is_none = text.is_empty() && request.system_instruction.is_none();
                request.system_instruction = (!is_none).then(|| Arc::new(by_hand(text)));
                Ok(())
            }
            Self::Text { content, part, text } => {
                let found = part_at(request, *content, *part)?;
                let changed = with_text(found, text).ok_or_else(|| {
                    format!("{} holds no text that could be edited.", place(*content, *part))
                })?;
                replace(request, *content, |parts| parts[*part] = changed.clone());
                Ok(())
            }
            Self::LeaveOut { parts } => {
                let mut places = BTreeSet::new();
                for (content, part) in parts {
                    part_at(request, *content, *part)?;
                    places.insert((*content, *part));
                    places.extend(counterpart(request, *content, *part));
                }
                // From the end, so that what is still to be taken away keeps its place.
                for (content, part) in places.into_iter().rev() {
                    take_away(request, content, part);
                }
                Ok(())
            }
            Self::Model { name } => {
                let name = name.trim();
                if name.is_empty() {
                    return Err("A model needs a name.".to_owned());
                }
                request.model = Some(name.into());
                Ok(())
            }
            Self::Request { json: text } => {
                let read =
                    json::parse(text.as_bytes()).map_err(|error| format!("This is no JSON: {error}."))?;
                let read = strata_wire::request_of(&read);
                let read = read.filter(|read| !read.contents.is_empty());
                *request = read.ok_or_else(|| {
                    "This is no request in ADK's JSON: it needs `contents`, and its texts in `parts`."
                        .to_owned()
                })?;
                Ok(())
            }
        }
    }
}

fn by_hand(text: &str) -> RichText {
    RichText::from_span(text, Origin::processor(BY_HAND))
}

fn place(content: usize, part: usize) -> String {
    format!("Part {part} of message {content}")
}

fn part_at(request: &LlmRequest, content: usize, part: usize) -> Result<&RequestPart, String> {
    let found = request.contents.get(content).and_then(|content| content.parts.get(part));
    found.ok_or_else(|| format!("{} is not in this request.", place(content, part)))
}

/// `None` for a part of which no text is sent.
fn with_text(part: &RequestPart, text: &str) -> Option<RequestPart> {
    if part.part.text.is_some() {
        return Some(part.with_text(&by_hand(text)));
    }
    let response = part.part.function_response.as_deref()?;
    let value = match typed_value(text) {
        Json::Object(object) => object,
        other => Object::from_iter([("result", other)]),
    };
    let response = FunctionResponse { response: Some(Arc::new(value)), ..response.clone() };
    let changed = Part { function_response: Some(Box::new(response)), ..Part::clone(&part.part) };
    Some(RequestPart::new(Arc::new(changed), Origin::processor(BY_HAND)))
}

fn replace(request: &mut LlmRequest, at: usize, change: impl Fn(&mut Vec<RequestPart>)) {
    request.contents.rewrite(|index, content| {
        (index == at).then(|| {
            let mut parts = content.parts.clone();
            change(&mut parts);
            Arc::new(content.with_parts(parts))
        })
    });
}

/// A message without parts goes, too.
fn take_away(request: &mut LlmRequest, content: usize, part: usize) {
    if request.contents.get(content).is_some_and(|content| content.parts.len() > 1) {
        replace(request, content, |parts| {
            parts.remove(part);
        });
        return;
    }
    let behind = request.contents.split_off(content);
    request.contents.extend(behind.into_iter().skip(1));
}

/// Of a call the result, of a result its call: providers refuse one without the other. They are told by their ids, and
/// where these are not sent, by their order.
fn counterpart(request: &LlmRequest, content: usize, part: usize) -> Option<(usize, usize)> {
    let this = &request.contents.get(content)?.parts.get(part)?.part;
    if let Some(call) = &this.function_call {
        let nth = nth(request.contents.get(content)?, part, |part| is_call_of(part, call.name.as_deref()));
        return find(request, (content + 1)..request.contents.len(), nth, |part| {
            let result = part.function_response.as_ref()?;
            Some((result.id.as_deref(), result.name.as_deref()) == (call.id.as_deref(), call.name.as_deref()))
        });
    }
    let result = this.function_response.as_ref()?;
    let nth = nth(request.contents.get(content)?, part, |part| is_result_of(part, result.name.as_deref()));
    find(request, (0..content).rev(), nth, |part| {
        let call = part.function_call.as_ref()?;
        Some((call.id.as_deref(), call.name.as_deref()) == (result.id.as_deref(), result.name.as_deref()))
    })
}

fn is_call_of(part: &Part, name: Option<&str>) -> bool {
    part.function_call.as_ref().is_some_and(|call| call.name.as_deref() == name)
}

fn is_result_of(part: &Part, name: Option<&str>) -> bool {
    part.function_response.as_ref().is_some_and(|result| result.name.as_deref() == name)
}

/// How many parts before this one are of the kind.
fn nth(content: &RequestContent, part: usize, is_one: impl Fn(&Part) -> bool) -> usize {
    content.parts[..part].iter().filter(|part| is_one(&part.part)).count()
}

/// The part that counts so many of its kind before it, in the first of the contents with one.
fn find(
    request: &LlmRequest,
    contents: impl Iterator<Item = usize>,
    nth: usize,
    is_one: impl Fn(&Part) -> Option<bool>,
) -> Option<(usize, usize)> {
    contents.into_iter().find_map(|at| {
        let parts = &request.contents.get(at)?.parts;
        let found: Vec<usize> =
            (0..parts.len()).filter(|part| is_one(&parts[*part].part) == Some(true)).collect();
        let part = if found.len() == 1 { found.first() } else { found.get(nth) };
        part.map(|part| (at, *part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> LlmRequest {
        let text = r#"{"model": "m", "contents": [
            {"role": "user", "parts": [{"text": "Go."}, {"text": "Soon."}]},
            {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {"n": 1}}},
                                        {"functionCall": {"name": "look", "args": {"n": 2}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"n": 1}}},
                                       {"functionResponse": {"name": "look", "response": {"n": 2}}}]}],
            "config": {"systemInstruction": "Help."}}"#;
        edited(&LlmRequest::default(), &[HeldEdit::Request { json: text.to_owned() }]).unwrap()
    }

    fn told(request: &LlmRequest) -> String {
        json::to_compact(&request.to_json())
    }

    #[test]
    fn texts_results_and_the_model_are_changed_where_they_stand() {
        let edits = [
            HeldEdit::System { text: "Do not help.".into() },
            HeldEdit::Text { content: 0, part: 1, text: "Now.".into() },
            HeldEdit::Text { content: 2, part: 0, text: "{\"n\": 7}".into() },
            HeldEdit::Text { content: 2, part: 1, text: "none".into() },
            HeldEdit::Model { name: "n".into() },
        ];
        let told = told(&edited(&request(), &edits).unwrap());
        for expected in [
            "\"Do not help.\"",
            "\"Go.\"",
            "\"Now.\"",
            "{\"n\":7}",
            "{\"result\":\"none\"}",
            "\"model\":\"n\"",
        ] {
            assert!(told.contains(expected), "{expected}: {told}");
        }
    }

    #[test]
    fn a_call_and_its_result_are_left_out_together() {
        for (content, part) in [(1, 1), (2, 1)] {
            let once = edited(&request(), &[HeldEdit::LeaveOut { parts: vec![(content, part)] }]).unwrap();
            assert!(
                told(&once).contains("{\"n\":1}") && !told(&once).contains("{\"n\":2}"),
                "{}",
                told(&once)
            );
            let twice = edited(&once, &[HeldEdit::LeaveOut { parts: vec![(1, 0), (2, 0)] }]).unwrap();
            assert_eq!(twice.contents.len(), 1, "{}", told(&twice));
        }
    }

    #[test]
    fn what_cannot_be_changed_is_refused_with_its_reason() {
        let text = |content, part| HeldEdit::Text { content, part, text: "x".into() };
        for (edits, because) in [
            (vec![text(7, 0)], "Part 0 of message 7 is not in this request"),
            (vec![text(1, 0)], "holds no text"),
            (vec![HeldEdit::Model { name: " ".into() }], "needs a name"),
            (vec![HeldEdit::Request { json: "{".into() }], "no JSON"),
            (vec![HeldEdit::Request { json: "{\"a\": 1}".into() }], "needs `contents`"),
            (
                vec![HeldEdit::LeaveOut { parts: vec![(0, 0), (0, 1), (1, 0), (1, 1)] }],
                "Nothing would be left",
            ),
        ] {
            let refusal = edited(&request(), &edits).unwrap_err();
            assert!(refusal.contains(because), "{refusal}");
        }
    }
}
