//! What a scenario's sessions, artifacts and memories hold, before and after.

use std::sync::Arc;

use parking_lot::Mutex;
use strata_engine::turn::EventLimit;
use strata_model::{FromJson as _, Json, Object, Part, Session, Str};
use strata_runtime::{
    ArtifactService as _, InMemoryArtifacts, InMemoryMemory, InMemorySessions, MemoryService as _, Services,
    SessionKey, SessionService as _,
};

use super::value::{flag, items, object, text};
use crate::vector::given;

#[derive(Default)]
pub(super) struct ScenarioServices {
    sessions: Arc<InMemorySessions>,
    artifacts: Arc<InMemoryArtifacts>,
    memory: Arc<InMemoryMemory>,
    /// Sessions that were named, in order.
    known: Mutex<Vec<SessionKey>>,
}

pub(super) fn key(scenario: &Json, user: Option<Str>, session: Option<Str>) -> SessionKey {
    SessionKey {
        app_name: scenario.get("app").and_then(|app| text(app, "name")).unwrap_or_default(),
        user_id: user.unwrap_or_else(|| "user-1".into()),
        session_id: session.unwrap_or_else(|| "session-1".into()),
    }
}

fn is_none(scenario: &Json, service: &str) -> bool {
    scenario.get("services").and_then(|services| services.get(service)) == Some(&Json::Null)
}

impl ScenarioServices {
    pub(super) fn services(&self, scenario: &Json) -> Services {
        Services {
            sessions: self.sessions.clone(),
            artifacts: (!is_none(scenario, "artifacts")).then(|| self.artifacts.clone() as _),
            memory: (!is_none(scenario, "memory")).then(|| self.memory.clone() as _),
        }
    }

    pub(super) fn know(&self, key: &SessionKey) {
        let mut known = self.known.lock();
        if !known.contains(key) {
            known.push(key.clone());
        }
    }

    pub(super) async fn create(&self, key: &SessionKey, state: &Object) {
        self.know(key);
        self.sessions.create(key, state).await.expect("a session that can be created");
    }

    pub(super) async fn session(&self, key: &SessionKey) -> Option<Session> {
        self.sessions.get(key, EventLimit::default()).await.expect("sessions that can be read")
    }

    pub(super) async fn remember(&self, key: &SessionKey) {
        if let Some(session) = self.session(key).await {
            self.memory.add_session(session).await.expect("memory that takes all");
        }
    }

    /// Fills the services as the scenario says.
    pub(super) async fn prepare(&self, scenario: &Json) {
        let none = Json::Null;
        let given = scenario.get("services").unwrap_or(&none);
        let own = key(scenario, None, None);
        self.know(&own);
        if !flag(Some(given), "no_session") {
            self.create(&own, &object(given, "state")).await;
            for event in given::events(given.get("events")) {
                self.sessions.append(&own, &event).await.expect("a session that takes events");
            }
        }
        for other in items(given, "other_sessions") {
            let key = key(scenario, text(other, "user"), text(other, "id"));
            self.create(&key, &object(other, "state")).await;
        }
        for artifact in items(given, "artifacts") {
            let name = text(artifact, "filename").unwrap_or_default();
            let only = artifact.get("part").into_iter();
            for part in only.chain(items(artifact, "versions")) {
                let part = Some(Arc::new(given::read::<Part>(part)));
                self.artifacts.save(&own, &name, part).await.expect("artifacts that can be saved");
            }
        }
        for session in items(given, "memory") {
            self.memory.add_session(given::session(session)).await.expect("memory that takes all");
        }
    }

    /// State at the end, as it is stored: without prefixes.
    pub(super) fn state(&self) -> Json {
        let known = self.known.lock().clone();
        let mut out = Object::new();
        let Some(app) = known.first().map(|key| key.app_name.clone()) else { return out.into() };
        let of_app = self.sessions.app_states().get(&app).cloned().unwrap_or_default();
        if !of_app.is_empty() {
            out.push("app", of_app);
        }
        let mut users = Object::new();
        let mut sessions = Object::new();
        for key in &known {
            let state = self.sessions.user_state(&key.app_name, &key.user_id);
            if !state.is_empty() {
                users.insert(key.user_id.clone(), state);
            }
            let session = futures_util::FutureExt::now_or_never(self.session(key)).flatten();
            if let Some(session) = session {
                let mut own = session.state;
                own.retain(|key, _| !key.starts_with("app:") && !key.starts_with("user:"));
                sessions.insert(format!("{}/{}", key.user_id, key.session_id), own);
            }
        }
        if !users.is_empty() {
            out.push("user", users);
        }
        out.push("session", sessions);
        out.into()
    }

    pub(super) fn artifacts(&self) -> Object {
        let mut out = Object::new();
        for (home, artifacts) in self.artifacts.all() {
            for artifact in artifacts {
                let name =
                    format!("{}/{}/{}/{}", home.app_name, home.user_id, home.session_id, artifact.name);
                let versions = artifact.versions.iter();
                let versions = versions.map(|part| part.as_ref().map_or(Json::Null, |part| part.to_json()));
                out.insert(name, versions.collect::<Vec<_>>());
            }
        }
        out
    }

    /// Remembered events, by session.
    pub(super) fn memory(&self) -> Object {
        let sessions = self.memory.sessions();
        let count = |session: &Session| {
            session.events.iter().filter(|event| !event.parts().is_empty()).count() as i64
        };
        sessions
            .iter()
            .map(|session| {
                (Str::from(format!("{}/{}", session.user_id, session.id)), Json::from(count(session)))
            })
            .collect()
    }
}
