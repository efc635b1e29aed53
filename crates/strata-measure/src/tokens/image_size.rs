//! The size of an image, from the start of its file.

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImageSize {
    pub(super) width: u32,
    pub(super) height: u32,
}

impl ImageSize {
    /// Reads a PNG, JPEG, GIF or WebP header. `None` for anything else, and when `file` ends too early.
    pub(super) fn read(file: &[u8]) -> Option<Self> {
        let size = match file {
            [0x89, b'P', b'N', b'G', ..] => Self { width: big(file, 16, 4)?, height: big(file, 20, 4)? },
            [b'G', b'I', b'F', b'8', ..] => Self { width: little(file, 6, 2)?, height: little(file, 8, 2)? },
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(file)?,
            [0xff, 0xd8, ..] => jpeg(file)?,
            _ => return None,
        };
        // No format allows more, and the arithmetic on sizes relies on it.
        let is_sane = |side: u32| (1..=65_536).contains(&side);
        (is_sane(size.width) && is_sane(size.height)).then_some(size)
    }

    /// Scaled down, if need be, to a longest edge.
    pub(super) fn within(self, longest_edge: u32) -> Self {
        let edge = self.width.max(self.height);
        if edge <= longest_edge { self } else { self.scaled(f64::from(longest_edge) / f64::from(edge)) }
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        let scale = |side: u32| ((f64::from(side) * factor).round() as u32).max(1);
        Self { width: scale(self.width), height: scale(self.height) }
    }
}

/// Walks the segments of a JPEG file to the frame header.
fn jpeg(file: &[u8]) -> Option<ImageSize> {
    let mut at = 2;
    loop {
        if *file.get(at)? != 0xff {
            return None;
        }
        match *file.get(at + 1)? {
            // Fill bytes before a marker.
            0xff => at += 1,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some(ImageSize { width: big(file, at + 7, 2)?, height: big(file, at + 5, 2)? });
            }
            0xd0..=0xd8 => at += 2,
            0xd9 | 0xda => return None,
            _ => at += 2 + big(file, at + 2, 2)? as usize,
        }
    }
}

fn webp(file: &[u8]) -> Option<ImageSize> {
    match file.get(12..16)? {
        b"VP8X" => Some(ImageSize { width: little(file, 24, 3)? + 1, height: little(file, 27, 3)? + 1 }),
        b"VP8L" => {
            let bits = little(file, 21, 4)?;
            Some(ImageSize { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 })
        }
        b"VP8 " => {
            Some(ImageSize { width: little(file, 26, 2)? & 0x3fff, height: little(file, 28, 2)? & 0x3fff })
        }
        _ => None,
    }
}

/// A big-endian number of `length` bytes.
fn big(file: &[u8], at: usize, length: usize) -> Option<u32> {
    Some(file.get(at..at + length)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn little(file: &[u8], at: usize, length: usize) -> Option<u32> {
    Some(file.get(at..at + length)?.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &[u8], width: u32, height: u32) {
        assert_eq!(ImageSize::read(file), Some(ImageSize { width, height }));
        for end in 0..file.len() {
            // Cut short anywhere, it must not fail otherwise than by finding nothing.
            let _ = ImageSize::read(&file[..end]);
        }
    }

    #[test]
    fn png() {
        check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0", 640, 480);
    }

    #[test]
    fn gif() {
        check(b"GIF89a\x80\x02\xe0\x01\xf7\0\0", 640, 480);
    }

    #[test]
    fn jpeg_with_segments_before_the_frame() {
        let mut file = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
        file.extend(b"\xff\xe1\0\x08Exif\0\0\xff\xff\xc2\0\x11\x08\x01\xe0\x02\x80\x03");
        check(&file, 640, 480);
    }

    #[test]
    fn webp_in_its_three_forms() {
        check(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0", 640, 480);
        check(b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01", 640, 480);
        let bits: u32 = 639 + (479 << 14);
        let mut file = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f".to_vec();
        file.extend(bits.to_le_bytes());
        check(&file, 640, 480);
    }

    #[test]
    fn other_files_have_no_size() {
        for file in [&b""[..], b"\xff\xd8\xff\xd9", b"\xff\xd8\xff", b"BM1234567890", b"GIF89a\0\0\0\0"] {
            assert_eq!(ImageSize::read(file), None, "{file:?}");
        }
    }
}
