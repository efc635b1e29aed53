//! Sessions, written event by event.

use strata_model::{Json, Object};

use super::agents::Cast;
use super::parts::text_part;
use super::steps;
use super::texts::{data, text};
use crate::dice::{Dice, json, object};

/// What is unusual in a session. Most sessions have little of it, so that differences stay readable.
pub(crate) struct Habits {
    branches: &'static [&'static str],
    scopes: &'static [&'static str],
    node_paths: &'static [&'static str],
    is_live: bool,
    is_disordered: bool,
    is_incomplete: bool,
    pub(crate) is_about_pairing: bool,
    pub(crate) has_summaries: bool,
    pub(crate) has_rewinds: bool,
}

const BRANCHES: &[&str] = &[
    "root",
    "root.writer",
    "root.planner",
    "root.writer.search@c1",
    "par",
    "par.a",
    "search@c2",
    "root@c1",
    "pay@adk-1.x",
    "ro",
    "",
];
const SCOPES: &[&str] = &["c1", "c2", "adk-1", ""];
const NODE_PATHS: &[&str] = &["flow@1", "flow@1/root@1", "flow@1/root@1/x@1", "flow@1/writer@1", "flow"];

impl Habits {
    fn new(dice: &mut Dice) -> Self {
        let is_about_pairing = dice.chance(25);
        Self {
            branches: if dice.chance(22) { BRANCHES } else { &[] },
            scopes: if dice.chance(18) { SCOPES } else { &[] },
            node_paths: if dice.chance(15) { NODE_PATHS } else { &[] },
            is_live: dice.chance(6),
            is_disordered: dice.chance(20),
            is_incomplete: dice.chance(20),
            is_about_pairing,
            has_summaries: dice.chance(if is_about_pairing { 60 } else { 30 }),
            has_rewinds: dice.chance(if is_about_pairing { 30 } else { 15 }),
        }
    }

    pub(crate) fn branch(&self, dice: &mut Dice) -> Json {
        one_of(dice, self.branches, 60)
    }

    pub(crate) fn scope(&self, dice: &mut Dice) -> Json {
        one_of(dice, self.scopes, 50)
    }

    pub(crate) fn node_path(&self, dice: &mut Dice) -> Json {
        one_of(dice, self.node_paths, 70)
    }
}

fn one_of(dice: &mut Dice, items: &[&'static str], percent: usize) -> Json {
    if items.is_empty() || !dice.chance(percent) { Json::Null } else { (*dice.pick(items)).into() }
}

/// A call that has no answer yet, or may get another.
#[derive(Clone)]
pub(crate) struct OpenCall {
    pub(crate) id: Json,
    pub(crate) name: String,
    pub(crate) args: Json,
    pub(crate) agent: &'static str,
}

pub(crate) struct History {
    pub(crate) events: Vec<Json>,
    pub(crate) calls: Vec<OpenCall>,
    pub(crate) habits: Habits,
    n_invocations: usize,
    time: f64,
}

/// A session of a few turns that ends where a model may be called.
pub(crate) fn write(dice: &mut Dice, cast: &Cast) -> History {
    let habits = Habits::new(dice);
    let mut history =
        History { events: Vec::new(), calls: Vec::new(), habits, n_invocations: 0, time: 1000.0 };
    let n_turns = *dice.weighted(&[(1, 0), (5, 1), (5, 2), (4, 3), (2, 5), (1, 9)]);
    for _ in 0..n_turns {
        history.n_invocations += usize::from(!dice.chance(5));
        if !dice.chance(8) {
            history.say(dice, "user");
        }
        for _ in 0..dice.between(0, 4) {
            steps::step(dice, cast, &mut history);
        }
    }
    if dice.chance(70) {
        history.n_invocations += 1;
        history.say(dice, "user");
        for _ in 0..*dice.weighted(&[(6, 0), (3, 1), (1, 2)]) {
            steps::step(dice, cast, &mut history);
        }
    }
    history
}

impl History {
    pub(crate) fn invocation_id(&self) -> String {
        format!("inv-{}", self.n_invocations)
    }

    /// An invocation of the past.
    pub(crate) fn earlier_invocation(&self, dice: &mut Dice) -> String {
        format!("inv-{}", dice.between(0, self.n_invocations))
    }

    fn say(&mut self, dice: &mut Dice, author: &str) {
        let mut parts = vec![text_part(&text(dice))];
        if dice.chance(12) {
            parts.push(super::parts::spoken(dice));
        }
        let event = self.event(dice, author, "user", parts);
        self.push(dice, event);
    }

    /// An event of `author`, not yet appended.
    pub(crate) fn event(&mut self, dice: &mut Dice, author: &str, role: &str, parts: Vec<Json>) -> Object {
        let content = json([("role", role.into()), ("parts", parts.into())]);
        let mut event = self.empty_event(dice, author);
        event.push("content", content);
        event
    }

    pub(crate) fn empty_event(&mut self, dice: &mut Dice, author: &str) -> Object {
        self.time += *dice.pick(&[1.0, 1.0, 1.0, 0.25, 0.0]);
        if self.habits.is_disordered && dice.chance(25) {
            self.time += *dice.pick(&[-3.0, -0.5, 5.0]);
        }
        object([
            ("id", format!("e{}", self.events.len() + 1).into()),
            ("invocationId", self.invocation_id().into()),
            ("author", author.into()),
            ("timestamp", Json::Float(self.time)),
        ])
    }

    /// Appends an event, with what its session's habits do to it.
    pub(crate) fn push(&mut self, dice: &mut Dice, mut event: Object) {
        for (key, value) in
            [("branch", self.habits.branch(dice)), ("isolationScope", self.habits.scope(dice))]
        {
            if !value.is_null() {
                event.push(key, value);
            }
        }
        let path = self.habits.node_path(dice);
        if !path.is_null() && dice.chance(60) {
            event.push("nodeInfo", object([("path", path)]));
        }
        if self.habits.is_live && dice.chance(50) {
            event.push("liveSessionId", "live-1");
        }
        if self.habits.is_incomplete && dice.chance(20) {
            damage(dice, &mut event);
        }
        if event.get("author").and_then(Json::as_str) != Some("user") && dice.chance(25) {
            report(dice, &mut event);
        }
        if dice.chance(6) {
            event.insert("actions", actions_with_state(dice, event.get("actions")));
        }
        self.events.push(Json::Object(event));
    }
}

/// Leaves something out, or puts in what does not belong.
fn damage(dice: &mut Dice, event: &mut Object) {
    match dice.between(0, 9) {
        0 => event.push("partial", true),
        1 => {
            event.remove("content");
        }
        2 => {
            event.insert("content", object([("role", "model".into()), ("parts", Json::Array(Vec::new()))]));
        }
        3 => {
            event.insert("content", object([("role", "model".into())]));
        }
        4 | 5 => {
            if let Some(Json::Object(content)) = event.get_mut("content") {
                let role = dice.word(&["", "user", "model", "system"]);
                content.insert("role", role);
            }
        }
        6 => {
            if let Some(Json::Object(content)) = event.get_mut("content") {
                content.remove("role");
            }
        }
        7 => {
            event.insert("author", dice.word(&["stranger", "model", "", "user"]));
        }
        8 => {
            event.remove("invocationId");
        }
        _ => {
            event.push("errorCode", "OTHER");
        }
    }
}

/// What a provider reports with an answer.
fn report(dice: &mut Dice, event: &mut Object) {
    if dice.chance(70) {
        let tokens = Json::Int(dice.between(0, 5000) as i64);
        let usage = object([("promptTokenCount", tokens), ("totalTokenCount", Json::Int(7000))]);
        event.push("usageMetadata", usage);
    }
    if dice.chance(40) {
        let is_active = dice.chance(60);
        let active = |value: Json| if is_active { value } else { Json::Null };
        event.push(
            "cacheMetadata",
            object([
                ("cache_name", active("cachedContents/1".into())),
                ("expire_time", active(Json::Float(2000.5))),
                ("fingerprint", "0123456789abcdef".into()),
                ("invocations_used", active(Json::Int(2))),
                ("contents_count", Json::Int(dice.between(0, 6) as i64)),
                ("created_at", dice.maybe(40, |_| Json::Float(1000.0))),
            ]),
        );
    }
    if dice.chance(40) {
        event.push("interactionId", dice.word(&["ia-1", "ia-2", ""]));
    }
}

fn actions_with_state(dice: &mut Dice, actions: Option<&Json>) -> Object {
    let mut actions = actions.and_then(Json::as_object).cloned().unwrap_or_default();
    let mut delta = data(dice, 1);
    delta.insert(dice.word(&["user:lang", "app:tier", "temp:scratch", "name"]), text(dice));
    actions.insert("stateDelta", delta);
    actions
}
