//! Names as google-adk spells them in Python.

/// Words that cannot be names of arguments.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// A name that Python's grammar has no other use for.
pub(super) fn argument(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("param_{name}") } else { name.to_owned() }
}

/// `listPets`, `REST API` and `/pets/{id}_get` in snake case.
pub(super) fn snake_case(text: &str) -> String {
    let characters: Vec<char> =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let mut snake = String::new();
    for (at, c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(at + 1);
        let begins_word = c.is_ascii_uppercase()
            && before.is_some_and(|before| {
                let ends_lower = before.is_ascii_lowercase() || before.is_ascii_digit();
                let ends_acronym = before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase);
                ends_lower || ends_acronym
            });
        if begins_word {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    let words: Vec<&str> = snake.split('_').filter(|word| !word.is_empty()).collect();
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As google-adk 2.13 answers.
    #[test]
    fn names_are_spelled_as_in_python() {
        for (text, snake) in [
            ("listPets", "list_pets"),
            ("UpperCamelCase", "upper_camel_case"),
            ("space separated", "space_separated"),
            ("REST API", "rest_api"),
            ("getHTTPResponseCode2", "get_http_response_code2"),
            ("/pets/{petId}_get", "pets_pet_id_get"),
            ("X-Request-ID", "x_request_id"),
            ("v2Beta", "v2_beta"),
            ("__a__B", "a_b"),
            ("größe", "gr_e"),
            ("", ""),
        ] {
            assert_eq!(snake_case(text), snake, "{text}");
        }
        assert_eq!(argument("from"), "param_from");
        assert_eq!(argument("to"), "to");
    }
}
