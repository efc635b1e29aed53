//! What the server needs of the app.

use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use strata_app::api::job::Notification;
use strata_app::{AppError, Reply, Strata};

/// The app behind the server. Tests put one here whose answers they know.
pub(crate) trait Backend: Send + Sync + 'static {
    fn dispatch(&self, name: &str, params: &str) -> Result<Reply, AppError>;
    fn subscribe(&self) -> Receiver<Notification>;
    fn receive_upload(&self, name: &str, content: &mut dyn Read) -> Result<String, AppError>;
}

impl Backend for Arc<Strata> {
    fn dispatch(&self, name: &str, params: &str) -> Result<Reply, AppError> {
        Strata::dispatch(self, name, params)
    }

    fn subscribe(&self) -> Receiver<Notification> {
        Strata::subscribe(self)
    }

    fn receive_upload(&self, name: &str, content: &mut dyn Read) -> Result<String, AppError> {
        Strata::receive_upload(self, name, content)
    }
}
