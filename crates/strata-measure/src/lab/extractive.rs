//! Summaries without a model: the sentences that say most, word for word.
//!
//! They are made offline and the same each time. They read worse than a model's and say so themselves; what they keep,
//! they keep exactly.

use std::collections::HashSet;

use strata_engine::LoggedEvent;
use strata_model::{Content, EventIndex, Part, Str};

use super::facts::{Fact, FactKind, FactReader, sentences};
use super::plan::{Stop, SummaryDue, Writer, WrittenSummary};
use super::size::SummarySize;
use crate::not_models::EXTRACTIVE;

/// Longest piece that is taken over, in characters.
const MAX_PIECE: usize = 320;
/// Room that stays for the list of names and numbers, as a share of the whole.
const LIST_SHARE: f64 = 0.4;

/// Writes extractive summaries.
pub struct Extractive<'r> {
    pub reader: &'r FactReader,
}

impl Writer for Extractive<'_> {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        let room = due.max_tokens.unwrap_or_else(|| SummarySize::assumed().tokens(due.source_tokens));
        let seed = due
            .window
            .seed
            .and_then(|seed| seed.event.actions.compaction.as_ref()?.compacted_content.as_ref());
        let before: Vec<&str> = seed
            .into_iter()
            .flat_map(|content| content.parts())
            .filter_map(|part| part.text.as_deref())
            .collect();
        let text = extractive(
            self.reader,
            &head(&due.window.events),
            &before,
            &due.window.events,
            room.min(due.source_tokens),
            &|text| due.tokens(text),
        );
        let content = Content::new("model", [Part::from_text(text)]);
        Ok(Some(WrittenSummary { content, by: Str::from(EXTRACTIVE), ..WrittenSummary::default() }))
    }
}

/// The summary of some events in at most `room` tokens, as `tokens` counts them, under a line in brackets that says what
/// it is. `before` are earlier summaries that this one replaces.
pub fn extractive(
    reader: &FactReader,
    head: &str,
    before: &[&str],
    events: &[&LoggedEvent],
    room: u32,
    tokens: &dyn Fn(&str) -> u32,
) -> String {
    let facts = reader.read(events, events);
    let mut page = Page { lines: Vec::new(), used: 0, room, tokens };
    page.add(head);
    let prose = room - (f64::from(room) * LIST_SHARE) as u32;
    let mut pieces = pieces(before, events, &facts);
    pieces.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.order.cmp(&b.order)));
    let mut taken: Vec<&Piece> = Vec::new();
    for piece in &pieces {
        if page.used + tokens(&piece.line) < prose && taken.iter().all(|known| known.line != piece.line) {
            page.used += tokens(&piece.line) + 1;
            taken.push(piece);
        }
    }
    taken.sort_by_key(|piece| piece.order);
    page.lines.extend(taken.iter().map(|piece| piece.line.clone()));
    list(&mut page, &facts);
    page.lines.join("\n")
}

/// What is written so far.
struct Page<'p> {
    lines: Vec<String>,
    used: u32,
    room: u32,
    tokens: &'p dyn Fn(&str) -> u32,
}

impl Page<'_> {
    fn add(&mut self, line: &str) -> bool {
        let tokens = (self.tokens)(line) + 1;
        if self.used + tokens > self.room {
            return false;
        }
        self.used += tokens;
        self.lines.push(line.to_owned());
        true
    }
}

fn head(events: &[&LoggedEvent]) -> String {
    let numbers: Vec<EventIndex> = events.iter().filter_map(|logged| logged.index).collect();
    match (numbers.first(), numbers.last()) {
        (Some(first), Some(last)) => {
            format!("[Extract of E{} to E{}, made without a model]", first.number(), last.number())
        }
        _ => "[Extract, made without a model]".to_owned(),
    }
}

/// A line that may be taken over.
struct Piece {
    line: String,
    score: f64,
    order: usize,
}

fn pieces(before: &[&str], events: &[&LoggedEvent], facts: &[Fact]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for line in before.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with('[')) {
        // What was worth keeping once is worth keeping again, a little less each time.
        pieces.push(Piece { line: cut(line), score: 2.5, order: pieces.len() });
    }
    let mut is_first_request = before.is_empty();
    for logged in events {
        let author = &logged.event.author;
        let of_event: Vec<&Fact> = facts.iter().filter(|fact| Some(fact.event) == logged.index).collect();
        for part in logged.event.parts().iter().filter(|part| !part.is_thought()) {
            for sentence in part.text.as_deref().into_iter().flat_map(sentences) {
                let inside = of_event.iter().filter(|fact| sentence.contains(&*fact.text));
                let weight: f64 = inside.map(|fact| fact.kind.weight()).sum();
                let mut score = weight / (1.0 + sentence.chars().count() as f64 / 120.0);
                if logged.event.is_from_user() {
                    score += if is_first_request { 10.0 } else { 1.0 };
                    is_first_request = false;
                }
                if score > 0.0 {
                    pieces.push(Piece {
                        line: format!("{author}: {}", cut(sentence)),
                        score,
                        order: pieces.len(),
                    });
                }
            }
            if let Some(call) = &part.function_call {
                let name = call.name.as_deref().unwrap_or_default();
                let line = format!("{author} called {name}");
                pieces.push(Piece { line, score: 0.5, order: pieces.len() });
            }
        }
        for fact in of_event.iter().filter(|fact| fact.kind == FactKind::PendingCall) {
            let line = format!("{author} waits for {}", cut(&fact.text));
            pieces.push(Piece { line, score: 9.0, order: pieces.len() });
        }
    }
    pieces
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_PIECE {
        return text.to_owned();
    }
    let kept: String = text.chars().take(MAX_PIECE).collect();
    format!("{kept}…")
}

/// The names and numbers that no line above tells.
fn list(page: &mut Page<'_>, facts: &[Fact]) {
    const LISTED: [(FactKind, &str); 7] = [
        (FactKind::Identifier, "Names"),
        (FactKind::Path, "Files"),
        (FactKind::Url, "Addresses"),
        (FactKind::Number, "Numbers"),
        (FactKind::Date, "Dates"),
        (FactKind::Command, "Commands"),
        (FactKind::Quoted, "Quoted"),
    ];
    let told = page.lines.join("\n");
    let mut seen: HashSet<&str> = HashSet::new();
    for (kind, title) in LISTED {
        let mut line = String::new();
        for fact in facts.iter().filter(|fact| fact.kind == kind && !told.contains(&*fact.text)) {
            if !seen.insert(&fact.text) {
                continue;
            }
            let separator = if line.is_empty() { format!("{title}: ") } else { "; ".to_owned() };
            let longer = format!("{line}{separator}{}", fact.text);
            if page.used + (page.tokens)(&longer) + 1 > page.room {
                break;
            }
            line = longer;
        }
        if !line.is_empty() {
            page.add(&line);
        }
    }
}
