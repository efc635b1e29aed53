//! The helpers a module needs: what inserted processors do, in Python, and tools that only are declared.

use std::collections::BTreeSet;

use strata_engine::PROCESSOR_KINDS;
use strata_model::{Object, json};

use super::literal::literal;

/// All helpers, in sections that begin with `# section: name; needs: names; imports: …`.
const HELPERS: &str = include_str!("processors.py");
const MARK: &str = "# section: ";

/// The section that a kind of processor needs, and the call that makes its callback. `None` for scripts.
pub(super) fn call(kind: &str, params: &Object) -> Option<(&'static str, String)> {
    let kind = PROCESSOR_KINDS.iter().find(|known| known.name == kind && known.name != "script")?;
    let args = kind.params.iter().filter_map(|param| {
        let value = match params.get(param.name) {
            Some(value) => value.clone(),
            None => json::parse(param.default.as_bytes()).unwrap_or_default(),
        };
        (!value.is_null()).then(|| format!("{}={}", param.name, literal(&value, 2)))
    });
    Some((kind.name, format!("{}({})", kind.name, args.collect::<Vec<_>>().join(", "))))
}

/// The sections that are used, with those they need, in the order of the file.
pub(super) fn sections(used: &BTreeSet<&'static str>, imports: &mut BTreeSet<&'static str>) -> String {
    let all: Vec<(&str, Vec<&str>, Vec<&str>, &str)> = HELPERS.split(MARK).skip(1).map(section).collect();
    let mut needed: BTreeSet<&str> = used.iter().copied().collect();
    loop {
        let more = all
            .iter()
            .filter(|(name, ..)| needed.contains(name))
            .flat_map(|(_, needs, ..)| needs.iter().copied());
        let before = needed.len();
        let more: Vec<&str> = more.collect();
        needed.extend(more);
        if needed.len() == before {
            break;
        }
    }
    let mut text = String::new();
    for (_, _, own, body) in all.iter().filter(|(name, ..)| needed.contains(name)) {
        imports.extend(own.iter().copied());
        text += &format!("{}\n\n\n", body.trim());
    }
    text
}

fn section(text: &'static str) -> (&'static str, Vec<&'static str>, Vec<&'static str>, &'static str) {
    let (head, body) = text.split_once('\n').unwrap_or((text, ""));
    let mut fields = head.split("; ");
    let name = fields.next().unwrap_or_default();
    let mut needs = Vec::new();
    let mut imports = Vec::new();
    for field in fields {
        if let Some(list) = field.strip_prefix("needs: ") {
            needs = list.split(", ").collect();
        } else if let Some(list) = field.strip_prefix("imports: ") {
            imports = list.split(" | ").collect();
        }
    }
    (name, needs, imports, body)
}

#[cfg(test)]
mod tests {
    use strata_model::Json;

    use super::super::literal::text;
    use super::*;

    #[test]
    fn every_kind_but_scripts_has_a_section() {
        for kind in PROCESSOR_KINDS.iter().filter(|kind| kind.name != "script") {
            assert!(HELPERS.contains(&format!("{MARK}{}", kind.name)), "{}", kind.name);
            assert!(HELPERS.contains(&format!("def {}(", kind.name)), "{}", kind.name);
        }
        let all: BTreeSet<&str> = HELPERS.split(MARK).skip(1).map(|text| section(text).0).collect();
        for (_, needs, ..) in HELPERS.split(MARK).skip(1).map(section) {
            assert!(needs.iter().all(|need| all.contains(need)), "{needs:?}");
        }
    }

    #[test]
    fn parameters_are_python() {
        let params =
            Object::from_iter([("tools", Json::Array(vec!["a\"b".into()])), ("max_rows", Json::Int(3))]);
        let (_, call) = call("cap_rows", &params).unwrap();
        assert_eq!(call, r#"cap_rows(max_rows=3, tools=["a\"b"], keep_turns=0)"#);
        assert_eq!(text("ü\u{1F600}\n"), "\"ü\u{1F600}\\n\"");
    }
}
