//! Something that is stated, and that a summary can lose.

use strata_model::EventIndex;

/// What kind of thing a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactKind {
    /// What the user asked to be kept to.
    Constraint,
    /// A tool call without a result.
    PendingCall,
    Decision,
    Path,
    Url,
    Command,
    Identifier,
    /// A number with its unit.
    Number,
    Date,
    Quoted,
}

impl FactKind {
    pub const ALL: [Self; 10] = [
        Self::Constraint,
        Self::PendingCall,
        Self::Decision,
        Self::Path,
        Self::Url,
        Self::Command,
        Self::Identifier,
        Self::Number,
        Self::Date,
        Self::Quoted,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Constraint => "constraint",
            Self::PendingCall => "pending_call",
            Self::Decision => "decision",
            Self::Path => "path",
            Self::Url => "url",
            Self::Command => "command",
            Self::Identifier => "identifier",
            Self::Number => "number",
            Self::Date => "date",
            Self::Quoted => "quoted",
        }
    }

    /// How much losing one weighs, before it is known whether it was used again.
    pub(in crate::lab) fn weight(self) -> f64 {
        match self {
            Self::Constraint | Self::PendingCall => 3.0,
            Self::Decision => 2.0,
            Self::Path | Self::Url | Self::Command | Self::Identifier | Self::Number | Self::Date => 1.0,
            Self::Quoted => 0.5,
        }
    }

    /// Whether it is a sentence, whose words may change, rather than something that is spelled in one way.
    pub(in crate::lab) fn is_sentence(self) -> bool {
        matches!(self, Self::Constraint | Self::Decision)
    }
}

/// Something that is stated in an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    pub kind: FactKind,
    /// As it stands there.
    pub text: String,
    /// The same for all spellings of the fact.
    pub key: String,
    pub event: EventIndex,
}

/// Lower case, white space as single spaces, quotes and dashes in one form.
pub(in crate::lab) fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut is_gap = true;
    for letter in text.chars() {
        let letter = match letter {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2010}'..='\u{2014}' => '-',
            other => other,
        };
        if letter.is_whitespace() {
            if !is_gap {
                normal.push(' ');
            }
            is_gap = true;
        } else {
            normal.extend(letter.to_lowercase());
            is_gap = false;
        }
    }
    normal.truncate(normal.trim_end().len());
    normal
}
