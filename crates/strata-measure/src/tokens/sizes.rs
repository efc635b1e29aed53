//! How much there is of each thing that providers count in ways of their own.

use std::ops::{Add, AddAssign};

/// What a provider's count is fitted for, each with a ratio of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SizeKind {
    /// What people, instructions and models say.
    Text,
    /// Arguments of tool calls.
    Call,
    /// Tool results.
    Result,
    Thought,
    /// Images, sound and documents.
    Media,
    /// Around calls of tools and their results.
    ToolFraming,
    /// Around messages.
    MessageFraming,
}

impl SizeKind {
    pub const ALL: [Self; 7] = [
        Self::Text,
        Self::Call,
        Self::Result,
        Self::Thought,
        Self::Media,
        Self::ToolFraming,
        Self::MessageFraming,
    ];

    /// "tool calls"
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Call => "tool calls",
            Self::Result => "tool results",
            Self::Thought => "thoughts",
            Self::Media => "media",
            Self::ToolFraming => "framing of tools",
            Self::MessageFraming => "framing of messages",
        }
    }
}

/// Tokens by kind, as they are counted before any report is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes([u32; SizeKind::ALL.len()]);

impl Sizes {
    pub fn of(kind: SizeKind, tokens: u32) -> Self {
        let mut sizes = Self::default();
        sizes.0[kind as usize] = tokens;
        sizes
    }

    pub fn get(&self, kind: SizeKind) -> u32 {
        self.0[kind as usize]
    }

    pub fn total(&self) -> u32 {
        self.0.iter().fold(0, |sum, tokens| sum.saturating_add(*tokens))
    }

    /// What is left without `other`. `None` where that has more of something.
    pub fn without(self, other: Self) -> Option<Self> {
        let mut left = self;
        for (tokens, gone) in left.0.iter_mut().zip(other.0) {
            *tokens = tokens.checked_sub(gone)?;
        }
        Some(left)
    }
}

impl Add for Sizes {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Sizes {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }
}

impl std::iter::Sum for Sizes {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), Self::add)
    }
}
