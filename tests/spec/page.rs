//! Pages: which blocks a Markdown file holds, and under which heading.

use std::ops::Range;

/// A file of the specification.
#[derive(Debug)]
pub(crate) struct Page {
    pub name: String,
    pub text: String,
    pub cases: Vec<Case>,
}

/// A heading with the example below it: what is given, and what is expected of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Case {
    pub heading: String,
    pub blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The first word behind the fence.
    pub kind: String,
    /// `key=value` pairs behind it.
    pub options: Vec<(String, String)>,
    pub body: String,
    /// The line of the opening fence, counted from 1.
    pub line: usize,
    /// The body's lines in the page, counted from 0.
    pub lines: Range<usize>,
}

/// What an example is made from. It holds below the heading it stands under, deeper headings included.
const GIVEN: &[&str] = &["app", "agent", "session", "run", "artifacts", "memory"];
/// What is checked.
const EXPECTED: &[&str] = &["request", "diff", "tokens", "window", "words"];
/// For the reader only.
const ILLUSTRATIONS: &[&str] = &["python", "text"];

impl Page {
    pub(crate) fn parse(name: &str, text: String) -> Result<Self, String> {
        let mut sections = vec![Section { level: 0, heading: String::new(), blocks: Vec::new() }];
        let mut cases = Vec::new();
        let mut lines = text.lines().enumerate();
        while let Some((at, line)) = lines.next() {
            if let Some((level, heading)) = heading(line) {
                close(&mut sections, &mut cases, level);
                sections.push(Section { level, heading: heading.to_owned(), blocks: Vec::new() });
            } else if let Some((fence, info)) = opening_fence(line) {
                let block = read_block(fence, info, at, &mut lines)
                    .map_err(|message| format!("{name}:{}: {message}", at + 1))?;
                if let Some(section) = sections.last_mut() {
                    if is_once(&block) && section.blocks.iter().any(|other| other.kind == block.kind) {
                        return Err(format!("{name}:{}: `{}` is given twice", at + 1, block.kind));
                    }
                    section.blocks.push(block);
                }
            }
        }
        close(&mut sections, &mut cases, 0);
        for (at, case) in cases.iter().enumerate() {
            if cases[..at].iter().any(|other| other.heading == case.heading) {
                return Err(format!("{name}: two examples are called `{}`", case.heading));
            }
        }
        Ok(Self { name: name.to_owned(), text, cases })
    }

    /// The page with other bodies of some blocks.
    pub(crate) fn rewritten(&self, bodies: &[(Range<usize>, String)]) -> String {
        let mut out = String::new();
        let mut lines = self.text.lines().enumerate().peekable();
        for (range, body) in bodies {
            while let Some((_, line)) = lines.next_if(|(at, _)| *at < range.start) {
                out += &format!("{line}\n");
            }
            while lines.next_if(|(at, _)| *at < range.end).is_some() {}
            out += body;
        }
        lines.for_each(|(_, line)| out += &format!("{line}\n"));
        out
    }
}

impl Case {
    pub(crate) fn given(&self, kind: &str) -> Option<&str> {
        self.given_all(kind).last()
    }

    pub(crate) fn given_all(&self, kind: &str) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter(move |block| block.kind == kind).map(|block| &*block.body)
    }
}

impl Block {
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    pub(crate) fn is_expected(&self) -> bool {
        EXPECTED.contains(&&*self.kind)
    }
}

/// Whether a section may have one block of this kind only.
fn is_once(block: &Block) -> bool {
    GIVEN.contains(&&*block.kind) && block.kind != "memory"
}

struct Section {
    level: usize,
    heading: String,
    blocks: Vec<Block>,
}

/// Ends the newest section, and all that hold it up to `level`. One that expects something is a case, with everything
/// that is given above it.
fn close(sections: &mut Vec<Section>, cases: &mut Vec<Case>, level: usize) {
    if let Some(newest) = sections.last() {
        let expected: Vec<&Block> = newest.blocks.iter().filter(|block| block.is_expected()).collect();
        if !expected.is_empty() {
            let given =
                sections.iter().flat_map(|section| &section.blocks).filter(|block| !block.is_expected());
            let blocks = given.chain(expected).cloned().collect();
            cases.push(Case { heading: newest.heading.clone(), blocks });
        }
    }
    while sections.last().is_some_and(|section| section.level >= level.max(1)) {
        sections.pop();
    }
}

/// `## Title` as `(2, "Title")`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line[level..].strip_prefix(' ')?;
    (1..=6).contains(&level).then_some((level, title.trim()))
}

/// The backticks of a fence and what stands behind them.
fn opening_fence(line: &str) -> Option<(usize, &str)> {
    let fence = line.bytes().take_while(|byte| *byte == b'`').count();
    (fence >= 3).then(|| (fence, line[fence..].trim()))
}

fn read_block<'t>(
    fence: usize,
    info: &str,
    at: usize,
    lines: &mut impl Iterator<Item = (usize, &'t str)>,
) -> Result<Block, String> {
    let mut words = info.split_whitespace();
    let kind = words.next().unwrap_or_default().to_owned();
    if ![GIVEN, EXPECTED, ILLUSTRATIONS].concat().contains(&&*kind) {
        return Err(format!("`{kind}` is no kind of block"));
    }
    let options = words
        .map(|word| match word.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("`{word}`: options are written key=value")),
        })
        .collect::<Result<_, _>>()?;
    let mut body = String::new();
    for (end, line) in lines {
        if opening_fence(line).is_some_and(|(closing, info)| closing >= fence && info.is_empty()) {
            return Ok(Block { kind, options, body, line: at + 1, lines: at + 1..end });
        }
        body += &format!("{}\n", line.trim_end());
    }
    Err("the block has no end".to_owned())
}
