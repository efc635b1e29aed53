//! Files of a folder that hold no session, by what they are instead.

use std::collections::BTreeMap;

/// Names that are told of files of one kind.
const MAX_NAMES: usize = 3;

/// A file in which there is no session.
#[derive(Debug, Clone)]
pub(crate) struct LeftOutFile {
    /// As a person knows it: its path, or its place in an archive.
    pub path: String,
    /// What it is instead.
    pub reason: String,
}

/// "7 are an image (PNG): a.png, b.png and 5 more; 2 are plain text: c.md, d.md", the largest group first.
pub(super) fn in_words(files: &[LeftOutFile]) -> String {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        // Keys of unknown JSON differ from file to file.
        let reason = file.reason.split(", with the keys").next().unwrap_or_default();
        let name = file.path.rsplit(['/', '\\']).next().unwrap_or_default();
        groups.entry(reason).or_default().push(name);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let told = groups.into_iter().map(|(reason, names)| {
        let n_more = names.len().saturating_sub(MAX_NAMES);
        let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
        let verb = if names.len() == 1 { "is" } else { "are" };
        let shown = names[..names.len() - n_more].join(", ");
        format!("{} {verb} {reason}: {shown}{more}", names.len())
    });
    told.collect::<Vec<_>>().join("; ")
}
