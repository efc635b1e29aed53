//! How fast summaries are written, and how long those that are left will take.

use std::time::Instant;

/// The pace of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pace {
    pub begun: Option<Instant>,
    /// Summaries in all, and the tokens that one usually has.
    expected: u32,
    usual_tokens: f64,
    /// Summaries that are there; of these, those that a model wrote just now, and the seconds these took.
    n_done: u32,
    n_written: u32,
    written_s: f64,
    /// When the summary under way was asked for, and when its first token came.
    asked: Option<Instant>,
    first: Option<Instant>,
    /// Its tokens so far.
    pub streamed: u32,
}

impl Pace {
    pub(crate) fn new(expected: u32, usual_tokens: f64) -> Self {
        Self { begun: Some(Instant::now()), expected, usual_tokens, ..Self::default() }
    }

    pub(crate) fn begins(&mut self) {
        (self.asked, self.first, self.streamed) = (Some(Instant::now()), None, 0);
    }

    pub(crate) fn came(&mut self, tokens: u32) {
        self.first.get_or_insert_with(Instant::now);
        self.streamed += tokens;
    }

    pub(crate) fn written(&mut self, is_from_before: bool) {
        self.n_done += 1;
        if let Some(asked) = self.asked.take().filter(|_| !is_from_before) {
            self.n_written += 1;
            self.written_s += asked.elapsed().as_secs_f64();
        }
        (self.first, self.streamed) = (None, 0);
    }

    /// Summaries that are written, with the part of the one that is being written.
    pub(crate) fn done(&self) -> f64 {
        // It is done when it has ended, however long it grows.
        let part = (f64::from(self.streamed) / self.usual_tokens.max(1.0)).min(0.95);
        f64::from(self.n_done) + part
    }

    pub(crate) fn tokens_per_s(&self) -> Option<f64> {
        let took = self.first?.elapsed().as_secs_f64();
        (took > 0.2 && self.streamed > 1).then(|| f64::from(self.streamed) / took)
    }

    /// By how long summaries took so far; for the first one, by how fast it comes.
    pub(crate) fn seconds_left(&self) -> Option<f64> {
        let n_left = f64::from(self.expected.saturating_sub(self.n_done));
        let under_way = self.asked.map_or(0.0, |asked| asked.elapsed().as_secs_f64());
        let each = match self.n_written {
            0 => {
                let first = self.first?.duration_since(self.asked?).as_secs_f64();
                first + self.usual_tokens.max(f64::from(self.streamed)) / self.tokens_per_s()?
            }
            n => self.written_s / f64::from(n),
        };
        Some((each * n_left - under_way).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_under_way_counts_in_part_and_never_as_a_whole() {
        let mut pace = Pace::new(2, 100.0);
        assert_eq!((pace.done(), pace.seconds_left()), (0.0, None));
        pace.begins();
        pace.came(50);
        assert!((pace.done() - 0.5).abs() < 1e-9);
        pace.came(500);
        assert!((pace.done() - 0.95).abs() < 1e-9);
        pace.written(false);
        assert!((pace.done() - 1.0).abs() < 1e-9);
        assert!(pace.seconds_left().is_some());
        pace.begins();
        pace.written(true);
        assert_eq!(pace.seconds_left(), Some(0.0));
    }
}
