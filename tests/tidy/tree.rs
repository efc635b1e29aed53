//! The files of the repository, without what git ignores.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// A text file.
pub(crate) struct SourceFile {
    /// From the repository's root, with `/` between folders.
    pub path: String,
    pub text: String,
}

impl SourceFile {
    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit_once('/').map_or(&self.path, |(_, name)| name)
    }

    /// Lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(idx, line)| (idx + 1, line))
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("this test lies in the repository")
}

/// Every file that is text, in the order of their paths.
pub(crate) fn text_files() -> Vec<SourceFile> {
    let root = root();
    let is_own = |name: &str| name != ".git" && name != "node_modules";
    let walk = WalkBuilder::new(&root)
        .hidden(false)
        .require_git(false)
        .filter_entry(move |entry| entry.file_name().to_str().is_some_and(is_own))
        .build();
    let mut files: Vec<_> = walk
        .map(|entry| entry.expect("folders can be listed").into_path())
        .filter(|path| path.is_file())
        .filter_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            let relative = path.strip_prefix(&root).expect("the walk starts at the root");
            let path = relative
                .iter()
                .map(|folder| folder.to_str().expect("our paths are text"))
                .collect::<Vec<_>>()
                .join("/");
            Some(SourceFile { path, text })
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Recorded or generated data: its words and line ends are not ours.
pub(crate) fn is_data(path: &str) -> bool {
    const FOLDERS: [&str; 4] = [
        "tests/conformance/vectors/",
        "tests/conformance/golden/",
        "tests/conformance/runtime/",
        "tests/samples/",
    ];
    const ENDINGS: [&str; 6] = ["Cargo.lock", "package-lock.json", ".snap", ".patch", ".tsv", ".golden.txt"];
    FOLDERS.iter().any(|folder| path.starts_with(folder))
        || ["/samples/", "/assets/"].iter().any(|folder| path.contains(folder))
        || ENDINGS.iter().any(|ending| path.ends_with(ending))
}
