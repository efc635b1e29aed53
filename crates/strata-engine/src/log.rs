//! A session's events, prepared for being compiled many times.
//!
//! [`LoggedEvent`] is an event with what is known about it; [`EventLog`] has those of a session in order, and an
//! [`EventView`] those that a call can see. `event_links` says which events can only be read together, `settled` keeps
//! histories that later events can no longer change, and `history` has the rules that contents and compaction share.

mod dropped_ids;
mod event_links;
mod event_log;
mod history;
mod laid_log;
mod logged_event;
mod omission;
mod settled;

pub(crate) use dropped_ids::DroppedIds;
pub use event_log::{EventLog, EventView};
pub(crate) use history::{Coverage, summary_ranges, surviving_ranges};
pub use history::{SummaryRange, events_after_rewinds, live_events, surviving};
pub use laid_log::LaidLog;
pub(crate) use logged_event::without_client_ids;
pub use logged_event::{Facts, LoggedEvent};
pub use omission::{Omission, OmissionReason};
pub(crate) use settled::{SettledHistories, SettledHistory};
