//! The bytes of a pickle, taken one after the other.

use strata_model::Json;

pub(super) struct Input<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
}

impl<'b> Input<'b> {
    pub(super) fn take(&mut self, length: usize) -> Result<&'b [u8], String> {
        let end = self.at.checked_add(length).ok_or("a length is too large")?;
        let taken = self.bytes.get(self.at..end).ok_or("it ends too early")?;
        self.at = end;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    /// An unsigned number of so many bytes, the lowest first.
    pub(super) fn number(&mut self, length: usize) -> Result<usize, String> {
        let bytes = self.take(length)?;
        let number = bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        usize::try_from(number).map_err(|_| "a number is too large".to_owned())
    }

    pub(super) fn text(&mut self, length: usize) -> Result<Json, String> {
        Ok(Json::from(String::from_utf8_lossy(self.take(length)?).into_owned()))
    }

    pub(super) fn line(&mut self) -> Result<String, String> {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or("it ends too early")?;
        self.at += end + 1;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }
}
