//! Events that are made only while somebody asks for the next one.
//!
//! An agent, a step or a node is a producer: it goes on when its consumer wants more, and stops for good where it is
//! when the consumer lets go of it. So whoever watches a producer decides after each event whether there is a next.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use strata_model::Event;

use crate::halt::Halt;

/// Where a producer puts what it makes.
pub struct Outlet<T = Event>(Arc<Mutex<Option<T>>>);

impl<T> Clone for Outlet<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Send> Outlet<T> {
    /// Hands an item over. Returns when the consumer asks for the next one.
    pub async fn emit(&self, item: T) {
        let mut item = Some(item);
        poll_fn(|_| {
            let mut slot = self.0.lock();
            match (item.take(), slot.is_some()) {
                (Some(next), false) => {
                    *slot = Some(next);
                    Poll::Pending
                }
                // Another producer's item lies there, or ours still does.
                (next, true) => {
                    item = next;
                    Poll::Pending
                }
                (None, false) => Poll::Ready(()),
            }
        })
        .await;
    }
}

/// The consumer's side of a producer.
pub(crate) struct Events<'a, T = Event> {
    work: Option<BoxFuture<'a, Result<(), Halt>>>,
    slot: Arc<Mutex<Option<T>>>,
}

impl<'a, T: Send + 'a> Events<'a, T> {
    pub(crate) fn new<F>(work: impl FnOnce(Outlet<T>) -> F) -> Self
    where
        F: Future<Output = Result<(), Halt>> + Send + 'a,
    {
        let slot = Arc::new(Mutex::new(None));
        Self { work: Some(Box::pin(work(Outlet(slot.clone())))), slot }
    }

    /// The next item; `None` when the producer is done.
    pub(crate) async fn next(&mut self) -> Result<Option<T>, Halt> {
        poll_fn(|context| {
            let Some(work) = &mut self.work else { return Poll::Ready(Ok(None)) };
            let done = Pin::new(work).poll(context);
            if let Some(item) = self.slot.lock().take() {
                return Poll::Ready(Ok(Some(item)));
            }
            match done {
                Poll::Pending => Poll::Pending,
                Poll::Ready(result) => {
                    self.work = None;
                    Poll::Ready(result.map(|()| None))
                }
            }
        })
        .await
    }

    /// Passes on all that comes.
    pub(crate) async fn forward(mut self, outlet: &Outlet<T>) -> Result<(), Halt> {
        while let Some(item) = self.next().await? {
            outlet.emit(item).await;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_producer_waits_for_its_consumer_and_ends_where_it_is_left() {
        let made = Arc::new(Mutex::new(Vec::new()));
        let seen = made.clone();
        let mut events = Events::new(|outlet| async move {
            for number in 0..9 {
                seen.lock().push(number);
                outlet.emit(number).await;
            }
            Ok(())
        });
        for number in 0..3 {
            assert_eq!(events.next().now_or_never(), Some(Ok(Some(number))));
        }
        drop(events);
        assert_eq!(*made.lock(), [0, 1, 2]);
    }

    #[test]
    fn the_last_item_comes_before_the_failure() {
        let mut events = Events::new(|outlet| async move {
            outlet.emit(1).await;
            Err(Halt::Interrupted)
        });
        assert_eq!(events.next().now_or_never(), Some(Ok(Some(1))));
        assert_eq!(events.next().now_or_never(), Some(Err(Halt::Interrupted)));
        assert_eq!(events.next().now_or_never(), Some(Ok(None)));
    }
}
