//! The step machine of a run: its work, and everything that work starts, in one future.
//!
//! Nothing is given to an executor. All work of a run stands in one line and is taken up in the order in which it became
//! ready, as the event loop under google-adk does; so the order of a run follows from the order of its waits, and
//! letting go of a run lets go of all of it.

use std::collections::{HashMap, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::BoxFuture;
use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::halt::Halt;

/// The line in which the work of a run stands.
#[derive(Default)]
pub(crate) struct Tasks {
    line: Arc<Line>,
    /// Work that was started and is not taken up yet.
    started: Mutex<HashMap<u64, Task>>,
}

/// The place of the main work.
const MAIN: u64 = 0;

#[derive(Default)]
struct Line {
    state: Mutex<LineState>,
    /// Whoever drives the run.
    driver: AtomicWaker,
}

#[derive(Default)]
struct LineState {
    ready: VecDeque<u64>,
    n_started: u64,
}

struct Task {
    ticket: Arc<Ticket>,
    work: BoxFuture<'static, ()>,
}

/// Lets work get in line again.
struct Ticket {
    place: u64,
    is_in_line: AtomicBool,
    line: Arc<Line>,
}

impl Wake for Ticket {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_in_line.swap(true, Ordering::AcqRel) {
            self.line.state.lock().ready.push_back(self.place);
            self.line.driver.wake();
        }
    }
}

impl Ticket {
    fn new(place: u64, line: &Arc<Line>) -> Arc<Self> {
        let ticket = Arc::new(Self { place, is_in_line: AtomicBool::new(false), line: line.clone() });
        ticket.wake_by_ref();
        ticket
    }

    fn poll<T>(self: &Arc<Self>, work: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
        self.is_in_line.store(false, Ordering::Release);
        work.poll(&mut Context::from_waker(&Waker::from(self.clone())))
    }
}

/// Steps that are made before the runtime that drives all of this has its turn.
const STEPS_AT_ONCE: usize = 64;

impl Tasks {
    /// Starts work beside what runs. `cancel` stops it: it ends with [`Halt::Cancelled`] at its next wait.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        cancel: CancellationToken,
        work: impl Future<Output = Result<T, Halt>> + Send + 'static,
    ) -> Handle<T> {
        let (sender, result) = oneshot::channel();
        let work = Box::pin(async move {
            // Nobody may be waiting for the result any more.
            let _ = sender.send(work.await);
        });
        let place = {
            let mut state = self.line.state.lock();
            state.n_started += 1;
            state.n_started
        };
        self.started.lock().insert(place, Task { ticket: Ticket::new(place, &self.line), work });
        Handle { result, cancel }
    }

    /// Runs `main` and all work that is started on the way. Work that is left when `main` is done is dropped.
    pub(crate) async fn drive<T>(&self, main: impl Future<Output = T>) -> T {
        let mut running: HashMap<u64, Task> = HashMap::new();
        let mut main = pin!(main);
        let main_ticket = Ticket::new(MAIN, &self.line);
        let _leftovers = Leftovers(self);
        poll_fn(|context| {
            self.line.driver.register(context.waker());
            for _ in 0..STEPS_AT_ONCE {
                let next = self.line.state.lock().ready.pop_front();
                let Some(place) = next else { return Poll::Pending };
                if place == MAIN {
                    if let Poll::Ready(result) = main_ticket.poll(main.as_mut()) {
                        return Poll::Ready(result);
                    }
                    continue;
                }
                running.extend(self.started.lock().drain());
                let Some(task) = running.get_mut(&place) else { continue };
                if task.ticket.poll(task.work.as_mut()).is_ready() {
                    running.remove(&place);
                }
            }
            // Others have their turn: channels say of what is ready that it is not, to whoever never steps back.
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await
    }
}

/// Work that was started holds on to the run, so it is let go of with the one who drives it.
struct Leftovers<'t>(&'t Tasks);

impl Drop for Leftovers<'_> {
    fn drop(&mut self) {
        let left = std::mem::take(&mut *self.0.started.lock());
        drop(left);
    }
}

/// Gets in line behind all that is ready, so many times.
///
/// Where google-adk waits for tasks of its own or gathers results, its event loop takes up other work in between even if
/// nothing has to be waited for. Which of several things that are ready at the same moment goes first depends on it.
pub(crate) async fn step_back(times: usize) {
    for _ in 0..times {
        let mut is_behind = false;
        poll_fn(|context| {
            if std::mem::replace(&mut is_behind, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}

/// Steps of gathering what is ready at once: the work takes its turn, its end is noted, and whoever gathers goes on.
pub(crate) const GATHERING: usize = 3;
/// Steps between the end of work that is waited for together with other work, and going on after it.
pub(crate) const WAITING_FOR_SEVERAL: usize = 1;

/// Work that was started. Waiting for it gives its result; letting go of it lets it go on.
pub(crate) struct Handle<T> {
    result: oneshot::Receiver<Result<T, Halt>>,
    cancel: CancellationToken,
}

impl<T> Handle<T> {
    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }
}

impl<T> Future for Handle<T> {
    type Output = Result<T, Halt>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Work is only dropped with the whole run.
        Pin::new(&mut self.result).poll(context).map(|result| result.unwrap_or(Err(Halt::Cancelled)))
    }
}

/// Several pieces of work, of which those that have ended are asked for by their place.
pub(crate) struct Group<T> {
    handles: Vec<Option<Handle<T>>>,
}

impl<T> Group<T> {
    pub(crate) fn new() -> Self {
        Self { handles: Vec::new() }
    }

    /// Adds work and returns its place.
    pub(crate) fn push(&mut self, handle: Handle<T>) -> usize {
        self.handles.push(Some(handle));
        self.handles.len() - 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pieces of work have not been handed out.
    pub(crate) fn len(&self) -> usize {
        self.handles.iter().flatten().count()
    }

    /// Waits until some work has ended. Gives all that has, in the order of places; nothing if there is none left.
    pub(crate) async fn ended(&mut self) -> Vec<(usize, Result<T, Halt>)> {
        poll_fn(|context| {
            let ended = self.poll_ended(context);
            if ended.is_empty() && !self.is_empty() { Poll::Pending } else { Poll::Ready(ended) }
        })
        .await
    }

    /// What has ended by now, without waiting.
    pub(crate) async fn ended_now(&mut self) -> Vec<(usize, Result<T, Halt>)> {
        poll_fn(|context| Poll::Ready(self.poll_ended(context))).await
    }

    /// Stops what is left, and waits until it has stopped.
    pub(crate) async fn stop(&mut self) -> Vec<(usize, Result<T, Halt>)> {
        self.handles.iter().flatten().for_each(Handle::cancel);
        let mut stopped = Vec::new();
        while !self.is_empty() {
            stopped.extend(self.ended().await);
        }
        stopped
    }

    fn poll_ended(&mut self, context: &mut Context<'_>) -> Vec<(usize, Result<T, Halt>)> {
        let mut ended = Vec::new();
        for (at, slot) in self.handles.iter_mut().enumerate() {
            if let Some(handle) = slot
                && let Poll::Ready(result) = Pin::new(handle).poll(context)
            {
                ended.push((at, result));
                *slot = None;
            }
        }
        ended
    }
}

impl<T> Drop for Group<T> {
    /// Whoever lets go of a group no longer wants what it does.
    fn drop(&mut self) {
        self.handles.iter().flatten().for_each(Handle::cancel);
    }
}

/// Waits for `work` unless it is no longer wanted.
pub(crate) async fn until_cancelled<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = T>,
) -> Result<T, Halt> {
    let mut work = pin!(work);
    let mut cancelled = pin!(cancel.cancelled());
    poll_fn(|context| {
        if cancelled.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(Halt::Cancelled));
        }
        work.as_mut().poll(context).map(Ok)
    })
    .await
}

/// Shared by all that runs in one invocation.
pub(crate) type SharedTasks = Arc<Tasks>;
