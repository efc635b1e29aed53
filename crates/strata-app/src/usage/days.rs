//! Days, in the zone of whoever asks.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::error::AppError;

/// The days of a zone, from one to another.
#[derive(Debug, Clone)]
pub(crate) struct Days {
    zone: TimeZone,
    since: Option<Date>,
    until: Option<Date>,
}

impl Days {
    pub(crate) fn new(
        zone: Option<&str>,
        since: Option<&str>,
        until: Option<&str>,
    ) -> Result<Self, AppError> {
        let zone = match zone {
            None => TimeZone::system(),
            Some(name) => TimeZone::get(name).map_err(|_| {
                AppError::bad_input(format!("There is no time zone {name}. Name one as Europe/Oslo or UTC."))
            })?,
        };
        let (since, until) = (since.map(date).transpose()?, until.map(date).transpose()?);
        if since.zip(until).is_some_and(|(since, until)| since > until) {
            return Err(AppError::bad_input("The last day is before the first. Nothing was read."));
        }
        Ok(Self { zone, since, until })
    }

    /// All days of the same zone.
    pub(crate) fn all(&self) -> Self {
        Self { zone: self.zone.clone(), since: None, until: None }
    }

    pub(crate) fn today(&self) -> String {
        Timestamp::now().to_zoned(self.zone.clone()).date().to_string()
    }

    /// How many weeks were asked for; without an end, to the last of these days. One at least: what was seen on a day is no
    /// seventh of a week.
    pub(crate) fn weeks<'d>(&self, seen: impl Iterator<Item = &'d str>) -> f64 {
        let seen: Vec<Date> = seen.filter_map(|day| date(day).ok()).collect();
        let first = self.since.or(seen.iter().min().copied());
        let last = self.until.or(seen.iter().max().copied());
        let days = first.zip(last).map_or(0, |(first, last)| (last - first).get_days() + 1);
        f64::from(days.max(7)) / 7.0
    }

    pub(crate) fn zone_name(&self) -> String {
        self.zone.iana_name().map_or_else(|| self.zone_offset(), str::to_owned)
    }

    fn zone_offset(&self) -> String {
        self.zone.to_fixed_offset().map_or_else(|_| "local".to_owned(), |offset| offset.to_string())
    }

    /// Only some days were asked for.
    pub(crate) fn are_some(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    pub(crate) fn day(&self, epoch_ms: i64) -> Option<Date> {
        Some(Timestamp::from_millisecond(epoch_ms).ok()?.to_zoned(self.zone.clone()).date())
    }

    pub(crate) fn include(&self, day: Option<Date>) -> bool {
        let Some(day) = day else { return !self.are_some() };
        self.since.is_none_or(|since| day >= since) && self.until.is_none_or(|until| day <= until)
    }

    pub(crate) fn since(&self) -> Option<String> {
        self.since.map(|day| day.to_string())
    }

    pub(crate) fn until(&self) -> Option<String> {
        self.until.map(|day| day.to_string())
    }
}

/// `2026-11-20`, or `20261120` as ccusage takes it.
fn date(text: &str) -> Result<Date, AppError> {
    let said = || AppError::bad_input(format!("{text} is no day. Write it as 2026-11-20."));
    let digits: String = text.split('-').collect();
    let is_written = match text.as_bytes() {
        [_, _, _, _, b'-', _, _, b'-', _, _] => true,
        text => text.len() == 8,
    };
    let is_day = is_written && digits.len() == 8 && digits.bytes().all(|it| it.is_ascii_digit());
    if !is_day {
        return Err(said());
    }
    let number = |range: std::ops::Range<usize>| digits[range].parse::<i16>().map_err(|_| said());
    let (year, month, day) = (number(0..4)?, number(4..6)?, number(6..8)?);
    Date::new(year, month as i8, day as i8).map_err(|_| said())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_of_the_day_that_people_had() {
        let day = |zone: &str| {
            Days::new(Some(zone), None, None).unwrap().day(1_795_217_400_000).unwrap().to_string()
        };
        // 2026-11-20 23:30 UTC.
        assert_eq!(
            [day("UTC"), day("Europe/Oslo"), day("America/New_York")],
            ["2026-11-20", "2026-11-21", "2026-11-20"]
        );
    }

    #[test]
    fn both_ends_are_included() {
        let days = Days::new(Some("UTC"), Some("2026-11-20"), Some("20261121")).unwrap();
        let included = ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22"]
            .map(|day| days.include(Some(date(day).unwrap())));
        assert_eq!(included, [false, true, true, false]);
        assert!(!days.include(None) && Days::new(None, None, None).unwrap().include(None));
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in
            ["", "today", "2026-13-01", "2026-11", "2026-11-31", "20-11-2026", "2026-1-001", "é0261120"]
        {
            assert!(Days::new(Some("UTC"), Some(text), None).is_err(), "{text}");
        }
        assert!(Days::new(Some("Nowhere/Land"), None, None).is_err());
        assert!(Days::new(None, Some("2026-11-21"), Some("2026-11-20")).is_err());
    }
}
