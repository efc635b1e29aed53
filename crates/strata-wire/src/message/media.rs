//! Files and images, in every dialect.

use strata_model::{Base64, Blob, FileData, Json, Object, Part, Str};

/// Members that hold the file in an object of its own.
const INNER: [&str; 9] =
    ["image_url", "input_audio", "audio_url", "video_url", "file", "source", "image", "audio", "video"];

/// Members that hold the bytes, or say where they are.
const PLACES: [&str; 14] = [
    "image_url",
    "audio_url",
    "video_url",
    "url",
    "uri",
    "file_data",
    "data",
    "content",
    "image",
    "audio",
    "video",
    "bytes",
    "file_id",
    "base64",
];

/// A file or an image, by any of the names for it; `None` when the block is none, which is then left as it was.
pub(super) fn media(kind: &str, block: &mut Object) -> Option<Part> {
    const KINDS: [&str; 22] = [
        "image_url",
        "input_image",
        "image",
        "image-url",
        "audio-url",
        "video-url",
        "document-url",
        "input_audio",
        "audio",
        "audio_url",
        "video",
        "video_url",
        "file",
        "file-url",
        "uploaded-file",
        "input_file",
        "input_video",
        "blob",
        "binary",
        "uri",
        "media",
        "document",
    ];
    if !KINDS.contains(&kind) {
        return None;
    }
    let mut inner = Object::new();
    for key in INNER {
        if let Some(object) = block.get(key).and_then(Json::as_object) {
            inner.update(object);
        }
    }
    inner.update(block);
    let text =
        |keys: &[&str]| keys.iter().find_map(|key| inner.get(key).and_then(Json::as_str)).map(Str::from);
    let mime_type = text(&["mime_type", "media_type", "mimeType", "mediaType"]).or_else(|| {
        text(&["format"]).map(|format| {
            let is = |kinds: &[&str]| kinds.iter().any(|it| kind.contains(it));
            let family = if is(&["audio"]) {
                "audio"
            } else if is(&["video"]) {
                "video"
            } else if is(&["document", "file"]) {
                "application"
            } else {
                "image"
            };
            format!("{family}/{format}").into()
        })
    });
    let display_name = text(&["filename", "file_name", "name"]);
    let place = text(&PLACES)?;
    let mut part = Part::default();
    if let Some((head, data)) = place.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        let data = Some(Base64::new(data));
        // Other parameters may stand behind the type.
        let mime_type = head.split(';').next().map(Str::from);
        part.inline_data = Some(Box::new(Blob { data, display_name, mime_type, ..Blob::default() }));
    } else if ["data", "bytes", "base64"].iter().any(|key| inner.contains_key(key))
        || matches!(kind, "blob" | "binary")
    {
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
    for key in INNER.iter().chain(&PLACES).chain(&[
        "mime_type",
        "media_type",
        "mimeType",
        "mediaType",
        "format",
        "filename",
        "file_name",
        "name",
    ]) {
        block.remove(key);
    }
    Some(part)
}
