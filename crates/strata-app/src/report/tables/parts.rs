//! The table of parts.

use strata_parquet::Form::{Integer, Number, Text};
use strata_parquet::{Column, ParquetError, TableFile};

use super::super::tokens::TokensReport;
use super::said::{Of, Said};

pub(super) const COLUMNS: &[Column] = &[
    Column::new("source", Text, "as in `calls`"),
    Column::new("session_id", Text, "as in `calls`"),
    Column::new("origin", Text, "where it comes from, as other commands name it: `E4`, `tool:search`"),
    Column::new("origin_name", Text, "the same as people call it"),
    Column::new("kind", Text, "`tools`, `system`, `memory`, `summary`, `user`, `model` or `result`"),
    Column::new("text", Text, "one line of it, for events"),
    Column::new("first_call", Integer, "the first call that carried it"),
    Column::new("last_call", Integer, "the last one"),
    Column::new("n_calls", Integer, "calls that carried it"),
    Column::new("tokens", Integer, "its size in the last call that carried it"),
    Column::new("lifetime_tokens", Integer, "its sizes in all calls that carried it, added up"),
    Column::new("fresh_tokens", Integer, "of these, tokens that the call before in the lineage had not sent"),
    Column::new("matched_tokens", Integer, "the others: those of the prefix match"),
    Column::new("tokens_basis", Text, "what the counts of this session rest on, by the weakest of them"),
    Column::optional("cost_usd", Number, "US dollars: its share of what the calls cost that carried it"),
];

pub(super) fn write(
    file: &mut TableFile,
    of: &Of,
    tokens: &TokensReport,
    said: &Said,
) -> Result<(), ParquetError> {
    for part in &tokens.parts {
        file.row([
            of.source.clone().into(),
            of.session_id.clone().into(),
            said.text(&part.origin).into(),
            said.text(&part.from).into(),
            part.kind.name().into(),
            said.text(&part.text).into(),
            part.first_call.into(),
            part.last_call.into(),
            part.calls.into(),
            part.tokens.into(),
            part.lifetime_tokens.into(),
            part.fresh_tokens.into(),
            part.cached_tokens.into(),
            tokens.basis.name().into(),
            part.cost.into(),
        ])?;
    }
    Ok(())
}
