//! Tools, nodes and callbacks written in JavaScript: `export function NAME(args, context)`, in the sandbox that scripts
//! run in.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use strata_engine::ScriptFailure;
use strata_model::{Base64, Blob, Json, Object, Part, Str};
use strata_runtime::Context;
use strata_script::{Limits, QuickJs};

use crate::error::AppError;
use crate::run::listener::RunListener;

/// Tools may compute more than processors, which are run for every call of a session.
const LIMITS: Limits = Limits { time: Duration::from_secs(2), ..Limits::DEFAULT };

/// Letters of a file that a script is handed.
const MAX_FILE_TEXT: usize = 256 << 10;

/// A script with functions for tools, nodes and callbacks, by their names.
pub(crate) struct ToolScript {
    /// The name of its file.
    file: String,
    source: Arc<str>,
    functions: BTreeSet<String>,
    runner: Arc<QuickJs>,
}

/// What a function came to.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    pub result: Json,
    /// What it wrote to `context.state`; null for what it deleted.
    pub state: Object,
    /// What it wrote to `context.route`.
    pub route: Option<Json>,
    /// What it wrote to `context.artifacts`: a new version each.
    pub files: Vec<(String, Part)>,
    /// It set `context.remember`: the session is added to memory.
    pub remembers: bool,
    /// What it was lent in `context`, as it left it.
    pub lent: Object,
}

impl ToolScript {
    pub(crate) fn read(path: &Path) -> Result<Self, AppError> {
        let source = std::fs::read_to_string(path).map_err(|error| {
            AppError::unreadable(format!("The script {} cannot be read: {error}.", path.display()))
        })?;
        let named = path.display().to_string();
        // A script that cannot be read says so now, and not in the middle of a run.
        let script = Self::of(&named, &source)
            .map_err(|failure| AppError::unreadable(format!("{named} cannot be read: {failure}.")))?;
        if script.functions.is_empty() {
            return Err(AppError::unreadable(format!(
                "{named} exports no function. A tool is `export function NAME(args, context) {{ … }}`."
            )));
        }
        Ok(script)
    }

    /// The error says what is wrong with the script.
    pub(crate) fn of(file: &str, source: &str) -> Result<Self, ScriptFailure> {
        let runner = Arc::new(QuickJs::new(LIMITS));
        let exported = runner.exports(source).result?;
        let names = exported.as_array().unwrap_or_default().iter().filter_map(Json::as_str);
        let functions = names.map(str::to_owned).collect();
        Ok(Self { file: file.to_owned(), source: source.into(), functions, runner })
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    pub(crate) fn has(&self, function: &str) -> bool {
        self.functions.contains(function)
    }

    /// Calls a function with what it may see of the run. What is `lent` stands in its context, too, and may be changed
    /// there. The error is a sentence for the agent.
    pub(crate) async fn call(
        &self,
        function: &str,
        args: Json,
        lent: &Object,
        context: &Context,
        listener: &dyn RunListener,
    ) -> Result<Scripted, String> {
        let before = context.state();
        let files = texts(context).await?;
        let given = shown(context, &before, &files, lent);
        let (source, runner, name) = (self.source.clone(), self.runner.clone(), function.to_owned());
        let called = tokio::task::spawn_blocking(move || runner.call(&source, &name, &args, &given));
        let run =
            called.await.map_err(|_| format!("`{function}` failed in a way that Strata does not know."))?;
        for line in &run.console {
            listener.note(&format!("{function}: {}", line.text));
        }
        let result = run.result.map_err(|failure| format!("`{function}` failed: {failure}"))?;
        let mut both = result.as_array().unwrap_or_default().iter();
        let result = both.next().cloned().unwrap_or_default();
        let after = both.next().cloned().unwrap_or_default();
        let state = after.get("state").and_then(Json::as_object).map(|after| changes(&before, after));
        let route = after.get("route").filter(|route| !route.is_null()).cloned();
        let written = after.get("artifacts").and_then(Json::as_object).map(|after| changes(&files, after));
        // A file stays: what was taken out of the object is no version of anything.
        let written = written.unwrap_or_default().into_iter().filter(|(_, value)| !value.is_null());
        let files = written.map(|(name, value)| file(&name, &value));
        Ok(Scripted {
            result,
            state: state.unwrap_or_default(),
            route,
            files: files.collect::<Result<_, _>>()?,
            remembers: after.get("remember").is_some_and(Json::is_truthy),
            lent: lent.keys().filter_map(|key| Some((key.clone(), after.get(key)?.clone()))).collect(),
        })
    }
}

/// The text of each file at its last version; null for what is no text, or too long to be handed over at every call.
async fn texts(context: &Context) -> Result<Object, String> {
    let mut texts = Object::new();
    for name in context.list_artifacts().await.map_err(|failure| failure.to_string())? {
        let part = context.load_artifact(&name, None).await.map_err(|failure| failure.to_string())?;
        let text =
            part.as_deref().and_then(|part| part.text.clone()).filter(|text| text.len() <= MAX_FILE_TEXT);
        texts.push(name, text.map_or(Json::Null, Json::String));
    }
    Ok(texts)
}

/// A file as a script writes it: a text, or `{mimeType, data}` with base64.
fn file(name: &str, value: &Json) -> Result<(String, Part), String> {
    if let Some(text) = value.as_str() {
        return Ok((name.to_owned(), Part::from_text(text)));
    }
    let text = |key: &str| value.get(key).and_then(Json::as_str).map(Str::from);
    let (Some(mime_type), Some(data)) = (text("mimeType"), text("data")) else {
        return Err(format!(
            "`context.artifacts[\"{name}\"]` should be a text, or an object with mimeType and data"
        ));
    };
    let blob = Blob { data: Some(Base64::new(data)), mime_type: Some(mime_type), ..Blob::default() };
    Ok((name.to_owned(), Part { inline_data: Some(Box::new(blob)), ..Part::default() }))
}

fn shown(context: &Context, state: &Object, files: &Object, lent: &Object) -> Json {
    let mut shown = lent.clone();
    shown.push("state", state.clone());
    shown.push("artifacts", files.clone());
    shown.push("agent", context.agent_name());
    shown.push("invocation", context.invocation_id());
    shown.push_some("call", context.function_call_id());
    Json::Object(shown)
}

fn changes(before: &Object, after: &Object) -> Object {
    let written = after.iter().filter(|(key, value)| before.get(key) != Some(value));
    let deleted = before.keys().filter(|key| !after.contains_key(key));
    let written = written.map(|(key, value)| (key.clone(), value.clone()));
    written.chain(deleted.map(|key| (key.clone(), Json::Null))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_what_the_script_exports_however_it_says_so() {
        let source = "// export function no() {}\nexport function look(args) {} export async function later({id}) {}\n\
                      export const add = (args) => 1\nfunction inner() {}\nfunction other() {}\n\
                      export {other as said, inner}\nexport const table = {}\nexport default 3\n";
        let script = ToolScript::of("tools.js", source).unwrap();
        let names: Vec<&str> = script.functions.iter().map(String::as_str).collect();
        assert_eq!(names, ["add", "inner", "later", "look", "said"]);
    }

    #[test]
    fn what_changed_of_the_state_is_told() {
        let before = Object::from_iter([("kept", 1), ("gone", 2), ("other", 3)]);
        let after = Object::from_iter([("kept", 1), ("other", 4), ("new", 5)]);
        let mut expected = Object::from_iter([("other", 4), ("new", 5)]);
        expected.push("gone", Json::Null);
        assert_eq!(changes(&before, &after), expected);
    }
}
