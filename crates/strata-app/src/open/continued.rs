//! A session that was open and is read again: what was known of it goes on.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use strata_engine::{Experiment, FlowKind, GrownExperiment, Growth};
use strata_measure::analysis::SessionAnalysis;
use strata_model::{
    App, EventIndex, Fingerprint, GivenServices, Json, LlmRequest, RecordedCall, Session, is_written_alike,
};
use strata_store::{MarkedRequest, SessionId, Store, StoreError};

/// The requests of a stored session that were answered, in the order in which they were sent or added.
#[derive(Default)]
pub(crate) struct AnsweredRequests(Vec<AnsweredRequest>);

struct AnsweredRequest {
    answer: EventIndex,
    /// Tells its body.
    mark: Fingerprint,
    decoded: Arc<DecodedRequest>,
}

#[derive(Default)]
struct DecodedRequest {
    request: Option<LlmRequest>,
    /// What it was made from, where that is recorded.
    call: Option<RecordedCall>,
}

/// Marks of the requests that an event answers, in their order.
type RequestMarks = BTreeMap<EventIndex, Vec<Fingerprint>>;

impl AnsweredRequests {
    /// Bodies that are known are not read.
    pub(crate) fn read(store: &Store, session: &SessionId, known: Option<&Self>) -> Result<Self, StoreError> {
        let known: HashMap<Fingerprint, &Arc<DecodedRequest>> =
            known.iter().flat_map(|known| &known.0).map(|known| (known.mark, &known.decoded)).collect();
        let mut all = Self::default();
        store.for_each_unknown_body(
            session,
            |mark| known.contains_key(&mark),
            |MarkedRequest { answer, mark, body }| {
                let decoded = match (body, known.get(&mark)) {
                    (Some(body), _) => Arc::new(DecodedRequest::of(&body)),
                    (None, Some(known)) => Arc::clone(known),
                    (None, None) => Arc::default(),
                };
                all.0.extend(answer.map(|answer| AnsweredRequest {
                    answer: EventIndex(answer),
                    mark,
                    decoded,
                }));
            },
        )?;
        Ok(all)
    }

    /// Those that are in a dialect that can be read.
    pub(crate) fn requests(&self) -> Vec<(EventIndex, LlmRequest)> {
        self.each(|decoded| decoded.request.as_ref())
    }

    /// What requests were made from, where that is recorded.
    fn calls(&self) -> Vec<(EventIndex, RecordedCall)> {
        self.each(|decoded| decoded.call.as_ref())
    }

    fn each<T: Clone>(&self, part: impl Fn(&DecodedRequest) -> Option<&T>) -> Vec<(EventIndex, T)> {
        let known = |request: &AnsweredRequest| Some((request.answer, part(&request.decoded)?.clone()));
        self.0.iter().filter_map(known).collect()
    }

    fn marks(&self) -> RequestMarks {
        let mut marks = RequestMarks::new();
        for request in &self.0 {
            marks.entry(request.answer).or_default().push(request.mark);
        }
        marks
    }
}

impl DecodedRequest {
    fn of(body: &Json) -> Self {
        Self { request: strata_wire::request_of(body), call: RecordedCall::of_body(body) }
    }
}

/// A session as the store has it now, and the app it is taken to have run in.
pub(super) struct StoredSession<'r> {
    pub session: Session,
    /// How many of its events are those of the session that was known.
    pub n_known: usize,
    pub answered: &'r AnsweredRequests,
    pub app: Arc<App>,
    pub kind: FlowKind,
    pub services: &'r Arc<GivenServices>,
}

/// What was known of a session.
#[derive(Clone, Copy)]
pub(super) struct KnownSession<'e> {
    pub experiment: &'e Experiment,
    pub analysis: &'e SessionAnalysis,
    /// Those that are in the experiment.
    pub answered: &'e AnsweredRequests,
}

impl StoredSession<'_> {
    /// Goes on from what was known of the session, as far as it is the one that was known.
    pub(super) fn opened(self, earlier: Option<KnownSession<'_>>) -> (Experiment, SessionAnalysis) {
        let Some(earlier) = earlier else { return (self.read_anew(), SessionAnalysis::default()) };
        if let Some(late) = self.late_answers(earlier) {
            return self.grown(earlier, &late);
        }
        // What parts of prompts weigh holds as long as events keep their numbers.
        let is_longer = self.n_known == earlier.experiment.session().events.len();
        let analysis =
            if is_longer { earlier.analysis.sharing_with_another() } else { SessionAnalysis::default() };
        (self.read_anew(), analysis)
    }

    fn read_anew(self) -> Experiment {
        Experiment::new(Arc::new(self.session), self.app, self.kind)
            .with_services(self.services.clone())
            .with_recorded_calls(self.answered.calls())
            .with_requests(self.answered.requests())
    }

    /// Answers of which something is recorded now that was not. `None` where it is not the session that was known, or
    /// cannot go on from there.
    fn late_answers(&self, earlier: KnownSession<'_>) -> Option<BTreeSet<EventIndex>> {
        let (before, now) = (earlier.experiment.session(), &self.session);
        let is_same = (&before.id, &before.app_name, &before.user_id)
            == (&now.id, &now.app_name, &now.user_id)
            && is_written_alike(&before.other, &now.other)
            && earlier.experiment.kind() == self.kind
            && is_written_alike(earlier.experiment.app(), &self.app)
            && *earlier.experiment.given_services() == *self.services;
        // A request that is gone or another one now is forgotten with its answer alone.
        let (marks, known) = (self.answered.marks(), earlier.answered.marks());
        let stays = |(answer, known): (&EventIndex, &Vec<Fingerprint>)| {
            marks.get(answer).is_some_and(|now| now.starts_with(known))
        };
        let do_stay = known.range(..EventIndex(self.n_known as u32)).all(stays);
        let late = marks.iter().filter(|(answer, now)| known.get(answer) != Some(now));
        (is_same && do_stay).then(|| late.map(|(answer, _)| *answer).collect())
    }

    fn grown(self, earlier: KnownSession<'_>, late: &BTreeSet<EventIndex>) -> (Experiment, SessionAnalysis) {
        let Self { session, n_known, answered, .. } = self;
        let is_new = |answer: EventIndex| answer.as_usize() >= n_known || late.contains(&answer);
        let (mut requests, mut calls) = (answered.requests(), answered.calls());
        requests.retain(|(answer, _)| is_new(*answer));
        calls.retain(|(answer, _)| is_new(*answer));
        let grown: GrownExperiment = earlier.experiment.grown(Growth {
            kept: n_known,
            events: session.events[n_known..].to_vec(),
            state: session.state,
            last_update_time: session.last_update_time,
            requests,
            calls,
        });
        let analysis = earlier.analysis.grown(earlier.experiment, &grown);
        (grown.experiment, analysis)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use strata_measure::analysis::Counting;
    use strata_model::json;
    use strata_testkit::{experiment, session};

    use super::*;

    static NO_SERVICES: OnceLock<Arc<GivenServices>> = OnceLock::new();
    const SHORT: &str = "user: Hello\nbot: Hi\nuser: Still there?\nbot: Yes";
    const N_SHORT: usize = 4;
    const LONG: &str = "user: Hello\nbot: Hi\nuser: Still there?\nbot: Yes\nuser: Bye\nbot: Good bye";

    fn known(experiment: &Experiment) -> SessionAnalysis {
        let mut analysis = SessionAnalysis::default();
        while analysis.step(experiment, &Counting::default()) {}
        analysis
    }

    /// Requests as they are stored, each with the place of its answer.
    fn answered(requests: &[(u32, &str)]) -> AnsweredRequests {
        let answered = requests.iter().map(|(answer, text)| {
            let body =
                format!(r#"{{"model": "gpt-5", "messages": [{{"role": "user", "content": "{text}"}}]}}"#);
            let decoded = DecodedRequest::of(&json::parse(body.as_bytes()).unwrap_or(Json::Null));
            let mark = Fingerprint::of(body.as_bytes());
            AnsweredRequest { answer: EventIndex(*answer), mark, decoded: Arc::new(decoded) }
        });
        AnsweredRequests(answered.collect())
    }

    fn stored<'r>(app: &Arc<App>, kind: FlowKind, answered: &'r AnsweredRequests) -> StoredSession<'r> {
        let services = NO_SERVICES.get_or_init(Arc::default);
        StoredSession { session: session(LONG), n_known: N_SHORT, answered, app: app.clone(), kind, services }
    }

    /// Goes on from the short session with these requests to the long one with those: the calls that are known then and
    /// those whose requests are recorded. `None` where it does not go on.
    fn goes_on(before: &[(u32, &str)], now: &[(u32, &str)]) -> Option<(usize, Vec<u32>)> {
        let (before, now) = (answered(before), answered(now));
        let short = experiment(SHORT).with_recorded_calls(before.calls()).with_requests(before.requests());
        let analysis = known(&short);
        let earlier = KnownSession { experiment: &short, analysis: &analysis, answered: &before };
        let now = || stored(short.app(), short.kind(), &now);
        let does_go_on = now().late_answers(earlier).is_some();
        let (opened, mut analysis) = now().opened(Some(earlier));
        let n_known = analysis.calls().len();
        while analysis.step(&opened, &Counting::default()) {}
        let weighed = |analysis: &SessionAnalysis| -> Vec<String> {
            analysis.calls().iter().map(|call| format!("{:?} {:?}", call.total, call.matched)).collect()
        };
        assert_eq!(weighed(&analysis), weighed(&known(&now().read_anew())));
        let recorded = opened.calls().iter().map(|call| call.number);
        let recorded = recorded.filter(|call| opened.has_recorded_request(*call)).collect();
        does_go_on.then_some((n_known, recorded))
    }

    #[test]
    fn calls_that_stay_are_known() {
        assert_eq!(goes_on(&[], &[]), Some((2, vec![])));
        assert_eq!(goes_on(&[(1, "Hello")], &[(1, "Hello"), (5, "Bye")]), Some((2, vec![1, 3])));
    }

    #[test]
    fn a_request_that_comes_late_is_compiled() {
        assert_eq!(goes_on(&[(1, "Hello")], &[(1, "Hello"), (3, "Still")]), Some((1, vec![1, 2])));
        assert_eq!(goes_on(&[], &[(1, "Hello")]), Some((0, vec![1])));
    }

    #[test]
    fn what_is_another_request_now_is_read_anew() {
        assert_eq!(goes_on(&[(1, "Hello")], &[(1, "Good day")]), None);
        assert_eq!(goes_on(&[(1, "Hello")], &[]), None);
    }

    #[test]
    fn requests_are_told_apart_by_their_answers() {
        // What another file recorded of the first call stands behind what the session's own file has of the last.
        assert_eq!(goes_on(&[(1, "Hello")], &[(5, "Bye"), (1, "Hello")]), Some((2, vec![1, 3])));
        assert_eq!(goes_on(&[(1, "Hello")], &[(1, "Hello"), (1, "Hello again")]), Some((0, vec![1])));
    }

    #[test]
    fn another_app_or_session_does_not_go_on() {
        let short = experiment(SHORT);
        let analysis = known(&short);
        let none = AnsweredRequests::default();
        let earlier = KnownSession { experiment: &short, analysis: &analysis, answered: &none };
        let long = |app: &Arc<App>| stored(app, short.kind(), &none);
        assert!(long(short.app()).late_answers(earlier).is_some());
        assert!(long(&Arc::default()).late_answers(earlier).is_none());
        let mut another = long(short.app());
        another.session.id = "another".into();
        assert!(another.late_answers(earlier).is_none());
    }
}
