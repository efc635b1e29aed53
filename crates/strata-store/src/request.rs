//! What was really sent to models.
//!
//! A request repeats the conversation before it, so the requests of a session are nearly the same text many times over.
//! They are cut where messages end, and a piece that several of them have is kept once: what is stored grows with the
//! conversation and not with its square.

use rusqlite::{OptionalExtension, Transaction, params};
use strata_model::{Fingerprint, Json, json};

use crate::column::{parse, text, utf8};
use crate::event::OF_SESSION;
use crate::growing_pieces::counts;
use crate::kept_secrets::{Masking, mask_stored};
use crate::pack::{Packer, REQUESTS};
use crate::record::{self, RecordPlace};
use crate::request_pieces::{KnownPieces, cut, last_number, numbers, runs};
use crate::{SessionId, Store, StoreError};

/// A request as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// Place among the session's events of the one that answers it, from 0; `None` when no answer was recorded.
    pub answer: Option<u32>,
    /// In the provider's own dialect.
    pub body: Json,
    /// Where it stands in what it was read from.
    pub place: RecordPlace,
    /// How it continues the conversation it belongs to.
    pub alignment: Alignment,
    /// Location of the file it was added from, where that is not the session's own source.
    pub added_from: Option<String>,
}

/// A request that may be known.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedRequest {
    /// Place among the session's events of the one that answers it, from 0; `None` when no answer was recorded.
    pub answer: Option<u32>,
    pub mark: Fingerprint,
    /// In the provider's own dialect; `None` where it is known.
    pub body: Option<Json>,
}

/// How a request stands to those before it, in parts of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Parts at the beginning that were sent before.
    pub shared: u32,
    /// Parts behind them that are new.
    pub appended: u32,
    /// Parts that were sent before and are gone.
    pub removed: u32,
    /// New parts among those that were sent before.
    pub rewritten: u32,
}

impl Store {
    /// The requests of a session, in the order in which they were sent or added. None where there is no such session.
    pub fn requests(&self, session: &SessionId) -> Result<Vec<RecordedRequest>, StoreError> {
        let mut requests = Vec::new();
        self.for_each_request(session, |request| requests.push(request))?;
        Ok(requests)
    }

    /// Shows the requests of a session one by one: together they can be much larger than what is stored.
    pub fn for_each_request(
        &self,
        session: &SessionId,
        visit: impl FnMut(RecordedRequest),
    ) -> Result<(), StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        match recording_of(&snapshot, session)? {
            Some(recording) => each(&snapshot, recording, visit),
            None => Ok(()),
        }
    }

    /// Shows who answers the requests of a session, one by one in their order, with their bodies where those are not known
    /// by their marks. Two requests with one mark have one body; the same body may have two marks.
    pub fn for_each_unknown_body(
        &self,
        session: &SessionId,
        mut is_known: impl FnMut(Fingerprint) -> bool,
        mut visit: impl FnMut(MarkedRequest),
    ) -> Result<(), StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let Some(recording) = recording_of(&snapshot, session)? else { return Ok(()) };
        let pieces = all_pieces(&snapshot, recording)?;
        let marks: Vec<Fingerprint> = pieces.iter().map(|piece| Fingerprint::of(piece.as_bytes())).collect();
        let mut select = snapshot
            .prepare_cached("SELECT answer, pieces FROM requests WHERE recording = ?1 ORDER BY position")?;
        let mut rows = select.query([recording])?;
        while let Some(row) = rows.next()? {
            let list = text(row, 1)?;
            let mark =
                listed(list, &marks)?.into_iter().fold(Fingerprint::default(), |all, piece| all.then(*piece));
            let body = if is_known(mark) { None } else { Some(body(list, &pieces)?) };
            visit(MarkedRequest { answer: row.get(0)?, mark, body });
        }
        Ok(())
    }

    /// How many requests of a session were added from a file.
    pub fn n_requests_from(&self, session: &SessionId, location: &str) -> Result<u32, StoreError> {
        let mut count = self.connection.prepare_cached(&format!(
            "SELECT count(*) FROM requests WHERE recording = {OF_SESSION} AND added_from = ?2"
        ))?;
        Ok(count.query_row([session.as_str(), location], |row| row.get(0))?)
    }

    /// Gives a stored session requests that another file recorded, in place of those that came from it before. False
    /// when there is no such session. They stay when the session is imported again, as far as their answers do.
    pub fn add_requests(
        &mut self,
        session: &SessionId,
        location: &str,
        requests: &[RecordedRequest],
    ) -> Result<bool, StoreError> {
        self.change(|transaction| {
            let Some(recording) = recording_of(transaction, session)? else { return Ok(false) };
            let mut all = read(transaction, recording)?;
            all.retain(|known| known.added_from.as_deref() != Some(location));
            all.extend(
                requests.iter().map(|request| RecordedRequest {
                    added_from: Some(location.to_owned()),
                    ..request.clone()
                }),
            );
            remove(transaction, recording)?;
            write(transaction, recording, 0, &all, &mut KnownPieces::default())?;
            Ok(true)
        })
    }
}

/// Appends requests to those of a recording, of which there are `n_before`.
pub(crate) fn write(
    transaction: &Transaction<'_>,
    recording: i64,
    n_before: u32,
    requests: &[RecordedRequest],
    known: &mut KnownPieces,
) -> Result<(), StoreError> {
    let mut insert = transaction
        .prepare_cached("INSERT INTO requests VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
    let mut packer = Packer::new(transaction, REQUESTS, recording, known.len() as u32 + 1)?;
    let masks = Masking::of(transaction)?.is_on;
    for (at, request) in requests.iter().enumerate() {
        let masked = if masks { masked_body(&request.body)? } else { None };
        let mut list = String::new();
        record::write(&mut list, &request.place, None);
        list.push(']');
        let Alignment { shared, appended, removed, rewritten } = request.alignment;
        insert.execute(params![
            recording,
            n_before + at as u32,
            request.answer,
            list,
            request.added_from,
            shared,
            appended,
            removed,
            rewritten,
            piece_numbers(&mut packer, masked.as_ref().unwrap_or(&request.body), known)?,
        ])?;
    }
    packer.finish()
}

/// The body without what looks like a key; `None` where nothing does.
fn masked_body(body: &Json) -> Result<Option<Json>, StoreError> {
    mask_stored(&json::to_compact(body)).map(|masked| parse(masked.text)).transpose()
}

/// The list of a body's pieces, having written those that are new.
fn piece_numbers(
    packer: &mut Packer<'_>,
    body: &Json,
    known: &mut KnownPieces,
) -> Result<String, StoreError> {
    let mut used = Vec::new();
    for piece in cut(body) {
        let (number, is_new) = known.number(&piece);
        if is_new {
            packer.push(piece.as_bytes())?;
        }
        used.push(number);
    }
    Ok(runs(&used))
}

/// Takes the requests that were added to a session over to what it shows now: their answers are found by their ids.
pub(crate) fn carry_added(transaction: &Transaction<'_>, from: i64, to: i64) -> Result<(), StoreError> {
    let mut added = read(transaction, from)?;
    added.retain(|request| request.added_from.is_some());
    if added.is_empty() {
        return Ok(());
    }
    let mut find = transaction.prepare_cached(
        "SELECT new.seq FROM events old JOIN events new ON new.event_id = old.event_id
         WHERE old.recording = ?1 AND old.seq = ?2 AND new.recording = ?3
         ORDER BY abs(new.seq - old.seq) LIMIT 1",
    )?;
    for request in &mut added {
        let Some(answer) = request.answer else { continue };
        request.answer = find.query_row(params![from, answer, to], |row| row.get(0)).optional()?;
    }
    let mut all = read(transaction, to)?;
    all.extend(added);
    remove(transaction, to)?;
    write(transaction, to, 0, &all, &mut KnownPieces::default())
}

/// What stays of a recording's requests when it goes on, and what was added to it by other files.
pub(crate) struct Kept {
    pub n_requests: u32,
    /// `None` where nobody had to know them.
    pub pieces: Option<KnownPieces>,
    pub added: Added,
}

/// Requests that other files recorded, each with the id of the event that answers it.
pub(crate) type Added = Vec<(RecordedRequest, Option<String>)>;

/// Takes off all requests behind the first so many of a recording's own, and those that were added, to be put back
/// ([`put_back`]). What pieces there are is only read where requests will be written, and nobody knows them.
pub(crate) fn cut_off(
    transaction: &Transaction<'_>,
    recording: i64,
    kept: u32,
    is_growing: bool,
    mut pieces: Option<KnownPieces>,
) -> Result<Kept, StoreError> {
    let (n_all, n_own) = counts(transaction, recording)?;
    let n_requests = kept.min(n_own);
    let added = if n_all > n_own { added(transaction, recording)? } else { Added::new() };
    if n_requests < n_all {
        let n_pieces = truncate(transaction, recording, n_requests)?;
        if let Some(pieces) = &mut pieces {
            pieces.roll_back(n_pieces as usize);
        }
    }
    if pieces.is_none() && (is_growing || !added.is_empty()) {
        pieces = Some(known_pieces(transaction, recording)?);
    }
    Ok(Kept { n_requests, pieces, added })
}

/// Whether a recording has so many requests of its own.
pub(crate) fn has_own(transaction: &Transaction<'_>, recording: i64, n: u32) -> Result<bool, StoreError> {
    let Some(last) = n.checked_sub(1) else { return Ok(true) };
    let mut find = transaction.prepare_cached(
        "SELECT 1 FROM requests WHERE recording = ?1 AND position = ?2 AND added_from IS NULL",
    )?;
    Ok(find.exists([recording, last.into()])?)
}

fn added(transaction: &Transaction<'_>, recording: i64) -> Result<Added, StoreError> {
    let mut answered_by =
        transaction.prepare_cached("SELECT event_id FROM events WHERE recording = ?1 AND seq = ?2")?;
    let mut added = Added::new();
    for request in read(transaction, recording)?.into_iter().filter(|request| request.added_from.is_some()) {
        let answer = request.answer.map(|answer| {
            answered_by.query_row([recording, answer.into()], |row| row.get::<_, String>(0)).optional()
        });
        added.push((request, answer.transpose()?.flatten()));
    }
    Ok(added)
}

/// Removes the requests behind the first so many, and the pieces that only they have. Pieces are numbered as they are
/// first needed, so these are the last ones. Gives how many pieces are left.
fn truncate(transaction: &Transaction<'_>, recording: i64, n_requests: u32) -> Result<u32, StoreError> {
    transaction
        .prepare_cached("DELETE FROM requests WHERE recording = ?1 AND position >= ?2")?
        .execute([recording, n_requests.into()])?;
    let mut select = transaction.prepare_cached("SELECT pieces FROM requests WHERE recording = ?1")?;
    let mut rows = select.query([recording])?;
    let mut last = 0;
    while let Some(row) = rows.next()? {
        last = last.max(last_number(text(row, 0)?).ok_or_else(|| corrupt("the list of pieces"))?);
    }
    drop(rows);
    REQUESTS.cut_off(transaction, recording, last + 1)?;
    Ok(last)
}

/// Puts requests that were added by other files behind a recording's own, of which there are so many now. Their answers
/// are found by their ids.
pub(crate) fn put_back(
    transaction: &Transaction<'_>,
    recording: i64,
    n_before: u32,
    added: Added,
    pieces: &mut KnownPieces,
) -> Result<(), StoreError> {
    let mut find = transaction.prepare_cached(
        "SELECT seq FROM events WHERE recording = ?1 AND event_id = ?2 ORDER BY abs(seq - ?3) LIMIT 1",
    )?;
    let mut all = Vec::with_capacity(added.len());
    for (mut request, event_id) in added {
        let place = request.answer.zip(event_id);
        request.answer = match place {
            None => None,
            Some((answer, event_id)) => {
                find.query_row(params![recording, event_id, answer], |row| row.get(0)).optional()?
            }
        };
        all.push(request);
    }
    write(transaction, recording, n_before, &all, pieces)
}

fn known_pieces(transaction: &Transaction<'_>, recording: i64) -> Result<KnownPieces, StoreError> {
    Ok(KnownPieces::of(all_pieces(transaction, recording)?.iter().map(String::as_str)))
}

/// The pieces of a recording, in the order of their numbers.
fn all_pieces(transaction: &Transaction<'_>, recording: i64) -> Result<Vec<String>, StoreError> {
    let mut pieces = Vec::new();
    REQUESTS.each(transaction, recording, 0..u32::MAX, |_, piece| {
        pieces.push(utf8(piece.to_vec())?);
        Ok(())
    })?;
    Ok(pieces)
}

/// What a list of pieces names, of all there are.
fn listed<'p, T>(list: &str, all: &'p [T]) -> Result<Vec<&'p T>, StoreError> {
    let numbers = numbers(list).ok_or_else(|| corrupt("the list of pieces"))?;
    let found = numbers.into_iter().map(|number| (number as usize).checked_sub(1).and_then(|at| all.get(at)));
    found.map(|piece| piece.ok_or_else(|| corrupt("a piece"))).collect()
}

fn body(list: &str, pieces: &[String]) -> Result<Json, StoreError> {
    let text: String = listed(list, pieces)?.into_iter().map(String::as_str).collect();
    json::parse_own(text.as_bytes()).map_err(|_| corrupt("the body"))
}

fn remove(transaction: &Transaction<'_>, recording: i64) -> Result<(), StoreError> {
    transaction.execute("DELETE FROM requests WHERE recording = ?1", [recording])?;
    REQUESTS.clear(transaction, recording)
}

fn recording_of(transaction: &Transaction<'_>, session: &SessionId) -> Result<Option<i64>, StoreError> {
    let mut find = transaction.prepare_cached("SELECT recording FROM sessions WHERE id = ?1")?;
    Ok(find.query_row([session.as_str()], |row| row.get(0)).optional()?)
}

fn read(transaction: &Transaction<'_>, recording: i64) -> Result<Vec<RecordedRequest>, StoreError> {
    let mut requests = Vec::new();
    each(transaction, recording, |request| requests.push(request))?;
    Ok(requests)
}

fn each(
    transaction: &Transaction<'_>,
    recording: i64,
    mut visit: impl FnMut(RecordedRequest),
) -> Result<(), StoreError> {
    let pieces = all_pieces(transaction, recording)?;
    let mut select = transaction.prepare_cached(
        "SELECT answer, place, added_from, shared, appended, removed, rewritten, pieces FROM requests
         WHERE recording = ?1 ORDER BY position",
    )?;
    let mut rows = select.query([recording])?;
    while let Some(row) = rows.next()? {
        let places = parse(text(row, 1)?)?;
        let place = places.as_array().and_then(|places| record::place(places.first()?));
        visit(RecordedRequest {
            answer: row.get(0)?,
            body: body(text(row, 7)?, &pieces)?,
            place: place.ok_or_else(|| corrupt("the place"))?,
            alignment: Alignment {
                shared: row.get(3)?,
                appended: row.get(4)?,
                removed: row.get(5)?,
                rewritten: row.get(6)?,
            },
            added_from: row.get(2)?,
        });
    }
    Ok(())
}

fn corrupt(what: &str) -> StoreError {
    StoreError::Corrupt { detail: format!("{what} of a request cannot be read") }
}
