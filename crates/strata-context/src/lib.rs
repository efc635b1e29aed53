//! Contexts: what a client and an app share from one request to the next, whichever protocol carries them.
//!
//! ```
//! use strata_context::{Command, Context, ContextId, Held, Millis, NoSummary, Principal};
//! use strata_model::Object;
//!
//! let now = Millis(1_000);
//! let id = ContextId::parse("ctx-discovery-7f3a")?;
//! let held = Held::new(Context::new(id, Principal::new("ana"), now));
//! let changes = Object::from_iter([("last_search", "video")]);
//! let done = held.apply(Command::SetState { changes, task: None }, Millis(2_000), &NoSummary)?;
//! assert_eq!(done.held.context.working_state.get("last_search"), Some(&"video".into()));
//! # Ok::<(), strata_context::ContextError>(())
//! ```
//!
//! The nouns:
//!
//! - A [`Context`] belongs to one [`Principal`]; to any other it is unknown. It has a working state, messages that
//!   are kept by a [`Retention`], and tasks.
//! - A [`Task`] begins with what the context holds then, works by itself, and gives its own changes back when it ends.
//!   It outlives its context.
//! - A [`Command`] is everything that can happen to one. [`Held::apply`] is a function of what there is, the command and
//!   the time; the result is stored as a whole or not at all.
//! - [`fate`] says what time has made of a context: idle, expired, or nothing yet.
//!
//! Nothing here reads a clock: time is handed in, and one that runs backwards is taken for standing still.
#![warn(clippy::disallowed_methods)]

mod asked;
mod cleanup;
mod command;
mod context;
mod door;
mod error;
mod expiry;
mod held;
mod id;
mod lifecycle;
mod merge;
mod message;
mod naming;
mod retention;
mod stored;
mod task;
mod task_graph;
mod time;
mod truncation;
mod working_state;

pub use asked::one_id;
pub use cleanup::{Fate, fate, is_worth_keeping};
pub use command::{Command, NewMessage, NewTask};
pub use context::{Context, ContextArtifact, DoorUse};
pub use door::{Door, IdPlace};
pub use error::ContextError;
pub use expiry::{expires_at, state_at};
pub use held::{Done, Held, checked};
pub use id::{ContextId, MalformedId, Principal, TaskId};
pub use lifecycle::{ContextState, IDLE_AFTER, INTERACTIVE_TTL, Ttl};
pub use merge::{Conflict, Merge, merge, merged};
pub use message::{Message, Role};
pub use naming::{NAMES, Naming, naming};
pub use retention::{NoSummary, Retention, RetentionStrategy, Summarise};
pub use stored::UnreadableContext;
pub use task::{Task, TaskEnd, TaskStatus, with_defaults};
pub use time::Millis;
pub use working_state::{MAX_STATE_BYTES, Offloaded, handle_of};
