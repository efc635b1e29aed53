//! The session of a run in the store: a recording that grows by one event at a time.
//!
//! An event, the request that it answers and the state after it are written in one transaction. A run that is killed at
//! whatever moment leaves a session with every event that was appended, and nothing of any other.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, ready};
use strata_engine::n_calls;
use strata_engine::turn::EventLimit;
use strata_import::{ReportedUsage, SessionSummary};
use strata_model::{Event, Fingerprint, FromJson as _, Object, Scope, Session, Str};
use strata_runtime::{Failure, SessionKey, SessionService};
use strata_store::{
    AppConfig, Growth, Listing, NewEvent, RecordedRequest, SessionId, Source, Store, StoreError,
};

use super::sent::{Answered, SentCalls};
use crate::error::{AppError, sentence};
use crate::import::{Summary, flow_kind, now_ms};
use crate::words::cut;

/// What begins the location of a session that Strata ran.
const LOCATION: &str = "run:";
/// What people call the format of such a session.
pub(crate) const FORMAT_NAME: &str = "Strata run";
/// As ADK compiles, so its calls are read.
const FORMAT: &str = "adk-run";
/// Characters of a title.
const TITLE: usize = 80;

/// The store of a run. It is locked for as long as one event is written.
pub(crate) trait RunStore: Send + Sync {
    fn lock(&self) -> MutexGuard<'_, Store>;
    /// A session was made, or has more.
    fn grown(&self, session: &SessionId);
}

/// A store that nobody else in the process uses.
pub(crate) struct OwnStore(pub Mutex<Store>);

impl RunStore for OwnStore {
    fn lock(&self) -> MutexGuard<'_, Store> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grown(&self, _: &SessionId) {}
}

/// A stored session that a run adds to.
pub(crate) struct RunRecording {
    store: Arc<dyn RunStore>,
    sent: Arc<SentCalls>,
    id: SessionId,
    key: SessionKey,
    stored: Mutex<Stored>,
}

/// What the store has.
struct Stored {
    location: String,
    content: Fingerprint,
    /// Without its events.
    session: Session,
    n_events: u32,
    n_requests: u32,
    title: String,
    numbers: SessionSummary,
    invocations: BTreeSet<Str>,
    /// Written with the next event.
    app_config: Option<AppConfig>,
}

impl RunRecording {
    /// Stores a session that begins with `beginning`: nothing, or the events of one that goes on here.
    pub(crate) fn create(
        store: Arc<dyn RunStore>,
        sent: Arc<SentCalls>,
        beginning: &Session,
        requests: &[RecordedRequest],
        app_config: AppConfig,
    ) -> Result<Self, AppError> {
        let location = format!("{LOCATION}{}/{}/{}", beginning.app_name, beginning.user_id, beginning.id);
        let mut stored = Stored::of(location, beginning.clone(), requests.len());
        let id = {
            let mut store = store.lock();
            let mut import = store.begin_import(stored.source())?;
            let mut recording = import.open_recording()?;
            let events: Vec<NewEvent<'_>> = beginning.events.iter().map(|event| new_event(event)).collect();
            import.append(&mut recording, &events)?;
            import.append_requests(&mut recording, requests)?;
            import.close_recording(recording, beginning, stored.listing(Some(app_config)))?;
            let imported = import.commit(&[])?;
            let first = imported.into_iter().next();
            first.ok_or_else(|| AppError::internal("A session was stored that is not there."))?.id
        };
        stored.app_config = None;
        store.grown(&id);
        Ok(Self::new(store, sent, id, stored))
    }

    /// Goes on with a session that a run has stored. `None` where it was imported: its source says what it holds.
    pub(crate) fn open(
        store: Arc<dyn RunStore>,
        sent: Arc<SentCalls>,
        id: &SessionId,
        app_config: AppConfig,
    ) -> Result<Option<Self>, AppError> {
        let missing = || AppError::not_found("This session is no longer in the store.");
        let stored = {
            let store = store.lock();
            let entry = store.session_entry(id)?.ok_or_else(missing)?;
            if !entry.location.starts_with(LOCATION) {
                return Ok(None);
            }
            let session = store.read_session(id)?.ok_or_else(missing)?;
            let source = store.source(&entry.location)?.ok_or_else(missing)?;
            let mut n_requests = 0;
            store.for_each_request(id, |request| n_requests += usize::from(request.added_from.is_none()))?;
            let stored = Stored::of(entry.location, session, n_requests);
            Stored {
                content: source.content.unwrap_or_default(),
                title: entry.title,
                app_config: Some(app_config),
                ..stored
            }
        };
        Ok(Some(Self::new(store, sent, id.clone(), stored)))
    }

    fn new(store: Arc<dyn RunStore>, sent: Arc<SentCalls>, id: SessionId, stored: Stored) -> Self {
        let Session { app_name, user_id, id: session_id, .. } = stored.session.clone();
        let key = SessionKey { app_name, user_id, session_id };
        Self { store, sent, id, key, stored: Mutex::new(stored) }
    }

    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of the session in the store.
    pub(crate) fn id(&self) -> &SessionId {
        &self.id
    }

    pub(crate) fn key(&self) -> &SessionKey {
        &self.key
    }

    pub(crate) fn n_events(&self) -> u32 {
        self.stored().n_events
    }

    /// The state as it is stored.
    pub(crate) fn state(&self) -> Object {
        self.stored().session.state.clone()
    }

    /// Stores the requests that no event has answered, of those behind the first so many of this run.
    pub(crate) fn keep_unanswered(&self, from: usize) -> Result<(), StoreError> {
        let requests = self.sent.give_up(from);
        if requests.is_empty() {
            return Ok(());
        }
        let mut stored = self.stored();
        let n_requests = requests.len() as u32;
        let mut next =
            Stored { content: stored.content.then(Fingerprint::of(b"requests")), ..stored.shared() };
        if self.write(&stored, &next, Vec::new(), requests)? {
            next.n_requests += n_requests;
            *stored = next;
        }
        self.sent.forget_given_up();
        Ok(())
    }

    /// Writes what stands in `next` and not in `before`. False, with nothing written, where the store does not have
    /// `before`.
    fn write(
        &self,
        before: &Stored,
        next: &Stored,
        events: Vec<NewEvent<'_>>,
        requests: Vec<RecordedRequest>,
    ) -> Result<bool, StoreError> {
        let growth = Growth {
            id: self.id.clone(),
            kept: before.n_events,
            events,
            kept_requests: before.n_requests,
            requests,
            session: &next.session,
            listing: next.listing(next.app_config.clone()),
        };
        self.store.lock().append(&next.source(), before.content, &[growth], &[])
    }

    fn add(&self, event: &Event) -> Result<Arc<Event>, Failure> {
        let mut kept = event.clone();
        kept.actions.state_delta.retain(|name, _| Scope::of(name) != Scope::Temp);
        let kept = Arc::new(kept);
        let mut stored = self.stored();
        let answered = self.sent.answered_by(&kept, stored.n_events);
        let mut next = stored.shared();
        next.count(&kept, answered.is_some());
        let requests: Vec<_> = answered.iter().map(|(_, request)| request.clone()).collect();
        let written = self.write(&stored, &next, vec![new_event(&kept)], requests);
        if !written.map_err(|error| failed(&error))? {
            let message = format!(
                "Session {} is not as this run left it: another run goes on with it, or it was taken out of the store. \
                 Nothing was written over it.",
                self.id
            );
            return Err(Failure::new("StaleSessionError", message));
        }
        if let Some((place, _)) = answered {
            self.sent.settle(place, Answered::By(stored.n_events));
            next.n_requests += 1;
        }
        next.app_config = None;
        *stored = next;
        drop(stored);
        self.store.grown(&self.id);
        Ok(kept)
    }

    fn read(&self, limit: EventLimit) -> Result<Option<Session>, Failure> {
        let session = self.store.lock().read_session(&self.id).map_err(|error| failed(&error))?;
        let limited = session.map(|session| {
            let events = limit.of(&session.events).to_vec();
            Session { events, ..session }
        });
        Ok(limited)
    }
}

impl Stored {
    fn of(location: String, session: Session, n_requests: usize) -> Self {
        let calls = n_calls(&session, flow_kind(FORMAT)) as u64;
        let numbers = SessionSummary { calls, ..SessionSummary::of(&session) };
        let first = session.events.iter().find_map(title_of);
        let hashes = session.events.iter().map(|event| fingerprint(event));
        let content = hashes.fold(Fingerprint::of(location.as_bytes()), Fingerprint::then);
        Self {
            content,
            title: first.unwrap_or_else(|| session.app_name.to_string()),
            n_events: session.events.len() as u32,
            n_requests: n_requests as u32,
            invocations: session.events.iter().map(|event| event.invocation_id.clone()).collect(),
            numbers,
            app_config: None,
            session: Session { events: Vec::new(), ..session },
            location,
        }
    }

    /// A copy, to be changed and written.
    fn shared(&self) -> Self {
        Self {
            location: self.location.clone(),
            content: self.content,
            session: self.session.clone(),
            n_events: self.n_events,
            n_requests: self.n_requests,
            title: self.title.clone(),
            numbers: self.numbers.clone(),
            invocations: self.invocations.clone(),
            app_config: self.app_config.clone(),
        }
    }

    /// Takes in an event that comes next.
    fn count(&mut self, event: &Arc<Event>, is_answer: bool) {
        if self.numbers.user_turns == 0
            && let Some(title) = title_of(event)
        {
            self.title = title;
        }
        let of_one = SessionSummary::of(&Session { events: vec![event.clone()], ..Session::default() });
        let numbers = &mut self.numbers;
        numbers.events += 1;
        numbers.calls += u64::from(is_answer);
        numbers.user_turns += of_one.user_turns;
        numbers.tool_calls += of_one.tool_calls;
        numbers.compactions += of_one.compactions;
        for agent in of_one.agents {
            if !numbers.agents.contains(&agent) {
                numbers.agents.push(agent);
            }
        }
        if let Some(usage) = of_one.reported_usage {
            let sum = numbers.reported_usage.get_or_insert_default();
            *sum = ReportedUsage {
                input_tokens: sum.input_tokens + usage.input_tokens,
                cached_tokens: sum.cached_tokens + usage.cached_tokens,
                cache_write_tokens: sum.cache_write_tokens + usage.cache_write_tokens,
                output_tokens: sum.output_tokens + usage.output_tokens,
            };
        }
        self.invocations.insert(event.invocation_id.clone());
        numbers.invocations = self.invocations.len() as u64;
        self.session.state.update(&event.actions.state_delta);
        self.session.last_update_time = event.timestamp;
        self.content = self.content.then(fingerprint(event));
        self.n_events += 1;
    }

    fn source(&self) -> Source {
        Source {
            location: self.location.clone(),
            format: FORMAT_NAME.to_owned(),
            size_bytes: 0,
            modified_ms: None,
            content: Some(self.content),
            imported_at_ms: now_ms(),
        }
    }

    fn listing(&self, app_config: Option<AppConfig>) -> Listing {
        let summary =
            Summary { format: FORMAT.to_owned(), numbers: self.numbers.clone(), ..Summary::default() };
        Listing {
            title: self.title.clone(),
            format: FORMAT_NAME.to_owned(),
            summary: summary.to_json(),
            app_config,
        }
    }
}

fn new_event(event: &Event) -> NewEvent<'_> {
    NewEvent { event, records: Vec::new() }
}

fn fingerprint(event: &Event) -> Fingerprint {
    let mut text = String::new();
    event.write_json(&mut text);
    Fingerprint::of(text.as_bytes())
}

/// The first words that a user said.
fn title_of(event: &Arc<Event>) -> Option<String> {
    let texts = event.content.iter().filter(|_| event.is_from_user()).flat_map(|content| content.parts());
    let said = texts.filter_map(|part| part.text.as_deref()).map(str::trim).find(|text| !text.is_empty())?;
    Some(cut(said.lines().next().unwrap_or(said), TITLE))
}

/// In a run's own form.
fn failed(error: &StoreError) -> Failure {
    Failure::new("SessionStoreError", sentence(&error.to_string()))
}

impl SessionService for RunRecording {
    fn get<'a>(
        &'a self,
        key: &'a SessionKey,
        limit: EventLimit,
    ) -> BoxFuture<'a, Result<Option<Session>, Failure>> {
        let read = if *key == self.key { self.read(limit) } else { Ok(None) };
        Box::pin(ready(read))
    }

    fn create<'a>(&'a self, key: &'a SessionKey, _: &'a Object) -> BoxFuture<'a, Result<Session, Failure>> {
        // A run is in one session, which is there before it begins.
        let message = format!("Session with id {} already exists.", key.session_id);
        Box::pin(ready(Err(Failure::new("AlreadyExistsError", message))))
    }

    fn append<'a>(
        &'a self,
        key: &'a SessionKey,
        event: &'a Event,
    ) -> BoxFuture<'a, Result<Arc<Event>, Failure>> {
        Box::pin(async move {
            if event.partial == Some(true) {
                return Ok(Arc::new(event.clone()));
            }
            if *key != self.key {
                let message = format!("Session {} not found.", key.session_id);
                return Err(Failure::new("SessionNotFoundError", message));
            }
            self.add(event)
        })
    }
}
