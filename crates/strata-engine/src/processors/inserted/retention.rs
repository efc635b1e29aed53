//! Keeps the newest of a history: by number of turns, by age, by size.

use std::hash::Hash;
use std::sync::Arc;

use strata_model::{Contents, EventIndex, FromJson as _, LlmRequest, RequestContent, Str, json, python};

use super::results::is_turn_start;
use super::rule::RuleContext;
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::log::EventView;
use crate::processor::{Fingerprinted, Phase, Processor, StageOutput};
use crate::processors::kind::ProcessorKind;
use crate::processors::params::{ParamKind, ParamSpec};
use crate::processors::plugins::before_orphans;
use crate::sections::Sections;

const SECONDS_PER_MINUTE: f64 = 60.0;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "retention",
    title: "Keep the newest turns",
    summary: "Cuts the history before the newest turns: by their number, their age, their size, or all of these. The last turn always stays, and so does what is pinned.",
    params: &[
        ParamSpec {
            name: "max_turns",
            kind: ParamKind::Integer { min: 1, max: 100_000 },
            default: "null",
            unit: Some("turns"),
            doc: "Turns of the user that are kept; left empty, any number.",
        },
        ParamSpec {
            name: "max_minutes",
            kind: ParamKind::Integer { min: 1, max: 10_000_000 },
            default: "null",
            unit: Some("minutes"),
            doc: "Turns that began longer than this before the newest event are cut; left empty, none.",
        },
        ParamSpec {
            name: "max_chars",
            kind: ParamKind::Integer { min: 1, max: 1_000_000_000 },
            default: "null",
            unit: Some("characters"),
            doc: "Size up to which turns are kept; left empty, any size.",
        },
        ParamSpec {
            name: "step",
            kind: ParamKind::Integer { min: 1, max: 100_000 },
            default: "1",
            unit: Some("turns"),
            doc: "Turns are cut in steps of so many. A larger step moves the beginning less often, so that the cached prefix lives longer.",
        },
    ],
    place: "model_call",
    build: |name, params, _| {
        let limits = Limits {
            max_turns: params.optional_size("max_turns"),
            max_minutes: params.optional_number("max_minutes"),
            max_chars: params.optional_size("max_chars"),
            step: params.size("step").max(1),
        };
        if limits.max_turns.is_none() && limits.max_minutes.is_none() && limits.max_chars.is_none() {
            return Err("`retention` needs at least one of max_turns, max_minutes and max_chars.".to_owned());
        }
        Ok(Arc::new(Retention { name, limits }))
    },
};

struct Retention {
    name: Str,
    limits: Limits,
}

#[derive(Clone, Copy, Hash)]
struct Limits {
    max_turns: Option<usize>,
    max_minutes: Option<i64>,
    max_chars: Option<usize>,
    step: usize,
}

#[derive(Hash)]
struct Inputs<'c> {
    name: Str,
    limits: Limits,
    pinned: &'c [EventIndex],
    /// Only where age matters.
    events: Option<Fingerprinted<EventView<'c>>>,
}

impl Processor for Retention {
    type Inputs<'c> = Inputs<'c>;

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

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let events = self
            .limits
            .max_minutes
            .map(|_| Fingerprinted { value: context.events, fingerprint: context.events.fingerprint() });
        Inputs { name: self.name.clone(), limits: self.limits, pinned: context.events.pinned(), events }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let contents = &request.contents;
        let starts: Vec<usize> = (0..contents.len()).filter(|at| is_turn_start(contents, *at)).collect();
        let cut_turns = inputs.cut_turns(contents, &starts);
        if cut_turns == 0 {
            output.note("within the limits");
            return Ok(());
        }
        let list: Vec<Arc<RequestContent>> = contents.iter().cloned().collect();
        let start = before_orphans(&list, starts[cut_turns]);
        let pen = RuleContext { name: &inputs.name, pinned: inputs.pinned };
        let is_kept = |content: &Arc<RequestContent>| content.parts.iter().any(|part| pen.is_pinned(part));
        let kept: Contents = list[..start].iter().filter(|content| is_kept(content)).cloned().collect();
        let n_pinned = kept.len();
        let mut kept = kept;
        kept.extend(list[start..].iter().cloned());
        request.contents = kept;
        output.note(match n_pinned {
            0 => format!("{cut_turns} turns cut"),
            n => format!("{cut_turns} turns cut; {n} pinned contents kept"),
        });
        Ok(())
    }
}

impl Inputs<'_> {
    /// How many turns go. The last one stays.
    fn cut_turns(&self, contents: &Contents, starts: &[usize]) -> usize {
        let Some(most) = starts.len().checked_sub(1).filter(|most| *most > 0) else { return 0 };
        let by_count = self.limits.max_turns.map_or(0, |keep| starts.len().saturating_sub(keep));
        let by_size = self.limits.max_chars.map_or(0, |max| too_large(contents, starts, max));
        let needed = by_count.max(by_size).max(self.too_old(contents, starts));
        needed.div_ceil(self.limits.step).saturating_mul(self.limits.step).min(most)
    }

    fn too_old(&self, contents: &Contents, starts: &[usize]) -> usize {
        let (Some(minutes), Some(events)) = (self.limits.max_minutes, &self.events) else { return 0 };
        let events = events.value;
        let now = events.iter().next_back().map_or(0.0, |logged| logged.event.timestamp);
        let oldest = now - minutes as f64 * SECONDS_PER_MINUTE;
        let began = |start: &usize| -> Option<f64> {
            let origin = contents.get(*start)?.parts.first()?.main_origin().event()?;
            Some(events.find(origin)?.event.timestamp)
        };
        starts.iter().take_while(|start| began(start).is_some_and(|time| time < oldest)).count()
    }
}

/// Turns at the front without which the rest fits.
fn too_large(contents: &Contents, starts: &[usize], max_chars: usize) -> usize {
    let mut size = 0_usize;
    let mut end = contents.len();
    for (n, start) in starts.iter().enumerate().rev() {
        size += (*start..end).filter_map(|at| contents.get(at)).map(|content| chars(content)).sum::<usize>();
        if size > max_chars {
            return n + 1;
        }
        end = *start;
    }
    0
}

/// Characters of texts, and of everything else as JSON.
fn chars(content: &RequestContent) -> usize {
    let part_chars = |part: &strata_model::Part| match &part.text {
        Some(text) => python::len(text),
        None => python::len(&json::to_compact_python(&part.to_json())),
    };
    content.parts.iter().map(|part| part_chars(&part.part)).sum()
}
