//! Files and images, in every dialect.

use strata_model::{Base64, Blob, FileData, Json, Object, Part, Str};

/// A file or an image, by any of the names for it; `None` when the block is none, which is then left as it was.
pub(super) fn media(kind: &str, block: &mut Object) -> Option<Part> {
    const KINDS: [&str; 12] = [
        "image_url",
        "input_image",
        "image",
        "image-url",
        "input_audio",
        "audio",
        "file",
        "input_file",
        "blob",
        "uri",
        "media",
        "document",
    ];
    if !KINDS.contains(&kind) {
        return None;
    }
    let mut inner = Object::new();
    for key in ["image_url", "input_audio", "file", "source"] {
        if let Some(object) = block.get(key).and_then(Json::as_object) {
            inner.update(object);
        }
    }
    inner.update(block);
    let text =
        |keys: &[&str]| keys.iter().find_map(|key| inner.get(key).and_then(Json::as_str)).map(Str::from);
    let mime_type = text(&["mime_type", "media_type", "mimeType", "mediaType"]).or_else(|| {
        text(&["format"]).map(|format| {
            format!("{}/{format}", if kind.contains("audio") { "audio" } else { "image" }).into()
        })
    });
    let display_name = text(&["filename", "file_name", "name"]);
    let place =
        text(&["image_url", "url", "uri", "file_data", "data", "content", "image", "bytes", "file_id"])?;
    let mut part = Part::default();
    if let Some((head, data)) = place.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        let data = Some(Base64::new(data));
        part.inline_data =
            Some(Box::new(Blob { data, display_name, mime_type: Some(head.into()), ..Blob::default() }));
    } else if inner.contains_key("data") || inner.contains_key("bytes") || kind == "blob" {
        part.inline_data = Some(Box::new(Blob {
            data: Some(Base64::new(place)),
            display_name,
            mime_type,
            ..Blob::default()
        }));
    } else {
        part.file_data = Some(Box::new(FileData {
            file_uri: Some(place),
            display_name,
            mime_type,
            ..FileData::default()
        }));
    }
    for key in [
        "image_url",
        "input_audio",
        "file",
        "source",
        "mime_type",
        "media_type",
        "mimeType",
        "mediaType",
        "format",
        "filename",
        "file_name",
        "name",
        "url",
        "uri",
        "file_data",
        "data",
        "content",
        "image",
        "bytes",
        "file_id",
    ] {
        block.remove(key);
    }
    Some(part)
}
