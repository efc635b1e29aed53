//! What is in a folder, and what of it is read together.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use strata_import::folder_sessions;
use tempfile::NamedTempFile;
use tokio_util::sync::CancellationToken;

use super::input::Input;
use super::members::{FileKind, Member};
use super::stamp::Stamp;
use crate::watch::Watch;

/// Watches a file of a folder: the folder counts files, so what is done of one is not told.
pub(super) struct MemberWatch<'w>(pub &'w dyn Watch);

impl Watch for MemberWatch<'_> {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        self.0.stop()
    }
}

/// Something in a folder or an archive that is read as one.
#[derive(Debug)]
pub(super) struct Item {
    /// As what it is known.
    pub input: Input,
    /// The files that are read one after the other: a conversation, or all conversations of a tool. Empty for a file.
    pub together: Vec<PathBuf>,
    /// Their names, where the first of them names the others.
    pub names: Vec<String>,
}

impl Item {
    /// A file that cannot be opened has to be named.
    pub(super) fn holds(&self) -> FileKind {
        match self.together.first() {
            None => FileKind::of(&self.input.path),
            // Files that are read together are never left out.
            Some(first) if FileKind::of(first) == FileKind::Trace => FileKind::Trace,
            Some(_) => FileKind::Session,
        }
    }

    pub(super) fn stamp(&self) -> Stamp {
        if self.together.is_empty() { Stamp::of(&self.input.path) } else { Stamp::of_all(&self.together) }
    }
}

/// Files listed of a folder, at most: a home folder has fewer.
const MAX_LISTED: usize = 1_000_000;

/// Files below a folder.
#[derive(Debug, Default)]
pub(super) struct FolderListing {
    /// By path; those that links lead to come last.
    pub members: Vec<Member>,
    /// There are more.
    pub is_cut: bool,
    /// Folders that cannot be read, and why.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

/// All files below a folder. What a link leads to is listed once, wherever it lies and however many lead to it.
pub(super) fn files_below(folder: &Path) -> FolderListing {
    let mut listed = FolderListing::default();
    let mut seen = HashSet::new();
    let (mut folders, mut links, mut linked_files) = (vec![folder.to_owned()], VecDeque::new(), Vec::new());
    while let Some(current) = folders.pop().or_else(|| links.pop_front()) {
        if !is_new(&current, &mut seen) {
            continue;
        }
        let mut entries: Vec<_> = match std::fs::read_dir(&current) {
            Ok(entries) => entries.filter_map(Result::ok).collect(),
            Err(error) => {
                listed.unreadable.push((current, error));
                continue;
            }
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() => listed.push(folder, path),
                Ok(kind) if kind.is_symlink() && path.is_dir() => links.push_back(path),
                Ok(kind) if kind.is_symlink() && path.is_file() => linked_files.push(path),
                _ => {}
            }
        }
    }
    // A link into a folder that was listed leads to a file that is there already.
    for link in linked_files {
        let Ok(target) = link.canonicalize() else { continue };
        if !target.parent().is_some_and(|parent| seen.contains(parent)) && seen.insert(target) {
            listed.push(folder, link);
        }
    }
    listed
}

/// Whether a folder was not looked into yet, by whatever name.
fn is_new(folder: &Path, seen: &mut HashSet<PathBuf>) -> bool {
    seen.insert(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()))
}

impl FolderListing {
    fn push(&mut self, folder: &Path, path: PathBuf) {
        if self.members.len() == MAX_LISTED {
            self.is_cut = true;
            return;
        }
        self.members.push(Member { name: below(folder, &path), path, location: None });
    }
}

/// The folder whose bodies an index names, which are read with it: the index alone says nothing of what was sent.
pub(super) fn folder_of_index(path: &Path) -> Option<PathBuf> {
    if path.file_name()? != "index.jsonl" || !path.is_file() {
        return None;
    }
    // A name alone has an empty folder before it.
    let folder = match path.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let mut entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    entries
        .any(|entry| entry.file_name().to_string_lossy().ends_with(".request.json"))
        .then(|| folder.to_owned())
}

fn below(folder: &Path, path: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    path.components().map(|name| name.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The files of a folder or an archive, and conversations that are kept in many of them.
pub(super) fn items_of(input: &Input, members: &[Member]) -> Vec<Item> {
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    let is_archive = members.iter().any(|member| member.location.is_some());
    let name_of = |at: &usize| names[*at].rsplit('/').next().unwrap_or_default().to_owned();
    let names_of = |files: &[usize]| files.iter().map(name_of).collect();
    let mut taken = HashSet::new();
    let mut items = Vec::new();
    for session in folder_sessions(&names) {
        let path = if is_archive { input.path.clone() } else { input.path.join(&session.root) };
        let location = match (session.root.is_empty(), is_archive) {
            (true, _) => input.location(),
            (false, true) => format!("{}!/{}", input.location(), session.root),
            (false, false) => Input::of(path.clone()).location(),
        };
        items.push(Item {
            input: Input::known_as(path, location),
            together: session.files.iter().map(|at| members[*at].path.clone()).collect(),
            names: if session.is_named { names_of(&session.files) } else { Vec::new() },
        });
        taken.extend(session.files);
    }
    let alone = members.iter().enumerate().filter(|(at, _)| !taken.contains(at));
    items.extend(alone.map(|(_, member)| Item {
        input: Input { path: member.path.clone(), location: member.location.clone(), server: None },
        together: Vec::new(),
        names: Vec::new(),
    }));
    items
}

/// The files of an item one after the other, as one file that goes when it is dropped. One that is no JSON where names
/// stand with files is as good as not there: it may still be written.
pub(super) fn joined(item: &Item) -> io::Result<NamedTempFile> {
    let mut whole = NamedTempFile::new()?;
    for (at, path) in item.together.iter().enumerate() {
        let Some(name) = item.names.get(at).filter(|_| at > 0) else {
            io::copy(&mut File::open(path)?, whole.as_file_mut())?;
            whole.write_all(b"\n")?;
            continue;
        };
        let body = std::fs::read(path)?;
        if serde_json::from_slice::<serde::de::IgnoredAny>(&body).is_ok() {
            write!(whole, "{{\"file\":{},\"content\":", serde_json::json!(name))?;
            whole.write_all(&body)?;
            whole.write_all(b"}\n")?;
        }
    }
    whole.flush()?;
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        let listed = files_below(&gone);
        assert_eq!(listed.members.len(), 0);
        let told: Vec<_> = listed.unreadable.iter().map(|(path, error)| (&**path, error.kind())).collect();
        assert_eq!(told, [(&*gone, io::ErrorKind::NotFound)]);
    }
}
