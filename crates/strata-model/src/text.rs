//! What two texts have in common at their ends.

/// Bytes that both texts begin with, cut back to whole characters.
pub fn common_start(a: &str, b: &str) -> usize {
    let mut common = common_bytes(a.as_bytes(), b.as_bytes());
    while !a.is_char_boundary(common) || !b.is_char_boundary(common) {
        common -= 1;
    }
    common
}

/// How many bytes both begin with.
pub fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    // Blocks are compared at once, which is several times as fast for long texts.
    const BLOCK: usize = 64;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(a, b)| a == b).count()
}

/// Bytes that both texts end with, cut to whole characters.
pub fn common_end(a: &str, b: &str) -> usize {
    let mut common = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(a.len() - common) || !b.is_char_boundary(b.len() - common) {
        common -= 1;
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_whole_characters() {
        assert_eq!((common_start("größe", "grün"), common_end("Maß", "Spaß")), (2, 3));
        // Both begin with the same byte of two, and both end with one.
        assert_eq!((common_start("ä", "ö"), common_end("é", "ũ")), (0, 0));
        assert_eq!((common_start("", "a"), common_start("ab", "ab"), common_end("ab", "cab")), (0, 2, 2));
    }

    #[test]
    fn long_texts_are_compared_to_the_byte() {
        for at in [0, 63, 64, 65, 200] {
            let text = "a".repeat(300);
            let mut other = text.clone();
            other.replace_range(at..=at, "b");
            assert_eq!((common_start(&text, &other), common_end(&text, &other)), (at, 299 - at));
        }
    }
}
