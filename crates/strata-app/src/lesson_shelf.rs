//! The lessons that come with Strata, and those of files and of class files: what they say, and what stands beside them.
//! How they are graded is in [`crate::lessons`].

mod check;
mod lesson;
mod rows;
mod wanted;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use strata_import::{ImportedSession, import};
use strata_model::Fingerprint;
use strata_store::{AppConfig, AppConfigOrigin, Store};

use crate::api::lesson::LessonRow;
use crate::class_file::{self, Carried, CarriedLesson, ClassFile, ClassKind};
use crate::error::AppError;
use crate::kept_lessons::{KeptLesson, files_of, keep_lesson};
use crate::sample;
pub(crate) use check::{Check, Question};
pub(crate) use lesson::Lesson;
pub(crate) use wanted::wanted;

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../lessons/", $name)))),*]
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
pub(crate) struct Shelved {
    /// Of the file.
    pub name: String,
    /// As its author wrote it.
    pub text: String,
    pub lesson: Lesson,
    /// What a file beside the lesson holds.
    beside: Beside,
}

enum Beside {
    Bundled,
    Folder(std::path::PathBuf),
    /// By name.
    Carried(Arc<BTreeMap<String, Vec<u8>>>),
}

/// Under which a class file carries the sample: another Strata may come with another one.
const SAMPLE_FILES: [&str; 2] = ["sample.session.json", "sample.app.json"];

/// All that come with Strata.
pub(crate) fn bundled() -> Result<Vec<Shelved>, AppError> {
    LESSONS.iter().map(|(name, text)| Shelved::new(name, text, Beside::Bundled)).collect()
}

/// The lesson of a file, or the one that comes with Strata and has this id. Of a class file with several lessons one is
/// named as `FILE#ID`.
pub(crate) fn find(name: &str) -> Result<Shelved, AppError> {
    let path = Path::new(name);
    if path.is_file() {
        if class_file::kind_of(path) == Some(ClassKind::Lessons) {
            return find_in_class(name, path, None);
        }
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        return Shelved::new(name, &class_file::read_text(path, name)?, Beside::Folder(folder));
    }
    match name.rsplit_once('#').map(|(file, id)| (Path::new(file), id)) {
        Some((file, id)) if file.is_file() => find_in_class(name, file, Some(id)),
        _ => find_bundled(name),
    }
}

fn find_in_class(name: &str, path: &Path, id: Option<&str>) -> Result<Shelved, AppError> {
    let mut lessons = of_class(&ClassFile::read(path, &path.display().to_string())?)?;
    let at = match id {
        Some(id) => lessons.iter().position(|shelved| shelved.lesson.head.id == id),
        None if lessons.len() == 1 => Some(0),
        None => None,
    };
    match at {
        Some(at) => Ok(lessons.swap_remove(at)),
        None => {
            let ids: Vec<_> = lessons.iter().map(|shelved| &*shelved.lesson.head.id).collect();
            let (file, ids) = (path.display(), ids.join(", "));
            Err(AppError::not_found(match id {
                Some(_) => format!("{name} is not there: the lessons of {file} are {ids}."),
                None => format!("{file} holds several lessons: {ids}. Name one as {file}#ID."),
            }))
        }
    }
}

/// The lessons of a class file, each of which is one.
pub(crate) fn of_class(class: &ClassFile) -> Result<Vec<Shelved>, AppError> {
    let mut files = BTreeMap::new();
    for (name, carried) in &class.files {
        let bytes = carried.bytes();
        let bytes =
            bytes.ok_or_else(|| AppError::unreadable(format!("{name} in the class file is damaged.")))?;
        files.insert(name.clone(), bytes);
    }
    let files = Arc::new(files);
    let lessons = class.lessons.iter();
    lessons
        .map(|CarriedLesson { name, text }| Shelved::new(name, text, Beside::Carried(files.clone())))
        .collect()
}

/// Keeps the lessons of a class file, all of them or none. `name` is what people know it by. Returns them in their order.
pub(crate) fn add_class(store: &mut Store, path: &Path, name: &str) -> Result<Vec<LessonRow>, AppError> {
    let class = ClassFile::read(path, name)?;
    let lessons = of_class(&class)?;
    let mut whole: Vec<BTreeMap<String, Carried>> = Vec::new();
    let mut read = BTreeSet::new();
    for shelved in &lessons {
        // What it lacks is told now, and not when somebody begins it. Lessons share sessions.
        if read.insert(shelved.location()?) {
            shelved.session()?;
        }
        let names: Vec<String> = shelved.files()?.into_iter().map(|(name, _)| name).collect();
        let files = class.files.iter().filter(|(name, _)| names.contains(name));
        whole.push(files.map(|(name, carried)| (name.clone(), carried.clone())).collect());
    }
    for ((shelved, carried), files) in lessons.iter().zip(&class.lessons).zip(&whole) {
        keep_lesson(store, &shelved.lesson.head.id, carried, files)?;
    }
    Ok(lessons.iter().map(|shelved| LessonRow::from(&shelved.lesson)).collect())
}

/// A lesson that came in a class file, without what stands beside it.
pub(crate) fn of_kept(kept: &KeptLesson) -> Result<Shelved, AppError> {
    Shelved::new(&kept.lesson.name, &kept.lesson.text, Beside::Carried(Arc::default()))
}

/// With it.
pub(crate) fn of_kept_whole(store: &Store, kept: &KeptLesson) -> Result<Shelved, AppError> {
    let files = Arc::new(files_of(store, kept)?);
    Shelved::new(&kept.lesson.name, &kept.lesson.text, Beside::Carried(files))
}

/// The lesson that comes with Strata and has this id.
pub(crate) fn find_bundled(name: &str) -> Result<Shelved, AppError> {
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
    fn new(name: &str, text: &str, beside: Beside) -> Result<Self, AppError> {
        let lesson = Lesson::parse(name, text)?;
        Ok(Self { name: name.to_owned(), text: text.to_owned(), lesson, beside })
    }

    /// What it needs, by name: its session, and the app's configuration where there is one.
    pub(crate) fn files(&self) -> Result<Vec<(String, Vec<u8>)>, AppError> {
        let head = &self.lesson.head;
        if head.session == sample::NAME {
            let [session, app] = SAMPLE_FILES;
            let carried = |name: &str| -> Option<Vec<u8>> {
                let Beside::Carried(files) = &self.beside else { return None };
                files.get(name).cloned()
            };
            let (own_session, own_app) = sample::files();
            return Ok(vec![
                (session.to_owned(), carried(session).unwrap_or_else(|| own_session.to_vec())),
                (app.to_owned(), carried(app).unwrap_or_else(|| own_app.to_vec())),
            ]);
        }
        let names = [Some(&head.session), head.app.as_ref()].into_iter().flatten();
        names.map(|name| Ok((name.clone(), self.beside(name)?))).collect()
    }

    /// By which its session is known where it is stored: that of every lesson over the same one.
    pub(crate) fn location(&self) -> Result<String, AppError> {
        let session = &self.lesson.head.session;
        let files = match &self.beside {
            Beside::Bundled if session == sample::NAME => return Ok(sample::LOCATION.to_owned()),
            Beside::Bundled => return Ok(format!("lesson:{session}")),
            Beside::Folder(_) | Beside::Carried(_) => self.files()?,
        };
        let (own_session, own_app) = sample::files();
        if session == sample::NAME && files.iter().map(|(_, bytes)| &bytes[..]).eq([own_session, own_app]) {
            return Ok(sample::LOCATION.to_owned());
        }
        let content = files.iter().map(|(_, bytes)| Fingerprint::of(bytes)).reduce(Fingerprint::then);
        Ok(format!("lesson:{session} ({:08x})", content.unwrap_or_default().0 as u32))
    }

    /// The bytes of its session.
    pub(crate) fn session_bytes(&self) -> Result<Vec<u8>, AppError> {
        let first = self.files()?.into_iter().next();
        first.map(|(_, bytes)| bytes).ok_or_else(|| AppError::internal("A lesson needs no session."))
    }

    /// Its session, and the configuration of the app that it ran in, where there is one.
    pub(crate) fn session(&self) -> Result<(ImportedSession, Option<AppConfig>), AppError> {
        let head = &self.lesson.head;
        if self.location()? == sample::LOCATION {
            return Ok((sample::session()?, Some(sample::app_config())));
        }
        let read = import(&self.session_bytes()?);
        let mut sessions = read.sessions.into_iter();
        let (Some(session), None) = (sessions.next(), sessions.next()) else {
            return Err(AppError::unreadable(format!(
                "{}: the session of a lesson is a file that holds one session, and {} does not.",
                self.name, head.session
            )));
        };
        Ok((session, self.app()?))
    }

    /// The configuration beside it, if there is one.
    pub(crate) fn app(&self) -> Result<Option<AppConfig>, AppError> {
        let Some((name, bytes)) = self.files()?.into_iter().nth(1) else { return Ok(None) };
        let text = String::from_utf8(bytes)
            .map_err(|_| AppError::unreadable(format!("{}: {name} is not text.", self.name)))?;
        let format =
            if Path::new(&name).extension().is_some_and(|it| it == "json") { "json" } else { "yaml" };
        let format = format.to_owned();
        Ok(Some(AppConfig { origin: AppConfigOrigin::Given, format, text, location: None }))
    }

    /// What a file beside it holds.
    fn beside(&self, name: &str) -> Result<Vec<u8>, AppError> {
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
            Beside::Carried(files) => files.get(name).cloned().ok_or_else(|| {
                AppError::unreadable(format!("{}: the class file does not carry {name}.", self.name))
            }),
            Beside::Folder(folder) => std::fs::read(folder.join(name)).map_err(|error| {
                AppError::unreadable(format!(
                    "{}: its session {name}, which lies beside it, could not be read: {error}.",
                    self.name
                ))
            }),
        }
    }
}
