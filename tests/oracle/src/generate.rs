//! The given half of vectors, invented: apps and sessions with everything google-adk treats specially, mixed more
//! wildly than a real run would.

mod agents;
mod history;
mod parts;
mod settings;
mod steps;
mod texts;
mod tools;

use strata_model::Json;

use crate::dice::{Dice, json};

/// One case of a run.
pub(crate) fn question(seed: u64, case: u64) -> Json {
    let dice = &mut Dice::new(seed, case);
    let cast = agents::cast(dice);
    let app = agents::app(dice, &cast);
    let history = history::write(dice, &cast);
    let invocation = settings::invocation(dice, &cast, &app, &history);
    let session = json([
        ("id", "s1".into()),
        ("appName", "demo".into()),
        ("userId", "u1".into()),
        ("state", settings::state(dice)),
        ("events", history.events.into()),
    ]);
    let mut question = crate::dice::object([
        ("kind", "compile".into()),
        ("app", app),
        ("session", session),
        ("invocation", invocation),
        ("env", dice.maybe(8, |_| json([("GOOGLE_GENAI_USE_ENTERPRISE", "true".into())]))),
    ]);
    // Null has a meaning of its own here: no such service.
    if dice.chance(60) {
        question.push("artifacts", settings::artifacts(dice));
    }
    if dice.chance(50) {
        question.push("memory", settings::memory(dice));
    }
    Json::Object(question)
}

#[cfg(test)]
mod tests {
    use strata_oracle::vector::given;

    use super::*;

    #[test]
    fn a_case_is_the_same_every_time() {
        assert_eq!(question(1, 7), question(1, 7));
        assert_ne!(question(1, 7), question(1, 8));
        assert_ne!(question(1, 7), question(2, 7));
    }

    #[test]
    fn cases_can_be_read() {
        for case in 0..200 {
            let question = question(3, case);
            let invocation = given::invocation(question.get("invocation").unwrap());
            assert!(given::app(&question).find(&invocation.agent).is_some(), "case {case}");
        }
    }
}
