//! What media in a request weigh, judged by their type, their size in bytes and their first bytes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use strata_model::{Blob, FileData};

use super::count::TokenCount;
use super::image_size::ImageSize;
use super::media_rule::MediaRule;
use super::ratios::{Ratio, ratio};

/// The kinds of media that are counted differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Image,
    Sound,
    Film,
    Document,
    Other,
}

impl Kind {
    fn of(mime_type: Option<&str>) -> Self {
        let mime_type = mime_type.unwrap_or_default();
        let (kind, format) = mime_type.split_once('/').unwrap_or((mime_type, ""));
        let format = format.split(';').next().unwrap_or_default();
        match (kind, format) {
            ("image", "svg+xml") | ("text", _) => Self::Text,
            ("image", _) => Self::Image,
            ("audio", _) => Self::Sound,
            ("video", _) => Self::Film,
            ("application", "pdf") => Self::Document,
            ("application", "json" | "xml" | "yaml" | "x-yaml" | "javascript" | "csv") => Self::Text,
            _ => Self::Other,
        }
    }
}

pub(super) fn is_text(blob: &Blob) -> bool {
    Kind::of(blob.mime_type.as_deref()) == Kind::Text
}

/// The text in a blob, if it holds one.
pub(super) fn text_of(blob: &Blob) -> Option<String> {
    if !is_text(blob) {
        return None;
    }
    let bytes = URL_SAFE.decode(blob.data.as_deref()?.as_bytes()).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The tokens of bytes that are not text.
pub(super) fn of_blob(rule: MediaRule, blob: &Blob) -> TokenCount {
    let bytes = blob.data.as_ref().map_or(0, |data| data.size_bytes());
    let size = bytes as f64;
    // The length of sound, film and documents is judged by the usual sizes of such files.
    match Kind::of(blob.mime_type.as_deref()) {
        Kind::Image => rule.image(ImageSize::read(&head(blob))),
        Kind::Sound => total(sound_seconds(blob, size), rule.sound_second()),
        Kind::Film => total(ratio(size / 1e6, size / 125e3, size / 30e3), rule.film_second()),
        Kind::Document => {
            total(ratio((size / 1e6).max(1.0), (size / 5e4).max(1.0), (size / 5e3).max(1.0)), rule.page())
        }
        Kind::Text | Kind::Other => TokenCount::estimated(bytes as u32 / 4, 0, bytes as u32),
    }
}

/// The tokens of a file that is referred to: nothing but its type is known.
pub(super) fn of_file(rule: MediaRule, file: &FileData) -> TokenCount {
    match Kind::of(file.mime_type.as_deref()) {
        Kind::Image => rule.image(None),
        Kind::Sound => total(ratio(1.0, 60.0, 3600.0), rule.sound_second()),
        Kind::Film => total(ratio(1.0, 60.0, 3600.0), rule.film_second()),
        Kind::Document => total(ratio(1.0, 10.0, 300.0), rule.page()),
        Kind::Text | Kind::Other => TokenCount::estimated(1000, 0, 1_000_000),
    }
}

/// So many units of so many tokens each.
fn total(units: Ratio, tokens: Ratio) -> TokenCount {
    TokenCount::exact(1).scaled(units.then(tokens))
}

/// Seconds of sound: a WAV file states its bytes per second, others have 64 to 256 kbit/s as a rule.
fn sound_seconds(blob: &Blob, size: f64) -> Ratio {
    if let [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] = head(blob)[..]
        && let Some(rate) =
            head(blob).get(28..32).and_then(|rate| rate.try_into().ok()).map(u32::from_le_bytes)
        && rate > 0
    {
        let seconds = size / f64::from(rate);
        return ratio(seconds * 0.98, seconds, seconds);
    }
    ratio(size / 40e3, size / 16e3, size / 4e3)
}

/// The first bytes of a blob, enough for headers behind the metadata that cameras write.
fn head(blob: &Blob) -> Vec<u8> {
    const HEAD: usize = 512 << 10;
    let data = blob.data.as_deref().unwrap_or_default().as_bytes();
    URL_SAFE.decode(&data[..data.len().min(HEAD / 4 * 4)]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(mime_type: &str, bytes: &[u8]) -> Blob {
        let json = format!(r#"{{"mimeType": "{mime_type}", "data": "{}"}}"#, URL_SAFE.encode(bytes));
        let json = strata_model::json::parse(json.as_bytes()).unwrap();
        strata_model::FromJson::from_json(json, &mut strata_model::Decoder::new()).unwrap()
    }

    #[test]
    fn images_by_their_header() {
        let png = blob("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\0\0\0\x04\0\x08\x02");
        assert_eq!(of_blob(MediaRule::Tiles { base: 85, tile: 170 }, &png).tokens, 765);
        let unreadable = blob("image/png", b"no image");
        let count = of_blob(MediaRule::Gemini2, &unreadable);
        assert!(count.low < count.tokens && count.tokens < count.high);
    }

    #[test]
    fn sound_by_its_length() {
        let mut wav =
            b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data".to_vec();
        wav.resize(320_000, 0);
        assert_eq!(of_blob(MediaRule::Gemini2, &blob("audio/wav", &wav)).tokens, 320);
        assert_eq!(of_blob(MediaRule::Gemini3, &blob("audio/mp3", &vec![0; 160_000])).tokens, 320);
    }

    #[test]
    fn text_is_read() {
        assert_eq!(text_of(&blob("text/csv; charset=utf-8", b"a,b")).as_deref(), Some("a,b"));
        assert_eq!(text_of(&blob("application/json", "{\"é\":1}".as_bytes())).as_deref(), Some("{\"é\":1}"));
        assert_eq!(text_of(&blob("application/pdf", b"%PDF")), None);
    }

    #[test]
    fn whatever_it_is_it_has_a_count() {
        for mime_type in
            ["", "x", "application/pdf", "video/mp4", "audio/ogg", "image/heic", "model/gltf", "text/plain"]
        {
            for size in [0, 1, 100_000] {
                let count = of_blob(MediaRule::Unknown, &blob(mime_type, &vec![7; size]));
                assert!(count.low <= count.tokens && count.tokens <= count.high, "{mime_type} {count:?}");
            }
        }
    }
}
