//! The table of breaks.

use strata_parquet::Form::{Flag, Integer, Number, Text};
use strata_parquet::{Column, ParquetError, TableFile};

use super::super::cache::CacheReport;
use super::said::{Of, Said};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("source", Text, "as in `calls`"),
    Column::new("session_id", Text, "as in `calls`"),
    Column::new("call", Integer, "the call that lost something"),
    Column::new("agent", Text, "the agent that made it"),
    Column::new("model", Text, "the model that was asked"),
    Column::new("previous_call", Integer, "the call whose prompt it could have continued"),
    Column::new("cause", Text, "what broke the prefix, by its code"),
    Column::new("detail", Text, "the same in a sentence"),
    Column::new("path", Text, "where in the request; empty where the prompts do not differ"),
    Column::optional("stage", Text, "the processor whose result differs first"),
    Column::optional("origin", Text, "the part that differs first"),
    Column::optional(
        "change_kind",
        Text,
        "how a text differs first: `time`, `random_id`, `counter` and others",
    ),
    Column::optional("change_label", Text, "what stands before the value on its line"),
    Column::optional("change_before", Text, "the value in the prompt before"),
    Column::optional("change_after", Text, "the value in this one"),
    Column::new("is_avoidable", Flag, "whether a change of the app would have kept it"),
    Column::new("at_token", Integer, "tokens in front of the break"),
    Column::new("rebilled_tokens", Integer, "paid in full though they could have been found"),
    Column::new("rebilled_tokens_basis", Text, "`reported` or `predicted`"),
    Column::new("predicted_rebilled_tokens", Integer, "the same as it is predicted"),
    Column::optional("cost_usd", Number, "US dollars that this cost"),
];

/// Prompts that are only too short to be cached are no breaks.
pub(super) fn write(
    file: &mut TableFile,
    of: &Of,
    cache: &CacheReport,
    said: &Said,
) -> Result<(), ParquetError> {
    for call in &cache.calls {
        let Some(broken) = call.loss.as_ref().filter(|loss| loss.is_break()) else { continue };
        let change = broken.change.as_ref();
        file.row([
            of.source.clone().into(),
            of.session_id.clone().into(),
            call.call.into(),
            said.text(&call.agent).into(),
            call.model.clone().into(),
            broken.previous_call.into(),
            broken.cause.into(),
            said.text(&broken.detail).into(),
            said.text(&broken.path).into(),
            broken.stage.clone().into(),
            said.optional(broken.origin.as_deref()).into(),
            change.map(|change| change.kind).into(),
            said.optional(change.map(|change| &*change.label)).into(),
            said.optional(change.map(|change| &*change.before)).into(),
            said.optional(change.map(|change| &*change.after)).into(),
            broken.is_avoidable.into(),
            broken.at_token.into(),
            broken.rebilled_tokens.into(),
            if broken.is_reported { "reported" } else { "predicted" }.into(),
            broken.predicted_tokens.into(),
            broken.cost.into(),
        ])?;
    }
    Ok(())
}
