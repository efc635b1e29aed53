//! What tells tokenizers apart beyond the kind of content: where words are cut, and how lines are numbered.

/// How often a text has what one vocabulary has a token for and another has not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// Places where a word begins within another, as in `fileName`.
    pub humps: u32,
    /// Lines with their number and an arrow in front, as tools of coding agents print files.
    pub numbered: u32,
}

const ARROW: &[u8] = "→".as_bytes();

impl Marks {
    pub fn of(text: &str) -> Self {
        let text = text.as_bytes();
        let humps = text.windows(2).filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
        let arrow = |at: &usize| text[*at] == ARROW[0] && text[*at..].starts_with(ARROW);
        let numbered = (1..text.len()).filter(arrow).filter(|at| text[at - 1].is_ascii_digit());
        Self { humps: count(humps), numbered: count(numbered) }
    }
}

fn count(places: impl Iterator) -> u32 {
    places.count().try_into().unwrap_or(u32::MAX)
}

impl std::ops::AddAssign for Marks {
    fn add_assign(&mut self, other: Self) {
        self.humps = self.humps.saturating_add(other.humps);
        self.numbered = self.numbered.saturating_add(other.numbered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn humps_and_numbered_lines() {
        let marks = Marks::of("     1→fn readFile() {\n    12→    isUTF8(\"→\")\n}");
        assert_eq!(marks, Marks { humps: 2, numbered: 2 });
        assert_eq!(Marks::of("FILE_NAME is not filename\n→ 3"), Marks::default());
        assert_eq!(Marks::of(""), Marks::default());
    }
}
