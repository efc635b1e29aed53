//! `strata lessons class`: lessons with their sessions in one file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::class_page::class_page;
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::api::lesson::LessonRow;
use crate::class_file::{self, Carried, CarriedLesson, ClassFile};
use crate::error::AppError;
use crate::lesson_shelf as shelf;
use crate::report::{FileDiagnostic, VERSION};
use crate::show::words::counted;

/// What goes into a class file.
#[derive(Debug, Clone)]
pub struct ClassChoice {
    /// Ids of lessons that come with Strata, and files.
    pub lessons: Vec<String>,
    /// Ends in `.strata` or `.html`.
    pub out: PathBuf,
    pub masks_secrets: bool,
}

/// The document of `strata lessons class`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassReport {
    pub version: u32,
    /// The file that was written.
    pub file: PathBuf,
    pub bytes: u64,
    pub lessons: Vec<LessonRow>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Writes a class file.
pub fn class(choice: &ClassChoice) -> Result<ClassReport, AppError> {
    let is_page = match choice.out.extension().and_then(|it| it.to_str()) {
        Some("strata") => false,
        Some("html") => true,
        _ => {
            return Err(AppError::bad_input(format!(
                "{} was not written: a class file ends in .strata, or in .html to be read in a browser, too.",
                choice.out.display()
            )));
        }
    };
    let (class, rows, n_masked) = gathered(&choice.lessons, choice.masks_secrets)?;
    let text = if is_page { class_page(&class)? } else { class.to_json()? + "\n" };
    std::fs::write(&choice.out, &text).map_err(|error| {
        AppError::bad_input(format!("{} could not be written: {error}.", choice.out.display()))
    })?;
    let mut diagnostics = Vec::new();
    if n_masked > 0 {
        let message = format!(
            "{} masked. What goals measure may be other than before: `strata lessons check` tells.",
            counted(n_masked, "secret")
        );
        let code = "masked-secrets".to_owned();
        let row = DiagnosticRow { severity: DiagnosticSeverity::Info, code, message, at: String::new() };
        diagnostics.push(FileDiagnostic::new("", row));
    }
    let (file, bytes) = (choice.out.clone(), text.len() as u64);
    Ok(ClassReport { version: VERSION, file, bytes, lessons: rows, diagnostics })
}

/// Lessons with what they need, and how many secrets were masked.
fn gathered(names: &[String], masks_secrets: bool) -> Result<(ClassFile, Vec<LessonRow>, usize), AppError> {
    let (mut lessons, mut rows): (Vec<CarriedLesson>, Vec<LessonRow>) = (Vec::new(), Vec::new());
    let (mut files, mut n_masked) = (BTreeMap::new(), 0);
    for name in names {
        let shelved = shelf::find(name)?;
        let row = LessonRow::from(&shelved.lesson);
        if rows.iter().any(|known| known.id == row.id) {
            return Err(AppError::bad_input(format!(
                "Two lessons are called {}; nothing was written.",
                row.id
            )));
        }
        for (file, bytes) in shelved.files()? {
            let (carried, n) = Carried::of(bytes, masks_secrets);
            match files.get(&file) {
                None => {
                    n_masked += n;
                    files.insert(file, carried);
                }
                Some(known) if *known == carried => {}
                Some(_) => {
                    return Err(AppError::bad_input(format!(
                        "Two lessons have another {file} beside them; nothing was written. Give one of them another name."
                    )));
                }
            }
        }
        let name = Path::new(&shelved.name)
            .file_name()
            .map_or_else(|| shelved.name.clone(), |name| name.to_string_lossy().into_owned());
        lessons.push(CarriedLesson { name, text: shelved.text });
        rows.push(row);
    }
    let (format, version) = (class_file::LESSONS.to_owned(), class_file::VERSION);
    Ok((ClassFile { format, version, lessons, files }, rows, n_masked))
}
