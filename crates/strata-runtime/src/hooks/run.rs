//! Hooks of a whole run. What they write to the state is seen while the run lasts, and told by no event.

use strata_model::app::Plugin;
use strata_model::{Content, Decoder, Event, FromJson as _, Object};

use super::{ask_plugin, built_in, plugins_of};
use crate::context::{Context, InvocationContext};
use crate::halt::{Failure, Halt};
use crate::host::{Answer, HookPoint};

/// What plugins put in place of what the user said.
pub(crate) async fn on_user_message(
    invocation: &InvocationContext,
    message: &Content,
) -> Result<Option<Content>, Halt> {
    let context = Context::of_callback(invocation);
    for plugin in plugins_of(invocation) {
        let replaced = match &plugin {
            Plugin::Code { name, code: Some(code), .. } => {
                let point = HookPoint::OnUserMessage { message };
                match ask_plugin(&context, name, code, "on_user_message", point).await? {
                    Answer::Content(content) => Some(content),
                    _ => None,
                }
            }
            Plugin::SaveFilesAsArtifacts { .. } => built_in::save_files(&context, message).await?,
            _ => None,
        };
        if replaced.is_some() {
            return Ok(replaced);
        }
    }
    Ok(None)
}

/// What a plugin answers in place of the run.
pub(crate) async fn before_run(invocation: &InvocationContext) -> Result<Option<Content>, Halt> {
    let context = Context::of_callback(invocation);
    for plugin in plugins_of(invocation) {
        if let Plugin::Code { name, code: Some(code), .. } = &plugin {
            match ask_plugin(&context, name, code, "before_run", HookPoint::BeforeRun).await? {
                Answer::Content(content) => return Ok(Some(content)),
                Answer::Nothing => {}
                _ => return Ok(None),
            }
        }
    }
    Ok(None)
}

pub(crate) async fn after_run(invocation: &InvocationContext) -> Result<(), Halt> {
    let context = Context::of_callback(invocation);
    for plugin in plugins_of(invocation) {
        if let Plugin::Code { name, code: Some(code), .. } = &plugin {
            match ask_plugin(&context, name, code, "after_run", HookPoint::AfterRun).await? {
                Answer::Nothing => {}
                _ => return Ok(()),
            }
        }
    }
    Ok(())
}

/// Tells all plugins that a run failed; what they make of it does not matter.
pub(crate) async fn run_failed(invocation: &InvocationContext, failure: &Failure) {
    let invocation = invocation.shielded();
    let context = Context::of_callback(&invocation);
    for plugin in plugins_of(&invocation) {
        if let Plugin::Code { name, code: Some(code), .. } = &plugin {
            let point = HookPoint::OnRunError { failure };
            let _ = ask_plugin(&context, name, code, "on_run_error", point).await;
        }
    }
}

/// The event as plugins leave it: with the fields one of them sets.
pub(crate) async fn on_event(invocation: &InvocationContext, mut event: Event) -> Result<Event, Halt> {
    add_metadata(&mut event, &invocation.run.config.custom_metadata);
    let context = Context::of_callback(invocation);
    for plugin in plugins_of(invocation) {
        if let Plugin::Code { name, code: Some(code), .. } = &plugin {
            let point = HookPoint::OnEvent { event: &event };
            match ask_plugin(&context, name, code, "on_event", point).await? {
                Answer::Event(fields) => return Ok(edited(&event, &fields, invocation)),
                Answer::Nothing => {}
                _ => return Ok(event),
            }
        }
    }
    Ok(event)
}

/// Metadata that only the runtime may write.
const INTERNAL: &str = "__adk_internal_";

fn without_internal(metadata: &Object) -> Object {
    let mut public = metadata.clone();
    public.retain(|key, _| !key.starts_with(INTERNAL));
    public
}

/// Lays the metadata of a run under an event's own.
pub(crate) fn add_metadata(event: &mut Event, of_run: &Object) {
    let mut metadata = without_internal(of_run);
    if metadata.is_empty() {
        return;
    }
    metadata.update(&event.custom_metadata.take().unwrap_or_default());
    event.custom_metadata = Some(metadata);
}

fn edited(event: &Event, fields: &Object, invocation: &InvocationContext) -> Event {
    let read = |value| Event::from_json(value, &mut Decoder::new()).unwrap_or_default();
    let mut given = read(fields.clone().into());
    add_metadata(&mut given, &invocation.run.config.custom_metadata);
    let mut fields = fields.clone();
    if let Some(metadata) = &given.custom_metadata {
        fields.insert("customMetadata", metadata.clone());
    }
    let mut whole = match event.to_json() {
        strata_model::Json::Object(whole) => whole,
        _ => Object::new(),
    };
    for (key, value) in given.to_json().as_object().into_iter().flat_map(Object::iter) {
        let is_set = fields.contains_key(key) || fields.contains_key(&snake(key));
        if is_set && !["id", "invocationId", "timestamp"].contains(&&**key) {
            whole.insert(key.clone(), value.clone());
        }
    }
    for (key, value) in fields.iter().filter(|(_, value)| value.is_null()) {
        whole.insert(key.clone(), value.clone());
    }
    let mut edited = read(whole.into());
    let internal = event.custom_metadata.iter().flat_map(Object::iter);
    for (key, value) in internal.filter(|(key, _)| key.starts_with(INTERNAL)) {
        edited.custom_metadata.get_or_insert_default().insert(key.clone(), value.clone());
    }
    if edited.author.is_empty() {
        edited.author.clone_from(&event.author);
    }
    edited
}

fn snake(camel: &str) -> String {
    let mut snake = String::with_capacity(camel.len() + 4);
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
