//! What is worth a person's time.

use maud::{Markup, html};

use super::frame;
use super::texts::{Texts, count, dollars, tokens};
use crate::report::findings::{FindingReport, FindingsReport, FixReport};
use crate::show::words;

const MAX_FINDINGS: usize = 40;

pub(super) fn section(found: &FindingsReport, texts: &Texts) -> Markup {
    let findings = &found.findings;
    frame::section(
        "Findings",
        &html! {
            @if findings.is_empty() { p { "Nothing was found." } }
            @else { p.quiet { "The costliest first. Their prices overlap." } }
            @for finding in findings.iter().take(MAX_FINDINGS) { (one(finding, texts)) }
            @if findings.len() > MAX_FINDINGS {
                p.quiet { "Left out: " (count(findings.len() - MAX_FINDINGS)) " cheaper findings." }
            }
        },
    )
}

fn one(finding: &FindingReport, texts: &Texts) -> Markup {
    let calls = words::counted(finding.calls.len(), "call");
    html! {
        h3 dir="auto" { (texts.line(&finding.title, 200)) }
        p.quiet {
            (finding.kind) ", " (calls)
            @if finding.tokens > 0 { ", " (count(finding.tokens)) " tokens" }
            @if finding.cost.is_some() { ", " (dollars(finding.cost)) }
        }
        p dir="auto" { (texts.line(&finding.message, 1000)) }
        p dir="auto" { (texts.line(&finding.advice, 1000)) }
        @if let Some(remedy) = &finding.remedy {
            p dir="auto" { "In " (texts.line(&remedy.place, 200)) ": " code { (texts.line(&remedy.text, 400)) } }
        }
        @if let Some(fix) = &finding.fix { (of_fix(fix, texts)) }
        @if let Some(fix) = &finding.replayed {
            p dir="auto" { strong { "Fix: " } (texts.line(&fix.title, 300)) ", saves "
                (count(usize::try_from(fix.saves_tokens).unwrap_or(0))) " tokens paid in full"
                @if fix.saves_cost.is_some() { ", " (dollars(fix.saves_cost)) } ", replayed over all calls." }
        }
    }
}

fn of_fix(fix: &FixReport, texts: &Texts) -> Markup {
    html! {
        p dir="auto" { strong { "Fix: " } (texts.line(&fix.title, 300)) ", saves " (tokens(fix.saves_tokens, fix.basis)) " tokens"
            @if fix.saves_cost.is_some() { ", " (dollars(fix.saves_cost)) } ", tried on all calls." }
        @for warning in &fix.warnings { p.quiet dir="auto" { (texts.line(warning, 400)) } }
    }
}
