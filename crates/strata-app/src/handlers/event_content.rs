//! What an event holds, as recorded and as an experiment has it.

use std::sync::Arc;

use strata_measure::analysis::{Kind, SessionAnalysis};
use strata_model::{Event, EventIndex, FromJson as _, Part, RequestContent, json};

use crate::api::common::TokenCount;
use crate::api::event::{EventPart, RecordedContent};
use crate::api::part::PartDiff;
use crate::open::{OpenSession, content};
use crate::show::words;
use crate::tables::Tables;
use crate::text_diff::diff_lines;

const PREVIEW: usize = 400;

pub(super) fn size(
    open: &OpenSession,
    analysis: &SessionAnalysis,
    tables: &Tables,
    content: Option<&Arc<RequestContent>>,
) -> TokenCount {
    let scale = analysis.calls().first().and_then(|call| open.scale(analysis, tables, call).ok());
    let parts = content.map_or(&[][..], |content| &content.parts);
    let counts = scale.map(|scale| parts.iter().map(|part| scale.weigher().part(part)).sum());
    counts.unwrap_or(strata_measure::tokens::TokenCount::estimated(0, 0, 0)).into()
}

/// What was recorded in the place of an edited content.
pub(super) fn recorded(
    open: &OpenSession,
    analysis: &SessionAnalysis,
    tables: &Tables,
    at: EventIndex,
) -> Option<RecordedContent> {
    let edited = open.experiment.event_change(at)?.edited.as_ref()?;
    let recorded = open.experiment.session().events.get(at.as_usize())?;
    let held = content(recorded, at);
    let size = size(open, analysis, tables, held.as_ref());
    let text = |event: &Event| as_json(event).unwrap_or_default();
    let diff = diff_lines(&text(recorded), &text(edited));
    Some(RecordedContent {
        parts: parts(open, analysis, tables, recorded, held.as_ref()),
        difference: PartDiff {
            title: format!("E{}", at.number()),
            subtitle: "the recording stays as it is".to_owned(),
            before_label: format!("Recorded, {} tokens", words::whole(size.tokens)),
            after_label: "Edited, as it is sent here".to_owned(),
            lines: diff.lines,
            is_approximate: diff.is_approximate,
            is_whitespace_only: diff.is_whitespace_only,
            hidden_lines: diff.hidden_lines,
        },
        size,
    })
}

pub(super) fn as_json(event: &Event) -> Option<String> {
    Some(json::to_pretty(&event.content.as_ref()?.to_json()))
}

pub(super) fn parts(
    open: &OpenSession,
    analysis: &SessionAnalysis,
    tables: &Tables,
    event: &Event,
    content: Option<&Arc<RequestContent>>,
) -> Vec<EventPart> {
    let Some(content) = content else { return Vec::new() };
    let scale = analysis.calls().first().and_then(|call| open.scale(analysis, tables, call).ok());
    let parts = content.parts.iter().enumerate();
    let part = |(index, part): (usize, &strata_model::RequestPart)| EventPart {
        index: index as u32,
        kind: if event.is_compaction() {
            Kind::Summary
        } else {
            Kind::of_event_part(event, Some(&part.part))
        }
        .into(),
        label: label(&part.part),
        tokens: scale.map_or(0, |scale| scale.weigher().part(part).tokens),
        preview: words::cut(&preview(&part.part), PREVIEW),
    };
    parts.map(part).collect()
}

fn label(part: &Part) -> String {
    match part {
        Part { function_call: Some(_), .. } => "call".to_owned(),
        Part { function_response: Some(_), .. } => "result".to_owned(),
        Part { executable_code: Some(_), .. } => "code".to_owned(),
        Part { code_execution_result: Some(_), .. } => "code result".to_owned(),
        Part { text: Some(_), .. } if part.is_thought() => "thought".to_owned(),
        Part { text: Some(_), .. } => "text".to_owned(),
        part => words::media_label(part).unwrap_or_else(|| "other".to_owned()),
    }
}

fn preview(part: &Part) -> String {
    match &part.text {
        Some(text) => text.to_string(),
        None => words::media_label(part).unwrap_or_else(|| json::to_pretty(&part.to_json())),
    }
}
