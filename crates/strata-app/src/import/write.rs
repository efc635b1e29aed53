//! Storing what was read.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use strata_import::{Alignment, ImportedSession, Kept, RecordedRequest, SourceRecord};
use strata_model::{Fingerprint, FromJson as _, json, secret};
use strata_store::{
    AppConfig, AppConfigOrigin, Growth, ImportedSession as StoredSession, Listing, NewEvent, RawRecord,
    RecordPlace, RecordedRequest as StoredRequest, SessionId, Source, Store, StoreError,
};

use super::growing::StoredFile;
use super::read::ReadFile;
use super::summary::Summary;
use crate::watch::Watch;

/// Events that are written in one transaction.
const BATCH: usize = 1_000;

/// Requests that are written in one transaction: each may be megabytes.
const REQUESTS: usize = 32;

/// What storing came to.
pub(crate) enum WriteOutcome {
    Sessions(Vec<StoredSession>),
    Cancelled,
}

/// Stores the sessions of a file, all at once or, when it fails or is stopped, none.
pub(crate) fn write(
    store: &mut Store,
    file: &ReadFile,
    location: &str,
    now_ms: i64,
    watch: &dyn Watch,
) -> Result<WriteOutcome, StoreError> {
    let sessions = &file.import.sessions;
    let mut raw = RawBytes { file: file.file.as_ref() };
    let mut import = store.begin_import(source_of(file, location, now_ms))?;
    let total: usize = sessions.iter().map(|session| session.session.events.len()).sum();
    let mut done = 0;
    for imported in sessions {
        let mut recording = import.open_recording()?;
        let events = &imported.session.events;
        for from in (0..events.len()).step_by(BATCH) {
            if watch.is_cancelled() {
                import.cancel()?;
                return Ok(WriteOutcome::Cancelled);
            }
            let batch = from..events.len().min(from + BATCH);
            let bytes = raw.of_events(imported, batch.clone());
            let new: Vec<NewEvent<'_>> = batch.clone().map(|at| new_event(imported, at, &bytes)).collect();
            import.append(&mut recording, &new)?;
            done += batch.len();
            watch.progress(done as u64, total as u64);
        }
        for some in imported.requests.chunks(REQUESTS) {
            if watch.is_cancelled() {
                import.cancel()?;
                return Ok(WriteOutcome::Cancelled);
            }
            let some: Vec<_> = some.iter().map(new_request).collect();
            import.append_requests(&mut recording, &some)?;
        }
        import.close_recording(recording, &imported.session, listing(imported))?;
    }
    import.commit(&file.import.diagnostics).map(WriteOutcome::Sessions)
}

/// Writes what the sessions of a file have more than the store has of them. `None`, with nothing written, where that is
/// not how the file goes on, or most of it is new: then it is to be stored whole.
pub(super) fn append(
    store: &mut Store,
    file: &ReadFile,
    stored: &StoredFile,
    now_ms: i64,
) -> Result<Option<Vec<SessionId>>, StoreError> {
    let sessions = &file.import.sessions;
    if file.content == stored.content || sessions.len() != stored.sessions.len() {
        return Ok(None);
    }
    let pairs = || sessions.iter().zip(&stored.sessions);
    if !pairs().all(|(now, (_, before))| names(now) == names(before)) {
        return Ok(None);
    }
    let kept: Vec<Kept> = pairs().map(|(now, (_, before))| now.kept_of(before)).collect();
    let n_events: usize = sessions.iter().map(|session| session.session.events.len()).sum();
    let n_kept: usize = kept.iter().map(|kept| kept.events).sum();
    let n_requests: usize = sessions.iter().map(|session| session.requests.len()).sum();
    let n_kept_requests: usize = kept.iter().map(|kept| kept.requests).sum();
    // While it is written in one transaction, nobody else can write.
    let is_much = |n: usize, n_kept: usize, some: usize| n - n_kept > n_kept.max(some);
    if is_much(n_events, n_kept, BATCH) || is_much(n_requests, n_kept_requests, REQUESTS) {
        return Ok(None);
    }
    let mut raw = RawBytes { file: file.file.as_ref() };
    let new = |(imported, kept): (&ImportedSession, &Kept)| kept.events..imported.session.events.len();
    let bytes: Vec<Pieces> = sessions
        .iter()
        .zip(&kept)
        .map(|(imported, kept)| raw.of_events(imported, new((imported, kept))))
        .collect();
    let grown: Vec<Growth<'_>> = pairs()
        .zip(kept.iter().zip(&bytes))
        .map(|((imported, (id, _)), (kept, bytes))| Growth {
            id: id.clone(),
            kept: kept.events as u32,
            events: new((imported, kept)).map(|at| new_event(imported, at, bytes)).collect(),
            kept_requests: kept.requests as u32,
            requests: imported.requests[kept.requests..].iter().map(new_request).collect(),
            session: &imported.session,
            keeps_state: false,
            listing: listing(imported),
        })
        .collect();
    let source = source_of(file, &stored.location, now_ms);
    let is_written = store.append(&source, stored.content, &grown, &file.import.diagnostics)?;
    Ok(is_written.then(|| stored.sessions.iter().map(|(id, _)| id.clone()).collect()))
}

/// What the id of a stored session is made from.
fn names(imported: &ImportedSession) -> [&str; 3] {
    let session = &imported.session;
    [&session.app_name, &session.user_id, &session.id]
}

/// Stores a session under a name of its own that was read from bytes at hand, which are in no file. `app` stands in place
/// of the configuration that they hold.
pub(crate) fn write_given(
    store: &mut Store,
    (imported, bytes): (&ImportedSession, &[u8]),
    location: &str,
    app: Option<AppConfig>,
    now_ms: i64,
) -> Result<Option<SessionId>, StoreError> {
    let content = Fingerprint::of(bytes);
    let of_app = app.as_ref().map(|app| Fingerprint::of(app.text.as_bytes()));
    let mut import = store.begin_import(Source {
        location: location.to_owned(),
        format: imported.format.name().to_owned(),
        size_bytes: bytes.len() as u64,
        modified_ms: None,
        content: Some(of_app.map_or(content, |of_app| content.then(of_app))),
        imported_at_ms: now_ms,
    })?;
    let mut pieces = Pieces::new();
    for source in imported.sources.iter().flatten() {
        if let SourceRecord::Bytes(range) = source
            && let Some(piece) = bytes.get(range.start as usize..range.end as usize)
        {
            pieces.insert(range.clone(), piece.to_vec());
        }
    }
    let mut recording = import.open_recording()?;
    let events: Vec<NewEvent<'_>> =
        (0..imported.session.events.len()).map(|at| new_event(imported, at, &pieces)).collect();
    for batch in events.chunks(BATCH) {
        import.append(&mut recording, batch)?;
    }
    for some in imported.requests.chunks(REQUESTS) {
        let some: Vec<_> = some.iter().map(new_request).collect();
        import.append_requests(&mut recording, &some)?;
    }
    let listing = listing(imported);
    let app_config = app.or(listing.app_config);
    import.close_recording(recording, &imported.session, Listing { app_config, ..listing })?;
    Ok(import.commit(&[])?.into_iter().next().map(|stored| stored.id))
}

fn source_of(file: &ReadFile, location: &str, now_ms: i64) -> Source {
    let format = file.import.sessions.first().map_or("", |session| session.format.name());
    Source {
        location: location.to_owned(),
        format: format.to_owned(),
        size_bytes: file.stamp.size_bytes,
        modified_ms: file.stamp.modified_ms,
        content: Some(file.content),
        imported_at_ms: now_ms,
    }
}

fn listing(imported: &ImportedSession) -> Listing {
    Listing {
        title: imported.title.clone(),
        format: imported.format.name().to_owned(),
        summary: Summary::of(imported).to_json(),
        app_config: recorded_app(imported),
    }
}

/// The configuration that a source holds of its session, as it is stored.
pub(crate) fn recorded_app(imported: &ImportedSession) -> Option<AppConfig> {
    let text = json::to_pretty(&imported.app.as_ref()?.to_json());
    Some(AppConfig {
        origin: AppConfigOrigin::Inferred,
        format: "json".to_owned(),
        // The store takes no keys.
        text: secret::mask(&text).map_or(text, |masked| masked.text),
        location: None,
    })
}

/// Bytes of the file by their place: events of one record share them.
type Pieces = HashMap<Range<u64>, Vec<u8>>;

fn new_event<'e>(imported: &'e ImportedSession, at: usize, bytes: &'e Pieces) -> NewEvent<'e> {
    let sources = imported.sources.get(at).map_or(&[][..], Vec::as_slice);
    let records = sources.iter().map(|source| RawRecord {
        place: place(source),
        bytes: match source {
            SourceRecord::Bytes(range) => bytes.get(range).map(Vec::as_slice),
            SourceRecord::Row { .. } => None,
        },
    });
    NewEvent { event: &imported.session.events[at], records: records.collect() }
}

fn place(source: &SourceRecord) -> RecordPlace {
    match source {
        SourceRecord::Bytes(range) => RecordPlace::Bytes(range.clone()),
        SourceRecord::Row { table, id } => {
            RecordPlace::Row { table: (*table).to_owned(), id: id.to_string() }
        }
    }
}

/// A request as it is stored with its session.
pub(crate) fn new_request(request: &RecordedRequest) -> StoredRequest {
    let Alignment { shared, appended, removed, rewritten } = request.alignment;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    StoredRequest {
        answer: request.answer.map(count),
        body: request.body.clone(),
        place: place(&request.source),
        alignment: strata_store::Alignment {
            shared: count(shared),
            appended: count(appended),
            removed: count(removed),
            rewritten: count(rewritten),
        },
        added_from: None,
    }
}

/// The file once more, for the pieces that events were read from. Of what cannot be read again only the place is kept.
struct RawBytes<'f> {
    file: Option<&'f File>,
}

impl RawBytes<'_> {
    /// For every source of these events.
    fn of_events(&mut self, imported: &ImportedSession, events: Range<usize>) -> Pieces {
        let mut pieces = Pieces::new();
        // Headers are not kept: they hold keys and cookies, and say nothing to a model.
        if imported.format.has_headers() {
            return pieces;
        }
        for source in imported.sources.get(events).into_iter().flatten().flatten() {
            let SourceRecord::Bytes(range) = source else { continue };
            if !pieces.contains_key(range)
                && let Some(bytes) = self.of_range(range)
            {
                pieces.insert(range.clone(), bytes);
            }
        }
        pieces
    }

    fn of_range(&mut self, range: &Range<u64>) -> Option<Vec<u8>> {
        let mut file = self.file?;
        file.seek(SeekFrom::Start(range.start)).ok()?;
        let mut bytes = Vec::new();
        let length = range.end.saturating_sub(range.start);
        file.take(length).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == length).then_some(bytes)
    }
}
