//! Labelled values, one below the other.

use super::Style;

/// Characters of a label.
const LABEL: usize = 10;
/// Characters of a line of values.
const LINE: usize = 96;

/// A heading with labelled values under it.
pub(super) struct Fields {
    text: String,
    style: Style,
}

impl Fields {
    pub(super) fn under(heading: &str, style: Style) -> Self {
        Self { text: format!("{}\n", style.strong(heading)), style }
    }

    /// Adds a value, in as many lines as it takes; nothing when it is empty.
    pub(super) fn add(&mut self, label: &str, value: &str) {
        for (at, line) in wrapped(value).iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            let label = self.style.quiet(&format!("{label:LABEL$}"));
            self.text += &format!("  {label}  {line}\n");
        }
    }

    pub(super) fn print(self) -> String {
        self.text
    }
}

/// Broken between words. A word that is longer than a line stays whole, so that it can be copied.
fn wrapped(value: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in value.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_go_on_below() {
        let mut fields = Fields::under("C1", Style::Plain);
        fields.add("note", &"word ".repeat(30));
        fields.add("empty", "");
        let printed = fields.print();
        assert_eq!(printed.lines().count(), 3);
        assert!(printed.lines().skip(1).all(|line| line.chars().count() <= LINE + LABEL + 4));
        assert!(
            printed.ends_with("\n              word word word word word word word word word word word\n")
        );
    }
}
