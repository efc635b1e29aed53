//! Processors that look at one content at a time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use strata_model::{Contents, EventIndex, Fingerprint, LlmRequest, Origin, RequestContent, RequestPart, Str};

pub(super) use super::memo::Change;
use super::memo::Memo;
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{AnyProcessor, Phase, Processor, StageOutput};
use crate::sections::Sections;

/// A change of contents that looks at nothing but the content itself.
pub(super) trait ContentRule: Hash + Send + Sync + 'static {
    /// What becomes of a content; the same for the same content and `pen`.
    fn change(&self, content: &Arc<RequestContent>, pen: &RuleContext<'_>) -> Change;

    /// How many contents from the front the rule is for.
    fn reach(&self, contents: &Contents) -> usize {
        contents.len()
    }

    /// What is said of `n` contents that were changed.
    fn note(&self, n: usize) -> String;
}

/// What a rule writes with.
pub(super) struct RuleContext<'p> {
    /// The processor's name in its flow.
    pub name: &'p Str,
    /// Events that stay as they are, in order.
    pub pinned: &'p [EventIndex],
}

impl RuleContext<'_> {
    pub(super) fn is_pinned(&self, part: &RequestPart) -> bool {
        let event = part.main_origin().event();
        event.is_some_and(|event| self.pinned.binary_search(&event).is_ok())
    }

    /// What identifies the pinned events.
    pub(super) fn key(&self) -> Fingerprint {
        let pinned = self.pinned.iter().map(|event| Fingerprint(u128::from(event.0)));
        pinned.fold(Fingerprint::default(), Fingerprint::then)
    }

    /// The source of words that the processor itself writes.
    pub(super) fn own_words(&self) -> Origin {
        Origin::Rewritten { by: self.name.clone(), event: None, part: 0 }
    }

    /// A part made of another one.
    pub(super) fn rewritten(&self, from: &RequestPart, part: strata_model::Part) -> RequestPart {
        RequestPart::new(Arc::new(part), from.main_origin().rewritten(self.name))
    }
}

/// Applies `change` to every part that is not pinned. A content that loses all its parts is dropped.
pub(super) fn change_parts(
    content: &Arc<RequestContent>,
    pen: &RuleContext<'_>,
    mut change: impl FnMut(&RequestPart) -> PartChange,
) -> Change {
    let mut changed: Option<Vec<RequestPart>> = None;
    for (at, part) in content.parts.iter().enumerate() {
        let outcome = if pen.is_pinned(part) { PartChange::Keep } else { change(part) };
        match outcome {
            PartChange::Keep => {
                if let Some(parts) = &mut changed {
                    parts.push(part.clone());
                }
            }
            PartChange::Drop => {
                changed.get_or_insert_with(|| content.parts[..at].to_vec());
            }
            PartChange::Replace(other) => {
                changed.get_or_insert_with(|| content.parts[..at].to_vec()).push(other);
            }
        }
    }
    match changed {
        None => Change::Keep,
        Some(parts) if parts.is_empty() => Change::Drop,
        Some(parts) => Change::Replace(Arc::new(content.with_parts(parts))),
    }
}

/// What becomes of a part.
pub(super) enum PartChange {
    Keep,
    Drop,
    Replace(RequestPart),
}

/// A [`ContentRule`] in a flow.
pub(super) struct ByContent<R> {
    name: Str,
    rule: Arc<R>,
    known: Arc<Known>,
}

/// What a rule made of earlier histories, for one processor.
#[derive(Default)]
struct Known {
    histories: Memo<()>,
    /// By pinned events and the content.
    contents: Mutex<HashMap<Fingerprint, Change>>,
}

impl<R: ContentRule> ByContent<R> {
    pub(super) fn boxed(name: Str, rule: R) -> Arc<dyn AnyProcessor> {
        Arc::new(Self { name, rule: Arc::new(rule), known: Arc::default() })
    }
}

pub(super) struct Inputs<'c, R> {
    name: Str,
    rule: Arc<R>,
    pinned: &'c [EventIndex],
    known: Arc<Known>,
}

/// What is known holds results and decides none.
impl<R: Hash> Hash for Inputs<'_, R> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (std::any::type_name::<R>(), &self.name, &self.rule, self.pinned).hash(state);
    }
}

impl<R: ContentRule> Processor for ByContent<R> {
    type Inputs<'c> = Inputs<'c, R>;

    fn name(&self) -> &str {
        &self.name
    }

    fn after(&self) -> &'static [&'static str] {
        &["contents"]
    }

    fn phase(&self) -> Phase {
        Phase::Call
    }

    fn reads(&self) -> Sections {
        Sections::CONTENTS
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c, R> {
        Inputs {
            name: self.name.clone(),
            rule: self.rule.clone(),
            pinned: context.events.pinned(),
            known: self.known.clone(),
        }
    }

    fn process(
        inputs: Inputs<'_, R>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let Inputs { name, rule, pinned, known } = &inputs;
        let pen = RuleContext { name, pinned };
        let (key, reach) = (pen.key(), rule.reach(&request.contents));
        let mut contents = known.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let done = known.histories.apply(key, &request.contents, reach, |(), content| {
            let known = contents.entry(key.then(content.provenance));
            known.or_insert_with(|| rule.change(content, &pen)).clone()
        });
        if done.n_changed > 0 {
            request.contents = done.contents;
        }
        output.note(match done.n_changed {
            0 => "nothing to change".to_owned(),
            n => rule.note(n),
        });
        Ok(())
    }
}
