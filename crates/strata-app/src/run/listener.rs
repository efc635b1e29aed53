//! Who hears what a run does, and who is asked by it.

use strata_model::{Event, Json, json};

/// Hears of a run while it goes on. Nothing waits for it.
pub trait RunListener: Send + Sync {
    fn hear(&self, news: RunNews<'_>);
    /// Something a person should know, in a sentence.
    fn note(&self, text: &str);
}

/// What happened in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunNews<'n> {
    /// More of what an agent is saying. What it has said comes whole, later.
    Piece {
        agent: &'n str,
        text: &'n str,
    },
    Said {
        agent: &'n str,
        text: &'n str,
    },
    /// Arguments and results are compact JSON.
    Called {
        agent: &'n str,
        tool: &'n str,
        args: &'n str,
    },
    Answered {
        agent: &'n str,
        tool: &'n str,
        result: &'n str,
    },
    Failed {
        agent: &'n str,
        message: &'n str,
    },
}

/// A person at the keyboard. What is asked here may wait for as long as they like.
pub trait Person: Send + Sync {
    /// The answer to a call of a tool, as it was typed: JSON, or else a text. `None`: nobody answers.
    fn answer_tool(&self, tool: &str, args: &str) -> Option<String>;
}

/// Tells of an event. Thoughts are not told.
pub(crate) fn tell(listener: &dyn RunListener, event: &Event) {
    let agent = &*event.author;
    let is_piece = event.partial == Some(true);
    let texts =
        event.parts().iter().filter(|part| !part.is_thought()).filter_map(|part| part.text.as_deref());
    let text: String = texts.collect();
    if is_piece {
        listener.hear(RunNews::Piece { agent, text: &text });
        return;
    }
    if !text.is_empty() && !event.is_from_user() {
        listener.hear(RunNews::Said { agent, text: &text });
    }
    for call in event.function_calls() {
        let args = call.args.as_deref().map_or_else(|| "{}".to_owned(), json::object_to_compact);
        listener.hear(RunNews::Called { agent, tool: call.name.as_deref().unwrap_or_default(), args: &args });
    }
    for answer in event.function_responses() {
        let result = json::to_compact(&answer.response.as_deref().cloned().map_or(Json::Null, Json::Object));
        listener.hear(RunNews::Answered {
            agent,
            tool: answer.name.as_deref().unwrap_or_default(),
            result: &result,
        });
    }
    if let Some(code) = &event.error_code {
        let message = event.error_message.as_deref().unwrap_or(code);
        listener.hear(RunNews::Failed { agent, message });
    }
}
