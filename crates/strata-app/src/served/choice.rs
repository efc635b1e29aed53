//! What an app is served with.

use std::path::PathBuf;

use crate::run::{ModelChoice, RunLimits};

/// What an app is served with.
#[derive(Debug, Clone)]
pub struct ServeChoice {
    /// Its configuration.
    pub app: PathBuf,
    /// `None`: the store of the data folder.
    pub database: Option<PathBuf>,
    pub model: ModelChoice,
    /// A script with the app's tools and nodes.
    pub tools: Option<PathBuf>,
    /// Of each context.
    pub limits: RunLimits,
}
