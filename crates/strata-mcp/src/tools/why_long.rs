//! Why a prompt is so long.

use std::collections::{BTreeMap, HashMap};

use serde_json::json;
use strata_app::report::{Kind, Zone, prompt_of, tokens_of};

use super::numbers::{name, percent, said, share, tokens};
use crate::answer::{Answer, Refusal};
use crate::arguments::{Argument, CURSOR, SESSION, Shape};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded};

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "why_long",
    title: "Why was my last prompt so long?",
    about: "Explains what the tokens of a model call's prompt were spent on: its largest parts, since when they are \
            carried, and what no file shows.",
    arguments: &[
        SESSION,
        Argument {
            name: "call",
            about: "The call, as C7; the last one if left out",
            shape: Shape::Call,
            is_required: false,
        },
        Argument {
            name: "top",
            about: "Parts on a page, the largest first",
            shape: Shape::Whole { least: 1, most: 50, usual: Some(8) },
            is_required: false,
        },
        CURSOR,
    ],
    is_always_loaded: true,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let subject = knows.subject(question)?;
    let ledger = tokens_of(&subject.opened);
    let last = ledger.calls.last().ok_or_else(|| {
        Refusal("This session has no model calls yet. Name another with `session`.".to_owned())
    })?;
    let number = question.arguments.call("call").unwrap_or(last.call);
    let call = ledger.calls.iter().find(|call| call.call == number).ok_or_else(|| {
        Refusal(format!("C{number} is not in this session. Its calls are C1 to C{}.", last.call))
    })?;
    let prompt = prompt_of(&subject.opened, number)?;
    let before = prompt.previous_call.and_then(|before| ledger.calls.iter().find(|it| it.call == before));
    let mut since: HashMap<(&str, Kind), u32> = HashMap::new();
    for part in &ledger.parts {
        since.insert((&part.origin, part.kind), part.first_call);
    }

    let mut answer = subject.answer();
    answer.say(format!(
        "C{number} of {}, {}: {} prompt tokens ({}).",
        quoted(&recorded(&call.agent)),
        call.model,
        tokens(call.prompt_tokens),
        said(call.prompt_basis)
    ));
    answer.fact("call", format!("C{number}"));
    answer.fact("agent", recorded(&call.agent));
    answer.fact("model", &call.model);
    answer.fact("total", json!({"tokens": call.prompt_tokens, "basis": call.prompt_basis}));
    answer
        .fact("counted", json!({"tokens": prompt.total, "basis": prompt.basis, "overhead": prompt.overhead}));
    if let Some(before) = before {
        let grown = i64::from(call.prompt_tokens) - i64::from(before.prompt_tokens);
        answer.say(format!(
            "{}{} since C{}, the call before it in its line; {} of our {} counted tokens stood in that one, too.",
            if grown >= 0 { "+" } else { "" },
            tokens(grown),
            before.call,
            tokens(prompt.stable_prefix),
            tokens(prompt.total)
        ));
        answer.fact("previous", json!({"call": format!("C{}", before.call), "grown": grown}));
    }
    if let Some(hidden) = call.hidden.filter(|hidden| *hidden > 0) {
        answer.say(format!(
            "{} of it are hidden: the provider counts them and the file does not show them ({}).",
            tokens(hidden),
            recorded(&call.evidence.said)
        ));
        answer.fact("hidden", hidden);
    }
    let mut kinds: BTreeMap<Kind, u32> = BTreeMap::new();
    for segment in &prompt.segments {
        *kinds.entry(segment.kind).or_default() += segment.tokens;
    }
    let by_kind: Vec<String> =
        kinds.iter().map(|(kind, sum)| format!("{} {}", name(kind), tokens(*sum))).collect();
    answer.say(format!(
        "By kind, {}: {}; framing {}.",
        said(prompt.basis),
        by_kind.join(", "),
        tokens(prompt.overhead)
    ));
    answer.fact("kinds", &kinds);

    let mut segments: Vec<_> = prompt.segments.iter().filter(|segment| segment.tokens > 0).collect();
    segments.sort_by_key(|segment| std::cmp::Reverse(segment.tokens));
    answer.rows_name = "parts";
    answer.rows_of_page = question.arguments.whole("top").unwrap_or(8) as usize;
    for segment in segments {
        let share = share(segment.tokens.into(), call.prompt_tokens.max(prompt.total).into());
        let first = since.get(&(&*segment.origin, segment.kind));
        let is_new = segment.zone == Zone::VariableSuffix;
        let (from, text) = (recorded(&segment.from), recorded(&segment.text));
        answer.row(
            format!(
                "{} tokens, {}: {} {from}{}{}: {}",
                tokens(segment.tokens),
                percent(share),
                name(&segment.kind),
                first.map_or_else(String::new, |first| format!(", since C{first}")),
                if is_new { ", new" } else { "" },
                quoted(&text)
            ),
            json!({
                "name": from,
                "kind": segment.kind,
                "tokens": segment.tokens,
                "share": share,
                "sinceCall": first.map(|first| format!("C{first}")),
                "new": is_new.then_some(true),
                "source": recorded(&segment.origin),
                "text": text,
            }),
        );
    }
    Ok(answer)
}
