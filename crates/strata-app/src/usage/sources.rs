//! Which files are read: those of all places where agents leave sessions, or those that were named.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use super::reading::UnreadFile;
use crate::import::SessionFiles;
use crate::places::{Environment, Place, recording_places};

/// A place, or a path that was named.
#[derive(Debug)]
pub(crate) struct Source {
    pub tool: Option<String>,
    pub path: PathBuf,
}

/// What is to be read.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub all: Vec<Source>,
    pub files: Vec<UnreadFile>,
    /// Sources that have a file which is read for one before them: the number of the source, and of the file.
    pub repeats: Vec<(usize, usize)>,
    /// Folders that cannot be looked into, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl Sources {
    pub(crate) fn of_places(environment: &Environment) -> Self {
        Self::of(recording_places(environment), &[])
    }

    /// Places of tools, and paths that were named.
    pub(crate) fn of(mut places: Vec<Place>, paths: &[PathBuf]) -> Self {
        let mut sources = Self::default();
        let mut seen = HashMap::new();
        // Sums of prices depend on the order in their last digit.
        places.sort_by(|a, b| a.path.cmp(&b.path));
        for place in places {
            let (tool, is_session) = (place.tool_name().to_owned(), place.is_session);
            sources.add(Source { tool: Some(tool), path: place.path }, is_session, &mut seen);
        }
        for path in paths {
            sources.add(Source { tool: None, path: path.clone() }, |_| true, &mut seen);
        }
        sources
    }

    /// A file that several sources have is read once.
    fn add(
        &mut self,
        source: Source,
        is_session: impl Fn(&Path) -> bool,
        seen: &mut HashMap<PathBuf, usize>,
    ) {
        let SessionFiles { files, unreadable } = SessionFiles::at(&source.path, is_session);
        let place = self.all.len();
        for file in files {
            let path = file.path();
            match seen.entry(path.canonicalize().unwrap_or_else(|_| path.to_owned())) {
                Entry::Occupied(known) => self.repeats.push((place, *known.get())),
                Entry::Vacant(new) => {
                    new.insert(self.files.len());
                    self.files.push(UnreadFile { file, place, tool: source.tool.clone() });
                }
            }
        }
        self.unreadable.extend(unreadable);
        self.all.push(source);
    }
}
