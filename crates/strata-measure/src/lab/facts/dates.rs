//! Days, whatever their spelling.

/// A day; the year may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Day {
    pub year: Option<u32>,
    pub month: u32,
    /// Of the month.
    pub number: u32,
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

impl Day {
    /// Reads `2026-11-20`, `20 November 2026`, `Nov 20th`, `20.11.2026`, `11/20/2026`.
    pub(in super::super) fn read(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let numbers: Vec<u32> = lower
            .split(|letter: char| !letter.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        let month = MONTHS.iter().position(|month| {
            lower.split(|letter: char| !letter.is_alphabetic()).any(|word| word.starts_with(month))
        });
        let (year, month, day) = match (month, numbers.as_slice()) {
            (Some(month), [day, rest @ ..]) => (rest.first().copied(), month as u32 + 1, *day),
            (None, [year, month, day, ..]) if *year > 31 => (Some(*year), *month, *day),
            (None, [first, second, year]) if lower.contains('/') && *second > 12 => {
                (Some(*year), *first, *second)
            }
            (None, [first, second, year]) => (Some(*year), *second, *first),
            _ => return None,
        };
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(Self { year, month, number: day })
    }

    pub(in super::super) fn key(self) -> String {
        let year = self.year.map_or_else(|| "any".to_owned(), |year| year.to_string());
        format!("{year}-{:02}-{:02}", self.month, self.number)
    }

    /// The same day, as far as both say.
    pub(in super::super) fn may_be(self, other: Self) -> bool {
        let is_same_year = self.year.zip(other.year).is_none_or(|(a, b)| a == b);
        self.month == other.month && self.number == other.number && is_same_year
    }
}

#[cfg(test)]
mod tests {
    use super::Day;

    #[test]
    fn spellings_of_one_day() {
        for text in [
            "2026-11-20",
            "20 November 2026",
            "November 20, 2026",
            "Nov 20th 2026",
            "20.11.2026",
            "11/20/2026",
        ] {
            assert_eq!(Day::read(text).unwrap().key(), "2026-11-20", "{text}");
        }
        assert!(Day::read("Nov 20").unwrap().may_be(Day::read("2026-11-20").unwrap()));
        assert!(!Day::read("Nov 21").unwrap().may_be(Day::read("2026-11-20").unwrap()));
        assert_eq!(Day::read("2026-13-40"), None);
    }
}
