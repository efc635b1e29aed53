//! Parts of requests: weighed, in a line, and as text to compare.

use strata_engine::Compilation;
use strata_measure::analysis::{PartDelta, Scale, is_quoted};
use strata_measure::tokens::TokenCount;
use strata_model::{FromJson as _, Json, LlmRequest, json};
use strata_wire::{Item, Path, Segment, segments};

use crate::show::words;

/// Weighs segments of one request; blocks of the system instruction are shares of the whole.
pub(crate) struct SegmentScale<'s> {
    scale: Scale<'s>,
    blocks: Vec<TokenCount>,
}

impl<'s> SegmentScale<'s> {
    pub(crate) fn new(scale: Scale<'s>, request: &LlmRequest) -> Self {
        Self { scale, blocks: scale.system_blocks(request) }
    }

    pub(crate) fn count(&self, segment: &Segment<'_>) -> TokenCount {
        match segment.path {
            Path::System { block } => self.blocks.get(block).copied().unwrap_or(TokenCount::exact(0)),
            _ => self.scale.segment(segment),
        }
    }
}

/// Weighs what is different between two requests.
pub(crate) struct DeltaScale<'s> {
    pub before: SegmentScale<'s>,
    pub after: SegmentScale<'s>,
}

impl DeltaScale<'_> {
    /// Tokens of a part before and after; none where it is not there.
    pub(crate) fn tokens(&self, delta: &PartDelta<'_>) -> [u32; 2] {
        let tokens = |scale: &SegmentScale<'_>, segment: &Option<Segment<'_>>| {
            segment.as_ref().map_or(0, |segment| scale.count(segment).tokens)
        };
        [tokens(&self.before, &delta.before), tokens(&self.after, &delta.after)]
    }
}

/// A segment in one line, and how much of its beginning is code.
pub(crate) fn line(segment: &Segment<'_>) -> (String, u32) {
    match &segment.item {
        Item::Declaration(declaration) => {
            let name = declaration.name();
            let about =
                declaration.json.get("description").and_then(|text| text.as_str()).unwrap_or_default();
            (format!("{name} {}", words::first_line(about)), words::utf16_len(name))
        }
        Item::Part { part, .. } => words::part_line(&part.part),
        Item::EmptyContent(_) => ("no parts".to_owned(), 0),
        Item::Setting { .. } | Item::BuiltInTool { .. } => {
            let name = match segment.path {
                Path::Config { field } => field,
                Path::Request { field } => field,
                Path::Tool { name, .. } => name,
                _ => "",
            };
            (words::row(&format!("{name} {}", segment.text()), 240), words::utf16_len(name))
        }
        Item::System(_) => (words::first_line(&segment.text()), 0),
    }
}

/// A segment as a person compares it: who speaks, then the text, or JSON with its structure.
pub(crate) fn readable(segment: &Segment<'_>) -> String {
    let body = match &segment.item {
        Item::Part { part, .. } => match &part.part.text {
            Some(text) => text.to_string(),
            None => json::to_pretty(&part.part.to_json()),
        },
        Item::Declaration(declaration) => json::to_pretty(&Json::Object(declaration.json.clone())),
        Item::BuiltInTool { json, .. } => json::to_pretty(json),
        Item::Setting { value, .. } => json::to_pretty(value),
        Item::System(_) => return segment.text().trim_start_matches('\n').to_owned(),
        Item::EmptyContent(_) => String::new(),
    };
    match segment.role() {
        Some(role) => format!("role: {role}\n{body}"),
        None => body,
    }
}

/// The first stage whose request has the segment as it is sent, and whether it shows an event in other words.
pub(crate) fn writer(compilation: &Compilation, segment: &Segment<'_>) -> Option<(String, bool)> {
    let is_same = |other: &Segment<'_>| match (&segment.item, &other.item) {
        (Item::Part { part: a, .. }, Item::Part { part: b, .. }) => {
            a.fingerprint == b.fingerprint && a.main_origin() == b.main_origin()
        }
        (Item::Declaration(a), Item::Declaration(b)) => a.fingerprint == b.fingerprint,
        (Item::System(_), Item::System(_)) => segment.text().trim() == other.text().trim(),
        (Item::Part { .. } | Item::Declaration(_) | Item::System(_), _) => false,
        _ => segment.path == other.path && segment.text() == other.text(),
    };
    let stage =
        compilation.stages.iter().find(|stage| segments(&stage.request).any(|other| is_same(&other)))?;
    let is_quoted = matches!(&segment.item, Item::Part { part, .. } if is_quoted(part));
    Some((stage.processor.to_string(), is_quoted))
}
