//! A program that is an MCP server, some of whose tools do what no tool should.

use std::path::{Path, PathBuf};

const SCRIPT: &str = include_str!("mcp_child.sh");

/// The program, written into a folder of the test's.
#[derive(Debug)]
pub struct McpChild {
    folder: PathBuf,
}

impl McpChild {
    /// Writes the program into a folder.
    ///
    /// # Panics
    /// If the folder cannot be written to.
    pub fn in_folder(folder: &Path) -> Self {
        std::fs::write(folder.join("server.sh"), SCRIPT).expect("the folder can be written to");
        Self { folder: folder.to_owned() }
    }

    /// The arguments with which `sh` runs it, in its folder.
    pub fn args(&self) -> [&'static str; 3] {
        ["server.sh", "pid", "started"]
    }

    /// Whether it runs. `None`: it never did.
    pub fn is_running(&self) -> Option<bool> {
        self.is_there("pid")
    }

    /// Whether what its tool `hang` started runs. `None`: it never did.
    pub fn is_started_running(&self) -> Option<bool> {
        self.is_there("started")
    }

    fn is_there(&self, file: &str) -> Option<bool> {
        let id = std::fs::read_to_string(self.folder.join(file)).ok()?;
        let status = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        // What has ended and was not waited for is `Z`.
        let state = status.rsplit(')').next().and_then(|rest| rest.trim_start().chars().next());
        Some(state.is_some_and(|state| state != 'Z'))
    }
}
