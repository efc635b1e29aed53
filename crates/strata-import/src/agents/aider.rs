//! Aider's chat history: Markdown that only grows, with rounded numbers in prose. `# aider chat started at` begins a
//! session, `####` is what was typed, `> ` is what the program says, the rest is the model's, as far as it is not what
//! the program goes on to say.

mod voice;

use strata_model::{Json, Object, Part};
use strata_wire::usage::Counts;
use strata_wire::usage::UsageReport;

use crate::draft::{Draft, EventDraft, Kind};
use crate::facts::SourceFacts;
use crate::findings::Findings;
use crate::format::Format;
use crate::head::Head;
use crate::imported::ImportedSession;
use crate::source::SourceRecord;
use crate::time::epoch_seconds;
use voice::{Lines, PreviousLine, Voice};

const SESSION: &str = "# aider chat started at ";

struct Chat {
    draft: Draft,
    before: PreviousLine,
    /// Who wrote the text that is gathered.
    voice: Option<Voice>,
    text: String,
    start: u64,
    /// The answer that waits for its tokens.
    answer: Option<usize>,
}

pub(crate) fn is_history(head: &Head<'_>) -> bool {
    head.has_line("# aider chat started at")
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let message = "bytes that are not UTF-8 were replaced by U+FFFD; everything else was kept";
        findings.warning("repaired-text", "", message);
    }
    let mut sessions = Vec::new();
    let mut chat = Chat::new(0, None);
    let mut n_begun = 0;
    let mut offset = 0;
    let lines = Lines::new(&text);
    for (number, line) in lines.iter() {
        let at = offset;
        offset += line.len() as u64;
        let line = line.trim_end();
        if let Some(time) = line.strip_prefix(SESSION) {
            sessions.extend(
                std::mem::replace(&mut chat, Chat::new(n_begun, Some(time))).finish(at, format, findings),
            );
            n_begun += 1;
        } else {
            let voice = lines.voice(number, &mut chat.before);
            chat.line(voice, line, at);
        }
    }
    sessions.extend(chat.finish(offset, format, findings));
    // What is counted over the file is told with its first session.
    if let Some(SourceFacts::Counts(counts)) = sessions.first_mut().map(|first| &mut first.facts.source) {
        let begins = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        let found = [
            ("lines", text.split('\n').count()),
            ("sessions", begins(SESSION)),
            ("user_lines", begins("####")),
            ("token_report_lines", begins("> Tokens:")),
        ];
        counts.extend(found.map(|(name, count)| (name, Json::Int(count as i64))));
    }
    sessions
}

impl Chat {
    fn new(number: usize, time: Option<&str>) -> Self {
        let mut draft = Draft::new("aider", "aider");
        draft.set_clock(time.and_then(epoch_seconds));
        draft.session.id = match time {
            Some(time) => format!("{time}#{number}").replace(' ', "T").into(),
            None => "before the first session".into(),
        };
        Self {
            draft,
            before: PreviousLine::default(),
            voice: None,
            text: String::new(),
            start: 0,
            answer: None,
        }
    }

    fn line(&mut self, voice: Option<Voice>, line: &str, at: u64) {
        let said = match voice {
            None => return self.flush(at),
            Some(Voice::Person) => line.strip_prefix("####"),
            Some(Voice::Program) => line.strip_prefix('>'),
            Some(Voice::Model) => None,
        };
        let text = said.map_or(line, |said| said.strip_prefix(' ').unwrap_or(said));
        if self.voice != voice {
            self.flush(at);
            self.voice = voice;
            self.start = at;
        }
        self.text += text;
        self.text += "\n";
        if voice == Some(Voice::Program) && said.is_some() && text.starts_with("Tokens:") {
            self.tokens(text, at);
        }
    }

    fn flush(&mut self, end: u64) {
        let text = std::mem::take(&mut self.text);
        let Some(voice) = self.voice.take() else { return };
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let kind = match voice {
            Voice::Person => Kind::Prompt,
            Voice::Program => Kind::Notice,
            Voice::Model => Kind::Response,
        };
        let is_answer = kind == Kind::Response;
        if kind == Kind::Prompt {
            // Tokens that are told from here on are of another request.
            self.answer = None;
        }
        let mut say = EventDraft::new(kind, Vec::new(), SourceRecord::Bytes(self.start..end));
        if voice == Voice::Program {
            // It is on the screen only.
            say.source_notes = Object::from_iter([("type", Json::from("program")), ("text", text.into())]);
        } else {
            say.parts.push(Part::from_text(text));
        }
        let at = self.draft.push(say);
        if is_answer {
            self.answer = Some(at);
        }
    }

    /// `Tokens: 21,523 sent, 13,952 cache hit, 9 received. Cost: …`
    fn tokens(&mut self, line: &str, at: u64) {
        let sentence = line.trim_start_matches("Tokens:").split(". ").next().unwrap_or_default();
        let count = |word: &str| {
            let mut pieces = sentence.split(", ").filter(|piece| piece.contains(word));
            pieces.find_map(|piece| rounded(piece.split_whitespace().next()?))
        };
        let counts = Counts {
            input: count(" sent"),
            cached: count(" cache hit"),
            written: count(" cache write"),
            output: count(" received"),
            ..Counts::default()
        };
        match self.answer.take() {
            Some(answer) => self.draft.set_usage(answer, UsageReport::from(counts)),
            None => {
                let source = SourceRecord::Bytes(at..at + line.len() as u64);
                let say = EventDraft {
                    usage: Some(UsageReport::from(counts)),
                    ..EventDraft::new(Kind::Notice, Vec::new(), source)
                };
                self.draft.push(EventDraft {
                    source_notes: Object::from_iter([("type", Json::from("tokens"))]),
                    ..say
                });
            }
        }
    }

    fn finish(mut self, end: u64, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
        self.flush(end);
        if self.draft.len() == 0 {
            return None;
        }
        self.draft.finish(format, findings)
    }
}

/// `21,523`, `12k` or `1.2M`.
fn rounded(text: &str) -> Option<u64> {
    let text = text.replace(',', "");
    let (digits, unit) = match text.chars().last()? {
        'k' | 'K' => (&text[..text.len() - 1], 1e3),
        'M' | 'm' => (&text[..text.len() - 1], 1e6),
        _ => (&*text, 1.0),
    };
    digits.parse::<f64>().ok().map(|number| (number * unit).round() as u64)
}
