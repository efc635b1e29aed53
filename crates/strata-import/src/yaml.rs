//! YAML documents with one long list, item by item: an item that is broken or cut off costs no other.

use std::ops::Range;

use strata_model::{Json, Object};

use crate::findings::Findings;

/// A document: what stands beside the list, and the items of the list with their places.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) header: Object,
    pub(crate) items: Vec<(Json, Range<u64>)>,
}

/// Reads every document of a file, of which each holds a list under `key`.
pub(crate) fn listings(bytes: &[u8], key: &str, findings: &mut Findings) -> Vec<Listing> {
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let message = "bytes that are not UTF-8 were replaced by U+FFFD; everything else was kept";
        findings.warning("repaired-text", "", message);
    }
    let mut listings = Vec::new();
    let mut cutter = Cutter::default();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare == "---" || bare == "..." {
            listings.extend(std::mem::take(&mut cutter).finish(&text, offset, findings));
        } else {
            cutter.line(bare, offset, key);
        }
        offset += line.len();
    }
    listings.extend(cutter.finish(&text, offset, findings));
    listings
}

#[derive(Default)]
struct Cutter {
    /// Lines beside the list.
    header: Vec<Range<usize>>,
    /// Where items begin.
    items: Vec<usize>,
    indent: Option<usize>,
    is_in_list: bool,
    end: Option<usize>,
}

impl Cutter {
    fn line(&mut self, line: &str, offset: usize, key: &str) {
        let indent = line.len() - line.trim_start().len();
        let is_key = indent == 0 && !line.is_empty() && !line.starts_with(['-', '#', '%', ' ']);
        if is_key {
            if self.is_in_list {
                self.end = Some(offset);
            }
            self.is_in_list = line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
        }
        if !self.is_in_list {
            self.header.push(offset..offset + line.len());
            return;
        }
        let is_item = line[indent..].starts_with("- ") || &line[indent..] == "-";
        if is_item && self.indent.is_none_or(|known| known == indent) && self.end.is_none() {
            self.indent = Some(indent);
            self.items.push(offset);
        }
    }

    fn finish(self, text: &str, end: usize, findings: &mut Findings) -> Option<Listing> {
        let mut listing = Listing::default();
        let lines: Vec<&str> = self.header.iter().map(|range| &text[range.clone()]).collect();
        let header = lines.join("\n");
        if !header.trim().is_empty()
            && let Ok(Json::Object(header)) = serde_saphyr::from_str::<Json>(&header)
        {
            listing.header = header;
        }
        let end = self.end.unwrap_or(end);
        let ends = self.items.iter().skip(1).copied().chain([end]);
        for (start, end) in self.items.iter().copied().zip(ends) {
            // Binary values stay the Base64 they are written in.
            let options = serde_saphyr::options! { ignore_binary_tag_for_string: true };
            match serde_saphyr::from_str_with_options::<Json>(&text[start..end], options) {
                Ok(Json::Array(items)) => {
                    let place = start as u64..end as u64;
                    listing.items.extend(items.into_iter().map(|item| (item, place.clone())));
                }
                Ok(_) => {}
                Err(error) => {
                    let reason = error.to_string();
                    let reason = reason.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
                    let message = format!("an entry is not valid YAML ({reason}); it was left out");
                    findings.warning("broken-entry", format!("byte {start}"), message);
                }
            }
        }
        (!listing.header.is_empty() || !listing.items.is_empty()).then_some(listing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json::{object_to_compact, to_compact};

    #[test]
    fn items_are_read_one_by_one() {
        let text = "---\nid: a\nitems:\n- x: 1\n  y: |\n    - not an item\n- x: 2\nversion: 3\n---\nid: b\nitems:\n  - x: [\n  - x: 4\n";
        let mut findings = Findings::default();
        let told: Vec<_> = listings(text.as_bytes(), "items", &mut findings)
            .iter()
            .map(|listing| {
                let items =
                    listing.items.iter().map(|(item, _)| to_compact(item)).collect::<Vec<_>>().join(" ");
                format!("{} {items}", object_to_compact(&listing.header))
            })
            .collect();
        let first = r#"{"id":"a","version":3} {"x":1,"y":"- not an item\n"} {"x":2}"#;
        assert_eq!(told, [first, r#"{"id":"b"} {"x":4}"#]);
        assert_eq!(findings.into_diagnostics()[0].code, "broken-entry");
    }
}
