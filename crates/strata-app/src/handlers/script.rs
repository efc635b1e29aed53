//! Saved scripts.

use crate::Strata;
use crate::api::script::{Get, List, Remove, Save, ScriptList, ScriptSource};
use crate::command::Handler;
use crate::error::AppError;
use crate::script_folder::ScriptFolder;

fn folder(strata: &Strata) -> Result<ScriptFolder, AppError> {
    let database = strata.workspace.database();
    database.map(ScriptFolder::of_store).ok_or_else(|| {
        AppError::bad_input(
            "This Strata keeps nothing on disk, so scripts cannot be saved. Start it with a database.",
        )
    })
}

fn list(folder: &ScriptFolder) -> Result<ScriptList, AppError> {
    Ok(ScriptList { folder: folder.path().display().to_string(), scripts: folder.list()? })
}

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<ScriptList, AppError> {
        match strata.workspace.database() {
            Some(_) => list(&folder(strata)?),
            None => Ok(ScriptList { folder: String::new(), scripts: Vec::new() }),
        }
    }
}

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<ScriptSource, AppError> {
        let source = folder(strata)?.read(&self.name)?;
        Ok(ScriptSource { name: self.name, source })
    }
}

impl Handler for Save {
    fn run(self, strata: &Strata) -> Result<ScriptList, AppError> {
        let folder = folder(strata)?;
        folder.save(&self.name, &self.source, self.replaces)?;
        list(&folder)
    }
}

impl Handler for Remove {
    fn run(self, strata: &Strata) -> Result<ScriptList, AppError> {
        let folder = folder(strata)?;
        folder.remove(&self.name)?;
        list(&folder)
    }
}
