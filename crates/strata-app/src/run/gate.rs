//! What stands between a compiled request and its sending: it is held where a condition or a step says so, and noted
//! when it goes out.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use strata_model::{LlmRequest, Str};
use strata_runtime::{Chance, Clock, Failure, Gate, HeldCall};
use tokio_util::sync::CancellationToken;

use super::computer::Computer;
use super::hold::{HeldReport, HoldDecision, Holder, Holds, Speaker, edited};
use super::listener::RunListener;
use super::recorded_turn::Replay;
use super::recording::{CallState, RunRecording, stand_in};
use super::sent::{SentCall, SentCalls};

pub(crate) struct RunGate {
    pub holds: Arc<Holds>,
    /// Decides about calls that are held.
    pub holder: Arc<dyn Holder>,
    pub recording: Arc<RunRecording>,
    pub sent: Arc<SentCalls>,
    pub replay: Arc<Replay>,
    pub listener: Arc<dyn RunListener>,
    pub computer: Arc<Computer>,
    /// Ends the run.
    pub stop: CancellationToken,
}

impl Gate for RunGate {
    fn before_call(&self, held: HeldCall) -> BoxFuture<'_, Result<LlmRequest, Failure>> {
        Box::pin(async move {
            let speaker = Speaker::from(&held);
            let compiled = Arc::new(held.compilation.working_context());
            let call = if self.replay.has(&held.invocation.agent) {
                if let Some(difference) = self.replay.compare(&held.invocation.agent, &compiled) {
                    self.listener.note(&difference);
                }
                self.call(&held, compiled, None).replayed()
            } else {
                let _turn = self.holds.turn().await;
                match self.holds.look(&speaker, &compiled) {
                    None => self.call(&held, compiled, None),
                    Some(report) => self.hold(&held, report).await?,
                }
            };
            let request = call.request.clone();
            self.holds.let_through(&speaker, &request);
            self.sent.add(call);
            Ok(LlmRequest::clone(&request))
        })
    }
}

impl RunGate {
    fn call(&self, held: &HeldCall, request: Arc<LlmRequest>, edited_by_hand: Option<bool>) -> SentCall {
        let number = self.sent.next_number();
        SentCall::new(held, request, &self.recording.state(), number, edited_by_hand)
            .apart(held.session != *self.recording.key())
    }

    /// Holds a call until it is decided about. It is stored by then, as the last call of its session.
    async fn hold(&self, held: &HeldCall, mut report: HeldReport) -> Result<SentCall, Failure> {
        let (id, speaker) = (self.computer.new_id(), Speaker::from(held));
        loop {
            let call = self.call(held, report.request.clone(), report.is_edited.then_some(true));
            self.put(&call, CallState::Held, &id)?;
            // Nobody who decides, decides to stop.
            let decided = self.stop.run_until_cancelled(self.holder.decide(&report)).await;
            let decision = decided.unwrap_or(HoldDecision::Stop);
            self.holds.goes_on(&speaker, &decision);
            match decision {
                HoldDecision::Edit(edits) => match edited(&report.request, &edits) {
                    Ok(request) => {
                        report = self.holds.look_again(&speaker, &Arc::new(request), report.reasons);
                    }
                    Err(refusal) => report.refusal = Some(refusal),
                },
                HoldDecision::Go | HoldDecision::Step(_) | HoldDecision::GoFreely => {
                    return self.put(&call, CallState::Sent, &id);
                }
                HoldDecision::Stop => {
                    self.recording.take_away(&id);
                    self.stop.cancel();
                    return Err(Failure::new("StoppedError", "The call was held and not sent."));
                }
            }
        }
    }

    fn put(&self, call: &SentCall, state: CallState, id: &Str) -> Result<SentCall, Failure> {
        let stand_in = stand_in(call, state, id.clone(), self.computer.now());
        let call = stand_in.call.clone();
        self.recording.put(stand_in)?;
        Ok(call)
    }
}
