//! Finding things by typing.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::Kind;

/// `palette/search`: places in a session that match, best first. Commands are matched by the window itself.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Search {
    pub session: String,
    pub query: String,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PaletteResults {
    pub items: Vec<PaletteItem>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PaletteItem {
    pub place: PlaceKind,
    pub address: String,
    pub title: String,
    pub detail: String,
    pub kind: Option<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PlaceKind {
    Event,
    Call,
    Stage,
    Tool,
    State,
    Agent,
}

/// `palette/ask`: answers one of the questions the views know.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    pub session: String,
    pub question: Question,
    /// The call the cursor is on.
    pub cursor: u32,
}

/// Questions with an answer in one line and a view state that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Question {
    CostliestToolResult,
    LargestCalls,
    PromptByKind,
    ToolsNeverCalled,
    CostliestTurn,
    CostliestAgent,
    StageThatAddedMost,
    StagesThatDidNothing,
    WhatGrewSincePreviousCall,
    HiddenContext,
    LookedUp,
    LeftOut,
    Reframed,
    StateShown,
    EditEffect,
    WhyMissed,
    DearestCalls,
    AvoidableBreaks,
    StableShare,
    BestCacheFix,
    BelowMinimum,
    CompactionSavings,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// "E7 search_logs, 11,940 tokens in 14 calls, 167k".
    pub text: String,
    /// What to select, if the answer is one place.
    pub address: Option<String>,
    /// Filter and order of the event table that show the rows behind the answer.
    pub filter: Option<String>,
    pub order: Option<super::event::EventOrder>,
}
