//! What a problem is called, and where it is.

use strata_app::report::CheckProblem;

/// Where a problem is: `Where is my parcel? (parcel), desk`.
pub(super) fn place(problem: &CheckProblem) -> String {
    let session = problem.session.as_ref().map(|(id, title)| match &**id {
        "" => title.clone(),
        id if id == title => title.clone(),
        id => format!("{title} ({id})"),
    });
    let places = session.into_iter().chain(problem.agent.clone());
    places.collect::<Vec<_>>().join(", ")
}

/// The rule in words: `max_prompt_tokens` is broken, `new-break` is a new break.
pub(super) fn rule_title(rule: &str) -> String {
    match rule {
        "grown" => "Prompts grew".to_owned(),
        "new-break" => "A prefix breaks anew".to_owned(),
        "new-finding" => "Something new was found".to_owned(),
        "not-comparable" => "The baseline cannot be compared".to_owned(),
        "nothing-compared" => "Nothing was compared".to_owned(),
        "only-in-baseline" => "Not in this run".to_owned(),
        "only-in-run" => "Not in the baseline".to_owned(),
        "other-version" => "Written by another release".to_owned(),
        "unreadable" => "Not readable".to_owned(),
        "forbid" => "Something forbidden was found".to_owned(),
        budget if budget.contains('_') => format!("The budget {budget} is broken"),
        other => other.replace('-', " "),
    }
}
