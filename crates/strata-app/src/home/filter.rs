//! Which sessions are wanted, as a person types it.

/// What a session is found by.
#[derive(Debug, Default)]
pub(crate) struct SessionFacts<'s> {
    pub title: &'s str,
    pub tool: &'s str,
    pub project: Option<&'s str>,
    pub models: Vec<Option<&'s str>>,
    /// Codes of its findings.
    pub found: Vec<&'s str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    /// As it was typed.
    typed: String,
    field: Field,
    /// In lower case.
    value: String,
    is_exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Any,
    Tool,
    Project,
    Model,
    Finding,
}

const FIELDS: [(&str, Field); 4] = [
    ("tool:", Field::Tool),
    ("project:", Field::Project),
    ("model:", Field::Model),
    ("finding:", Field::Finding),
];

impl Filter {
    pub(crate) fn parse(text: &str) -> Self {
        Self { terms: words(text).into_iter().map(Term::of).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The filter of its first terms, for every number of them, with the last of these.
    pub(crate) fn beginnings(&self) -> impl Iterator<Item = (Self, &str)> {
        (1..=self.terms.len()).map(|n| (Self { terms: self.terms[..n].to_vec() }, &*self.terms[n - 1].typed))
    }

    pub(crate) fn takes(&self, session: &SessionFacts<'_>) -> bool {
        self.terms.iter().all(|term| term.takes(session))
    }

    /// Of a session that is wanted, calls of these models only.
    pub(crate) fn takes_model(&self, model: Option<&str>) -> bool {
        self.terms.iter().filter(|term| term.field == Field::Model).all(|term| term.is_in(model))
    }
}

impl Term {
    fn of(typed: String) -> Self {
        let lower = typed.to_lowercase();
        let named = FIELDS.iter().find_map(|(name, field)| Some((*field, lower.strip_prefix(name)?)));
        let (field, value) = named.unwrap_or((Field::Any, &lower));
        let exact = value.strip_prefix('=').filter(|_| field != Field::Any);
        let value = exact.unwrap_or(value).to_owned();
        Self { typed, field, value, is_exact: exact.is_some() }
    }

    fn takes(&self, session: &SessionFacts<'_>) -> bool {
        let SessionFacts { title, tool, project, models, found } = session;
        let of_models = || models.iter().any(|model| self.is_in(*model));
        match self.field {
            Field::Tool => self.is_in(Some(tool)),
            Field::Project => self.is_in(*project),
            Field::Model => of_models(),
            Field::Finding => found.iter().any(|code| self.is_in(Some(code))),
            Field::Any => {
                self.is_in(Some(title)) || self.is_in(Some(tool)) || self.is_in(*project) || of_models()
            }
        }
    }

    /// What is not known is found as nothing: `model:=`.
    fn is_in(&self, text: Option<&str>) -> bool {
        let text = text.unwrap_or_default().to_lowercase();
        if self.is_exact { text == self.value } else { text.contains(&self.value) && !text.is_empty() }
    }
}

/// Parted by spaces, but those between quotation marks.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            letter if letter.is_whitespace() && !is_quoted => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(filter: &str, is_taken: bool) {
        let session = SessionFacts {
            title: "Fix the login",
            tool: "Codex CLI",
            project: Some("/home/ada/web shop"),
            models: vec![Some("gpt-5.5"), None],
            found: vec!["repeated-result"],
        };
        assert_eq!(Filter::parse(filter).takes(&session), is_taken, "{filter}");
    }

    #[test]
    fn words_are_looked_for_where_they_may_be() {
        check("", true);
        check("LOGIN codex", true);
        check("login gemini", false);
        check("tool:codex model:gpt-5", true);
        check("model:=gpt-5", false);
        check("model:=gpt-5.5", true);
        check("model:=", true);
        check("project:\"=/home/ada/web shop\"", true);
        check("\"tool:=Codex CLI\"", true);
        check("tool:=Codex", false);
        check("finding:repeated", true);
        check("finding:other", false);
    }

    #[test]
    fn calls_of_other_models_are_left_out() {
        let filter = Filter::parse("login model:=gpt-5.5");
        assert!(filter.takes_model(Some("gpt-5.5")));
        assert!(!filter.takes_model(Some("gpt-4o")) && !filter.takes_model(None));
    }
}
