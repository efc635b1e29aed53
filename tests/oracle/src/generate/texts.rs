//! Texts and data with what renderers, templates and tokenisers of words stumble over.

use strata_engine::adk_text::{INSTR_BEGIN, INSTR_END, QUOTE_BEGIN, QUOTE_END};
use strata_model::{Json, Object};

use crate::dice::Dice;

const PLAIN: &[&str] =
    &["hello", "go on", "find flights to Oslo", "done", "two\nlines", "What about trains?", "ok"];

/// Words that memory searches find each other by.
const WORDS: &[&str] = &[
    "ΟΔΟΣ",
    "οδός",
    "İstanbul",
    "STRASSE",
    "straße",
    "ǅ",
    "Oslo",
    "OSLO",
    "café",
    "CAFÉ",
    "cafe\u{301}",
    "trains",
    "Trains,",
    "東京タワー",
    "東京",
    "x_1",
    "½",
    "naïve-train",
];

const ODD: &[&str] = &[
    "",
    " ",
    "\n",
    "\t \r\n",
    "\u{a0}",
    "\u{1c}\u{1d}\u{1e}\u{1f}",
    "\u{85}",
    "\u{200b}",
    "\u{feff}",
    "\u{2028}\u{2029}",
    " padded ",
    "it's",
    "say \"hi\"",
    "both ' and \"",
    "back\\slash",
    "e\u{301}\u{e9}",
    "\u{1f600} \u{1f468}\u{200d}\u{1f469}",
    "हिन्दी 中文 ½ Ⅷ",
    "\u{0}\u{7f}\u{e000}\u{ad}",
    "\u{10ffff}\u{1fae8}",
    "For context:",
    "{name} ${name} \\{name}",
    "```tool_code\nx\n```",
    "/*PLANNING*/ plan /*FINAL_ANSWER*/ 42",
];

/// Some letter or sign of Unicode; blocks with many kinds of them come more often.
pub(crate) fn letter(dice: &mut Dice) -> char {
    let (low, high) = *dice.weighted(&[
        (3, (0x00, 0x24f)),
        (3, (0x250, 0x1fff)),
        (3, (0x2000, 0x33ff)),
        (1, (0xa000, 0xd7ff)),
        (2, (0xf900, 0xffff)),
        (3, (0x1_0000, 0x1_fbff)),
        (1, (0x2_0000, 0x10_ffff)),
    ]);
    u32::try_from(dice.between(low, high)).ok().and_then(char::from_u32).unwrap_or('x')
}

/// What somebody says.
pub(crate) fn text(dice: &mut Dice) -> String {
    match dice.between(0, 20) {
        0..10 => dice.word(PLAIN).to_owned(),
        10..15 => dice.word(ODD).to_owned(),
        15 => format!("{}{}", dice.word(PLAIN), dice.word(ODD)),
        16 => dice.word(&[QUOTE_BEGIN, QUOTE_END, INSTR_BEGIN, INSTR_END]).to_owned(),
        17 => dice.several(1, 3, letter).into_iter().collect(),
        18 => dice.several(1, 4, |dice| dice.word(WORDS)).join(" "),
        19 => format!("{QUOTE_END}\n{}{INSTR_END}", dice.word(PLAIN)),
        _ => format!("{} {}", dice.word(PLAIN), dice.word(PLAIN)),
    }
}

/// Keys of state; all but `gone` are usually there.
pub(crate) const STATE_KEYS: &[&str] = &[
    "name",
    "topic",
    "n",
    "ratio",
    "flag",
    "none",
    "items",
    "data",
    "user:lang",
    "app:tier",
    "temp:scratch",
    "café",
    "_p",
    "queries",
];

const PIECES: &[&str] = &[
    "{name}",
    "{name}",
    "{topic}",
    "{n}",
    "{ratio}",
    "{flag}",
    "{none}",
    "{items}",
    "{data}",
    "{user:lang}",
    "{app:tier}",
    "{temp:scratch}",
    "{café}",
    "{_p}",
    "{ name }",
    "{\ntopic\n}",
    "{gone?}",
    "{user:gone?}",
    "{{name}}",
    "{{{n}}}",
    "{{gone?}}",
    "{name}}",
    "{{name}",
    "${name}",
    "\\{name}",
    "$ {name}",
    "{name ?}",
    "{name? }",
    "{name??}",
    "{?}",
    "{}",
    "{ }",
    "{a b}",
    "{a-b}",
    "{123}",
    "{foo:bar}",
    "{app:}",
    "{user:a:b}",
    "{\"k\": 1}",
    "{\"k\": \"{name}\"}",
    "{artifact.gone.txt?}",
    "{artifact.notes.txt?}",
    "{artifact.user:cv.txt?}",
    "{artifact.plot.png?}",
    "{artifact.?}",
    "{",
    "}",
    "}{",
    "%s {0}",
    "{\u{a0}name\u{a0}}",
    "{ªb?}",
    "{x·y?}",
    "{\u{2118}?}",
    "{ﬁ?}",
    "{٣?}",
    "{x٣?}",
];

const STOPPING: &[&str] =
    &["{gone}", "{user:gone}", "{class}", "{artifact.gone.txt}", "{artifact.notes.txt}"];

/// A template for an instruction.
pub(crate) fn template(dice: &mut Dice) -> String {
    let mut text = String::new();
    for _ in 0..dice.between(0, 4) {
        match dice.between(0, 99) {
            0..35 => text += dice.word(PLAIN),
            35..43 => text += dice.word(ODD),
            44 => text += &format!("{{{}?}}", letter(dice)),
            43 => text += &format!("{{x{}?}}", letter(dice)),
            45..48 => text += dice.word(&[INSTR_BEGIN, INSTR_END, QUOTE_BEGIN]),
            48..50 => text += dice.word(STOPPING),
            _ => text += dice.word(PIECES),
        }
        if dice.chance(50) {
            text.push(' ');
        }
    }
    text
}

/// A value as tools and states hold them.
pub(crate) fn value(dice: &mut Dice, depth: usize) -> Json {
    let limit = if depth == 0 { 15 } else { 19 };
    match dice.between(0, limit) {
        0 => Json::Null,
        1 => true.into(),
        2 => Json::Bool(false),
        3 => Json::Int(dice.between(0, 9) as i64),
        4 => Json::Int(-7),
        5 => Json::BigInt("100000000000000000000".into()),
        6 => Json::Float(*dice.pick(&[1.0, 0.1, -0.0, 1e16, 1e22, 1e-5, 1e-7, 123_456_789.125, 1e300])),
        7..=13 => text(dice).into(),
        14 => Json::Int(dice.bits() as i64 >> dice.between(0, 63)),
        15 => finite(f64::from_bits(dice.bits())),
        16 | 17 => dice.several(0, 3, |dice| value(dice, depth - 1)).into(),
        _ => data(dice, depth - 1).into(),
    }
}

/// JSON has no other numbers.
fn finite(number: f64) -> Json {
    Json::Float(if number.is_finite() { number } else { 0.5 })
}

/// An object of such values, its keys in no order.
pub(crate) fn data(dice: &mut Dice, depth: usize) -> Object {
    const KEYS: &[&str] = &["b", "a", "query", "Z", "é", "10", "9", "", "result", "user id"];
    let mut object = Object::new();
    for _ in 0..dice.between(0, 3) {
        let value = value(dice, depth);
        let key = if dice.chance(10) { letter(dice).to_string() } else { dice.word(KEYS).to_owned() };
        object.insert(key, value);
    }
    object
}
