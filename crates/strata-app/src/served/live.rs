//! Tasks that run in this process: who listens to them, and how they are stopped.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_context::TaskId;
use tokio::sync::broadcast::{self, Receiver, Sender};
use tokio_util::sync::CancellationToken;

use super::answer::Answer;

/// What listeners may be behind by.
const KEPT: usize = 256;

/// What is told of a task while it runs.
#[derive(Debug, Clone)]
pub(super) enum TaskNews {
    /// An agent has said something.
    Said(String),
    /// It ended, or waits.
    Ended(Answer),
}

/// A task that runs.
#[derive(Clone)]
pub(super) struct LiveTask {
    pub stop: CancellationToken,
    pub news: Sender<TaskNews>,
}

/// The tasks that run, by id.
#[derive(Default)]
pub(super) struct LiveTasks(Mutex<BTreeMap<TaskId, LiveTask>>);

impl LiveTasks {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<TaskId, LiveTask>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task begins. It is over when what is returned is dropped.
    pub(super) fn begin(self: &Arc<Self>, id: TaskId) -> Running {
        let task = LiveTask { stop: CancellationToken::new(), news: broadcast::channel(KEPT).0 };
        self.lock().insert(id.clone(), task.clone());
        Running { id, task, all: self.clone() }
    }

    pub(super) fn runs(&self, id: &TaskId) -> bool {
        self.lock().contains_key(id)
    }

    /// What is told of a task from now on. `None` where it does not run here.
    pub(super) fn listen(&self, id: &TaskId) -> Option<Receiver<TaskNews>> {
        self.lock().get(id).map(|task| task.news.subscribe())
    }

    /// Asks a task to stop. `None` where it does not run here; else what is told of it from now on.
    pub(super) fn stop(&self, id: &TaskId) -> Option<Receiver<TaskNews>> {
        let tasks = self.lock();
        let task = tasks.get(id)?;
        let news = task.news.subscribe();
        task.stop.cancel();
        Some(news)
    }
}

/// A task as long as it runs.
pub(super) struct Running {
    pub id: TaskId,
    pub task: LiveTask,
    all: Arc<LiveTasks>,
}

impl Running {
    pub(super) fn tell(&self, news: TaskNews) {
        // Nobody has to listen.
        let _ = self.task.news.send(news);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.all.lock().remove(&self.id);
    }
}
