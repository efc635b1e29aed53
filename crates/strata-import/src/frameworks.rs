//! What frameworks for agents keep of a run: their messages, their memories, their databases.

pub(crate) mod autogen;
pub(crate) mod crewai;
pub(crate) mod llama_index;
pub(crate) mod openai_agents;
pub(crate) mod pydantic_ai;
pub(crate) mod smolagents;
pub(crate) mod unread;
