//! Artifacts, memory and requests to people, as code reaches them.

use std::sync::Arc;

use strata_engine::Artifacts;
use strata_engine::memory::MemoryEntry;
use strata_model::{Json, Object, Part, Str};

use super::Context;
use crate::adk_text::{
    CONFIRMATION_NEEDS_CALL, CREDENTIAL_NEEDS_CALL, NO_ARTIFACTS, NO_MEMORY, NO_MEMORY_TO_ADD_TO,
};
use crate::halt::Failure;
use crate::services::{ArtifactService, MemoryService};

impl Context {
    fn artifacts(&self) -> Result<Arc<dyn ArtifactService>, Failure> {
        let invocation = self.invocation();
        let service = invocation.run.services.artifacts.clone();
        service.ok_or_else(|| Failure::value_error(NO_ARTIFACTS))
    }

    fn memory(&self, missing: &'static str) -> Result<Arc<dyn MemoryService>, Failure> {
        let service = self.invocation().run.services.memory.clone();
        service.ok_or_else(|| Failure::value_error(missing))
    }

    async fn artifact_view(&self) -> Result<Arc<Artifacts>, Failure> {
        let key = self.invocation().run.key.clone();
        self.artifacts()?.view(&key).await
    }

    /// Saves another version of an artifact and returns its number, counted from 0.
    pub async fn save_artifact(&self, name: &str, part: Part) -> Result<i64, Failure> {
        let key = self.invocation().run.key.clone();
        let version = self.artifacts()?.save(&key, name, Some(Arc::new(part))).await?;
        self.edit_actions(|actions| {
            actions.artifact_delta.insert(name, version);
        });
        Ok(version)
    }

    /// A version of an artifact, the latest if none is named; `None` if it cannot be loaded.
    pub async fn load_artifact(
        &self,
        name: &str,
        version: Option<i64>,
    ) -> Result<Option<Arc<Part>>, Failure> {
        let artifacts = self.artifact_view().await?;
        Ok(match version {
            None => artifacts.load(name).cloned(),
            Some(version) => usize::try_from(version)
                .ok()
                .and_then(|version| artifacts.load_version(name, version).cloned()),
        })
    }

    /// Names of artifacts, in order.
    pub async fn list_artifacts(&self) -> Result<Vec<Str>, Failure> {
        Ok(self.artifact_view().await?.names())
    }

    pub async fn search_memory(&self, query: &str) -> Result<Vec<MemoryEntry>, Failure> {
        let key = self.invocation().run.key.clone();
        let memory = self.memory(NO_MEMORY)?;
        memory.search(&key.app_name, &key.user_id, query).await
    }

    /// Adds the session as it is now to memory.
    pub async fn remember_session(&self) -> Result<(), Failure> {
        let memory = self.memory(NO_MEMORY_TO_ADD_TO)?;
        let session = self.invocation().run.session.lock().to_session();
        memory.add_session(session).await
    }

    fn call_id_or(&self, refusal: &'static str) -> Result<Str, Failure> {
        let id = self.function_call_id().filter(|id| !id.is_empty());
        id.ok_or_else(|| Failure::value_error(refusal))
    }

    /// Asks a person to approve the call at hand.
    pub fn request_confirmation(&self, hint: &str, payload: Option<Json>) -> Result<(), Failure> {
        let id = self.call_id_or(CONFIRMATION_NEEDS_CALL)?;
        let mut request = Object::from_iter([("hint", Json::from(hint))]);
        request.push("confirmed", false);
        request.push_some("payload", payload);
        self.edit_actions(|actions| {
            actions.requested_tool_confirmations.insert(id, request);
        });
        Ok(())
    }

    /// Asks for a credential, described by an `AuthConfig` in ADK's JSON, for the call at hand.
    pub fn request_credential(&self, auth_config: Object) -> Result<(), Failure> {
        let id = self.call_id_or(CREDENTIAL_NEEDS_CALL)?;
        self.edit_actions(|actions| {
            actions.requested_auth_configs.insert(id, auth_config);
        });
        Ok(())
    }

    /// The credential that was given for an `AuthConfig`, if it was in this invocation.
    pub fn credential(&self, auth_config: &Object) -> Option<Json> {
        let key = credential_key(auth_config)?;
        self.state_value(&key)
    }
}

/// Where a credential is kept: for one invocation only.
pub(crate) fn credential_key(auth_config: &Object) -> Option<String> {
    let key = auth_config.get("credentialKey").or_else(|| auth_config.get("credential_key"));
    key.and_then(Json::as_str).filter(|key| !key.is_empty()).map(|key| format!("temp:{key}"))
}
