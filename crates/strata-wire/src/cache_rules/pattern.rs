//! Names of models with `*` for anything.

/// A name in lower case, in which `*` stands for any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(String);

/// How a name may be meant: in full, and without the path of a cloud or router.
pub(super) fn spellings(name: &str) -> [String; 2] {
    let full = simplified(name);
    let bare = full.rsplit('/').next().unwrap_or_default().to_owned();
    [full, bare]
}

/// Clouds spell `4.5` and `4-5` for the same model.
fn simplified(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('.', "-")
}

impl Pattern {
    pub(super) fn new(pattern: &str) -> Self {
        Self(simplified(pattern))
    }

    pub(super) fn fits(&self, spellings: &[String; 2]) -> bool {
        spellings.iter().any(|name| fits(&self.0, name))
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = name.find(piece) else { return false };
        name = &name[at + piece.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(Pattern::new(pattern).fits(&spellings(name)), expected, "{pattern} and {name}");
    }

    #[test]
    fn stars_stand_for_anything() {
        check("gpt-4o*", "openai/gpt-4o-2024-08-06", true);
        check("gpt-4o", "gpt-4o-mini", false);
        check("*claude-opus-4-5*", "bedrock/us.anthropic.claude-opus-4-5-20251101-v1:0", true);
        check("*claude-opus-4.5*", "claude-opus-4-5", true);
        check("ollama/*", "ollama/gpt-oss:20b", true);
        check("ollama/*", "gpt-oss:20b", false);
        check("a*b*c", "a-x-b-y-c", true);
        check("a*b*c", "a-c", false);
        check("*", "", true);
    }
}
