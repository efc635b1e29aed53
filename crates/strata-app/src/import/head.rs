//! The beginning of a file, as far as it takes to know what the file is.

use std::io;

use strata_import::{Detection, HEAD_BYTES, HeadDetection, detect_head, longer_head};

/// Bytes that are looked at before a file counts as none of those that are known.
const MAX_BYTES: usize = 64 << 20;

/// Reads the beginning of a file through `more`, which appends the next bytes and returns how many there were.
pub(super) fn read_head(
    mut more: impl FnMut(&mut Vec<u8>) -> io::Result<usize>,
) -> io::Result<(Vec<u8>, Detection)> {
    let mut head = Vec::new();
    let mut wanted = HEAD_BYTES;
    loop {
        let mut is_whole = false;
        while head.len() < wanted && !is_whole {
            is_whole = more(&mut head)? == 0;
        }
        let HeadDetection { detection, is_settled } = detect_head(&head);
        if is_settled || is_whole || head.len() >= MAX_BYTES {
            return Ok((head, detection));
        }
        wanted = longer_head(head.len());
    }
}

/// The same of a file that stands at its beginning.
pub(super) fn detect_file(mut file: &std::fs::File) -> io::Result<Detection> {
    let read =
        |head: &mut Vec<u8>| io::Read::read_to_end(&mut io::Read::take(&mut file, HEAD_BYTES as u64), head);
    read_head(read).map(|(_, detection)| detection)
}
