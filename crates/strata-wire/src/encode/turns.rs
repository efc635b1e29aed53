//! Calls and results that carry no id, matched by their order, for providers that need ids.

use std::collections::{HashMap, VecDeque};

use strata_model::{Base64, Part};

/// Gives calls and their results ids where they have none.
#[derive(Default)]
pub(super) struct CallIds {
    n_made: usize,
    open: HashMap<String, VecDeque<String>>,
}

impl CallIds {
    pub(super) fn of_call(&mut self, id: Option<&str>, name: &str) -> String {
        match id.filter(|id| !id.is_empty()) {
            Some(id) => id.to_owned(),
            None => {
                self.n_made += 1;
                let id = format!("call_{}", self.n_made);
                self.open.entry(name.to_owned()).or_default().push_back(id.clone());
                id
            }
        }
    }

    pub(super) fn of_result(&mut self, id: Option<&str>, name: &str) -> String {
        let known = id.filter(|id| !id.is_empty()).map(str::to_owned);
        known.or_else(|| self.open.get_mut(name)?.pop_front()).unwrap_or_else(|| "call_unknown".to_owned())
    }
}

/// A picture or file inside a part, as `data:` address.
pub(super) fn data_url(part: &Part) -> Option<String> {
    let blob = part.inline_data.as_ref()?;
    let kind = blob.mime_type.as_deref().unwrap_or("application/octet-stream");
    Some(format!("data:{kind};base64,{}", standard(blob.data.as_ref()?)))
}

/// Base64 in the alphabet that everybody reads.
pub(super) fn standard(data: &Base64) -> String {
    data.replace('-', "+").replace('_', "/")
}

/// What a part says that is neither text, call, result nor data.
pub(super) fn other_text(part: &Part) -> Option<String> {
    let code = part.executable_code.as_ref().and_then(|code| code.code.as_deref());
    let output = part.code_execution_result.as_ref().and_then(|result| result.output.as_deref());
    let file = part.file_data.as_ref().and_then(|file| file.file_uri.as_deref());
    code.map(|code| format!("```\n{code}\n```")).or_else(|| Some(output.or(file)?.to_owned()))
}
