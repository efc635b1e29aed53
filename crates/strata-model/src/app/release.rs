//! Which google-adk ran an app: releases build a prompt out of the same session in other ways.

/// A release of google-adk by the numbers its rules go by: `2.13`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AdkRelease {
    pub major: u16,
    pub minor: u16,
}

impl AdkRelease {
    /// The one whose every rule is known.
    pub const KNOWN: Self = Self::new(2, 13);

    /// The one of the first generation whose history was held against what it sends.
    pub const FIRST_GENERATION: Self = Self::new(1, 20);

    /// The first in which an agent reads a summary as its own words.
    pub const OWNS_SUMMARIES: Self = Self::new(2, 7);

    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// What a writer says it is: `google-adk 2.3.0`. One that names only its generation, `google-adk 1`, is taken for
    /// the release of it that is known best. `None` for what is no google-adk.
    pub fn of_writer(writer: &str) -> Option<Self> {
        let mut numbers = writer.strip_prefix("google-adk ")?.split('.').map(|number| number.parse().ok());
        match (numbers.next()??, numbers.next().flatten()) {
            (major, Some(minor)) => Some(Self::new(major, minor)),
            (1, None) => Some(Self::FIRST_GENERATION),
            (_, None) => Some(Self::KNOWN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_names_its_release() {
        let check = |writer: &str, release: Option<(u16, u16)>| {
            let release = release.map(|(major, minor)| AdkRelease::new(major, minor));
            assert_eq!(AdkRelease::of_writer(writer), release, "{writer}");
        };
        check("google-adk 1.20.0", Some((1, 20)));
        check("google-adk 2.3.0rc1", Some((2, 3)));
        check("google-adk 2.14", Some((2, 14)));
        check("google-adk 1", Some((1, 20)));
        check("google-adk 2", Some((2, 13)));
        check("google-adk next", None);
        check("strata 0.1.0", None);
    }
}
