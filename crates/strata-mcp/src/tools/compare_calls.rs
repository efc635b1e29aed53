//! What changed between two prompts.

use serde_json::json;
use strata_app::report::{ChangeKind, call_changes};

use super::numbers::{name, said, tokens};
use crate::answer::{Answer, Refusal};
use crate::arguments::{Argument, CURSOR, SESSION, Shape};
use crate::asked::Question;
use crate::knows::Knows;
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded};

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "compare_calls",
    title: "What changed between two calls?",
    about: "Compares the prompts of two calls part by part: added, removed, moved, rewritten, with tokens.",
    arguments: &[
        SESSION,
        Argument { name: "from", about: "The earlier call, as C3", shape: Shape::Call, is_required: true },
        Argument { name: "to", about: "The later call, as C7", shape: Shape::Call, is_required: true },
        CURSOR,
    ],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let subject = knows.subject(question)?;
    let call = |name: &str| question.arguments.call(name).unwrap_or_default();
    let changes = call_changes(&subject.opened, call("from"), call("to"))?;
    let mut answer = subject.answer();
    answer.say(format!(
        "C{} has {} tokens, C{} {} ({}). {} parts with {} tokens are the same; {} differ.",
        changes.from,
        tokens(changes.tokens_from),
        changes.to,
        tokens(changes.tokens_to),
        said(changes.basis),
        changes.unchanged,
        tokens(changes.unchanged_tokens),
        changes.changes.len()
    ));
    answer.fact("from", json!({"call": format!("C{}", changes.from), "tokens": changes.tokens_from}));
    answer.fact("to", json!({"call": format!("C{}", changes.to), "tokens": changes.tokens_to}));
    answer.fact("basis", changes.basis);
    answer.fact("unchanged", json!({"parts": changes.unchanged, "tokens": changes.unchanged_tokens}));
    let of_kind = |kind: ChangeKind| changes.changes.iter().filter(|change| change.kind == kind).count();
    answer.fact(
        "counts",
        json!({
            "added": of_kind(ChangeKind::Added),
            "removed": of_kind(ChangeKind::Removed),
            "moved": of_kind(ChangeKind::Moved),
            "rewritten": of_kind(ChangeKind::Rewritten),
        }),
    );
    answer.rows_name = "changes";
    for change in &changes.changes {
        let (from, text) = (recorded(&change.from), recorded(&change.text));
        answer.row(
            format!(
                "{} {from}, {} → {} tokens: {}",
                name(&change.kind),
                tokens(change.tokens_before),
                tokens(change.tokens_after),
                quoted(&text)
            ),
            json!({
                "change": change.kind,
                "name": from,
                "source": recorded(&change.origin),
                "tokensBefore": change.tokens_before,
                "tokensAfter": change.tokens_after,
                "text": text,
            }),
        );
    }
    Ok(answer)
}
