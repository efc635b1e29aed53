//! Where a client asks its provider to cache a prompt.

/// Where a client asks its provider to cache a prompt, for providers that cache nothing unasked. The prefix up to a mark is
/// found again by a request that has a mark there, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheMarks {
    /// Behind the tools.
    pub tools: bool,
    /// Behind the system text.
    pub system: bool,
    /// In the conversation: how many of its blocks stand behind the last mark. The next request goes on from a mark at the
    /// end.
    pub conversation: Option<u32>,
    /// Seconds for which the prefix is to be kept, where the longest of them is not the provider's own.
    pub lifetime_s: Option<u32>,
}

impl CacheMarks {
    /// Whether anything is asked for.
    pub fn is_any(&self) -> bool {
        self.tools || self.system || self.conversation.is_some()
    }

    /// Whether the conversation is to be kept as far as it goes, but for its last block at most.
    pub fn is_at_end(&self) -> bool {
        self.conversation.is_some_and(|behind| behind <= 1)
    }
}
