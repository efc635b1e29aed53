//! What is shown of a run while it goes on, and who decides about its held calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use crate::api::job::Notification;
use crate::api::run::{RunProblem, Saying};
use crate::error::AppError;
use crate::notifications::Notifications;
use crate::run::{HeldEdit, HeldReport, HoldDecision, Holder, RunListener, RunNews, edited};

/// Notes that are kept of a run.
const MAX_NOTES: usize = 20;
/// Bytes of what is being said.
const MAX_SAID: usize = 20_000;

/// Where a run tells what it does, and asks.
pub(super) struct Board {
    run: String,
    notifications: Arc<Notifications>,
    shown: Mutex<Shown>,
}

#[derive(Default)]
pub(super) struct Shown {
    pub job: Option<String>,
    pub is_running: bool,
    /// Who did something last.
    pub at_work: Option<String>,
    pub saying: Option<Saying>,
    pub error: Option<RunProblem>,
    pub notes: Vec<String>,
    held: Option<Held>,
}

/// A call that is held, and where the decision is waited for.
struct Held {
    report: Arc<HeldReport>,
    decision: oneshot::Sender<HoldDecision>,
}

impl Shown {
    pub(super) fn held(&self) -> Option<&Arc<HeldReport>> {
        self.held.as_ref().map(|held| &held.report)
    }
}

impl Board {
    pub(super) fn new(run: String, notifications: Arc<Notifications>) -> Self {
        Self { run, notifications, shown: Mutex::default() }
    }

    pub(super) fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Shown)) {
        change(&mut self.shown());
        self.tell();
    }

    /// Says that there is something new.
    pub(super) fn tell(&self) {
        self.notifications.tell(&Notification::Run { run: self.run.clone() });
    }

    /// Gives a decision about the call that is held. An edit that cannot be made is refused, and the call stays held.
    pub(super) fn decide(&self, decision: HoldDecision) -> Result<(), AppError> {
        let held = {
            let mut shown = self.shown();
            let nothing = || AppError::bad_input("No call of this run is held: it goes on, or has ended.");
            let held = shown.held.as_ref().ok_or_else(nothing)?;
            if let HoldDecision::Edit(edits) = &decision {
                check(&held.report, edits)?;
            }
            shown.held.take().ok_or_else(nothing)?
        };
        // A run that is being stopped waits no more.
        let _ = held.decision.send(decision);
        self.tell();
        Ok(())
    }
}

fn check(report: &HeldReport, edits: &[HeldEdit]) -> Result<(), AppError> {
    edited(&report.request, edits).map(|_| ()).map_err(AppError::bad_input)
}

impl RunListener for Board {
    fn hear(&self, news: RunNews<'_>) {
        self.change(|shown| match news {
            RunNews::Piece { agent, text } => {
                let saying = shown
                    .saying
                    .get_or_insert_with(|| Saying { agent: agent.to_owned(), text: String::new() });
                if saying.agent == agent && saying.text.len() < MAX_SAID {
                    saying.text.push_str(text);
                }
                shown.at_work = Some(agent.to_owned());
            }
            RunNews::Said { agent, .. } => {
                shown.saying = shown.saying.take().filter(|saying| saying.agent != agent);
                shown.at_work = Some(agent.to_owned());
            }
            RunNews::Called { agent, .. }
            | RunNews::Answered { agent, .. }
            | RunNews::Failed { agent, .. } => shown.at_work = Some(agent.to_owned()),
        });
    }

    fn note(&self, text: &str) {
        self.change(|shown| {
            shown.notes.push(text.to_owned());
            let n_old = shown.notes.len().saturating_sub(MAX_NOTES);
            shown.notes.drain(..n_old);
        });
    }
}

impl Holder for Board {
    fn decide<'h>(&'h self, held: &'h HeldReport) -> BoxFuture<'h, HoldDecision> {
        let (sender, decision) = oneshot::channel();
        let report = Arc::new(held.clone());
        self.change(|shown| shown.held = Some(Held { report, decision: sender }));
        let shows = ShowsHeld(self);
        Box::pin(async move {
            let _shows = shows;
            decision.await.unwrap_or(HoldDecision::Stop)
        })
    }
}

/// Takes what is held off the board when nobody waits for a decision any more.
struct ShowsHeld<'b>(&'b Board);

impl Drop for ShowsHeld<'_> {
    fn drop(&mut self) {
        self.0.change(|shown| shown.held = None);
    }
}
