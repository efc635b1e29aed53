//! Actions of several calls as those of one event.

use strata_model::{Decoder, EventActions, FromJson as _, Json, Object};

/// The actions of all calls put together, later ones over earlier ones; what is nested is merged too.
pub fn merged_actions<'a>(all: impl Iterator<Item = &'a EventActions>) -> EventActions {
    let mut merged = Object::new();
    for actions in all {
        if let Json::Object(actions) = actions.to_json() {
            deep_merge(&mut merged, &actions);
        }
    }
    // What was written from actions can be read as actions.
    EventActions::from_json(Json::Object(merged), &mut Decoder::new()).unwrap_or_default()
}

/// Sets every member of `from`; where both sides hold an object, member by member.
pub fn deep_merge(into: &mut Object, from: &Object) {
    for (key, value) in from.iter() {
        match (into.get_mut(key), value) {
            (Some(Json::Object(known)), Json::Object(value)) => deep_merge(known, value),
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_values_are_merged_and_lists_replaced() {
        let read = |text: &str| {
            let value = strata_model::json::parse(text.as_bytes()).unwrap();
            EventActions::from_json(value, &mut Decoder::new()).unwrap()
        };
        let first = read(r#"{"stateDelta":{"k":{"a":1},"l":[1,2]},"escalate":true}"#);
        let second = read(r#"{"stateDelta":{"k":{"b":2},"l":[3]},"transferToAgent":"x"}"#);
        let merged = merged_actions([&first, &second].into_iter());
        let expected =
            read(r#"{"stateDelta":{"k":{"a":1,"b":2},"l":[3]},"escalate":true,"transferToAgent":"x"}"#);
        assert_eq!(merged, expected);
    }
}
