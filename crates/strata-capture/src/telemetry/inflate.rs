//! Bodies of exporters without their compression, as far as they are no bombs.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use hyper::StatusCode;

use super::answer::Refusal;

/// What unpacks to more times its size was made to…
const MAX_RATIO: usize = 200;

/// …unless it is no larger than this.
const SMALL: usize = 1 << 20;

/// The bytes a batch was before it was compressed.
pub(super) fn unpacked<'b>(
    packed: &'b [u8],
    coding: &str,
    max_bytes: usize,
) -> Result<Cow<'b, [u8]>, Refusal> {
    let limit = max_bytes.min((packed.len() * MAX_RATIO).max(SMALL));
    let unpacked = match coding {
        "" | "identity" => return Ok(Cow::Borrowed(packed)),
        "gzip" | "x-gzip" => read(MultiGzDecoder::new(packed), limit)?,
        // The name is used for both.
        "deflate" if is_zlib(packed) => read(ZlibDecoder::new(packed), limit)?,
        "deflate" => read(DeflateDecoder::new(packed), limit)?,
        "zstd" => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed);
            read(decoder.map_err(|_| damaged())?, limit)?
        }
        _ => {
            let why = "Telemetry may be compressed with gzip, deflate or zstd.";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
    };
    Ok(Cow::Owned(unpacked))
}

fn is_zlib(packed: &[u8]) -> bool {
    matches!(packed, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

fn damaged() -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "The batch cannot be unpacked: it is damaged, or cut off.")
}

fn read(from: impl Read, limit: usize) -> Result<Vec<u8>, Refusal> {
    let mut unpacked = Vec::new();
    from.take(limit as u64 + 1).read_to_end(&mut unpacked).map_err(|_| damaged())?;
    if unpacked.len() > limit {
        let why = "The batch unpacks to more than 64 MiB, or to more than 200 times its size.";
        return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why));
    }
    Ok(unpacked)
}
