//! The parts of a request that processors read and write separately.

use std::hash::Hash as _;
use std::sync::Arc;

use bitflags::bitflags;
use strata_model::{Fingerprint, FingerprintBuilder, LlmRequest};

bitflags! {
    /// A set of sections. A processor's result depends on the sections it declares to read, and on no others.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct Sections: u16 {
        const MODEL = 1;
        const CONTENTS = 1 << 1;
        const SYSTEM = 1 << 2;
        const TOOLS = 1 << 3;
        /// Every field of `config` but the system instruction and the tools.
        const CONFIG = 1 << 4;
        const CACHE = 1 << 5;
        const INTERACTION = 1 << 6;
        const TOOL_NAMES = 1 << 7;
        const PENDING = 1 << 8;
        /// Where contents of a static instruction stand.
        const STATIC = 1 << 9;
    }
}

impl Sections {
    /// What is sent to the model.
    pub const SENT: Self = Self::MODEL
        .union(Self::CONTENTS)
        .union(Self::SYSTEM)
        .union(Self::TOOLS)
        .union(Self::CONFIG)
        .union(Self::CACHE)
        .union(Self::INTERACTION);
}

/// Identifies the content of some sections, with the sources of their bytes.
pub(crate) fn fingerprint(request: &LlmRequest, sections: Sections) -> Fingerprint {
    let mut hash = FingerprintBuilder::new();
    for section in sections.iter() {
        hash_section(request, section, &mut hash);
    }
    hash.finish()
}

fn hash_section(request: &LlmRequest, section: Sections, hash: &mut FingerprintBuilder) {
    hash.number(section.bits().into());
    match section {
        Sections::MODEL => {
            hash.optional(request.model.as_deref());
        }
        Sections::CONTENTS => {
            hash.fingerprint(request.contents.provenance());
        }
        Sections::SYSTEM => {
            hash.flag(request.system_instruction.is_some());
            if let Some(text) = &request.system_instruction {
                hash.fingerprint(text.fingerprint());
            }
        }
        Sections::TOOLS => {
            for tool in request.tools.iter() {
                hash.fingerprint(tool.fingerprint());
            }
        }
        Sections::CONFIG => {
            for field in request.config.iter() {
                hash.text(&field.name).json(&field.value);
                field.origin.hash(hash);
            }
        }
        Sections::CACHE => {
            hash.flag(request.cache_config.is_some());
            if let Some(config) = &request.cache_config {
                hash.object(config);
            }
            hash.flag(request.cache_metadata.is_some());
            if let Some(metadata) = &request.cache_metadata {
                hash.json(&strata_model::FromJson::to_json(&**metadata));
            }
            hash.number(request.cacheable_contents_token_count.map_or(u64::MAX, |tokens| tokens));
        }
        Sections::INTERACTION => {
            hash.optional(request.previous_interaction_id.as_deref())
                .optional(request.service_tier.as_deref());
        }
        Sections::TOOL_NAMES => {
            for name in request.tool_names.iter() {
                hash.text(name);
            }
        }
        Sections::PENDING => {
            for text in request.pending_dynamic_instructions.iter() {
                hash.fingerprint(text.fingerprint());
            }
        }
        Sections::STATIC => {
            let end = request.static_prefix_end.map_or(u64::MAX, |end| end as u64);
            hash.flag(request.has_static_contents).number(end);
        }
        _ => unreachable!("iter() yields single sections"),
    }
}

/// The sections in which two requests differ.
pub(crate) fn changed(before: &LlmRequest, after: &LlmRequest) -> Sections {
    Sections::all().iter().filter(|section| !is_same(before, after, *section)).collect()
}

fn is_same(before: &LlmRequest, after: &LlmRequest, section: Sections) -> bool {
    let is_shared = match section {
        Sections::CONTENTS => before.contents.is_same(&after.contents),
        Sections::SYSTEM => match (&before.system_instruction, &after.system_instruction) {
            (Some(before), Some(after)) => Arc::ptr_eq(before, after),
            (None, None) => true,
            _ => return false,
        },
        Sections::TOOLS => Arc::ptr_eq(&before.tools, &after.tools),
        Sections::CONFIG => Arc::ptr_eq(&before.config, &after.config),
        Sections::TOOL_NAMES => Arc::ptr_eq(&before.tool_names, &after.tool_names),
        Sections::PENDING => {
            Arc::ptr_eq(&before.pending_dynamic_instructions, &after.pending_dynamic_instructions)
        }
        _ => false,
    };
    is_shared || fingerprint(before, section) == fingerprint(after, section)
}

/// Copies sections of one request into another.
pub(crate) fn copy(from: &LlmRequest, into: &mut LlmRequest, sections: Sections) {
    for section in sections.iter() {
        match section {
            Sections::MODEL => into.model.clone_from(&from.model),
            Sections::CONTENTS => into.contents = from.contents.clone(),
            Sections::SYSTEM => into.system_instruction.clone_from(&from.system_instruction),
            Sections::TOOLS => into.tools = from.tools.clone(),
            Sections::CONFIG => into.config = from.config.clone(),
            Sections::CACHE => {
                into.cache_config.clone_from(&from.cache_config);
                into.cache_metadata.clone_from(&from.cache_metadata);
                into.cacheable_contents_token_count = from.cacheable_contents_token_count;
            }
            Sections::INTERACTION => {
                into.previous_interaction_id.clone_from(&from.previous_interaction_id);
                into.service_tier.clone_from(&from.service_tier);
            }
            Sections::TOOL_NAMES => into.tool_names = from.tool_names.clone(),
            Sections::PENDING => {
                into.pending_dynamic_instructions = from.pending_dynamic_instructions.clone();
            }
            Sections::STATIC => {
                into.has_static_contents = from.has_static_contents;
                into.static_prefix_end = from.static_prefix_end;
            }
            _ => unreachable!("iter() yields single sections"),
        }
    }
}
