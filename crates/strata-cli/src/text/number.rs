//! Numbers as people read them.

pub(super) use strata_app::{count, dollars, share, tokens};

/// `+1,234`, `−56`, `0`.
pub(super) fn difference(number: i64) -> String {
    if number > 0 { format!("+{}", count(number)) } else { count(number) }
}

/// `+$1.23`, `−$0.0004`, `$0`.
pub(super) fn dollars_more(amount: Option<f64>) -> String {
    let Some(amount) = amount else { return dollars(None) };
    let sign = if amount < 0.0 { "−" } else { "+" };
    match dollars(Some(amount.abs())) {
        said if said == "$0" => said,
        said => format!("{sign}{said}"),
    }
}

/// Dollars without what adding them up leaves in the last digits.
pub(super) fn billionths(amount: f64) -> f64 {
    (amount * 1e9).round() / 1e9
}

/// `2026-11-20 21:03`, in UTC.
pub(super) fn date(epoch_ms: i64) -> String {
    let minutes = epoch_ms.div_euclid(60_000);
    let (days, minute) = (minutes.div_euclid(1440), minutes.rem_euclid(1440));
    // Days from the first of March of year 0, in which leap days come last.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00");
        assert_eq!(date(951_782_400_000), "2000-02-29 00:00");
        assert_eq!(date(1_795_208_592_000), "2026-11-20 21:03");
        assert_eq!(date(-60_000), "1969-12-31 23:59");
    }
}
