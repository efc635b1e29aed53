//! The queue of a run's events: nodes fill it, one loop drains it.

use std::collections::VecDeque;

use parking_lot::Mutex;
use strata_model::Event;
use tokio::sync::{Notify, oneshot};

#[derive(Default)]
pub(crate) struct Queue {
    items: Mutex<VecDeque<QueueItem>>,
    filled: Notify,
}

pub(crate) enum QueueItem {
    /// An event, and whom to tell when it is stored. Nobody waits for a partial one.
    Event { event: Box<Event>, stored: Option<oneshot::Sender<()>> },
    /// The root node has ended.
    Done,
}

impl Queue {
    pub(crate) fn push(&self, event: Event) -> Option<oneshot::Receiver<()>> {
        let (sender, receiver) = oneshot::channel();
        let is_partial = event.partial == Some(true);
        let stored = (!is_partial).then_some(sender);
        self.put(QueueItem::Event { event: Box::new(event), stored });
        (!is_partial).then_some(receiver)
    }

    pub(crate) fn push_done(&self) {
        self.put(QueueItem::Done);
    }

    fn put(&self, item: QueueItem) {
        self.items.lock().push_back(item);
        self.filled.notify_one();
    }

    pub(crate) fn try_next(&self) -> Option<QueueItem> {
        self.items.lock().pop_front()
    }

    pub(crate) fn is_filled(&self) -> bool {
        !self.items.lock().is_empty()
    }

    /// Waits until there is an item.
    pub(crate) async fn filled(&self) {
        while !self.is_filled() {
            self.filled.notified().await;
        }
    }
}
