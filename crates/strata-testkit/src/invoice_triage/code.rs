//! What `read_file`, `git_diff` and `grep` return.

use strata_model::{Fingerprint, Json, Object};

use super::values::{count, object, texts};
use crate::seeded::Seeded;

pub(super) const INVOICE: &str = include_str!("../../assets/invoice_triage/code/invoice.py");
pub(super) const RATES: &str = include_str!("../../assets/invoice_triage/code/rates.py");
pub(super) const RATES_FIX: &str = include_str!("../../assets/invoice_triage/code/rates_fix.py");
pub(super) const REFUND: &str = include_str!("../../assets/invoice_triage/code/refund.py");
pub(super) const MONEY: &str = include_str!("../../assets/invoice_triage/code/money.py");

/// Files of release 8.15 whose text is known, by path.
pub(super) const FILES: [(&str, &str); 4] = [
    ("src/billing/invoice.py", INVOICE),
    ("src/billing/rates.py", RATES),
    ("src/common/money.py", MONEY),
    ("src/refund/refund.py", REFUND),
];

const RELEASE_PATCH: &str = include_str!("../../assets/invoice_triage/code/v8.15.patch");
const RELEASE_STAT: &str = include_str!("../../assets/invoice_triage/code/v8.15.stat");
const FIX_PATCH: &str = include_str!("../../assets/invoice_triage/code/fix_decimal.patch");
const FIX_STAT: &str = include_str!("../../assets/invoice_triage/code/fix_decimal.stat");

const DECIMAL_ELSEWHERE: &str = include_str!("../../assets/invoice_triage/grep/decimal.txt");
const FLOAT_ELSEWHERE: &str = include_str!("../../assets/invoice_triage/grep/float.txt");
const ZERO_DECIMAL_ELSEWHERE: &str = include_str!("../../assets/invoice_triage/grep/zero_decimal.txt");

/// The number of the first line that is `text`, indentation aside.
pub(super) fn line_of(file: &str, text: &str) -> usize {
    file.lines().position(|line| line.trim() == text).map_or(0, |at| at + 1)
}

pub(super) fn read_file(path: &str, file: &str) -> Object {
    let numbered: Vec<String> =
        file.lines().enumerate().map(|(at, line)| format!("{}\t{line}", at + 1)).collect();
    object([("path", path.into()), ("lines", count(numbered.len())), ("content", numbered.join("\n").into())])
}

pub(super) fn release_diff() -> Object {
    git_diff("v8.14", "v8.15", RELEASE_STAT, RELEASE_PATCH)
}

pub(super) fn fix_diff() -> Object {
    git_diff("v8.15", "fix/decimal", FIX_STAT, FIX_PATCH)
}

fn git_diff(base: &str, head: &str, stat: &str, patch: &str) -> Object {
    let files: Vec<Change> = stat.lines().filter_map(Change::read).collect();
    let n_patched = patch.lines().filter(|line| line.starts_with("diff --git ")).count();
    object([
        ("base", base.into()),
        ("head", head.into()),
        ("files_changed", count(files.len())),
        ("insertions", count(files.iter().map(|file| file.n_added).sum())),
        ("deletions", count(files.iter().map(|file| file.n_removed).sum())),
        ("stat", texts(stat.lines())),
        ("patch_leaves_out", count(files.len() - n_patched)),
        ("patch", patch.into()),
    ])
}

/// A line of statistics: `path +4 -1`.
struct Change {
    n_added: usize,
    n_removed: usize,
}

impl Change {
    fn read(line: &str) -> Option<Self> {
        let (rest, removed) = line.rsplit_once(" -")?;
        let (_, added) = rest.rsplit_once(" +")?;
        Some(Self { n_added: added.parse().ok()?, n_removed: removed.parse().ok()? })
    }
}

/// A line that was found.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    path: &'static str,
    line: usize,
    text: &'static str,
}

pub(super) fn grep_decimal() -> Object {
    grep("Decimal\\(", "src/", DECIMAL_ELSEWHERE, |line| line.contains("Decimal("))
}

/// On the fix branch, where none of the known files of billing has a match.
pub(super) fn grep_float() -> Object {
    grep("float\\(", "src/billing", FLOAT_ELSEWHERE, |_| false)
}

pub(super) fn grep_zero_decimal() -> Object {
    grep("zero_decimal|currency_exp", "src/", ZERO_DECIMAL_ELSEWHERE, |line| {
        line.contains("zero_decimal") || line.contains("currency_exp")
    })
}

fn grep(pattern: &str, path: &str, elsewhere: &'static str, is_match: impl Fn(&str) -> bool) -> Object {
    let mut matches: Vec<Match> = elsewhere.lines().filter_map(read_match).collect();
    for (path, file) in FILES {
        let found = file.lines().enumerate().filter(|(_, text)| is_match(text));
        matches.extend(found.map(|(at, text)| Match { path, line: at + 1, text }));
    }
    matches.sort_unstable();
    let mut paths: Vec<&str> = matches.iter().map(|found| found.path).collect();
    paths.dedup();
    let rows: Vec<Json> = matches.iter().map(|found| found.to_json()).collect();
    object([
        ("pattern", pattern.into()),
        ("path", path.into()),
        ("n_matches", count(matches.len())),
        ("n_files", count(paths.len())),
        ("matches", rows.into()),
    ])
}

fn read_match(line: &'static str) -> Option<Match> {
    let mut fields = line.splitn(3, ':');
    let (path, number, text) = (fields.next()?, fields.next()?, fields.next()?);
    Some(Match { path, line: number.parse().ok()?, text })
}

impl Match {
    fn to_json(&self) -> Json {
        // Lines that stand together were mostly written together.
        let seed = Fingerprint::of(self.path.as_bytes()).0 as u64 ^ (self.line as u64 / 24);
        object([
            ("path", self.path.into()),
            ("line", count(self.line)),
            ("commit", Seeded::new(seed).hex(7).into()),
            ("text", self.text.into()),
        ])
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_the_agents_name_are_where_they_say() {
        let line = |file: &str, number: usize| {
            file.lines().nth(number - 1).map(str::trim).unwrap_or_default().to_owned()
        };
        assert_eq!(line(INVOICE, 214), "rate = Decimal(rates.rate_for(country, category, day))");
        assert_eq!(line(INVOICE, 218), "charged = (base * rate).quantize(rate)");
        assert_eq!(line(INVOICE, 35), "decimal.getcontext().prec = 28");
        assert_eq!(line(INVOICE, 31), "CENT = Decimal(\"0.01\")");
        for number in [88, 131] {
            assert_eq!(line(REFUND, number), "rate = Decimal(rates.rate_for(country, line.category, day))");
        }
        assert_eq!(line(RATES, 80), "document = json.loads(raw)");
        assert_eq!(line(RATES, 35), "value: float");
        assert_eq!(line(RATES_FIX, 82), "document = json.loads(raw, parse_float=str)");
        assert_eq!(line(MONEY, 71), "def quantize(");
        let lengths = [INVOICE, RATES, RATES_FIX, REFUND, MONEY].map(|file| file.lines().count());
        assert_eq!(lengths, [412, 188, 192, 366, 301]);
    }

    #[test]
    fn matches_and_files_are_as_many_as_the_agents_say() {
        let numbers = |result: Object| [result.get("n_matches").cloned(), result.get("n_files").cloned()];
        let expected = |matches: i64, files: i64| [Some(matches.into()), Some(files.into())];
        assert_eq!(numbers(grep_decimal()), expected(94, 31));
        assert_eq!(numbers(grep_float()), expected(38, 9));
        assert_eq!(numbers(grep_zero_decimal()), expected(47, 14));
        assert!(
            ZERO_DECIMAL_ELSEWHERE
                .lines()
                .all(|line| !line.starts_with("src/billing") && !line.starts_with("src/refund"))
        );
        for file in [DECIMAL_ELSEWHERE, FLOAT_ELSEWHERE] {
            assert!(
                file.contains(r#"src/billing/tax.py:40:    surcharge = Decimal(float(row["surcharge"]))"#)
            );
        }
    }

    #[test]
    fn statistics_agree_with_the_patches() {
        for (stat, patch, n_files, added, removed) in
            [(RELEASE_STAT, RELEASE_PATCH, 23, 418, 176), (FIX_STAT, FIX_PATCH, 11, 142, 61)]
        {
            let changes: Vec<Change> = stat.lines().filter_map(Change::read).collect();
            assert_eq!(changes.len(), n_files);
            assert_eq!(changes.iter().map(|change| change.n_added).sum::<usize>(), added);
            assert_eq!(changes.iter().map(|change| change.n_removed).sum::<usize>(), removed);
            for file in patch.split("diff --git ").skip(1) {
                let lines = |sign, header| {
                    file.lines().filter(|line| line.starts_with(sign) && !line.starts_with(header)).count()
                };
                let path = file.split(" b/").nth(1).and_then(|rest| rest.lines().next()).expect("a path");
                let line = format!("{path} +{} -{}", lines("+", "+++"), lines("-", "---"));
                assert!(stat.lines().any(|known| known == line), "{line}");
            }
        }
    }

    #[test]
    fn the_patch_of_the_fix_makes_one_version_of_the_rates_from_the_other() {
        let lines_of = |sign: &str| -> Vec<&str> {
            let file = FIX_PATCH.split("diff --git ").find(|file| file.starts_with("a/src/billing/rates.py"));
            let hunks = file.and_then(|file| file.split_once("@@")).map(|(_, hunks)| hunks).expect("hunks");
            hunks.lines().filter_map(|line| line.strip_prefix(sign)).collect()
        };
        assert!(lines_of("-").iter().all(|line| RATES.lines().any(|known| known == *line)));
        assert!(lines_of("+").iter().all(|line| RATES_FIX.lines().any(|known| known == *line)));
    }
}
