//! `strata contexts`: what clients of served apps come back to, how long it lasts, and what takes the room.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Serialize;
use strata_context::{
    Context, ContextArtifact, ContextId, ContextState, DoorUse, Fate, Held, Message, Millis, Naming,
    Retention, Task, expires_at, naming, state_at,
};
use strata_model::{Json, Object, json};
use strata_store::{ArchivedContext, Cleaned, ContextEntry, Store};

use super::VERSION;
use super::learn::existing;
use super::source::open_for_reading;
use super::times::utc_minute;
use crate::api::stores_kept::{ContextSighting, RetentionLoss};
use crate::error::AppError;
use crate::left_tasks::end_left_tasks;
use crate::message_summary::ExtractiveMessages;
use crate::stores::{SIGNS, Sightings, expiry_loss, retention_loss};

/// The document of `strata contexts list`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextsReport {
    pub version: u32,
    /// The store.
    pub database: String,
    /// The latest used first.
    pub contexts: Vec<ContextRow>,
    /// Contexts that expired, the latest first.
    pub archived: Vec<ArchivedRow>,
    /// Contexts that stored sessions name and nobody serves here, the latest named first.
    pub seen: Vec<SeenRow>,
}

/// A context that stored sessions name.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenRow {
    /// What looks like a key is masked.
    pub id: String,
    /// `mcp`, `a2a`, `http`, `tool` where it is not known what carried a tool's arguments, or `responses`.
    pub doors: Vec<String>,
    /// How often it is named.
    pub times: u32,
    /// Epoch milliseconds.
    pub first_ms: f64,
    pub last_ms: f64,
    /// Those that name it, the most recent first.
    pub sessions: Vec<SeenIn>,
}

/// A session that names a context.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenIn {
    pub session: String,
    pub title: String,
    /// Where it names it first, the first of them.
    pub sightings: Vec<ContextSighting>,
}

/// A context.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextRow {
    pub id: String,
    pub principal: String,
    /// Now: `active`, `idle`, `archived` or `expired`.
    pub state: &'static str,
    /// What its name tells, where it has a prefix that is in use.
    pub purpose: Option<&'static str>,
    /// `interactive`, `async` or `human_in_the_loop`.
    pub ttl: &'static str,
    /// Seconds without anything happening after which it ends. Absent where there is no clock.
    pub ttl_seconds: Option<u32>,
    /// Epoch milliseconds.
    pub created_ms: i64,
    pub updated_ms: i64,
    /// When it expires if nothing else happens. Absent: not by the clock, or not while a task is open.
    pub expires_ms: Option<i64>,
    /// Messages that are kept, the summary included, and how many there ever were.
    pub messages: u64,
    pub messages_ever: u64,
    pub size: ContextSize,
    pub active_tasks: Vec<String>,
    /// How many ever ended.
    pub completed_tasks: u64,
    /// The ways by which requests came in, by the time each was first used.
    pub doors: Vec<DoorRow>,
    /// The session of the store in which its agents answer.
    pub session: Option<String>,
}

/// What takes the room, in bytes.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextSize {
    /// The working state as compact JSON.
    pub working_state: usize,
    /// Messages, the summary included.
    pub messages: usize,
    /// Values that were put away, all versions.
    pub artifacts: usize,
}

/// A door that was used.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoorRow {
    /// `mcp`, `a2a` or `http`.
    pub door: &'static str,
    pub requests: u64,
    pub first_ms: i64,
    pub last_ms: i64,
}

/// A context that expired.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedRow {
    pub id: String,
    pub principal: String,
    pub expired_ms: i64,
    pub archived_ms: i64,
    /// False where nothing was ever said, remembered or done in it.
    pub kept: bool,
}

/// The document of `strata contexts show`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextReport {
    pub version: u32,
    pub database: String,
    /// Null for one that only stored sessions name.
    pub context: Option<ContextRow>,
    /// Epoch milliseconds, of one that expired.
    pub expired_ms: Option<i64>,
    pub working_state: Object,
    /// Null where `context` is.
    pub retention: Option<Retention>,
    /// What went of its messages, and what later answers used of it; null where nothing went.
    pub retention_loss: Option<RetentionLoss>,
    /// What nobody can go on with when it expires, in a sentence.
    pub expiry_loss: Option<String>,
    /// The summary is the first.
    pub messages: Vec<MessageRow>,
    /// In the order in which they began.
    pub tasks: Vec<TaskRow>,
    pub artifacts: Vec<ArtifactRow>,
    /// Where stored sessions name it.
    pub seen: Option<SeenRow>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageRow {
    /// Place among all that was ever said, from 0.
    pub number: u64,
    pub at_ms: i64,
    /// `user`, `assistant`, or `system` for a summary.
    pub role: &'static str,
    pub content: String,
    pub bytes: u64,
    pub door: Option<&'static str>,
    pub task: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskRow {
    pub id: String,
    pub operation: String,
    /// `working`, `input_required`, `completed`, `failed` or `canceled`.
    pub status: &'static str,
    pub created_ms: i64,
    pub updated_ms: i64,
    pub parent: Option<String>,
    pub waits_for: Vec<String>,
    /// The keys of the working state that it began with.
    pub inherited: Vec<String>,
    /// What it changed; null takes a key away.
    pub changes: Object,
    /// What of its changes was not taken, because others had changed the same key meanwhile.
    pub conflicts: Vec<ConflictRow>,
    /// What came of it, or what a person is asked.
    pub told: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConflictRow {
    pub key: String,
    pub inherited: Json,
    pub kept: Json,
    pub refused: Json,
}

/// A value that the working state had no room for.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactRow {
    pub name: String,
    /// From 0.
    pub version: u32,
    pub bytes: usize,
    /// The working state has a handle of this version.
    pub current: bool,
}

/// The document of `strata contexts cleanup` and `strata contexts expire`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanupReport {
    pub version: u32,
    pub database: String,
    pub changed: Vec<CleanedRow>,
}

/// What became of a context.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanedRow {
    pub id: String,
    pub principal: String,
    /// `idle`, `archived` (and deleted), or `deleted` where there was nothing to archive.
    pub became: &'static str,
    pub expired_ms: Option<i64>,
}

/// Why somebody wants a store that is there.
const USE: &str = "`strata serve APP` has clients begin contexts in it";

fn id(text: &str) -> Result<ContextId, AppError> {
    ContextId::parse(text).map_err(|error| AppError::bad_input(format!("`{text}` is no context: {error}.")))
}

fn missing(id: &ContextId) -> AppError {
    AppError::not_found(format!("There is no context {id}. `strata contexts list` lists them."))
}

/// All contexts, as they are at a time.
pub fn contexts(database: Option<&Path>, now: Millis) -> Result<ContextsReport, AppError> {
    let database = existing(database, USE)?;
    let store = open_for_reading(&database)?;
    let archived: Vec<ArchivedRow> = store.archived_contexts()?.iter().map(ArchivedRow::from).collect();
    let contexts: Vec<ContextRow> =
        store.contexts()?.iter().map(|entry| ContextRow::new(entry, now)).collect();
    let served: HashSet<&str> =
        contexts.iter().map(|row| &*row.id).chain(archived.iter().map(|row| &*row.id)).collect();
    let mut seen = seen_rows(&store)?;
    seen.retain(|row| !served.contains(&*row.id));
    Ok(ContextsReport {
        version: VERSION,
        database: database.display().to_string(),
        contexts,
        archived,
        seen,
    })
}

/// Contexts that the events of stored sessions name, the latest named first.
fn seen_rows(store: &Store) -> Result<Vec<SeenRow>, AppError> {
    let mut rows: Vec<SeenRow> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for session in store.sessions("", 0..u32::MAX)?.entries {
        let mut sightings = Sightings::default();
        store.for_each_event_with(&session.id, &SIGNS, |at, event| sightings.add(at, &event, None))?;
        for seen in sightings.into_contexts() {
            let place = *places.entry(seen.id.clone()).or_insert_with(|| {
                let (id, doors, sessions) = (seen.id.clone(), Vec::new(), Vec::new());
                let (first_ms, last_ms) = (seen.first_ms, seen.last_ms);
                rows.push(SeenRow { id, doors, times: 0, first_ms, last_ms, sessions });
                rows.len() - 1
            });
            let row = &mut rows[place];
            row.times += seen.times;
            row.first_ms = row.first_ms.min(seen.first_ms);
            row.last_ms = row.last_ms.max(seen.last_ms);
            let new = seen.doors.into_iter().filter(|door| !row.doors.contains(door));
            let new: Vec<String> = new.collect();
            row.doors.extend(new);
            let (session, title) = (session.id.to_string(), session.title.clone());
            row.sessions.push(SeenIn { session, title, sightings: seen.sightings });
        }
    }
    rows.sort_by(|one, other| other.last_ms.total_cmp(&one.last_ms).then_with(|| one.id.cmp(&other.id)));
    Ok(rows)
}

/// One context, archived or not, or one that stored sessions name.
pub fn context(database: Option<&Path>, name: &str, now: Millis) -> Result<ContextReport, AppError> {
    let database = existing(database, USE)?;
    let store = open_for_reading(&database)?;
    let seen = || -> Result<Option<SeenRow>, AppError> {
        Ok(seen_rows(&store)?.into_iter().find(|row| row.id == name))
    };
    let named = match id(name) {
        Ok(named) => named,
        // Others may call theirs otherwise.
        Err(error) => return seen()?.map(|seen| only_seen(&database, seen)).ok_or(error),
    };
    let tasks = store.context_tasks(&named)?;
    if let Some(Held { context, .. }) = store.context(&named)? {
        let loss = retention_loss(&store, &context)?;
        let report = shown(&database, &context, None, &tasks, now);
        return Ok(ContextReport { retention_loss: loss, seen: seen()?, ..report });
    }
    let Some(archived) = store.archived_context(&named)? else {
        return seen()?.map(|seen| only_seen(&database, seen)).ok_or_else(|| missing(&named));
    };
    let Some(context) = archived.context else {
        return Err(AppError::not_found(format!(
            "Context {named} has expired, and nothing was ever said, remembered or done in it."
        )));
    };
    let loss = retention_loss(&store, &context)?;
    let report = shown(&database, &context, Some(archived.expired_at), &tasks, now);
    Ok(ContextReport { retention_loss: loss, seen: seen()?, ..report })
}

fn only_seen(database: &Path, seen: SeenRow) -> ContextReport {
    ContextReport {
        version: VERSION,
        database: database.display().to_string(),
        context: None,
        expired_ms: None,
        working_state: Object::new(),
        retention: None,
        retention_loss: None,
        expiry_loss: None,
        messages: Vec::new(),
        tasks: Vec::new(),
        artifacts: Vec::new(),
        seen: Some(seen),
    }
}

/// Marks what is idle, and archives and deletes what expired.
pub fn clean_contexts(database: Option<&Path>, now: Millis) -> Result<CleanupReport, AppError> {
    let database = existing(database, USE)?;
    let mut store = Store::open(&database)?;
    end_left_tasks(&mut store, &database, &ExtractiveMessages::default(), now)?;
    let changed = store.clean_contexts(now)?;
    Ok(cleaned(&database, &changed))
}

/// Ends a context before its time.
pub fn expire_context(database: Option<&Path>, name: &str, now: Millis) -> Result<CleanupReport, AppError> {
    let (database, id) = (existing(database, USE)?, id(name)?);
    let mut store = Store::open(&database)?;
    let Some(ended) = store.expire_context(&id, now)? else {
        return Err(match store.archived_context(&id)? {
            Some(archived) => AppError::bad_input(format!(
                "Context {id} has expired already, at {} (UTC). Nothing was changed.",
                utc_minute(archived.expired_at.0)
            )),
            None => missing(&id),
        });
    };
    Ok(cleaned(&database, &[ended]))
}

fn cleaned(database: &Path, changed: &[Cleaned]) -> CleanupReport {
    let row = |one: &Cleaned| {
        let (became, expired) = match one.fate {
            Fate::Stays => ("unchanged", None),
            Fate::Idle => ("idle", None),
            Fate::ArchivedAndGone { at } => ("archived", Some(at.0)),
            Fate::Gone { at } => ("deleted", Some(at.0)),
        };
        let (id, principal) = (one.id.to_string(), one.principal.to_string());
        CleanedRow { id, principal, became, expired_ms: expired }
    };
    let changed = changed.iter().map(row).collect();
    CleanupReport { version: VERSION, database: database.display().to_string(), changed }
}

fn shown(
    database: &Path,
    context: &Context,
    expired_at: Option<Millis>,
    tasks: &[Task],
    now: Millis,
) -> ContextReport {
    let entry = ContextEntry {
        n_messages_kept: context.messages.len() as u64,
        message_bytes: context.message_bytes() as u64,
        context: context.clone(),
    };
    // One that no cleanup has found yet has expired all the same.
    let has_expired = state_at(context, now) == ContextState::Expired;
    let expired_ms = expired_at.or_else(|| expires_at(context).filter(|_| has_expired));
    ContextReport {
        version: VERSION,
        database: database.display().to_string(),
        context: Some(ContextRow::new(&entry, now)),
        expired_ms: expired_ms.map(|at| at.0),
        working_state: context.working_state.clone(),
        retention: Some(context.message_retention),
        retention_loss: None,
        expiry_loss: Some(expiry_loss(context, has_expired || expired_at.is_some())),
        messages: context.messages.iter().map(MessageRow::from).collect(),
        tasks: tasks.iter().map(TaskRow::from).collect(),
        artifacts: context.artifacts.iter().map(|artifact| ArtifactRow::new(artifact, context)).collect(),
        seen: None,
    }
}

impl ContextRow {
    fn new(entry: &ContextEntry, now: Millis) -> Self {
        let context = &entry.context;
        Self {
            id: context.context_id.to_string(),
            principal: context.principal_id.to_string(),
            state: state_at(context, now).name(),
            purpose: match naming(&context.context_id) {
                Naming::Known(purpose) => Some(purpose),
                Naming::Own | Naming::Silent => None,
            },
            ttl: context.ttl.class(),
            ttl_seconds: context.ttl.seconds(),
            created_ms: context.created_at.0,
            updated_ms: context.updated_at.0,
            expires_ms: expires_at(context).map(|at| at.0),
            messages: entry.n_messages_kept,
            messages_ever: context.n_messages,
            size: ContextSize {
                working_state: json::object_compact_len(&context.working_state),
                messages: entry.message_bytes as usize,
                artifacts: context.artifacts.iter().map(|artifact| artifact.bytes as usize).sum(),
            },
            active_tasks: context.active_tasks.iter().map(ToString::to_string).collect(),
            completed_tasks: context.n_completed,
            doors: context.doors.iter().map(DoorRow::from).collect(),
            session: context.session.as_deref().map(str::to_owned),
        }
    }
}

impl From<&DoorUse> for DoorRow {
    fn from(door: &DoorUse) -> Self {
        let (first_ms, last_ms) = (door.first_at.0, door.last_at.0);
        Self { door: door.door.name(), requests: door.n_requests, first_ms, last_ms }
    }
}

impl From<&ArchivedContext> for ArchivedRow {
    fn from(archived: &ArchivedContext) -> Self {
        Self {
            id: archived.id.to_string(),
            principal: archived.principal.to_string(),
            expired_ms: archived.expired_at.0,
            archived_ms: archived.archived_at.0,
            kept: archived.context.is_some(),
        }
    }
}

impl From<&Message> for MessageRow {
    fn from(message: &Message) -> Self {
        Self {
            number: message.number,
            at_ms: message.at.0,
            role: message.role.name(),
            content: message.content.to_string(),
            bytes: message.bytes() as u64,
            door: message.door.map(strata_context::Door::name),
            task: message.task.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&Task> for TaskRow {
    fn from(task: &Task) -> Self {
        let conflict = |conflict: &strata_context::Conflict| ConflictRow {
            key: conflict.key.to_string(),
            inherited: conflict.inherited.clone(),
            kept: conflict.kept.clone(),
            refused: conflict.refused.clone(),
        };
        Self {
            id: task.task_id.to_string(),
            operation: task.operation.to_string(),
            status: task.status.name(),
            created_ms: task.created_at.0,
            updated_ms: task.updated_at.0,
            parent: task.parent.as_ref().map(ToString::to_string),
            waits_for: task.waits_for.iter().map(ToString::to_string).collect(),
            inherited: task.inherited_state.keys().map(ToString::to_string).collect(),
            changes: task.changes.clone(),
            conflicts: task.conflicts.iter().map(conflict).collect(),
            told: task.told.as_deref().map(str::to_owned),
        }
    }
}

impl ArtifactRow {
    fn new(artifact: &ContextArtifact, context: &Context) -> Self {
        let handle = context.working_state.get(&artifact.name).and_then(strata_context::handle_of);
        Self {
            name: artifact.name.clone(),
            version: artifact.version,
            bytes: artifact.bytes as usize,
            current: handle == Some((artifact.name.as_str(), artifact.version)),
        }
    }
}
