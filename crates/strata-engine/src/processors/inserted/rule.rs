//! Processors that look at one content at a time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use strata_model::{Contents, EventIndex, Fingerprint, LlmRequest, Origin, RequestContent, RequestPart, Str};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{AnyProcessor, Phase, Processor, StageOutput};
use crate::sections::Sections;

/// What a rule makes of a content.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Keep,
    Drop,
    Replace(Arc<RequestContent>),
}

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
    memo: Arc<Memo>,
}

impl<R: ContentRule> ByContent<R> {
    pub(super) fn boxed(name: Str, rule: R) -> Arc<dyn AnyProcessor> {
        Arc::new(Self { name, rule: Arc::new(rule), memo: Arc::default() })
    }
}

pub(super) struct Inputs<'c, R> {
    name: Str,
    rule: Arc<R>,
    pinned: &'c [EventIndex],
    memo: Arc<Memo>,
}

/// The memo holds results and decides none.
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
            memo: self.memo.clone(),
        }
    }

    fn process(
        inputs: Inputs<'_, R>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let pen = RuleContext { name: &inputs.name, pinned: inputs.pinned };
        let (contents, n_changed) = inputs.memo.apply(&*inputs.rule, &pen, &request.contents);
        if n_changed > 0 {
            request.contents = contents;
        }
        output.note(match n_changed {
            0 => "nothing to change".to_owned(),
            n => inputs.rule.note(n),
        });
        Ok(())
    }
}

/// What a rule made of earlier contents, for one processor.
#[derive(Default)]
struct Memo {
    /// By the hash of the pinned events and all full chunks up to here.
    histories: Mutex<HashMap<Fingerprint, (Contents, usize)>>,
    /// By pinned events and the content.
    contents: Mutex<HashMap<Fingerprint, Change>>,
}

impl Memo {
    /// The contents as the rule leaves them, and how many of them it changed.
    fn apply<R: ContentRule>(
        &self,
        rule: &R,
        pen: &RuleContext<'_>,
        contents: &Contents,
    ) -> (Contents, usize) {
        let reach = rule.reach(contents).min(contents.len());
        let mut key = Fingerprint::default();
        for pinned in pen.pinned {
            key = key.then(Fingerprint(u128::from(pinned.0)));
        }
        let for_content = key;
        // The full chunks that lie in reach, each with the key of everything up to its end.
        let mut ends: Vec<(usize, Fingerprint)> = Vec::new();
        let mut end = 0;
        for chunk in contents.chunks() {
            end += chunk.contents.len();
            if end > reach {
                break;
            }
            key = key.then(chunk.provenance);
            ends.push((end, key));
        }
        let mut histories = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        let known = ends.iter().rev().find_map(|(end, key)| Some((*end, histories.get(key)?.clone())));
        let (mut done, (mut out, mut n_changed)) = known.unwrap_or_default();
        let mut known_contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let mut take = |out: &mut Contents, from: usize, to: usize| {
            let mut n_changed = 0;
            let mut changed = Vec::with_capacity(to - from);
            for at in from..to {
                let Some(content) = contents.get(at) else { break };
                let change = known_contents
                    .entry(for_content.then(content.provenance))
                    .or_insert_with(|| rule.change(content, pen));
                match change {
                    Change::Keep => changed.push(content.clone()),
                    Change::Drop => n_changed += 1,
                    Change::Replace(other) => {
                        changed.push(other.clone());
                        n_changed += 1;
                    }
                }
            }
            out.extend(changed);
            n_changed
        };
        for (end, key) in ends {
            if end > done {
                n_changed += take(&mut out, done, end);
                done = end;
                histories.insert(key, (out.clone(), n_changed));
            }
        }
        n_changed += take(&mut out, done, reach);
        if n_changed > 0 {
            out.extend((reach..contents.len()).filter_map(|at| contents.get(at).cloned()));
        }
        (out, n_changed)
    }
}
