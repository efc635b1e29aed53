//! What of a session of the run is kept until all are read, to be compared with a baseline.

use strata_measure::before_after::Composition;
use strata_measure::findings::Finding;

use super::super::origin;
use super::figures::{SessionFigures, break_name, composition_of};
use super::measure::MeasuredSession;

/// A session of the run.
pub(super) struct SessionNow {
    /// As reports name it.
    pub name: String,
    pub figures: SessionFigures,
    /// With the calls that carry most.
    pub composition: Composition,
    /// The dearest first.
    pub losses: Vec<LossNow>,
    pub found: Vec<Finding>,
}

/// A call that lost what a cache could have given.
pub(super) struct LossNow {
    /// As baselines name it.
    pub name: String,
    pub agent: String,
    pub call: u32,
    /// In a sentence.
    pub cause: String,
    pub stage: Option<String>,
    pub origin: Option<String>,
    pub tokens: u32,
    /// US dollars.
    pub cost: Option<f64>,
}

impl SessionNow {
    pub(super) fn of(name: String, measured: MeasuredSession<'_>) -> Self {
        let losses = measured.losses().map(|(call, loss)| LossNow {
            name: break_name(call, loss),
            agent: call.agent.to_string(),
            call: call.call,
            cause: loss.cause.sentence(&measured.subject.experiment),
            stage: loss.stage.as_ref().map(ToString::to_string),
            origin: loss.origin.as_ref().map(origin::text),
            tokens: loss.tokens,
            cost: loss.cost_usd,
        });
        let losses = losses.collect();
        let composition = composition_of(&measured);
        Self {
            name,
            figures: SessionFigures::of(&measured, &composition),
            losses,
            composition,
            found: measured.found,
        }
    }
}
