//! One bar a call.

use maud::{Markup, html};

use super::frame;
use super::texts::{Texts, basis, count, dollars, tokens};
use crate::report::tokens::{CallTokens, TokensReport};

/// Bars that can still be told apart.
const MAX_BARS: usize = 300;
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 180.0;

/// The calls that get a bar, how many calls stand behind each, and the tokens of the tallest.
pub(super) struct Bars {
    pub calls: Vec<CallTokens>,
    pub together: usize,
    pub top: u32,
}

impl Bars {
    pub(super) fn of(ledger: &TokensReport) -> Self {
        let together = ledger.calls.len().div_ceil(MAX_BARS).max(1);
        let largest = |calls: &'_ [CallTokens]| calls.iter().max_by_key(|call| call.prompt_tokens).cloned();
        let calls: Vec<CallTokens> = ledger.calls.chunks(together).filter_map(largest).collect();
        let top = calls.iter().map(|call| call.prompt_tokens).max().unwrap_or(1).max(1);
        Self { calls, together, top }
    }

    /// What a bar stands for, in a sentence.
    pub(super) fn caption(&self) -> String {
        let Self { together, .. } = self;
        if *together == 1 {
            return "One bar a call: what was read from a cache below, what was not above; dashed, what the recording does not show."
                .to_owned();
        }
        format!(
            "One bar for each {together} calls, with the largest prompt of them; what was read from a cache below."
        )
    }
}

pub(super) fn section(ledger: &TokensReport, texts: &Texts) -> Markup {
    let bars = Bars::of(ledger);
    if bars.calls.is_empty() {
        return frame::section("Prompts, call by call", &html! { p { "This session has no calls." } });
    }
    let rows: Vec<Vec<String>> = bars.calls.iter().map(|call| row(call, texts)).collect();
    frame::section(
        "Prompts, call by call",
        &html! {
            figure {
                svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label="Tokens of each prompt; the table below has the numbers" {
                    (picture(&bars, WIDTH, HEIGHT))
                }
                figcaption { (bars.caption()) " The tallest is " (count(bars.top)) " tokens." }
            }
            details {
                summary { "The same as a table" }
                (frame::table(
                    "Prompts of calls, in tokens",
                    &["Call", "Agent", "Model", "Prompt", "Basis", "From a cache", "Hidden", "Cost"],
                    5,
                    &rows,
                ))
            }
        },
    )
}

fn row(call: &CallTokens, texts: &Texts) -> Vec<String> {
    vec![
        format!("C{}", call.call),
        texts.line(&call.agent, 60),
        texts.line(&call.model, 60),
        tokens(call.prompt_tokens, call.prompt_basis),
        basis(call.prompt_basis).to_owned(),
        count(call.cached_tokens),
        call.hidden.map_or("–".to_owned(), count),
        dollars(call.cost),
    ]
}

/// The bars, from left to right.
pub(super) fn picture(bars: &Bars, wide: f64, high: f64) -> Markup {
    let step = wide / bars.calls.len().max(1) as f64;
    let width = format!("{:.2}", (step * 0.85).min(40.0));
    let tall = |tokens: f64| high * tokens / f64::from(bars.top);
    let bar = |class: &str, at: usize, from: f64, to: f64| {
        html! {
            rect class=(class) x=(format!("{:.2}", at as f64 * step)) width=(width)
                y=(format!("{:.2}", high - tall(to))) height=(format!("{:.2}", tall(to - from))) {}
        }
    };
    html! {
        @for (at, call) in bars.calls.iter().enumerate() {
            @let (whole, cached) = (f64::from(call.prompt_tokens), f64::from(call.cached_tokens));
            @let hidden = (call.hidden.unwrap_or(0) as f64).min(whole);
            g {
                title { "C" (call.call) ": " (tokens(call.prompt_tokens, call.prompt_basis)) " tokens, " (count(call.cached_tokens)) " from a cache" }
                (bar("cached", at, 0.0, cached.min(whole)))
                (bar("paid", at, cached.min(whole), whole))
                @if hidden > 0.0 { (bar("hidden", at, 0.0, hidden)) }
            }
        }
    }
}
