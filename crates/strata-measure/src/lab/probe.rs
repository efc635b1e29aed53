//! Questions about a window that its summary should still answer.
//!
//! A model answers each twice: from the events, and from the summary that stands in their place. What it knows from the
//! one and not from the other was lost to it.

use strata_engine::LoggedEvent;
use strata_engine::turn::compaction::summarizer_lines;
use strata_model::{EventIndex, Json, json};

use super::facts::{Fact, FactKind, FactReader, content_words};
use super::loss::{LossItem, LossReport};
use super::match_text::SummaryText;
use super::verdict::Verdict;

/// Characters around a gap that are shown on either side.
const AROUND: usize = 110;
/// What stands in place of what is asked for.
const GAP: &str = "____";
/// The share of what one answer says that makes another the same.
const SAME_WORDS: f64 = 0.5;

/// A question about a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    pub question: String,
    /// What is asked for, where the question was made of a fact.
    pub fact: Option<Fact>,
}

/// How two answers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// The summary answers as the events do.
    Kept,
    /// The events answer it, and the summary does not.
    Lost,
    /// The events do not tell it either, so it says nothing of the summary.
    Unanswered,
    /// The events tell it, and the model did not find it in them: it says something of the model, and nothing of the
    /// summary.
    Missed,
}

impl Grade {
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Lost => "lost",
            Self::Unanswered => "unanswered",
            Self::Missed => "missed",
        }
    }
}

/// Questions for the weightiest facts of a window: each a piece of an event with a gap in it. Without a model, and the
/// same each time.
pub fn probes(loss: &LossReport, events: &[&LoggedEvent], most: usize) -> Vec<Probe> {
    let mut probes: Vec<Probe> = Vec::new();
    let mut used: Vec<(EventIndex, FactKind)> = Vec::new();
    let mut items: Vec<&LossItem> = loss.items.iter().collect();
    items.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    // First one of each kind and event, so that ten lines of one table are not ten questions; then what is left.
    for is_first in [true, false] {
        for item in &items {
            let key = (item.fact.event, item.fact.kind);
            let is_known = probes.iter().any(|probe| probe.fact.as_ref() == Some(&item.fact));
            if probes.len() >= most || is_known || (is_first && used.contains(&key)) {
                continue;
            }
            let Some(question) = question(&item.fact, events) else { continue };
            used.push(key);
            probes.push(Probe { question, fact: Some(item.fact.clone()) });
        }
    }
    probes
}

/// The question for a fact; `None` where it is a sentence, or stands nowhere word for word.
fn question(fact: &Fact, events: &[&LoggedEvent]) -> Option<String> {
    if fact.kind.is_sentence() || fact.kind == FactKind::PendingCall || fact.text.trim().len() < 2 {
        return None;
    }
    let logged = events.iter().find(|logged| logged.index == Some(fact.event))?;
    let text = texts(logged).into_iter().find(|text| text.contains(&fact.text))?;
    let at = text.find(&fact.text)?;
    let (before, after) = (&text[..at], &text[at + fact.text.len()..]);
    let start = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(start, _)| start);
    let end = after.char_indices().nth(AROUND).map_or(after.len(), |(end, _)| end);
    // Said again close by, it would answer itself.
    let piece =
        format!("{}{GAP}{}", before[start..].replace(&fact.text, GAP), after[..end].replace(&fact.text, GAP));
    let words = piece.split_whitespace().collect::<Vec<_>>().join(" ");
    (words.len() > GAP.len() + 12)
        .then(|| format!("Which {} stands at {GAP} in “{words}”?", fact.kind.name().replace('_', " ")))
}

/// What an event says, in the words a summariser is given.
fn texts(logged: &LoggedEvent) -> Vec<String> {
    let parts = logged.event.parts().iter().filter(|part| !part.is_thought());
    let texts = parts.flat_map(|part| {
        let text = part.text.as_deref().map(str::to_owned);
        let args = part.function_call.as_ref().and_then(|call| call.args.as_deref());
        let response = part.function_response.as_ref().and_then(|response| response.response.as_deref());
        let dump = |object: &strata_model::Object| json::to_compact(&Json::Object(object.clone()));
        [text, args.map(dump), response.map(dump)]
    });
    texts.flatten().collect()
}

/// What a model is asked: a question, and what it may answer from.
pub fn probe_prompt(context: &str, question: &str) -> String {
    format!(
        "Here is what is known of a conversation:\n\n{context}\n\nAnswer the question from this alone, in a few words and \
         without explanation. If it does not say, answer: unknown\n\nQuestion: {question}"
    )
}

/// The events of a window as text, with the summaries that stand before them.
pub fn window_text(before: &[&str], events: &[&LoggedEvent]) -> String {
    let lines = events.iter().map(|logged| summarizer_lines(logged));
    before.iter().map(|text| (*text).to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}

/// What a model was shown of the events of a window.
pub struct ShownEvents(SummaryText);

impl ShownEvents {
    /// `text` as [`window_text`] has it.
    pub fn new(reader: &FactReader, text: &str) -> Self {
        Self(SummaryText::new(reader, text))
    }

    fn tell(&self, fact: &Fact) -> bool {
        self.0.verdict(fact) != Verdict::Dropped
    }
}

/// Compares an answer from the summary with the answer from the events, against the fact that was asked for.
pub fn grade(
    reader: &FactReader,
    shown: &ShownEvents,
    probe: &Probe,
    from_events: &str,
    from_summary: &str,
) -> Grade {
    let knows =
        |answer: &str, fact: &Fact| SummaryText::new(reader, answer).verdict(fact) != Verdict::Dropped;
    match &probe.fact {
        // Who finds it in the summary shows that it is there, whatever was found in the events.
        Some(fact) if knows(from_summary, fact) => Grade::Kept,
        Some(fact) if knows(from_events, fact) => Grade::Lost,
        Some(fact) if shown.tell(fact) => Grade::Missed,
        Some(_) => Grade::Unanswered,
        None if is_unknown(from_events) => Grade::Unanswered,
        None if is_unknown(from_summary) => Grade::Lost,
        None => says_the_same(reader, from_events, from_summary),
    }
}

fn is_unknown(answer: &str) -> bool {
    let words = content_words(answer);
    words.is_empty() || (words.len() <= 2 && words.contains("unknown"))
}

/// Whether names and numbers of the first answer stand in the second; without any, most of its words.
fn says_the_same(reader: &FactReader, first: &str, second: &str) -> Grade {
    let facts = reader.read_text(first);
    let other = SummaryText::new(reader, second);
    let share = if facts.is_empty() {
        let (words, others) = (content_words(first), content_words(second));
        words.intersection(&others).count() as f64 / words.len().max(1) as f64
    } else {
        let kept = facts.iter().filter(|fact| other.verdict(fact) != Verdict::Dropped).count();
        kept as f64 / facts.len() as f64
    };
    if share >= SAME_WORDS { Grade::Kept } else { Grade::Lost }
}
