//! Where words stand in a session.

use std::collections::HashMap;

use serde_json::json;
use strata_app::report::{found_in, tokens_of};

use super::numbers::name;
use crate::answer::{Answer, Refusal};
use crate::arguments::{Argument, CURSOR, SESSION, Shape};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded, recorded_of};

/// Characters around what was found.
const IN_SNIPPET: usize = 180;

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "find",
    title: "Where did this come up?",
    about: "Finds words in all that a session holds, also in what was summarised away, and says whether each place is \
            still in the context.",
    arguments: &[
        Argument {
            name: "query",
            about: "Words that all stand in one part, in any case, also within others; those in double quotes stand \
                    together",
            shape: Shape::Text,
            is_required: true,
        },
        SESSION,
        Argument {
            name: "kind",
            about: "Only parts of this kind",
            shape: Shape::OneOf(&["any", "tools", "system", "memory", "summary", "user", "model", "result"]),
            is_required: false,
        },
        Argument {
            name: "limit",
            about: "Places on a page, the newest first",
            shape: Shape::Whole { least: 1, most: 50, usual: Some(10) },
            is_required: false,
        },
        CURSOR,
    ],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let query = question.arguments.text("query").unwrap_or_default();
    if query.trim().is_empty() {
        return Err(Refusal("`query` holds no words. Say what to look for.".to_owned()));
    }
    let subject = knows.subject(question)?;
    let kind = question.arguments.choice("kind");
    let mut found = found_in(&subject.opened, query);
    found.retain(|part| kind == "any" || name(&part.kind) == kind);
    let ledger = tokens_of(&subject.opened);
    let last = ledger.calls.last().map_or(0, |call| call.call);
    let mut carried: HashMap<&str, (u32, u32)> = HashMap::new();
    for part in &ledger.parts {
        let calls = carried.entry(&part.origin).or_insert((part.first_call, part.last_call));
        *calls = (calls.0.min(part.first_call), calls.1.max(part.last_call));
    }

    let mut answer = subject.answer();
    let looked_for = recorded(query);
    answer.say(match found.len() {
        0 => format!("{} is nowhere in it.", quoted(&looked_for)),
        n => format!("{} stands in {n} places; the context is that of C{last}.", quoted(&looked_for)),
    });
    answer.fact("query", looked_for);
    answer.fact("places", found.len());
    answer.fact("contextOf", format!("C{last}"));
    answer.rows_name = "hits";
    answer.rows_of_page = question.arguments.whole("limit").unwrap_or(10) as usize;
    for part in &found {
        // What an event does besides its parts is sent with no call.
        let is_besides = part.part.is_none() && !part.author.is_empty();
        let calls = carried.get(&*part.origin).filter(|_| !is_besides);
        let is_there = calls.is_some_and(|(_, to)| *to == last);
        let place = match calls {
            Some(_) if is_there => "still in the context",
            Some(_) => "no longer in the context",
            None => "in the context of no call",
        };
        let snippet = recorded_of(&part.snippet, IN_SNIPPET);
        let (origin, author) = (recorded(&part.origin), recorded(&part.author));
        let first = calls.map(|(from, _)| format!("C{from}"));
        answer.row(
            format!(
                "{origin}{} {} {author}{}, {}: {}",
                part.part.map_or_else(String::new, |at| format!(" part {}", at + 1)),
                name(&part.kind),
                first.as_ref().map_or_else(String::new, |first| format!(", first in {first}")),
                place,
                quoted(&snippet)
            ),
            json!({
                "call": first,
                "event": origin,
                "part": part.part.map(|at| at + 1),
                "kind": part.kind,
                "author": Some(author).filter(|author| !author.is_empty()),
                "snippet": snippet,
                "stillInContext": is_there,
            }),
        );
    }
    Ok(answer)
}
