//! Why a prompt does not begin with the one before it: the first difference, the stage that made it, and what led
//! there.

mod cause;
mod contents;
mod instruction;
mod link;
mod pair;
mod sent;
mod sentence;
mod stage;

use strata_engine::FlowKind;
use strata_model::{LlmRequest, Origin, Str};
use strata_wire::{Path, PrefixOrder, Segment, definitions};

pub use cause::{Cause, Nature, PartsKind};
pub use link::Link;

use instruction::{Spans, system_spans};
pub(super) use pair::Pair;
use pair::system_place;

use super::prefix::{CommonPrefix, PrefixEnd, text_that_is_read};
use super::text_change::TextChange;

/// Bytes of a block that says who sends the request, and no more.
const MAX_CLIENT_BLOCK: usize = 600;

/// The place in a prompt where the prefix it shares with the one before it ends, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixBreak {
    /// The segment in which the first difference stands, as [`Path`] prints it.
    pub path: String,
    /// The token of the later prompt with which it begins.
    pub at_token: u32,
    pub cause: Cause,
    /// The processor whose result differs first. `None` where a call was not compiled.
    pub stage: Option<Str>,
    /// Where the first differing bytes come from.
    pub origin: Option<Origin>,
    /// From what happened to the end of the prefix.
    pub chain: Vec<Link>,
}

impl Pair<'_> {
    /// `None` when the later prompt begins with the whole earlier one; `at_token` is the weight of what they share.
    pub(super) fn find_break(&self, common: &CommonPrefix, at_token: u32) -> Option<PrefixBreak> {
        let (before, after) = self.stages;
        let stage = || stage::guilty(self.rule, common.ends_in, (before, after));
        let mut found = match common.ends_in {
            PrefixEnd::Whole => return None,
            PrefixEnd::Definitions => self.in_definitions(common, stage()),
            PrefixEnd::System => self.in_system(common, stage()),
            PrefixEnd::Contents => self.in_contents(common, stage()),
        };
        found.at_token = at_token;
        if let Some(processor) = &found.stage {
            found.chain.push(Link::Stage { processor: processor.clone(), did: did(&found.cause) });
        }
        found.chain.push(Link::Ends { path: found.path.clone(), at_token });
        Some(found)
    }

    fn in_definitions(&self, common: &CommonPrefix, stage: Option<Str>) -> PrefixBreak {
        let list = |request| definitions(request).map(|segment| named(&segment)).collect::<Vec<_>>();
        let (earlier, later) = (list(self.earlier.1), list(self.later.1));
        let missing = |of: &[(String, String)], other: &[(String, String)]| -> Vec<String> {
            let is_missing = |(name, _): &&(String, String)| other.iter().all(|(known, _)| known != name);
            of.iter().filter(is_missing).map(|(name, _)| name.clone()).collect()
        };
        let changed = later
            .iter()
            .filter(|(name, text)| earlier.iter().any(|(known, before)| known == name && before != text));
        let changed: Vec<String> = changed.map(|(name, _)| name.clone()).collect();
        let path =
            later.get(common.definitions).or(later.last()).map_or(String::new(), |(name, _)| name.clone());
        let at = |request| definitions(request).nth(common.definitions);
        let origin = at(self.later.1).or_else(|| at(self.earlier.1));
        let text = |list: &[(String, String)], name: &str| {
            list.iter().find(|(known, _)| known == name).map_or_else(String::new, |(_, text)| text.clone())
        };
        let first: Option<&String> = changed.first();
        let change = first.map(|name| TextChange::between_json(&text(&earlier, name), &text(&later, name)));
        let cause = Cause::Definitions {
            added: missing(&later, &earlier),
            removed: missing(&earlier, &later),
            changed,
            change,
            system: self.change_behind_definitions(),
        };
        let origin = origin.as_ref().and_then(Segment::main_origin).cloned();
        PrefixBreak { path, at_token: 0, cause, stage, origin, chain: Vec::new() }
    }

    /// How the system text differs, where the provider reads it behind the tools.
    fn change_behind_definitions(&self) -> Option<TextChange> {
        if self.rule.order != PrefixOrder::ToolsFirst {
            return None;
        }
        let text =
            |request: &LlmRequest| Some(text_that_is_read(self.rule, request.system_instruction.as_ref()?));
        let (before, after) = text(self.earlier.1).zip(text(self.later.1))?;
        TextChange::between(&before, &after)
    }

    fn in_system(&self, common: &CommonPrefix, stage: Option<Str>) -> PrefixBreak {
        let (at_earlier, at) = (common.earlier_system_bytes, common.system_bytes);
        let text = |request: &LlmRequest| {
            request
                .system_instruction
                .as_ref()
                .map_or_else(Str::default, |text| text_that_is_read(self.rule, text))
        };
        let spans = Spans {
            earlier: system_spans(self.earlier.1, at_earlier),
            later: system_spans(self.later.1, at),
            texts: (text(self.earlier.1), text(self.later.1)),
        };
        let (mut cause, chain) = self.cause_in_instruction(&spans);
        if let (Cause::Instruction { origin, .. }, Some(stage)) = (&mut cause, &stage)
            && stage.starts_with("callback:")
        {
            *origin = Origin::Extension { name: stage.clone() };
        }
        let place = system_place(self.later.1, at).or_else(|| system_place(self.earlier.1, at_earlier));
        let block = place.map_or(0, |(block, _)| block);
        if let Cause::Instruction { change, .. } = &cause
            && block == 0
            && self.is_client_block()
        {
            cause = Cause::ClientBlock { change: change.clone() };
        }
        let origin = spans.origin().cloned();
        PrefixBreak { path: Path::System { block }.to_string(), at_token: 0, cause, stage, origin, chain }
    }

    /// Whether the first block of the system text is a short one that a client puts before what it tells the model.
    fn is_client_block(&self) -> bool {
        let Some(system) = &self.later.1.system_instruction else { return false };
        let sizes: Vec<usize> =
            system.blocks().map(|spans| spans.iter().map(|span| span.text.len()).sum()).collect();
        self.experiment.kind() == FlowKind::Transcript
            && sizes.len() > 1
            && sizes[0] <= MAX_CLIENT_BLOCK
            && sizes[0] * 4 < sizes.iter().sum()
    }

    fn in_contents(&self, common: &CommonPrefix, stage: Option<Str>) -> PrefixBreak {
        let (cause, chain) = self.cause_in_contents(common, stage.as_deref());
        let origin = |request: &LlmRequest| {
            let content = request.contents.get(common.contents)?;
            let part = content.parts.get(common.parts).or(content.parts.last())?;
            Some(part.main_origin().clone())
        };
        // What is filled in is filled in by `instructions`; `contents` only finds a place for it.
        let stage = match &cause {
            Cause::State { .. } if stage.as_deref() == Some("contents") => Some("instructions".into()),
            _ => stage,
        };
        PrefixBreak {
            path: Path::Part { content: common.contents, part: common.parts }.to_string(),
            at_token: 0,
            cause,
            stage,
            origin: origin(self.later.1).or_else(|| origin(self.earlier.1)),
            chain,
        }
    }
}

/// What a stage did, for a sentence that begins with its name.
fn did(cause: &Cause) -> &'static str {
    match cause {
        Cause::State { .. } => "filled it differently",
        Cause::Instruction { .. } | Cause::ClientBlock { .. } => "wrote other text",
        Cause::Definitions { .. } => "declared other tools",
        Cause::HandOff { .. } | Cause::Scope { .. } => "began the history elsewhere",
        Cause::Compacted { .. } => "showed the summary instead",
        Cause::Rewound { .. } => "left out what was taken back",
        Cause::Window { .. } | Cause::Truncated { .. } => "cut off the beginning at another place",
        Cause::Rewritten { .. } => "has another text for it",
        Cause::LeftOut { .. } => "has it no longer",
        Cause::PutIn { .. } => "has more before it",
        Cause::LateResponse { .. } => "put the result at its call",
        Cause::Artifacts { .. } => "listed other artifacts",
        Cause::Memory => "inserted what it found in memory",
        Cause::Placement { .. } => "put the text before the last message of the user",
        _ => "changed it",
    }
}

/// The path and the text of a tool or schema.
fn named(segment: &Segment<'_>) -> (String, String) {
    (segment.path.to_string(), segment.text().into_owned())
}

#[cfg(test)]
mod tests;
