//! Typed netstrings: `<bytes>:<payload><type>`.

use std::ops::Range;

/// Values nested deeper than this are no flow.
const MAX_DEPTH: usize = 32;

#[derive(Debug, PartialEq)]
pub(super) enum Value<'t> {
    Bytes(&'t [u8]),
    Number(f64),
    Bool(bool),
    Null,
    List(Vec<Value<'t>>),
    Map(Vec<(&'t [u8], Value<'t>)>),
}

impl<'t> Value<'t> {
    pub(super) fn get(&self, key: &str) -> Option<&Value<'t>> {
        match self {
            Self::Map(members) => {
                members.iter().find(|(name, _)| *name == key.as_bytes()).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    pub(super) fn bytes(&self) -> Option<&'t [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The elements of a list; none of anything else.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// The value that begins at an offset, and where it stands. `None` when the text ends before the value does, or is none.
pub(super) fn value_at(text: &[u8], at: usize) -> Option<(Value<'_>, Range<usize>)> {
    let (value, end) = read(text, at, MAX_DEPTH)?;
    Some((value, at..end))
}

fn read(text: &[u8], at: usize, depth: usize) -> Option<(Value<'_>, usize)> {
    let depth = depth.checked_sub(1)?;
    let rest = text.get(at..)?;
    let colon = rest.iter().take(13).position(|byte| *byte == b':')?;
    let length: usize = std::str::from_utf8(&rest[..colon]).ok()?.parse().ok()?;
    let start = at + colon + 1;
    let end = start.checked_add(length)?;
    let payload = text.get(start..end)?;
    let value = match text.get(end)? {
        b',' | b';' => Value::Bytes(payload),
        b'#' | b'^' => Value::Number(std::str::from_utf8(payload).ok()?.parse().ok()?),
        b'!' => Value::Bool(payload == b"true"),
        b'~' => Value::Null,
        b']' => Value::List(items(payload, depth)?),
        b'}' => Value::Map(members(payload, depth)?),
        _ => return None,
    };
    Some((value, end + 1))
}

fn items(payload: &[u8], depth: usize) -> Option<Vec<Value<'_>>> {
    let (mut items, mut at) = (Vec::new(), 0);
    while at < payload.len() {
        let (item, end) = read(payload, at, depth)?;
        items.push(item);
        at = end;
    }
    Some(items)
}

fn members(payload: &[u8], depth: usize) -> Option<Vec<(&[u8], Value<'_>)>> {
    let mut items = items(payload, depth)?.into_iter();
    let mut members = Vec::new();
    while let Some(key) = items.next() {
        members.push((key.bytes()?, items.next()?));
    }
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_type() {
        let text = b"34:1:a;1:1#1:b,2:hi,1:c;3:1.5^1:d;0:~}";
        let (value, range) = value_at(text, 0).unwrap();
        assert_eq!(range, 0..text.len());
        assert_eq!(value.get("a").and_then(Value::number), Some(1.0));
        assert_eq!(value.get("b").and_then(Value::bytes), Some(&b"hi"[..]));
        assert_eq!(value.get("d"), Some(&Value::Null));
    }

    #[test]
    fn what_is_cut_or_lies_about_its_length_is_none() {
        for text in [&b""[..], b"5", b"5:ab", b"99999999999:a;", b"2:ab", b"2:ab?", b"3:1:a]"] {
            assert!(value_at(text, 0).is_none(), "{}", String::from_utf8_lossy(text));
        }
    }
}
