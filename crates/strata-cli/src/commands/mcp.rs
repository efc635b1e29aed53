//! `strata mcp`: what agents ask about their own contexts.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_mcp::{Listening, Options};
use tokio::runtime::Handle;

use crate::interrupt::interrupted;
use crate::output;

/// Answers agents that ask about their own contexts, over the Model Context Protocol
///
/// Ten tools say why a prompt is long, what broke its cache, what a compaction would lose or has lost, what a session and its
/// sub-agents cost, and how far it is to the limit. Nothing is written, and nothing leaves this computer.
///
/// Clients start it and talk to it by its input and output:
///
///   claude mcp add strata -- strata mcp
///   codex mcp add strata -- strata mcp
///   gemini mcp add -s user strata strata mcp
///
/// With `--http` it listens on this computer for clients that come over HTTP, and asks them for the token of a file that it
/// names.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Mcp {
    /// Listen on the loopback address instead of talking by input and output
    #[arg(long)]
    http: bool,
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 0, requires = "http")]
    port: u16,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
}

impl Mcp {
    pub(crate) fn run(self, runtime: &Handle) -> Result<ExitCode> {
        let options = Options { database: self.database };
        if self.http {
            let stop = interrupted(runtime);
            runtime.block_on(strata_mcp::http(options, self.port, stop, |listening| {
                announce(listening);
                Ok(())
            }))?;
        } else {
            strata_mcp::stdio(options, runtime)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn announce(Listening { url, token_file }: &Listening) {
    output::note(&format!(
        "Listens on {url}\nIt asks for the token in {}, as `Authorization: Bearer TOKEN`. Stop with Ctrl-C.",
        token_file.display()
    ));
}
