//! Pieces of requests of recordings that grow by one request at a time.

use rusqlite::{OptionalExtension as _, Transaction, params};
use strata_model::Fingerprint;

use crate::StoreError;
use crate::column::fingerprint;
use crate::request_pieces::KnownPieces;

/// Recordings that are remembered; more do not grow at once.
const MOST: usize = 8;

/// The pieces of recordings that have grown through this handle, so that they grow on without being read again. About 24
/// bytes a piece.
#[derive(Debug, Default)]
pub(crate) struct GrowingPieces(Vec<Known>);

#[derive(Debug)]
struct Known {
    recording: i64,
    mark: Mark,
    pieces: KnownPieces,
}

/// What a recording looks like from outside. Others may write to the file, too: where it looks otherwise, they have.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    /// Of its events.
    content: Option<Fingerprint>,
    n_requests: u32,
    n_packs: u32,
    last_piece: u32,
    /// Of its pieces.
    bytes: i64,
}

impl GrowingPieces {
    /// The pieces of a recording, if they are known and it is as it was left.
    pub(crate) fn take(
        &mut self,
        transaction: &Transaction<'_>,
        recording: i64,
    ) -> Result<Option<KnownPieces>, StoreError> {
        let Some(at) = self.0.iter().position(|known| known.recording == recording) else { return Ok(None) };
        let known = self.0.remove(at);
        let is_same = known.mark == Mark::of(transaction, recording)?;
        Ok(is_same.then_some(known.pieces))
    }

    /// Remembers the pieces of a recording as it is now.
    pub(crate) fn keep(
        &mut self,
        transaction: &Transaction<'_>,
        recording: i64,
        pieces: KnownPieces,
    ) -> Result<(), StoreError> {
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(Known { recording, mark: Mark::of(transaction, recording)?, pieces });
        Ok(())
    }
}

impl Mark {
    fn of(transaction: &Transaction<'_>, recording: i64) -> Result<Self, StoreError> {
        let (n_requests, _) = counts(transaction, recording)?;
        let content = transaction
            .prepare_cached("SELECT content FROM recordings WHERE id = ?1")?
            .query_row([recording], |row| fingerprint(row, 0))?;
        let mut packs = transaction.prepare_cached(
            "SELECT count(*), coalesce(max(last), 0), coalesce(sum(length), 0) FROM request_packs WHERE recording = ?1",
        )?;
        Ok(packs.query_row(params![recording], |row| {
            Ok(Self {
                content,
                n_requests,
                n_packs: row.get(0)?,
                last_piece: row.get(1)?,
                bytes: row.get(2)?,
            })
        })?)
    }
}

/// How many requests a recording has, and how many of them are its own. Those stand first, so that a recording to which
/// nothing was added is not counted through.
pub(crate) fn counts(transaction: &Transaction<'_>, recording: i64) -> Result<(u32, u32), StoreError> {
    let last: Option<(u32, bool)> = transaction
        .prepare_cached(
            "SELECT position, added_from IS NULL FROM requests WHERE recording = ?1 ORDER BY position DESC LIMIT 1",
        )?
        .query_row([recording], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((last, is_own)) = last else { return Ok((0, 0)) };
    let n_all = last + 1;
    if is_own {
        return Ok((n_all, n_all));
    }
    let n_own = transaction
        .prepare_cached("SELECT count(*) FROM requests WHERE recording = ?1 AND added_from IS NULL")?
        .query_row([recording], |row| row.get(0))?;
    Ok((n_all, n_own))
}
