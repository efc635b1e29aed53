//! Traces and the sessions they are of.
//!
//! A trace has the requests of a session, and answers with the ids of its events. Whichever of the two is imported
//! first, the requests are given to the session; what fits no session stays one of its own, and that is said.

use strata_import::{AnswerPlaces, Format, ImportedSession};
use strata_store::{RecordedRequest, SessionId, Store, StoreError};

use super::write::new_request;

/// What joining a trace to a session came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JoinedTrace {
    pub session: SessionId,
    pub title: String,
    /// Requests whose answers are events of the session.
    pub n_found: usize,
    /// Requests of the trace that are of no event of it.
    pub n_left: usize,
}

/// Gives the requests of a trace to the stored session of the same id, if one has its events.
pub(super) fn join_trace(
    store: &mut Store,
    trace: &ImportedSession,
    location: &str,
) -> Result<Option<JoinedTrace>, StoreError> {
    for id in stored_as(store, &trace.session.id)? {
        if is_trace(store, &id)? {
            continue;
        }
        let joined = join_to(store, &id, std::slice::from_ref(trace), location)?;
        if joined.as_ref().is_some_and(|joined| joined.n_found > 0) {
            return Ok(joined);
        }
    }
    Ok(None)
}

/// Gives the requests of traces to a session that is chosen. `None` when there is no such session; nothing is changed
/// where no request is of its events.
pub(crate) fn join_to(
    store: &mut Store,
    id: &SessionId,
    traces: &[ImportedSession],
    location: &str,
) -> Result<Option<JoinedTrace>, StoreError> {
    let Some(entry) = store.session_entry(id)? else { return Ok(None) };
    let Some(session) = store.read_session(id)? else { return Ok(None) };
    let requests: Vec<RecordedRequest> = traces
        .iter()
        .flat_map(|trace| trace.requests_for(&session))
        .map(|request| new_request(&request))
        .collect();
    if !requests.is_empty() {
        store.add_requests(id, location, &requests)?;
    }
    let n_requests: usize = traces.iter().map(|trace| trace.requests.len()).sum();
    let n_found = requests.len();
    Ok(Some(JoinedTrace { session: id.clone(), title: entry.title, n_found, n_left: n_requests - n_found }))
}

/// Gives a session that was just stored the requests of traces that were there before it. What a sub-agent was asked with
/// is in the trace of its `parent`.
pub(super) fn join_known(
    store: &mut Store,
    id: &SessionId,
    parent: Option<&str>,
) -> Result<Vec<JoinedTrace>, StoreError> {
    let Some(entry) = store.session_entry(id)? else { return Ok(Vec::new()) };
    let mut traces = stored_as(store, &entry.adk_id)?;
    traces.extend(stored_as(store, parent.unwrap_or_default())?);
    traces.retain(|other| other != id);
    // Read when there is a trace of it: most sessions have none.
    let mut session = None;
    let mut all = Vec::new();
    for other in traces {
        if !is_trace(store, &other)? {
            continue;
        }
        let (Some(trace), Some(events)) = (store.session_entry(&other)?, store.read_session(&other)?) else {
            continue;
        };
        if session.is_none() {
            session = store.read_session(id)?;
        }
        let Some(session) = &session else { break };
        let requests = store.requests(&other)?;
        let n_requests = requests.len();
        let places = AnswerPlaces::of(session);
        let found = requests.into_iter().filter_map(|request| {
            let own = places.find(events.events.get(request.answer? as usize)?)?;
            Some(RecordedRequest { answer: Some(own as u32), ..request })
        });
        let found: Vec<RecordedRequest> = found.collect();
        // Where the session has grown, those that it was given before stay with it.
        if found.len() > store.n_requests_from(id, &trace.location)? as usize {
            store.add_requests(id, &trace.location, &found)?;
            let n_found = found.len();
            all.push(JoinedTrace {
                session: other,
                title: trace.title,
                n_found,
                n_left: n_requests - n_found,
            });
        }
    }
    Ok(all)
}

/// Stored sessions that call themselves so.
fn stored_as(store: &Store, adk_id: &str) -> Result<Vec<SessionId>, StoreError> {
    if adk_id.is_empty() {
        return Ok(Vec::new());
    }
    store.sessions_called(adk_id)
}

fn is_trace(store: &Store, id: &SessionId) -> Result<bool, StoreError> {
    let entry = store.session_entry(id)?;
    let traces = Format::ALL.into_iter().filter(|format| format.is_trace());
    Ok(entry.is_some_and(|entry| traces.map(Format::name).any(|name| name == entry.format)))
}
