//! Fields of an agent with a closed set of spellings.

use crate::decode::{Decoder, FromJson};
use crate::json::Json;

/// A field with a closed set of spellings.
macro_rules! word {
    ($(#[$meta:meta])* $name:ident: $expected:literal { $($(#[$variant_meta:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $name {
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl FromJson for $name {
            const EXPECTED: &'static str = $expected;

            fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
                match value.as_str() {
                    $(Some($word) => Ok(Self::$variant),)*
                    _ => Err(value),
                }
            }

            fn to_json(&self) -> Json {
                Json::from(self.as_str())
            }
        }
    };
}

word! {
    /// What an agent does with its turn.
    #[derive(Default)]
    AgentKind: "one of llm, sequential, parallel, loop, workflow, custom" {
        #[default]
        Llm = "llm",
        Sequential = "sequential",
        Parallel = "parallel",
        Loop = "loop",
        /// A graph of nodes; those that are agents are its sub-agents.
        Workflow = "workflow",
        Custom = "custom",
    }
}

crate::decode::always_written!(AgentKind);

impl AgentKind {
    /// The kind of one of google-adk's classes, named alone or with its module. `None`: a class of somebody else.
    pub fn from_class(class: &str) -> Option<Self> {
        let name = match class.rsplit_once('.') {
            Some((module, name)) if module.starts_with("google.adk.") => name,
            Some(_) => return None,
            None => class,
        };
        Some(match name {
            "" | "LlmAgent" | "Agent" => Self::Llm,
            "SequentialAgent" => Self::Sequential,
            "ParallelAgent" => Self::Parallel,
            "LoopAgent" => Self::Loop,
            "Workflow" => Self::Workflow,
            "BaseAgent" => Self::Custom,
            _ => return None,
        })
    }
}

word! {
    /// How much of the session an agent's requests carry.
    IncludeContents: "`default` or `none`" {
        Default = "default",
        /// The current turn only.
        None = "none",
    }
}

word! {
    AgentMode: "one of chat, task, single_turn" {
        Chat = "chat",
        Task = "task",
        SingleTurn = "single_turn",
    }
}

word! {
    /// Which of ADK's model classes carries the request; they differ in ids they keep and what they can combine.
    ModelFamily: "one of gemini, gemini_wire, lite_llm, other, unknown" {
        Gemini = "gemini",
        /// A Gemini model whose adapter is compiled too, down to the wire.
        GeminiWire = "gemini_wire",
        LiteLlm = "lite_llm",
        Other = "other",
        /// Nothing says which model it was, not even by name.
        Unknown = "unknown",
    }
}

word! {
    SchemaKind: "one of pydantic_model, list_of_pydantic_model, primitive, json_schema" {
        PydanticModel = "pydantic_model",
        ListOfPydanticModel = "list_of_pydantic_model",
        Primitive = "primitive",
        JsonSchema = "json_schema",
    }
}
