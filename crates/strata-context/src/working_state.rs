//! The working state: what an app remembers from one request to the next, kept small.

use strata_model::{Json, Object, json};

use crate::context::{Context, ContextArtifact};
use crate::error::ContextError;
use crate::merge::merged;

/// The most a working state takes, as compact JSON.
pub const MAX_STATE_BYTES: usize = 64 << 10;

/// The member that tells a handle from a value.
const HANDLE: &str = "$artifact";

/// A value that was put away, to be stored beside the context.
#[derive(Debug, Clone, PartialEq)]
pub struct Offloaded {
    pub artifact: ContextArtifact,
    pub value: Json,
}

/// Sets `changes` in a context. What does not fit is put away, the largest value first, with a handle in its place.
pub(crate) fn set(context: &mut Context, changes: &Object) -> Result<Vec<Offloaded>, ContextError> {
    let mut state = merged(&context.working_state, changes);
    let mut artifacts = context.artifacts.clone();
    let mut put_away = Vec::new();
    while json::object_compact_len(&state) > MAX_STATE_BYTES {
        let Some(key) = largest(&state) else {
            return Err(ContextError::StateTooLarge {
                bytes: json::object_compact_len(&state),
                limit: MAX_STATE_BYTES,
            });
        };
        let Some(value) = state.get_mut(&key) else { break };
        let artifact = ContextArtifact {
            version: artifacts.iter().filter(|known| known.name == key).count() as u32,
            bytes: json::compact_len(value) as u64,
            name: key,
        };
        let value = std::mem::replace(value, handle(&artifact));
        artifacts.push(artifact.clone());
        put_away.push(Offloaded { artifact, value });
    }
    context.working_state = state;
    context.artifacts = artifacts;
    Ok(put_away)
}

/// The key of the value that saves most when it is put away. `None`: none saves anything.
fn largest(state: &Object) -> Option<String> {
    let saved = |key: &str, value: &Json| {
        let bytes = json::compact_len(value);
        let handle = ContextArtifact { name: key.to_owned(), version: u32::MAX, bytes: bytes as u64 };
        bytes.saturating_sub(json::compact_len(&self::handle(&handle)))
    };
    let rows = state.iter().map(|(key, value)| (saved(key, value), key));
    // Of equal ones the first by name, so that the same state is always put away alike.
    let best = rows.max_by(|(a, a_key), (b, b_key)| a.cmp(b).then(b_key.cmp(a_key)));
    best.filter(|(saved, _)| *saved > 0).map(|(_, key)| key.to_string())
}

fn handle(artifact: &ContextArtifact) -> Json {
    Object::from_iter([
        (HANDLE, Json::from(&*artifact.name)),
        ("version", Json::Int(i64::from(artifact.version))),
        ("bytes", Json::Int(artifact.bytes as i64)),
    ])
    .into()
}

/// The artifact that a value stands for: its name and version. `None` for any other value.
pub fn handle_of(value: &Json) -> Option<(&str, u32)> {
    let name = value.get(HANDLE)?.as_str()?;
    Some((name, u32::try_from(value.get("version")?.as_i64()?).ok()?))
}
