//! Files that are stored while they grow, beside something that goes on.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread::{self, JoinHandle};

use tokio_util::sync::CancellationToken;

use super::follow::follow;
use crate::watch::Unseen;

/// Follows files until it is ended.
pub(super) struct Meanwhile {
    stop: CancellationToken,
    follower: JoinHandle<()>,
}

impl Meanwhile {
    /// What cannot be stored while it grows is to be told when it is stored at the end.
    pub(super) fn follow(paths: Vec<PathBuf>, database: PathBuf) -> Self {
        let stop = CancellationToken::new();
        let watch = Unseen(stop.clone());
        let follower = thread::spawn(move || {
            drop(follow(&paths, Some(&database), &watch, |_| ControlFlow::Continue(())));
        });
        Self { stop, follower }
    }

    /// A follower that failed left nothing that is not read at the end.
    pub(super) fn end(self) {
        self.stop.cancel();
        let _ = self.follower.join();
    }
}
