//! Where the bytes of a recorded system instruction come from, by the one that was compiled.

use std::ops::Range;

use strata_model::text::{common_end, common_start};
use strata_model::{InstructionKind, Origin, RichText, Str};

/// The recorded text, block by block as it was sent, with the sources of the compiled one: of what both begin with and
/// of what both end with. What stands between is from what stands there in the compiled text, where that is one source:
/// another value of the same key, or other words of the same instruction.
pub(super) fn sourced(recorded: &RichText, compiled: Option<&RichText>, agent: &Str) -> RichText {
    let text = recorded.to_text();
    let own = |kind| vec![(0..text.len(), Origin::Instruction { agent: agent.clone(), kind })];
    let pieces = match compiled {
        Some(compiled) => pieces(&text, compiled).unwrap_or_else(|| own(kind_of(compiled))),
        None => own(InstructionKind::Dynamic),
    };
    let mut sourced = RichText::new();
    let mut start = 0;
    for block in recorded.blocks() {
        let end = start + block.iter().map(|span| span.text.len()).sum::<usize>();
        let mut own = RichText::new();
        for (range, origin) in &pieces {
            let within = range.start.max(start)..range.end.min(end);
            if within.start < within.end {
                own.push(&text[within], origin.clone());
            }
        }
        sourced.append_block("", own);
        start = end;
    }
    sourced
}

/// Which instruction text is that nobody else wrote.
fn kind_of(compiled: &RichText) -> InstructionKind {
    let is_static =
        |origin: &Origin| matches!(origin, Origin::Instruction { kind: InstructionKind::Static, .. });
    if compiled.spans().iter().any(|span| is_static(&span.origin)) {
        InstructionKind::Static
    } else {
        InstructionKind::Dynamic
    }
}

/// Ranges of the text with their sources. `None` where the compiled text is another one for the most part.
fn pieces(text: &str, compiled: &RichText) -> Option<Vec<(Range<usize>, Origin)>> {
    let known = compiled.to_text();
    let begin = common_start(text, &known);
    let end = common_end(&text[begin..], &known[begin..]);
    if (begin + end) * 2 < text.len() {
        return None;
    }
    let (behind, known_behind) = (text.len() - end, known.len() - end);
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut between = Vec::new();
    let mut last = Vec::new();
    for span in compiled.spans() {
        let range = start..start + span.text.len();
        start = range.end;
        if range.start < begin {
            pieces.push((range.start..range.end.min(begin), span.origin.clone()));
        }
        let touches = range.start <= known_behind && begin <= range.end;
        let is_within = range.start < known_behind && begin < range.end;
        if is_within || (begin == known_behind && touches) {
            between.push(&span.origin);
        }
        if range.end > known_behind {
            let moved = |at: usize| at.max(known_behind) - known_behind + behind;
            last.push((moved(range.start)..moved(range.end), span.origin.clone()));
        }
    }
    if begin < behind {
        pieces.push((begin..behind, source_between(&between)?.clone()));
    }
    pieces.extend(last);
    Some(pieces)
}

/// The one source of some text, or the value beside which it was put.
fn source_between<'o>(sources: &[&'o Origin]) -> Option<&'o Origin> {
    let mut values = sources.iter().filter(|origin| matches!(origin, Origin::State { .. }));
    match (values.next(), values.next()) {
        (Some(value), None) if sources.len() <= 2 => Some(value),
        _ => sources
            .iter()
            .find(|origin| matches!(origin, Origin::Instruction { .. }))
            .or(sources.first())
            .copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(value: &str) -> RichText {
        let agent = Str::from("desk");
        let words = Origin::Instruction { agent, kind: InstructionKind::Dynamic };
        let mut text = RichText::from_span("You count refunds. Found: ", words.clone());
        text.push(value.to_owned(), Origin::State { key: "hits".into() });
        text.push(". Be brief.", words);
        text
    }

    fn sources(recorded: &str, compiled: &RichText) -> Vec<(String, bool)> {
        let recorded = RichText::from_span(recorded.to_owned(), Origin::Run { field: "request".into() });
        let sourced = sourced(&recorded, Some(compiled), &"desk".into());
        assert_eq!(sourced.to_text(), recorded.to_text());
        let is_value = |origin: &Origin| matches!(origin, Origin::State { .. });
        let mut spans: Vec<(String, bool)> = Vec::new();
        for span in sourced.spans() {
            match spans.last_mut() {
                Some((text, of)) if *of == is_value(&span.origin) => text.push_str(&span.text),
                _ => spans.push((span.text.to_string(), is_value(&span.origin))),
            }
        }
        spans
    }

    #[test]
    fn another_value_in_the_same_place_is_of_the_same_key() {
        for value in ["45", "412", "2318", "4", "14"] {
            let recorded = format!("You count refunds. Found: {value}. Be brief.");
            let expected = [("You count refunds. Found: ", false), (value, true), (". Be brief.", false)];
            let expected = expected.map(|(text, is_value)| (text.to_owned(), is_value));
            assert_eq!(sources(&recorded, &template("41")), expected, "{value}");
        }
    }

    #[test]
    fn other_words_leave_the_value_to_its_key() {
        let recorded = "You count all refunds. Found: 41. Be brief.";
        assert_eq!(sources(recorded, &template("41"))[1], ("41".to_owned(), true));
        assert_eq!(sources("Something else.", &template("41")), [("Something else.".to_owned(), false)]);
    }
}
