//! Instruction templates: text with `{placeholders}` that are filled from state and artifacts.
//!
//! The rules are ADK's own and hold surprises (`ADK.md` 2.4.4): `{{x}}` is not an escape, `{x ?}` is no placeholder,
//! and a placeholder whose name is not valid stays as it is.

use strata_model::{Str, python};

/// A template taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Template {
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    Literal(Str),
    /// To be replaced by the value of a state key.
    State {
        key: Str,
        is_optional: bool,
    },
    /// To be replaced by the text of an artifact.
    Artifact {
        name: Str,
        is_optional: bool,
    },
}

impl Template {
    pub fn parse(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut literal = 0;
        let mut at = 0;
        while let Some(open) = text[at..].find('{').map(|offset| at + offset) {
            let is_escaped = matches!(text[..open].chars().next_back(), Some('$' | '{' | '\\'));
            let Some(end) = (!is_escaped).then(|| match_end(text, open)).flatten() else {
                at = open + 1;
                continue;
            };
            if let Some(placeholder) = placeholder(&text[open..end]) {
                if literal < open {
                    pieces.push(Piece::Literal(text[literal..open].into()));
                }
                pieces.push(placeholder);
                literal = end;
            }
            at = end;
        }
        if literal < text.len() {
            pieces.push(Piece::Literal(text[literal..].into()));
        }
        Self { pieces }
    }

    /// Names of the state keys and artifacts it refers to, as written: `hits`, `artifact.notes.txt`.
    pub fn references(&self) -> impl Iterator<Item = String> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(_) => None,
            Piece::State { key, .. } => Some(key.to_string()),
            Piece::Artifact { name, .. } => Some(format!("artifact.{name}")),
        })
    }
}

/// Where the run of braces, text and closing braces that starts at `open` ends, if it is closed.
fn match_end(text: &str, open: usize) -> Option<usize> {
    let inner = open + text[open..].bytes().take_while(|byte| *byte == b'{').count();
    let close = inner + text[inner..].find(['{', '}'])?;
    let closing = text[close..].bytes().take_while(|byte| *byte == b'}').count();
    (closing > 0).then_some(close + closing)
}

/// What a matched run stands for; `None` when it stays as it is.
fn placeholder(matched: &str) -> Option<Piece> {
    let name = python::strip(matched.trim_start_matches('{').trim_end_matches('}'));
    let (name, is_optional) = match name.strip_suffix('?') {
        Some(name) => (name, true),
        None => (name, false),
    };
    if let Some(name) = name.strip_prefix("artifact.") {
        return Some(Piece::Artifact { name: name.into(), is_optional });
    }
    is_state_name(name).then(|| Piece::State { key: name.into(), is_optional })
}

fn is_state_name(name: &str) -> bool {
    match name.split_once(':') {
        None => python::is_identifier(name),
        Some((prefix, rest)) => matches!(prefix, "app" | "user" | "temp") && python::is_identifier(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows a template with its placeholders in guillemets.
    fn shown(text: &str) -> String {
        let show = |piece: &Piece| match piece {
            Piece::Literal(text) => text.to_string(),
            Piece::State { key, is_optional } => format!("«{key}{}»", if *is_optional { "?" } else { "" }),
            Piece::Artifact { name, is_optional } => {
                format!("«artifact {name}{}»", if *is_optional { "?" } else { "" })
            }
        };
        Template::parse(text).pieces.iter().map(show).collect()
    }

    #[test]
    fn placeholders() {
        for (text, expected) in [
            ("{n}", "«n»"),
            ("{ n }", "«n»"),
            ("{n\n}", "«n»"),
            ("{n? }", "«n?»"),
            ("{{n}}", "«n»"),
            ("{{{n}}}", "«n»"),
            ("{n}}", "«n»"),
            ("{{n}", "«n»"),
            ("{{{{n}}}}x", "«n»x"),
            ("{class}", "«class»"),
            ("{é} {_p}", "«é» «_p»"),
            ("{user:z}{temp:q}{app:x?}", "«user:z»«temp:q»«app:x?»"),
            ("{artifact.f.txt}{artifact.f.txt?}", "«artifact f.txt»«artifact f.txt?»"),
            ("{\"a\": \"{n}\"}", "{\"a\": \"«n»\"}"),
            ("$ {n}", "$ «n»"),
            ("{n}${n}{n}", "«n»${n}«n»"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_stays_as_it_is() {
        for text in [
            "{foo:bar}",
            "{a.b}",
            "{a-b}",
            "{}",
            "{ }",
            "{x y}",
            "{n ?}",
            "{n??}",
            "{?}",
            "{123}",
            "{app:}",
            "{user:z:y}",
            "{USER:z}",
            "${n}",
            "\\{n}",
            "{\"json\": {\"k\": 1}}",
            "{",
            "}",
            "{n",
            "n}",
        ] {
            assert_eq!(shown(text), text);
        }
    }
}
