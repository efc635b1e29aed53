//! `.eval` archives: ZIP with deflate, or with Zstandard in newer versions.

use std::io::{Cursor, Read as _};

use strata_model::{Json, Object, json};
use zip::{CompressionMethod, ZipArchive};

use crate::findings::Findings;
use crate::source::SourceRecord;

/// No sample is larger; an archive that says so is none.
const MAX_BYTES: u64 = 512 << 20;

/// Every sample of an archive, with the place of its compressed bytes; and the other members that are objects.
pub(super) fn samples(bytes: &[u8], findings: &mut Findings) -> (Vec<(Object, SourceRecord)>, Object) {
    let mut archive = match ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) => archive,
        Err(error) => {
            let message = format!(
                "the archive cannot be read ({error}); it may have been cut off. Nothing was imported"
            );
            findings.error("broken-archive", "", message);
            return (Vec::new(), Object::new());
        }
    };
    let names = archive.file_names().filter_map(Result::ok).map(|name| name.into_owned());
    let (mut names, others): (Vec<String>, Vec<String>) =
        names.partition(|name| name.starts_with("samples/"));
    names.sort();
    let mut samples = Vec::new();
    for name in names {
        match member(&mut archive, &name) {
            Ok((text, source)) => match json::parse(&text) {
                Ok(Json::Object(sample)) => samples.push((sample, source)),
                Ok(other) => {
                    let message =
                        format!("{} stands where a sample should be; it was left out", other.kind());
                    findings.error("unexpected-type", name, message);
                }
                Err(error) => {
                    let message = format!("a sample is not valid JSON ({}); it was left out", error.message);
                    findings.error("broken-sample", name, message);
                }
            },
            Err(reason) => {
                findings.error(
                    "broken-member",
                    name,
                    format!("a sample cannot be unpacked ({reason}); it was left out"),
                );
            }
        }
    }
    // They are not read: they are known by their names.
    let others = others.into_iter().filter(|name| !name.ends_with('/'));
    (samples, others.map(|name| (name, Json::Bool(true))).collect())
}

fn member(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<(Vec<u8>, SourceRecord), String> {
    let index = archive.index_for_name(name).ok_or("it is not there")?;
    let told = |error: std::io::Error| error.to_string();
    let mut text = Vec::new();
    let raw = archive.by_index_raw(index).map_err(|error| error.to_string())?;
    let start = raw.data_start().unwrap_or_default();
    let source = SourceRecord::Bytes(start..start.saturating_add(raw.compressed_size()));
    if raw.compression() == CompressionMethod::ZSTD {
        let decoder = ruzstd::decoding::StreamingDecoder::new(raw).map_err(|error| error.to_string())?;
        decoder.take(MAX_BYTES).read_to_end(&mut text).map_err(told)?;
        return Ok((text, source));
    }
    drop(raw);
    let file = archive.by_index(index).map_err(|error| error.to_string())?;
    file.take(MAX_BYTES).read_to_end(&mut text).map_err(told)?;
    Ok((text, source))
}
