//! How far it is to the limit.

use serde_json::json;
use strata_app::report::room;

use super::numbers::{percent, said, share, tokens};
use crate::answer::{Answer, Refusal};
use crate::arguments::{CURSOR, SESSION};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded};

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "budget",
    title: "How far to the limit, or the next compaction?",
    about: "Tokens of the last prompt, the model's limit, how prompts grow per call, and how many calls are left.",
    arguments: &[SESSION, CURSOR],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let subject = knows.subject(question)?;
    let room = room(&subject.opened).ok_or_else(|| {
        Refusal("This session has no paid model calls yet. Name another with `session`.".to_owned())
    })?;
    let mut answer = subject.answer();
    answer.say(format!(
        "{} at C{} ({}): {} tokens used ({}){}.",
        quoted(&recorded(&room.agent)),
        room.call,
        room.model,
        tokens(room.used_tokens),
        said(room.basis),
        match room.limit_tokens {
            Some(limit) => {
                let part = share(room.used_tokens.into(), limit.into());
                format!(", {} of the limit of {}", percent(part), tokens(limit))
            }
            None => "; the limit is not known".to_owned(),
        }
    ));
    if let Some(growth) = room.growth_per_call {
        answer.say(format!(
            "Prompts grow by {growth} tokens per call (over {} calls, from {} on){}.",
            room.grown_calls,
            tokens(room.grown_from),
            room.calls_left.map_or_else(String::new, |left| format!("; {left} calls are left at that rate"))
        ));
    }
    answer.fact("agent", recorded(&room.agent));
    answer.fact("call", format!("C{}", room.call));
    answer.fact("model", &room.model);
    answer.fact("used", json!({"tokens": room.used_tokens, "basis": room.basis}));
    answer.fact(
        "limit",
        match room.limit_tokens {
            Some(limit) => json!({"tokens": limit, "source": room.limit_source}),
            None => json!({"tokens": null, "reason": "It is not known of this model."}),
        },
    );
    answer.fact("growthPerCall", room.growth_per_call);
    answer.fact("grownOverCalls", room.grown_calls);
    answer.fact("callsLeft", room.calls_left);
    answer.rows_name = "drops";
    if let Some(last) = room.drops.last() {
        answer.say(format!(
            "Its prompts got much shorter {} times, last at {} tokens: expect the next compaction near that.",
            room.drops.len(),
            tokens(last.from_tokens)
        ));
    }
    for drop in room.drops.iter().rev() {
        answer.row(
            format!("C{}: {} → {} tokens", drop.call, tokens(drop.from_tokens), tokens(drop.to_tokens)),
            json!({"call": format!("C{}", drop.call), "from": drop.from_tokens, "to": drop.to_tokens}),
        );
    }
    Ok(answer)
}
