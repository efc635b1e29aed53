//! What is known of a file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::api::common::Remedy;
use crate::import::Stamp;
use crate::usage::UsedSession;

/// A file of a place, with what was read of it.
#[derive(Debug, Clone)]
pub(crate) struct HomeFile {
    pub path: PathBuf,
    pub stamp: Stamp,
    pub content: Content,
    /// What is missing of it, in words.
    pub problem: Option<String>,
    /// One for each session; `None` until it was looked through.
    pub examined: Option<Vec<Examined>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    Sessions(Vec<UsedSession>),
    /// There is none in it.
    Nothing,
    Unread(String),
}

/// What looking through a session found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Examined {
    /// How long a prompt its model takes.
    pub limit: Option<u64>,
    /// The costliest first.
    pub found: Vec<Found>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    pub code: String,
    pub title: String,
    pub advice: String,
    pub tokens: u64,
    pub cost: Option<f64>,
    pub first_call: Option<u32>,
    pub remedy: Option<Remedy>,
}

impl HomeFile {
    pub(crate) fn sessions(&self) -> &[UsedSession] {
        match &self.content {
            Content::Sessions(sessions) => sessions,
            Content::Nothing | Content::Unread(_) => &[],
        }
    }

    pub(crate) fn needs_look(&self) -> bool {
        self.examined.is_none() && !self.sessions().is_empty()
    }
}
