//! The incident behind the sample: which invoices failed, where and when. All numbers the agents find come from here.

use std::collections::BTreeMap;

use crate::seeded::Seeded;

/// Seconds of a day.
pub(super) const DAY: u32 = 86_400;

/// Errors by host on 17, 18, 19 and 20 November.
const HITS: [[usize; 4]; 8] = [
    [0, 0, 29, 52],
    [0, 0, 24, 44],
    [214, 301, 322, 175],
    [0, 0, 28, 49],
    [0, 0, 26, 46],
    [188, 262, 274, 142],
    [0, 0, 25, 45],
    [0, 0, 26, 46],
];
/// How many of the last day's errors fall into the hour before the session.
const LAST_HOUR: [usize; 8] = [4, 3, 12, 3, 3, 10, 3, 3];
/// Seconds since 17 November, 00:00 UTC.
const FIRST_ERROR: u32 = 9 * 3600 + 14 * 60 + 2;
const ROLLOUT: u32 = 2 * DAY + 17 * 3600 + 31 * 60;
pub(super) const NOW: u32 = 3 * DAY + 14 * 3600 + 2 * 60;
const HOUR: u32 = 3600;

const FIRST_ID: u32 = 100_417;
/// Of all invoices, with tax.
const SUM_EUR_CENTS: i64 = 31_844_000;
const SMALLEST_EUR_CENTS: i64 = 952;
const LARGEST_EUR_CENTS: i64 = 190_400;
const N_PAID: usize = 62;
const N_OPEN: usize = 41;
/// Net amounts in yen of which 10 % is no whole yen.
const UNEVEN_YEN: [i64; 6] = [12_344, 8_621, 45_327, 19_998, 3_765, 27_412];

/// Where a customer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Region {
    Eu,
    Uk,
    Us,
    Jp,
}

impl Region {
    pub(super) const ALL: [Self; 4] = [Self::Eu, Self::Uk, Self::Us, Self::Jp];

    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Eu => "EU",
            Self::Uk => "UK",
            Self::Us => "US",
            Self::Jp => "JP",
        }
    }

    fn n_invoices(self) -> usize {
        match self {
            Self::Eu => 884,
            Self::Uk => 179,
            Self::Us => 104,
            Self::Jp => 37,
        }
    }

    fn n_hits(self) -> usize {
        match self {
            Self::Eu => 1702,
            Self::Uk => 344,
            Self::Us => 201,
            Self::Jp => 71,
        }
    }

    /// `(country, currency)`, the frequent ones several times.
    fn markets(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Eu => &[
                ("DE", "EUR"),
                ("DE", "EUR"),
                ("DE", "EUR"),
                ("FR", "EUR"),
                ("FR", "EUR"),
                ("NL", "EUR"),
                ("ES", "EUR"),
                ("IT", "EUR"),
                ("AT", "EUR"),
                ("BE", "EUR"),
                ("PL", "PLN"),
            ],
            Self::Uk => &[("GB", "GBP")],
            Self::Us => &[("US", "USD")],
            Self::Jp => &[("JP", "JPY")],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Draft,
    Open,
    Paid,
}

impl Status {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Open => "open",
            Self::Paid => "paid",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Invoice {
    pub id: u32,
    pub region: Region,
    pub country: &'static str,
    pub currency: &'static str,
    /// What the ledger expects, in hundredths of the currency; also for the yen, which has none.
    pub total: i64,
    /// What the fix branch computes, in hundredths of the currency.
    pub recomputed: i64,
    pub total_eur_cents: i64,
    pub status: Status,
}

impl Invoice {
    pub(super) fn difference(&self) -> i64 {
        (self.recomputed - self.total).abs()
    }
}

/// One attempt to issue an invoice.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// Seconds since 17 November, 00:00 UTC.
    pub at: u32,
    pub host: usize,
    /// Place among the invoices.
    pub invoice: usize,
    pub worker: usize,
    pub millisecond: usize,
    pub trace: String,
}

/// What failed in one region.
pub(super) struct RegionFailures<'i> {
    pub region: Region,
    /// By time.
    pub failures: Vec<&'i Failure>,
    pub n_invoices: usize,
}

/// Everything that went wrong: invoices by id, failures by time.
#[derive(Debug, Clone)]
pub(super) struct Incident {
    pub invoices: Vec<Invoice>,
    pub failures: Vec<Failure>,
}

impl Incident {
    pub(super) fn new() -> Self {
        let mut random = Seeded::new(0x1e5d);
        let mut invoices = invoices(&mut random);
        settle_amounts(&mut invoices);
        let failures = failures(&invoices, &mut random);
        set_status(&mut invoices, &failures, &mut random);
        Self { invoices, failures }
    }

    /// Failures of the hour before the session.
    pub(super) fn last_hour(&self) -> impl Iterator<Item = &Failure> {
        self.failures.iter().filter(|failure| failure.at >= NOW - HOUR)
    }

    /// Regions with the most failures first.
    pub(super) fn by_region(&self) -> Vec<RegionFailures<'_>> {
        let of = |region: Region| RegionFailures {
            region,
            failures: self
                .failures
                .iter()
                .filter(|failure| self.invoices[failure.invoice].region == region)
                .collect(),
            n_invoices: self.invoices.iter().filter(|invoice| invoice.region == region).count(),
        };
        Region::ALL.into_iter().map(of).collect()
    }

    pub(super) fn failures_of(&self, invoice: usize) -> impl Iterator<Item = &Failure> {
        self.failures.iter().filter(move |failure| failure.invoice == invoice)
    }

    /// Invoices of which ledger and fix branch disagree, with their places.
    pub(super) fn disputed(&self) -> impl Iterator<Item = (usize, &Invoice)> {
        self.invoices.iter().enumerate().filter(|(_, invoice)| invoice.difference() > 0)
    }
}

fn invoices(random: &mut Seeded) -> Vec<Invoice> {
    let mut regions: Vec<Region> =
        Region::ALL.into_iter().flat_map(|region| vec![region; region.n_invoices()]).collect();
    random.shuffle(&mut regions);
    // The first invoice is German: its traceback is the one that is shown.
    if let Some(at) = regions.iter().position(|region| *region == Region::Eu) {
        regions.swap(0, at);
    }
    let mut id = FIRST_ID;
    let mut invoices = Vec::new();
    for region in regions {
        let (country, currency) =
            if id == FIRST_ID { region.markets()[0] } else { *random.pick(region.markets()) };
        let (total, total_eur_cents) = amount(currency, random);
        invoices.push(Invoice {
            id,
            region,
            country,
            currency,
            total,
            recomputed: total,
            total_eur_cents,
            status: Status::Draft,
        });
        id += random.between(1, 6) as u32;
    }
    // The last yen invoices: none of them is among the rows a cut result shows.
    let yen = invoices.iter_mut().rev().filter(|invoice| invoice.currency == "JPY");
    for (invoice, net) in yen.zip(UNEVEN_YEN) {
        let tax_hundredths = net * 10;
        invoice.recomputed = net * 100 + tax_hundredths;
        invoice.total = (net + (tax_hundredths + 50) / 100) * 100;
        invoice.total_eur_cents = to_eur(invoice.total, "JPY");
    }
    invoices
}

/// A total in hundredths of a currency, and in euro cents. Small amounts are frequent.
fn amount(currency: &str, random: &mut Seeded) -> (i64, i64) {
    let part = random.below(1000) as i64;
    let skewed = (part * part * part / 1_000_000) * (part * part * part / 1_000_000) / 1000;
    let cents = SMALLEST_EUR_CENTS + 20 + (LARGEST_EUR_CENTS - SMALLEST_EUR_CENTS - 40) * skewed / 1000;
    match currency {
        "EUR" => (cents, cents),
        "JPY" => {
            // A multiple of ten yen with its tax of a tenth: whole yen.
            let total = (cents * 1634 / 11_000 + 1) * 1100;
            (total, to_eur(total, currency))
        }
        _ => {
            let total = cents * thousandths_per_eur(currency) / 1000;
            (total, to_eur(total, currency))
        }
    }
}

fn to_eur(total: i64, currency: &str) -> i64 {
    let rate = thousandths_per_eur(currency);
    (total * 1000 + rate / 2) / rate
}

fn thousandths_per_eur(currency: &str) -> i64 {
    match currency {
        "GBP" => 861,
        "JPY" => 163_400,
        "PLN" => 4_268,
        "USD" => 1_083,
        _ => 1_000,
    }
}

/// Makes the invoices add up to what they are known to add up to, with the smallest and the largest among them.
fn settle_amounts(invoices: &mut [Invoice]) {
    let mut in_eur: Vec<&mut Invoice> =
        invoices.iter_mut().filter(|invoice| invoice.country == "DE").collect();
    let cents = [SMALLEST_EUR_CENTS, LARGEST_EUR_CENTS];
    for (invoice, cents) in in_eur.iter_mut().skip(40).step_by(60).zip(cents) {
        (invoice.total, invoice.recomputed, invoice.total_eur_cents) = (cents, cents, cents);
    }
    let missing = SUM_EUR_CENTS - invoices.iter().map(|invoice| invoice.total_eur_cents).sum::<i64>();
    let mut adjustable: Vec<&mut Invoice> = invoices
        .iter_mut()
        .filter(|invoice| invoice.currency == "EUR" && (20_000..120_000).contains(&invoice.total_eur_cents))
        .collect();
    let n_adjustable = adjustable.len() as i64;
    for (at, invoice) in adjustable.iter_mut().enumerate() {
        let share =
            missing.div_euclid(n_adjustable) + i64::from((at as i64) < missing.rem_euclid(n_adjustable));
        invoice.total += share;
        (invoice.recomputed, invoice.total_eur_cents) = (invoice.total, invoice.total);
    }
}

fn failures(invoices: &[Invoice], random: &mut Seeded) -> Vec<Failure> {
    let mut slots = slots(random);
    slots.sort_unstable();
    let mut attempts = attempts(invoices, random);
    random.shuffle(&mut attempts);
    // The first invoice is the first to fail.
    if let Some(at) = attempts.iter().position(|invoice| *invoice == 0) {
        attempts.swap(0, at);
    }
    slots
        .into_iter()
        .zip(attempts)
        .enumerate()
        .map(|(number, ((at, host), invoice))| {
            let trace = if number == 0 { "7f3a".to_owned() } else { random.hex(4) };
            let (worker, millisecond) = (random.below(4), random.below(1000));
            Failure { at, host, invoice, worker, millisecond, trace }
        })
        .collect()
}

/// `(seconds, host)` of every failure.
fn slots(random: &mut Seeded) -> Vec<(u32, usize)> {
    let mut slots = Vec::new();
    for (host, by_day) in HITS.into_iter().enumerate() {
        for (day, n) in by_day.into_iter().enumerate() {
            let begin = day as u32 * DAY;
            let begin = match day {
                0 => FIRST_ERROR,
                2 if by_day[0] == 0 => ROLLOUT,
                _ => begin,
            };
            let (end, n_late) = match day {
                3 => (NOW - HOUR, LAST_HOUR[host]),
                _ => ((day as u32 + 1) * DAY, 0),
            };
            let mut within = |from: u32, to: u32| from + random.below((to - from) as usize) as u32;
            slots.extend((0..n - n_late).map(|_| (within(begin, end), host)));
            slots.extend((0..n_late).map(|_| (within(NOW - HOUR, NOW), host)));
        }
    }
    // The first error is known to the second.
    if let Some(first) = slots.iter_mut().find(|(at, host)| *host == 2 && *at < DAY) {
        first.0 = FIRST_ERROR;
    }
    slots
}

/// The place of an invoice for each of its attempts: at least one, four at most.
fn attempts(invoices: &[Invoice], random: &mut Seeded) -> Vec<usize> {
    let mut attempts = Vec::new();
    for region in Region::ALL {
        let places: Vec<usize> =
            (0..invoices.len()).filter(|place| invoices[*place].region == region).collect();
        let mut n_attempts: BTreeMap<usize, usize> = places.iter().map(|place| (*place, 1)).collect();
        let mut missing = region.n_hits() - places.len();
        while missing > 0 {
            let n = n_attempts.entry(*random.pick(&places)).or_default();
            if *n < 4 {
                *n += 1;
                missing -= 1;
            }
        }
        attempts.extend(n_attempts.into_iter().flat_map(|(place, n)| vec![place; n]));
    }
    attempts
}

/// Some invoices that failed on the two first days only were issued later, on hosts with the old release.
fn set_status(invoices: &mut [Invoice], failures: &[Failure], random: &mut Seeded) {
    let mut last_failure: BTreeMap<usize, u32> = BTreeMap::new();
    for failure in failures {
        last_failure.insert(failure.invoice, failure.at);
    }
    let mut early: Vec<usize> = last_failure
        .into_iter()
        .filter(|(place, at)| *at < 2 * DAY && invoices[*place].currency != "JPY")
        .map(|(place, _)| place)
        .collect();
    random.shuffle(&mut early);
    let statuses = [vec![Status::Paid; N_PAID], vec![Status::Open; N_OPEN]].concat();
    for (place, status) in early.into_iter().zip(statuses) {
        invoices[place].status = status;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_incident_adds_up_to_the_numbers_of_the_story() {
        let incident = Incident::new();
        assert_eq!(incident.invoices.len(), 1204);
        assert_eq!(incident.failures.len(), 2318);
        let sum: i64 = incident.invoices.iter().map(|invoice| invoice.total_eur_cents).sum();
        assert_eq!(sum, 31_844_000);
        let of = |status| incident.invoices.iter().filter(|invoice| invoice.status == status).count();
        assert_eq!([Status::Draft, Status::Open, Status::Paid].map(of), [1101, 41, 62]);
        let regions = incident.by_region();
        let numbers: Vec<_> = regions
            .iter()
            .map(|found| (found.region.code(), found.failures.len(), found.n_invoices))
            .collect();
        assert_eq!(numbers, [("EU", 1702, 884), ("UK", 344, 179), ("US", 201, 104), ("JP", 71, 37)]);
        let canary = incident.failures.iter().filter(|failure| matches!(failure.host, 2 | 5)).count();
        assert_eq!((canary, canary * 1000 / 2318), (1878, 810));
        assert_eq!(incident.last_hour().count(), 41);
    }

    #[test]
    fn amounts_stay_between_the_smallest_and_the_largest() {
        let incident = Incident::new();
        let cents = || incident.invoices.iter().map(|invoice| invoice.total_eur_cents);
        assert_eq!((cents().min(), cents().max()), (Some(952), Some(190_400)));
        assert!(
            incident
                .invoices
                .iter()
                .filter(|invoice| invoice.currency == "JPY")
                .all(|invoice| invoice.total % 100 == 0)
        );
    }

    #[test]
    fn six_invoices_in_yen_are_disputed() {
        let incident = Incident::new();
        let disputed: Vec<_> = incident.disputed().collect();
        assert_eq!(disputed.len(), 6);
        assert!(disputed.iter().all(|(place, invoice)| *place >= 450 && invoice.currency == "JPY"));
        assert_eq!(disputed.iter().map(|(_, invoice)| invoice.difference()).sum::<i64>(), 170);
        assert_eq!(disputed.iter().map(|(_, invoice)| invoice.difference()).max(), Some(50));
    }

    #[test]
    fn the_first_failure_is_on_a_canary_host() {
        let incident = Incident::new();
        let first = &incident.failures[0];
        assert_eq!((first.at, first.host, incident.invoices[first.invoice].id), (FIRST_ERROR, 2, FIRST_ID));
        assert!(
            incident
                .failures
                .iter()
                .filter(|failure| !matches!(failure.host, 2 | 5))
                .all(|failure| failure.at >= ROLLOUT)
        );
    }

    #[test]
    fn what_was_issued_later_failed_on_the_two_first_days_only() {
        let incident = Incident::new();
        for (place, invoice) in incident.invoices.iter().enumerate() {
            if invoice.status != Status::Draft {
                assert!(incident.failures_of(place).all(|failure| failure.at < 2 * DAY));
            }
        }
    }
}
