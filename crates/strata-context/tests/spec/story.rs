//! The language of stories: `TIME WHO VERB …`, a step a line.

use std::collections::BTreeMap;

use strata_context::{
    Command, Context, ContextError, ContextId, Door, Fate, Held, IdPlace, Message, Millis, Naming,
    NewMessage, NewTask, Principal, Retention, RetentionStrategy, Role, Summarise, TaskEnd, TaskId, Ttl,
    checked, fate, naming, one_id, with_defaults,
};
use strata_model::{Json, Object, json};

use crate::shown;

/// Contexts, and those that expired and were taken away.
#[derive(Default)]
pub(crate) struct Story {
    held: BTreeMap<ContextId, Held>,
    current: Option<ContextId>,
    /// Whose each was, and when it expired.
    archive: BTreeMap<ContextId, (Principal, Millis)>,
}

/// Tells which messages went.
struct Numbers;

impl Summarise for Numbers {
    fn summarise(&self, before: Option<&str>, dropped: &[Message], _: usize) -> String {
        let numbers: Vec<String> = dropped.iter().map(|message| message.number.to_string()).collect();
        let before = before.map_or_else(|| "Summary of ".to_owned(), |before| format!("{before}, "));
        format!("{before}{}", numbers.join(", "))
    }
}

type Told = Result<Vec<String>, String>;

impl Story {
    pub(crate) fn take(&mut self, step: &str) -> Told {
        let (time, rest) = word(step)?;
        let (who, rest) = word(rest)?;
        let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (now, who) = (moment(time)?, Principal::new(who));
        match verb {
            "begins" => self.begin(rest, who, now),
            "turns" => {
                self.current = Some(id(rest)?);
                Ok(Vec::new())
            }
            "sends" => self.sends(rest, &who, now),
            "shows" => self.show(rest, now),
            "cleans" => Ok(self.clean(now)),
            "remembers" => self.remembered(rest),
            _ => self.command(verb, rest, &who, now),
        }
    }

    fn begin(&mut self, rest: &str, who: Principal, now: Millis) -> Told {
        let (name, class) = rest.split_once(' ').unwrap_or((rest, "interactive"));
        let id = id(name)?;
        let mut context = Context::new(id.clone(), who, now);
        context.ttl = Ttl::of_class(class).ok_or("no such class")?;
        let told = match naming(&id) {
            Naming::Known(purpose) => format!("; by its name {purpose}"),
            Naming::Own => String::new(),
            Naming::Silent => "; its name tells nothing".to_owned(),
        };
        let life = shown::life(&context, now);
        self.held.insert(id.clone(), Held::new(context));
        self.current = Some(id);
        Ok(vec![format!("{life}{told}")])
    }

    /// Ids in places of a request: `ctx-1 in header, ctx-2 in cookie`.
    fn sends(&mut self, rest: &str, who: &Principal, now: Millis) -> Told {
        let mut given = Vec::new();
        for one in rest.split(", ").filter(|one| *one != "nothing") {
            let (id, place) = one.rsplit_once(" in ").ok_or("ID in PLACE")?;
            let place = match place {
                "header" => IdPlace::Header,
                "query" => IdPlace::Query,
                "body" => IdPlace::Body,
                "cookie" => IdPlace::Cookie,
                _ => return Err("header, query, body or cookie".to_owned()),
            };
            given.push((place, id.trim_matches('"').to_owned()));
        }
        let found = match one_id(given) {
            Ok(None) => return Ok(vec!["a new context begins".to_owned()]),
            Ok(Some(id)) => id,
            Err(error) => return Ok(shown::refused(&error)),
        };
        Ok(match self.found(&found, who, now) {
            Ok(held) => vec![format!("{found}: {}", shown::life(&held.context, now))],
            Err(error) => shown::refused(&error),
        })
    }

    /// The context of an id, as a store finds it: what is archived is not there, and its owner is told when it expired.
    fn found(&self, id: &ContextId, who: &Principal, now: Millis) -> Result<&Held, ContextError> {
        match self.archive.get(id).filter(|(owner, _)| owner == who) {
            Some((_, at)) => Err(ContextError::Expired { id: id.clone(), expired_at: Some(*at) }),
            None => checked(id, self.held.get(id), who, now),
        }
    }

    fn show(&self, what: &str, now: Millis) -> Told {
        if what == "archive" {
            return Ok(self.archive.keys().map(ToString::to_string).collect());
        }
        let held = self.current.as_ref().and_then(|id| self.held.get(id)).ok_or("no context is there")?;
        Ok(match what {
            "life" => vec![shown::life(&held.context, now)],
            "messages" => shown::messages(&held.context),
            "state" => shown::state(&held.context),
            "tasks" => shown::tasks(held),
            "doors" => shown::doors(&held.context),
            "artifacts" => shown::artifacts(&held.context),
            _ => return Err("life, messages, state, tasks, doors, artifacts or archive".to_owned()),
        })
    }

    fn clean(&mut self, now: Millis) -> Vec<String> {
        let fates: Vec<(ContextId, Fate)> =
            self.held.iter().map(|(id, held)| (id.clone(), fate(&held.context, now))).collect();
        fates
            .into_iter()
            .map(|(id, fate)| {
                match fate {
                    Fate::Stays => {}
                    Fate::Idle => {
                        if let Some(held) = self.held.get_mut(&id) {
                            held.context.state = strata_context::ContextState::Idle;
                        }
                    }
                    Fate::ArchivedAndGone { at } | Fate::Gone { at } => {
                        if let Some(held) = self.held.remove(&id) {
                            self.archive.insert(id.clone(), (held.context.principal_id, at));
                        }
                    }
                }
                format!("{id} {}", shown::fate(fate))
            })
            .collect()
    }

    /// `GIVEN with PARAM=PATH.OF.KEYS`: parameters as the state fills them.
    fn remembered(&self, rest: &str) -> Told {
        let (given, defaults) = rest.split_once(" with ").ok_or("JSON with PARAM=PATH")?;
        let held = self.current.as_ref().and_then(|id| self.held.get(id)).ok_or("no context is there")?;
        let (param, path) = defaults.split_once('=').ok_or("PARAM=PATH")?;
        let path: Vec<&str> = path.split('.').collect();
        let filled = with_defaults(&object(given)?, &held.context.working_state, &[(param, &path)]);
        Ok(vec![json::object_to_compact(&filled)])
    }

    fn command(&mut self, verb: &str, rest: &str, who: &Principal, now: Millis) -> Told {
        let command = match rest.strip_prefix("as sent ").filter(|_| verb == "keeps") {
            // As a client says it.
            Some(sent) => {
                let sent = json::parse(sent.as_bytes()).map_err(|error| error.to_string())?;
                match Retention::from_json(&sent) {
                    Ok(retention) => Command::SetRetention(retention),
                    Err(error) => return Ok(shown::refused(&error)),
                }
            }
            None => command(verb, rest)?,
        };
        let id = self.current.clone().ok_or("no context has begun")?;
        let held = match self.found(&id, who, now) {
            Ok(held) => held,
            Err(error) => return Ok(shown::refused(&error)),
        };
        let done = match held.apply(command, now, &Numbers) {
            Ok(done) => done,
            Err(error) => return Ok(shown::refused(&error)),
        };
        let mut told = vec![shown::life(&done.held.context, now)];
        for put_away in &done.offloaded {
            let artifact = &put_away.artifact;
            told.push(format!(
                "put away {} version {}, {} bytes",
                artifact.name, artifact.version, artifact.bytes
            ));
        }
        if !done.dropped.is_empty() {
            let messages = if done.dropped.len() == 1 { "message" } else { "messages" };
            told.push(format!("{} {messages} dropped", done.dropped.len()));
        }
        for conflict in &done.conflicts {
            let value = json::to_compact;
            told.push(format!(
                "conflict at {}: began with {}, kept {}, refused {}",
                conflict.key,
                value(&conflict.inherited),
                value(&conflict.kept),
                value(&conflict.refused)
            ));
        }
        self.held.insert(id, done.held);
        Ok(told)
    }
}

fn command(verb: &str, rest: &str) -> Result<Command, String> {
    Ok(match verb {
        "asks" => Command::Touch { door: door(rest)? },
        "sets" => {
            let (changes, task) = in_task(rest)?;
            Command::SetState { changes: object(&filled(changes))?, task }
        }
        "says" | "hears" => {
            let (text, task) = in_task(rest)?;
            let role = if verb == "says" { Role::User } else { Role::Assistant };
            let content = filled(text);
            let (text, n) = content
                .rsplit_once(" times ")
                .and_then(|(text, n)| Some((text, n.parse().ok()?)))
                .unwrap_or((&content, 1));
            let message = NewMessage { role, content: text.into(), door: None, task };
            Command::Say(vec![message; n])
        }
        "keeps" => {
            let words: Vec<&str> = rest.split(' ').collect();
            let strategy = match words.first() {
                Some(&"count") => RetentionStrategy::Count,
                Some(&"time") => RetentionStrategy::Time,
                Some(&"size") => RetentionStrategy::Size,
                _ => return Err("count, time or size".to_owned()),
            };
            let limit = words.get(1).and_then(|n| n.parse().ok()).ok_or("a number")?;
            let summarize_on_truncate = words.get(2) == Some(&"summarised");
            Command::SetRetention(Retention { strategy, limit, summarize_on_truncate })
        }
        "lives" => Command::SetTtl(match rest.strip_prefix("interactive ") {
            Some(seconds) => Ttl::Interactive { seconds: seconds.parse().map_err(|_| "seconds")? },
            None => Ttl::of_class(rest).ok_or("no such class")?,
        }),
        "starts" => {
            let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let (after, under) = (rest.strip_prefix("after "), rest.strip_prefix("under "));
            let waits_for =
                after.into_iter().flat_map(|names| names.split(',')).map(task).collect::<Result<_, _>>()?;
            let parent = under.map(task).transpose()?;
            let params = Object::new();
            Command::BeginTask(NewTask {
                task_id: task(name)?,
                operation: name.into(),
                params,
                parent,
                waits_for,
            })
        }
        "waits" => {
            let (waiting, on) = rest.split_once(" for ").ok_or("TASK for TASK")?;
            Command::WaitFor { task: task(waiting)?, on: task(on)? }
        }
        "needs" => Command::RequireInput { task: task(rest)?, told: None },
        "answers" => Command::Resume(task(rest)?),
        "ends" => {
            let (name, end) = rest.split_once(' ').unwrap_or((rest, "completed"));
            let end = match end {
                "completed" => TaskEnd::Completed,
                "failed" => TaskEnd::Failed,
                "canceled" => TaskEnd::Canceled,
                _ => return Err("completed, failed or canceled".to_owned()),
            };
            Command::EndTask { task: task(name)?, end, told: None }
        }
        "advances" => {
            let mut words = rest.splitn(3, ' ');
            let (from, to) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let data = object(words.next().unwrap_or("{}"))?;
            Command::Advance { from: (from != "-").then(|| from.into()), to: to.into(), data }
        }
        "archives" => Command::Archive,
        _ => return Err(format!("{verb} is no verb")),
    })
}

fn door(rest: &str) -> Result<Option<Door>, String> {
    let Some(name) = rest.strip_prefix("over ") else { return Ok(None) };
    Door::ALL.into_iter().find(|door| door.name() == name).map(Some).ok_or_else(|| "no such door".to_owned())
}

/// `…` with `in TASK` behind it or not.
fn in_task(rest: &str) -> Result<(&str, Option<TaskId>), String> {
    match rest.rsplit_once(" in ") {
        Some((text, name)) if !name.contains([' ', '}']) => Ok((text, Some(task(name)?))),
        _ => Ok((rest, None)),
    }
}

/// `<N>` is a text of so many letters.
fn filled(text: &str) -> String {
    let Some((before, rest)) = text.split_once('<') else { return text.to_owned() };
    let Some((n, after)) = rest.split_once('>') else { return text.to_owned() };
    let Ok(n) = n.parse() else { return text.to_owned() };
    format!("{before}{}{}", "x".repeat(n), filled(after))
}

fn word(text: &str) -> Result<(&str, &str), String> {
    text.split_once(' ').ok_or_else(|| "TIME WHO VERB …".to_owned())
}

fn moment(text: &str) -> Result<Millis, String> {
    let numbers: Option<Vec<i64>> = text.split(':').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        Some([hours, minutes]) => Ok(Millis::seconds(hours * 3_600 + minutes * 60)),
        Some([hours, minutes, seconds]) => Ok(Millis::seconds(hours * 3_600 + minutes * 60 + seconds)),
        _ => Err(format!("{text} is no time")),
    }
}

fn id(text: &str) -> Result<ContextId, String> {
    ContextId::parse(text).map_err(|error| error.to_string())
}

fn task(text: &str) -> Result<TaskId, String> {
    TaskId::parse(text).map_err(|error| error.to_string())
}

fn object(text: &str) -> Result<Object, String> {
    match json::parse(text.as_bytes()) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err("no object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
