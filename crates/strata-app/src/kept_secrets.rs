//! What looks like a key in the store: told, and masked for good.

use strata_store::{FoundSecrets, SessionEntry, Store, StoreError};

use crate::api::secret::{KeptSecrets, SecretKind, SessionSecrets};
use crate::watch::Watch;

/// Looks through all sessions, and masks what is found where that is asked for: then also in what is stored from now on.
/// `None` when the watcher wanted to stop; what was masked until then stays masked.
pub(crate) fn look_through(
    store: &mut Store,
    masks: bool,
    watch: &dyn Watch,
) -> Result<Option<KeptSecrets>, StoreError> {
    if masks {
        // First: what comes in meanwhile is masked, too.
        store.set_masks_secrets(true)?;
    }
    let entries = store.sessions("", 0..u32::MAX)?.entries;
    let mut all = if masks { store.mask_secrets_in_answers()? } else { FoundSecrets::default() };
    all.add(store.secrets_in_contexts(masks)?);
    all.add(store.secrets_in_artifacts(masks)?);
    all.add(store.secrets_in_memory(masks)?);
    let mut sessions = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        watch.progress(at as u64, entries.len() as u64);
        if watch.is_cancelled() {
            return Ok(None);
        }
        let found = if masks { store.mask_secrets_of(&entry.id)? } else { store.secrets_of(&entry.id)? };
        if !found.is_empty() {
            sessions.push(of_session(entry, &found));
            all.add(found);
        }
    }
    if masks && !all.is_empty() {
        while store.index_some()? {}
        store.give_back_space()?;
    }
    sessions.sort_by_key(|session| std::cmp::Reverse(session.values));
    Ok(Some(KeptSecrets { kinds: kinds(&all), values: all.n_values() as u32, sessions }))
}

fn of_session(entry: &SessionEntry, found: &FoundSecrets) -> SessionSecrets {
    SessionSecrets {
        session: entry.id.to_string(),
        title: entry.title.clone(),
        values: found.n_values() as u32,
        kinds: kinds(found),
    }
}

fn kinds(found: &FoundSecrets) -> Vec<SecretKind> {
    let mut kinds: Vec<SecretKind> =
        found.kinds().map(|(name, n)| SecretKind { name: name.to_owned(), values: n as u32 }).collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.values));
    kinds
}

/// `API key (3), password (1)`.
pub fn kinds_in_words(kinds: &[SecretKind]) -> String {
    let words: Vec<String> = kinds.iter().map(|kind| format!("{} ({})", kind.name, kind.values)).collect();
    words.join(", ")
}
