//! Times as Python prints them.

/// `datetime.fromtimestamp(seconds).isoformat()` in UTC: microseconds only where there are any.
pub fn iso_timestamp(seconds: f64) -> String {
    // Python rounds the fraction alone, half to even, to whole microseconds.
    let micros = seconds.trunc() as i64 * 1_000_000 + (seconds.fract() * 1e6).round_ties_even() as i64;
    let (days, rest) = (micros.div_euclid(86_400_000_000), micros.rem_euclid(86_400_000_000));
    let (year, month, day) = civil_from_days(days);
    let (clock, fraction) = (rest / 1_000_000, rest % 1_000_000);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:06}") };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}")
}

/// The date of a day counted from 1970-01-01, in the Gregorian calendar.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        assert_eq!(iso_timestamp(0.0), "1970-01-01T00:00:00");
        assert_eq!(iso_timestamp(1_750_000_000.5), "2025-06-15T15:06:40.500000");
        assert_eq!(iso_timestamp(951_782_400.0), "2000-02-29T00:00:00");
        assert_eq!(iso_timestamp(-0.25), "1969-12-31T23:59:59.750000");
    }
}
