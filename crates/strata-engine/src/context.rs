//! Everything one compile may look at.

use std::collections::BTreeSet;
use std::sync::Arc;

use strata_model::app::{AgentMode, ContextCacheConfig, IncludeContents, ModelFamily, ModelSpec};
use strata_model::{Agent, Content, Contents, EventIndex, NodePath, Object, RecordedCall, Str};

use crate::answers::Answers;
use crate::app_index::{AgentId, AppIndex};
use crate::artifacts::Artifacts;
use crate::backend::Backend;
use crate::log::EventView;
use crate::memory::Memory;
use crate::models;
use crate::state_history::StateView;

/// The run an agent's request belongs to: the fields of ADK's `InvocationContext` that matter to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    pub agent: Str,
    pub invocation_id: Str,
    pub branch: Option<Str>,
    pub isolation_scope: Option<Str>,
    pub node_path: NodePath,
    /// What the user said to start the run.
    pub user_content: Option<Arc<Content>>,
    /// As the runner changed it for this run; None: the agent's own.
    pub mode: Option<AgentMode>,
    /// As the runner changed it for this run; None: the agent's own.
    pub include_contents: Option<IncludeContents>,
    /// Plugins that take part; None: all of the app's.
    pub plugins: Option<Vec<Str>>,
    /// Cache configuration of this run where it is not the app's.
    pub context_cache_config: Option<ContextCacheConfig>,
    /// False where the run ignores the app's compaction configuration, as inside an agent tool.
    pub is_compaction_active: bool,
    /// Toolsets that could not be opened, by their place among the agent's tools.
    pub closed_toolsets: Vec<usize>,
    /// It is a node that was given something which is not known: its workflow or the code that ran it said more than
    /// events hold.
    pub is_input_unknown: bool,
    pub run_config: RunConfig,
}

impl Invocation {
    /// A run of `agent` without branch, scope or any setting of its own.
    pub fn new(agent: impl Into<Str>, invocation_id: impl Into<Str>) -> Self {
        Self {
            agent: agent.into(),
            invocation_id: invocation_id.into(),
            branch: None,
            isolation_scope: None,
            node_path: NodePath::default(),
            user_content: None,
            mode: None,
            include_contents: None,
            plugins: None,
            context_cache_config: None,
            is_compaction_active: true,
            closed_toolsets: Vec::new(),
            is_input_unknown: false,
            run_config: RunConfig::default(),
        }
    }
}

/// The fields of ADK's `RunConfig` that change requests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunConfig {
    pub labels: Option<Object>,
    /// camelCase.
    pub http_options: Option<Object>,
    pub model_input_context: Vec<Content>,
    pub include_thoughts_from_other_agents: bool,
    pub service_tier: Option<Str>,
    pub support_cfc: bool,
}

/// What exists beside the session. `None`: the app runs without that service, or, of a recorded session, it is not known
/// what the service held.
#[derive(Debug, Clone, Default)]
pub struct Services {
    pub artifacts: Option<Arc<Artifacts>>,
    pub artifacts_known: ArtifactsKnown,
    pub memory: Option<Memory>,
}

/// How much is known of the artifacts beside a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ArtifactsKnown {
    /// All there is: one that cannot be loaded cannot be loaded by the app either.
    #[default]
    All,
    /// All names. What was in one that cannot be loaded is not known.
    Names,
    /// Those that events of the session tell of, and nothing of what was in them.
    Told,
}

/// All inputs of one compile, frozen.
#[derive(Clone)]
pub struct CompileContext<'c> {
    pub index: &'c AppIndex,
    pub agent_id: AgentId,
    pub invocation: &'c Invocation,
    pub events: EventView<'c>,
    /// State as the call saw it.
    pub state: StateView<'c>,
    pub session: SessionIds<'c>,
    pub services: &'c Services,
    pub backend: Backend,
    pub source: CallSource,
    /// What models and tools answered to work on the way.
    pub answers: &'c Answers,
    /// What the request was made from, where a recorder saw that.
    pub recorded: Option<&'c RecordedCall>,
    /// What the recorded code was given, where edits changed events since.
    pub unedited: Option<&'c UneditedContents>,
}

/// What stages of a call were given before edits changed events of the session.
#[derive(Debug)]
pub struct UneditedContents {
    /// By the stage's name.
    pub by_stage: Vec<(Str, Contents)>,
    /// The events that were changed or dropped.
    pub changed: BTreeSet<EventIndex>,
}

/// Where a compiled call comes from, which decides what a gap in the inputs means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallSource {
    /// About to happen: what ADK would stop at stops the compile.
    Live,
    /// As live, by a runner that does the work on the way itself: what came of it is in the history.
    Running,
    /// Happened, so whatever it needed was there: a gap is reported and left visible.
    Recorded,
}

/// Who a session belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionIds<'c> {
    pub app_name: &'c str,
    pub user_id: &'c str,
    pub session_id: &'c str,
}

impl<'c> CompileContext<'c> {
    pub fn agent(&self) -> &'c Arc<Agent> {
        self.index.agent(self.agent_id)
    }

    pub fn model(&self) -> &'c ModelSpec {
        self.index.model(self.agent_id)
    }

    pub fn mode(&self) -> AgentMode {
        self.invocation.mode.or(self.agent().mode).unwrap_or(AgentMode::Chat)
    }

    pub fn include_contents(&self) -> IncludeContents {
        self.invocation.include_contents.or(self.agent().include_contents).unwrap_or(IncludeContents::Default)
    }

    /// Whether the model can be given a response schema together with tools.
    pub fn can_combine_schema_and_tools(&self) -> bool {
        let model = self.model();
        match model.family {
            ModelFamily::Gemini | ModelFamily::GeminiWire => {
                self.backend == Backend::Vertex && models::is_gemini(&model.name)
            }
            ModelFamily::LiteLlm | ModelFamily::Other => model.output_schema_and_tools,
            ModelFamily::Unknown => false,
        }
    }

    pub fn cache_config(&self) -> Option<&'c ContextCacheConfig> {
        self.invocation.context_cache_config.as_ref().or(self.index.app().context_cache_config.as_ref())
    }
}
