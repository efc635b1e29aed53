//! Files that agents saved: their versions, what loaded them into which prompts, and what they cost there.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_engine::Artifacts;
use strata_measure::analysis::CallRates;
use strata_model::{Gap, Origin, Part, StoredArtifact, Str};

use super::CompiledSession;
use super::carried::carried_by;
use crate::api::stores_kept::{ArtifactsPage, FileRow, FileVersion};
use crate::counted;
use crate::kept_files::part_bytes;

/// Stands for the list of all names that a tool puts into prompts.
const LIST: &str = "*";

/// All files, by name.
pub(crate) fn artifacts_page(of: CompiledSession<'_>, rates: &CallRates) -> ArtifactsPage {
    let stored = of.experiment.given_services().artifacts.as_deref();
    let seen = seen_versions(of);
    let calls = of.analysis.calls().len() as u32;
    let carried = carried_by(of, |piece| match &piece.origin {
        Origin::Artifact { name } => Some(name.clone()),
        _ => None,
    });
    let mut files: BTreeMap<Str, Vec<FileVersion>> = BTreeMap::new();
    for (at, event) in of.experiment.session().events.iter().enumerate() {
        for (name, version) in event.actions.artifact_delta.iter() {
            let number = version.as_i64().and_then(|version| u32::try_from(version).ok()).unwrap_or_default();
            let known = version_of(stored, name, number)
                .or_else(|| seen.get(&(name.clone(), number)).map(|part| &**part));
            files.entry(name.clone()).or_default().push(FileVersion {
                event: Some(at as u32 + 1),
                agent: event.author.to_string(),
                ..file_version(number, known)
            });
        }
    }
    // Of a user's other sessions, or of before the recording began.
    for file in stored.into_iter().flatten().filter(|file| !file.versions.is_empty()) {
        let versions = files.entry(file.name.clone()).or_default();
        for (number, version) in file.versions.iter().enumerate() {
            let part = version.as_ref().map(|version| &*version.part);
            if versions.iter().all(|known| known.version != number as u32) {
                versions.push(file_version(number as u32, part));
            }
        }
        versions.sort_by_key(|version| version.version);
    }
    // Of before the session, too: the app loaded them.
    for ((name, number), part) in &seen {
        let versions = files.entry(name.clone()).or_default();
        if versions.is_empty() {
            versions.push(file_version(*number, Some(part)));
        }
    }
    for name in carried.keys().filter(|name| ***name != *LIST) {
        files.entry(name.clone()).or_default();
    }
    let rows: Vec<FileRow> = files
        .into_iter()
        .map(|(name, versions)| FileRow {
            is_of_user: name.starts_with("user:"),
            carried: carried.get(&name).cloned().unwrap_or_default().shown(rates, calls),
            name: name.to_string(),
            versions,
        })
        .collect();
    let unknown = rows.iter().flat_map(|row| &row.versions).filter(|version| !version.is_known).count();
    ArtifactsPage {
        total: rows.len() as u32,
        list: carried.get(LIST).map(|list| list.shown(rates, calls)),
        never_loaded: rows.iter().filter(|row| row.carried.calls == 0).count() as u32,
        gap: gap(of, rows.is_empty(), unknown),
        rows,
    }
}

/// What was in files that a recorded app saved or loaded before its calls, by name and version.
fn seen_versions(of: CompiledSession<'_>) -> BTreeMap<(Str, u32), Arc<Part>> {
    let mut seen = BTreeMap::new();
    let mut last: Option<&Arc<Artifacts>> = None;
    for call in of.experiment.calls() {
        let context = of.experiment.context(call).filter(|context| context.recorded.is_some());
        let Some(artifacts) = context.and_then(|context| context.services.artifacts.as_ref()) else {
            continue;
        };
        // Most calls find the files as the call before them did.
        if last.is_some_and(|last| Arc::ptr_eq(last, artifacts)) {
            continue;
        }
        last = Some(artifacts);
        for file in artifacts.list() {
            for (number, part) in file.versions.iter().enumerate() {
                if let Some(part) = part {
                    seen.insert((file.name.clone(), number as u32), part.clone());
                }
            }
        }
    }
    seen
}

/// A version that no event of the session saved.
fn file_version(version: u32, part: Option<&Part>) -> FileVersion {
    FileVersion {
        version,
        event: None,
        agent: String::new(),
        bytes: part.map(|part| part_bytes(part) as f64),
        mime_type: part.and_then(|part| part.inline_data.as_ref()?.mime_type.as_deref().map(str::to_owned)),
        is_known: part.is_some(),
    }
}

fn version_of<'s>(stored: Option<&'s [StoredArtifact]>, name: &str, version: u32) -> Option<&'s Part> {
    let file = stored?.iter().find(|file| *file.name == *name)?;
    Some(&*file.versions.get(version as usize)?.as_ref()?.part)
}

fn gap(of: CompiledSession<'_>, is_empty: bool, unknown: usize) -> Option<String> {
    if !of.has_state() {
        return Some(
            "What this tool records holds no artifacts: it has no service that keeps files.".to_owned(),
        );
    }
    let files = (!is_empty && unknown > 0).then_some(
        "This recording tells that files were saved, and not what was in them: their sizes, and their words in prompts, \
         are known where a request was recorded. Give the session its files to see them.",
    );
    let calls = of.analysis.calls().iter().filter(|call| call.gaps.contains(&Gap::Artifacts)).count();
    let prompts = (calls > 0).then(|| {
        let prompts = counted(calls, "prompt");
        format!("What {prompts} held of files is not known, and in no number here.")
    });
    let said: Vec<String> = files.map(str::to_owned).into_iter().chain(prompts).collect();
    (!said.is_empty()).then(|| said.join(" "))
}
