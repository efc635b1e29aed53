//! What a goal asks for, in words.

use super::check::{Check, Question};
use crate::show::words::whole;

/// In a phrase, with its unit.
pub(crate) fn wanted(check: &Check) -> String {
    let by = |agent: &Option<String>| agent.as_ref().map_or(String::new(), |agent| format!(" of {agent}"));
    let percent = |share: &f64| format!("{:.0} %", share * 100.0);
    match check {
        Check::PromptTokens { call, at_most } => {
            format!("C{call} has at most {} tokens", whole(*at_most as i64))
        }
        Check::PeakPrompt { agent, at_most } => {
            format!("no prompt{} has more than {} tokens", by(agent), whole(*at_most as i64))
        }
        Check::TotalTokens { agent, less_by } => {
            format!("at least {} less prompt tokens{}", percent(less_by), by(agent))
        }
        Check::Cost { less_by } => format!("at least {} less cost", percent(less_by)),
        Check::CachedShare { call: Some(call), at_least, .. } => {
            format!("at least {} of C{call} is cached", percent(at_least))
        }
        Check::CachedShare { agent, at_least, .. } => {
            format!("at least {} of the prompts{} are cached", percent(at_least), by(agent))
        }
        Check::AvoidableLoss { at_most } => {
            format!("at most {} tokens are paid again for no need", whole(*at_most as i64))
        }
        // Another goal may ask for the key.
        Check::NoBreakBy { .. } => "no prefix breaks because of that key".to_owned(),
        Check::NoFinding { code } => format!("no finding {code}"),
        Check::Readable { call, text } => format!("\"{text}\" stands in C{call}"),
        Check::Unreadable { call, text } => format!("\"{text}\" does not stand in C{call}"),
        Check::Summaries { at_least, at_most } if at_least == at_most => {
            if *at_least == 1 {
                "1 summary".to_owned()
            } else {
                format!("{at_least} summaries")
            }
        }
        Check::Summaries { at_least, at_most } => format!("{at_least} to {at_most} summaries"),
        Check::Answer(question) => asked(question).to_owned(),
    }
}

/// The form that an answer has.
fn asked(question: &Question) -> &'static str {
    match question {
        Question::LargestPrompt { .. } | Question::DearestBreak {} => "a call, as C1",
        Question::PromptTokens { .. } | Question::HiddenTokens { .. } => "a number of tokens",
        Question::BreakingKey { .. } => "a state key",
        Question::BreakingStage { .. } | Question::WritingStage { .. } => "a processor",
        Question::SourceEvent { .. } | Question::HeaviestEvent {} => "an event, as E1",
        Question::SourceAuthor { .. } => "an agent, or user",
        Question::HeaviestTool {} => "a tool",
        Question::Carriers { .. } => "a number of calls",
        Question::LostBetween { .. } => "a word or number",
    }
}
