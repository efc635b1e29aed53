//! Sessions of all files together, each call once.

use std::path::PathBuf;

use super::file::{Content, Examined, HomeFile};
use crate::usage::{CountedOnce, Roots, UsedSession, count_once};

/// What was read so far.
#[derive(Debug)]
pub(crate) struct Joined {
    pub sessions: Vec<UsedSession>,
    /// The file of each.
    pub files: Vec<usize>,
    pub once: CountedOnce,
    /// The session that each works for.
    roots: Vec<usize>,
    /// Calls of each that count.
    n_counted: Vec<usize>,
    examined: Vec<Option<Examined>>,
    /// Path, time and problem of each file.
    pub of_files: Vec<FileFacts>,
}

#[derive(Debug)]
pub(crate) struct FileFacts {
    pub path: PathBuf,
    pub tool: Option<String>,
    pub modified_ms: Option<i64>,
    pub problem: Option<String>,
    /// Why nothing of it is known.
    pub unread: Option<String>,
}

impl Joined {
    /// Files with the tools of their places, in the order in which they are added up.
    pub(crate) fn of<'f>(files: impl Iterator<Item = (&'f HomeFile, Option<&'f str>)>) -> Self {
        let (mut sessions, mut of_sessions, mut examined, mut of_files) = (vec![], vec![], vec![], vec![]);
        for (file, tool) in files {
            for (at, session) in file.sessions().iter().enumerate() {
                sessions.push(session.clone());
                of_sessions.push(of_files.len());
                examined.push(file.examined.as_ref().and_then(|all| all.get(at).cloned()));
            }
            of_files.push(FileFacts {
                path: file.path.clone(),
                tool: tool.map(str::to_owned),
                modified_ms: file.stamp.modified_ms,
                problem: file.problem.clone(),
                unread: match &file.content {
                    Content::Unread(reason) => Some(reason.clone()),
                    Content::Sessions(_) | Content::Nothing => None,
                },
            });
        }
        let once = count_once(&sessions);
        let roots = Roots::of(&sessions);
        let roots = (0..sessions.len()).map(|at| roots.of_session(at)).collect();
        let mut n_counted = vec![0; sessions.len()];
        for (at, _) in &once.calls {
            n_counted[*at] += 1;
        }
        Self { sessions, files: of_sessions, once, roots, n_counted, examined, of_files }
    }

    pub(crate) fn root(&self, at: usize) -> usize {
        self.roots[at]
    }

    pub(crate) fn limit(&self, at: usize) -> Option<u64> {
        self.examined[at].as_ref()?.limit
    }

    /// What was found in sessions, without those that only repeat what others say.
    pub(crate) fn examined(&self) -> impl Iterator<Item = (usize, &Examined)> {
        let is_copy = |at: usize| self.n_counted[at] * 2 < self.sessions[at].calls.len();
        let all = self.examined.iter().enumerate();
        all.filter(move |(at, _)| !is_copy(*at)).filter_map(|(at, found)| Some((at, found.as_ref()?)))
    }
}
