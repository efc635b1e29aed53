//! What the first line of a rollout says.

use strata_model::take::take_text;
use strata_model::{Object, Str};
use strata_wire::message::{Role, Turn};

use super::rollout::Rollout;
use crate::draft::EventDraft;
use crate::imported::ParentSession;
use crate::marks;
use crate::source::SourceRecord;

impl Rollout {
    /// The first one is the file's; a fork repeats those of its parents.
    pub(super) fn meta(&mut self, mut meta: Object, source: SourceRecord) {
        if std::mem::replace(&mut self.has_meta, true) {
            return self.draft.unmapped.record("session_meta of a parent", source);
        }
        self.draft.session.id = take_text(&mut meta, "id").unwrap_or_default();
        let spawn = meta.get("source").and_then(|it| it.get("subagent")?.get("thread_spawn").cloned());
        let text = |key: &str| spawn.as_ref().and_then(|it| it.get(key)?.as_str().map(Str::from));
        let parent = take_text(&mut meta, "parent_thread_id").or_else(|| text("parent_thread_id"));
        if let Some(session_id) = parent {
            let path = text("agent_path").unwrap_or_else(|| self.draft.session.id.clone());
            let name = path.trim_matches('/').replace('/', ".");
            self.agent = Some(format!("codex.{name}").into());
            self.branch = Some(format!("agent.{name}").into());
            self.draft.parent = Some(ParentSession { session_id, agent_id: path });
        }
        let text_of = |key: &str| {
            let text = meta.get(key).and_then(|it| it.get("text").unwrap_or(it).as_str());
            text.filter(|text| !text.is_empty()).map(Str::from)
        };
        let (base, instructions) = (text_of("base_instructions"), text_of("instructions"));
        // Both stand in a file of the time between.
        let is_said = |key: &str| key == "base_instructions" || (key == "instructions" && base.is_none());
        let notes: Object = meta
            .iter()
            .filter(|(key, value)| !is_said(key) && !value.is_null())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        for key in ["cli_version", "originator", "cwd"] {
            if let Some(value) = meta.get(key) {
                self.draft.counts.insert(
                    if key == "cli_version" {
                        "cli_version"
                    } else if key == "cwd" {
                        "cwd"
                    } else {
                        "originator"
                    },
                    value.clone(),
                );
            }
        }
        let say = EventDraft { source_notes: notes, ..self.say(source.clone()) };
        if let Some(base) = base {
            let at = self.draft.push(say);
            self.draft.mark(at, marks::INSTRUCTION, base);
        } else if let Some(text) = instructions {
            // What the user told all threads, until base instructions came beside it.
            let mut turn = Turn::new(Role::System);
            turn.parts.push(strata_model::Part::from_text(text));
            self.draft.push_turn(turn, say);
        } else {
            self.draft.unmapped.record("session_meta", source);
        }
    }
}
