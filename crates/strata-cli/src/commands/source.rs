//! The arguments that say what a command is about.

use std::path::PathBuf;

use clap::Args;
use strata_app::report::Source;

#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// A file of any known format, the id of a stored session (or its beginning), or `sample`
    #[arg(value_name = "SESSION")]
    source: String,
    /// The store to look in; a file is imported into it
    ///
    /// Without it, a file is only read, and ids are looked up in the store of the data folder.
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// The app configuration to compile with (JSON or YAML), in place of what is stored or can be inferred
    #[arg(long, value_name = "FILE")]
    app: Option<PathBuf>,
}

impl SourceArgs {
    pub(crate) fn into_source(self) -> Source {
        Source { name: self.source, database: self.database, app: self.app }
    }
}
