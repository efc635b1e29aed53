//! Text of the instruction that is sent behind the history instead, so that a prefix stays the same.

use std::sync::Arc;

use strata_model::{LlmRequest, Origin, RichText, TextSpan};

/// Lines longer than this are taken apart at the ends of sentences.
const LONG_LINE: usize = 300;

/// A request, and text that is sent behind everything of it which can be found again.
#[derive(Debug, Clone)]
pub struct Rewritten {
    pub request: LlmRequest,
    pub tail: Option<RichText>,
}

impl Rewritten {
    pub fn new(request: LlmRequest) -> Self {
        Self { request, tail: None }
    }

    pub fn with_tail(request: LlmRequest, tail: RichText) -> Self {
        Self { request, tail: (!tail.is_empty()).then_some(tail) }
    }
}

/// Lines of the instruction with a volatile source go behind the history.
pub fn moved_behind(request: &LlmRequest, is_volatile: &dyn Fn(&Origin) -> bool) -> Rewritten {
    let Some(system) = &request.system_instruction else { return Rewritten::new(request.clone()) };
    let (mut stays, mut moves) = (RichText::new(), RichText::new());
    for line in lines(system) {
        let goes = line.iter().any(|span| is_volatile(&span.origin));
        let to = if goes { &mut moves } else { &mut stays };
        for span in line {
            to.push(span.text, span.origin);
        }
    }
    if moves.is_empty() {
        return Rewritten::new(request.clone());
    }
    let request = LlmRequest { system_instruction: Some(Arc::new(stays)), ..request.clone() };
    Rewritten::with_tail(request, moves)
}

/// A text in lines, each with its line break; long ones in sentences.
fn lines(text: &RichText) -> Vec<Vec<TextSpan>> {
    let is_long = |line: &[TextSpan]| line.iter().map(|span| span.text.len()).sum::<usize>() > LONG_LINE;
    let lines = pieces(text.spans(), "\n").into_iter();
    lines.flat_map(|line| if is_long(&line) { pieces(&line, ". ") } else { vec![line] }).collect()
}

/// Spans cut behind every `end`; each piece keeps its own.
fn pieces(spans: &[TextSpan], end: &str) -> Vec<Vec<TextSpan>> {
    let mut pieces: Vec<Vec<TextSpan>> = vec![Vec::new()];
    for span in spans {
        for text in span.text.split_inclusive(end) {
            let piece = TextSpan { text: text.into(), origin: span.origin.clone() };
            match pieces.last_mut() {
                Some(last) => last.push(piece),
                None => pieces.push(vec![piece]),
            }
            if text.ends_with(end) {
                pieces.push(Vec::new());
            }
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
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
    fn only_the_line_with_the_value_moves() {
        let request = request(&[("Rules.\nHits: ", None), ("41", Some("hits")), (".\nBe kind.", None)]);
        let moved = moved_behind(&request, &|origin| matches!(origin, Origin::State { .. }));
        assert_eq!(system(&moved.request), "Rules.\nBe kind.");
        assert_eq!(moved.tail.map(|text| text.to_text().to_string()).as_deref(), Some("Hits: 41.\n"));
    }
}
