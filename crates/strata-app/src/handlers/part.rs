//! One part of a prompt: text, source, difference.

use strata_measure::analysis::{
    Kind, PartDelta, Scale, SessionAnalysis, common_prefix, diff_events, diff_requests, is_quotation,
};
use strata_model::{EventIndex, FromJson as _, LlmRequest, Origin, json, namespace};
use strata_wire::{Item, Path, Segment, find, prefix_segments};

use super::chain;
use super::convert::kind_tokens;
use super::stages::{CompiledCall, analysed, request_before, scale_of};
use crate::Strata;
use crate::api::call::CompareWith;
use crate::api::part::{Diff, Get, PartDetail, PartDiff, PartSpan, PartText, Text};
use crate::command::Handler;
use crate::error::AppError;
use crate::show::words::{self, whole};
use crate::show::{SegmentScale, part_diff};

/// `C17/4.0` taken apart.
fn split(address: &str) -> Result<(u32, &str), AppError> {
    let parts = address.strip_prefix('C').and_then(|rest| rest.split_once('/'));
    let parts = parts.and_then(|(call, path)| Some((call.parse().ok()?, path)));
    parts.ok_or_else(|| {
        AppError::bad_input(format!("{address} does not name a part of a prompt, as C17/4.0 does."))
    })
}

fn segment<'r>(request: &'r LlmRequest, call: u32, path: &str) -> Result<Segment<'r>, AppError> {
    find(request, path).ok_or_else(|| {
        AppError::not_found(format!(
            "C{call}/{path} is not in this prompt. The call was compiled with fewer parts."
        ))
    })
}

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<PartDetail, AppError> {
        let (call, path) = split(&self.address)?;
        let compiled = CompiledCall::get(strata, &self.session, call)?;
        let (analysis, _) = compiled.analysis()?;
        let (open, log) = (&compiled.open, compiled.open.experiment.log());
        let scale = scale_of(open, &analysis, &strata.tables, call)?;
        let request = &compiled.stage_or_last(self.stage)?.request;
        let found = segment(request, call, path)?;
        let weigh = SegmentScale::new(scale, request);
        let tokens = weigh.count(&found);
        let analysed_call = analysed(&analysis, call)?;
        let before: u32 = prefix_segments(request, analysis.rule_of(analysed_call).order)
            .take_while(|other| other.path != found.path)
            .map(|other| weigh.count(&other).tokens)
            .sum();
        let usage = usage(&analysis, open, scale, &found);
        let is_quoted = is_quotation(&found);
        let prompt = scale.prompt(request);
        Ok(PartDetail {
            title: title(&found, is_quoted).to_owned(),
            badge: chain::place(&found.path).replace(".parts[0]", ""),
            subtitle: format!(
                "prompt of C{call}, tokens {}–{}",
                whole(before),
                whole(before + tokens.tokens)
            ),
            kind: Kind::of(&found, log).into(),
            is_reframed: is_quoted,
            tokens: tokens.into(),
            stored_tokens: usage.stored,
            sent_in: usage.calls,
            calls: open.experiment.calls().len() as u32,
            cached_tokens: cached(&analysis, call, &found, before, tokens.tokens)?,
            chain: chain::of_segment(open, &compiled.compilation, call, &found),
            spans: spans(&found, scale),
            prompt_by_kind: kind_tokens(prompt.by_kind()),
            prompt_tokens: prompt.total().tokens,
            is_inferred: open.app.is_inferred
                && found.main_origin().is_none_or(|origin| origin.event().is_none()),
            address: self.address,
        })
    }
}

fn title(segment: &Segment<'_>, is_quoted: bool) -> &'static str {
    match &segment.item {
        Item::Part { .. } if is_quoted => "Rewritten part",
        Item::Part { part, .. } => match part.main_origin() {
            Origin::Summary { .. } => "Summary",
            Origin::Event { .. } => "Part of the history",
            _ => "Part of the conversation",
        },
        Item::EmptyContent(_) => "Content without parts",
        Item::Declaration(_) => "Tool definition",
        Item::BuiltInTool { json, .. } if namespace::is_namespace(json) => "Namespace of tools",
        Item::BuiltInTool { .. } => "Tool of the provider",
        Item::System(_) => "Instruction",
        Item::Setting { .. } => "Setting",
    }
}

struct SegmentUse {
    calls: u32,
    /// Tokens of the event it shows, as stored.
    stored: Option<u32>,
}

fn usage(
    analysis: &SessionAnalysis,
    open: &crate::open::OpenSession,
    scale: Scale<'_>,
    segment: &Segment<'_>,
) -> SegmentUse {
    let Some(origin) = segment.main_origin() else { return SegmentUse { calls: 0, stored: None } };
    if let Some(event) = origin.event() {
        let used = open.events().used(analysis, Some(scale), open.experiment.calls().len());
        let calls = used.uses.get(event.as_usize()).map_or(0, |usage| usage.calls);
        return SegmentUse { calls, stored: used.tokens.get(event.as_usize()).copied() };
    }
    let sources = analysis.ledger().sources();
    let of_origin = sources.iter().filter(|source| source.origin == *origin);
    SegmentUse { calls: of_origin.map(|source| source.usage.calls).max().unwrap_or(0), stored: None }
}

/// Tokens of a segment that lie in the prefix shared with the call before.
fn cached(
    analysis: &SessionAnalysis,
    call: u32,
    segment: &Segment<'_>,
    before: u32,
    tokens: u32,
) -> Result<Option<u32>, AppError> {
    let analysed = analysed(analysis, call)?;
    let Some(previous) = analysed.previous.and_then(|previous| analysis.call(previous)) else {
        return Ok(Some(0));
    };
    let Path::Part { content, part } = segment.path else {
        return Ok(Some(analysed.matched.head.saturating_sub(before).min(tokens)));
    };
    let common = common_prefix(analysis.rule_of(analysed), &previous.request, &analysed.request);
    let end = (common.contents, common.parts);
    Ok(Some(match (content, part).cmp(&end) {
        std::cmp::Ordering::Less => tokens,
        std::cmp::Ordering::Equal => analysed.matched.in_part.min(tokens),
        std::cmp::Ordering::Greater => 0,
    }))
}

fn spans(segment: &Segment<'_>, scale: Scale<'_>) -> Vec<PartSpan> {
    let text = segment.text();
    let (mut byte, mut unit) = (0, 0);
    let mut spans: Vec<PartSpan> = Vec::new();
    for (bytes, origin) in segment.spans() {
        let piece = text.get(byte..byte + bytes).unwrap_or_default();
        let length = words::utf16_len(piece);
        spans.push(PartSpan {
            from: unit,
            to: unit + length,
            source: words::source(origin, scale.log()),
            address: words::address(origin),
        });
        byte += bytes;
        unit += length;
    }
    spans
}

impl Handler for Text {
    fn run(self, strata: &Strata) -> Result<PartText, AppError> {
        if self.address.starts_with('E') {
            return self.of_event(strata);
        }
        let (call, path) = split(&self.address)?;
        let compiled = CompiledCall::get(strata, &self.session, call)?;
        let (analysis, _) = compiled.analysis()?;
        let scale = scale_of(&compiled.open, &analysis, &strata.tables, call)?;
        let request = &compiled.stage_or_last(self.stage)?.request;
        let text = segment(request, call, path)?.text().into_owned();
        Ok(page(strata, &text, (self.offset, self.limit), Some(scale)))
    }
}

impl Text {
    /// A part of an event as it is stored.
    fn of_event(&self, strata: &Strata) -> Result<PartText, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let missing = || AppError::not_found(format!("{} is not in this session.", self.address));
        let (event, part) = self.address[1..].split_once('/').unwrap_or((&self.address[1..], "0"));
        let event: u32 = event.parse().map_err(|_| missing())?;
        let part: usize = part.parse().map_err(|_| missing())?;
        let content = event.checked_sub(1).and_then(|event| open.events().content(EventIndex(event)));
        let part = content.and_then(|content| content.parts.get(part)).ok_or_else(missing)?;
        let text = match &part.part.text {
            Some(text) => text.to_string(),
            None => json::to_compact(&part.part.to_json()),
        };
        let analysis = open.analysis();
        let scale =
            analysis.calls().first().and_then(|call| open.scale(&analysis, &strata.tables, call).ok());
        Ok(page(strata, &text, (self.offset, self.limit), scale))
    }
}

/// A page of a text with the ends of its tokens, which are those of the text itself where secrets are masked.
fn page(strata: &Strata, text: &str, (offset, limit): (u32, u32), scale: Option<Scale<'_>>) -> PartText {
    let units: Vec<u16> = strata.workspace.shown(text.to_owned()).encode_utf16().collect();
    let (from, to) = words::whole_characters(&units, offset, limit);
    let mut token_ends = Vec::new();
    if let Some(scale) = scale {
        let mut ends = scale.weigher().token_ends(text).into_iter().peekable();
        let mut unit = 0;
        for (byte, character) in text.char_indices() {
            unit += character.len_utf16();
            let end = byte + character.len_utf8();
            let mut is_end = false;
            // Tokens may end inside a character; they are shown to end behind it.
            while ends.next_if(|token| *token as usize <= end).is_some() {
                is_end = true;
            }
            if is_end && unit > from && unit <= to {
                token_ends.push((unit - from) as u32);
            }
        }
    }
    PartText {
        total_length: units.len() as u32,
        offset: from as u32,
        text: String::from_utf16_lossy(&units[from..to]),
        token_ends,
    }
}

impl Handler for Diff {
    fn run(self, strata: &Strata) -> Result<PartDiff, AppError> {
        let (call, path) = split(&self.address)?;
        let compiled = CompiledCall::get(strata, &self.session, call)?;
        let (stage, _) = compiled.stage(self.stage)?;
        let (before_request, name, _) = request_before(&compiled, self.stage, self.compare_with)?;
        let (analysis, _) = compiled.analysis()?;
        let scale = scale_of(&compiled.open, &analysis, &strata.tables, call)?;
        let is_before = self.compare_with == CompareWith::StageBefore;
        let context = compiled.context()?;
        let by_event = if is_before && &*stage.processor == "contents" {
            diff_events(&context, &stage.request)
        } else {
            Vec::new()
        };
        let of_path = |segment: &Option<Segment<'_>>| {
            segment.as_ref().is_some_and(|segment| segment.path.to_string() == path)
        };
        let place_of = |deltas: &[PartDelta<'_>]| {
            let after = deltas.iter().position(|delta| of_path(&delta.after));
            after.or_else(|| deltas.iter().position(|delta| of_path(&delta.before)))
        };
        let found = place_of(&by_event);
        // What was in the request before the events came is no event.
        let by_part =
            if found.is_none() { diff_requests(&before_request, &stage.request) } else { Vec::new() };
        let delta = match found {
            Some(at) => by_event.get(at),
            None => place_of(&by_part).and_then(|at| by_part.get(at)),
        };
        let delta = delta.ok_or_else(|| {
            AppError::not_found(format!("{} is not in the prompt after {}.", self.address, stage.processor))
        })?;
        let weigh = SegmentScale::new(scale, &stage.request);
        let weigh_before = SegmentScale::new(scale, &before_request);
        let event = |segment: &Segment<'_>| segment.main_origin().and_then(Origin::event);
        let before_label = match &delta.before {
            None if is_before => "not in the prompt before".to_owned(),
            None => format!("not in {name}"),
            Some(before) => {
                let tokens = whole(weigh_before.count(before).tokens);
                match event(before).filter(|_| is_before && &*stage.processor == "contents") {
                    Some(event) => format!("E{} in the session, {tokens} tokens", event.number()),
                    None => format!("{name}, {tokens} tokens"),
                }
            }
        };
        let after_label = match &delta.after {
            None => "no longer in the prompt".to_owned(),
            Some(after) => format!("sent in C{call}, {} tokens", whole(weigh.count(after).tokens)),
        };
        Ok(part_diff(delta, (before_label, after_label), compiled.open.experiment.log()))
    }
}
