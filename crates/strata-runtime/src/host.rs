//! What a run asks of the world around it, and what it is given. There is no other way to a clock, to chance or to models.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use std::sync::Arc;
use strata_engine::{Compilation, Invocation};
use strata_model::{Content, Event, Json, LlmRequest, LlmResponse, Object, Part, Str};

use crate::halt::Failure;
use crate::services::SessionKey;

pub trait Clock: Send + Sync {
    /// Epoch seconds.
    fn now(&self) -> f64;
    fn sleep(&self, seconds: f64) -> BoxFuture<'static, ()>;
}

pub trait Chance: Send + Sync {
    /// A text that no other call returns, such as a UUID.
    fn new_id(&self) -> Str;
    /// A number between -1 and 1, all of them as likely.
    fn spread(&self) -> f64;
}

pub trait Models: Send + Sync {
    /// Asks a model. Several responses come where it streams.
    fn generate(&self, call: ModelCall) -> BoxStream<'static, Result<LlmResponse, Failure>>;
}

/// A request that is sent.
#[derive(Debug, Clone)]
pub struct ModelCall {
    /// Who asks; empty for a summary.
    pub agent: Str,
    /// The model's name, as configured.
    pub model: Str,
    /// The last stage of the compilation.
    pub request: Arc<LlmRequest>,
    pub is_streaming: bool,
}

/// Stands between the compiled request and the model.
pub trait Gate: Send + Sync {
    /// Called with every request before it is sent. It may hold it, and change it; what is returned is sent.
    fn before_call(&self, call: HeldCall) -> BoxFuture<'_, Result<LlmRequest, Failure>>;
}

/// A call that is about to be made.
#[derive(Debug, Clone)]
pub struct HeldCall {
    /// What was compiled, and by which settings.
    pub invocation: Invocation,
    /// The session that it is made in: agents that are tools have one of their own.
    pub session: SessionKey,
    /// How many events the session holds.
    pub n_events: usize,
    /// The whole state, with what lives for one run only.
    pub state: Object,
    /// What the agent was given that is never stored, with the number of events before it.
    pub input: Option<(usize, Arc<Event>)>,
    /// All stages; the last one is what is sent.
    pub compilation: Arc<Compilation>,
    /// The app's own code that was asked on the way.
    pub asked: Vec<AskedCode>,
}

/// A plugin or a callback that was asked before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedCode {
    pub hook: strata_engine::Hook,
    /// The place among the stages of the one that it made.
    pub stage: usize,
}

/// Lets every call pass.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenGate;

impl Gate for OpenGate {
    fn before_call(&self, call: HeldCall) -> BoxFuture<'_, Result<LlmRequest, Failure>> {
        Box::pin(async move { Ok(call.compilation.working_context()) })
    }
}

/// What a tool returned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    pub value: Json,
    /// Files it returned, apart from the value.
    pub media: Vec<Part>,
}

impl ToolResult {
    pub fn new(value: impl Into<Json>) -> Self {
        Self { value: value.into(), media: Vec::new() }
    }

    pub(crate) fn is_truthy(&self) -> bool {
        self.value.is_truthy() || !self.media.is_empty()
    }
}

/// Whose hook it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookOwner<'a> {
    Plugin { name: &'a str },
    Agent { name: &'a str },
}

/// The points of a run at which code is asked.
pub enum HookPoint<'a> {
    OnUserMessage { message: &'a Content },
    BeforeRun,
    AfterRun,
    OnRunError { failure: &'a Failure },
    OnEvent { event: &'a Event },
    BeforeAgent { agent: &'a str },
    AfterAgent { agent: &'a str },
    OnAgentError { agent: &'a str, failure: &'a Failure },
    BeforeModel { agent: &'a str, request: &'a mut LlmRequest },
    AfterModel { agent: &'a str, response: &'a LlmResponse },
    OnModelError { agent: &'a str, request: &'a LlmRequest, failure: &'a Failure },
    BeforeTool { tool: &'a str, args: &'a mut Object },
    AfterTool { tool: &'a str, args: &'a mut Object, result: &'a ToolResult },
    OnToolError { tool: &'a str, args: &'a mut Object, failure: Option<&'a Failure> },
}

/// What a hook answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Nothing,
    /// To a hook of an agent, or of the run's beginning.
    Content(Content),
    /// To a hook of a model's call.
    Response(Box<LlmResponse>),
    /// To a hook of a tool's call.
    Result(ToolResult),
    /// To `on_event`: the fields to set, in ADK's JSON.
    Event(Object),
}

/// What a node gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Its output; null is none.
    Output(Json),
    Content(Content),
    Event(Box<Event>),
    Input(RequestInput),
}

/// A question to the user, which interrupts the node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestInput {
    /// By which the answer is known; made up if absent.
    pub id: Option<Str>,
    pub message: Option<Str>,
    pub payload: Option<Json>,
    /// JSON Schema the answer is checked against.
    pub response_schema: Option<Json>,
}

/// What goes from node to node.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Json(Json),
    /// What the user said.
    Content(Arc<Content>),
    /// What a join has gathered.
    Joined(Vec<(Str, Value)>),
}

impl Value {
    pub const NONE: Self = Self::Json(Json::Null);

    pub fn is_none(&self) -> bool {
        matches!(self, Self::Json(Json::Null))
    }

    /// As an event holds it.
    pub fn to_json(&self) -> Json {
        use strata_model::FromJson as _;
        match self {
            Self::Json(json) => json.clone(),
            Self::Content(content) => content.to_json(),
            Self::Joined(values) => {
                values.iter().map(|(name, value)| (name.clone(), value.to_json())).collect::<Object>().into()
            }
        }
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        Self::Json(json)
    }
}
