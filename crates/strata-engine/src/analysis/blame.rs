//! Why a prompt does not begin with the one before it.

use strata_model::app::IncludeContents;
use strata_model::json::to_compact;
use strata_model::{EventIndex, LlmRequest, Origin, RequestContent, Str, TextSpan};
use strata_wire::{Path, Segment};

use super::prefix::{CommonPrefix, PrefixEnd};
use super::weigh::definitions;
use crate::calls::Call;
use crate::experiment::Experiment;

/// What changed first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// A template was filled with another value.
    State { key: Str, before: String, after: String },
    /// Other text of the instruction.
    Instruction { origin: Origin },
    /// Tools or the answer schema: what was added, removed or changed, or only the order.
    Definitions { added: Vec<String>, removed: Vec<String>, changed: Vec<String> },
    /// A summary replaced a part of the history.
    Compacted { by: EventIndex },
    /// A rewind took events back.
    Rewound { by: EventIndex },
    /// The agent sees its current turn only, and the turn is another one.
    OtherTurn,
    /// An event stands at another place, or something came in before it.
    Reordered { event: EventIndex },
    /// An event is told differently.
    Rewritten { event: EventIndex },
    /// Something that is not an event changed in the conversation.
    Inserted { origin: Origin },
    /// An event is no longer there.
    Dropped { event: EventIndex },
}

impl Cause {
    /// Whether the session could have gone on the same way without it.
    pub fn is_avoidable(&self) -> bool {
        !matches!(self, Self::Compacted { .. } | Self::Rewound { .. } | Self::OtherTurn)
    }
}

/// The place in a prompt where the prefix it shares with the one before it ends, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixBreak {
    /// The segment in which the first difference stands, as [`Path`] prints it.
    pub path: String,
    pub cause: Cause,
}

/// Two calls of one lineage, and their prompts.
pub(super) struct Pair<'e> {
    pub experiment: &'e Experiment,
    pub earlier: (&'e Call, &'e LlmRequest),
    pub later: (&'e Call, &'e LlmRequest),
}

impl Pair<'_> {
    /// `None` when the later prompt begins with the whole earlier one.
    pub(super) fn find_break(&self, common: &CommonPrefix) -> Option<PrefixBreak> {
        match common.ends_in {
            PrefixEnd::Whole => None,
            PrefixEnd::Definitions => Some(self.in_definitions(common)),
            PrefixEnd::System => Some(self.in_system(common)),
            PrefixEnd::Contents => Some(self.in_contents(common)),
        }
    }

    fn in_definitions(&self, common: &CommonPrefix) -> PrefixBreak {
        let list = |request| definitions(request).map(|segment| named(&segment)).collect::<Vec<_>>();
        let (earlier, later) = (list(self.earlier.1), list(self.later.1));
        let missing = |of: &[(String, String)], other: &[(String, String)]| -> Vec<String> {
            let is_missing = |(name, _): &&(String, String)| other.iter().all(|(known, _)| known != name);
            of.iter().filter(is_missing).map(|(name, _)| name.clone()).collect()
        };
        let changed = later
            .iter()
            .filter(|(name, text)| earlier.iter().any(|(known, before)| known == name && before != text));
        let changed = changed.map(|(name, _)| name.clone()).collect();
        let path =
            later.get(common.definitions).or(later.last()).map_or(String::new(), |(name, _)| name.clone());
        let cause = Cause::Definitions {
            added: missing(&later, &earlier),
            removed: missing(&earlier, &later),
            changed,
        };
        PrefixBreak { path, cause }
    }

    fn in_system(&self, common: &CommonPrefix) -> PrefixBreak {
        let at = common.system_bytes;
        let later = Place::find(self.later.1, at);
        let earlier = Place::find(self.earlier.1, at);
        let states = [&later, &earlier].into_iter().flatten().filter_map(|place| match &place.span.origin {
            Origin::State { key } => Some(key.clone()),
            _ => None,
        });
        let cause = match states.into_iter().next() {
            Some(key) => {
                let value = |call: &Call| {
                    let state = self.experiment.states().at(call.n_events());
                    state.get(&key).known().map_or_else(|| "not set".to_owned(), to_compact)
                };
                Cause::State { before: value(self.earlier.0), after: value(self.later.0), key }
            }
            None => {
                let origin = later.as_ref().or(earlier.as_ref()).map(|place| place.span.origin.clone());
                Cause::Instruction { origin: origin.unwrap_or(Origin::processor("instructions")) }
            }
        };
        let block = later.or(earlier).map_or(0, |place| place.block);
        PrefixBreak { path: Path::System { block }.to_string(), cause }
    }

    fn in_contents(&self, common: &CommonPrefix) -> PrefixBreak {
        let path = Path::Part { content: common.contents, part: common.parts }.to_string();
        PrefixBreak { path, cause: self.cause_in_contents(common) }
    }

    fn cause_in_contents(&self, common: &CommonPrefix) -> Cause {
        let origin =
            |request: &LlmRequest| part_origin(request.contents.get(common.contents)?, common.parts).cloned();
        let (before, now) = (origin(self.earlier.1), origin(self.later.1));
        let since = self.earlier.0.answer.as_usize()..=self.later.0.answer.as_usize();
        let events = &self.experiment.session().events[since.clone()];
        let last = |is: &dyn Fn(&strata_model::Event) -> bool| {
            let at = events.iter().rposition(|event| is(event))?;
            Some(EventIndex((since.start() + at) as u32))
        };
        if let Some(Origin::Summary { event, .. }) = now {
            return Cause::Compacted { by: event };
        }
        if let Some(by) = last(&|event| event.is_compaction()) {
            return Cause::Compacted { by };
        }
        if let Some(by) = last(&|event| event.actions.rewind_before_invocation_id.is_some()) {
            return Cause::Rewound { by };
        }
        if self.sees_one_turn() && self.earlier.0.turn != self.later.0.turn {
            return Cause::OtherTurn;
        }
        match (before.as_ref().and_then(Origin::event), now.as_ref().and_then(Origin::event)) {
            (Some(before), Some(now)) if before == now => Cause::Rewritten { event: now },
            (Some(before), _) if self.is_sent_later(before) => Cause::Reordered { event: before },
            (Some(before), _) => Cause::Dropped { event: before },
            (None, _) => Cause::Inserted { origin: now.or(before).unwrap_or(Origin::processor("contents")) },
        }
    }

    fn sees_one_turn(&self) -> bool {
        let context = self.experiment.context(self.later.0);
        context.is_some_and(|context| context.include_contents() == IncludeContents::None)
    }

    fn is_sent_later(&self, event: EventIndex) -> bool {
        let parts = self.later.1.contents.iter().flat_map(|content| &content.parts);
        parts.into_iter().any(|part| part.main_origin().event() == Some(event))
    }
}

/// The path and the text of a tool or schema.
fn named(segment: &Segment<'_>) -> (String, String) {
    (segment.path.to_string(), segment.text().into_owned())
}

/// The part at a place, or what stands there instead: the whole content.
fn part_origin(content: &RequestContent, part: usize) -> Option<&Origin> {
    content.parts.get(part).or(content.parts.last()).map(|part| part.main_origin())
}

/// A byte of a system instruction.
struct Place<'r> {
    span: &'r TextSpan,
    block: usize,
}

impl<'r> Place<'r> {
    fn find(request: &'r LlmRequest, at: usize) -> Option<Self> {
        let mut end = 0;
        for (block, spans) in request.system_instruction.as_ref()?.blocks().enumerate() {
            for span in spans {
                end += span.text.len();
                if at < end {
                    return Some(Self { span, block });
                }
            }
        }
        None
    }
}
