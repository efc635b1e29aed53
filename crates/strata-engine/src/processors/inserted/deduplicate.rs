//! Puts a reference in place of content that stands further up already.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strata_model::{
    Fingerprint, FingerprintBuilder, LlmRequest, Object, RequestPart, RichText, json, python,
};

use super::by_request::{ByRequest, RequestRule};
use super::memo::Memo;
use super::results::with_result;
use super::rule::{PartChange, RuleContext, change_parts};
use crate::processor::StageOutput;
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};
use crate::sections::Sections;

/// Characters of a text by which its other place is recognised.
const RECOGNISED_BY: usize = 60;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "deduplicate",
    title: "Deduplicate repeated content",
    summary: "Keeps the first of equal messages and tool results, and puts a reference to it in place of the later ones.",
    params: &[ParamSpec {
        name: "min_chars",
        kind: ParamKind::Integer { min: 100, max: 10_000_000 },
        default: "400",
        unit: Some("characters"),
        doc: "Content shorter than this stays: a reference takes about a hundred characters itself.",
    }],
    place: "model_call",
    build: |name, params, _| {
        Ok(ByRequest::boxed(
            name,
            Deduplicate {
                min_chars: params.size("min_chars"),
                keys: Keys::default(),
                histories: Memo::default(),
            },
        ))
    },
};

#[derive(Hash)]
struct Deduplicate {
    min_chars: usize,
    keys: Keys,
    histories: Memo<Seen>,
}

/// What was there before a place of a history.
#[derive(Clone, Default)]
struct Seen {
    /// The first part of each key.
    first: imbl::HashMap<Fingerprint, RequestPart>,
    n_replaced: usize,
}

/// What parts are compared by, by their hash; `None` for those that are too short.
#[derive(Default)]
struct Keys(Mutex<HashMap<Fingerprint, Option<Fingerprint>>>);

/// The memo holds results and decides none.
impl std::hash::Hash for Keys {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl RequestRule for Deduplicate {
    const READS: Sections = Sections::CONTENTS;
    const AFTER: &'static [&'static str] = &["contents"];

    fn apply(&self, request: &mut LlmRequest, pen: &RuleContext<'_>, output: &mut StageOutput) {
        let mut known = self.keys.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = request.contents.len();
        let done = self.histories.apply(pen.key(), &request.contents, all, |seen: &mut Seen, content| {
            change_parts(content, pen, |part| {
                let key = *known.entry(part.fingerprint).or_insert_with(|| self.key(part));
                let Some(key) = key else { return PartChange::Keep };
                match seen.first.get(&key) {
                    None => {
                        seen.first.insert(key, part.clone());
                        PartChange::Keep
                    }
                    Some(earlier) => {
                        seen.n_replaced += 1;
                        PartChange::Replace(reference(part, earlier, pen))
                    }
                }
            })
        });
        if done.n_changed > 0 {
            request.contents = done.contents;
        }
        output.note(match done.gathered.n_replaced {
            0 => "nothing is there twice".to_owned(),
            n => format!("{n} repeated parts replaced by references"),
        });
    }
}

impl Deduplicate {
    fn key(&self, part: &RequestPart) -> Option<Fingerprint> {
        let mut hash = FingerprintBuilder::new();
        if let Some(text) = part.part.text.as_deref() {
            let is_long = text.len() >= self.min_chars && python::len(text) >= self.min_chars;
            return is_long.then(|| hash.number(1).text(text).finish());
        }
        let result = part.part.function_response.as_deref()?.response.as_deref()?;
        let text = json::to_compact_python(&strata_model::Json::Object(result.clone()));
        (python::len(&text) >= self.min_chars).then(|| hash.number(2).text(&text).finish())
    }
}

fn reference(part: &RequestPart, earlier: &RequestPart, pen: &RuleContext<'_>) -> RequestPart {
    if let Some(text) = part.part.text.as_deref() {
        let start: String = text.chars().take(RECOGNISED_BY).collect();
        let note = format!("[same as the earlier message that begins: {start}]");
        return part.with_text(&RichText::from_span(note, part.main_origin().rewritten(pen.name)));
    }
    let response = earlier.part.function_response.as_deref();
    let mut result = Object::new();
    result.push_some("same_as_result_of", response.and_then(|response| response.name.clone()));
    result.push_some("call_id", response.and_then(|response| response.id.clone()));
    with_result(part, pen, result)
}
