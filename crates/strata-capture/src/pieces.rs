//! Bodies cut into pieces: a request repeats nearly all of the one before it, and each piece is kept once.

/// What is smaller stands where it is.
const LEAST: usize = 512;

/// Cuts the text of a JSON object between the members of the object and the elements of lists that are its members:
/// messages, tools, blocks of a system text. Joined, the pieces are the text.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for at in places(text.as_bytes()) {
        // What follows a small piece belongs to it, wherever that was the same before.
        if at - from >= LEAST {
            pieces.push(&text[from..at]);
            from = at;
        }
    }
    pieces.push(&text[from..]);
    pieces
}

/// Where members and elements end, in bytes. On borders of characters, for what stands there is ASCII.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let (mut depth, mut is_list, mut in_string, mut is_escaped) = (0_usize, false, false, false);
    bytes.iter().enumerate().filter_map(move |(at, byte)| {
        if in_string {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            return None;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                if depth == 2 {
                    is_list = *byte == b'[';
                    return is_list.then_some(at + 1);
                }
            }
            b'}' | b']' => {
                let ends_list = depth == 2 && is_list;
                depth = depth.saturating_sub(1);
                return ends_list.then_some(at);
            }
            // The last element has no comma behind it, so it is what stands before each that tells them apart.
            b',' if depth == 1 || (depth == 2 && is_list) => return Some(at),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_and_the_next_have_their_pieces_in_common() {
        let message =
            |name: &str| format!(r#"{{"role":"user","content":"{name} [{{,\" {}"}}"#, "ä".repeat(600));
        let body = |messages: &[String]| {
            let tools = format!(r#"[{{"name":"a","schema":{{"x":[1,2,{}]}}}}]"#, "3,".repeat(300) + "3");
            format!(r#"{{"model":"m","tools":{tools},"messages":[{}],"stream":true}}"#, messages.join(","))
        };
        let first = body(&[message("one"), message("two")]);
        let second = body(&[message("one"), message("two"), message("three")]);
        let (first, second) = (pieces(&first), pieces(&second));
        assert_eq!(
            second.iter().filter(|piece| !first.contains(piece)).count(),
            1,
            "the new message: {second:#?}"
        );
        assert_eq!(second.concat(), body(&[message("one"), message("two"), message("three")]));
    }

    #[test]
    fn what_is_no_object_is_kept_as_it_is() {
        for text in ["", "{", "]]]", "\"", "data: x\n\n", r#""\"#] {
            assert_eq!(pieces(text).concat(), text);
        }
    }
}
