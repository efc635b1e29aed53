//! What the server needs of the app.

use std::io::Read;
use std::sync::Arc;

use strata_app::{AppError, Reply, Strata, Subscription};

/// The app behind the server. Tests put one here whose answers they know.
pub(crate) trait Backend: Send + Sync + 'static {
    fn dispatch(&self, name: &str, params: &str) -> Result<Reply, AppError>;
    fn subscribe(&self) -> Subscription;
    fn receive_upload(&self, name: &str, content: &mut dyn Read) -> Result<String, AppError>;
}

impl Backend for Arc<Strata> {
    fn dispatch(&self, name: &str, params: &str) -> Result<Reply, AppError> {
        Strata::dispatch(self, name, params)
    }

    fn subscribe(&self) -> Subscription {
        Strata::subscribe(self)
    }

    fn receive_upload(&self, name: &str, content: &mut dyn Read) -> Result<String, AppError> {
        Strata::receive_upload(self, name, content)
    }
}
