//! How a call that is held goes on, and who decides it.

use futures_util::future::{BoxFuture, ready};

use super::edit::HeldEdit;
use super::held::HeldReport;

/// What becomes of a call that is held.
#[derive(Debug, Clone, PartialEq)]
pub enum HoldDecision {
    Go,
    /// And the next call is held at which this step ends.
    Step(Step),
    /// And nothing is held any more.
    GoFreely,
    Stop,
    /// The request is changed, and still held.
    Edit(Vec<HeldEdit>),
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To the next call of a model.
    Call,
    /// To the next call of another agent, or of another run of a node.
    Agent,
    /// To the next call that shows a tool's result for the first time.
    Result,
}

/// Decides about calls that are held, one at a time. It may take as long as it likes.
pub trait Holder: Send + Sync {
    fn decide<'h>(&'h self, held: &'h HeldReport) -> BoxFuture<'h, HoldDecision>;
}

/// Decides where nobody does: a call that is held is not sent.
pub(crate) struct Nobody;

impl Holder for Nobody {
    fn decide<'h>(&'h self, _: &'h HeldReport) -> BoxFuture<'h, HoldDecision> {
        Box::pin(ready(HoldDecision::Stop))
    }
}
