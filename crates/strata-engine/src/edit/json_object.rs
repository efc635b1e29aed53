//! What declarations for the interface say of fields that hold free JSON.

use ts_rs::TS;

/// Any JSON object.
#[derive(Debug, Clone, TS)]
#[ts(type = "{ readonly [key: string]: unknown }")]
pub struct JsonObject(());
