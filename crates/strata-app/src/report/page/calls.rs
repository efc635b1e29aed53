//! The costliest calls, with what each processor did.

use maud::{Markup, html};

use super::frame;
use super::texts::{Texts, count, dollars, tokens};
use crate::error::AppError;
use crate::report::compile::stages_of;
use crate::report::opened::OpenedSession;
use crate::report::prompt::prompt_of;
use crate::report::tokens::{CallTokens, TokensReport};

const MAX_CALLS: usize = 5;
const MAX_PARTS: usize = 5;

pub(super) fn section(
    opened: &OpenedSession,
    ledger: &TokensReport,
    texts: &Texts,
) -> Result<Markup, AppError> {
    let mut calls: Vec<&CallTokens> = ledger.calls.iter().collect();
    let priced = calls.iter().all(|call| call.cost.is_some());
    // Where a price is missing, the size of the prompt tells.
    let worth =
        |call: &CallTokens| if priced { call.cost.unwrap_or(0.0) } else { f64::from(call.prompt_tokens) };
    calls.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.call.cmp(&b.call)));
    let calls = calls.into_iter().take(MAX_CALLS).map(|call| one(opened, call, texts));
    let calls = calls.collect::<Result<Vec<Markup>, AppError>>()?;
    let heading = if priced { "The costliest calls" } else { "The largest calls" };
    Ok(frame::section(heading, &html! { @for call in &calls { (call) } }))
}

fn one(opened: &OpenedSession, call: &CallTokens, texts: &Texts) -> Result<Markup, AppError> {
    let stages: Vec<Vec<String>> = stages_of(opened, call.call)?
        .iter()
        .filter(|stage| stage.changed || stage.tokens_before != stage.tokens_after)
        .map(|stage| {
            vec![
                texts.line(&stage.processor, 60),
                texts.line(&stage.note, 200),
                tokens(stage.tokens_before, call.basis),
                tokens(stage.tokens_after, call.basis),
            ]
        })
        .collect();
    let mut segments = prompt_of(opened, call.call)?.segments;
    segments.sort_by_key(|segment| std::cmp::Reverse(segment.tokens));
    let parts: Vec<Vec<String>> = segments
        .iter()
        .take(MAX_PARTS)
        .map(|part| {
            vec![texts.line(&part.from, 60), texts.line(&part.text, 160), tokens(part.tokens, call.basis)]
        })
        .collect();
    Ok(html! {
        h3 { "C" (call.call) ", " (texts.line(&call.agent, 60)) ": " (tokens(call.prompt_tokens, call.prompt_basis)) " tokens, " (dollars(call.cost)) }
        p.quiet { (count(call.cached_tokens)) " tokens from a cache. The request is " (texts.line(&call.evidence.said, 200)) "." }
        (frame::table(&format!("The largest parts of C{}", call.call), &["Part", "Text", "Tokens"], 1, &parts))
        @if stages.is_empty() {
            p.quiet { "No stage of it is known: it was not compiled here." }
        } @else {
            details { summary { "Stages: what each processor made of it" }
                (frame::table(&format!("Processors that changed C{}", call.call), &["Processor", "What it did", "Tokens before", "Tokens after"], 2, &stages)) }
        }
    })
}
