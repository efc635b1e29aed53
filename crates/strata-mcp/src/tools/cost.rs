//! What a session cost, and by what.

use std::collections::BTreeMap;

use serde_json::json;
use strata_app::report::{Kind, TokensReport, agent_branches, tokens_of};

use super::numbers::{money_or_none, name, rounded, said, tokens};
use crate::answer::{Answer, Refusal};
use crate::arguments::{Argument, CURSOR, SESSION, Shape};
use crate::asked::Question;
use crate::knows::{Knows, Subject};
use crate::spec::ToolSpec;
use crate::symbols::{quoted, recorded};

pub(super) const TOOL: ToolSpec = ToolSpec {
    name: "cost",
    title: "What did this session cost, by what?",
    about: "Tokens and US dollars of a session by agent, tool or kind of content, with what no part explains.",
    arguments: &[
        SESSION,
        Argument {
            name: "by",
            about: "What a row is of",
            shape: Shape::OneOf(&["kind", "agent", "tool"]),
            is_required: false,
        },
        CURSOR,
    ],
    is_always_loaded: false,
    answer,
};

fn answer(knows: &Knows, question: &Question) -> Result<Answer, Refusal> {
    let subject = knows.subject(question)?;
    let ledger = tokens_of(&subject.opened);
    let bill = &ledger.bill;
    let mut answer = subject.answer();
    answer.say(format!(
        "{} calls: {} prompt tokens ({}), {} of them from a cache, {} answered; {}.",
        bill.calls,
        tokens(bill.prompt_tokens),
        said(bill.basis),
        tokens(bill.cached_tokens),
        tokens(bill.output_tokens),
        money_or_none(bill.cost)
    ));
    answer.fact(
        "total",
        json!({
            "calls": bill.calls,
            "promptTokens": bill.prompt_tokens,
            "basis": bill.basis,
            "cachedTokens": bill.cached_tokens,
            "cacheWriteTokens": bill.written_tokens + bill.written_long_tokens,
            "outputTokens": bill.output_tokens,
            "cost": rounded(bill.cost),
        }),
    );
    answer.fact("outputCost", rounded(bill.output_cost));
    answer.fact("overhead", json!({"tokens": ledger.overhead, "cost": rounded(ledger.overhead_cost)}));
    if let Some((reported, calls, residual)) = ledger.reported() {
        answer.say(format!(
            "Rows are our count ({}). Of {} reported calls the providers counted {} tokens, {} more than we: hidden context \
             {} ({}).",
            said(ledger.basis),
            calls,
            tokens(reported),
            tokens(residual),
            tokens(bill.hidden_tokens),
            money_or_none(bill.hidden_cost)
        ));
        answer.fact(
            "residual",
            json!({"reportedTokens": reported, "reportedCalls": calls, "tokens": residual, "hiddenTokens": bill.hidden_tokens, "hiddenCost": rounded(bill.hidden_cost)}),
        );
    } else {
        answer.say(format!("Rows are our count ({}); no provider reported anything.", said(ledger.basis)));
    }
    answer.fact("rowsBasis", ledger.basis);
    answer.rows_name = "rows";
    match question.arguments.choice("by") {
        "agent" => by_agent(&mut answer, &subject)?,
        "tool" => by_tool(&mut answer, &ledger),
        _ => by_kind(&mut answer, &ledger),
    }
    Ok(answer)
}

fn by_agent(answer: &mut Answer, subject: &Subject) -> Result<(), Refusal> {
    answer.fact("rowsBasis", "each row says it");
    for branch in agent_branches(&subject.opened)? {
        let agent = recorded(&branch.agent);
        answer.row(
            format!(
                "{}: {} calls, {} prompt tokens ({}), {}",
                quoted(&agent),
                branch.calls,
                tokens(branch.prompt_tokens),
                said(branch.basis),
                money_or_none(branch.cost)
            ),
            json!({
                "agent": agent,
                "calls": branch.calls,
                "promptTokens": branch.prompt_tokens,
                "basis": branch.basis,
                "cost": rounded(branch.cost),
            }),
        );
    }
    Ok(())
}

fn by_tool(answer: &mut Answer, ledger: &TokensReport) {
    for tool in &ledger.tools {
        let name = recorded(&tool.tool);
        answer.row(
            format!(
                "{}: {} tokens over all calls (declaration {}, arguments {}, results {}), {}",
                quoted(&name),
                tokens(tool.lifetime_tokens),
                tokens(tool.declaration_tokens),
                tokens(tool.call_tokens),
                tokens(tool.result_tokens),
                money_or_none(tool.cost)
            ),
            json!({
                "tool": name,
                "tokens": tool.lifetime_tokens,
                "declarationTokens": tool.declaration_tokens,
                "argumentTokens": tool.call_tokens,
                "resultTokens": tool.result_tokens,
                "cost": rounded(tool.cost),
            }),
        );
    }
}

fn by_kind(answer: &mut Answer, ledger: &TokensReport) {
    let mut costs: BTreeMap<Kind, Option<f64>> = BTreeMap::new();
    for part in &ledger.parts {
        let sum = costs.entry(part.kind).or_insert(Some(0.0));
        *sum = sum.zip(part.cost).map(|(sum, cost)| sum + cost);
    }
    for kind in &ledger.kinds {
        let cost = costs.get(&kind.kind).copied().flatten();
        answer.row(
            format!(
                "{}: {} tokens over all calls, {}",
                name(&kind.kind),
                tokens(kind.lifetime_tokens),
                money_or_none(cost)
            ),
            json!({"kind": kind.kind, "tokens": kind.lifetime_tokens, "cost": rounded(cost)}),
        );
    }
}
