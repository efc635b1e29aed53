//! What a compaction would buy, and lose.

use serde_json::json;
use strata_app::report::{CompactChoice, SummaryModel, compact_of, room};
use tokio::runtime::Handle;

use super::numbers::{later, money_or_none, rounded, tokens};
use crate::answer::{Answer, Refusal};
use crate::arguments::{Argument, CURSOR, SESSION, Shape};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded, recorded_of};

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "plan_compaction",
    title: "What would compaction buy, and lose?",
    about: "Goes through the session again with summaries, and says what prompts and cost would have been and which \
            facts the summaries would not tell. Summaries are made of sentences of the session; no model is asked.",
    arguments: &[
        SESSION,
        Argument {
            name: "method",
            about: "steps: when a prompt passes `threshold` tokens, down to the last `keep_last` events; threshold: as \
                    google-adk does at a token threshold; window: every `threshold` turns, `keep_last` overlapping",
            shape: Shape::OneOf(&["steps", "threshold", "window"]),
            is_required: false,
        },
        Argument {
            name: "threshold",
            about: "Tokens, or turns for a window; half of the last prompt (3 turns) if left out",
            shape: Shape::Whole { least: 1, most: 10_000_000, usual: None },
            is_required: false,
        },
        Argument {
            name: "keep_last",
            about: "Events that stay as they are; 10 (1 turn) if left out",
            shape: Shape::Whole { least: 0, most: 100_000, usual: None },
            is_required: false,
        },
        CURSOR,
    ],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let subject = knows.subject(question)?;
    let arguments = &question.arguments;
    let half = room(&subject.opened).map_or(20_000, |room| (room.used_tokens / 2).max(1));
    let (threshold, keep) = (arguments.whole("threshold"), arguments.whole("keep_last"));
    let config = match arguments.choice("method") {
        "window" => format!("interval={},overlap={}", threshold.unwrap_or(3), keep.unwrap_or(1)),
        "threshold" => format!("threshold={},retention={}", threshold.unwrap_or(half), keep.unwrap_or(10)),
        _ => format!("limit={},keep={}", threshold.unwrap_or(half), keep.unwrap_or(10)),
    };
    let choice =
        CompactChoice { config: config.clone(), prompt: None, model: SummaryModel::Extractive, apply: None };
    let runtime = Handle::current();
    let report = compact_of(&subject.opened, &subject.source, &choice, &question.stop, &runtime)?;
    let (before, after) = (&report.totals.baseline, &report.totals.bill);

    let mut answer = subject.answer();
    answer.say(format!(
        "With {config}: {} summaries. All prompts {} → {} tokens, the largest {} → {}; paid in full {} → {}; cost {} → {} \
         with summaries (our counts, caches predicted).",
        after.compactions,
        tokens(before.prompt_tokens),
        tokens(after.prompt_tokens),
        tokens(before.peak_tokens),
        tokens(after.peak_tokens),
        tokens(before.billed_tokens),
        tokens(after.billed_tokens),
        money_or_none(before.cost),
        money_or_none(after.cost)
    ));
    answer.fact("config", &config);
    for (name, bill) in [("before", before), ("after", after)] {
        answer.fact(
            name,
            json!({
                "promptTokens": bill.prompt_tokens,
                "billedTokens": bill.billed_tokens,
                "cachedTokens": bill.cached_tokens,
                "peakTokens": bill.peak_tokens,
                "compactions": bill.compactions,
                "cost": rounded(bill.cost),
            }),
        );
    }
    answer.fact("basis", "estimated");
    let totals = &report.totals;
    answer.say(format!(
        "Facts of what is summarised: {} kept, {} in other words, {} lost. {}",
        totals.kept,
        totals.paraphrased,
        totals.dropped,
        recorded_of(&report.regret_said, 200)
    ));
    answer.fact(
        "facts",
        json!({"kept": totals.kept, "paraphrased": totals.paraphrased, "lost": totals.dropped}),
    );
    answer.fact("usedLater", report.regret.len());
    answer.rows_name = "lost";
    for (at, window) in report.windows.iter().enumerate() {
        let items = window.loss.iter().flat_map(|loss| &loss.items);
        for item in items.filter(|item| item.verdict == "dropped") {
            let text = recorded(&subject.opened.shown_fact(item.event, &item.text));
            answer.row(
                format!("{} of E{}{}: {}", item.kind, item.event, later(item.used_later), quoted(&text)),
                json!({
                    "kind": item.kind,
                    "text": text,
                    "event": format!("E{}", item.event),
                    "summary": at + 1,
                    "usedLater": item.used_later,
                }),
            );
        }
    }
    Ok(answer)
}
