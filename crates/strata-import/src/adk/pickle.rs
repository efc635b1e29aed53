//! Reading pickles as data.
//!
//! A pickle is a program for a small machine that can name and call anything in Python. This reader knows the
//! operations that build values, and those that build objects it takes as maps: a class is a name, its state are its
//! members. Nothing is looked up, imported or called; any other operation ends the reading.
//! (Operations: <https://github.com/python/cpython/blob/main/Lib/pickletools.py>.)

mod input;

use strata_model::{Json, Object};

use input::Input;

/// Values on the stack, at most.
const MAX_VALUES: usize = 1 << 20;
/// Values nested deeper than this are cut off.
const MAX_DEPTH: usize = 100;

#[derive(Debug, Clone)]
enum Value {
    Json(Json),
    /// A container that may still grow, by its place in the arena.
    Shared(usize),
    Mark,
}

#[derive(Debug)]
enum Container {
    List(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    /// An instance: its class, and its state.
    Instance(Option<Value>),
}

#[derive(Default)]
struct Machine {
    stack: Vec<Value>,
    memo: std::collections::HashMap<usize, Value>,
    arena: Vec<Container>,
}

/// The value a pickle stands for.
pub(super) fn read(bytes: &[u8]) -> Result<Json, String> {
    let mut machine = Machine::default();
    let mut input = Input { bytes, at: 0 };
    loop {
        let operation = input.byte()?;
        if operation == b'.' {
            let top = machine.pop()?;
            let mut left = MAX_VALUES;
            let value = machine.json(&top, MAX_DEPTH, &mut left);
            return if left > 0 { Ok(value) } else { Err("it holds too many values".to_owned()) };
        }
        machine.run(operation, &mut input)?;
        if machine.stack.len() > MAX_VALUES || machine.arena.len() > MAX_VALUES {
            return Err("it holds too many values".to_owned());
        }
    }
}

impl Machine {
    fn pop(&mut self) -> Result<Value, String> {
        self.stack.pop().ok_or_else(|| "a value is missing".to_owned())
    }

    fn push_json<J: Into<Json>>(&mut self, value: J) {
        self.stack.push(Value::Json(value.into()));
    }

    fn push_new(&mut self, container: Container) {
        self.arena.push(container);
        self.stack.push(Value::Shared(self.arena.len() - 1));
    }

    fn since_mark(&mut self) -> Result<Vec<Value>, String> {
        let mark =
            self.stack.iter().rposition(|value| matches!(value, Value::Mark)).ok_or("a mark is missing")?;
        let values = self.stack.split_off(mark + 1);
        self.stack.pop();
        Ok(values)
    }

    fn top(&mut self) -> Result<&mut Container, String> {
        match self.stack.last() {
            Some(Value::Shared(at)) => Ok(&mut self.arena[*at]),
            _ => Err("a container is missing".to_owned()),
        }
    }

    fn set_items(&mut self, items: &[Value]) -> Result<(), String> {
        let pairs: Vec<(Value, Value)> =
            items.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        match self.top()? {
            Container::Dict(members) => members.extend(pairs),
            Container::List(_) | Container::Instance(_) => return Err("members of what is no map".to_owned()),
        }
        Ok(())
    }

    fn append(&mut self, items: Vec<Value>) -> Result<(), String> {
        match self.top()? {
            Container::List(list) => list.extend(items),
            Container::Dict(_) | Container::Instance(_) => return Err("items of what is no list".to_owned()),
        }
        Ok(())
    }

    fn memoize(&mut self, at: usize) -> Result<(), String> {
        let top = self.stack.last().cloned().ok_or("a value is missing")?;
        self.memo.insert(at, top);
        Ok(())
    }

    fn recall(&mut self, at: usize) -> Result<(), String> {
        let value = self.memo.get(&at).cloned().ok_or("a value is used before it is there")?;
        self.stack.push(value);
        Ok(())
    }

    fn run(&mut self, operation: u8, input: &mut Input<'_>) -> Result<(), String> {
        match operation {
            0x80 => drop(input.take(1)?),
            0x95 => drop(input.take(8)?),
            b'N' => self.push_json(Json::Null),
            0x88 => self.push_json(true),
            0x89 => self.push_json(false),
            b'K' => {
                let number = input.number(1)?;
                self.push_json(number as i64);
            }
            b'M' => {
                let number = input.number(2)?;
                self.push_json(number as i64);
            }
            b'J' => {
                let bytes = input.take(4)?;
                self.push_json(i64::from(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])));
            }
            0x8a => {
                let length = input.number(1)?;
                let value = long(input.take(length)?);
                self.push_json(value);
            }
            b'G' => {
                let bytes = input.take(8)?;
                let bits = bytes.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
                self.push_json(f64::from_bits(bits));
            }
            0x8c => self.text(input, 1)?,
            b'X' => self.text(input, 4)?,
            0x8d => self.text(input, 8)?,
            b'C' | b'U' => self.bytes(input, 1)?,
            b'B' | b'T' => self.bytes(input, 4)?,
            0x8e | 0x96 => self.bytes(input, 8)?,
            b'(' => self.stack.push(Value::Mark),
            b'0' => drop(self.pop()?),
            b'1' => drop(self.since_mark()?),
            b'2' => {
                let top = self.stack.last().cloned().ok_or("a value is missing")?;
                self.stack.push(top);
            }
            b']' | b')' | 0x8f => self.push_new(Container::List(Vec::new())),
            b'}' => self.push_new(Container::Dict(Vec::new())),
            b'l' | b't' | 0x91 => {
                let items = self.since_mark()?;
                self.push_new(Container::List(items));
            }
            b'd' => {
                let items = self.since_mark()?;
                self.push_new(Container::Dict(Vec::new()));
                self.set_items(&items)?;
            }
            0x85..=0x87 => {
                let length = usize::from(operation - 0x84);
                let start = self.stack.len().checked_sub(length).ok_or("a value is missing")?;
                let items = self.stack.split_off(start);
                self.push_new(Container::List(items));
            }
            b'a' => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            b'e' | 0x90 => {
                let items = self.since_mark()?;
                self.append(items)?;
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set_items(&[key, value])?;
            }
            b'u' => {
                let items = self.since_mark()?;
                self.set_items(&items)?;
            }
            0x94 => self.memoize(self.memo.len())?,
            b'q' => self.memoize(input.number(1)?)?,
            b'r' => self.memoize(input.number(4)?)?,
            b'h' => self.recall(input.number(1)?)?,
            b'j' => self.recall(input.number(4)?)?,
            // A class is only its name.
            b'c' => {
                let name = format!("{}.{}", input.line()?, input.line()?);
                self.push_json(name);
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let name = format!("{}.{}", self.name(&module), self.name(&name));
                self.push_json(name);
            }
            // An instance, or what a call would give: its arguments, which nobody calls anything with.
            0x81 | b'R' => {
                let arguments = self.pop()?;
                drop(self.pop()?);
                self.push_new(Container::Instance(Some(arguments)));
            }
            0x92 => {
                drop(self.pop()?);
                let arguments = self.pop()?;
                drop(self.pop()?);
                self.push_new(Container::Instance(Some(arguments)));
            }
            b'b' => {
                let state = self.pop()?;
                match self.top()? {
                    Container::Instance(slot) => *slot = Some(state),
                    Container::List(_) | Container::Dict(_) => {
                        return Err("a state of what is no object".to_owned());
                    }
                }
            }
            other => return Err(format!("operation {other:#04x} is none that builds data")),
        }
        Ok(())
    }

    fn text(&mut self, input: &mut Input<'_>, width: usize) -> Result<(), String> {
        let length = input.number(width)?;
        let text = input.text(length)?;
        self.push_json(text);
        Ok(())
    }

    fn bytes(&mut self, input: &mut Input<'_>, width: usize) -> Result<(), String> {
        use base64::Engine as _;
        let length = input.number(width)?;
        let text = base64::engine::general_purpose::URL_SAFE.encode(input.take(length)?);
        self.push_json(text);
        Ok(())
    }

    fn name(&self, value: &Value) -> String {
        let json = self.json(value, 2, &mut 8);
        json.as_str().unwrap_or("?").to_owned()
    }

    /// A value written out, as long as values are `left`: a container that holds another twice, which holds another
    /// twice, stands for more than there is memory.
    fn json(&self, value: &Value, depth: usize, left: &mut usize) -> Json {
        let Some(depth) = depth.checked_sub(1) else { return Json::Null };
        *left = left.saturating_sub(1);
        if *left == 0 {
            return Json::Null;
        }
        let at = match value {
            Value::Json(json) => return json.clone(),
            Value::Mark => return Json::Null,
            Value::Shared(at) => *at,
        };
        match &self.arena[at] {
            Container::List(items) => {
                items.iter().map(|item| self.json(item, depth, left)).collect::<Vec<_>>().into()
            }
            Container::Dict(members) => {
                let members = members.iter().map(|(key, value)| {
                    let key = self.json(key, depth, left);
                    let key =
                        key.as_str().map_or_else(|| strata_model::json::to_compact(&key), str::to_owned);
                    (key, self.json(value, depth, left))
                });
                members.collect::<Object>().into()
            }
            Container::Instance(Some(state)) => state_of(self.json(state, depth, left)),
            Container::Instance(None) => Json::Null,
        }
    }
}

/// The members of an object: pydantic keeps them in `__dict__`; an enumeration is the one argument it was made with.
fn state_of(state: Json) -> Json {
    match state {
        Json::Object(mut object) => match object.remove("__dict__") {
            Some(members) => members,
            None => Json::Object(object),
        },
        Json::Array(mut arguments) if arguments.len() == 1 => arguments.pop().unwrap_or_default(),
        other => other,
    }
}

/// A whole number in two's complement, the lowest byte first.
fn long(bytes: &[u8]) -> Json {
    if bytes.len() > 8 {
        return Json::Null;
    }
    let is_negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let fill = if is_negative { 0xff } else { 0 };
    let mut wide = [fill; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    Json::Int(i64::from_le_bytes(wide))
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json::to_compact;

    #[test]
    fn an_object_is_its_members_and_nothing_is_called() {
        // pickle.dumps of an object of `os.system` with one argument and a state, by hand.
        let bytes =
            b"\x80\x05\x8c\x02os\x8c\x06system\x93)\x81}\x8c\x08__dict__}(\x8c\x01aK\x01\x8c\x01b]K\x02ausb.";
        assert_eq!(to_compact(&read(bytes).unwrap()), r#"{"a":1,"b":[2]}"#);
        // os.system("true") as a program: taken as its argument.
        assert_eq!(to_compact(&read(b"\x80\x05cos\nsystem\n\x8c\x04true\x85R.").unwrap()), r#""true""#);
    }

    #[test]
    fn what_is_no_data_ends_the_reading() {
        for bytes in
            [&b""[..], b".", b"\x80\x05", b"\x80\x05i", b"\x80\x05P0\n.", b"]]a", b"\x8c\xff", b"(h\x05."]
        {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_value_that_holds_others_twice_over_and_over_is_refused() {
        // `a = []; a = [a, a]; …`, forty times.
        let mut bytes = b"\x80\x05]\x94".to_vec();
        for memo in 0..40 {
            bytes.extend([b']', 0x94, b'(', b'h', memo, b'h', memo, b'e']);
        }
        bytes.push(b'.');
        assert_eq!(read(&bytes).unwrap_err(), "it holds too many values");
    }

    #[test]
    fn a_value_that_holds_itself_is_cut_off() {
        let text = to_compact(&read(b"\x80\x05]\x94h\x00a.").unwrap());
        assert!(text.starts_with("[[[["));
    }
}
