//! What kind of content a text is: tokenizers differ by it.

/// Kinds of content that tokenizers are compared on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ContentClass {
    Prose,
    Code,
    Json,
    /// Rows of values with separators between them.
    Table,
    /// Chinese, Japanese, Korean.
    Cjk,
    /// Writing that is neither Latin nor CJK.
    OtherScript,
    /// A run that cannot be cut, too long for the vocabulary's tokenizer: see [`super::Vocabulary::counter`].
    Unbroken,
}

impl ContentClass {
    pub const ALL: [Self; 7] =
        [Self::Prose, Self::Code, Self::Json, Self::Table, Self::Cjk, Self::OtherScript, Self::Unbroken];

    /// The name under which it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Code => "code",
            Self::Json => "json",
            Self::Table => "table",
            Self::Cjk => "cjk",
            Self::OtherScript => "other_script",
            Self::Unbroken => "unbroken",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// The class of `text`, judged by up to [`SAMPLE`] bytes from its start, middle and end.
    pub fn of(text: &str) -> Self {
        Traits::of(text.as_bytes()).class()
    }
}

/// Bytes looked at in each of three places.
const SAMPLE: usize = 256;

/// How many bytes of a sample are what.
#[derive(Default)]
struct Traits {
    bytes: usize,
    /// Bytes of CJK characters, and of other characters that are not Latin.
    cjk: usize,
    other_script: usize,
    digits: usize,
    quotes: usize,
    colons: usize,
    separators: usize,
    spaces: usize,
    lines: usize,
    /// Characters that programs are full of and prose is not.
    signs: usize,
}

impl Traits {
    fn of(text: &[u8]) -> Self {
        let mut traits = Self::default();
        if text.len() <= 3 * SAMPLE {
            traits.add(text);
        } else {
            let middle = text.len() / 2;
            traits.add(&text[..SAMPLE]);
            traits.add(&text[middle..middle + SAMPLE]);
            traits.add(&text[text.len() - SAMPLE..]);
        }
        traits
    }

    fn add(&mut self, sample: &[u8]) {
        self.bytes += sample.len();
        for byte in sample {
            match byte {
                b'0'..=b'9' => self.digits += 1,
                b'"' => self.quotes += 1,
                b':' => self.colons += 1,
                b',' | b'\t' | b'|' => self.separators += 1,
                b' ' => self.spaces += 1,
                b'\n' => self.lines += 1,
                b'(' | b')' | b'{' | b'}' | b'[' | b']' | b';' | b'=' | b'<' | b'>' | b'_' | b'/' | b'\\'
                | b'*' | b'#' | b'&' | b'+' | b'$' => self.signs += 1,
                // The first byte of a character tells its script and its length.
                0xCD..=0xDF => self.other_script += 2,
                0xE0..=0xE1 => self.other_script += 3,
                0xE3..=0xED => self.cjk += 3,
                _ => {}
            }
        }
    }

    fn class(&self) -> ContentClass {
        let at_least = |part: usize, percent: usize| part * 100 >= self.bytes * percent && part > 0;
        if at_least(self.cjk, 30) {
            ContentClass::Cjk
        } else if at_least(self.other_script, 30) {
            ContentClass::OtherScript
        } else if at_least(self.quotes, 5) && at_least(self.colons, 1) {
            ContentClass::Json
        } else if at_least(self.separators, 8)
            && !at_least(self.spaces, 12)
            && (self.lines > 0 || at_least(self.digits, 20))
        {
            ContentClass::Table
        } else if at_least(self.signs, 6) {
            ContentClass::Code
        } else {
            ContentClass::Prose
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, class: ContentClass) {
        assert_eq!(ContentClass::of(text), class, "{text}");
        assert_eq!(ContentClass::of(&text.repeat(100)), class, "repeated {text}");
    }

    #[test]
    fn classes() {
        check("", ContentClass::Prose);
        check("The agent answers, in short sentences; it asks when unsure (rarely).\n", ContentClass::Prose);
        check("Grüße aus Köln – où est la bibliothèque? Żółć.", ContentClass::Prose);
        check(
            "pub fn of(text: &str) -> Self {\n    Traits::of(text.as_bytes()).class()\n}\n",
            ContentClass::Code,
        );
        check("for row in rows:\n    total += price(row['id'])  # cents\n", ContentClass::Code);
        check(r#"{"id": 17, "name": "Ada", "tags": ["a", "b"]}"#, ContentClass::Json);
        check(r#"[{"city":"Oslo","temperature":-3.5,"wind":"light"},"#, ContentClass::Json);
        check("id,name,price\n1,Ada,3.50\n2,Grace,4.75\n", ContentClass::Table);
        check("2026-11-20\t17\t0.25\n2026-11-21\t18\t0.50\n", ContentClass::Table);
        check("上下文是对更丰富的有状态系统的编译视图。", ContentClass::Cjk);
        check("コンテキストはビューです。", ContentClass::Cjk);
        check("컨텍스트는 보기입니다.", ContentClass::Cjk);
        check("Контекст — это представление.", ContentClass::OtherScript);
        check("संदर्भ एक दृश्य है", ContentClass::OtherScript);
    }

    #[test]
    fn names_are_their_own_inverse() {
        for class in ContentClass::ALL {
            assert_eq!(ContentClass::from_name(class.name()), Some(class));
        }
    }
}
