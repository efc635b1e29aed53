//! The application behind every host.

use std::io::Read;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::api::job::Notification;
use crate::command::{self, Reply};
use crate::error::AppError;

/// Where the app runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    Desktop,
    Browser,
}

/// How to start.
#[derive(Debug, Clone)]
pub struct Options {
    pub host: Host,
    /// The store; `None` for one in memory that is gone at the end.
    pub database: Option<PathBuf>,
    /// Files to import and open at once.
    pub open: Vec<PathBuf>,
}

/// One running application: its store, open sessions and jobs. Hosts pass commands in and notifications out.
#[derive(Debug)]
pub struct Strata {
    options: Options,
    subscribers: Mutex<Vec<Sender<Notification>>>,
}

impl Strata {
    pub fn start(options: Options) -> Result<Arc<Self>, AppError> {
        Ok(Arc::new(Self { options, subscribers: Mutex::default() }))
    }

    /// Runs the command called `name` with parameters as JSON text. It blocks for as long as the command takes.
    pub fn dispatch(self: &Arc<Self>, name: &str, params: &str) -> Result<Reply, AppError> {
        command::dispatch(self, name, params)
    }

    /// All notifications from now on. Dropping the receiver ends it.
    pub fn subscribe(&self) -> Receiver<Notification> {
        let (sender, receiver) = channel();
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }

    /// Takes in a file that has no path, for `session/importUpload`. Returns the upload's id.
    pub fn receive_upload(&self, name: &str, content: impl Read) -> Result<String, AppError> {
        let _ = (name, content);
        Err(AppError::bad_input("Uploads are not taken."))
    }

    /// Opens a file that another start of the app was given.
    pub fn open_path(self: &Arc<Self>, path: PathBuf) -> Result<(), AppError> {
        let _ = path;
        Err(AppError::bad_input("Files are not opened."))
    }

    pub(crate) fn notify(&self, notification: &Notification) {
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        subscribers.retain(|subscriber| subscriber.send(notification.clone()).is_ok());
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }
}
