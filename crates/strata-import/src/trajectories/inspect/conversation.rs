//! What was said in a sample: the messages that it ended with, and what its events alone tell. Sub-agents speak on branches
//! of their own, where their caller was not told all of it in their words.

use std::collections::{HashMap, HashSet};

use strata_model::take::{take_first_text, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn};

use super::events::{Asked, Call, Events, Returned, SubAgent};
use super::pool::Pool;
use crate::draft::{Draft, EventDraft, Kind, kind_of, say_turn};
use crate::imported::{Alignment, RecordedRequest};
use crate::marks;
use crate::source::SourceRecord;

/// A message of Inspect's.
struct Message {
    id: Option<Str>,
    /// Where it came from, as the log says it.
    source: Option<Str>,
    turn: Turn,
    /// What a tool that failed had put out, which its model is not sent.
    unsent: Option<Json>,
}

impl Message {
    fn read(message: Json, pool: &Pool, draft: &mut Draft) -> Self {
        let mut message = pool.resolved(message);
        let mut unsent = None;
        if let Json::Object(message) = &mut message
            && message.get("role").and_then(Json::as_str) == Some("tool")
        {
            if let Some(name) = take_text(message, "function") {
                message.insert("name", name);
            }
            unsent = tell_error(message, draft);
        }
        let mut turn = draft.messages("message").read(message);
        let source = take_text(&mut turn.rest, "source");
        for key in ["function", "internal"] {
            turn.rest.remove(key);
        }
        Self { id: turn.rest.get("id").and_then(Json::as_text).cloned(), source, turn, unsent }
    }

    /// Whether a person wrote it, or whoever asks for the work.
    fn is_prompt(&self) -> bool {
        self.turn.role == Role::User && matches!(self.source.as_deref(), Some("input" | "operator"))
    }

    /// The ids of the calls that it answers.
    fn answered(&self) -> impl Iterator<Item = &Str> {
        self.turn.parts.iter().filter_map(|part| part.function_response.as_ref()?.id.as_ref())
    }
}

/// Where a tool failed, its model is sent the words of the error. Returns what stood in their place.
fn tell_error(message: &mut Object, draft: &mut Draft) -> Option<Json> {
    let mut error = take_object(message, "error").unwrap_or_default();
    let words =
        take_first_text(&mut error, &["message"]).or_else(|| take_first_text(message, &["tool_error"]));
    if words.is_some() || !error.is_empty() {
        message.insert("is_error", true);
    }
    draft.note_rest("message.error", &error);
    message.insert("content", words?).filter(Json::is_truthy)
}

/// The branch of a sub-agent.
struct Lane {
    branch: Str,
    /// It begins with what its caller was told before.
    sees_main: bool,
    /// The ids of the messages that stand on it.
    told: HashSet<Str>,
}

struct Telling<'t> {
    draft: &'t mut Draft,
    pool: &'t Pool,
    source: &'t SourceRecord,
    asked: Vec<Asked>,
    returned: HashMap<Str, Returned>,
    /// The sub-agents that are told on branches, by their spans, and those branches once they have begun.
    apart: HashSet<Str>,
    lanes: HashMap<Str, Lane>,
    /// The ids of the sample's messages, and of those that were told.
    ids: HashSet<Str>,
    told: HashSet<Str>,
    /// The ids of calls whose results are told, or will be by a message.
    answered: HashSet<Str>,
    /// The ids of messages that say what a tool returned.
    observed: HashSet<Str>,
    /// The log says which messages are prompts.
    names_prompts: bool,
    /// The call that was told last with its message.
    last: Option<usize>,
}

/// Makes events of all that was said.
pub(super) fn tell(
    messages: Vec<Json>,
    events: Events,
    pool: &Pool,
    source: &SourceRecord,
    draft: &mut Draft,
) {
    let messages: Vec<Message> =
        messages.into_iter().map(|message| Message::read(message, pool, draft)).collect();
    let Events { asked, returned } = events;
    let mut telling = Telling {
        draft,
        pool,
        source,
        apart: told_apart(&asked, &messages),
        lanes: HashMap::new(),
        ids: messages.iter().filter_map(|message| message.id.clone()).collect(),
        told: HashSet::new(),
        answered: messages.iter().flat_map(Message::answered).cloned().collect(),
        observed: returned.values().filter_map(|returned| returned.said_in.clone()).collect(),
        names_prompts: messages.iter().any(Message::is_prompt),
        last: None,
        asked,
        returned,
    };
    for message in messages {
        telling.message(message);
    }
    telling.rest();
}

/// The sub-agents of which some answer is in no message, or without its calls: the log keeps for their callers what these
/// were told.
fn told_apart(asked: &[Asked], messages: &[Message]) -> HashSet<Str> {
    let turns: HashMap<&Str, &Turn> =
        messages.iter().filter_map(|message| Some((message.id.as_ref()?, &message.turn))).collect();
    let is_whole = |asked: &Asked| {
        let message = asked.id.as_ref().and_then(|id| turns.get(id));
        message
            .zip(asked.call.as_ref())
            .is_some_and(|(message, call)| left_out(&call.turn, message).is_empty())
    };
    let apart = asked.iter().filter(|asked| !is_whole(asked));
    apart.filter_map(|asked| Some(asked.agent.as_ref()?.span.clone())).collect()
}

/// The calls of an answer that its message does not hold.
fn left_out(answer: &Turn, message: &Turn) -> Vec<Part> {
    let id = |part: &Part| Some(part.function_call.as_ref()?.id.clone());
    let known: Vec<Option<Str>> = message.parts.iter().filter_map(id).collect();
    answer.parts.iter().filter(|part| id(part).is_some_and(|id| !known.contains(&id))).cloned().collect()
}

fn call_ids(turn: &Turn) -> Vec<Str> {
    turn.parts.iter().filter_map(|part| part.function_call.as_ref()?.id.clone()).collect()
}

impl Telling<'_> {
    fn base(&self) -> EventDraft {
        EventDraft::new(Kind::Notice, Vec::new(), self.source.clone())
    }

    /// Who made a call, where that is told on a branch.
    fn sub_agent_of(&self, at: usize) -> Option<&SubAgent> {
        self.asked[at].agent.as_ref().filter(|agent| self.apart.contains(&agent.span))
    }

    fn message(&mut self, message: Message) {
        // Results come first: what a sub-agent did stands behind the result of the call that it worked for.
        if message.turn.role != Role::Tool {
            self.sub_agents();
        }
        self.told.extend(message.id.clone());
        if message.turn.role == Role::Model {
            return self.answer(message);
        }
        let is_written = self.names_prompts && !message.is_prompt() && kind_of(&message.turn) == Kind::Prompt;
        let kind = is_written.then(|| {
            let is_result = message.id.as_ref().is_some_and(|id| self.observed.contains(id));
            let name = if is_result { "observation" } else { "client" };
            Kind::Injected(name.into())
        });
        let base = self.base();
        self.say(message, kind, base);
    }

    fn answer(&mut self, mut message: Message) {
        let base = self.base();
        let at = self.place_of(&message);
        if at.is_some_and(|at| self.sub_agent_of(at).is_some()) {
            return self.quote(message, base);
        }
        let Some((at, call)) = at.and_then(|at| Some((at, self.asked[at].call.take()?))) else {
            self.say(message, None, base);
            return;
        };
        self.last = Some(at);
        let calls = call_ids(&call.turn);
        // Logs leave out calls that only ended the work.
        let missing = left_out(&call.turn, &message.turn);
        message.turn.parts.extend(missing);
        let Call { usage, model, finish, time, body, .. } = call;
        let answer = self.say(message, None, EventDraft { time, model, finish, usage, ..base.clone() });
        self.record(answer, body);
        self.results(&calls, &base);
    }

    /// The call that a message answers: by its id or, where one has none, by its text. Those that are told already come
    /// last.
    fn place_of(&self, message: &Message) -> Option<usize> {
        let text = message.turn.text();
        let is_it = |asked: &Asked| match (&asked.id, &message.id) {
            (Some(own), Some(id)) => own == id,
            _ => asked.call.is_some() && asked.text == text,
        };
        let untold = self.asked.iter().position(|asked| asked.call.is_some() && is_it(asked));
        untold.or_else(|| self.asked.iter().position(is_it))
    }

    /// Adds a message. What it is follows from it where no kind is given.
    fn say(&mut self, message: Message, kind: Option<Kind>, say: EventDraft) -> Option<usize> {
        let Message { id, mut turn, unsent, .. } = message;
        let at = match kind {
            None => say_turn(self.draft, "message", turn, say)?,
            Some(_) if turn.parts.is_empty() => return None,
            Some(kind) => {
                turn.rest.remove("id");
                self.draft.note_rest("message", &turn.rest);
                self.draft.push(EventDraft { kind, id, parts: turn.parts, ..say })
            }
        };
        if let Some(unsent) = unsent {
            self.draft.mark(at, marks::TOOL_USE_RESULT, unsent);
        }
        Some(at)
    }

    /// Adds words of a model that answer no call where they stand.
    fn quote(&mut self, message: Message, say: EventDraft) {
        if let Some(at) = self.say(message, Some(Kind::Response), say) {
            self.draft.mark(at, marks::QUOTED, true);
        }
    }

    /// Adds a call whose answer is in no message.
    fn call(&mut self, id: Option<Str>, call: Call, base: &EventDraft) {
        let calls = call_ids(&call.turn);
        let Call { turn, usage, model, finish, time, body, .. } = call;
        let say = EventDraft { kind: Kind::Response, parts: turn.parts, id, ..base.clone() };
        let answer = self.draft.push(EventDraft { time, model, finish, usage, ..say });
        self.record(Some(answer), body);
        self.results(&calls, base);
    }

    fn record(&mut self, answer: Option<usize>, body: Option<Json>) {
        if let Some(body) = body {
            let (source, alignment) = (self.source.clone(), Alignment::default());
            self.draft.requests.push(RecordedRequest { answer, body, source, alignment });
        }
    }

    /// Adds what tools returned where no message says it.
    fn results(&mut self, calls: &[Str], base: &EventDraft) {
        for id in calls {
            if self.answered.contains(id) {
                continue;
            }
            if let Some(Returned { message, time, .. }) = self.returned.remove(id) {
                self.answered.insert(id.clone());
                let message = Message::read(message, self.pool, self.draft);
                self.say(message, None, EventDraft { time, ..base.clone() });
            }
        }
    }

    /// Tells what sub-agents were asked between the last answer and the next one that is in a message.
    fn sub_agents(&mut self) {
        let Some(last) = self.last else { return };
        for at in last + 1..self.asked.len() {
            if self.sub_agent_of(at).is_some() {
                self.sub_agent(at);
            } else if self.asked[at].id.as_ref().is_some_and(|id| self.ids.contains(id)) {
                break;
            }
        }
    }

    /// Tells a call of a sub-agent, with what is new in it.
    fn sub_agent(&mut self, at: usize) {
        let Asked { id, agent: Some(agent), call, .. } = &mut self.asked[at] else { return };
        let (id, agent) = (id.clone(), agent.clone());
        let Some(mut call) = call.take() else { return };
        let given = std::mem::take(&mut call.given);
        let mut lane = self.lanes.remove(&agent.span).unwrap_or_else(|| self.lane(&agent, &given));
        let base = EventDraft {
            agent: Some(agent.name).filter(|name| !name.is_empty()),
            branch: Some(lane.branch.clone()),
            ..self.base()
        };
        for message in given {
            if self.is_told(&message, &lane) {
                continue;
            }
            let message = Message::read(message, self.pool, self.draft);
            lane.told.extend(message.id.clone());
            self.answered.extend(message.answered().cloned());
            let kind = match kind_of(&message.turn) {
                Kind::Response => {
                    self.quote(message, base.clone());
                    continue;
                }
                // What a sub-agent is asked was written by the agent that called it.
                Kind::Prompt if message.is_prompt() => Some(Kind::Injected("task".into())),
                Kind::Prompt => Some(Kind::Injected("client".into())),
                Kind::Injected(_) | Kind::Results | Kind::Compaction | Kind::Notice => None,
            };
            self.say(message, kind, base.clone());
        }
        lane.told.extend(id.clone());
        self.call(id, call, &base);
        self.lanes.insert(agent.span, lane);
    }

    fn lane(&self, agent: &SubAgent, given: &[Json]) -> Lane {
        let mut ids = given.iter().filter_map(|message| message.get("id")?.as_text());
        let sees_main = ids.any(|id| self.told.contains(id));
        let span = agent.span.replace('.', "_");
        // By ADK's rule, what is below a branch sees it.
        let branch = if sees_main { format!("main.agent-{span}") } else { format!("agent.{span}") };
        Lane { branch: branch.into(), sees_main, told: HashSet::new() }
    }

    /// Whether a message that a sub-agent was given stands where it sees it.
    fn is_told(&self, message: &Json, lane: &Lane) -> bool {
        let text = |key: &str| message.get(key).and_then(Json::as_text);
        if text("tool_call_id").is_some_and(|id| self.answered.contains(id)) {
            return true;
        }
        match text("id") {
            Some(id) => lane.told.contains(id) || (lane.sees_main && self.told.contains(id)),
            None => !lane.told.is_empty(),
        }
    }

    /// Tells the calls whose answers are in no message: of sub-agents, and what tools and scorers asked models.
    fn rest(mut self) {
        for at in 0..self.asked.len() {
            if self.sub_agent_of(at).is_some() {
                self.sub_agent(at);
                continue;
            }
            let id = self.asked[at].id.clone();
            let Some(call) = self.asked[at].call.take() else { continue };
            let base = EventDraft { agent: Some("inspect.model".into()), ..self.base() };
            self.call(id, call, &base);
        }
        // Messages say what these returned.
        for _ in 0..self.returned.len() {
            self.draft.unmapped.field("events", "tool", &Json::Bool(true));
        }
    }
}
