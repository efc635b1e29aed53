//! Words and times, the same in every run.

const SENTENCES: [&str; 6] = [
    "The total of the ledger differs from the sum of its rows by one cent, and only on the last day of a month.\n",
    "    let rate = rates.get(\"standard\").copied().unwrap_or(0.19); // as of 2026-01-01\n",
    "error[E0308]: mismatched types --> src/tax/round.rs:41:17 expected `Decimal`, found `f64`\n",
    "I read the three files that mention it; \"round_half_up\" is defined twice, once in each module.\n",
    "{\"path\": \"src/tax/rates.rs\", \"line\": 17, \"matches\": 3, \"kind\": \"call\"}\n",
    "Größe, Übertrag und Saldo stimmen überein – bis auf die Zeile 2026-11-17.\n",
];

/// How long what is said is: mostly short, some results long.
const LENGTHS: [usize; 12] = [180, 90, 900, 350, 2_200, 120, 5_000, 260, 700, 1_400, 14_000, 60];

/// Text that no other `salt` gives.
pub(crate) fn words(salt: usize) -> String {
    let length = LENGTHS[salt.wrapping_mul(48_271) % 2_147_483_647 % LENGTHS.len()];
    words_of(salt, length)
}

/// At least `length` bytes that no other `salt` gives.
pub(crate) fn words_of(salt: usize, length: usize) -> String {
    let mut text = format!("Note {salt:x}. ");
    let mut at = salt;
    while text.len() < length {
        text += SENTENCES[at % SENTENCES.len()];
        at = at.wrapping_mul(7).wrapping_add(3);
    }
    text
}

/// A time in ISO 8601, so many minutes later; `None` for other texts.
pub(crate) fn minutes_later(time: &str, minutes: usize) -> Option<String> {
    let is_time = time.len() >= 19
        && time.as_bytes()[10] == b'T'
        && time.as_bytes()[..4].iter().all(u8::is_ascii_digit);
    let number = |range: std::ops::Range<usize>| time.get(range)?.parse::<usize>().ok();
    let (hours, own) = (number(11..13).filter(|_| is_time)?, number(14..16)?);
    let all = hours * 60 + own + minutes;
    let days = all / (24 * 60);
    let (month, day) = (1 + days / 28 % 12, 1 + days % 28);
    let year = 2026 + days / (28 * 12);
    Some(format!("{year}-{month:02}-{day:02}T{:02}:{:02}{}", all / 60 % 24, all % 60, time.get(16..)?))
}
