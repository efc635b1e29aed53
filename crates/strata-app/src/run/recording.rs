//! The session of a run in the store: a recording that grows by one event at a time.
//!
//! An event, the request that it answers and the state after it are written in one transaction. A run that is killed at
//! whatever moment leaves a session with every event that was appended, and nothing of any other.
//!
//! A call that was held has an event without content that stands for its answer, and with it a place in every view: it
//! is the last event there is, and the answer takes its place.

mod stand_in;
mod stored;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, ready};
use strata_engine::turn::EventLimit;
use strata_model::{Event, Fingerprint, Object, Scope, Session, Str};
use strata_runtime::{Failure, SessionKey, SessionService};
use strata_store::{AppConfig, Growth, NewEvent, RecordedRequest, SessionId, Store, StoreError};

use super::sent::SentCalls;
use crate::error::{AppError, sentence};
use crate::kept_files::OF_A_RUN;
use stored::{Head, Stored, new_event};

pub(crate) use stand_in::{CallState, StandIn, stand_in};
pub(crate) use stored::WaitingCall;

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

impl RunRecording {
    /// Stores a session that begins with `beginning`: nothing, or the events of one that goes on here.
    pub(crate) fn create(
        store: Arc<dyn RunStore>,
        sent: Arc<SentCalls>,
        beginning: &Session,
        requests: &[RecordedRequest],
        app_config: AppConfig,
    ) -> Result<Self, AppError> {
        let location = format!("{OF_A_RUN}{}/{}/{}", beginning.app_name, beginning.user_id, beginning.id);
        let stored = Stored::of(location, beginning.clone(), requests.len());
        let id = {
            let mut store = store.lock();
            let mut import = store.begin_import(stored.head.source())?;
            let mut recording = import.open_recording()?;
            let events: Vec<NewEvent<'_>> = beginning.events.iter().map(|event| new_event(event)).collect();
            import.append(&mut recording, &events)?;
            import.append_requests(&mut recording, requests)?;
            import.close_recording(recording, beginning, stored.head.listing(Some(app_config)))?;
            let imported = import.commit(&[])?;
            let first = imported.into_iter().next();
            first.ok_or_else(|| AppError::internal("A session was stored that is not there."))?.id
        };
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
        let (stored, unanswered) = {
            let store = store.lock();
            let entry = store.session_entry(id)?.ok_or_else(gone)?;
            if !entry.location.starts_with(OF_A_RUN) {
                return Ok(None);
            }
            let mut session = store.read_session(id)?.ok_or_else(gone)?;
            let source = store.source(&entry.location)?.ok_or_else(gone)?;
            let stand_ins = stand_in::split_off(&mut session.events);
            let n_events = session.events.len();
            let (mut n_requests, mut unanswered) = (0, Vec::new());
            store.for_each_request(id, |request| {
                let stand_in =
                    request.answer.and_then(|at| stand_ins.get((at as usize).checked_sub(n_events)?));
                match stand_in {
                    _ if request.added_from.is_some() => {}
                    None => n_requests += 1,
                    Some(stand_in) => unanswered.extend(stand_in::given_up(stand_in, request)),
                }
            })?;
            let mut stored = Stored::of(entry.location, session, n_requests);
            stored.head.content = source.content.unwrap_or_default();
            stored.head.title = entry.title;
            stored.head.app_config = Some(app_config);
            (stored, (!stand_ins.is_empty()).then_some(unanswered))
        };
        let recording = Self::new(store, sent, id.clone(), stored);
        if let Some(unanswered) = unanswered {
            recording.write_tail(Vec::new(), unanswered)?;
        }
        Ok(Some(recording))
    }

    fn new(store: Arc<dyn RunStore>, sent: Arc<SentCalls>, id: SessionId, stored: Stored) -> Self {
        let Session { app_name, user_id, id: session_id, .. } = stored.head.session.clone();
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
        self.stored().head.n_events
    }

    /// The state as it is stored.
    pub(crate) fn state(&self) -> Object {
        self.stored().head.session.state.clone()
    }

    /// Calls that wait for an answer from outside.
    pub(crate) fn waiting(&self) -> Vec<WaitingCall> {
        self.stored().head.waiting.clone()
    }

    /// Who has said or done something.
    pub(crate) fn authors(&self) -> Vec<String> {
        self.stored().head.numbers.agents.iter().map(ToString::to_string).collect()
    }

    /// The invocation of the last event. `None` in an empty session.
    pub(crate) fn last_invocation(&self) -> Option<Str> {
        self.stored().head.last_invocation.clone()
    }

    /// The session as far as it was said.
    pub(crate) fn session(&self) -> Session {
        self.read(EventLimit::default())
    }

    /// Gives a call its place behind everything else, as long as it has no answer. One with the same id goes.
    pub(crate) fn put(&self, stand_in: StandIn) -> Result<(), Failure> {
        let mut stand_ins = self.stored().head.stand_ins.clone();
        stand_ins.retain(|known| known.event.id != stand_in.event.id);
        stand_ins.push(stand_in);
        let written = self.write_tail(stand_ins, Vec::new()).map_err(|error| failed(&error))?;
        if written { Ok(()) } else { Err(self.stale()) }
    }

    /// Takes a call that was held and not sent away.
    pub(crate) fn take_away(&self, id: &str) {
        let mut stand_ins = self.stored().head.stand_ins.clone();
        stand_ins.retain(|known| *known.event.id != *id);
        // What stands for an answer is taken away by whoever writes next, too.
        let _ = self.write_tail(stand_ins, Vec::new());
    }

    /// At the end of a turn, stores the requests that no event has answered.
    pub(crate) fn keep_unanswered(&self) -> Result<(), StoreError> {
        self.sent.end();
        let unanswered = self.sent.unanswered();
        if unanswered.is_empty() && self.stored().head.stand_ins.is_empty() {
            return Ok(());
        }
        self.write_tail(Vec::new(), unanswered.iter().map(|call| call.stored(None)).collect())?;
        self.sent.forget_unanswered(unanswered.len());
        Ok(())
    }

    /// Stores requests without an answer behind the others, and what stands for answers behind the events.
    fn write_tail(
        &self,
        stand_ins: Vec<StandIn>,
        requests: Vec<RecordedRequest>,
    ) -> Result<bool, StoreError> {
        let mut stored = self.stored();
        let n_requests = requests.len() as u32;
        let content = stored.head.content.then(Fingerprint::of(b"requests"));
        let mut next = Head { content, stand_ins, ..stored.head.clone() };
        let is_written = self.write(&stored.head, &next, None, requests)?;
        if is_written {
            next.n_requests += n_requests;
            stored.head = next;
        }
        drop(stored);
        self.store.grown(&self.id);
        Ok(is_written)
    }

    /// Writes what stands in `next` and not in `before`, and what stands for answers behind it. False, with nothing
    /// written, where the store does not have `before`.
    fn write(
        &self,
        before: &Head,
        next: &Head,
        event: Option<&Event>,
        mut requests: Vec<RecordedRequest>,
    ) -> Result<bool, StoreError> {
        let mut events: Vec<NewEvent<'_>> = event.into_iter().map(new_event).collect();
        for (at, stand_in) in next.stand_ins.iter().enumerate() {
            events.push(new_event(&stand_in.event));
            requests.push(stand_in.call.stored(Some(next.n_events + at as u32)));
        }
        let growth = Growth {
            id: self.id.clone(),
            kept: before.n_events,
            events,
            kept_requests: before.n_requests,
            requests,
            session: &next.session,
            keeps_state: event.is_none_or(|event| event.actions.state_delta.is_empty()),
            listing: next.listing(next.app_config.clone()),
        };
        self.store.lock().append(&next.source(), before.content, &[growth], &[])
    }

    /// Epoch seconds of the last event that was stored.
    pub(crate) fn last_time(&self) -> f64 {
        self.stored().head.session.last_update_time
    }

    /// Stores an event with the request that it answers. Requests that were found to have no answer go before it.
    pub(super) fn add(&self, event: &Event) -> Result<Arc<Event>, Failure> {
        let mut kept = event.clone();
        kept.actions.state_delta.retain(|name, _| Scope::of(name) != Scope::Temp);
        let kept = Arc::new(kept);
        let mut stored = self.stored();
        let unanswered = self.sent.unanswered();
        let answered = self.sent.answered_by(&kept);
        let mut next = stored.with(&kept, answered.is_some());
        let calls = || unanswered.iter().chain(&answered);
        next.stand_ins.retain(|known| calls().all(|call| call.stand_in.as_ref() != Some(&known.event.id)));
        let at = stored.head.n_events;
        let requests: Vec<_> = unanswered.iter().map(|call| call.stored(None)).collect();
        let requests =
            requests.into_iter().chain(answered.iter().map(|call| call.stored(Some(at)))).collect();
        let written = self.write(&stored.head, &next, Some(&kept), requests);
        if !written.map_err(|error| failed(&error))? {
            return Err(self.stale());
        }
        next.n_requests += calls().count() as u32;
        self.sent.forget_unanswered(unanswered.len());
        if let Some(call) = &answered {
            self.sent.settle(call, at);
        }
        next.app_config = None;
        stored.add(kept.clone(), next);
        drop(stored);
        self.store.grown(&self.id);
        Ok(kept)
    }

    fn stale(&self) -> Failure {
        let message = format!(
            "Session {} is not as this run left it: another run goes on with it, or it was taken out of the store. \
             Nothing was written over it.",
            self.id
        );
        Failure::new("StaleSessionError", message)
    }

    /// The session as it is in the store. It is not read again: nobody else writes to it.
    fn read(&self, limit: EventLimit) -> Session {
        let stored = self.stored();
        Session { events: limit.of(&stored.events).to_vec(), ..stored.head.session.clone() }
    }
}

/// A session that was there before.
pub(crate) fn gone() -> AppError {
    AppError::not_found("This session is no longer in the store.")
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
        Box::pin(ready(Ok((*key == self.key).then(|| self.read(limit)))))
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
