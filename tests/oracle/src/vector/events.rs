//! Events as vectors hold them.

use strata_model::{Event, FromJson as _, Json};

/// Events without what need not match: `id`, `invocationId` and `timestamp`.
pub(crate) fn without_ids(events: Json) -> Json {
    match events {
        Json::Array(events) => events.into_iter().map(without_ids).collect::<Vec<_>>().into(),
        Json::Object(mut event) => {
            for key in ["id", "invocationId", "timestamp"] {
                event.remove(key);
            }
            event.into()
        }
        other => other,
    }
}

/// An event as vectors hold it, without ids and time.
pub(crate) fn event_json(event: &Event) -> Json {
    without_ids(event.to_json())
}
