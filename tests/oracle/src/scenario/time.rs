//! A clock that stands still while anything can go on, and then jumps to the next timer.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use strata_runtime::Clock;
use tokio::sync::oneshot;

/// Epoch seconds at which scenarios begin.
const BEGIN: f64 = 1_750_000_000.0;
/// Between two turns, in seconds.
const BETWEEN_TURNS: f64 = 60.0;
/// Times of events increase at least by so much, in seconds.
const TICK: f64 = 1e-6;

#[derive(Clone, Default)]
pub(super) struct VirtualTime(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Seconds that were waited for.
    elapsed: f64,
    n_turns: u32,
    last_told: f64,
    n_timers: u64,
    /// By time and number.
    timers: BTreeMap<(u64, u64), oneshot::Sender<()>>,
}

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl VirtualTime {
    pub(super) fn begin_turn(&self) {
        self.0.lock().n_turns += 1;
    }

    pub(super) fn elapsed(&self) -> f64 {
        self.0.lock().elapsed
    }

    /// Runs work to its end.
    pub(super) fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let flag = Arc::new(Flag::default());
        let waker = Waker::from(flag.clone());
        let mut context = Context::from_waker(&waker);
        let mut work = pin!(work);
        loop {
            if let Poll::Ready(result) = work.as_mut().poll(&mut context) {
                return result;
            }
            if !flag.0.swap(false, Ordering::Relaxed) {
                assert!(self.jump(), "the run waits for something that never comes");
            }
        }
    }

    /// Goes to the next timer that somebody waits for.
    fn jump(&self) -> bool {
        let mut state = self.0.lock();
        loop {
            let Some(((time, _), timer)) = state.timers.pop_first() else { return false };
            if timer.send(()).is_err() {
                continue;
            }
            state.elapsed = state.elapsed.max(f64::from_bits(time));
            return true;
        }
    }
}

impl Clock for VirtualTime {
    fn now(&self) -> f64 {
        let mut state = self.0.lock();
        let now = BEGIN + f64::from(state.n_turns) * BETWEEN_TURNS + state.elapsed;
        state.last_told = now.max(state.last_told + TICK);
        state.last_told
    }

    fn sleep(&self, seconds: f64) -> BoxFuture<'static, ()> {
        let time = self.clone();
        Box::pin(async move {
            let timer = {
                let mut state = time.0.lock();
                let (sender, timer) = oneshot::channel();
                // Positive floats are in the order of their bits.
                let at = (state.elapsed + seconds.max(0.0)).to_bits();
                state.n_timers += 1;
                let number = state.n_timers;
                state.timers.insert((at, number), sender);
                timer
            };
            // The clock lives as long as the run.
            let _ = timer.await;
        })
    }
}
