//! Requests as they would be after a fix.

use std::sync::Arc;

use strata_engine::processors::Rewritten;
use strata_model::{Contents, LlmRequest, Origin, RequestContent, RequestPart, RequestTool, RichText, Str};

use super::sentences::sentences;

/// The values of state keys go behind the history; their names stay in the instruction.
pub(super) fn named_values(request: &LlmRequest, keys: &[Str]) -> Rewritten {
    let mut values = RichText::new();
    let rewritten = with_state(request, keys, |key, value| {
        let origin = Origin::State { key: key.clone() };
        values.push(format!("{key}: {value}\n"), origin);
        format!("{{{key}}}")
    });
    Rewritten::with_tail(rewritten, values)
}

/// Other text for the values of state keys, wherever they are filled in.
pub(super) fn with_state(
    request: &LlmRequest,
    keys: &[Str],
    mut change: impl FnMut(&Str, &str) -> String,
) -> LlmRequest {
    let Some(system) = &request.system_instruction else { return request.clone() };
    let mut changed = RichText::new();
    for span in system.spans() {
        match &span.origin {
            Origin::State { key } if keys.contains(key) => {
                changed.push(change(key, &span.text), span.origin.clone());
            }
            _ => changed.push(span.text.clone(), span.origin.clone()),
        }
    }
    LlmRequest { system_instruction: Some(Arc::new(changed)), ..request.clone() }
}

/// Sentences of the system text that begin in one of these ways go behind the history.
pub(super) fn without_sentences(request: &LlmRequest, beginnings: &[Str]) -> Rewritten {
    let Some(system) = &request.system_instruction else { return Rewritten::new(request.clone()) };
    let text = system.to_text();
    let origin = Origin::Run { field: "system".into() };
    let (mut stays, mut moves) = (RichText::new(), RichText::new());
    for sentence in sentences(&text) {
        let goes = beginnings.iter().any(|beginning| sentence.starts_with(&**beginning));
        let to = if goes { &mut moves } else { &mut stays };
        to.push(sentence, origin.clone());
    }
    if moves.is_empty() {
        return Rewritten::new(request.clone());
    }
    Rewritten::with_tail(LlmRequest { system_instruction: Some(Arc::new(stays)), ..request.clone() }, moves)
}

/// A whole number to one digit; anything else as it is.
pub(super) fn rounded(value: &str) -> String {
    let Ok(number) = value.trim().parse::<i64>() else { return value.to_owned() };
    let mut unit = 1_i64;
    while number.unsigned_abs() / unit.unsigned_abs() >= 10 {
        unit = unit.saturating_mul(10);
    }
    (number / unit * unit).to_string()
}

/// Functions in the order of their names.
pub(super) fn tools_in_order(request: &LlmRequest) -> LlmRequest {
    let mut tools = request.tools.as_ref().clone();
    for tool in &mut tools {
        if let RequestTool::Functions(declarations) = tool {
            declarations.sort_by(|a, b| a.name().cmp(b.name()));
        }
    }
    LlmRequest { tools: Arc::new(tools), ..request.clone() }
}

/// Contents that the instruction was placed in go to the end of the system instruction.
pub(super) fn placed_in_system(request: &LlmRequest) -> LlmRequest {
    let mut system = request.system_instruction.as_deref().cloned().unwrap_or_default();
    let mut kept: Vec<Arc<RequestContent>> = Vec::with_capacity(request.contents.len());
    for content in request.contents.iter() {
        if content.parts.iter().all(is_placed) && !content.parts.is_empty() {
            for part in &content.parts {
                system.append_block("\n\n", part.rich_text());
            }
        } else {
            kept.push(content.clone());
        }
    }
    LlmRequest {
        system_instruction: Some(Arc::new(system)),
        contents: kept.into_iter().collect(),
        ..request.clone()
    }
}

/// A part of the instruction that stands among the contents.
fn is_placed(part: &RequestPart) -> bool {
    let is_of_instruction = |origin: &Origin| {
        matches!(origin, Origin::Instruction { .. } | Origin::State { .. })
            || matches!(origin, Origin::Processor { name } if **name == *"instructions")
    };
    part.part.text.is_some() && part.origins().iter().all(|(_, origin)| is_of_instruction(origin))
}

/// The contents of a request behind those of the one before it, as if nothing had been taken off the beginning.
/// `None` where the two have nothing in common.
pub(super) fn continued(before: &Contents, now: &Contents) -> Option<Contents> {
    let first = now.get(0)?;
    if let Some(at) = before.iter().position(|content| content.fingerprint == first.fingerprint) {
        return Some(before.iter().take(at).chain(now.iter()).cloned().collect());
    }
    // A summary stands first: go on behind the last content that both have.
    let last = before.last()?;
    let at = now.iter().position(|content| content.fingerprint == last.fingerprint)?;
    Some(before.iter().chain(now.iter().skip(at + 1)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(spans: &[(&str, Option<&str>)]) -> LlmRequest {
        let mut system = RichText::new();
        for (text, key) in spans {
            let origin = key.map_or(Origin::processor("test"), |key| Origin::State { key: key.into() });
            system.push(*text, origin);
        }
        LlmRequest { system_instruction: Some(Arc::new(system)), ..LlmRequest::default() }
    }

    fn system(request: &LlmRequest) -> String {
        request.system_instruction.as_ref().map_or_else(String::new, |text| text.to_text().to_string())
    }

    #[test]
    fn values_are_named_in_their_place() {
        let rewritten = named_values(&request(&[("Hits: ", None), ("41", Some("hits"))]), &["hits".into()]);
        assert_eq!(system(&rewritten.request), "Hits: {hits}");
        assert_eq!(rewritten.tail.map(|text| text.to_text().to_string()).as_deref(), Some("hits: 41\n"));
    }

    #[test]
    fn numbers_are_rounded_to_their_first_digit() {
        for (value, expected) in [("2318", "2000"), ("7", "7"), ("-45", "-40"), ("0", "0"), ("many", "many")]
        {
            assert_eq!(rounded(value), expected);
        }
    }

    #[test]
    fn a_window_that_moved_is_continued() {
        let contents = |range: std::ops::Range<u32>| -> Contents {
            let origin = Origin::processor("test");
            let content = |n: u32| {
                Arc::new(RequestContent::user_text(
                    &RichText::from_span(n.to_string(), origin.clone()),
                    origin.clone(),
                ))
            };
            range.map(content).collect()
        };
        let length = |before, now| continued(&before, &now).map(|contents| contents.len());
        assert_eq!(length(contents(0..5), contents(3..7)), Some(7));
        assert_eq!(length(contents(0..5), contents(5..7)), None);
        // 9 stands for what came before 4.
        let mut summarised = contents(9..10);
        summarised.extend(contents(4..7).iter().cloned());
        assert_eq!(length(contents(0..5), summarised), Some(7));
    }
}
