//! What a request was made from, as a recorder saw it in the running app.
//!
//! A session's events do not hold everything that a request depends on: what instruction providers returned, memories,
//! files, state that was never written by an event, the input of a workflow's node, and what code changed of the
//! request. Where the app was recorded all of that is known for each call.

use std::sync::Arc;

use crate::Str;
use crate::app::{AgentMode, IncludeContents};
use crate::content::{Content, Part};
use crate::decode::{Decoder, FromJson, record};
use crate::event::Event;
use crate::json::{Json, Object};
use crate::request::RequestChange;

record! {
    /// One call of a recorded app. What is not set was not recorded, or was not there.
    RecordedCall: "a recorded call" {
        /// The recorder's own name for the call.
        id: Str = "id",
        /// Who made the request: `google-adk 2.13.0`.
        writer: Option<Str> = "writer",
        agent: Str = "agent",
        invocation_id: Str = "invocationId",
        branch: Option<Str> = "branch",
        isolation_scope: Option<Str> = "isolationScope",
        node_path: Option<Str> = "nodePath",
        /// As the runner changed them for this run.
        mode: Option<AgentMode> = "mode",
        include_contents: Option<IncludeContents> = "includeContents",
        user_content: Option<Content> = "userContent",
        /// Settings of the run, as google-adk's `RunConfig` has them; those that are not as always.
        run_config: Option<Object> = "runConfig",
        /// False where a callback answered, or failed, and no model was asked.
        was_sent: Option<bool> = "wasSent",
        /// The model's class and what it can do.
        model: Option<Object> = "model",
        /// The stored events that were there, from the session's first on.
        n_events: Option<u64> = "nEvents",
        /// Those of them that the run did not have, such as what another run did in the session at the same time; by
        /// their place.
        unseen: Option<Vec<u64>> = "unseen",
        /// The whole state, with what lives for one run only.
        state: Option<Vec<StateEntry>> = "state",
        /// Events that were shown to the agent and never stored.
        inputs: Option<Vec<GivenEvent>> = "inputs",
        instructions: Option<Vec<ResolvedInstruction>> = "instructions",
        /// Searches made while the request was made.
        /// Toolsets that had no tool to offer, as where their server could not be asked; by their place among the
        /// agent's tools.
        closed_toolsets: Option<Vec<u64>> = "closedToolsets",
        memory: Option<Vec<RecordedSearch>> = "memory",
        artifacts: Option<Vec<RecordedArtifact>> = "artifacts",
        /// Plugins and callbacks, in the order in which they ran.
        stages: Option<Vec<RecordedStage>> = "stages",
        /// What the model's class still did to the request before it went out.
        by_model: Option<RequestChange> = "byModel",
        /// A person changed the request while it was held.
        edited_by_hand: Option<bool> = "editedByHand",
    }
}

record! {
    StateEntry: "a state entry" {
        key: Str = "key",
        /// `None` for null.
        value: Option<Json> = "value",
    }
}

record! {
    /// An event that stood among the stored ones.
    GivenEvent: "an event with its place" {
        /// Stored events before it.
        at: Option<u64> = "at",
        event: Option<Arc<Event>> = "event",
    }
}

record! {
    /// What an instruction provider returned.
    ResolvedInstruction: "an instruction" {
        agent: Str = "agent",
        /// `dynamic` or `global`.
        kind: Str = "kind",
        /// The provider: `module.function`.
        name: Str = "name",
        text: Str = "text",
    }
}

record! {
    RecordedSearch: "a search in memory" {
        query: Str = "query",
        found: Option<Vec<FoundMemory>> = "found",
    }
}

record! {
    /// A memory as google-adk's `MemoryEntry`.
    FoundMemory: "a memory" {
        id: Option<Str> = "id",
        content: Option<Content> = "content",
        author: Option<Str> = "author",
        timestamp: Option<Str> = "timestamp",
    }
}

record! {
    /// A file as it was at the call.
    RecordedArtifact: "an artifact" {
        /// `user:` names belong to the user, others to the session.
        name: Str = "name",
        /// How many versions there were; `None` where only the name was seen.
        n_versions: Option<u64> = "nVersions",
        /// The content of its last version, where that was seen.
        part: Option<Part> = "part",
    }
}

record! {
    /// Code of the app that may change a request before it is sent.
    RecordedStage: "a recorded stage" {
        /// `tool`, `plugin` or `callback`.
        kind: Str = "kind",
        /// The plugin's name, or `module.function`.
        name: Str = "name",
        class: Option<Str> = "class",
        /// Of a callback: its place in the agent's list.
        position: Option<u64> = "position",
        /// It answered in the model's place.
        answered: Option<bool> = "answered",
        /// What it raised: `{type, message}`.
        error: Option<Object> = "error",
        changes: Option<RequestChange> = "changes",
    }
}

impl RecordedStage {
    /// Whether it put contents of its own in the place of others.
    pub fn writes_contents(&self) -> bool {
        let splice = self.changes.as_ref().and_then(|changes| changes.contents.as_ref());
        splice.is_some_and(|splice| !splice.added.is_empty() && splice.keep + splice.end < splice.n_before)
    }
}

/// The member of a recorded body that holds what it was made from.
const MEMBER: &str = "recorded";

impl RecordedCall {
    /// Whether a recorded body says what it was made from.
    pub fn is_in(body: &Json) -> bool {
        body.get(MEMBER).is_some_and(|recorded| recorded.get("agent").is_some())
    }

    /// What a recorded body says about itself. `None` for bodies that were seen from outside of the app.
    pub fn of_body(body: &Json) -> Option<Self> {
        let recorded = body.get(MEMBER).filter(|_| Self::is_in(body))?;
        <Self as FromJson>::from_json(recorded.clone(), &mut Decoder::new()).ok()
    }

    /// `request`, as JSON, with what it was made from.
    #[must_use]
    pub fn into_body(self, request: Object) -> Json {
        let mut body = request;
        body.insert(MEMBER, FromJson::to_json(&self));
        Json::Object(body)
    }

    /// The text that a provider returned for an agent at this call.
    pub fn instruction(&self, agent: &str, kind: &str) -> Option<&ResolvedInstruction> {
        let mut all = self.instructions.iter().flatten();
        all.find(|instruction| *instruction.agent == *agent && *instruction.kind == *kind)
    }

    /// What a plugin did at this call.
    pub fn plugin(&self, name: &str) -> Option<&RecordedStage> {
        self.stages.iter().flatten().find(|stage| &*stage.kind == "plugin" && *stage.name == *name)
    }

    /// What the tool that ran `nth` of all with this name, from 0, did at this call.
    pub fn tool(&self, name: &str, nth: usize) -> Option<&RecordedStage> {
        let all = self.stages.iter().flatten();
        all.filter(|stage| &*stage.kind == "tool" && *stage.name == *name).nth(nth)
    }

    /// What the callback at a place of the agent's list did at this call.
    pub fn callback(&self, position: usize) -> Option<&RecordedStage> {
        let mut all = self.stages.iter().flatten().filter(|stage| &*stage.kind == "callback");
        all.find(|stage| stage.position == Some(position as u64))
    }
}
