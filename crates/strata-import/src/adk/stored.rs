//! Sessions of a database while their rows are read.

use std::collections::BTreeMap;

use strata_model::Str;

use super::session::SessionBuilder;
use crate::rows::text_of;
use crate::tables::SqlValue;

/// App, user and session id: what identifies a session in a database.
pub(crate) type SessionKey = (Str, Str, Str);

pub(super) type Sessions = BTreeMap<SessionKey, SessionBuilder>;

pub(crate) fn key_of(row: &[SqlValue<'_>]) -> SessionKey {
    let at = |index: usize| text_of(row.get(index)).unwrap_or_default();
    (at(0), at(1), at(2))
}

pub(super) fn builder_of<'s>(sessions: &'s mut Sessions, key: &SessionKey) -> &'s mut SessionBuilder {
    sessions.entry(key.clone()).or_insert_with(|| {
        let mut builder = SessionBuilder::at(format!("session {}", key.2));
        builder.session.app_name = key.0.clone();
        builder.session.user_id = key.1.clone();
        builder.session.id = key.2.clone();
        builder
    })
}
