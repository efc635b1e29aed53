//! `strata artifacts`: the files that agents of runs saved.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde::Serialize;
use strata_model::{Part, json};
use strata_store::{ArtifactHome, ArtifactVersion, Store};

use super::VERSION;
use super::learn::existing;
use super::source::open_for_reading;
use crate::error::AppError;
use crate::kept_files::read_part;

/// What sessions in a store are good for, here.
const USE: &str = "`strata run` stores what its agents save";

/// The document of `strata artifacts list`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactsReport {
    pub version: u32,
    /// The store.
    pub database: String,
    /// By app, user, session and name; oldest versions first.
    pub artifacts: Vec<SavedArtifact>,
    /// Bytes of what all versions hold; what several hold counts for each.
    pub bytes: u64,
    /// Bytes of what is different in them: what they hold stands once.
    pub distinct_bytes: u64,
}

/// A version of a file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedArtifact {
    pub app: String,
    pub user: String,
    /// ADK's id of the session; absent for files of the user in all sessions.
    pub session: Option<String>,
    pub name: String,
    /// Counted from 0.
    pub version: u32,
    /// SHA-256 of the part as JSON; absent for a version without content.
    pub hash: Option<String>,
    /// Absent for text.
    pub mime_type: Option<String>,
    /// Of what it holds, decoded.
    pub bytes: u64,
    /// Epoch milliseconds.
    pub saved_ms: i64,
}

/// The document of `strata artifacts show`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactReport {
    pub version: u32,
    pub database: String,
    pub artifact: SavedArtifact,
    /// All its versions, oldest first.
    pub versions: Vec<SavedArtifact>,
    /// What it holds, where that is text.
    pub text: Option<String>,
    /// What it holds; not in the document.
    #[serde(skip)]
    pub content: Vec<u8>,
}

/// The document of `strata artifacts remove`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RemovedArtifact {
    pub version: u32,
    pub database: String,
    pub name: String,
    /// How many versions it had.
    pub versions: u32,
}

/// Which files are meant.
#[derive(Debug, Clone, Default)]
pub struct ArtifactChoice {
    /// Only of this app, user and session.
    pub app: Option<String>,
    pub user: Option<String>,
    pub session: Option<String>,
}

/// The files in a store.
pub fn artifacts(database: Option<&Path>, choice: &ArtifactChoice) -> Result<ArtifactsReport, AppError> {
    let database = existing(database, USE)?;
    let mut all = open_for_reading(&database)?.artifacts()?;
    all.retain(|version| choice.has(version));
    let bytes = all.iter().map(|version| version.bytes).sum();
    let mut distinct: Vec<(&Option<String>, u64)> =
        all.iter().map(|version| (&version.hash, version.bytes)).collect();
    distinct.sort_unstable();
    distinct.dedup_by_key(|(hash, _)| *hash);
    let distinct_bytes = distinct.iter().map(|(_, bytes)| bytes).sum();
    let artifacts = all.iter().map(SavedArtifact::from).collect();
    Ok(ArtifactsReport {
        version: VERSION,
        database: database.display().to_string(),
        artifacts,
        bytes,
        distinct_bytes,
    })
}

/// A version of a file, the last one if none is named.
pub fn artifact(
    database: Option<&Path>,
    name: &str,
    number: Option<u32>,
    choice: &ArtifactChoice,
) -> Result<ArtifactReport, AppError> {
    let database = existing(database, USE)?;
    let store = open_for_reading(&database)?;
    let versions = of_name(&store, name, choice)?;
    let chosen = match number {
        None => versions.last(),
        Some(number) => versions.iter().find(|version| version.version == number),
    };
    let chosen = chosen.ok_or_else(|| {
        let last = versions.last().map_or(0, |version| version.version);
        AppError::not_found(format!(
            "{name} has no version {}: the last one is {last}.",
            number.unwrap_or_default()
        ))
    })?;
    let part = chosen.hash.as_deref().map(|hash| read_part(&store, hash)).transpose()?.flatten();
    let (text, content) = part.as_deref().map(held).unwrap_or_default();
    Ok(ArtifactReport {
        version: VERSION,
        database: database.display().to_string(),
        artifact: chosen.into(),
        versions: versions.iter().map(SavedArtifact::from).collect(),
        text,
        content,
    })
}

/// Takes a file out, with all its versions.
pub fn remove_artifact(
    database: Option<&Path>,
    name: &str,
    choice: &ArtifactChoice,
) -> Result<RemovedArtifact, AppError> {
    let database = existing(database, USE)?;
    let mut store = Store::open(&database)?;
    let versions = of_name(&store, name, choice)?;
    let first = versions.first().ok_or_else(|| missing(name))?;
    let home = ArtifactHome { app: &first.app, user: &first.user, session: first.session.as_deref() };
    let n_versions = store.remove_artifact(home, name)?;
    let database = database.display().to_string();
    Ok(RemovedArtifact { version: VERSION, database, name: name.to_owned(), versions: n_versions })
}

/// The versions of the one file that has a name and is where it was said to be.
fn of_name(store: &Store, name: &str, choice: &ArtifactChoice) -> Result<Vec<ArtifactVersion>, AppError> {
    let mut found = store.artifacts()?;
    found.retain(|version| version.name == name && choice.has(version));
    let home =
        |version: &ArtifactVersion| (version.app.clone(), version.user.clone(), version.session.clone());
    let mut homes: Vec<_> = found.iter().map(home).collect();
    homes.dedup();
    match homes.len() {
        0 => Err(missing(name)),
        1 => Ok(found),
        _ => {
            let places = homes.iter().map(|(app, user, session)| match session {
                Some(session) => format!("{app}, {user}, session {session}"),
                None => format!("{app}, {user}"),
            });
            Err(AppError::bad_input(format!(
                "There are several files {name}. Say which one with --session, --user or --app: {}.",
                places.collect::<Vec<_>>().join("; ")
            )))
        }
    }
}

fn missing(name: &str) -> AppError {
    AppError::not_found(format!("No file {name} is stored there. `strata artifacts list` shows what is."))
}

/// What a part holds, as text where it is some, and as bytes.
fn held(part: &Part) -> (Option<String>, Vec<u8>) {
    if let Some(text) = &part.text {
        return (Some(text.to_string()), text.as_bytes().to_vec());
    }
    let data = part.inline_data.as_ref().and_then(|blob| blob.data.as_ref());
    let bytes = data.and_then(|data| URL_SAFE.decode(data.as_bytes()).ok());
    match bytes {
        Some(bytes) => (String::from_utf8(bytes.clone()).ok(), bytes),
        None => {
            let text = json::to_compact(&strata_model::FromJson::to_json(part));
            (Some(text.clone()), text.into_bytes())
        }
    }
}

impl ArtifactChoice {
    fn has(&self, version: &ArtifactVersion) -> bool {
        let fits = |asked: &Option<String>, is: &str| asked.as_deref().is_none_or(|asked| asked == is);
        fits(&self.app, &version.app)
            && fits(&self.user, &version.user)
            && self.session.as_ref().is_none_or(|asked| version.session.as_ref() == Some(asked))
    }
}

impl From<&ArtifactVersion> for SavedArtifact {
    fn from(version: &ArtifactVersion) -> Self {
        Self {
            app: version.app.clone(),
            user: version.user.clone(),
            session: version.session.clone(),
            name: version.name.clone(),
            version: version.version,
            hash: version.hash.clone(),
            mime_type: version.mime_type.clone(),
            bytes: version.bytes,
            saved_ms: version.saved_at_ms,
        }
    }
}
