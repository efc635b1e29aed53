//! The arguments that say what a command is about.

use std::path::PathBuf;

use clap::Args;
use strata_app::report::Source;

#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// A file of any known format, the id of a stored session (or its beginning) or experiment, or `sample`
    #[arg(value_name = "SESSION")]
    source: String,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// How sessions are read and compiled.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// The store to look in; a file is imported into it
    ///
    /// Without it, a file is only read, and ids are looked up in the store of the data folder.
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// The app configuration to compile with (JSON or YAML), in place of what is stored or can be inferred
    #[arg(long, value_name = "FILE")]
    app: Option<PathBuf>,
    /// Lay the edits of this file (JSON or YAML) over the session; may be given several times
    #[arg(long = "edit", value_name = "FILE")]
    edits: Vec<PathBuf>,
    /// Insert a script processor, a file or a saved one (see `strata scripts`); may be given several times
    #[arg(long = "script", value_name = "FILE|NAME")]
    scripts: Vec<String>,
    /// The processor before which scripts stand; the model call if it is left out
    #[arg(long, value_name = "NAME", requires = "scripts")]
    at: Option<String>,
    /// Count and price a session that names no model as if it had been sent to this one
    #[arg(long, value_name = "MODEL")]
    as_if: Option<String>,
    /// The folder in which google-adk's FileArtifactService keeps the files of a session; `.adk/artifacts` beside the
    /// session is found by itself
    #[arg(long, value_name = "FOLDER")]
    artifacts: Option<PathBuf>,
    /// What the app remembers: a database of SqliteMemoryService, a file of memories, sessions that were added to memory, or
    /// a recording of an app that searched it
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
}

impl SourceArgs {
    pub(crate) fn into_source(self) -> Source {
        self.reading.into_source(self.source)
    }
}

impl ReadingArgs {
    pub(crate) fn into_source(self, name: String) -> Source {
        let scripts = self.scripts.into_iter().map(|script| (script, self.at.clone())).collect();
        Source {
            name,
            database: self.database,
            app: self.app,
            edits: self.edits,
            scripts,
            as_if: self.as_if,
            artifacts: self.artifacts,
            memory: self.memory,
        }
    }
}
