//! Home: what agents did on this computer.
//!
//! Files of the places that a person lets it read are read in the background, newest first, and then looked through for
//! what need not have been. What was read of a file stays until the file changes, also from one start to the next. Figures
//! are those of [`crate::usage`].

mod examine;
mod file;
mod filter;
mod joined;
mod known_files;
mod page;
mod patterns;
mod patterns_of;
mod shelf;
mod work;

use std::sync::Arc;

use strata_model::Fingerprint;

use crate::api::home::{Get, HomePage, HomeReading};
use crate::error::AppError;
use crate::import::now_ms;
use crate::jobs::Jobs;
use crate::notifications::Notifications;
use crate::own_prices::own_prices;
use crate::place_choices::PlaceChoices;
use crate::places::Environment;
use crate::tables::Tables;
use crate::usage::Sources;
use crate::workspace::Workspace;
use known_files::KnownFiles;
use page::{Around, page};
pub use patterns_of::PatternQuestion;
pub(crate) use patterns_of::patterns_in;
use shelf::Shelf;
use work::{Work, begin};

/// The setting that keeps when Home was looked at last.
const SEEN: &str = "home.seen";

/// What is known of all places that may be read.
pub(crate) struct Home {
    workspace: Arc<Workspace>,
    tables: Arc<Tables>,
    jobs: Arc<Jobs>,
    notifications: Arc<Notifications>,
    files: Arc<KnownFiles>,
}

impl Home {
    pub(crate) fn new(
        (workspace, tables, notifications): (Arc<Workspace>, Arc<Tables>, Arc<Notifications>),
        jobs: Arc<Jobs>,
    ) -> Self {
        let files = Arc::new(KnownFiles::new(workspace.database().map(Shelf::of)));
        Self { workspace, tables, jobs, notifications, files }
    }

    pub(crate) fn page(&self, asked: &Get) -> Result<HomePage, AppError> {
        let (joined, around) = {
            let mut state = self.files.state();
            let joined = state.joined();
            (joined, Around { reading: state.reading.clone(), before_ms: state.before_ms })
        };
        page(&joined, asked, &self.tables.prices, around)
    }

    /// Looks which files are new or changed, and reads them in the background. Only places that may be read are looked into.
    pub(crate) fn read(&self, goes_on: bool) -> Result<HomeReading, AppError> {
        self.see()?;
        let choices = PlaceChoices::of(&self.workspace.store())?;
        {
            let mut state = self.files.state();
            if state.reading.is_running {
                return Ok(state.reading.clone());
            }
            state.reading.is_stopped &= !goes_on;
        }
        let (places, own) = choices.readable(&Environment::present());
        let missing = choices.missing();
        let sources = Sources::of(places, &own);
        let prices = self.prices_key()?;
        let (unread, unexamined) = self.files.sort_out(&sources, &prices);
        let reading = {
            let mut state = self.files.state();
            let is_there = !unread.is_empty() || !unexamined.is_empty();
            state.reading.missing_places = missing;
            state.reading.files = sources.files.len() as u32;
            state.reading.is_running = is_there && !state.reading.is_stopped;
            state.count();
            state.reading.clone()
        };
        if reading.is_running {
            let tools = sources.all.into_iter().map(|source| (source.path, source.tool)).collect();
            let known = (self.files.clone(), self.tables.clone(), self.notifications.clone());
            begin(
                &self.jobs,
                Work { known, places: tools, files: sources.files, unread, unexamined, prices },
            );
        }
        Ok(reading)
    }

    /// Of the prices that a person set: what is found is priced at them.
    fn prices_key(&self) -> Result<String, AppError> {
        let own = own_prices(&self.workspace.store())?;
        let text = serde_json::to_string(&own).unwrap_or_default();
        Ok(format!("{:x}", Fingerprint::of(text.as_bytes()).0))
    }

    /// Remembers that Home is looked at, and when it was before.
    fn see(&self) -> Result<(), AppError> {
        let is_first = !std::mem::replace(&mut self.files.state().was_seen, true);
        if is_first {
            let mut store = self.workspace.store();
            let before = store.setting(SEEN)?.and_then(|text| text.parse().ok());
            store.set_setting(SEEN, &now_ms().to_string())?;
            drop(store);
            self.files.state().before_ms = before;
        }
        Ok(())
    }
}
