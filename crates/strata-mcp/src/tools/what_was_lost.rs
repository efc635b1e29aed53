//! What a compaction that happened no longer tells.

use serde_json::json;
use strata_app::report::{room, summary_losses};

use super::numbers::{later, percent, tokens};
use crate::answer::{Answer, Refusal};
use crate::arguments::{Argument, CURSOR, SESSION, Shape};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded};

/// Prompts much shorter than the one before that are told where no summary is.
const DROPS: usize = 5;

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "what_was_lost",
    title: "What did the last compaction drop?",
    about: "Compares a summary of the session with what it stands for: which paths, ids, numbers, decisions and open \
            calls it no longer tells. `find` still finds them in the session's file.",
    arguments: &[
        SESSION,
        Argument {
            name: "compaction",
            about: "The first is 1; the last one if left out",
            shape: Shape::Whole { least: 1, most: 100_000, usual: None },
            is_required: false,
        },
        CURSOR,
    ],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let subject = knows.subject(question)?;
    let losses = summary_losses(&subject.opened);
    let mut answer = subject.answer();
    answer.fact("compactions", losses.len());
    let number = question.arguments.whole("compaction").unwrap_or(losses.len() as u32) as usize;
    let Some(loss) = number.checked_sub(1).and_then(|at| losses.get(at)) else {
        if !losses.is_empty() {
            return Err(Refusal(format!("This session has {} compactions, counted from 1.", losses.len())));
        }
        answer.say("No summary is recorded in this session: nothing was dropped by one.");
        let room = room(&subject.opened);
        let drops = room.iter().flat_map(|room| room.drops.iter().rev().take(DROPS));
        for drop in drops {
            answer.say(format!(
                "But the prompt of C{} is much shorter than the one before: {} → {} tokens.",
                drop.call,
                tokens(drop.from_tokens),
                tokens(drop.to_tokens)
            ));
        }
        return Ok(answer);
    };
    answer.say(format!(
        "Compaction {number} of {} is E{}{}. It stands for {} events, E{} to E{}: {} facts kept, {} in other words, {} \
         lost ({} by weight).",
        losses.len(),
        loss.event,
        loss.first_call.map_or_else(String::new, |call| format!(", seen from C{call} on")),
        loss.n_events,
        loss.events[0],
        loss.events[1],
        loss.kept,
        loss.paraphrased,
        loss.dropped,
        percent(loss.lost_share)
    ));
    answer.say("All of it is still on disk, in the session's file: `find` shows it.");
    answer.fact("compaction", number);
    answer.fact("event", format!("E{}", loss.event));
    answer.fact("firstCall", loss.first_call.map(|call| format!("C{call}")));
    answer.fact("standsFor", json!({"from": format!("E{}", loss.events[0]), "to": format!("E{}", loss.events[1]), "events": loss.n_events}));
    answer.fact(
        "facts",
        json!({"kept": loss.kept, "paraphrased": loss.paraphrased, "lost": loss.dropped, "lostShare": loss.lost_share}),
    );
    answer.fact("stillOnDisk", true);
    answer.rows_name = "items";
    for fact in &loss.facts {
        let text = recorded(&subject.opened.shown_fact(fact.event, &fact.text));
        let verdict = if fact.verdict == "dropped" { "lost" } else { fact.verdict };
        answer.row(
            format!(
                "{verdict}: {} of E{}{}: {}",
                fact.kind,
                fact.event,
                later(fact.used_later),
                quoted(&text)
            ),
            json!({
                "verdict": verdict,
                "kind": fact.kind,
                "text": text,
                "event": format!("E{}", fact.event),
                "usedLater": fact.used_later,
            }),
        );
    }
    Ok(answer)
}
