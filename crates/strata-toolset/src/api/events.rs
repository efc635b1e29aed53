//! Answers that are streams of server-sent events. A tool has one answer, so they are read to their end.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use strata_model::{Json, Object, json};

/// Whether an answer is a stream of events.
pub(super) fn is_stream(headers: &HeaderMap) -> bool {
    let media = headers.get(CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    media.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
}

/// `{events: [DATA]}`: what each event holds, as JSON or else as text. Names, ids and comments are left out, and so is what
/// stands behind the last blank line: an event that broke off.
pub(super) fn read(text: &str) -> Json {
    let (mut events, mut data): (Vec<Json>, Option<String>) = (Vec::new(), None);
    // A line may end in `\r\n`, in `\n`, or in `\r` alone.
    for line in text.replace("\r\n", "\n").split(['\n', '\r']) {
        if line.is_empty() {
            events.extend(data.take().map(event));
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field != "data" {
            continue;
        }
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut data {
            None => data = Some(value.to_owned()),
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
        }
    }
    Object::from_iter([("events", events)]).into()
}

fn event(data: String) -> Json {
    json::parse(data.as_bytes()).unwrap_or(Json::String(data.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_by_the_rules_of_their_format() {
        for (text, events) in [
            ("data: {\"n\": 1}\n\ndata: two\ndata:  lines\n\n", r#"[{"n":1},"two\n lines"]"#),
            (": comment\r\nid: 7\r\nevent: x\r\ndata:3\r\n\r\nretry: 9\n\n", "[3]"),
            ("data: whole\r\rdata: broken off", r#"["whole"]"#),
            ("data\n\n", r#"[""]"#),
            ("", "[]"),
        ] {
            assert_eq!(json::to_compact(&read(text)), format!(r#"{{"events":{events}}}"#), "{text:?}");
        }
    }
}
