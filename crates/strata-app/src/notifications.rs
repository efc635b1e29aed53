//! What the app says without being asked.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use crate::api::job::Notification;

/// Everybody who listens.
#[derive(Debug, Default)]
pub(crate) struct Notifications {
    subscribers: Mutex<Vec<Sender<Notification>>>,
}

impl Notifications {
    /// All notifications from now on. Dropping the receiver ends it.
    pub(crate) fn subscribe(&self) -> Receiver<Notification> {
        let (sender, receiver) = channel();
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }

    pub(crate) fn tell(&self, notification: &Notification) {
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        subscribers.retain(|subscriber| subscriber.send(notification.clone()).is_ok());
    }
}
