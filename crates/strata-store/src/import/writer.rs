//! An import while it is written.

use strata_model::Session;

use super::complete::CompleteRecording;
use super::new::{LeftOut, Listing, NewEvent};
use super::staged::Recording;
use crate::app_config::AppConfig;
use crate::process_lock::{ProcessLock, Work};
use crate::request::RecordedRequest;
use crate::state::write_state;
use crate::{Source, Store, StoreError, sweep};

/// An import under way. Dropping it cancels it.
#[derive(Debug)]
#[must_use]
pub struct ImportWriter<'s> {
    pub(super) store: &'s mut Store,
    pub(super) source: Source,
    /// Every recording that was opened and is not shown by a session yet.
    pub(super) recordings: Vec<i64>,
    /// Those of them that are complete.
    pub(super) closed: Vec<CompleteRecording>,
    pub(super) left_out: LeftOut,
    /// Says to other processes that what is staged is being written. `None` in memory.
    _running: Option<ProcessLock>,
}

impl Store {
    /// Starts an import. Sessions of this source that are stored already stay as they are until it commits.
    pub fn begin_import(&mut self, source: Source) -> Result<ImportWriter<'_>, StoreError> {
        sweep::clear(self)?;
        let running = self.path().map(|path| ProcessLock::shared(path, Work::Importing)).transpose()?;
        Ok(ImportWriter {
            store: self,
            source,
            recordings: Vec::new(),
            closed: Vec::new(),
            left_out: LeftOut::default(),
            _running: running,
        })
    }
}

impl ImportWriter<'_> {
    /// Starts a session that has no events yet.
    pub fn open_recording(&mut self) -> Result<Recording, StoreError> {
        let number = self.store.change_unseen(|transaction| {
            transaction.execute("INSERT INTO recordings (status) VALUES ('staged')", [])?;
            Ok(transaction.last_insert_rowid())
        })?;
        self.recordings.push(number);
        Ok(Recording::new(number))
    }

    /// Appends events to a session, as one short transaction: give about a thousand at a time. After an error none
    /// of them is there, and the import can go on.
    pub fn append(&mut self, recording: &mut Recording, events: &[NewEvent<'_>]) -> Result<(), StoreError> {
        let before = recording.totals;
        let inserted = self.store.change_unseen(|transaction| recording.insert(transaction, events));
        if inserted.is_err() {
            recording.roll_back(before);
        }
        inserted
    }

    /// Appends requests to those of a session, as one short transaction. After an error none of them is there, and the
    /// import can go on.
    pub fn append_requests(
        &mut self,
        recording: &mut Recording,
        requests: &[RecordedRequest],
    ) -> Result<(), StoreError> {
        let before = recording.requests_so_far();
        let inserted =
            self.store.change_unseen(|transaction| recording.insert_requests(transaction, requests));
        if inserted.is_err() {
            recording.roll_back_requests(before);
        }
        inserted
    }

    /// Completes a session whose events were appended: everything of `session` but its events. A recording that is
    /// dropped instead does not become a session. A configuration with an API key in it is refused with
    /// [`StoreError::HoldsCredential`].
    #[expect(clippy::needless_pass_by_value, reason = "nothing can be appended after this")]
    pub fn close_recording(
        &mut self,
        recording: Recording,
        session: &Session,
        listing: Listing,
    ) -> Result<(), StoreError> {
        listing.app_config.as_ref().map(AppConfig::refuse_credentials).transpose()?;
        self.store.change_unseen(|transaction| {
            recording.write_totals(transaction)?;
            write_state(transaction, recording.number, &session.state)
        })?;
        self.left_out.add(recording.totals.left_out);
        self.closed.push(CompleteRecording::new(&recording, session, listing));
        Ok(())
    }

    /// Writes a session that is there as a whole: `events` are those of `session`, with what they were read from.
    pub fn add_session(
        &mut self,
        session: &Session,
        events: &[NewEvent<'_>],
        listing: Listing,
    ) -> Result<(), StoreError> {
        const BATCH: usize = 1_000;
        let mut recording = self.open_recording()?;
        for batch in events.chunks(BATCH) {
            self.append(&mut recording, batch)?;
        }
        self.close_recording(recording, session, listing)
    }

    /// Removes everything this import wrote.
    pub fn cancel(mut self) -> Result<(), StoreError> {
        self.discard()
    }

    pub(super) fn discard(&mut self) -> Result<(), StoreError> {
        let recordings = std::mem::take(&mut self.recordings);
        if !recordings.is_empty() {
            self.store.change_unseen(|transaction| {
                let mut discard =
                    transaction.prepare_cached("UPDATE recordings SET status = 'discarded' WHERE id = ?1")?;
                for recording in recordings {
                    discard.execute([recording])?;
                }
                Ok(())
            })?;
        }
        sweep::clear_discarded(self.store);
        Ok(())
    }
}

impl Drop for ImportWriter<'_> {
    fn drop(&mut self) {
        // When this fails, nothing staged is visible, and the next import clears it away.
        let _ = self.discard();
    }
}
