//! Where a client asks its provider to cache a prompt.

use std::sync::Arc;

/// Where a client asks its provider to cache a prompt, for providers that cache nothing unasked: the ends of the prefixes that
/// are to be kept, in no order that means anything. A copy is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CacheMarks {
    pub marks: Arc<[CacheMark]>,
    /// False where there are none, and somebody on the way may put them in.
    pub is_sure: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheMark {
    pub place: MarkPlace,
    /// Seconds for which the prefix is to be kept, where the client says so.
    pub lifetime_s: Option<u32>,
}

/// What stands before a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkPlace {
    /// So many tools.
    Tools(u32),
    /// All tools, and so many blocks of the system text.
    System(u32),
    /// Everything but so many blocks at the end of the conversation.
    Conversation { blocks_behind: u32 },
}

impl CacheMarks {
    /// Whether the next request goes on from a mark: the conversation is to be kept as far as it goes.
    pub fn is_at_end(&self) -> bool {
        self.marks.iter().any(|mark| mark.place == MarkPlace::Conversation { blocks_behind: 0 })
    }
}
