//! Waste that comes back in places and files, read and looked through at once.

use std::path::PathBuf;

use super::examine::examine;
use super::file::{Content, HomeFile};
use super::joined::Joined;
use super::page::{Around, page};
use crate::api::home::{Get, HomeOrder, HomePage, HomeReading};
use crate::error::AppError;
use crate::places::{Environment, recording_places};
use crate::tables::TableSet;
use crate::usage::{Sources, newest_first, read_in_order};
use crate::watch::{Step, Watch};

/// What is asked.
#[derive(Debug, Clone)]
pub struct PatternQuestion {
    /// Files and folders; empty for all places where agents leave sessions.
    pub paths: Vec<PathBuf>,
    pub since: Option<String>,
    pub until: Option<String>,
    pub timezone: Option<String>,
}

/// The page of Home over what is named, with patterns and no sessions.
pub(crate) fn patterns_in(
    question: &PatternQuestion,
    tables: &TableSet,
    watch: &dyn Watch,
) -> Result<HomePage, AppError> {
    let PatternQuestion { paths, since, until, timezone } = question.clone();
    let places = if paths.is_empty() { recording_places(&Environment::present()) } else { Vec::new() };
    let sources = Sources::of(places, &paths);
    watch.begins(Step::Usage(None));
    let stopped = || AppError::bad_input("Stopped. Nothing was added up, and nothing was changed.");
    let read = std::sync::Mutex::new(Vec::new());
    read_in_order(&sources.files, &newest_first(&sources.files), watch, &|at, file| {
        read.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, file));
    });
    let mut read = read.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    read.sort_by_key(|(at, _)| *at);
    let mut files = Vec::new();
    for (at, file) in read {
        let Ok(sessions) = file.outcome else { continue };
        let examined = examine(&sources.files[at].file, tables, watch).ok_or_else(stopped)?;
        let content = Content::Sessions(sessions);
        let known =
            HomeFile { path: file.path, stamp: file.stamp, content, problem: None, examined: Some(examined) };
        files.push((known, sources.files[at].tool.clone()));
    }
    if watch.is_cancelled() {
        return Err(stopped());
    }
    let joined = Joined::of(files.iter().map(|(file, tool)| (file, tool.as_deref())));
    let asked =
        Get { filter: String::new(), since, until, timezone, order: HomeOrder::Newest, offset: 0, limit: 0 };
    page(&joined, &asked, &tables.prices, Around { reading: HomeReading::default(), before_ms: None })
}
