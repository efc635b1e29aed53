//! What a document repeats of those before it.
//!
//! Logs of requests hold every message of a conversation as often as something was said after it. An element of a list
//! that begins with the bytes of the element that stood there in an earlier document is that element: it need not be
//! read again, and its texts need not be kept again.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Json;

/// Documents that are kept. A log has the turns of a few agents at a time, each with requests and answers.
const KEPT: usize = 12;
/// Shorter elements are as quickly read as found.
const MIN_BYTES: usize = 48;

/// Where in a document a list stands: a hash of the keys that lead to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Place(u64);

impl Place {
    pub(super) fn member(self, key: &str) -> Self {
        Self(xxh3_64_with_seed(key.as_bytes(), self.0))
    }

    pub(super) fn element(self) -> Self {
        self.member("[]")
    }
}

/// The documents read last, with the elements of their lists. Its size is bounded by theirs.
#[derive(Debug, Default)]
pub struct Repeats {
    /// The one read last is the last.
    kept: Vec<Document>,
    /// The document that is being read, without its text.
    reading: Document,
    /// The kept document that it repeats.
    source: Option<usize>,
}

#[derive(Debug, Default)]
struct Document {
    text: Vec<u8>,
    lists: HashMap<Place, Vec<Element>>,
}

/// An element with its place in the text; one of no bytes stands for what is not kept.
#[derive(Debug, Clone, Default)]
struct Element {
    bytes: Range<usize>,
    json: Json,
}

impl Document {
    /// Takes the element at this place, if `text` begins with it.
    fn take(&mut self, list: Place, at: usize, text: &[u8]) -> Option<(Json, usize)> {
        let element = self.lists.get_mut(&list)?.get_mut(at)?;
        let own = self.text.get(element.bytes.clone()).filter(|own| !own.is_empty())?;
        text.starts_with(own).then(|| (std::mem::take(element).json, own.len()))
    }
}

impl Repeats {
    /// Takes the element of a list that `text` begins with; with how many bytes it takes. What repeats a document is
    /// there in its place.
    pub(super) fn take(&mut self, list: Place, at: usize, text: &[u8]) -> Option<(Json, usize)> {
        let known = self.source;
        let others = (0..self.kept.len()).rev().filter(|kept| Some(*kept) != known);
        let mut all = known.into_iter().chain(others);
        let (source, found) = all.find_map(|kept| Some((kept, self.kept[kept].take(list, at, text)?)))?;
        self.source = Some(source);
        Some(found)
    }

    /// Keeps an element of the document that is being read.
    pub(super) fn note(&mut self, list: Place, at: usize, bytes: Range<usize>, json: &Json) {
        if bytes.len() < MIN_BYTES {
            return;
        }
        let elements = self.reading.lists.entry(list).or_default();
        // Where a list stands twice in a document, the first counts.
        if elements.len() <= at {
            elements.resize_with(at, Element::default);
            elements.push(Element { bytes, json: json.clone() });
        }
    }

    /// The document that is being read is none.
    pub(super) fn give_up(&mut self) {
        self.reading = Document::default();
        self.source = None;
    }

    /// The document that began at `start` is `text`.
    pub(super) fn end_document(&mut self, start: usize, text: &[u8]) {
        let mut read = std::mem::take(&mut self.reading);
        let source = self.source.take();
        if read.lists.is_empty() {
            return;
        }
        for element in read.lists.values_mut().flatten().filter(|element| !element.bytes.is_empty()) {
            match element.bytes.start.checked_sub(start) {
                Some(from) => element.bytes = from..element.bytes.end - start,
                // It stands before the document, in what the document is an element of.
                None => *element = Element::default(),
            }
        }
        // What repeats a document takes its place.
        let replaced = source.or((self.kept.len() >= KEPT).then_some(0));
        let room = replaced.map(|at| self.kept.remove(at).text).unwrap_or_default();
        read.text = room;
        read.text.clear();
        read.text.extend_from_slice(text);
        self.kept.push(read);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Interner, parse, parse_repeated, to_compact};
    use super::*;

    /// Reads documents one after the other; each must be what it is by itself.
    fn check(documents: &[String]) {
        let (mut interner, mut repeats) = (Interner::default(), Repeats::default());
        for document in documents {
            let read = parse_repeated(document.as_bytes(), &mut interner, &mut repeats);
            match (read, parse(document.as_bytes())) {
                (Ok(read), Ok(alone)) => assert_eq!(to_compact(&read), to_compact(&alone)),
                (read, alone) => assert_eq!(read, alone, "{document}"),
            }
        }
    }

    fn message(number: usize) -> String {
        format!(r#"{{"role": "user", "content": [{{"text": "said {number} \u00e9 {}"}}]}}"#, "x".repeat(60))
    }

    fn request(numbers: &[usize]) -> String {
        let messages: Vec<_> = numbers.iter().map(|number| message(*number)).collect();
        format!(r#"{{"model":"m","messages":[{}],"tools":[{}, 3]}}"#, messages.join(" ,\n"), message(99))
    }

    #[test]
    fn documents_are_what_they_are_alone() {
        check(&[
            request(&[1]),
            request(&[1, 2, 3]),
            request(&[1, 2, 3, 4]),
            request(&[7]),
            request(&[1, 2, 3, 4, 5]),
            request(&[7, 8]),
            request(&[1, 3, 4]),
            request(&[]),
            request(&[2, 1]),
            format!("[{}]", message(1)),
            format!("[[{}, {}]]", message(1), message(2)),
            format!("[[{}, {}], [{}]]", message(1), message(2), message(1)),
        ]);
    }

    #[test]
    fn broken_documents_are_broken_in_the_same_place() {
        let whole = request(&[1, 2, 3]);
        let cuts = (0..whole.len()).filter(|at| whole.is_char_boundary(*at)).map(|at| whole[..at].to_owned());
        check(&[request(&[1, 2])].into_iter().chain(cuts).collect::<Vec<_>>());
        check(&[whole.clone(), whole.replace("} ,", "} ;"), format!("{whole}x"), whole]);
    }

    #[test]
    fn texts_that_were_there_are_kept_once() {
        let (mut interner, mut repeats) = (Interner::default(), Repeats::default());
        let mut read = |numbers: &[usize]| {
            parse_repeated(request(numbers).as_bytes(), &mut interner, &mut repeats).unwrap()
        };
        let [one, other] = [read(&[1, 2]), read(&[1, 2, 3])];
        let text = |json: &Json, at: usize| {
            let message = &json.get("messages").unwrap().as_array().unwrap()[at];
            let Json::String(text) =
                message.get("content").unwrap().as_array().unwrap()[0].get("text").unwrap()
            else {
                panic!("a text")
            };
            text.clone()
        };
        assert!(std::sync::Arc::ptr_eq(&text(&one, 1), &text(&other, 1)));
    }
}
