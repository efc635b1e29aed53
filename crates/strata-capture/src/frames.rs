//! Messages out of one side of a WebSocket (RFC 6455), inflated where both sides agreed on it (RFC 7692).

use std::io::{Cursor, Write as _};

use flate2::write::DeflateDecoder;
use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{Data, OpCode};

/// So much of a message is kept, and no more is read behind a larger one.
const MESSAGE: usize = 64 << 20;

/// Bytes are inflated in steps of so many, so that what grows without measure is noticed.
const STEP: usize = 4 << 10;

/// What every deflated message ends with, and is sent without.
const END_OF_BLOCK: [u8; 4] = [0, 0, 0xff, 0xff];

/// Puts messages together from bytes as they come in.
#[derive(Debug)]
pub(crate) struct Frames {
    /// Not yet a whole frame.
    bytes: Vec<u8>,
    /// Of the frames of a message that is not whole.
    message: Vec<u8>,
    is_deflated: bool,
    inflater: Option<DeflateDecoder<Vec<u8>>>,
    /// Each message is deflated by itself.
    is_anew: bool,
    is_lost: bool,
}

impl Frames {
    /// `extensions` is what the provider agreed to, `side` is `client` or `server`.
    pub(crate) fn new(extensions: &str, side: &str) -> Self {
        let inflater = extensions.contains("permessage-deflate").then(|| DeflateDecoder::new(Vec::new()));
        let is_anew = extensions.contains(&format!("{side}_no_context_takeover"));
        Self { bytes: Vec::new(), message: Vec::new(), is_deflated: false, inflater, is_anew, is_lost: false }
    }

    /// Whether something came that could not be read: nothing behind it is.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The messages of text that end with these bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut messages = Vec::new();
        if self.is_lost {
            return messages;
        }
        self.bytes.extend_from_slice(bytes);
        let mut at = 0;
        loop {
            let mut cursor = Cursor::new(&self.bytes[at..]);
            let (header, len) = match FrameHeader::parse(&mut cursor) {
                Ok(Some(it)) => it,
                Ok(None) => break,
                Err(_) => return self.lose(messages),
            };
            let (begin, len) = (at + cursor.position() as usize, usize::try_from(len).unwrap_or(usize::MAX));
            if len.saturating_add(self.message.len()) > MESSAGE {
                return self.lose(messages);
            }
            if self.bytes.len() < begin + len {
                break;
            }
            at = begin + len;
            let OpCode::Data(kind) = header.opcode else { continue };
            let mask = header.mask.unwrap_or_default();
            let payload =
                self.bytes[begin..at].iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask);
            self.message.extend(payload);
            if kind != Data::Continue {
                self.is_deflated = header.rsv1;
            }
            if !header.is_final {
                continue;
            }
            let whole = std::mem::take(&mut self.message);
            let Some(whole) = (if self.is_deflated { self.inflated(&whole) } else { Some(whole) }) else {
                return self.lose(messages);
            };
            messages.extend(String::from_utf8(whole));
        }
        self.bytes.drain(..at);
        messages
    }

    fn lose(&mut self, messages: Vec<String>) -> Vec<String> {
        (self.is_lost, self.bytes, self.message) = (true, Vec::new(), Vec::new());
        messages
    }

    fn inflated(&mut self, packed: &[u8]) -> Option<Vec<u8>> {
        let inflater = self.inflater.as_mut()?;
        for step in packed.chunks(STEP).chain([&END_OF_BLOCK[..]]) {
            inflater.write_all(step).ok()?;
            if inflater.get_ref().len() > MESSAGE {
                return None;
            }
        }
        inflater.flush().ok()?;
        let message = std::mem::take(inflater.get_mut());
        if self.is_anew {
            self.inflater = Some(DeflateDecoder::new(Vec::new()));
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compress, Compression, FlushCompress};

    use super::*;

    /// A frame of a client, whose payload is masked.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        const MASK: [u8; 4] = [7, 1, 200, 40];
        let mut frame = vec![first, 0x80 | payload.len() as u8];
        frame.extend(MASK);
        frame.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        frame
    }

    fn deflated(packer: &mut Compress, text: &str) -> Vec<u8> {
        let mut packed = Vec::with_capacity(200);
        packer.compress_vec(text.as_bytes(), &mut packed, FlushCompress::Sync).expect("packed");
        packed.strip_suffix(&END_OF_BLOCK).expect("a flush").to_vec()
    }

    #[test]
    fn messages_are_whole_wherever_their_bytes_are_cut() {
        let bytes = [
            frame(0x01, b"one, "),
            frame(0x89, b"ping"),
            frame(0x80, "zwei é".as_bytes()),
            frame(0x81, b""),
            frame(0x81, b"three"),
        ]
        .concat();
        for step in 1..bytes.len() {
            let mut frames = Frames::new("", "client");
            let messages: Vec<_> = bytes.chunks(step).flat_map(|chunk| frames.feed(chunk)).collect();
            assert_eq!(messages, ["one, zwei é", "", "three"], "in steps of {step}");
            assert!(!frames.is_lost());
        }
    }

    #[test]
    fn deflated_messages_refer_to_those_before_unless_it_is_agreed_otherwise() {
        let text = "the same words over and over";
        let mut packer = Compress::new(Compression::default(), false);
        let (first, again) = (deflated(&mut packer, text), deflated(&mut packer, text));
        assert!(again.len() < first.len());
        let bytes = [frame(0xc1, &first), frame(0xc1, &again), frame(0x81, b"plain")].concat();
        assert_eq!(Frames::new("permessage-deflate", "client").feed(&bytes), [text, text, "plain"]);

        let anew = "permessage-deflate; client_no_context_takeover";
        let bytes = [frame(0xc1, &first), frame(0xc1, &first)].concat();
        assert_eq!(Frames::new(anew, "client").feed(&bytes), [text, text]);
    }

    #[test]
    fn behind_what_cannot_be_read_nothing_is() {
        for bytes in [
            frame(0xc1, b"not agreed"),
            frame(0x83, b"no such kind"),
            vec![0x81, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0],
        ] {
            let mut frames = Frames::new("", "client");
            assert_eq!(
                frames.feed(&[frame(0x81, b"before"), bytes.clone(), frame(0x81, b"behind")].concat()),
                ["before"]
            );
            assert!(frames.is_lost(), "{bytes:x?}");
            assert!(frames.feed(&frame(0x81, b"later")).is_empty());
        }
    }
}
