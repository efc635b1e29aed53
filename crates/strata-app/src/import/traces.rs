//! Traces and the sessions they are of.
//!
//! A trace has the requests of a session, and answers that are also events of it. Whichever of the two is imported first,
//! the requests are given to the session; what fits no session stays one of its own, and that is said. Where neither
//! knows the name of the other, as with clients that do not tell a provider their session, the answers tell them.

use std::collections::BTreeMap;

use strata_import::{AnswerPlaces, Format, ImportedSession, is_captured_client};
use strata_model::{Event, Session};
use strata_store::{RecordedRequest, SessionId, Store, StoreError};

use super::write::new_request;

/// Seconds by which a recording of what was said may be later than another.
const SLACK: f64 = 60.0;

/// What joining a trace to a session came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JoinedTrace {
    pub session: SessionId,
    pub title: String,
    /// Sessions besides that were given some.
    pub n_others: usize,
    /// Requests whose answers are events of the session.
    pub n_found: usize,
    /// Requests of the trace that are of no event of it.
    pub n_left: usize,
}

/// A session, and where the answers to the requests of a trace stand in it.
type Found = (SessionId, Vec<Option<usize>>);

/// Gives the requests of traces of one file to the stored sessions that have their answers. What became of each trace, in
/// their order; of several sessions, the one with the most is named.
pub(super) fn join_traces(
    store: &mut Store,
    traces: &[&ImportedSession],
    location: &str,
) -> Result<Vec<Option<JoinedTrace>>, StoreError> {
    let mut given = BTreeMap::new();
    let mut joined = Vec::with_capacity(traces.len());
    for trace in traces {
        let trace = Trace::of(trace);
        let found = trace.sessions(store)?;
        let is_found = |at: usize| found.iter().any(|(_, places)| places[at].is_some());
        let n_found = (0..trace.requests.len()).filter(|at| is_found(*at)).count();
        joined.push(match found.iter().max_by_key(|(_, places)| places.iter().flatten().count()) {
            Some((id, _)) => trace
                .joined(store, id, n_found)?
                .map(|joined| JoinedTrace { n_others: found.len() - 1, ..joined }),
            None => None,
        });
        for (id, places) in found {
            given.entry(id).or_insert_with(Vec::new).extend(trace.given(&places));
        }
    }
    for (id, requests) in given {
        store.add_requests(&id, location, &in_order(requests))?;
    }
    Ok(joined)
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
    let places = AnswerPlaces::of(&session);
    let of_trace = |trace: Trace| trace.given(&places.find_all(&trace.answers()));
    let requests: Vec<_> = traces.iter().map(Trace::of).flat_map(of_trace).collect();
    let n_requests: usize = traces.iter().map(|trace| trace.requests.len()).sum();
    let n_found = requests.len();
    if n_found > 0 {
        store.add_requests(id, location, &in_order(requests))?;
    }
    let n_left = n_requests - n_found;
    Ok(Some(JoinedTrace { session: id.clone(), title: entry.title, n_others: 0, n_found, n_left }))
}

/// Gives a session that was just stored the requests of traces that were there before it. What a sub-agent was asked with
/// is in the trace of its `parent`.
pub(super) fn join_known(
    store: &mut Store,
    id: &SessionId,
    parent: Option<&str>,
) -> Result<Vec<JoinedTrace>, StoreError> {
    let Some(entry) = store.session_entry(id)? else { return Ok(Vec::new()) };
    let mut others = stored_as(store, &entry.adk_id)?;
    others.extend(stored_as(store, parent.unwrap_or_default())?);
    let begin = store.event_rows(id, 0..1)?.first().map_or(entry.last_update_time, |event| event.timestamp);
    for other in stored_then(store, Format::is_trace, (begin, entry.last_update_time))? {
        let trace = store.session_entry(&other)?;
        if trace.is_some_and(|trace| may_be_of(&trace.app_name, &entry.app_name)) {
            others.push(other);
        }
    }
    // Read when there may be a trace of it: most sessions have none.
    let mut session = None;
    let mut of_files: BTreeMap<String, (Vec<RecordedRequest>, Vec<JoinedTrace>)> = BTreeMap::new();
    for (at, other) in others.iter().enumerate() {
        if other == id || others[..at].contains(other) || !is_trace(store, other)? {
            continue;
        }
        if session.is_none() {
            session = store.read_session(id)?;
        }
        let (Some(session), Some(file), Some(trace)) =
            (&session, store.session_entry(other)?, Trace::stored(store, other)?)
        else {
            continue;
        };
        let places = trace.places_in(store, id, session)?;
        let requests = trace.given(&places);
        if requests.is_empty() {
            continue;
        }
        let of_file = of_files.entry(file.location).or_default();
        of_file.1.extend(trace.joined(store, other, requests.len())?);
        of_file.0.extend(requests);
    }
    let mut joined = Vec::new();
    for (location, (requests, traces)) in of_files {
        // Where the session has grown, those that it was given before stay with it.
        if requests.len() > store.n_requests_from(id, &location)? as usize {
            store.add_requests(id, &location, &in_order(requests))?;
            joined.extend(traces);
        }
    }
    Ok(joined)
}

/// A recording of requests and their answers.
struct Trace {
    session: Session,
    /// Those with an answer.
    requests: Vec<RecordedRequest>,
    /// With and without an answer.
    n_requests: usize,
}

impl Trace {
    fn of(imported: &ImportedSession) -> Self {
        Self::new(imported.session.clone(), imported.requests.iter().map(new_request).collect())
    }

    fn stored(store: &Store, id: &SessionId) -> Result<Option<Self>, StoreError> {
        let Some(session) = store.read_session(id)? else { return Ok(None) };
        Ok(Some(Self::new(session, store.requests(id)?)))
    }

    fn new(session: Session, mut requests: Vec<RecordedRequest>) -> Self {
        let n_requests = requests.len();
        requests.retain(|request| request.answer.is_some_and(|at| session.events.len() > at as usize));
        Self { session, requests, n_requests }
    }

    /// Where its answers stand in a stored session. Others are read only where the words alone tell them.
    fn places_in(
        &self,
        store: &Store,
        id: &SessionId,
        session: &Session,
    ) -> Result<Vec<Option<usize>>, StoreError> {
        let places = AnswerPlaces::of(session);
        let found = places.find_all(&self.answers());
        if found.iter().any(Option::is_some) || self.told_by_words(session, &places).is_empty() {
            return Ok(found);
        }
        let all = self.sessions(store)?.into_iter();
        Ok(all.filter(|(other, _)| other == id).flat_map(|(_, places)| places).collect())
    }

    /// The stored sessions with its answers: of its name and of its time.
    fn sessions(&self, store: &Store) -> Result<Vec<Found>, StoreError> {
        let answers = self.answers();
        if answers.is_empty() {
            return Ok(Vec::new());
        }
        let mut ids = stored_as(store, &self.session.id)?;
        for id in stored_then(store, |format| !format.is_trace(), self.span())? {
            let entry = store.session_entry(&id)?;
            if entry.is_some_and(|entry| may_be_of(&self.session.app_name, &entry.app_name)) {
                ids.push(id);
            }
        }
        let (mut known, mut alike) = (Vec::new(), Vec::new());
        for (at, id) in ids.iter().enumerate() {
            if ids[..at].contains(id) || is_trace(store, id)? {
                continue;
            }
            let Some(session) = store.read_session(id)? else { continue };
            let places = AnswerPlaces::of(&session);
            let found = places.find_all(&answers);
            if found.iter().any(Option::is_some) {
                known.push((id.clone(), found));
            } else {
                alike.push((id.clone(), self.told_by_words(&session, &places)));
            }
        }
        Ok(if known.is_empty() { told_apart(&alike) } else { known })
    }

    /// Where its answers stand in a session of the client that was captured, if all that was answered in it then is here;
    /// else empty.
    fn told_by_words(&self, session: &Session, places: &AnswerPlaces<'_>) -> Vec<Option<usize>> {
        let is_of_client = self.session.app_name == session.app_name && is_captured_client(&session.app_name);
        if is_of_client { places.find_run(&self.answers()) } else { Vec::new() }
    }

    fn answers(&self) -> Vec<&Event> {
        self.requests
            .iter()
            .filter_map(|request| Some(&*self.session.events[request.answer? as usize]))
            .collect()
    }

    /// The requests whose answers have a place, as requests of the session where that is.
    fn given(&self, places: &[Option<usize>]) -> Vec<RecordedRequest> {
        let placed = self.requests.iter().zip(places);
        placed
            .filter_map(|(request, place)| {
                Some(RecordedRequest { answer: Some((*place)? as u32), ..request.clone() })
            })
            .collect()
    }

    /// Epoch seconds of what happened first and last in it.
    fn span(&self) -> (f64, f64) {
        let times = || self.session.events.iter().map(|event| event.timestamp).filter(|time| *time > 0.0);
        (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max))
    }

    /// What giving away `n_found` of its requests came to, as it is told of `other`.
    fn joined(
        &self,
        store: &Store,
        other: &SessionId,
        n_found: usize,
    ) -> Result<Option<JoinedTrace>, StoreError> {
        let n_left = self.n_requests - n_found;
        let title = store.session_entry(other)?.map(|entry| entry.title);
        Ok(title.map(|title| JoinedTrace { session: other.clone(), title, n_others: 0, n_found, n_left }))
    }
}

/// Whether a session of an app may be what a trace recorded: programs that do not tell their name may be of any.
fn may_be_of(trace: &str, app: &str) -> bool {
    trace == app || !is_captured_client(trace)
}

/// Those that share no answer with another: of two sessions that say the same at the same time, nobody can tell which was
/// recorded.
fn told_apart(found: &[Found]) -> Vec<Found> {
    let shares = |one: &Found, other: &Found| {
        one.0 != other.0 && one.1.iter().zip(&other.1).any(|(one, other)| one.is_some() && other.is_some())
    };
    let is_told = |one: &&Found| !one.1.is_empty() && !found.iter().any(|other| shares(one, other));
    found.iter().filter(is_told).cloned().collect()
}

fn in_order(mut requests: Vec<RecordedRequest>) -> Vec<RecordedRequest> {
    requests.sort_by_key(|request| request.answer);
    requests
}

/// Stored sessions that call themselves so.
fn stored_as(store: &Store, adk_id: &str) -> Result<Vec<SessionId>, StoreError> {
    if adk_id.is_empty() {
        return Ok(Vec::new());
    }
    store.sessions_called(adk_id)
}

/// Stored sessions of some formats, of about the time of another, in epoch seconds.
fn stored_then(
    store: &Store,
    is_wanted: impl Fn(Format) -> bool,
    (begin, end): (f64, f64),
) -> Result<Vec<SessionId>, StoreError> {
    let mut ids = Vec::new();
    for format in Format::ALL.into_iter().filter(|format| is_wanted(*format)) {
        ids.extend(store.sessions_between(format.name(), begin - SLACK, end + SLACK)?);
    }
    Ok(ids)
}

fn is_trace(store: &Store, id: &SessionId) -> Result<bool, StoreError> {
    let entry = store.session_entry(id)?;
    let traces = Format::ALL.into_iter().filter(|format| format.is_trace());
    Ok(entry.is_some_and(|entry| traces.map(Format::name).any(|name| name == entry.format)))
}
