//! A recorded conversation.

use std::sync::Arc;

use crate::decode::{Decoder, FromJson, camel};
use crate::event::Event;
use crate::json::{Json, Object};
use crate::{Diagnostic, Str};

/// A recorded conversation: its events in the order they were appended, and its state at the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    pub id: Str,
    pub app_name: Str,
    pub user_id: Str,
    /// State as last stored; keys carry their scope prefix (`app:`, `user:`).
    pub state: Object,
    pub events: Vec<Arc<Event>>,
    /// Epoch seconds.
    pub last_update_time: f64,
    /// Fields this version does not know.
    pub other: Object,
}

impl Session {
    /// Reads a session. Whatever is not as expected is reported to `decoder`; nothing is dropped without a word.
    pub fn from_json(value: Json, decoder: &mut Decoder) -> Self {
        let mut session = Self::default();
        let Json::Object(object) = value else {
            let message =
                format!("a session should be an object but is {}; nothing could be read", value.kind());
            decoder.report(Diagnostic::error("unexpected-type", decoder.at(), message));
            return session;
        };
        for (key, value) in object {
            match (&*camel(&key), value) {
                ("events", Json::Array(events)) => decoder.within(&key, |decoder| {
                    for (index, event) in events.into_iter().enumerate() {
                        session.push_event(index, event, decoder);
                    }
                }),
                (_, value) => session.set_field(key, value, decoder),
            }
        }
        session
    }

    /// Reads the event at `index` and appends it. What cannot be an event is reported, with its text.
    pub fn push_event(&mut self, index: usize, value: Json, decoder: &mut Decoder) {
        match decoder.within_index(index, |decoder| Event::from_json(value, decoder)) {
            Ok(event) => self.events.push(Arc::new(event)),
            Err(value) => {
                let at = decoder.within_index(index, |decoder| decoder.at());
                let text = crate::json::to_compact(&value);
                let excerpt: String = text.chars().take(80).collect();
                let message = format!("expected an event object, found {}: {excerpt}", value.kind());
                decoder.report(Diagnostic::error("not-an-event", at, message));
                self.keep_unread(value);
            }
        }
    }

    /// Sets one field other than the events.
    pub fn set_field(&mut self, key: Str, value: Json, decoder: &mut Decoder) {
        match &*camel(&key) {
            "id" => decoder.read_field(key, value, &mut self.id, &mut self.other),
            "appName" => decoder.read_field(key, value, &mut self.app_name, &mut self.other),
            "userId" => decoder.read_field(key, value, &mut self.user_id, &mut self.other),
            "state" => decoder.read_field(key, value, &mut self.state, &mut self.other),
            "lastUpdateTime" => decoder.read_field(key, value, &mut self.last_update_time, &mut self.other),
            _ => {
                self.other.insert(key, value);
            }
        }
    }

    fn keep_unread(&mut self, event: Json) {
        const KEY: &str = "unreadEvents";
        match self.other.get_mut(KEY) {
            Some(Json::Array(unread)) => unread.push(event),
            _ => {
                self.other.insert(KEY, vec![event]);
            }
        }
    }

    /// The session in ADK's JSON shape (camelCase, absent fields omitted).
    pub fn to_json(&self) -> Json {
        let mut out = Object::new();
        out.push("id", self.id.clone());
        out.push("appName", self.app_name.clone());
        out.push("userId", self.user_id.clone());
        out.push("state", self.state.clone());
        out.push("events", self.events.iter().map(|event| event.to_json()).collect::<Vec<_>>());
        out.push("lastUpdateTime", self.last_update_time);
        for (key, value) in self.other.iter() {
            out.insert(key.clone(), value.clone());
        }
        Json::Object(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, to_compact};

    #[test]
    fn both_spellings_read_the_same_and_unknown_fields_survive() {
        let camel = br#"{"id":"s","appName":"a","userId":"u","state":{"k_v":null},"events":[{"invocationId":"i","author":"user","actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}},"nodeInfo":{"path":""},"id":"e","timestamp":1.5,"later":null}],"lastUpdateTime":2.0,"extra":[1]}"#;
        let snake = String::from_utf8(camel.to_vec()).unwrap();
        let snake = [
            "appName",
            "userId",
            "invocationId",
            "stateDelta",
            "artifactDelta",
            "requestedAuthConfigs",
            "requestedToolConfirmations",
            "nodeInfo",
            "lastUpdateTime",
        ]
        .iter()
        .fold(snake, |text, key| text.replace(key, &crate::decode::snake(key)));
        for text in [&camel[..], snake.as_bytes()] {
            let mut decoder = Decoder::new();
            let session = Session::from_json(parse(text).unwrap(), &mut decoder);
            assert_eq!(to_compact(&session.to_json()), String::from_utf8_lossy(camel));
            assert!(decoder.into_diagnostics().is_empty());
        }
    }

    #[test]
    fn what_is_no_event_is_reported_and_kept() {
        let mut decoder = Decoder::new();
        let session =
            Session::from_json(parse(br#"{"events":[{"author":"user"},"gone"]}"#).unwrap(), &mut decoder);
        assert_eq!(session.events.len(), 1);
        assert_eq!(decoder.into_diagnostics()[0].at, "events[1]");
        assert!(to_compact(&session.to_json()).contains(r#""unreadEvents":["gone"]"#));
    }
}
