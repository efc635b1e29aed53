//! What a session may take before a person is told.

use crate::api::app::SessionBudget;
use crate::api::capture::BudgetWord;
use crate::api::session::SessionRow;
use crate::counted;
use crate::show::words::whole;

impl SessionBudget {
    pub(crate) fn is_set(self) -> bool {
        self.usd.is_some() || self.tokens.is_some()
    }

    /// What to tell of a session: that it has passed this, or why nobody can know. Nothing where it is within.
    pub(crate) fn word(self, row: &SessionRow) -> Option<BudgetWord> {
        if !self.is_set() || row.item.calls == 0 {
            return None;
        }
        let title = &row.item.title;
        let word = |is_passed: bool, text: String| {
            Some(BudgetWord { session: row.item.session.clone(), is_passed, text })
        };
        let Some(reported) = &row.reported else {
            let text = format!("{title}: its provider reports no tokens, so nobody sees it pass its budget.");
            return word(false, text);
        };
        let tokens = reported.prompt_tokens + reported.output_tokens;
        if let Some(limit) = self.tokens.filter(|limit| tokens > *limit) {
            let (limit, so_far) = (whole(limit as i64), whole(tokens as i64));
            return word(true, format!("{title} has passed its budget of {limit} tokens: {so_far} so far."));
        }
        let limit = self.usd?;
        match reported.cost {
            Some(cost) if cost > limit => {
                word(true, format!("{title} has passed its budget of ${limit:.2}: ${cost:.2} so far."))
            }
            Some(_) => None,
            None => {
                let without = row.item.calls.saturating_sub(reported.calls + reported.unpaid_calls);
                let why = match without {
                    0 => "a model of it has no known price".to_owned(),
                    _ => format!("{} of it reported no tokens", counted(without as usize, "call")),
                };
                word(false, format!("{title}: {why}, so nobody sees it pass its budget of ${limit:.2}."))
            }
        }
    }
}
