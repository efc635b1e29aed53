//! What is to be reached, whatever the tool.

use strata_engine::{AppEdit, Edit, FlowEdit};
use strata_model::{Json, Object, Origin, Str};

use crate::analysis::{Cause, ChangeKind, PartsKind};

/// Characters of a token, where a setting counts in the other of the two.
const CHARACTERS_A_TOKEN: usize = 4;
/// What OpenAI calls the key of a cache.
const CACHE_KEY: &str = "prompt_cache_key";
/// Names that are told of a list.
const MOST_NAMES: usize = 3;

/// What a change is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aim {
    /// Results of these tools, or of all, of at most so many characters; `None` where they are made shorter in another way
    /// than by a cut, which no setting of a size does.
    ShorterResults {
        tools: Vec<Str>,
        characters: Option<usize>,
    },
    /// Results of tools that read files.
    ShorterReads {
        characters: Option<usize>,
    },
    /// Results of MCP servers.
    ShorterMcp {
        characters: Option<usize>,
    },
    /// These tools are not declared.
    FewerTools {
        names: Vec<Str>,
    },
    /// A tool is declared without these parameters.
    FewerParameters {
        tool: Str,
        names: Vec<Str>,
    },
    ShorterHistory,
    /// The history is summarised when a prompt has so many tokens.
    CompactAt {
        tokens: u32,
    },
    NoRepeats,
    /// Summaries tell of these, or what holds them is not summarised.
    KeptInSummaries {
        names: Vec<Str>,
        by: KeptBy,
    },
    /// The system text stays the same from call to call.
    SameSystemText,
    /// An instruction that never changes stands at the head as a whole.
    AllStatic,
    /// The client's own block before the system text stays the same.
    SameClientBlock,
    /// Results that were sent before stay as they were sent.
    SameHistory,
    /// So do messages and calls.
    SameMessages,
    /// Old messages are left out seldom, and many at once.
    DropSeldom,
    /// What is added stands behind what was sent before.
    AddBehind,
    SameTools,
    /// What code of the app adds to the system text is the same for all calls.
    SameAdditions,
    /// The schema that answers are to follow.
    SameSchema,
    SameModel,
    SameSettings,
    /// The same key, by which OpenAI finds the machine that has the cache.
    SameCacheKey,
    /// A prefix is kept for longer.
    KeptLonger,
    /// Prompts are asked to be cached.
    Cached,
    /// A mark stands within so many blocks of what was sent before.
    MarkedNearer {
        blocks: u32,
    },
}

/// What would have kept something that a summary left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptBy {
    /// What the summariser is told to keep.
    ItsPrompt,
    /// This many of the newest events are not summarised.
    Retention(u32),
    /// A place outside of the history: the summariser is never shown it.
    State,
}

impl Aim {
    /// What a fix's edits are for, as far as tools have settings for it.
    pub fn of_edits(edits: &[Edit]) -> Option<Self> {
        let inserted = edits.iter().find_map(|edit| match edit {
            Edit::Flow(FlowEdit::Insert { kind, params, .. }) => Some((&**kind, params)),
            _ => None,
        });
        match inserted {
            Some(("truncate_middle", params)) => Some(Self::of_results(&tools(params), characters(params))),
            Some(("cap_rows" | "summarize_results" | "offload_results", params)) => {
                Some(Self::of_results(&tools(params), None))
            }
            Some(("drop_tools", params)) => Some(Self::FewerTools { names: tools(params) }),
            Some(("deduplicate", _)) => Some(Self::NoRepeats),
            Some(("move_volatile", _)) => Some(Self::SameSystemText),
            // What a tool summarises or forgets by its own settings is not what `retention` or a compaction edit does.
            _ => {
                let is_static = |edit: &Edit| matches!(edit, Edit::App(AppEdit::StaticInstruction { .. }));
                let is_static = edits.iter().any(is_static);
                is_static
                    .then_some(Self::SameSystemText)
                    .or_else(|| edits.iter().find_map(Self::of_declaration))
            }
        }
    }

    fn of_declaration(edit: &Edit) -> Option<Self> {
        let Edit::App(AppEdit::Tool { tool, declaration: Some(_), .. }) = edit else { return None };
        Some(Self::FewerParameters { tool: tool.clone(), names: Vec::new() })
    }

    fn of_results(tools: &[Str], characters: Option<usize>) -> Self {
        let is_read = |tool: &Str| tool.to_ascii_lowercase().starts_with("read");
        match tools {
            [] => Self::ShorterResults { tools: Vec::new(), characters },
            tools if tools.iter().all(|tool| tool.starts_with("mcp__")) => Self::ShorterMcp { characters },
            tools if tools.iter().all(is_read) => Self::ShorterReads { characters },
            tools => Self::ShorterResults { tools: tools.to_vec(), characters },
        }
    }

    /// What would have kept a prefix. `None` where nothing that a tool can be told would.
    pub fn of_cause(cause: &Cause) -> Option<Self> {
        Some(match cause {
            Cause::Instruction { origin: Origin::Extension { .. }, .. } => Self::SameAdditions,
            Cause::State { .. } | Cause::Instruction { .. } => Self::SameSystemText,
            Cause::Placement { is_same: true, .. } => Self::AllStatic,
            Cause::ClientBlock { .. } => Self::SameClientBlock,
            Cause::Rewritten { change, .. } if change.kind == ChangeKind::Shortened => Self::SameHistory,
            Cause::Rewritten { .. } => Self::SameMessages,
            Cause::PutIn { .. } => Self::AddBehind,
            Cause::Truncated { .. } | Cause::Window { .. } => Self::DropSeldom,
            Cause::LeftOut { what, .. } if *what != PartsKind::Thoughts => Self::DropSeldom,
            cause @ Cause::Definitions { .. } if cause.is_of_schema() => Self::SameSchema,
            Cause::Definitions { .. } => Self::SameTools,
            Cause::Model { staying_micros, .. } if staying_micros.is_none_or(|micros| micros <= 0) => {
                Self::SameModel
            }
            Cause::Parameters { changed } if changed.iter().any(|setting| setting.name == CACHE_KEY) => {
                Self::SameCacheKey
            }
            Cause::Parameters { .. } => Self::SameSettings,
            Cause::NoBreakpoint { lookback_blocks, .. } => Self::MarkedNearer { blocks: *lookback_blocks },
            Cause::Expired { idle_s, longest_s: Some(longest_s), .. } if idle_s <= longest_s => {
                Self::KeptLonger
            }
            _ => return None,
        })
    }

    /// What a finding of this code is about, where a rule is not for google-adk alone.
    pub fn of_finding(code: &str) -> Option<Self> {
        match code {
            "changing-system-text" | "state-in-instruction" => Some(Self::SameSystemText),
            "history-rewritten" => Some(Self::SameHistory),
            "tools-change" => Some(Self::SameTools),
            "cache-not-asked" => Some(Self::Cached),
            "compaction-does-not-pay" | "compaction-overdue" => Some(Self::ShorterHistory),
            _ => None,
        }
    }
}

pub(super) fn tokens(characters: usize) -> usize {
    characters.div_ceil(CHARACTERS_A_TOKEN)
}

/// `a, b, c and 2 more`.
pub(super) fn some_of(names: &[Str]) -> String {
    let shown: Vec<&str> = names.iter().take(MOST_NAMES).map(|name| &**name).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        n => format!("{} and {n} more", shown.join(", ")),
    }
}

fn tools(params: &Object) -> Vec<Str> {
    let tools = params.get("tools").and_then(Json::as_array).unwrap_or_default();
    tools.iter().filter_map(|tool| tool.as_str().map(Str::from)).collect()
}

fn characters(params: &Object) -> Option<usize> {
    match params.get("max_chars") {
        Some(Json::Int(limit)) => usize::try_from(*limit).ok(),
        _ => None,
    }
}
