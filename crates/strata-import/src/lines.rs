//! Cutting a stream of bytes into lines that begin a record.

use memchr::memchr_iter;

/// The mark that some programs put before UTF-8 text.
pub(crate) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// A piece of a file that begins at the start of a line and holds whole records: one line, or several when the
/// records are indented over lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'b> {
    pub(crate) bytes: &'b [u8],
    /// Offset of the first byte in the file.
    pub(crate) start: u64,
    /// Number of the first line in the file, from 1.
    pub(crate) line: u64,
    /// Nothing follows: a record that breaks off here was cut by the end of the file.
    pub(crate) is_last: bool,
}

/// Cuts what it is fed into [`Chunk`]s. A line begins a new chunk unless it continues an indented record, that is
/// unless it is empty or starts with white space or a closing bracket.
#[derive(Debug, Default)]
pub(crate) struct LineCutter {
    /// Bytes of the chunk that is not complete yet.
    pending: Vec<u8>,
    /// Bytes of `pending` that hold no cut, and how many lines end in them.
    searched: usize,
    searched_lines: u64,
    start: u64,
    line: u64,
}

impl LineCutter {
    pub(crate) fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(Chunk<'_>)) {
        if self.pending.is_empty() {
            let used = self.cut(bytes, &mut sink);
            self.pending.extend_from_slice(&bytes[used..]);
        } else {
            let mut pending = std::mem::take(&mut self.pending);
            pending.extend_from_slice(bytes);
            let used = self.cut(&pending, &mut sink);
            pending.drain(..used);
            self.pending = pending;
        }
    }

    /// Shows what is left, as it is when nothing follows.
    pub(crate) fn rest(&self, sink: impl FnOnce(Chunk<'_>)) {
        sink(self.chunk(&self.pending, true));
    }

    /// Emits every complete chunk of `bytes`; returns how many bytes they took.
    fn cut(&mut self, bytes: &[u8], sink: &mut impl FnMut(Chunk<'_>)) -> usize {
        let mut used = 0;
        let mut n_lines = self.searched_lines;
        let searched = self.searched;
        let starts = memchr_iter(b'\n', &bytes[searched..]).map(|at| searched + at + 1);
        // A newline that ends `bytes` is looked at again when the byte behind it is known.
        for start in starts.take_while(|start| *start < bytes.len()) {
            n_lines += 1;
            if !continues(bytes[start]) {
                self.emit(&bytes[used..start], n_lines, sink);
                used = start;
                n_lines = 0;
            }
        }
        self.searched = (bytes.len() - used).saturating_sub(1);
        self.searched_lines = n_lines;
        used
    }

    fn chunk<'b>(&self, bytes: &'b [u8], is_last: bool) -> Chunk<'b> {
        let text = if self.start == 0 { bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes) } else { bytes };
        let start = self.start + (bytes.len() - text.len()) as u64;
        Chunk { bytes: text, start, line: self.line + 1, is_last }
    }

    fn emit(&mut self, bytes: &[u8], n_lines: u64, sink: &mut impl FnMut(Chunk<'_>)) {
        sink(self.chunk(bytes, false));
        self.start += bytes.len() as u64;
        self.line += n_lines;
    }
}

fn continues(first: u8) -> bool {
    matches!(first, b' ' | b'\t' | b'\r' | b'\n' | b'}' | b']')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], step: usize) -> Vec<(String, u64, u64, bool)> {
        let mut chunks = Vec::new();
        let mut sink = |chunk: Chunk<'_>| {
            let text = String::from_utf8_lossy(chunk.bytes).into_owned();
            chunks.push((text, chunk.start, chunk.line, chunk.is_last));
        };
        let mut cutter = LineCutter::default();
        for bytes in text.chunks(step) {
            cutter.feed(bytes, &mut sink);
        }
        cutter.rest(&mut sink);
        chunks
    }

    #[test]
    fn lines_and_indented_records_are_cut_the_same_at_every_step() {
        let text = b"\xef\xbb\xbf{\"a\":1}\n{\n  \"b\": 2\n}\n\n{\"c\":3}\n{\"d\":";
        let whole = cut(text, text.len());
        let texts: Vec<_> = whole.iter().map(|chunk| &*chunk.0).collect();
        assert_eq!(texts, ["{\"a\":1}\n", "{\n  \"b\": 2\n}\n\n", "{\"c\":3}\n", "{\"d\":"]);
        let places: Vec<_> = whole.iter().map(|chunk| (chunk.1, chunk.2)).collect();
        assert_eq!(places, [(3, 1), (11, 2), (25, 6), (33, 7)]);
        for step in 1..text.len() {
            assert_eq!(cut(text, step), whole, "step {step}");
        }
    }
}
