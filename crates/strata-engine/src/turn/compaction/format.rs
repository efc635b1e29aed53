//! Python's `str.format`, as far as a summariser's template can use it: one field, `conversation_history`.

use strata_model::python;

/// A prompt template that Python's `str.format` cannot fill; ADK then goes on without a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptError {
    pub message: String,
}

/// `template.format(conversation_history=conversation)`.
pub(super) fn format_template(template: &str, conversation: &str) -> Result<String, PromptError> {
    let mut out = String::with_capacity(template.len() + conversation.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            out.push_str(brace);
            rest = after;
        } else if brace == "}" {
            return Err(failed("Single '}' encountered in format string"));
        } else {
            let end = rest.find('}').ok_or_else(|| {
                failed(match rest {
                    "" => "Single '{' encountered in format string",
                    _ => "expected '}' before end of string",
                })
            })?;
            out.push_str(&fill_field(&rest[..end], conversation)?);
            rest = &rest[end + 1..];
        }
    }
    out.push_str(rest);
    Ok(out)
}

fn failed(message: impl Into<String>) -> PromptError {
    PromptError { message: message.into() }
}

/// One replacement field: `name[!conversion][:specification]`.
fn fill_field(field: &str, conversation: &str) -> Result<String, PromptError> {
    let (name, rest) = field.split_at(field.find(['!', ':']).unwrap_or(field.len()));
    if name != "conversation_history" {
        return Err(failed(python::repr_str(name)));
    }
    let (conversion, specification) = match rest.split_once(':') {
        Some((conversion, specification)) => (conversion, specification),
        None => (rest, ""),
    };
    let text = match conversion {
        "" | "!s" => conversation.to_owned(),
        "!r" => python::repr_str(conversation),
        "!a" => ascii(&python::repr_str(conversation)),
        _ => return Err(failed(format!("Unknown conversion specifier {conversion}"))),
    };
    padded(&text, specification).ok_or_else(|| failed("Invalid format specifier"))
}

/// `format(text, "[[fill]align][0][width][.precision][s]")`; `None` for what texts cannot be formatted by.
fn padded(text: &str, specification: &str) -> Option<String> {
    let letters: Vec<char> = specification.chars().collect();
    let is_align = |c: &char| matches!(c, '<' | '>' | '^');
    let (fill, align, rest) = match letters[..] {
        [fill, align, ..] if is_align(&align) => (Some(fill), Some(align), &letters[2..]),
        [align, ..] if is_align(&align) => (None, Some(align), &letters[1..]),
        _ => (None, None, &letters[..]),
    };
    let rest: String = rest.iter().collect();
    let rest = rest.strip_suffix('s').unwrap_or(&rest);
    let (width, precision) =
        rest.split_once('.').map_or((rest, None), |(width, precision)| (width, Some(precision)));
    let fill = fill.unwrap_or(if width.starts_with('0') { '0' } else { ' ' });
    let number = |digits: &str| -> Option<usize> {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        digits.parse().ok().filter(|number| *number <= MAX_WIDTH)
    };
    let width = if width.is_empty() { 0 } else { number(width)? };
    let kept: String = match precision {
        Some(precision) => text.chars().take(number(precision)?).collect(),
        None => text.to_owned(),
    };
    let n_missing = width.saturating_sub(python::len(&kept));
    let n_before = match align {
        Some('>') => n_missing,
        Some('^') => n_missing / 2,
        _ => 0,
    };
    let run = |n: usize| -> String { std::iter::repeat_n(fill, n).collect() };
    Some(format!("{}{kept}{}", run(n_before), run(n_missing - n_before)))
}

/// Wider fields are taken for mistakes, so that a template cannot ask for more text than there is memory.
const MAX_WIDTH: usize = 1 << 24;

/// Everything outside ASCII as an escape.
fn ascii(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |out, c| match u32::from(c) {
        0..=0x7f => out + c.encode_utf8(&mut [0; 4]),
        code @ 0x80..=0xff => out + &format!("\\x{code:02x}"),
        code @ 0x100..=0xffff => out + &format!("\\u{code:04x}"),
        code => out + &format!("\\U{code:08x}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(template: &str, expected: Result<&str, &str>) {
        let formatted = format_template(template, "Hé").map_err(|error| error.message);
        assert_eq!(formatted.as_deref().map_err(|message| &**message), expected);
    }

    #[test]
    fn braces_and_fields_follow_python() {
        check("a {conversation_history} b", Ok("a Hé b"));
        check("{{}} {{x}} {conversation_history}", Ok("{} {x} Hé"));
        check("{other}", Err("'other'"));
        check("}", Err("Single '}' encountered in format string"));
        check("{", Err("Single '{' encountered in format string"));
        check("{conversation_history", Err("expected '}' before end of string"));
    }

    #[test]
    fn conversions_and_specifications_are_those_of_texts() {
        check("{conversation_history!r}|{conversation_history!a}", Ok(r"'Hé'|'H\xe9'"));
        check(
            "{conversation_history:>4}|{conversation_history:*^5s}|{conversation_history:.1}",
            Ok("  Hé|*Hé**|H"),
        );
        check("{conversation_history:04}|{conversation_history!s:3}", Ok("Hé00|Hé "));
        check("{conversation_history:d}", Err("Invalid format specifier"));
        check("{conversation_history!x}", Err("Unknown conversion specifier !x"));
    }
}
