//! The context that a request asks for.

use crate::door::IdPlace;
use crate::error::ContextError;
use crate::id::ContextId;

/// The one id of a request. Empty texts are no ids; two different ones are refused, since either could be meant.
pub fn one_id(mut given: Vec<(IdPlace, String)>) -> Result<Option<ContextId>, ContextError> {
    given.retain(|(_, id)| !id.is_empty());
    given.sort_by_key(|(place, _)| *place);
    let Some((place, first)) = given.first() else { return Ok(None) };
    if let Some((other_place, other)) = given.iter().find(|(_, id)| id != first) {
        return Err(ContextError::TwoIds {
            first: first.clone(),
            first_place: *place,
            second: other.clone(),
            second_place: *other_place,
        });
    }
    Ok(Some(ContextId::parse(first)?))
}
