//! A place where sessions are, and how it is looked at.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Entries looked at in one place, at most. A place with more says so.
const MOST_ENTRIES: usize = 20_000;

/// What decides where tools put their files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    pub home: PathBuf,
    /// The present folder; `None` where it says nothing, as for a window that was started from a menu.
    pub here: Option<PathBuf>,
    pub variables: BTreeMap<String, OsString>,
}

impl Environment {
    /// Those of this process.
    pub(crate) fn present() -> Self {
        let home = dirs::home_dir().unwrap_or_default();
        let here = std::env::current_dir().ok().filter(|here| here.parent().is_some() && *here != home);
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self { home, here, variables: variables.collect() }
    }

    /// The folder a variable names, or the usual one below home.
    pub(super) fn folder(&self, variable: &str, usual: &str) -> PathBuf {
        let given = self.variables.get(variable).filter(|value| !value.is_empty());
        given.map_or_else(|| self.home.join(usual), PathBuf::from)
    }
}

/// A folder or a database with sessions in it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The tool that writes it.
    pub tool: &'static str,
    pub path: PathBuf,
    /// Tells which of the files below it are sessions, or lists of them, by their paths below it.
    pub is_session: fn(&Path) -> bool,
    /// How many there are.
    pub n_files: u32,
    /// There are more, which were not counted.
    pub is_capped: bool,
    /// Of these files.
    pub bytes: u64,
    /// Epoch milliseconds of the file that was written last.
    pub newest_ms: Option<i64>,
}

impl Place {
    /// The tool as people call it: "Codex CLI, archived" is Codex CLI.
    pub(crate) fn tool_name(&self) -> &'static str {
        self.tool.split(',').next().unwrap_or(self.tool)
    }
}

/// Counts the files below `root` that `is_session` says are sessions, by their paths below it.
pub(super) fn look(tool: &'static str, root: &Path, is_session: fn(&Path) -> bool) -> Option<Place> {
    let mut place = Place {
        tool,
        path: root.to_owned(),
        is_session,
        n_files: 0,
        is_capped: false,
        bytes: 0,
        newest_ms: None,
    };
    if root.is_file() {
        place.add(root);
        return Some(place);
    }
    let mut n_entries = 0;
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            n_entries += 1;
            if n_entries > MOST_ENTRIES {
                place.is_capped = true;
                return Some(place);
            }
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() && path.strip_prefix(root).is_ok_and(is_session) => {
                    place.add(&path);
                }
                _ => {}
            }
        }
    }
    (place.n_files > 0).then_some(place)
}

impl Place {
    fn add(&mut self, file: &Path) {
        self.n_files += 1;
        let Ok(metadata) = file.metadata() else { return };
        self.bytes += metadata.len();
        self.newest_ms = self.newest_ms.max(modified_ms(&metadata));
    }
}

fn modified_ms(file: &Metadata) -> Option<i64> {
    let modified = file.modified().ok()?;
    Some(modified.duration_since(UNIX_EPOCH).ok()?.as_millis() as i64)
}
