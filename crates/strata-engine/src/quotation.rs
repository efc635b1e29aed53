//! How one agent is told what another did, and how text is kept from posing as something else.

use std::sync::{Arc, LazyLock};

use strata_model::app::AdkRelease;
use strata_model::{Object, Origin, Part, RequestContent, RequestPart, RichText, python};

use crate::adk_text::{
    BARE_FOREIGN_PREAMBLE, ELIDED, FOREIGN_PREAMBLE, INSTR_BEGIN, INSTR_END, INSTR_PREAMBLE, QUOTE_BEGIN,
    QUOTE_END,
};

/// What stands around quotations, made once: a history has thousands of them.
static FRAMING: LazyLock<Origin> = LazyLock::new(|| Origin::processor("contents"));
static PREAMBLE: LazyLock<RequestPart> = LazyLock::new(|| {
    RequestPart::from_rich_text(&RichText::from_span(FOREIGN_PREAMBLE, FRAMING.clone()), FRAMING.clone())
});
static BARE_PREAMBLE: LazyLock<RequestPart> = LazyLock::new(|| {
    RequestPart::from_rich_text(&RichText::from_span(BARE_FOREIGN_PREAMBLE, FRAMING.clone()), FRAMING.clone())
});

/// How another agent's words are set apart from everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotationForm {
    /// Between markers, behind a preamble that says what they mean.
    Fenced { include_thoughts: bool },
    /// Behind two words, as releases before 2.8 do it.
    Bare,
}

impl QuotationForm {
    /// As a release does it.
    pub fn of(release: AdkRelease, include_thoughts: bool) -> Self {
        if release >= AdkRelease::new(2, 8) { Self::Fenced { include_thoughts } } else { Self::Bare }
    }
}

/// Another agent's parts, each with its source, as user text: a preamble, then a quotation per part, each a part of its
/// own. `None` when nothing of it is passed on (`ADK.md` 3.8).
pub(crate) fn quote_agent<'p>(
    author: &str,
    parts: impl Iterator<Item = (&'p Arc<Part>, Origin)>,
    form: QuotationForm,
) -> Option<RequestContent> {
    let mut quoted = Vec::with_capacity(parts.size_hint().0 + 1);
    for (part, origin) in parts {
        let (preamble, part) = match form {
            QuotationForm::Fenced { include_thoughts } => {
                (&PREAMBLE, quote_part(author, part, origin, include_thoughts))
            }
            QuotationForm::Bare => (&BARE_PREAMBLE, quote_part_bare(author, part, origin)),
        };
        if let Some(part) = part {
            if quoted.is_empty() {
                quoted.push(RequestPart::clone(preamble));
            }
            quoted.push(part);
        }
    }
    (!quoted.is_empty()).then(|| RequestContent::new(Some("user".into()), quoted))
}

fn quote_part(author: &str, part: &Arc<Part>, origin: Origin, include_thoughts: bool) -> Option<RequestPart> {
    let Part { text, function_call, function_response, .. } = &**part;
    let spoken = text.as_deref().filter(|text| !python::strip(text).is_empty());
    if part.is_thought() {
        let text = spoken.filter(|_| include_thoughts)?;
        return Some(quote(format!("[{author}] thought:\n"), text, origin));
    }
    if let Some(text) = spoken {
        return Some(quote(format!("[{author}] said:\n"), text, origin));
    }
    if let Some(call) = function_call {
        let introduction = format!(
            "[{author}] called tool `{}` with parameters:\n",
            elide_quotes(&name_or_none(call.name.as_deref()))
        );
        // Sorted at the top level only, so that the text does not depend on the order the model chose.
        let args = call.args.as_deref().map(Object::sorted);
        return Some(quote(introduction, &repr_or_none(args.as_ref()), origin));
    }
    if let Some(response) = function_response {
        let introduction = format!(
            "[{author}] `{}` tool returned result:\n",
            elide_quotes(&name_or_none(response.name.as_deref()))
        );
        return Some(quote(introduction, &repr_or_none(response.response.as_deref()), origin));
    }
    let is_media = part.inline_data.is_some()
        || part.file_data.is_some()
        || part.executable_code.is_some()
        || part.code_execution_result.is_some();
    is_media.then(|| RequestPart::new(part.clone(), origin))
}

/// As releases before 2.8: no markers, arguments in the order they were given.
fn quote_part_bare(author: &str, part: &Arc<Part>, origin: Origin) -> Option<RequestPart> {
    let Part { text, function_call, function_response, .. } = &**part;
    if part.is_thought() {
        return None;
    }
    let bare = |introduction: String, text: &str, origin: Origin| {
        let mut rich = RichText::from_span(introduction, FRAMING.clone());
        rich.push(text, origin);
        RequestPart::from_rich_text(&rich, FRAMING.clone())
    };
    if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
        return Some(bare(format!("[{author}] said: "), text, origin));
    }
    if let Some(call) = function_call {
        let name = name_or_none(call.name.as_deref());
        let introduction = format!("[{author}] called tool `{name}` with parameters: ");
        return Some(bare(introduction, &repr_or_none(call.args.as_deref()), origin));
    }
    if let Some(response) = function_response {
        let name = name_or_none(response.name.as_deref());
        let introduction = format!("[{author}] `{name}` tool returned result: ");
        return Some(bare(introduction, &repr_or_none(response.response.as_deref()), origin));
    }
    Some(RequestPart::new(part.clone(), origin))
}

fn quote(introduction: String, text: &str, origin: Origin) -> RequestPart {
    let mut rich = RichText::new();
    rich.push(introduction + QUOTE_BEGIN + "\n", FRAMING.clone());
    rich.push(elide_quotes(text), origin);
    rich.push(format!("\n{QUOTE_END}"), FRAMING.clone());
    RequestPart::from_rich_text(&rich, FRAMING.clone())
}

fn name_or_none(name: Option<&str>) -> String {
    name.unwrap_or("None").to_owned()
}

fn repr_or_none(object: Option<&Object>) -> String {
    object.map_or_else(|| "None".to_owned(), python::repr_object)
}

fn elide_quotes(text: &str) -> String {
    text.replace(QUOTE_BEGIN, ELIDED).replace(QUOTE_END, ELIDED)
}

/// An instruction that has to stand among the contents, marked so that it is not taken for the user's words.
pub(crate) fn label_instruction(instruction: &RichText, processor: &'static str) -> RichText {
    let framing = Origin::processor(processor);
    let mut labelled = RichText::new();
    labelled.push(format!("{INSTR_PREAMBLE}\n{INSTR_BEGIN}\n"), framing.clone());
    labelled.append(instruction.replace(INSTR_BEGIN, ELIDED).replace(INSTR_END, ELIDED));
    labelled.push(format!("\n{INSTR_END}"), framing);
    labelled
}
