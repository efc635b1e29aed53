//! Requests of clients that are held before they are sent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use strata_capture::{Gate, Verdict, WholeRequest};
use strata_import::captured_by;
use strata_model::{LlmRequest, Str, json};
use strata_wire::{is_other_call, model_of_url, request_body, request_of};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::api::capture::{CaptureDecision, HeldRequest};
use crate::api::job::Notification;
use crate::error::AppError;
use crate::notifications::Notifications;
use crate::run::{HeldReport, HoldCondition, HoldDecision, Holds, Speaker, Step};
use crate::runs;
use crate::tables::Tables;

/// So long before its client gives up a request is let go.
const MARGIN: Duration = Duration::from_secs(30);

/// How long a client waits that does not say.
const PATIENCE: Duration = Duration::from_mins(5);

/// Who decides about requests where there is no window.
pub trait GateKeeper: Send + Sync {
    /// Takes as long as it likes, on a thread of its own, one request after the other. `gone`: the request waits no more. The
    /// second value is the JSON that is sent in the place of its own.
    fn decide(&self, held: &HeldAtGate, gone: &CancellationToken) -> (CaptureDecision, Option<String>);
    /// What was decided could not be done.
    fn refused(&self, why: &str);
}

/// A request that is held, and what there is to know of it.
#[derive(Debug, Clone)]
pub struct HeldAtGate {
    pub report: HeldReport,
    pub client: String,
    /// As its client names it.
    pub session: Option<String>,
    /// The JSON that is sent.
    pub body: String,
    /// It is sent by itself then, before its client gives up.
    pub patience: Duration,
}

/// The gate of a gateway, and who waits at it.
pub(crate) struct HeldRequests {
    pub(crate) holds: Holds,
    notifications: Arc<Notifications>,
    waiting: Mutex<BTreeMap<u64, Waiting>>,
    keeper: Option<Arc<dyn GateKeeper>>,
}

/// A request that waits.
struct Waiting {
    held: HeldAtGate,
    speaker: Speaker,
    until: Instant,
    decide: Option<oneshot::Sender<Verdict>>,
}

impl Waiting {
    /// Decides, unless that was done. Whoever waited may have left just now.
    fn goes(&mut self, verdict: Verdict) {
        if let Some(decide) = self.decide.take() {
            let _ = decide.send(verdict);
        }
    }
}

/// Takes a request off the list when it waits no more, whoever ends that.
struct Listed<'h> {
    held: &'h HeldRequests,
    number: u64,
    gone: CancellationToken,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.gone.cancel();
        self.held.lock().remove(&self.number);
        self.held.notifications.tell(&Notification::Capture);
    }
}

impl HeldRequests {
    pub(crate) fn new(tables: Arc<Tables>, notifications: Arc<Notifications>) -> Self {
        Self { holds: Holds::new(Vec::new(), tables), notifications, waiting: Mutex::default(), keeper: None }
    }

    /// With somebody who is asked about each, instead of a window that lists them.
    pub(crate) fn kept_by(
        keeper: Arc<dyn GateKeeper>,
        conditions: Vec<HoldCondition>,
        tables: Arc<Tables>,
    ) -> Self {
        let holds = Holds::new(conditions, tables);
        Self { holds, notifications: Arc::default(), waiting: Mutex::default(), keeper: Some(keeper) }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those that wait, the oldest first.
    pub(crate) fn waiting(&self) -> Vec<HeldRequest> {
        let waiting = self.lock();
        let now = Instant::now();
        let one = |(number, waiting): (&u64, &Waiting)| HeldRequest {
            number: *number as f64,
            client: waiting.held.client.clone(),
            session: waiting.held.session.clone(),
            call: runs::held(&waiting.held.report),
            body: waiting.held.body.clone(),
            seconds_left: waiting.until.saturating_duration_since(now).as_secs_f64(),
        };
        waiting.iter().map(one).collect()
    }

    /// Decides about a request. `body`: what is sent in the place of its own.
    pub(crate) fn decide(
        &self,
        number: u64,
        decision: CaptureDecision,
        body: Option<String>,
    ) -> Result<(), AppError> {
        let mut waiting = self.lock();
        let request = waiting.get_mut(&number).filter(|request| request.decide.is_some());
        let gone = || AppError::not_found("This request waits no more: it went out, or its client left.");
        let request = request.ok_or_else(gone)?;
        if let Some(body) = &body
            && let Err(error) = json::parse(body.as_bytes())
        {
            return Err(AppError::bad_input(format!(
                "What was edited is not JSON ({error}). It is still held."
            )));
        }
        let (step, verdict) = match decision {
            CaptureDecision::Refuse => {
                let why = "A person who looked at this request in Strata did not let it go out.";
                (HoldDecision::Go, Verdict::Refuse(why.to_owned()))
            }
            CaptureDecision::Go => (HoldDecision::Go, passed(body)),
            CaptureDecision::Step => (HoldDecision::Step(Step::Call), passed(body)),
            CaptureDecision::GoFreely => (HoldDecision::GoFreely, passed(body)),
        };
        self.holds.goes_on(&request.speaker, &step);
        request.goes(verdict);
        if decision == CaptureDecision::GoFreely {
            waiting.values_mut().for_each(|request| request.goes(Verdict::Pass));
        }
        Ok(())
    }

    /// Lets all go that wait.
    pub(crate) fn release_all(&self) {
        self.lock().values_mut().for_each(|request| request.goes(Verdict::Pass));
    }

    /// Asks whoever keeps this gate, and does what they say.
    async fn ask(&self, number: u64, gone: CancellationToken) {
        let Some(keeper) = self.keeper.clone() else { return };
        let _turn = self.holds.turn().await;
        // Whoever was asked before may have let all go.
        let undecided = self.lock().get(&number).filter(|it| it.decide.is_some()).map(|it| it.held.clone());
        let Some(held) = undecided else { return };
        let asked = keeper.clone();
        let asked = tokio::task::spawn_blocking(move || asked.decide(&held, &gone));
        let Ok((decision, body)) = asked.await else { return };
        if let Err(error) = self.decide(number, decision, body) {
            keeper.refused(&error.to_string());
        }
    }

    async fn look(&self, request: WholeRequest) -> Verdict {
        let Some(known) = Known::of(&request) else { return Verdict::Pass };
        let Known { speaker, client, request: compiled } = known;
        let Some(report) = self.holds.look(&speaker, &compiled) else {
            self.holds.let_through(&speaker, &compiled);
            return Verdict::Pass;
        };
        let (decide, decided) = oneshot::channel();
        let patience = patience(&request.headers);
        let held = HeldAtGate {
            report,
            client,
            session: speaker.branch.as_deref().map(str::to_owned),
            body: String::from_utf8_lossy(&request.body).into_owned(),
            patience,
        };
        let waiting = Waiting {
            held,
            speaker: speaker.clone(),
            until: Instant::now() + patience,
            decide: Some(decide),
        };
        self.lock().insert(request.number, waiting);
        let listed = Listed { held: self, number: request.number, gone: CancellationToken::new() };
        self.notifications.tell(&Notification::Capture);
        let ask = self.ask(request.number, listed.gone.clone());
        let decided = async { tokio::join!(ask, decided).1 };
        // Nobody decided, in time or at all: the client is not to suffer from it.
        let verdict = tokio::time::timeout(patience, decided).await;
        let verdict = verdict.ok().and_then(Result::ok).unwrap_or(Verdict::Pass);
        drop(listed);
        match &verdict {
            Verdict::Pass => self.holds.let_through(&speaker, &compiled),
            Verdict::Replace(body) => {
                if let Some(known) = Known::of(&WholeRequest { body: body.clone(), ..request }) {
                    self.holds.let_through(&speaker, &known.request);
                }
            }
            Verdict::Refuse(_) => {}
        }
        verdict
    }
}

impl Gate for HeldRequests {
    fn is_watched(&self) -> bool {
        self.holds.is_watching()
    }

    fn before_request(&self, request: WholeRequest) -> BoxFuture<'_, Verdict> {
        Box::pin(self.look(request))
    }
}

fn passed(body: Option<String>) -> Verdict {
    body.map_or(Verdict::Pass, |body| Verdict::Replace(body.into_bytes()))
}

/// How long a request may be held: clients say when they give up.
fn patience(headers: &[(String, String)]) -> Duration {
    let said = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-stainless-timeout"));
    let said = said.and_then(|(_, seconds)| seconds.parse().ok()).map(Duration::from_secs);
    said.unwrap_or(PATIENCE).saturating_sub(MARGIN)
}

/// A request to a model, as conditions look at it.
struct Known {
    speaker: Speaker,
    client: String,
    request: Arc<LlmRequest>,
}

impl Known {
    fn of(request: &WholeRequest) -> Option<Self> {
        if is_other_call(&request.url) {
            return None;
        }
        let body = request_body(json::parse(&request.body).ok()?)?;
        let by = captured_by(&request.url, &request.headers, &body);
        let mut read = request_of(&body)?;
        if read.model.is_none() {
            read.model = model_of_url(&request.url).map(Str::from);
        }
        let speaker = Speaker { agent: by.agent, branch: by.session, node_path: String::new() };
        Some(Self { speaker, client: by.client.to_owned(), request: Arc::new(read) })
    }
}
