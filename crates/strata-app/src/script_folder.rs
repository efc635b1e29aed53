//! Scripts that are kept: plain JavaScript files in one folder, to be used again and passed on.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::api::script::SavedScript;
use crate::data_folder::{default_database, scripts_folder};
use crate::error::AppError;
use crate::show::words::listed;

const EXTENSION: &str = "js";
/// Characters of a name.
const MAX_NAME: usize = 64;
/// Bytes of a script that is read; longer files are something else.
const MAX_BYTES: u64 = 1 << 20;
/// Names that Windows keeps for devices, in any case and with any ending.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];

/// The folder of saved scripts. It is made when the first one is saved.
#[derive(Debug, Clone)]
pub(crate) struct ScriptFolder {
    path: PathBuf,
}

impl ScriptFolder {
    /// The folder that belongs to a store.
    pub(crate) fn of_store(database: &Path) -> Self {
        Self { path: scripts_folder(database) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// All scripts in the folder, by name.
    pub(crate) fn list(&self) -> Result<Vec<SavedScript>, AppError> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.unusable(&error)),
        };
        let mut scripts = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| self.unusable(&error))?.path();
            let is_script =
                path.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file();
            if let (true, Some(name)) = (is_script, path.file_stem().and_then(|stem| stem.to_str())) {
                scripts.push(described(name, &path));
            }
        }
        scripts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(scripts)
    }

    /// The text of a saved script.
    pub(crate) fn read(&self, name: &str) -> Result<String, AppError> {
        let path = self.file(&checked_name(name)?);
        if !path.is_file() {
            return Err(self.missing(name));
        }
        read_script(&path)
    }

    /// Writes a script, whole or not at all. One that is there already is replaced only if `replaces` says so.
    pub(crate) fn save(&self, name: &str, source: &str, replaces: bool) -> Result<SavedScript, AppError> {
        let name = checked_name(name)?;
        let path = self.file(&name);
        let exists = || {
            AppError::bad_input(format!(
                "There is a script `{name}` already, and it was left as it is. Choose another name, or replace it."
            ))
        };
        if !replaces && path.exists() {
            return Err(exists());
        }
        fs::create_dir_all(&self.path).map_err(|error| self.unusable(&error))?;
        let mut file = tempfile::NamedTempFile::new_in(&self.path).map_err(|error| self.unusable(&error))?;
        file.write_all(source.as_bytes())
            .and_then(|()| file.as_file().sync_all())
            .map_err(|error| self.unusable(&error))?;
        readable_by_all(file.as_file());
        let persisted = if replaces { file.persist(&path) } else { file.persist_noclobber(&path) };
        match persisted {
            Ok(_) => Ok(described(&name, &path)),
            // Somebody else was quicker.
            Err(refused) if refused.error.kind() == std::io::ErrorKind::AlreadyExists => Err(exists()),
            Err(refused) => Err(self.unusable(&refused.error)),
        }
    }

    pub(crate) fn remove(&self, name: &str) -> Result<(), AppError> {
        match fs::remove_file(self.file(&checked_name(name)?)) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(self.missing(name)),
            Err(error) => Err(self.unusable(&error)),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.{EXTENSION}"))
    }

    fn missing(&self, name: &str) -> AppError {
        let names: Vec<String> =
            self.list().unwrap_or_default().into_iter().map(|script| format!("`{}`", script.name)).collect();
        let known = match names.as_slice() {
            [] => format!("No script is saved in {}.", self.path.display()),
            names => format!("Saved are {}.", listed(names)),
        };
        AppError::not_found(format!("There is no script `{name}`. {known}"))
    }

    fn unusable(&self, error: &std::io::Error) -> AppError {
        AppError {
            detail: Some(error.to_string()),
            ..AppError::unreadable(format!(
                "The folder of saved scripts cannot be used: {}. Nothing in it was changed.",
                self.path.display()
            ))
        }
    }
}

/// What a person named for a script: a file, or one that is saved with a store (absent: the one in the data folder).
/// Returns its name in a flow, and its text.
pub(crate) fn find_script(named: &str, database: Option<&Path>) -> Result<(String, String), AppError> {
    let path = Path::new(named);
    if path.is_file() {
        let stem =
            path.file_stem().map_or_else(|| named.to_owned(), |stem| stem.to_string_lossy().into_owned());
        return Ok((stem, read_script(path)?));
    }
    let is_path = path.components().count() != 1;
    if is_path {
        return Err(AppError::unreadable(format!(
            "{named} cannot be used as a script: there is no such file."
        )));
    }
    let name = checked_name(named)?;
    let database = database.map_or_else(default_database, |database| Ok(database.to_owned()))?;
    let source = ScriptFolder::of_store(&database).read(&name).map_err(|error| AppError {
        message: format!("{named} is neither a file nor a saved script. {}", error.message),
        ..error
    })?;
    Ok((name, source))
}

/// Reads a file that is a script.
fn read_script(path: &Path) -> Result<String, AppError> {
    let unreadable = |reason: String| {
        AppError::unreadable(format!("{} cannot be used as a script: {reason}.", path.display()))
    };
    let length = fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
    if length > MAX_BYTES {
        return Err(unreadable(format!("it has {length} bytes, and a script has at most {MAX_BYTES}")));
    }
    fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))
}

fn described(name: &str, path: &Path) -> SavedScript {
    let metadata = fs::metadata(path).ok();
    let changed = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    let summary = read_script(path).ok().and_then(|source| first_comment(&source)).unwrap_or_default();
    SavedScript {
        name: name.to_owned(),
        path: path.display().to_string(),
        bytes: metadata.map_or(0.0, |metadata| metadata.len() as f64),
        changed_ms: changed
            .and_then(|changed| changed.duration_since(UNIX_EPOCH).ok())
            .map_or(0.0, |since| since.as_millis() as f64),
        summary,
    }
}

/// A comment in the first line: what people write to say what a script does.
fn first_comment(source: &str) -> Option<String> {
    let line = source.trim_start_matches('\u{feff}').lines().next()?.trim();
    let text = line.strip_prefix("//").or_else(|| line.strip_prefix("/*"))?;
    let text = text.trim_matches(|c: char| c == '/' || c == '*' || c.is_whitespace());
    (!text.is_empty()).then(|| crate::show::words::cut(text, 120))
}

/// A name that is a file's name on every system, without the ending, which may be typed.
fn checked_name(name: &str) -> Result<String, AppError> {
    let name = name.trim();
    let name = name.strip_suffix(".js").unwrap_or(name).trim_end();
    let refusal = if name.is_empty() {
        "a script needs a name"
    } else if name.chars().count() > MAX_NAME {
        "it is longer than 64 characters"
    } else if name.starts_with('.') || name.ends_with('.') {
        "a name neither begins nor ends with a dot"
    } else if !name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '(' | ')')) {
        "a name has letters, digits, spaces and -_.() only, and no folders"
    } else if is_device(name) {
        "Windows keeps this name for a device"
    } else {
        return Ok(name.to_owned());
    };
    Err(AppError::bad_input(format!(
        "`{name}` cannot be the name of a script: {refusal}. Nothing was changed."
    )))
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let is_port = |kind: &str| {
        stem.strip_prefix(kind)
            .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    DEVICES.contains(&&*stem) || is_port("com") || is_port("lpt")
}

/// A temporary file is its owner's alone; a script is to be shared.
#[cfg(unix)]
fn readable_by_all(file: &fs::File) {
    use std::os::unix::fs::PermissionsExt as _;
    // A script that only its owner can read still is saved.
    let _ = file.set_permissions(fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn readable_by_all(_: &fs::File) {}
