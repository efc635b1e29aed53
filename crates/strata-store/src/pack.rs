//! Many values in one row, packed.
//!
//! Events, the pieces of sources they were read from and the pieces of requests are texts that repeat one another. They
//! are numbered without gaps, so neighbours are written together and packed with Zstandard, which takes a sixth of the
//! room. A pack is small enough to be read for one of its values.
//!
//! Versions before 6 wrote a row for each value. What is left of those stands behind what is packed, and is packed while
//! the program runs ([`Store::pack_some`]), or when the recording grows.

use std::io::Write as _;
use std::ops::Range;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Transaction, ffi, params};
use zstd::bulk::{Compressor, Decompressor};

use crate::{Store, StoreError};

/// Bytes of values in a pack. More are not packed much better, and take longer to read one value of.
const PACK_BYTES: usize = 256 * 1024;

/// A pack that is smaller is gone on with when its recording grows.
const SMALL_BYTES: usize = 64 * 1024;

/// More than a fifth of the room is not saved by trying harder, and it takes three times as long.
const LEVEL: i32 = 1;

/// SQLite's own limit of a value.
const MAX_BYTES: usize = 1_000_000_000;

/// Bytes of rows of older versions that one transaction packs.
const BYTES_PER_STEP: usize = 8 << 20;

/// The tables where values of one kind are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shelf {
    packs: &'static str,
    /// Where older versions wrote them.
    rows: &'static str,
    /// Columns of `rows`.
    number: &'static str,
    value: &'static str,
    /// The first number.
    first: u32,
}

/// Events as JSON, by their places.
pub(crate) const EVENTS: Shelf =
    Shelf { packs: "event_packs", rows: "event_json", number: "seq", value: "json", first: 0 };

/// Pieces of sources.
pub(crate) const SOURCES: Shelf =
    Shelf { packs: "source_packs", rows: "raw_records", number: "number", value: "bytes", first: 1 };

/// Pieces of requests.
pub(crate) const REQUESTS: Shelf =
    Shelf { packs: "request_packs", rows: "request_pieces", number: "number", value: "text", first: 1 };

const SHELVES: [Shelf; 3] = [EVENTS, SOURCES, REQUESTS];

impl Shelf {
    /// The value with a number; `None` when there is none. To be asked within a transaction.
    pub(crate) fn get(
        &self,
        connection: &Connection,
        recording: i64,
        number: u32,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(pack) = self.pack_of(connection, recording, number)?
            && let Some(at) = number.checked_sub(pack.first)
        {
            return Ok(pack.values().nth(at as usize).map(<[u8]>::to_vec));
        }
        let Self { rows, number: key, value, .. } = self;
        let sql = format!("SELECT CAST({value} AS BLOB) FROM {rows} WHERE recording = ?1 AND {key} = ?2");
        Ok(connection
            .prepare_cached(&sql)?
            .query_row(params![recording, number], |row| row.get(0))
            .optional()?)
    }

    /// The pack that ends with a number or behind it; its values may all stand behind the number.
    fn pack_of(
        &self,
        connection: &Connection,
        recording: i64,
        number: u32,
    ) -> Result<Option<Pack>, StoreError> {
        let sql = format!(
            "SELECT last, count, length, packed FROM {} WHERE recording = ?1 AND last >= ?2 ORDER BY last LIMIT 1",
            self.packs
        );
        let mut select = connection.prepare_cached(&sql)?;
        let mut rows = select.query(params![recording, number])?;
        rows.next()?.map(Pack::read).transpose()
    }

    /// Shows the values with these numbers, in their order. To be asked within a transaction.
    pub(crate) fn each(
        &self,
        connection: &Connection,
        recording: i64,
        numbers: Range<u32>,
        mut visit: impl FnMut(u32, &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT last, count, length, packed FROM {} WHERE recording = ?1 AND last >= ?2 ORDER BY last",
            self.packs
        );
        let mut select = connection.prepare_cached(&sql)?;
        let mut rows = select.query(params![recording, numbers.start])?;
        while let Some(row) = rows.next()? {
            let pack = Pack::read(row)?;
            if pack.first >= numbers.end {
                return Ok(());
            }
            for (number, value) in (pack.first..).zip(pack.values()) {
                if numbers.contains(&number) {
                    visit(number, value)?;
                }
            }
        }
        let Self { rows, number, value, .. } = self;
        let sql = format!(
            "SELECT {number}, CAST({value} AS BLOB) FROM {rows}
             WHERE recording = ?1 AND {number} >= ?2 AND {number} < ?3 ORDER BY {number}"
        );
        let mut select = connection.prepare_cached(&sql)?;
        let mut rows = select.query(params![recording, numbers.start, numbers.end])?;
        while let Some(row) = rows.next()? {
            visit(row.get(0)?, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?;
        }
        Ok(())
    }

    /// Removes the values from a number on.
    pub(crate) fn cut_off(
        &self,
        transaction: &Transaction<'_>,
        recording: i64,
        from: u32,
    ) -> Result<(), StoreError> {
        let mut kept = Vec::new();
        let pack = self.pack_of(transaction, recording, from)?;
        if let Some(pack) = &pack {
            kept.extend(pack.values().take(from.saturating_sub(pack.first) as usize));
        }
        for (table, key) in [(self.packs, "last"), (self.rows, self.number)] {
            transaction
                .prepare_cached(&format!("DELETE FROM {table} WHERE recording = ?1 AND {key} >= ?2"))?
                .execute(params![recording, from])?;
        }
        if !kept.is_empty() {
            let mut packer = Packer::new(transaction, *self, recording, from - kept.len() as u32)?;
            kept.into_iter().try_for_each(|value| packer.push(value).map(|_| ()))?;
            packer.finish()?;
        }
        Ok(())
    }

    /// Removes all values of a recording.
    pub(crate) fn clear(&self, transaction: &Transaction<'_>, recording: i64) -> Result<(), StoreError> {
        self.cut_off(transaction, recording, 0)
    }

    /// Packs rows of older versions, the first ones first, as far as `bytes` of them go. False when there are none.
    fn pack_rows(
        &self,
        transaction: &Transaction<'_>,
        recording: i64,
        bytes: usize,
    ) -> Result<bool, StoreError> {
        let Self { rows: table, number, value, .. } = self;
        let sql = format!(
            "SELECT {number}, CAST({value} AS BLOB) FROM {table} WHERE recording = ?1 ORDER BY {number}"
        );
        let mut select = transaction.prepare_cached(&sql)?;
        let mut rows = select.query([recording])?;
        let mut packer: Option<Packer<'_>> = None;
        let (mut last, mut n_bytes) = (0, 0);
        while n_bytes < bytes
            && let Some(row) = rows.next()?
        {
            last = row.get(0)?;
            let value = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            n_bytes += value.len().max(1);
            let packer = match &mut packer {
                Some(packer) => packer,
                none => none.insert(Packer::new(transaction, *self, recording, last)?),
            };
            packer.push(value)?;
        }
        drop(rows);
        let Some(packer) = packer else { return Ok(false) };
        packer.finish()?;
        transaction
            .prepare_cached(&format!("DELETE FROM {table} WHERE recording = ?1 AND {number} <= ?2"))?
            .execute(params![recording, last])?;
        Ok(true)
    }
}

impl Store {
    /// Packs some of what older versions wrote, in one short transaction. False when there is nothing left to do.
    pub fn pack_some(&mut self) -> Result<bool, StoreError> {
        for shelf in SHELVES {
            let sql = format!(
                "SELECT recording FROM {} WHERE recording IN (SELECT id FROM recordings WHERE status = 'kept') LIMIT 1",
                shelf.rows
            );
            let recording: Option<i64> =
                self.connection.prepare_cached(&sql)?.query_row([], |row| row.get(0)).optional()?;
            if let Some(recording) = recording {
                return self
                    .change_unseen(|transaction| shelf.pack_rows(transaction, recording, BYTES_PER_STEP));
            }
        }
        Ok(false)
    }
}

/// Packs all that older versions wrote of a recording.
pub(crate) fn pack_recording(transaction: &Transaction<'_>, recording: i64) -> Result<(), StoreError> {
    SHELVES.iter().try_for_each(|shelf| shelf.pack_rows(transaction, recording, usize::MAX).map(|_| ()))
}

/// Values of a recording that stand in one row.
struct Pack {
    /// Number of the first.
    first: u32,
    count: usize,
    /// The lengths of the values, four bytes each with the lowest first, and then the values.
    bytes: Vec<u8>,
}

impl Pack {
    /// Of the columns `last`, `count`, `length`, `packed`.
    fn read(row: &rusqlite::Row<'_>) -> Result<Self, StoreError> {
        let (last, count, length): (u32, u32, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let packed = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
        let bytes = if length <= MAX_BYTES {
            Decompressor::new().and_then(|mut unpack| unpack.decompress(packed, length)).ok()
        } else {
            None
        };
        let pack = bytes.and_then(|bytes| {
            let first = last.checked_add(1)?.checked_sub(count)?;
            let pack = Self { first, count: count as usize, bytes };
            let length: usize = pack.lengths()?.sum();
            (length + 4 * pack.count == pack.bytes.len()).then_some(pack)
        });
        pack.ok_or_else(|| StoreError::Corrupt {
            detail: "what was packed together cannot be read".to_owned(),
        })
    }

    fn lengths(&self) -> Option<impl Iterator<Item = usize> + '_> {
        let lengths = self.bytes.get(..4 * self.count)?;
        Some(lengths.as_chunks::<4>().0.iter().map(|length| u32::from_le_bytes(*length) as usize))
    }

    fn values(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.bytes[4 * self.count..];
        self.lengths().into_iter().flatten().map(move |length| {
            let (value, behind) = rest.split_at(length);
            rest = behind;
            value
        })
    }
}

/// Writes values of a recording in the order of their numbers.
pub(crate) struct Packer<'t> {
    insert: CachedStatement<'t>,
    recording: i64,
    /// Number of the next value.
    next: u32,
    lengths: Vec<u32>,
    values: Vec<u8>,
    compressor: Option<Compressor<'static>>,
}

impl<'t> Packer<'t> {
    /// The next value has the number `next`. The last pack before it is gone on with where it is a small one, so that
    /// what comes in one by one is packed together all the same.
    pub(crate) fn new(
        transaction: &'t Transaction<'_>,
        shelf: Shelf,
        recording: i64,
        next: u32,
    ) -> Result<Self, StoreError> {
        let table = shelf.packs;
        let insert =
            transaction.prepare_cached(&format!("INSERT INTO {table} VALUES (?1, ?2, ?3, ?4, ?5)"))?;
        let mut packer =
            Self { insert, recording, next, lengths: Vec::new(), values: Vec::new(), compressor: None };
        if next > shelf.first {
            let sql = format!(
                "SELECT last, count, length, packed FROM {table} WHERE recording = ?1 AND last = ?2 AND length < ?3"
            );
            let mut select = transaction.prepare_cached(&sql)?;
            let mut rows = select.query(params![recording, next - 1, SMALL_BYTES as i64])?;
            let pack = rows.next()?.map(Pack::read).transpose()?;
            drop(rows);
            if let Some(pack) = pack {
                packer.next = pack.first;
                pack.values().for_each(|value| packer.add(value));
                transaction
                    .prepare_cached(&format!("DELETE FROM {table} WHERE recording = ?1 AND last = ?2"))?
                    .execute(params![recording, next - 1])?;
            }
        }
        Ok(packer)
    }

    /// Adds a value and tells its number.
    pub(crate) fn push(&mut self, value: &[u8]) -> Result<u32, StoreError> {
        if value.len() > MAX_BYTES - 4 {
            return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_TOOBIG), None).into());
        }
        if self.values.len() + value.len() > PACK_BYTES {
            self.flush()?;
        }
        let number = self.next;
        if value.len() > PACK_BYTES {
            self.write_alone(value)?;
        } else {
            self.add(value);
        }
        Ok(number)
    }

    fn add(&mut self, value: &[u8]) {
        self.lengths.push(value.len() as u32);
        self.values.extend_from_slice(value);
        self.next += 1;
    }

    /// Writes what is left. A packer that is dropped instead has not written it.
    pub(crate) fn finish(mut self) -> Result<(), StoreError> {
        self.flush()
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if self.lengths.is_empty() {
            return Ok(());
        }
        let count = self.lengths.len();
        let mut bytes: Vec<u8> = self.lengths.drain(..).flat_map(u32::to_le_bytes).collect();
        bytes.append(&mut self.values);
        let compressor = match &mut self.compressor {
            Some(compressor) => compressor,
            none => none.insert(compressor().map_err(not_packed)?),
        };
        let packed = compressor.compress(&bytes).map_err(not_packed)?;
        self.insert.execute(params![
            self.recording,
            self.next - 1,
            count as u32,
            bytes.len() as i64,
            packed
        ])?;
        Ok(())
    }

    /// Writes a pack of one long value, without a copy of it.
    fn write_alone(&mut self, value: &[u8]) -> Result<(), StoreError> {
        let pack = || {
            let mut encoder = zstd::stream::Encoder::new(Vec::new(), LEVEL)?;
            encoder.include_checksum(true)?;
            encoder.set_pledged_src_size(Some(value.len() as u64 + 4))?;
            encoder.write_all(&(value.len() as u32).to_le_bytes())?;
            encoder.write_all(value)?;
            encoder.finish()
        };
        let packed = pack().map_err(not_packed)?;
        self.insert.execute(params![self.recording, self.next, 1, value.len() as i64 + 4, packed])?;
        self.next += 1;
        Ok(())
    }
}

fn compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

/// One value, packed by itself.
pub(crate) fn packed(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    compressor().and_then(|mut compressor| compressor.compress(bytes)).map_err(not_packed)
}

/// What [`packed`] made, as it was.
pub(crate) fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    zstd::decode_all(bytes)
        .map_err(|error| StoreError::Corrupt { detail: format!("what was packed cannot be read ({error})") })
}

fn not_packed(error: std::io::Error) -> StoreError {
    StoreError::Failed(rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recording with these values in the table of older versions.
    fn store(values: &[Vec<u8>]) -> Store {
        let store = Store::in_memory().unwrap();
        store.connection.execute("INSERT INTO recordings (status) VALUES ('kept')", []).unwrap();
        for (at, value) in values.iter().enumerate() {
            store
                .connection
                .execute("INSERT INTO raw_records VALUES (1, ?1, ?2)", params![at as u32 + 1, value])
                .unwrap();
        }
        store
    }

    fn all(store: &Store) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let visit = |number: u32, value: &[u8]| {
            all.push(value.to_vec());
            assert_eq!(number as usize, all.len());
            Ok(())
        };
        SOURCES.each(&store.connection, 1, 0..u32::MAX, visit).unwrap();
        for (at, value) in all.iter().enumerate() {
            assert_eq!(SOURCES.get(&store.connection, 1, at as u32 + 1).unwrap().as_ref(), Some(value));
        }
        assert_eq!(SOURCES.get(&store.connection, 1, all.len() as u32 + 1).unwrap(), None);
        all
    }

    /// Short and long ones, an empty one, and one that is a pack by itself.
    fn values() -> Vec<Vec<u8>> {
        let value = |n: usize| match n % 7 {
            0 => Vec::new(),
            3 => vec![n as u8; SMALL_BYTES],
            _ => format!("value {n}").into_bytes(),
        };
        let mut values: Vec<Vec<u8>> = (0..60).map(value).collect();
        values[31] = vec![7; PACK_BYTES + 1];
        values
    }

    #[test]
    fn rows_of_older_versions_are_packed_bit_by_bit_and_are_there_all_the_while() {
        let values = values();
        let mut store = store(&values);
        let mut n_steps = 0;
        while store.change(|transaction| SOURCES.pack_rows(transaction, 1, 1)).unwrap() {
            assert_eq!(all(&store), values);
            n_steps += 1;
        }
        assert_eq!(n_steps, values.len());
        assert!(!store.pack_some().unwrap());
        let n_packs: u32 =
            store.connection.query_row("SELECT count(*) FROM source_packs", [], |row| row.get(0)).unwrap();
        assert!(n_packs < 20, "{n_packs}");
    }

    #[test]
    fn a_recording_is_cut_off_and_goes_on_anywhere() {
        let values = values();
        for cut in 0..=values.len() {
            let mut store = store(&values);
            store
                .change(|transaction| {
                    pack_recording(transaction, 1)?;
                    SOURCES.cut_off(transaction, 1, cut as u32 + 1)
                })
                .unwrap();
            assert_eq!(all(&store), values[..cut]);
            store
                .change(|transaction| {
                    let mut packer = Packer::new(transaction, SOURCES, 1, cut as u32 + 1)?;
                    for (at, value) in values.iter().enumerate().skip(cut) {
                        assert_eq!(packer.push(value)?, at as u32 + 1);
                    }
                    packer.finish()
                })
                .unwrap();
            assert_eq!(all(&store), values);
        }
    }
}
