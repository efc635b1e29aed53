//! Bodies without the compression that HTTP carried them with.

use std::borrow::Cow;
use std::io::Read;

use crate::stream::is_stream;

/// No request of a model is larger; an archive that says so is none.
const MAX_BYTES: u64 = 256 << 20;

/// The bytes of a body without their compression. Of what is cut off, the part that can be read.
///
/// `encoding` is the value of `Content-Encoding`, in small letters. Recorders unpack bodies and leave it standing, so it is only a
/// hint.
pub fn decoded<'b>(packed: &'b [u8], encoding: &str) -> Cow<'b, [u8]> {
    const GZIP: &[u8] = b"\x1f\x8b";
    const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
    let unpacked = if packed.starts_with(GZIP) {
        read(flate2::read::MultiGzDecoder::new(packed))
    } else if packed.starts_with(ZSTD) {
        ruzstd::decoding::StreamingDecoder::new(packed).ok().and_then(read)
    } else if is_text(packed) {
        None
    } else if encoding.contains("br") {
        read(brotli_decompressor::Decompressor::new(packed, 4096))
    } else if encoding.contains("deflate") {
        read(flate2::read::ZlibDecoder::new(packed))
            .or_else(|| read(flate2::read::DeflateDecoder::new(packed)))
    } else {
        None
    };
    unpacked.map_or(Cow::Borrowed(packed), Cow::Owned)
}

/// Whether bytes are a body that needs no unpacking.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.trim_start().starts_with(['{', '[']) || is_stream(text))
}

fn read(from: impl Read) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let result = from.take(MAX_BYTES).read_to_end(&mut unpacked);
    (result.is_ok() || !unpacked.is_empty()).then_some(unpacked)
}
