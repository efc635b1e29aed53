//! What learners answer, graded against what Strata computes from the recording.

use strata_measure::analysis::Cause;
use strata_wire::prompt_segments;

use super::learned::{LearnedSession, Measured};
use crate::api::common::Basis;
use crate::error::AppError;
use crate::lesson_shelf::Question;
use crate::report::tokens_of;
use crate::show::words::whole;

/// What is right.
enum Right {
    /// A name, in any case.
    Name(String),
    /// A number, and how far an answer may be off.
    Number { value: f64, within: f64, basis: Option<Basis> },
    /// Whatever was in one prompt and is not in the other.
    Lost { before: u32, after: u32, min_chars: u32 },
}

/// Grades an answer. What was asked is about the recording: `recorded` has no edits.
pub(super) fn grade(
    question: &Question,
    answer: Option<&str>,
    recorded: &LearnedSession,
) -> Result<Measured, AppError> {
    let right = right(question, recorded)?;
    let Some(answer) = answer.map(str::trim).filter(|answer| !answer.is_empty()) else {
        return Ok(Measured::plain(false, "not answered".to_owned()));
    };
    match right {
        Right::Name(name) => Ok(Measured::plain(same_name(&name, answer), format!("answered {answer}"))),
        Right::Number { value, within, basis } => {
            let number = answer.replace([',', ' ', '≈', '_'], "").parse::<f64>().ok();
            let said = match number {
                Some(number) => format!("answered {}", whole(number.round() as i64)),
                None => format!("{answer} is no number"),
            };
            let is_met = number.is_some_and(|number| (number - value).abs() <= value * within);
            Ok(Measured { is_met, said, basis })
        }
        Right::Lost { before, after, min_chars } => {
            if answer.chars().count() < min_chars as usize {
                return Ok(Measured::plain(
                    false,
                    format!("{answer} is shorter than {min_chars} characters"),
                ));
            }
            let was = recorded.segment_with(before, answer)?.is_some();
            let is = recorded.segment_with(after, answer)?.is_some();
            let said = match (was, is) {
                (false, _) => format!("{answer} is not in C{before}"),
                (true, true) => format!("{answer} is in C{after}, too"),
                (true, false) => format!("{answer} is in C{before} and not in C{after}"),
            };
            Ok(Measured::plain(was && !is, said))
        }
    }
}

/// `C17` and `17` are one call, `state.hits` and `hits` one key.
fn same_name(right: &str, answer: &str) -> bool {
    let plain =
        |name: &str| name.trim_matches(['`', '{', '}', '"']).trim_start_matches("state.").to_lowercase();
    let (right, answer) = (plain(right), plain(answer));
    let is_numbered = right.starts_with(['c', 'e']) && right[1..].chars().all(|c| c.is_ascii_digit());
    right == answer || (is_numbered && right.len() > 1 && right[1..] == answer)
}

fn right(question: &Question, recorded: &LearnedSession) -> Result<Right, AppError> {
    let nothing = |what: &str| AppError::bad_input(format!("The question has no answer: {what}."));
    let name = match question {
        Question::LargestPrompt { agent } => format!("C{}", recorded.largest(agent.as_deref())?.call),
        Question::PromptTokens { call, within } => {
            let bill = &recorded.call(*call)?.bill;
            let (value, basis) = (f64::from(bill.prompt_tokens), Some(bill.basis.into()));
            return Ok(Right::Number { value, within: *within, basis });
        }
        Question::HiddenTokens { call, within } => {
            let bill = &recorded.call(*call)?.bill;
            let (value, basis) = (f64::from(bill.hidden_tokens()), Some(bill.counted.basis.into()));
            return Ok(Right::Number { value, within: *within, basis });
        }
        Question::DearestBreak {} => {
            let losses = recorded.caches().losses();
            let (call, _) = losses.first().ok_or_else(|| nothing("no prefix breaks"))?;
            format!("C{}", call.call)
        }
        Question::BreakingKey { call } => match &loss(recorded, *call)?.cause {
            Cause::State { key, .. } => key.to_string(),
            _ => return Err(nothing(&format!("no state key breaks the prefix of C{call}"))),
        },
        Question::BreakingStage { call } => {
            let stage = loss(recorded, *call)?.stage.as_ref();
            stage.ok_or_else(|| nothing(&format!("no processor breaks the prefix of C{call}")))?.to_string()
        }
        Question::WritingStage { call, text } => {
            let stage = recorded.stage_of(*call, text)?;
            stage.ok_or_else(|| nothing(&format!("\"{text}\" is not in C{call}")))?
        }
        Question::SourceEvent { call, text } => {
            let event = recorded.origin_of(*call, text)?.and_then(|origin| origin.event());
            let event = event.ok_or_else(|| nothing(&format!("\"{text}\" in C{call} is of no event")))?;
            format!("E{}", event.number())
        }
        Question::SourceAuthor { call, text } => {
            let event = recorded.origin_of(*call, text)?.and_then(|origin| origin.event());
            let log = recorded.opened.experiment().log();
            let event = event.and_then(|event| log.get(event));
            let event = event.ok_or_else(|| nothing(&format!("\"{text}\" in C{call} is of no event")))?;
            event.event.author.to_string()
        }
        Question::HeaviestEvent {} => {
            let report = tokens_of(&recorded.opened);
            let is_event = |origin: &str| {
                origin.strip_prefix('E').is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
            };
            let parts = report.parts.into_iter().filter(|part| is_event(&part.origin));
            let heaviest = parts.max_by_key(|part| part.lifetime_tokens);
            heaviest.ok_or_else(|| nothing("no prompt carries an event"))?.origin
        }
        Question::HeaviestTool {} => {
            let report = tokens_of(&recorded.opened);
            let heaviest = report.tools.into_iter().max_by_key(|tool| tool.result_tokens);
            heaviest.ok_or_else(|| nothing("no tool was called"))?.tool
        }
        Question::Carriers { event } => {
            let calls = recorded.opened.billed().analysis.calls().iter();
            let carries = |call: &&strata_measure::analysis::CallAnalysis| {
                prompt_segments(&call.request).any(|segment| {
                    let of = segment.main_origin().and_then(|origin| origin.event());
                    of.is_some_and(|of| of.number() == *event)
                })
            };
            return Ok(Right::Number {
                value: calls.filter(carries).count() as f64,
                within: 0.0,
                basis: None,
            });
        }
        Question::LostBetween { before, after, min_chars } => {
            recorded.call(*before)?;
            recorded.call(*after)?;
            return Ok(Right::Lost { before: *before, after: *after, min_chars: *min_chars });
        }
    };
    Ok(Right::Name(name))
}

fn loss(recorded: &LearnedSession, call: u32) -> Result<&strata_measure::analysis::Loss, AppError> {
    recorded.call(call)?.broken().ok_or_else(|| {
        AppError::bad_input(format!("The question has no answer: the prefix of C{call} does not break."))
    })
}

#[cfg(test)]
mod tests {
    use super::same_name;

    #[test]
    fn people_spell_names_in_several_ways() {
        assert!(same_name("C17", "17") && same_name("C17", "c17") && !same_name("C17", "7"));
        assert!(same_name("hits", "state.hits") && same_name("hits", "{hits}"));
        assert!(!same_name("hits", "") && !same_name("contents", "ontents"));
    }
}
