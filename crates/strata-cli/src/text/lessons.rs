//! Lessons, and what came of them.

use strata_app::lessons::{
    AttemptReport, ClassReport, GoalResult, LessonCheckReport, LessonReport, LessonsReport, ResultsReport,
};
use strata_app::{counted, size, whole};

use super::Style;
use super::table::{Align, Table};

pub(crate) fn lessons(report: &LessonsReport, style: Style) -> String {
    let mut table = Table::new([
        ("lesson", Align::Left),
        ("level", Align::Left),
        ("minutes", Align::Right),
        ("goals", Align::Right),
        ("title", Align::Left),
    ]);
    for lesson in &report.lessons {
        table.row([
            lesson.id.clone(),
            lesson.level.clone(),
            lesson.minutes.to_string(),
            lesson.goals.to_string(),
            lesson.title.clone(),
        ]);
    }
    let n = counted(report.lessons.len(), "lesson");
    format!("{}{n}; `strata lessons show LESSON` begins one\n", table.print(style))
}

pub(crate) fn lesson(report: &LessonReport, n_hints: usize, style: Style) -> String {
    let row = &report.row;
    let mut text = format!(
        "{}\n{}\n\n{}\n\n{}\n",
        style.strong(&row.title),
        style.quiet(&format!(
            "{}, {}, session {}",
            row.level,
            counted(row.minutes as usize, "minute"),
            report.session
        )),
        report.text,
        style.strong("Goals"),
    );
    for goal in &report.goals {
        text += &format!("  {}  {} ({})\n", goal.id, goal.text, goal.wanted);
        for hint in goal.hints.iter().take(n_hints) {
            text += &format!("    {}\n", style.quiet(hint));
        }
        let n_more = goal.hints.len().saturating_sub(n_hints);
        if n_more > 0 {
            let more = format!("{} more: --hints {}", counted(n_more, "hint"), n_hints + 1);
            text += &format!("    {}\n", style.quiet(&more));
        }
    }
    let answers = report.goals.iter().filter(|goal| goal.is_question);
    let answers: Vec<String> = answers.map(|goal| format!(" --answer {}=…", goal.id)).collect();
    let answers = answers.concat();
    let edits = if report.goals.iter().any(|goal| !goal.is_question) { " --edit FILE" } else { "" };
    text + &format!("\nGrade it with `strata lessons check {}{edits}{answers}`.\n", row.id)
}

pub(crate) fn lesson_check(report: &LessonCheckReport, style: Style) -> String {
    let mut text = style.strong(&format!("{} ({})", report.title, report.lesson)) + "\n";
    for attempt in &report.attempts {
        text += &format!("\n{}\n{}", heading(attempt, style), goals(attempt, style));
    }
    if let Some(explanation) = &report.explanation {
        text += &format!("\n{}\n{explanation}\n", style.strong("Explanation"));
    }
    text
}

pub(crate) fn class(report: &ClassReport, style: Style) -> String {
    let mut table = Table::new([("lesson", Align::Left), ("level", Align::Left), ("title", Align::Left)]);
    for lesson in &report.lessons {
        table.row([lesson.id.clone(), lesson.level.clone(), lesson.title.clone()]);
    }
    let file = report.file.display();
    format!("{}{file}, {}; `strata serve {file}` opens it\n", table.print(style), size(report.bytes as usize))
}

pub(crate) fn lesson_results(report: &ResultsReport, style: Style) -> String {
    let mut table = Table::new([
        ("learner", Align::Left),
        ("lesson", Align::Left),
        ("goals met", Align::Right),
        ("tries", Align::Right),
        ("hints", Align::Right),
        ("tokens before", Align::Right),
        ("after", Align::Right),
        ("solved", Align::Left),
    ]);
    for learner in &report.learners {
        for lesson in &learner.lessons {
            let met = lesson.goals.iter().filter(|goal| goal.is_met).count();
            let sum = |of: &dyn Fn(&GoalResult) -> u32| lesson.goals.iter().map(of).sum::<u32>().to_string();
            let tokens = |n: Option<u64>| n.map_or_else(|| "–".to_owned(), |n| whole(n as i64));
            let solved = match (&lesson.solved_at, lesson.is_solved) {
                (Some(at), _) => at.clone(),
                (None, true) => "yes".to_owned(),
                (None, false) => "no".to_owned(),
            };
            table.row([
                learner.learner.clone(),
                lesson.lesson.clone(),
                format!("{met} of {}", lesson.goals.len()),
                sum(&|goal| goal.tries),
                sum(&|goal| goal.hints),
                tokens(lesson.tokens_before),
                tokens(lesson.tokens_after),
                solved,
            ]);
        }
    }
    let n = counted(report.learners.len(), "learner");
    format!("{}{n}; `--csv` has one row a goal\n", table.print(style))
}

fn heading(attempt: &AttemptReport, style: Style) -> String {
    let n_met = attempt.goals.iter().filter(|goal| goal.is_met).count();
    let all = counted(attempt.goals.len(), "goal");
    let heading = format!("{}: {n_met} of {all} met", attempt.title);
    match (attempt.passed, attempt.is_solved) {
        (true, _) => style.strong(&heading),
        (false, true) => style.error(&format!("{heading}, and it must not be solved")),
        (false, false) => style.error(&heading),
    }
}

fn goals(attempt: &AttemptReport, style: Style) -> String {
    let mut table = Table::new([
        ("", Align::Left),
        ("goal", Align::Left),
        ("measured", Align::Left),
        ("wanted", Align::Left),
    ]);
    for goal in &attempt.goals {
        table.row([
            if goal.is_met { "met" } else { "open" }.to_owned(),
            goal.goal.clone(),
            goal.measured.clone(),
            goal.wanted.clone(),
        ]);
    }
    table.print(style)
}
