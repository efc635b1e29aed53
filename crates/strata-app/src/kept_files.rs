//! Files that agents saved, as they stand in the store.

use std::sync::Arc;

use strata_engine::Artifact;
use strata_model::{Decoder, FromJson as _, Part, Session, StoredArtifact, StoredVersion, json};
use strata_store::{ArtifactHome, ArtifactVersion, Store, StoreError};

/// What begins the location of a session that Strata ran: its files are in the store.
pub(crate) const OF_A_RUN: &str = "run:";

/// The versions that a session can see: its own, and its user's.
pub(crate) fn versions(
    store: &Store,
    (app, user, session): (&str, &str, &str),
) -> Result<Vec<ArtifactVersion>, StoreError> {
    let home = ArtifactHome { app, user, session: Some(session) };
    let mut versions = store.artifacts_of(home)?;
    versions.extend(store.artifacts_of(ArtifactHome { session: None, ..home })?);
    Ok(versions)
}

/// Files with what is in them; `versions` stand name by name.
pub(crate) fn read_artifacts(
    store: &Store,
    versions: &[ArtifactVersion],
) -> Result<Vec<Artifact>, StoreError> {
    let files = read_files(store, versions)?.into_iter();
    let part = |stored: Option<StoredVersion>| stored.map(|stored| stored.part);
    Ok(files
        .map(|file| Artifact { name: file.name, versions: file.versions.into_iter().map(part).collect() })
        .collect())
}

/// The files of a session, with when each version was saved.
pub(crate) fn stored_files(store: &Store, session: &Session) -> Result<Vec<StoredArtifact>, StoreError> {
    read_files(store, &versions(store, (&session.app_name, &session.user_id, &session.id))?)
}

fn read_files(store: &Store, versions: &[ArtifactVersion]) -> Result<Vec<StoredArtifact>, StoreError> {
    let mut files: Vec<StoredArtifact> = Vec::new();
    for version in versions {
        let part = version.hash.as_deref().map(|hash| read_part(store, hash)).transpose()?.flatten();
        let saved_at = Some(version.saved_at_ms as f64 / 1000.0);
        let stored = part.map(|part| StoredVersion { saved_at, part });
        match files.last_mut().filter(|last| *last.name == *version.name) {
            Some(file) => file.versions.push(stored),
            None => files.push(StoredArtifact { name: version.name.as_str().into(), versions: vec![stored] }),
        }
    }
    Ok(files)
}

/// What a version holds.
pub(crate) fn read_part(store: &Store, hash: &str) -> Result<Option<Arc<Part>>, StoreError> {
    let json = store.artifact_part(hash)?.and_then(|text| json::parse(text.as_bytes()).ok());
    Ok(json.and_then(|json| Part::from_json(json, &mut Decoder::new()).ok()).map(Arc::new))
}

/// Bytes of what a part holds, decoded.
pub(crate) fn part_bytes(part: &Part) -> usize {
    let data = part.inline_data.as_ref().and_then(|blob| blob.data.as_ref());
    data.map_or(0, |data| data.size_bytes()) + part.text.as_ref().map_or(0, |text| text.len())
}
