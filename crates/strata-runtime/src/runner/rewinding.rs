//! Taking a session back to before an invocation.

use std::sync::Arc;

use strata_engine::turn::{EventLimit, rewind};
use strata_model::{Event, Object};

use super::Runner;
use crate::adk_text::{SESSION_NOT_FOUND, filled};
use crate::halt::Failure;
use crate::services::SessionKey;

impl Runner {
    /// Takes a session back to before an invocation: the events stay, and are no longer part of it; artifacts are saved
    /// again as they were. Gives the event that tells of it.
    pub async fn rewind(&self, key: &SessionKey, invocation_id: &str) -> Result<Arc<Event>, Failure> {
        let found = self.services.sessions.get(key, EventLimit::default()).await?;
        let session = match found {
            Some(session) => session,
            None if self.creates_sessions => self.services.sessions.create(key, &Object::new()).await?,
            None => {
                let message = filled(SESSION_NOT_FOUND, &[("ID", &key.session_id)]);
                return Err(Failure::new("SessionNotFoundError", message));
            }
        };
        let artifacts = match &self.services.artifacts {
            Some(service) => Some(service.view(key).await?),
            None => None,
        };
        let now = self.host.clock.now();
        let rewound = rewind(&session, artifacts.as_deref(), invocation_id, now)
            .map_err(|error| Failure::new("InvocationNotFoundError", error.to_string()))?;
        if let (Some(service), Some(after)) = (&self.services.artifacts, &rewound.artifacts) {
            for name in rewound.event.actions.artifact_delta.keys() {
                let artifact = after.list().iter().find(|artifact| artifact.name == *name);
                let restored = artifact.and_then(|artifact| artifact.versions.last().cloned()).flatten();
                service.save(key, name, restored).await?;
            }
        }
        let event = Event {
            id: self.host.chance.new_id(),
            invocation_id: format!("e-{}", self.host.chance.new_id()).into(),
            ..rewound.event
        };
        self.services.sessions.append(key, &event).await
    }
}
