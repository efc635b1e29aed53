//! Sources for contents that come back from code: a script, or a plugin or callback that was recorded.
//!
//! What comes back as it was keeps its source. What is new or different was written by the code; where it replaces
//! something, a comparison says of which bytes.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use strata_model::text::{common_end, common_start};
use strata_model::{
    Fingerprint, FingerprintBuilder, FromJson as _, Json, Origin, Part, RequestContent, RequestPart,
    RichText, Str,
};

/// Longer texts are compared by their beginnings and ends alone.
const MAX_LINES: usize = 3000;
/// Of a new text, so much (1/5) has to stand in an old one for the code to have changed it rather than written it.
const SHARED: usize = 5;

/// By what a part is known again when it comes back.
pub(super) type Print = fn(&RequestPart) -> Fingerprint;

/// The contents some code was given.
pub(super) struct Originals<'o> {
    contents: Vec<&'o Arc<RequestContent>>,
    /// All parts in order, as `(content, part)`.
    parts: Vec<(usize, &'o RequestPart)>,
    /// Of each part.
    prints: Vec<Fingerprint>,
    print: Print,
    by: &'o Str,
}

impl<'o> Originals<'o> {
    pub(super) fn of(
        contents: impl IntoIterator<Item = &'o Arc<RequestContent>>,
        print: Print,
        by: &'o Str,
    ) -> Self {
        let contents: Vec<_> = contents.into_iter().collect();
        let parts = contents.iter().enumerate();
        let parts: Vec<_> =
            parts.flat_map(|(at, content)| content.parts.iter().map(move |part| (at, part))).collect();
        let prints = parts.iter().map(|(_, part)| print(part)).collect();
        Self { contents, parts, prints, print, by }
    }

    /// The contents that came back, all of them the code's own as yet, with their sources.
    pub(super) fn sourced(&self, plain: &[Arc<RequestContent>]) -> Vec<Arc<RequestContent>> {
        let matches = self.matches(plain);
        let mut n_before = 0;
        let mut sourced = Vec::with_capacity(plain.len());
        for (at, content) in plain.iter().enumerate() {
            let range = n_before..n_before + content.parts.len();
            n_before = range.end;
            if let Some(same) = self.same_content(at, content, &matches[range.clone()]) {
                sourced.push(same);
                continue;
            }
            let parts = range.zip(&content.parts).map(|(place, part)| match matches[place] {
                Some(original) => self.parts[original].1.clone(),
                None => self.changed(place, part, content, &matches),
            });
            sourced.push(Arc::new(content.with_parts(parts.collect())));
        }
        sourced
    }

    /// For each returned part the original that is equal to it, each original once, in order where possible.
    fn matches(&self, plain: &[Arc<RequestContent>]) -> Vec<Option<usize>> {
        let mut waiting: HashMap<Fingerprint, VecDeque<usize>> = HashMap::new();
        for (at, print) in self.prints.iter().enumerate() {
            waiting.entry(*print).or_default().push_back(at);
        }
        let parts = plain.iter().flat_map(|content| &content.parts);
        parts.map(|part| waiting.get_mut(&(self.print)(part))?.pop_front()).collect()
    }

    /// The very content the code was given, if it came back whole.
    fn same_content(
        &self,
        at: usize,
        content: &RequestContent,
        matches: &[Option<usize>],
    ) -> Option<Arc<RequestContent>> {
        let original = match matches.first() {
            Some(first) => self.parts[(*first)?].0,
            None => at,
        };
        let original = *self.contents.get(original)?;
        let is_whole = original.role == content.role
            && original.parts.len() == content.parts.len()
            && matches.iter().all(|found| found.is_some())
            && matches.iter().flatten().zip(matches.iter().skip(1).flatten()).all(|(a, b)| a + 1 == *b);
        is_whole.then(|| original.clone())
    }

    fn changed(
        &self,
        place: usize,
        part: &RequestPart,
        content: &RequestContent,
        matches: &[Option<usize>],
    ) -> RequestPart {
        let from = self.candidates(place, matches).filter(|at| {
            let (content_at, original) = self.parts[*at];
            is_same_kind(&original.part, &part.part)
                && (self.contents[content_at].role == content.role || is_paired(&original.part, &part.part))
        });
        let from = from.max_by_key(|at| {
            (is_paired(&self.parts[*at].1.part, &part.part), shared(self.parts[*at].1, part))
        });
        let Some(original) = from.map(|at| self.parts[at].1) else { return part.clone() };
        let Some(text) = part.part.text.as_deref() else {
            return RequestPart::new(part.part.clone(), original.main_origin().rewritten(self.by));
        };
        if shared(original, part) * SHARED < text.len() {
            return part.clone();
        }
        let own = original.main_origin().rewritten(self.by);
        part.with_text(&sourced_text(&original.rich_text(), text, &own))
    }

    /// Originals that did not come back, between the neighbours of a returned part that did.
    fn candidates(&self, place: usize, matches: &[Option<usize>]) -> impl Iterator<Item = usize> {
        let after = matches[..place].iter().rev().find_map(|found| *found).map_or(0, |found| found + 1);
        let before = matches[place..].iter().find_map(|found| *found).unwrap_or(self.parts.len());
        let range: Range<usize> = if after <= before { after..before } else { 0..self.parts.len() };
        let taken: Vec<usize> = matches.iter().flatten().copied().filter(|at| range.contains(at)).collect();
        range.filter(move |at| !taken.contains(at))
    }
}

/// Identifies a part by all of it.
pub(super) fn exact(part: &RequestPart) -> Fingerprint {
    part.fingerprint
}

/// Identifies a part by what JavaScript keeps of it: numbers are floating-point numbers there, and keys that are
/// numbers change their places.
pub(super) fn as_scripted(part: &RequestPart) -> Fingerprint {
    let part = &part.part;
    if part.function_call.is_none() && part.function_response.is_none() && part.other.is_empty() {
        return FingerprintBuilder::new().json(&part.to_json()).finish();
    }
    FingerprintBuilder::new().json(&as_script_sees(&part.to_json())).finish()
}

fn as_script_sees(value: &Json) -> Json {
    match value {
        Json::Int(_) | Json::BigInt(_) | Json::Float(_) => match value.as_f64() {
            Some(number) if number.is_finite() => Json::Float(number + 0.0),
            _ => Json::Null,
        },
        Json::Array(items) => Json::Array(items.iter().map(as_script_sees).collect()),
        Json::Object(object) => Json::Object(
            object.sorted().iter().map(|(key, value)| (key.clone(), as_script_sees(value))).collect(),
        ),
        other => other.clone(),
    }
}

fn is_same_kind(a: &Part, b: &Part) -> bool {
    let kind = |part: &Part| {
        (
            part.text.is_some(),
            part.function_call.is_some(),
            part.function_response.is_some(),
            part.inline_data.is_some(),
        )
    };
    kind(a) == kind(b)
}

/// The same call, or a result of the same call.
fn is_paired(a: &Part, b: &Part) -> bool {
    let call = |part: &Part| part.function_call.as_ref().map(|call| (call.id.clone(), call.name.clone()));
    let response = |part: &Part| {
        part.function_response.as_ref().map(|response| (response.id.clone(), response.name.clone()))
    };
    (call(a).is_some() && call(a) == call(b)) || (response(a).is_some() && response(a) == response(b))
}

/// Bytes that two texts have in common at their beginnings and ends, or in whole lines.
fn shared(original: &RequestPart, part: &RequestPart) -> usize {
    let (Some(old), Some(new)) = (original.part.text.as_deref(), part.part.text.as_deref()) else { return 0 };
    kept(old, new).iter().map(|(_, new)| new.len()).sum()
}

/// A new text: what stands in the old one keeps its sources, all else is from `own`.
pub(super) fn sourced_text(old: &RichText, new: &str, own: &Origin) -> RichText {
    let mut sourced = RichText::new();
    let mut written = 0;
    for (from, to) in kept(&old.to_text(), new) {
        sourced.push(&new[written..to.start], own.clone());
        sourced.append(old.slice(from.start, from.end));
        written = to.end;
    }
    sourced.push(&new[written..], own.clone());
    sourced
}

/// Pieces of `old` that stand in `new`, in order, as byte ranges of both.
fn kept(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let start = common_start(old, new);
    let end = common_end(&old[start..], &new[start..]);
    let (old_middle, new_middle) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let mut pieces = vec![(0..start, 0..start)];
    let old_lines: Vec<&str> = old_middle.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new_middle.split_inclusive('\n').collect();
    if old_lines.len() <= MAX_LINES && new_lines.len() <= MAX_LINES {
        let ends = |lines: &[&str]| -> Vec<usize> {
            let mut at = start;
            let ends = lines.iter().map(|line| {
                at += line.len();
                at
            });
            std::iter::once(start).chain(ends).collect()
        };
        let (old_ends, new_ends) = (ends(&old_lines), ends(&new_lines));
        for op in capture_diff_slices(Algorithm::Patience, &old_lines, &new_lines) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                let from = old_ends[old_index]..old_ends[old_index + len];
                pieces.push((from, new_ends[new_index]..new_ends[new_index + len]));
            }
        }
    }
    pieces.push((old.len() - end..old.len(), new.len() - end..new.len()));
    pieces.retain(|(_, new)| !new.is_empty());
    pieces
}
