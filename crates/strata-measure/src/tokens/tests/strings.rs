//! Random text that is hard on tokenizers.

/// A small deterministic generator (xorshift64*).
pub(in crate::tokens) struct Random(u64);

impl Random {
    pub(in crate::tokens) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(in crate::tokens) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    pub(in crate::tokens) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(in crate::tokens) fn pick<'p, T: ?Sized>(&mut self, from: &[&'p T]) -> &'p T {
        from[self.below(from.len())]
    }
}

/// What splits words in surprising places: contractions, marks, case, digits, white space of all kinds, special
/// tokens, characters of one to four bytes from many scripts.
const ATOMS: &[&str] = &[
    "a",
    "b",
    "e",
    "the",
    "ing",
    "tion",
    "A",
    "I",
    "HTTP",
    "Hello",
    "camelCase",
    "snake_case",
    "é",
    "ß",
    "Ł",
    "ǅ",
    "ʰ",
    "ª",
    "'s",
    "'S",
    "'t",
    "'ll",
    "'RE",
    "’s",
    "'ſ",
    "'",
    "''",
    "1",
    "12",
    "345",
    "6789",
    "0x1F",
    "²",
    "Ⅷ",
    "½",
    "٣",
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "\u{b}",
    "\u{c}",
    "\u{85}",
    "\u{a0}",
    "\u{2003}",
    "\u{2028}",
    "\u{202f}",
    "\u{3000}",
    "\u{200b}",
    "\u{feff}",
    ".",
    ",",
    "!",
    "?",
    "...",
    "/",
    "//",
    "\\",
    "\"",
    "(",
    ")",
    "{",
    "}",
    "[]",
    "=>",
    "<",
    ">",
    "+",
    "-",
    "--",
    "*",
    "&",
    "#",
    "@",
    "~",
    "`",
    "^",
    "|",
    ";",
    ":",
    "\0",
    "\u{1b}",
    "\u{7f}",
    "\u{301}",
    "\u{308}",
    "\u{20e3}",
    "\u{fe0f}",
    "\u{200d}",
    "语",
    "上下文",
    "的",
    "々",
    "〇",
    "あ",
    "カ",
    "ー",
    "ん",
    "ｶ",
    "한",
    "국어",
    "、",
    "。",
    "，",
    "「",
    "」",
    "！",
    "Ж",
    "контекст",
    "Ω",
    "λ",
    "ب",
    "ال",
    "שלום",
    "क",
    "ि",
    "क्षि",
    "ก",
    "ำ",
    "😀",
    "🎉",
    "👍🏽",
    "👨‍👩‍👧",
    "🇳🇴",
    "\u{e000}",
    "\u{10ffff}",
    "𝒳",
    "𠮷",
    "<|endoftext|>",
    "<|im_start|>",
    "<|start|>",
    "[INST]",
    "</s>",
];

/// A text of up to `atoms` atoms, in which some repeat.
pub(in crate::tokens) fn hard_text(random: &mut Random, atoms: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.below(atoms) {
        let atom = random.pick(ATOMS);
        let repeat = if random.below(12) == 0 { random.below(9) } else { 1 };
        text.extend(std::iter::repeat_n(atom, repeat));
    }
    text
}

/// A text from the whole range of Unicode.
pub(in crate::tokens) fn any_text(random: &mut Random, chars: usize) -> String {
    let any = |random: &mut Random| {
        let top = [0x7f, 0x7ff, 0xffff, 0x10_ffff][random.below(4)];
        char::from_u32((random.next() % (top + 1)) as u32).unwrap_or(' ')
    };
    (0..random.below(chars)).map(|_| any(random)).collect()
}

/// Writes the next piece of a text.
type Write = fn(&mut Random) -> String;

/// One text of about `bytes` bytes for each class of content, made of words that vary.
pub(in crate::tokens) fn corpus(bytes: usize) -> Vec<(&'static str, String)> {
    let mut random = Random::new(7);
    let kinds: [(&str, Write); 7] = [
        ("prose", |random| {
            format!("{} {}{}", word(random), word(random), random.pick(&[" ", ", ", ". ", ".\n"]))
        }),
        ("code", |random| {
            format!(
                "    let {} = self.{}({}, &{});\n",
                word(random),
                word(random),
                random.next() % 99,
                word(random)
            )
        }),
        ("json", |random| {
            format!(
                r#"{{"id":{},"name":"{} {}","price":{}.5}},"#,
                random.next() % 100_000,
                word(random),
                word(random),
                random.next() % 1000
            )
        }),
        ("table", |random| {
            format!(
                "{},{},{:.4},{}\n",
                random.next() % 100_000,
                word(random),
                random.next() as f64 / 1e9,
                random.next() % 77
            )
        }),
        ("chinese", |random| {
            let mut clause: String = (0..3 + random.below(12)).map(|_| han(random)).collect();
            clause.push_str(random.pick(&["，", "。", "、", "。\n"]));
            clause
        }),
        ("base64", |random| (0..64).map(|_| char::from(BASE64[random.below(64)])).collect()),
        ("mixed", |random| hard_text(random, 40)),
    ];
    kinds.map(|(name, piece)| (name, fill(bytes, || piece(&mut random)))).into()
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(in crate::tokens) fn han(random: &mut Random) -> char {
    char::from_u32(0x4e00 + random.below(3000) as u32).unwrap_or('一')
}

pub(in crate::tokens) fn fill(bytes: usize, mut piece: impl FnMut() -> String) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        text += &piece();
    }
    text
}

/// A word of a real text, or sometimes of letters drawn at random.
pub(in crate::tokens) fn word(random: &mut Random) -> String {
    static WORDS: std::sync::LazyLock<Vec<&str>> = std::sync::LazyLock::new(|| {
        let text = include_str!("../../../../../LICENSE");
        text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect()
    });
    if random.below(20) == 0 {
        return (0..3 + random.below(8)).map(|_| char::from(b'a' + random.below(26) as u8)).collect();
    }
    WORDS[random.below(WORDS.len())].to_owned()
}
