//! The table of calls.

use strata_measure::analysis::CallBill;
use strata_parquet::Form::{Flag, Integer, Number, Text, Time};
use strata_parquet::{Column, ParquetError, TableFile, Value};

use super::super::cache::CacheReport;
use super::super::opened::OpenedSession;
use super::super::tokens::TokensReport;
use super::said::{Of, Said};
use crate::api::common::RequestBasis;

pub(super) const COLUMNS: &[Column] = &[
    Column::new("source", Text, "the file, or the id in the store, that the session was read from"),
    Column::new(
        "session_id",
        Text,
        "the id of the session; with `source`, the key of a session in all tables",
    ),
    Column::new("session_title", Text, "what the session is called"),
    Column::new("format", Text, "what its file is, in words"),
    Column::new("app_name", Text, "the app of the session"),
    Column::new("user_id", Text, "its user"),
    Column::new("call", Integer, "the number of the call in its session, from 1"),
    Column::optional("turn", Integer, "the user's turn it belongs to, from 1"),
    Column::new("agent", Text, "the agent that made it"),
    Column::new(
        "model",
        Text,
        "the model that answered, or was asked where nothing says; empty where nobody knows",
    ),
    Column::optional("answered_at", Time, "when its answer was written down, in UTC"),
    Column::new("is_answered", Flag, "whether anything is recorded of what came back"),
    Column::new("is_paid", Flag, "whether anybody is known to have paid for it"),
    Column::new("request_basis", Text, "`recorded` where the request itself is known, else `recompiled`"),
    Column::new("prompt_tokens", Integer, "the prompt as its provider counts it"),
    Column::new(
        "prompt_tokens_basis",
        Text,
        "what that rests on: `reported`, `exact`, `calibrated` or `estimated`",
    ),
    Column::new("counted_tokens", Integer, "our count of the prompt"),
    Column::new("counted_tokens_basis", Text, "what that rests on"),
    Column::optional(
        "reported_tokens",
        Integer,
        "input tokens that the provider reported for this very request",
    ),
    Column::optional("hidden_tokens", Integer, "of the prompt, what the session does not show"),
    Column::new("cached_tokens", Integer, "of the prompt, read from the provider's cache"),
    Column::new(
        "cached_tokens_basis",
        Text,
        "`reported`, `predicted`, or `unsaid` where a report says nothing of a cache",
    ),
    Column::new("predicted_cached_tokens", Integer, "the same by the provider's rules, whatever it reported"),
    Column::new(
        "predicted_written_tokens",
        Integer,
        "tokens that were written to the cache, by the provider's rules",
    ),
    Column::new("cacheable_tokens", Integer, "tokens that could be found however long ago they were sent"),
    Column::new(
        "prefix_match_tokens",
        Integer,
        "tokens shared with the prompt of the call before in its lineage",
    ),
    Column::optional("output_tokens", Integer, "of the answer, thoughts included, as reported"),
    Column::optional("cost_usd", Number, "US dollars, the answer included; missing where no price is known"),
];

pub(super) fn write(
    file: &mut TableFile,
    of: &Of,
    opened: &OpenedSession,
    (tokens, cache): (&TokensReport, &CacheReport),
    said: &Said,
) -> Result<(), ParquetError> {
    let OpenedSession { subject, compiled, .. } = opened;
    let session = subject.experiment.session();
    let counted = tokens.calls.iter().zip(&cache.calls).zip(&compiled.caches.calls);
    for ((counted, found), billed) in counted {
        let recorded = subject.experiment.call(counted.call);
        let answer = recorded.filter(|call| call.is_answered).map(|call| call.answer);
        let answered_at = answer
            .and_then(|answer| subject.experiment.log().get(answer))
            .map(|answer| answer.event.timestamp)
            .filter(|seconds| *seconds > 0.0);
        let cached_basis = match billed.bill {
            CallBill { is_cache_reported: true, .. } => "reported",
            CallBill { is_cache_unsaid: true, .. } => "unsaid",
            _ => "predicted",
        };
        let request_basis = match counted.request_basis {
            RequestBasis::Recorded => "recorded",
            RequestBasis::Recompiled => "recompiled",
        };
        file.row([
            of.source.clone().into(),
            of.session_id.clone().into(),
            said.text(&tokens.title).into(),
            subject.format_name.clone().into(),
            said.text(&session.app_name).into(),
            said.text(&session.user_id).into(),
            counted.call.into(),
            recorded.map(|call| call.turn).into(),
            said.text(&counted.agent).into(),
            counted.model.clone().into(),
            answered_at.map_or(Value::Missing, |seconds| Value::Time((seconds * 1000.0) as i64)),
            counted.answered.into(),
            found.paid.into(),
            request_basis.into(),
            counted.prompt_tokens.into(),
            counted.prompt_basis.name().into(),
            counted.tokens.into(),
            counted.basis.name().into(),
            counted.reported.into(),
            counted.hidden.into(),
            counted.cached_tokens.into(),
            cached_basis.into(),
            found.predicted_cached_tokens.into(),
            found.predicted_written_tokens.into(),
            found.ceiling_tokens.into(),
            counted.stable_prefix.into(),
            billed.bill.output_tokens.into(),
            counted.cost.into(),
        ])?;
    }
    Ok(())
}
