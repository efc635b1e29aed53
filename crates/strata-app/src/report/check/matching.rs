//! Which session of a run is which of the baseline.

use super::figures::SessionFigures;

/// Pairs of sessions by their places, and those that are left on either side.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Matched {
    /// Of the baseline and of the run, in the order of the run.
    pub pairs: Vec<(usize, usize)>,
    pub only_in_baseline: Vec<usize>,
    pub only_in_run: Vec<usize>,
}

impl Matched {
    /// The same test is the same session: by id and title, then by an id that each side has once, then by title. Ids that
    /// programs make up are in none of it. Of several that are alike, the first is the first.
    pub(super) fn of(baseline: &[&SessionFigures], run: &[&SessionFigures]) -> Self {
        let mut matching = Self {
            pairs: Vec::new(),
            only_in_baseline: (0..baseline.len()).collect(),
            only_in_run: (0..run.len()).collect(),
        };
        let is_single = |id: &str| {
            let has_once = |side: &[&SessionFigures]| {
                side.iter().filter(|session| session.id.as_deref() == Some(id)).count() == 1
            };
            has_once(baseline) && has_once(run)
        };
        let sides = (baseline, run);
        matching.pair_by(sides, |session| Some((session.id.as_deref()?, &*session.title)));
        matching.pair_by(sides, |session| session.id.as_deref().filter(|id| is_single(id)));
        matching.pair_by(sides, |session| Some(&*session.title));
        matching.pairs.sort_by_key(|(_, now)| *now);
        matching
    }

    /// Pairs what is left on both sides and has the same name.
    fn pair_by<'s, N: PartialEq>(
        &mut self,
        (baseline, run): (&[&'s SessionFigures], &[&'s SessionFigures]),
        name: impl Fn(&'s SessionFigures) -> Option<N>,
    ) {
        for now in std::mem::take(&mut self.only_in_run) {
            let of_run = name(run[now]);
            let is_same = |was: &usize| of_run.is_some() && name(baseline[*was]) == of_run;
            match self.only_in_baseline.iter().position(is_same) {
                Some(at) => self.pairs.push((self.only_in_baseline.remove(at), now)),
                None => self.only_in_run.push(now),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn session(id: &str, title: &str) -> SessionFigures {
        SessionFigures {
            title: title.to_owned(),
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
            app: String::new(),
            counting: BTreeMap::new(),
            cost: None,
            agents: BTreeMap::new(),
            breaks: BTreeMap::new(),
            findings: BTreeMap::new(),
        }
    }

    #[track_caller]
    fn check(baseline: &[(&str, &str)], run: &[(&str, &str)], pairs: &[(usize, usize)]) -> Matched {
        let sessions =
            |of: &[(&str, &str)]| of.iter().map(|(id, title)| session(id, title)).collect::<Vec<_>>();
        let (baseline, run) = (sessions(baseline), sessions(run));
        let matched = Matched::of(&baseline.iter().collect::<Vec<_>>(), &run.iter().collect::<Vec<_>>());
        assert_eq!(matched.pairs, pairs);
        matched
    }

    #[test]
    fn the_order_of_files_does_not_matter() {
        check(&[("a", "x"), ("b", "y")], &[("b", "y"), ("a", "x")], &[(1, 0), (0, 1)]);
    }

    #[test]
    fn a_test_that_says_something_else_now_is_known_by_its_id() {
        check(&[("a", "Hello"), ("b", "Bye")], &[("a", "Good day"), ("b", "Bye")], &[(0, 0), (1, 1)]);
    }

    #[test]
    fn sessions_whose_ids_are_made_up_are_known_by_what_is_said_in_them() {
        check(&[("", "x"), ("", "y")], &[("", "y"), ("", "x")], &[(1, 0), (0, 1)]);
        check(&[("", "x"), ("", "x")], &[("", "x"), ("", "x")], &[(0, 0), (1, 1)]);
    }

    #[test]
    fn one_id_in_all_tests_tells_nothing() {
        check(&[("s", "x"), ("s", "y")], &[("s", "y"), ("s", "x")], &[(1, 0), (0, 1)]);
        check(&[("s", "x"), ("s", "y")], &[("s", "z"), ("s", "w")], &[]);
    }

    #[test]
    fn what_one_side_has_is_left() {
        let matched = check(&[("a", "x"), ("gone", "z")], &[("new", "y"), ("a", "x")], &[(0, 1)]);
        assert_eq!((matched.only_in_baseline, matched.only_in_run), (vec![1], vec![0]));
    }
}
