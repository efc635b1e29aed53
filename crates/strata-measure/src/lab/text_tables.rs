//! Tables in texts: CSV with a head, tab-separated values with a head, and Markdown.

/// Columns that lines have to have in common where a mark between them may as well be punctuation.
const LEAST_COLUMNS: usize = 3;
/// Rows below a head.
const LEAST_ROWS: usize = 2;
/// Characters of a name in a head.
const HEAD_CELL: usize = 40;

/// A text as the rows of its tables, without their heads, and what stands around them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct TextTables<'t> {
    /// Tables of rows of cells.
    pub tables: Vec<Vec<Vec<&'t str>>>,
    pub other: Vec<&'t str>,
}

impl<'t> TextTables<'t> {
    pub(super) fn read(text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut read = Self::default();
        let mut at = 0;
        while at < lines.len() {
            match [',', '\t', '|'].into_iter().find_map(|mark| table(&lines[at..], mark)) {
                Some((rows, n_lines)) => {
                    read.tables.push(rows);
                    at += n_lines;
                }
                None => {
                    read.other.push(lines[at]);
                    at += 1;
                }
            }
        }
        read
    }
}

/// The table that begins with the first line, and how many lines it has.
fn table<'t>(lines: &[&'t str], mark: char) -> Option<(Vec<Vec<&'t str>>, usize)> {
    let head = cells(lines.first()?, mark);
    let is_ruled = mark == '|' && lines.get(1).is_some_and(|line| is_rule(line));
    let least = if is_ruled || mark == '\t' { 2 } else { LEAST_COLUMNS };
    if head.len() < least || mark == '|' && !is_ruled || !head.iter().all(|cell| is_name(cell)) {
        return None;
    }
    // A sentence has spaces behind its commas.
    if mark == ',' && lines[0].contains(", ") {
        return None;
    }
    let first = 1 + usize::from(is_ruled);
    let rows: Vec<Vec<&str>> = lines[first..]
        .iter()
        .map(|line| cells(line, mark))
        .take_while(|row| row.len() == head.len())
        .collect();
    (rows.len() >= LEAST_ROWS).then(|| {
        let n_lines = first + rows.len();
        (rows, n_lines)
    })
}

fn cells(line: &str, mark: char) -> Vec<&str> {
    let line = if mark == '|' { line.trim().trim_matches('|') } else { line };
    if !line.contains(mark) {
        return Vec::new();
    }
    line.split(mark).map(|cell| cell.trim().trim_matches('"')).collect()
}

fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|letter| "|-: ".contains(letter))
}

fn is_name(cell: &str) -> bool {
    cell.chars().next().is_some_and(|letter| letter.is_alphabetic() || letter == '_')
        && cell.chars().count() <= HEAD_CELL
        && cell.chars().all(|letter| letter.is_alphanumeric() || " _-./%()#".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::TextTables;

    #[test]
    fn tables_have_heads_and_prose_and_code_have_none() {
        let csv = "Found:\nid,name,spend\nc-1,North,12.5\nc-2,South,9\n2 rows";
        let read = TextTables::read(csv);
        assert_eq!(read.tables, [vec![vec!["c-1", "North", "12.5"], vec!["c-2", "South", "9"]]]);
        assert_eq!(read.other, ["Found:", "2 rows"]);
        let ruled = "| id | spend |\n|----|------:|\n| c-1 | 12.5 |\n| c-2 | 9 |";
        assert_eq!(TextTables::read(ruled).tables, [vec![vec!["c-1", "12.5"], vec!["c-2", "9"]]]);
        assert_eq!(TextTables::read("id\tspend\nc-1\t12.5\nc-2\t9").tables.len(), 1);
        for other in [
            "First, second, third.\nFourth, fifth, sixth.\nOne, two, three.",
            "import os, sys, re\nfrom a import b, c, d\nx, y, z = f()",
            "1\tfn main() {\n2\t}\n3\tfn other() {",
            "a || b\nc || d\ne || f",
        ] {
            assert_eq!(TextTables::read(other).tables.len(), 0, "{other}");
        }
    }
}
