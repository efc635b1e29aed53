//! JSON values out of bytes that arrive in pieces of any size: a document, values one after the other, or the elements of
//! one list, as Gemini streams where nobody asks for events.

use std::ops::Range;

/// Cuts objects out of bytes, going by brackets and quotes alone.
#[derive(Debug, Default)]
pub struct ValueCutter {
    /// Bytes of a value that has not ended.
    pending: Vec<u8>,
    /// How deep the next byte stands, without the list that all values are elements of.
    depth: usize,
    is_in_list: bool,
    is_in_string: bool,
    is_escaped: bool,
    offset: u64,
}

/// An object and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutValue {
    pub text: Vec<u8>,
    /// Its bytes in the stream.
    pub bytes: Range<u64>,
}

impl ValueCutter {
    /// Hands over the objects that are complete with these bytes.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(CutValue)) {
        for &byte in bytes {
            self.offset += 1;
            if self.depth == 0 && !self.begins(byte) {
                continue;
            }
            self.pending.push(byte);
            if self.step(byte) {
                let text = std::mem::take(&mut self.pending);
                sink(CutValue { bytes: self.offset - text.len() as u64..self.offset, text });
            }
        }
    }

    /// What was under way when the bytes ended.
    pub fn finish(&mut self) -> Option<CutValue> {
        let text = std::mem::take(&mut self.pending);
        let bytes = self.offset - text.len() as u64..self.offset;
        (!text.is_empty()).then_some(CutValue { text, bytes })
    }

    /// Whether a byte between values begins one.
    fn begins(&mut self, byte: u8) -> bool {
        match byte {
            b'[' if !self.is_in_list => {
                self.is_in_list = true;
                false
            }
            b']' => {
                self.is_in_list = false;
                false
            }
            byte => byte == b'{' || byte == b'[',
        }
    }

    /// Moves over a byte of a value; whether it is the last one.
    fn step(&mut self, byte: u8) -> bool {
        if self.is_in_string {
            match byte {
                _ if std::mem::take(&mut self.is_escaped) => {}
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.is_in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth -= 1;
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}
