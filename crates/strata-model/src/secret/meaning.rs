//! What a text means that is JSON, or has JSON in it: encoders write `&` as `\u0026` and `/` as `\/`, and JSON in JSON is
//! escaped again.

use std::borrow::Cow;

/// A text without its escapes, and where in it each byte stood.
pub(super) struct Meaning<'t> {
    pub bytes: Cow<'t, [u8]>,
    /// Behind each escape: the place here, and the place in the text.
    jumps: Vec<(usize, usize)>,
}

impl<'t> Meaning<'t> {
    /// Escapes are read however often their backslashes were escaped again. What is none stays as it is.
    pub(super) fn of(text: &'t [u8]) -> Self {
        let next_slash =
            |from: usize| text[from..].iter().position(|byte| *byte == b'\\').map(|at| from + at);
        let Some(mut slash) = next_slash(0) else {
            return Self { bytes: Cow::Borrowed(text), jumps: Vec::new() };
        };
        let mut bytes = Vec::with_capacity(text.len());
        let mut jumps = Vec::new();
        let mut from = 0;
        loop {
            let n_slashes = text[slash..].iter().take_while(|byte| **byte == b'\\').count();
            let behind = slash + n_slashes;
            if let Some((character, len)) = escaped(&text[behind..]) {
                bytes.extend_from_slice(&text[from..slash]);
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                from = behind + len;
                jumps.push((bytes.len(), from));
            }
            match next_slash(behind.max(from)) {
                Some(next) => slash = next,
                None => break,
            }
        }
        bytes.extend_from_slice(&text[from..]);
        Self { bytes: Cow::Owned(bytes), jumps }
    }

    /// Where in the text a character begins that begins here.
    pub(super) fn place(&self, at: usize) -> usize {
        let n_before = self.jumps.partition_point(|(here, _)| *here <= at);
        let (here, there) = n_before.checked_sub(1).map_or((0, 0), |last| self.jumps[last]);
        there + (at - here)
    }
}

/// What an escape stands for, and its bytes behind the backslash.
fn escaped(behind: &[u8]) -> Option<(char, usize)> {
    let short = |character| Some((character, 1));
    match behind.first()? {
        b'n' => short('\n'),
        b'r' => short('\r'),
        b't' => short('\t'),
        quote @ (b'"' | b'\'' | b'/') => short(char::from(*quote)),
        b'u' => {
            let digits = behind.get(1..5).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
            let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            // No half of a pair is in a key.
            Some((char::from_u32(code)?, 5))
        }
        _ => None,
    }
}
