//! Runs agents as google-adk 2.13 does, over the context compiler: every request a model is sent is the last stage of a
//! compilation.
//!
//! A [`Runner`] takes one [`Turn`] of a session and hands out events through an [`EventSink`], one at a time: nothing
//! goes on before the event at hand is stored and taken. All of a run is one future that starts no threads and no tasks
//! of an executor; letting go of it lets go of everything in it. Time, chance, models and the app's own code come
//! through the [`Host`], sessions and what else outlives a run through the [`Services`].
//!
//! ```text
//! Runner ── one InvocationContext per run; the queue of its events, drained by one loop
//!   └─ node runtime: scheduler → runner → the node's work        (chat and task agents, workflows)
//!        └─ agent: before_agent · its work · after_agent         (composites run others as agents)
//!             └─ flow of steps: compile → gate → model → responses → calls
//!                  └─ tools: hooks · approval · the tool · the event that answers
//! ```

mod adk_text;
mod agent;
mod agent_mark;
mod compaction;
mod context;
mod event_rules;
mod events;
mod halt;
mod hooks;
mod host;
mod invocation;
mod live;
mod llm;
mod marks;
mod node;
mod program;
mod queue;
mod run_node;
mod runner;
mod schema;
mod services;
mod structured;
mod tasks;
mod tools;
mod turn;

pub use context::{AgentCall, Code, Context, Hook, Host, InvocationContext, NodeCall, ToolCall};
pub use events::Outlet;
pub use halt::{Failure, Halt};
pub use host::{
    Answer, AskedCode, Chance, Clock, Gate, HeldCall, HookOwner, HookPoint, Item, ModelCall, Models,
    OpenGate, RequestInput, ToolResult, Value,
};
pub use program::{Node, Program};
pub use run_node::RunNode;
pub use runner::Runner;
pub use services::{
    ArtifactService, InMemoryArtifacts, InMemoryMemory, InMemorySessions, MemoryService, Services,
    SessionKey, SessionService,
};
pub use turn::{EventSink, Reception, RunConfig, Turn};
