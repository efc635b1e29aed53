//! What kind of value changes.

/// What kind of value changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// A date, a time of day, a time stamp or a time that has passed.
    Time,
    /// Letters and digits that somebody drew: an id, a hash, a temporary name.
    Id,
    /// A whole number that went up by little.
    Counter,
    /// Another number.
    Number,
    /// The same items in another order.
    Order,
    /// What was there, and more.
    Grown,
    /// What was there, without some of it.
    Shrunk,
    /// The end of a long text was cut off, or all of it but a few words.
    Shortened,
    /// White space only.
    Space,
    /// Another image or file.
    Media,
    /// Other words.
    Words,
}

impl ChangeKind {
    /// Whether one value took the place of another, and is of a kind that programs write.
    pub(super) fn is_value(self) -> bool {
        matches!(self, Self::Time | Self::Id | Self::Counter | Self::Number)
    }

    /// A name for machines.
    pub fn code(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Id => "random_id",
            Self::Counter => "counter",
            Self::Number => "number",
            Self::Order => "order",
            Self::Grown => "grown",
            Self::Shrunk => "shrunk",
            Self::Shortened => "shortened",
            Self::Space => "white_space",
            Self::Media => "media",
            Self::Words => "words",
        }
    }
}
