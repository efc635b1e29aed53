//! Numbers as people read them.

use strata_app::report::Basis;
use strata_app::whole;

/// `12,345`, whatever the type.
pub(super) fn count(number: impl TryInto<i64>) -> String {
    whole(number.try_into().unwrap_or(i64::MAX))
}

/// `12,345`, or `≈12,345` where it is an estimate.
pub(super) fn tokens(number: impl TryInto<i64>, basis: Basis) -> String {
    format!("{}{}", basis.mark(), count(number))
}

/// `+1,234`, `−56`, `0`.
pub(super) fn difference(number: i64) -> String {
    if number > 0 { format!("+{}", count(number)) } else { count(number) }
}

/// `42 %`; `<1 %` for what is there but little, `>99 %` where little is missing.
pub(super) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    let half = u128::from(whole) / 2;
    match (u128::from(part) * 100 + half) / u128::from(whole) {
        0 if part > 0 => "<1 %".to_owned(),
        100 if part < whole => ">99 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

/// `$1.23`, with as many digits as tell something.
pub(super) fn dollars(amount: Option<f64>) -> String {
    match amount {
        None => "–".to_owned(),
        Some(0.0) => "$0".to_owned(),
        Some(amount) if amount < 0.0001 => "<$0.0001".to_owned(),
        Some(amount) if amount < 0.1 => format!("${amount:.4}"),
        Some(amount) => format!("${amount:.2}"),
    }
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
    fn estimates_are_marked() {
        assert_eq!(tokens(12_345, Basis::Exact), "12,345");
        assert_eq!(tokens(12_345, Basis::Estimated), "≈12,345");
    }

    #[test]
    fn shares_say_when_there_is_little() {
        assert_eq!([share(1, 1000), share(0, 10), share(2, 3)], ["<1 %", "0 %", "67 %"]);
        assert_eq!([share(999, 1000), share(5, 5)], [">99 %", "100 %"]);
        assert_eq!(share(0, 0), "");
    }

    #[test]
    fn money_keeps_the_digits_that_tell_something() {
        assert_eq!(
            [None, Some(0.0), Some(0.000_01), Some(0.012_34), Some(12.345)].map(dollars),
            ["–", "$0", "<$0.0001", "$0.0123", "$12.35"]
        );
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00");
        assert_eq!(date(951_782_400_000), "2000-02-29 00:00");
        assert_eq!(date(1_795_208_592_000), "2026-11-20 21:03");
        assert_eq!(date(-60_000), "1969-12-31 23:59");
    }
}
