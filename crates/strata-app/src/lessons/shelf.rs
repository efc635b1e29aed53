//! The lessons that come with Strata, and those of files.

use std::path::Path;

use strata_import::{ImportedSession, import};
use strata_store::{AppConfig, AppConfigOrigin};

use super::lesson::Lesson;
use crate::error::AppError;
use crate::sample;

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../lessons/", $name)))),*]
    };
}

/// Names of files in `lessons/`, in the order in which lessons are taken.
const LESSONS: &[(&str, &str)] = bundled![
    "01-append-everything.md",
    "02-tiers.md",
    "03-stages.md",
    "04-filtering.md",
    "05-compaction.md",
    "06-prefixes.md",
    "07-artifacts.md",
    "08-memory.md",
    "09-hand-off.md",
    "10-seven-fixes.md",
    "11-coding-agent.md",
];

/// Sessions and configurations beside them.
const SESSIONS: &[(&str, &str)] = bundled!["garden.jsonl", "ads.session.json", "ads.app.json"];

/// A lesson with what stands beside it.
pub(super) struct Shelved {
    /// Of the file.
    pub name: String,
    pub lesson: Lesson,
    /// What a file beside the lesson holds.
    beside: Beside,
}

enum Beside {
    Bundled,
    Folder(std::path::PathBuf),
}

/// All that come with Strata.
pub(super) fn bundled() -> Result<Vec<Shelved>, AppError> {
    LESSONS.iter().map(|(name, text)| of_bundled(name, text)).collect()
}

fn of_bundled(name: &str, text: &str) -> Result<Shelved, AppError> {
    Ok(Shelved { name: name.to_owned(), lesson: Lesson::parse(name, text)?, beside: Beside::Bundled })
}

/// The lesson of a file, or the one that comes with Strata and has this id.
pub(super) fn find(name: &str) -> Result<Shelved, AppError> {
    let path = Path::new(name);
    if path.is_file() {
        let text = std::fs::read_to_string(path)
            .map_err(|error| AppError::unreadable(format!("{name} could not be read: {error}.")))?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        return Ok(Shelved {
            name: name.to_owned(),
            lesson: Lesson::parse(name, &text)?,
            beside: Beside::Folder(folder),
        });
    }
    find_bundled(name)
}

/// The lesson that comes with Strata and has this id.
pub(super) fn find_bundled(name: &str) -> Result<Shelved, AppError> {
    let mut lessons = bundled()?;
    match lessons.iter().position(|shelved| shelved.lesson.head.id == name) {
        Some(at) => Ok(lessons.swap_remove(at)),
        None => {
            let ids: Vec<_> = lessons.iter().map(|shelved| shelved.lesson.head.id.as_str()).collect();
            Err(AppError::not_found(format!(
                "{name} is neither a file nor a lesson that comes with Strata. Those are {}.",
                ids.join(", ")
            )))
        }
    }
}

impl Shelved {
    /// Its session, and the configuration of the app that it ran in, where there is one.
    pub(super) fn session(&self) -> Result<(ImportedSession, Option<AppConfig>), AppError> {
        let head = &self.lesson.head;
        if head.session == sample::NAME {
            return Ok((sample::session()?, Some(sample::app_config())));
        }
        let read = import(&self.beside(&head.session)?);
        let mut sessions = read.sessions.into_iter();
        let (Some(session), None) = (sessions.next(), sessions.next()) else {
            return Err(AppError::unreadable(format!(
                "{}: the session of a lesson is a file that holds one session, and {} does not.",
                self.name, head.session
            )));
        };
        Ok((session, self.app()?))
    }

    /// The configuration beside it, if it names one.
    pub(super) fn app(&self) -> Result<Option<AppConfig>, AppError> {
        let Some(name) = &self.lesson.head.app else { return Ok(None) };
        let text = String::from_utf8(self.beside(name)?)
            .map_err(|_| AppError::unreadable(format!("{}: {name} is not text.", self.name)))?;
        let format = if Path::new(name).extension().is_some_and(|it| it == "json") { "json" } else { "yaml" };
        let format = format.to_owned();
        Ok(Some(AppConfig { origin: AppConfigOrigin::Given, format, text, location: None }))
    }

    /// What a file beside it holds.
    pub(super) fn beside(&self, name: &str) -> Result<Vec<u8>, AppError> {
        let is_name = Path::new(name).file_name().is_some_and(|only| only == name);
        if !is_name {
            return Err(AppError::bad_input(format!(
                "{}: {name} is not the name of a file in the folder of the lesson.",
                self.name
            )));
        }
        match &self.beside {
            Beside::Bundled => {
                let known = SESSIONS.iter().find(|(known, _)| *known == name);
                known.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| {
                    AppError::internal(format!("{}: {name} does not come with Strata.", self.name))
                })
            }
            Beside::Folder(folder) => std::fs::read(folder.join(name)).map_err(|error| {
                AppError::unreadable(format!(
                    "{}: its session {name}, which lies beside it, could not be read: {error}.",
                    self.name
                ))
            }),
        }
    }
}
