//! Numbers that look random and are the same on every machine.

/// A generator of such numbers (SplitMix64).
#[derive(Debug, Clone)]
pub struct Seeded {
    state: u64,
}

impl Seeded {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to but without `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next_u64() % limit as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// One of some items, of which there is at least one.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// So many hexadecimal digits, 16 at most.
    pub fn hex(&mut self, n_digits: usize) -> String {
        let digits = format!("{:016x}", self.next_u64());
        digits[..n_digits].to_owned()
    }

    /// A UUID of version 4, as Python's `uuid4` prints it.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.next_u64(), self.next_u64());
        let high = (high & !0xf000) | 0x4000;
        let low = (low & !(0b11 << 62)) | (0b10 << 62);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut random = Seeded::new(7);
        assert_eq!(random.next_u64(), Seeded::new(7).next_u64());
        assert_ne!(random.next_u64(), Seeded::new(8).next_u64());
        assert_eq!(Seeded::new(1).uuid(), "910a2dec-8902-4cc1-beeb-8da1658eec67");
    }

    #[test]
    fn numbers_stay_within_their_limits() {
        let mut random = Seeded::new(1);
        assert!((0..1000).all(|_| (3..=5).contains(&random.between(3, 5))));
        let mut items: Vec<u32> = (0..50).collect();
        random.shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
