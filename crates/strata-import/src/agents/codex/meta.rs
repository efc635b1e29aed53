//! What the first line of a rollout says.

use strata_model::take::take_text;
use strata_model::{Object, Str};
use strata_wire::message::{Role, Turn};

use super::rollout::Rollout;
use crate::draft::Say;
use crate::imported::ParentSession;
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
        let instructions = meta.get("base_instructions").or(meta.get("instructions"));
        let text = instructions.and_then(|it| it.get("text").unwrap_or(it).as_str()).map(str::to_owned);
        let notes: Object = meta
            .iter()
            .filter(|(key, value)| {
                !matches!(&***key, "base_instructions" | "instructions") && !value.is_null()
            })
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
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let mut turn = Turn::new(Role::System);
            turn.parts.push(strata_model::Part::from_text(text));
            let say = Say { source_notes: notes, ..self.say(source) };
            self.draft.push_turn(turn, say);
        } else {
            self.draft.unmapped.record("session_meta", source);
        }
    }
}
