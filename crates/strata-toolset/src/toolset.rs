//! A source of tools that is open.

use strata_model::{Json, Object};

use crate::api::Interface;
use crate::mcp::Server;
use crate::source::ToolSource;

/// Tools, and who answers them. Letting go of it ends what was started for it, at once.
#[derive(Debug)]
pub struct Toolset {
    tools: Vec<Object>,
    open: Open,
}

#[derive(Debug)]
enum Open {
    Mcp(Box<Server>),
    Api(Box<Interface>),
}

impl Toolset {
    /// Starts or connects what the source names. The error is a sentence without its end, such as "it cannot be started:
    /// no such file".
    pub async fn open(source: ToolSource) -> Result<Self, String> {
        let (tools, open) = match source {
            ToolSource::Mcp(server) => {
                let (server, tools) = Server::open(server).await?;
                (tools, Open::Mcp(Box::new(server)))
            }
            ToolSource::Api(api) => {
                let (interface, tools) = Interface::open(api)?;
                (tools, Open::Api(Box::new(interface)))
            }
        };
        Ok(Self { tools, open })
    }

    /// What a model is told of each tool: a `FunctionDeclaration` in camelCase, in the order of a request.
    pub fn tools(&self) -> &[Object] {
        &self.tools
    }

    /// Looks whether the server is still there, and connects it again where it is not.
    pub async fn ready(&self) -> Result<(), String> {
        match &self.open {
            Open::Mcp(server) => server.ready().await,
            Open::Api(_) => Ok(()),
        }
    }

    /// What a tool answers. The error is for the agent that called it.
    pub async fn call(&self, tool: &str, args: &Object) -> Result<Json, String> {
        match &self.open {
            Open::Mcp(server) => {
                let called = server.call(tool, args).await;
                called.map_err(|problem| format!("MCP tool execution failed: {problem}"))
            }
            Open::Api(interface) => interface.call(tool, args).await,
        }
    }

    /// Ends what was started, and gives it a moment to end by itself.
    pub async fn close(&self) {
        if let Open::Mcp(server) = &self.open {
            server.close().await;
        }
    }
}
