//! How what a provider found in its cache may differ from what was predicted.

/// Why a report is not what was predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// More is found than this session ever sent: another session or client begins the same way.
    AnotherClient,
    /// More is found than the rule for this provider allows, of what this session had sent.
    MoreThanRule,
    /// More is found than should still be there: it was kept longer than promised.
    KeptLonger,
    /// Nothing is found after a pause for which the provider promises nothing.
    Expired,
    /// The prompt is about as short as the shortest that is cached.
    NearMinimum,
    /// What is found ends where an earlier prompt did.
    OlderPrompt,
    /// The earlier request was still being answered: what it writes can be read once its answer begins.
    InFlight,
    /// Only what this client sends before every conversation is found, as by a first call of it: something changed
    /// behind that which is not recorded.
    HeadOnly,
    /// Nothing is ever found or written in this session: the client does not ask for it.
    Unused,
    /// Nothing is ever found or written in this session, though nothing more has to be asked for.
    NeverKept,
    /// Less is found, and the provider promises nothing.
    KeepsLess,
    /// None of these.
    Unexplained,
}

impl Difference {
    /// It is of the whole session: no call lost what another one found.
    pub(crate) fn is_of_all(self) -> bool {
        matches!(self, Self::Unused | Self::NeverKept)
    }

    /// A name for machines.
    pub fn name(self) -> &'static str {
        match self {
            Self::AnotherClient => "another_client",
            Self::MoreThanRule => "more_than_rule",
            Self::KeptLonger => "kept_longer",
            Self::Expired => "expired",
            Self::NearMinimum => "near_minimum",
            Self::OlderPrompt => "older_prompt",
            Self::InFlight => "in_flight",
            Self::HeadOnly => "head_only",
            Self::Unused => "unused",
            Self::NeverKept => "never_kept",
            Self::KeepsLess => "keeps_less",
            Self::Unexplained => "unexplained",
        }
    }
}
