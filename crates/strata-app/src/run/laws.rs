//! Laws of runs: however often a run is let go of before a call of a model, going on gives the session that one run
//! gives.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::BoxFuture;
use proptest::prelude::*;
use strata_model::{App, Decoder, FromJson as _, Json, Object, Session, json, marks};
use strata_store::{AppConfig, AppConfigOrigin, SessionId, Store};
use tokio_util::sync::CancellationToken;

use super::budget::{Budget, LARGER_BUDGET, RunLimits};
use super::hold::{HeldReport, HoldCondition, HoldDecision, Holder, Holds};
use super::listener::{RunListener, RunNews};
use super::models::Answerer;
use super::recording::{OwnStore, RunStore};
use super::running::{Place, Run, RunParts, TurnEnd, said};
use super::scripted::Script;
use super::tools::{RecordedAnswers, ToolSources};
use crate::tables::Tables;

const APP: &str = r#"{"name": "desk", "resumability_config": {"is_resumable": true}, "root_agent": {
    "name": "helper", "model": "m", "instruction": "Help; you said {last?}.", "output_key": "last",
    "tools": [{"type": "function", "declaration": {"name": "look"}}]}}"#;
/// Runs repeat one another's texts.
static TABLES: LazyLock<Arc<Tables>> = LazyLock::new(Arc::default);
const TURNS: usize = 3;
/// Of a turn: a call, and words.
const ANSWERS: usize = 2;

fn script(from: usize) -> Script {
    let answers = (0..TURNS).flat_map(|turn| {
        [
            format!(r#"{{"calls": [{{"name": "look", "args": {{"n": {turn}}}}}]}}"#),
            format!(r#""It is {turn}.""#),
        ]
    });
    let left: Vec<String> = answers.skip(from).collect();
    Script::parse(&format!("[{}]", left.join(","))).unwrap()
}

/// Lets so many calls that are held go, and keeps the next one for ever.
struct Passes(AtomicUsize);

impl Holder for Passes {
    fn decide<'h>(&'h self, _: &'h HeldReport) -> BoxFuture<'h, HoldDecision> {
        Box::pin(async move {
            let passes = |left: usize| left.checked_sub(1);
            if self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, passes).is_err() {
                std::future::pending::<()>().await;
            }
            HoldDecision::Go
        })
    }
}

/// Counts what is said.
#[derive(Default)]
struct Ears(AtomicUsize);

impl RunListener for Ears {
    fn hear(&self, news: RunNews<'_>) {
        if !matches!(news, RunNews::Piece { .. }) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn note(&self, _: &str) {}
}

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs work until it ends, or waits for something that never comes.
fn poll_on<T>(work: impl Future<Output = T>) -> Option<T> {
    let flag = Arc::new(Flag::default());
    let waker = Waker::from(flag.clone());
    let mut work = pin!(work);
    loop {
        if let Poll::Ready(result) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Some(result);
        }
        if !flag.0.swap(false, Ordering::Relaxed) {
            return None;
        }
    }
}

fn answers_of_tools() -> RecordedAnswers {
    let mut transcript = String::from("user: go\n");
    for turn in 0..TURNS {
        transcript += &format!("a: -> look(n={turn})\ntool: {{\"found\": {turn}}}\n");
    }
    RecordedAnswers::of(&strata_testkit::session(&transcript).events)
}

fn start(store: &Arc<dyn RunStore>, place: Place, answers: Script, passes: usize, ears: &Arc<Ears>) -> Run {
    let app = App::from_json(json::parse(APP.as_bytes()).unwrap(), &mut Decoder::new()).unwrap();
    let (limits, stop) = (RunLimits::default(), CancellationToken::new());
    let config = AppConfig {
        origin: AppConfigOrigin::Given,
        format: "json".to_owned(),
        text: APP.to_owned(),
        location: None,
    };
    let parts = RunParts {
        app: Arc::new(app),
        app_config: config,
        flows: Vec::new(),
        replay: Arc::default(),
        answerer: Answerer::Script(Arc::new(answers)),
        tools: ToolSources {
            toolsets: crate::run::toolsets::Toolsets::default(),
            script: None,
            recorded: answers_of_tools(),
            is_recorded_first: false,
            person: None,
            listener: ears.clone(),
            stop: stop.clone(),
        },
        budget: Arc::new(Budget::new(limits, TABLES.clone(), LARGER_BUDGET)),
        holds: Arc::new(Holds::new(vec![HoldCondition::Always], TABLES.clone())),
        holder: Arc::new(Passes(AtomicUsize::new(passes))),
        listener: ears.clone(),
        is_streaming: false,
        keeps_requests: false,
        stop,
    };
    Run::start(parts, store.clone(), place).unwrap()
}

/// What happened in a session, without what only tells where it can be taken up.
fn story(session: &Session) -> Vec<String> {
    let contents = session.events.iter().filter_map(|event| Some((&event.author, event.content.as_ref()?)));
    let parts = contents.flat_map(|(author, content)| content.parts().iter().map(move |part| (author, part)));
    let told = parts.map(|(author, part)| {
        let call =
            part.function_call.as_ref().map(|call| json::object_to_compact(call.args.as_deref().unwrap()));
        let result = part.function_response.as_ref().and_then(|result| result.response.as_deref().cloned());
        format!("{author}: {:?} {call:?} {:?}", part.text, result.map(Json::Object))
    });
    told.collect()
}

/// Goes through all turns, with runs that let so many calls pass each; the last one lets all pass.
fn whole_session(crashes: &[usize]) -> Session {
    let store: Arc<dyn RunStore> = Arc::new(OwnStore(Mutex::new(Store::in_memory().unwrap())));
    let ears: Arc<Ears> = Arc::default();
    let mut id: Option<SessionId> = None;
    let read = |id: &SessionId| said_in(&store.lock().read_session(id).unwrap().unwrap());
    let mut crashes = crashes.iter().copied();
    loop {
        let before = id.as_ref().map(read).unwrap_or_default();
        let n_answered = answered(&before);
        let place = id.clone().map_or(Place::New { user_id: "u".into() }, Place::Stored);
        let run = start(&store, place, script(n_answered), crashes.next().unwrap_or(usize::MAX), &ears);
        let session = id.insert(run.session().clone()).clone();
        let ended = poll_on(go_on(&run, &store, &session));
        let after = read(&session);
        let n_heard = ears.0.load(Ordering::Relaxed);
        let n_told = story(&after).len() - after.events.iter().filter(|event| event.is_from_user()).count();
        assert_eq!(n_heard, n_told, "what was told is what is stored");
        assert_eq!(after.events[..before.events.len()], before.events[..]);
        if ended.is_some() {
            return after;
        }
    }
}

/// Without the event that stands for the answer to a call that is held.
fn said_in(session: &Session) -> Session {
    let mut session = session.clone();
    session.events.retain(|event| !marks::has(event, marks::PENDING));
    session
}

async fn go_on(run: &Run, store: &Arc<dyn RunStore>, session: &SessionId) {
    loop {
        let stored = said_in(&store.lock().read_session(session).unwrap().unwrap());
        let said_so_far = stored.events.iter().filter(|event| is_prompt(event)).count();
        let is_open = answered(&stored) < said_so_far * ANSWERS;
        let end = if is_open {
            run.resume().await
        } else if said_so_far < TURNS {
            run.turn(said(&format!("Turn {said_so_far}?")), Object::new()).await
        } else {
            return;
        };
        assert_eq!(end.unwrap(), TurnEnd::Done);
    }
}

fn is_prompt(event: &strata_model::Event) -> bool {
    event.is_from_user() && event.parts().iter().any(|part| part.text.is_some())
}

/// Answers of the model that a session holds.
fn answered(session: &Session) -> usize {
    let is_answer = |event: &&Arc<strata_model::Event>| {
        !event.is_from_user() && event.parts().iter().any(|part| part.function_response.is_none())
    };
    session.events.iter().filter(is_answer).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_run_that_is_let_go_of_and_taken_up_again_gives_the_same_session(
        crashes in prop::collection::vec(0..4_usize, 0..5)
    ) {
        let (whole, pieces) = (whole_session(&[]), whole_session(&crashes));
        prop_assert_eq!(story(&whole), story(&pieces));
        prop_assert_eq!(whole.state, pieces.state);
    }
}
