//! Hashes by which Claude Code names messages and shapes: SHA-256 of their JSON, with keys in order and without marks of
//! caches.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use strata_model::json::to_compact;
use strata_model::{Json, Object, Str};

/// The member that marks where a cached prefix ends. Marks move from request to request, so no hash counts them.
pub(super) const MARK: &str = "cache_control";

/// 64 hexadecimal digits.
pub(super) fn hash_of(value: &Json) -> Str {
    let text = to_compact(&without_marks(value).sorted());
    let mut hash = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hash, "{byte:02x}");
    }
    hash.into()
}

fn without_marks(value: &Json) -> Json {
    match value {
        Json::Object(object) => {
            let members = object.iter().filter(|(key, _)| &***key != MARK);
            members.map(|(key, value)| (key.clone(), without_marks(value))).collect::<Object>().into()
        }
        Json::Array(items) => items.iter().map(without_marks).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}
