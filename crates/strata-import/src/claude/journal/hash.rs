//! Hashes by which Claude Code names messages and shapes: SHA-256 of their JSON, with keys in order and without marks of
//! caches.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use strata_model::json::{write_compact, write_compact_string};
use strata_model::{Json, Object, Str};

/// The member that marks where a cached prefix ends. Marks move from request to request, so no hash counts them.
pub(super) const MARK: &str = "cache_control";

/// 64 hexadecimal digits.
pub(super) fn hash_of(value: &Json) -> Str {
    let mut text = String::new();
    write_value(&mut text, value);
    let mut hash = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hash, "{byte:02x}");
    }
    hash.into()
}

fn write_value(out: &mut String, value: &Json) {
    match value {
        Json::Object(object) => write_object(out, object),
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::BigInt(_) | Json::Float(_) | Json::String(_) => {
            write_compact(out, value);
        }
    }
}

fn write_object(out: &mut String, object: &Object) {
    let mut members: Vec<_> = object.iter().filter(|(key, _)| &***key != MARK).collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    out.push('{');
    for (at, (key, value)) in members.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_compact_string(out, key);
        out.push(':');
        write_value(out, value);
    }
    out.push('}');
}
