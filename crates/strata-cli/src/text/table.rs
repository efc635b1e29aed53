//! Tables with aligned columns.

use super::Style;

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Rows of text under a quiet head.
pub(super) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Row>,
}

enum Row {
    Cells {
        cells: Vec<String>,
        is_quiet: bool,
    },
    /// Text across all columns.
    Line {
        text: String,
        is_quiet: bool,
    },
}

impl Table {
    pub(super) fn new(columns: impl IntoIterator<Item = (&'static str, Align)>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// One cell a column.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row::Cells { cells: cells.into_iter().collect(), is_quiet: false });
    }

    /// A row that matters less.
    pub(super) fn quiet_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row::Cells { cells: cells.into_iter().collect(), is_quiet: true });
    }

    pub(super) fn line(&mut self, text: String) {
        self.rows.push(Row::Line { text, is_quiet: false });
    }

    pub(super) fn quiet_line(&mut self, text: String) {
        self.rows.push(Row::Line { text, is_quiet: true });
    }

    /// The lines, indented by two.
    pub(super) fn print(&self, style: Style) -> String {
        let widths = self.widths();
        let mut text = String::new();
        if self.columns.iter().any(|(title, _)| !title.is_empty()) {
            let titles: Vec<String> = self.columns.iter().map(|(title, _)| (*title).to_owned()).collect();
            text += &line(&style.quiet(&self.cells(&titles, &widths)));
        }
        for row in &self.rows {
            text += &line(&match row {
                Row::Cells { cells, is_quiet: true } => style.quiet(&self.cells(cells, &widths)),
                Row::Cells { cells, is_quiet: false } => self.cells(cells, &widths),
                Row::Line { text, is_quiet: true } => style.quiet(text),
                Row::Line { text, is_quiet: false } => text.clone(),
            });
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| match row {
                Row::Cells { cells, .. } => cells.get(column).map(|cell| cell.chars().count()),
                Row::Line { .. } => None,
            });
            cells.chain([self.columns[column].0.chars().count()]).max().unwrap_or(0)
        };
        (0..self.columns.len()).map(width).collect()
    }

    /// Without white space at the end.
    fn cells(&self, cells: &[String], widths: &[usize]) -> String {
        let mut text = String::new();
        for ((cell, width), (_, align)) in cells.iter().zip(widths).zip(&self.columns) {
            let gap = if text.is_empty() { "" } else { "  " };
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            text += &match align {
                Align::Left => format!("{gap}{cell}{padding}"),
                Align::Right => format!("{gap}{padding}{cell}"),
            };
        }
        text.truncate(text.trim_end().len());
        text
    }
}

fn line(text: &str) -> String {
    format!("  {text}\n")
}

/// Which rows of a long list are shown: all, or the first and the last of them.
pub(super) fn fold(n_rows: usize, limit: usize) -> (usize, usize) {
    if limit == 0 || n_rows <= limit {
        return (n_rows, n_rows);
    }
    let first = limit.div_ceil(2);
    (first, n_rows - (limit - first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new([("name", Align::Left), ("tokens", Align::Right)]);
        table.row(["a".to_owned(), "≈1,234,567".to_owned()]);
        table.row(["longer".to_owned(), "5".to_owned()]);
        assert_eq!(
            table.print(Style::Plain),
            "  name        tokens\n  a       ≈1,234,567\n  longer           5\n"
        );
    }

    #[test]
    fn long_lists_keep_both_ends() {
        assert_eq!(fold(5, 5), (5, 5));
        assert_eq!(fold(100, 5), (3, 98));
        assert_eq!(fold(100, 0), (100, 100));
    }
}
