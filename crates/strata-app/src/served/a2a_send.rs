//! Messages of A2A: which agent they are for, what they say, and what is the caller's own.

use strata_context::{Door, IdPlace};
use strata_model::{Json, Object};
use strata_wire::a2a::{A2aMessage, A2aPart, SendOptions};

use super::answer::{Ask, Asker};

/// A message as it is asked.
pub(super) struct Sent {
    pub ask: Ask,
    pub options: SendOptions,
}

/// A part of data may name a skill with parameters; the rest of a message is what is said. The error says why nothing is.
pub(super) fn sent(message: &A2aMessage, options: SendOptions, asker: &Asker) -> Result<Sent, String> {
    if message.parts.iter().any(|part| matches!(part, A2aPart::File(_))) {
        return Err("Files are not taken. Send texts and data.".to_owned());
    }
    let (mut agent, mut said) = (None, Vec::new());
    for part in &message.parts {
        match part {
            A2aPart::Text(_) => said.push(part.clone()),
            A2aPart::Data(data) => {
                let (named, rest) = parted(data);
                agent = agent.or(named);
                said.extend(rest.map(A2aPart::Data));
            }
            A2aPart::File(_) => {}
        }
    }
    if said.is_empty() && agent.is_some() {
        // A skill that takes nothing is called by its name alone.
        let nothing = Object::from_iter([("parameters", Object::new())]);
        said.push(A2aPart::Data(nothing.into()));
    }
    let text = A2aMessage { parts: said, ..message.clone() }.text();
    let mut ask = Ask::new(Door::A2a, asker.principal.clone(), text);
    let in_body = options.context_ids.iter().map(|id| (IdPlace::Body, id.clone()));
    ask.context_ids = in_body.chain(asker.named_ids()).collect();
    ask.task_id.clone_from(&message.task_id);
    ask.agent = agent;
    Ok(Sent { ask, options })
}

/// The skill that data names, and what is left of it to say beside that and the caller's own context.
fn parted(data: &Json) -> (Option<String>, Option<Json>) {
    let Some(object) = data.as_object() else { return (None, Some(data.clone())) };
    let mut rest = object.clone();
    let agent = rest.remove("skill").and_then(|skill| skill.as_str().map(str::to_owned));
    rest.remove("context");
    if let Some(Json::Object(parameters)) = rest.get_mut("parameters") {
        parameters.remove("context");
    }
    let is_empty = rest.is_empty()
        || (rest.len() == 1 && rest.get("parameters").is_some_and(|parameters| !parameters.is_truthy()));
    (agent, (!is_empty).then(|| rest.into()))
}

#[cfg(test)]
mod tests {
    use strata_model::json;
    use strata_wire::a2a::A2aRole;

    use strata_context::Principal;

    use super::*;

    fn asked(parts: Vec<A2aPart>) -> Result<Sent, String> {
        let message =
            A2aMessage { id: "m1".into(), role: A2aRole::User, parts, context_id: None, task_id: None };
        let ana = Asker { principal: Principal::new("ana"), context_ids: Vec::new() };
        sent(&message, SendOptions::default(), &ana)
    }

    fn data(text: &str) -> A2aPart {
        A2aPart::Data(json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_skill_is_the_agent_and_the_callers_context_is_not_said() {
        let parts = vec![
            A2aPart::Text("Book it".into()),
            data(r#"{"skill": "booker", "parameters": {"n": 2, "context": {"trace": 1.0}}}"#),
        ];
        let sent = asked(parts).unwrap();
        assert_eq!(sent.ask.agent.as_deref(), Some("booker"));
        assert_eq!(sent.ask.message, "Book it\n{\"parameters\":{\"n\":2}}");
    }

    #[test]
    fn a_skill_without_parameters_is_called_and_what_is_said_beside_it_stays() {
        for call in [
            r#"{"skill": "booker", "parameters": {}}"#,
            r#"{"skill": "booker", "parameters": {"context": {"trace": 1}}}"#,
            r#"{"skill": "booker"}"#,
        ] {
            let sent = asked(vec![data(call)]).unwrap();
            assert_eq!(
                (sent.ask.agent.as_deref(), &*sent.ask.message),
                (Some("booker"), r#"{"parameters":{}}"#)
            );
            let sent = asked(vec![A2aPart::Text("Book it".into()), data(call)]).unwrap();
            assert_eq!(sent.ask.message, "Book it");
        }
    }

    #[test]
    fn files_are_refused() {
        let file = A2aPart::File(Object::from_iter([("raw", "AAAA")]));
        assert_eq!(asked(vec![file]).err().as_deref(), Some("Files are not taken. Send texts and data."));
    }
}
