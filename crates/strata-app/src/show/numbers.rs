//! Numbers as people read them.

use super::words::whole;
use crate::api::common::{Basis, Bill};

/// `12,345`, whatever the type.
pub fn count(number: impl TryInto<i64>) -> String {
    whole(number.try_into().unwrap_or(i64::MAX))
}

/// `12,345`, or `≈12,345` where it is an estimate.
pub fn tokens(number: impl TryInto<i64>, basis: Basis) -> String {
    format!("{}{}", basis.mark(), count(number))
}

/// `42 %`; `<1 %` for what is there but little, `>99 %` where little is missing; nothing of nothing.
pub fn share(part: u64, whole: u64) -> String {
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

/// What is known of what calls read from caches: `reported`; `reported for 3, predicted for 2`.
pub fn cache_basis(bill: &Bill) -> String {
    let paid = bill.calls - bill.unpaid_calls;
    let predicted = paid.saturating_sub(bill.cache_reported_calls + bill.cache_unsaid_calls);
    let known = [
        (bill.cache_reported_calls, "reported", "reported for"),
        (predicted, "predicted", "predicted for"),
        (bill.cache_unsaid_calls, "nothing is reported of it", "nothing reported for"),
    ];
    let known: Vec<_> = known.into_iter().filter(|(calls, ..)| *calls > 0).collect();
    match &known[..] {
        [] => "predicted".to_owned(),
        [(_, of_all, _)] => (*of_all).to_owned(),
        several => {
            let several = several.iter().map(|(calls, _, of_some)| format!("{of_some} {}", count(*calls)));
            several.collect::<Vec<_>>().join(", ")
        }
    }
}

/// `$1.23`, `−$0.50`, with as many digits as tell something; `–` where it is not known.
pub fn dollars(amount: Option<f64>) -> String {
    match amount {
        None => "–".to_owned(),
        Some(0.0) => "$0".to_owned(),
        Some(amount) if amount < 0.0 => format!("−{}", dollars(Some(-amount))),
        Some(amount) if amount < 0.0001 => "<$0.0001".to_owned(),
        Some(amount) if amount < 0.1 => format!("${amount:.4}"),
        Some(amount) => format!("${amount:.2}"),
    }
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
            [None, Some(0.0), Some(0.000_01), Some(0.012_34), Some(12.345), Some(-0.5)].map(dollars),
            ["–", "$0", "<$0.0001", "$0.0123", "$12.35", "−$0.50"]
        );
    }
}
