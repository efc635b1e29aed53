//! Results of tools that were too large for the transcript: the model was given their beginning and the name of a file.

use std::sync::Arc;

use strata_model::Json;

use crate::imported::ImportedSession;
use crate::marks;

/// What stands before the path in the result.
const SAVED: &str = "Full output saved to: ";
const OUTPUT: &str = "<persisted-output>";

impl ImportedSession {
    /// Events with a result that was too large, and the name of the file in the session's `tool-results` folder that
    /// holds all of it.
    pub fn full_outputs(&self) -> Vec<(usize, String)> {
        let events = self.session.events.iter().enumerate();
        let named = events.flat_map(|(at, event)| {
            let parts = event.parts().iter();
            let results = parts.filter_map(|part| part.function_response.as_ref()?.response.as_ref());
            let texts = results.flat_map(|response| response.values()).filter_map(Json::as_str);
            texts.filter_map(file_name).map(move |name| (at, name))
        });
        named.collect()
    }

    /// The whole of a result, where it was put beside it.
    pub fn full_output(&self, event: usize, file: &str) -> Option<&str> {
        let custom = self.session.events.get(event)?.custom_metadata.as_ref()?;
        custom.get(marks::FULL_OUTPUT)?.get(file)?.as_str()
    }

    /// Puts the whole of a result beside what the model was given of it, which stays what it is.
    pub fn add_full_output(&mut self, event: usize, file: &str, text: &str) {
        let Some(event) = self.session.events.get_mut(event).map(Arc::make_mut) else { return };
        let custom = event.custom_metadata.get_or_insert_default();
        let mut outputs =
            custom.get(marks::FULL_OUTPUT).and_then(Json::as_object).cloned().unwrap_or_default();
        outputs.insert(file, text);
        custom.insert(marks::FULL_OUTPUT, Json::Object(outputs));
    }
}

/// The last name of the path that a result ends with: where the folder stood is no matter.
fn file_name(text: &str) -> Option<String> {
    let text = text.trim_start().strip_prefix(OUTPUT)?;
    let path = text.split_once(SAVED)?.1.lines().next()?.trim();
    let (folder, name) = path.rsplit_once(['/', '\\'])?;
    let is_plain = !name.is_empty() && !name.starts_with('.');
    (is_plain && folder.ends_with("tool-results")).then(|| name.to_owned())
}
