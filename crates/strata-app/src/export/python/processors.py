# section: DeclaredTool; imports: from google.adk.tools.base_tool import BaseTool | from google.genai import types
class DeclaredTool(BaseTool):
    """A function as the model sees it. Put your own function in its place."""

    def __init__(self, declaration, is_long_running=False, is_declared=True):
        name, description = declaration["name"], declaration.get("description", "")
        super().__init__(name=name, description=description, is_long_running=is_long_running)
        self.declaration = declaration if is_declared else None

    def _get_declaration(self):
        return types.FunctionDeclaration.model_validate(self.declaration) if self.declaration else None

    async def run_async(self, *, args, tool_context):
        raise NotImplementedError(f"{self.name} was recorded without its code")

# section: DeclaredLongRunning; imports: from google.adk.tools.long_running_tool import LongRunningFunctionTool | from google.genai import types
class DeclaredLongRunning(LongRunningFunctionTool):
    """A long-running function as the model sees it. Put your own function in its place."""

    def __init__(self, declaration):
        super().__init__(lambda: None)
        self.declaration = declaration
        self.name, self.description = declaration["name"], declaration.get("description", "")

    def _get_declaration(self):
        return types.FunctionDeclaration.model_validate(self.declaration)

# section: DeclaredToolset; imports: from google.adk.tools.base_toolset import BaseToolset
class DeclaredToolset(BaseToolset):
    def __init__(self, tools, prefix):
        super().__init__(tool_name_prefix=prefix)
        self.tools = tools

    async def get_tools(self, readonly_context=None):
        return self.tools

    async def close(self):
        pass

# section: TunedAgent; imports: from google.adk.agents import LlmAgent
class TunedAgent(LlmAgent):
    """An agent whose request processors run in this order, and no others."""

    processors: list[str]

    @property
    def _llm_flow(self):
        flow = super()._llm_flow
        run_all = flow._iter_request_processors
        flow._iter_request_processors = lambda: self._in_order(run_all())
        return flow

    def _in_order(self, all_processors):
        by_name = {processor.name: processor for processor in all_processors}
        return [by_name[name] for name in self.processors if name in by_name]

# section: EditedEvents; imports: import json | import math | from google.adk.apps.compaction import _get_compaction_ranges | from google.adk.plugins.base_plugin import BasePlugin | from google.genai import types
class EditedEvents(BasePlugin):
    """Shows agents the recorded session with some events dropped, edited or pinned.

    Events are known by their number, counted from 1, and their id; other sessions are left alone. What changes is the
    copy of the session that a run works on: the stored one stays as it was.
    """

    def __init__(self, session_id, edits):
        super().__init__(name="edited_events")
        self.session_id, self.edits = session_id, edits

    async def before_run_callback(self, *, invocation_context):
        session = invocation_context.session
        if self.session_id and session.id != self.session_id:
            return None
        events = list(session.events)
        pinned = []
        for number, edit in self.edits.items():
            event = events[number - 1] if number <= len(events) else None
            if event is None or (edit["id"] and event.id != edit["id"]):
                continue
            if "content" in edit:
                # By way of JSON, in which bytes are base64.
                content = types.Content.model_validate_json(json.dumps(edit["content"]))
                event = event.model_copy(update={"content": content})
                is_said = event.author == "user" and not event.get_function_responses()
                if is_said and event.invocation_id == invocation_context.invocation_id:
                    invocation_context.user_content = content
            if edit.get("is_dropped"):
                event = self.silent(event)
            elif edit.get("is_pinned"):
                pinned.append(number - 1)
            events[number - 1] = event
        self.keep(events, pinned)
        session.events = events
        return None

    def silent(self, event):
        """The event without what a model could read; what it did to state stays."""
        actions = event.actions.model_copy(update={"compaction": None, "rewind_before_invocation_id": None})
        nothing = {"content": None, "input_transcription": None, "output_transcription": None}
        return event.model_copy(update={**nothing, "actions": actions})

    def keep(self, events, pinned):
        """A summary replaces what lies in its time: what it covers is moved to the end of that, and pinned events stay."""
        windows = {at: (start, end) for at, start, end in _get_compaction_ranges(events)}
        ends = {end for _, end in windows.values()}
        if not any(start <= events[at].timestamp <= end for at in pinned for start, end in windows.values()):
            return
        for at, event in enumerate(events):
            if event.actions.compaction and at in windows:
                window = event.actions.compaction.model_copy(update={"start_timestamp": windows[at][1]})
                actions = event.actions.model_copy(update={"compaction": window})
                events[at] = event.model_copy(update={"actions": actions})
            elif event.actions.compaction:
                events[at] = self.silent(event)
            elif at in pinned and event.timestamp in ends:
                events[at] = event.model_copy(update={"timestamp": math.nextafter(event.timestamp, -math.inf)})
            elif at not in pinned:
                over = [end for start, end in windows.values() if start <= event.timestamp <= end]
                events[at] = event.model_copy(update={"timestamp": min(over)}) if over else event

# section: compact_state; imports: from google.adk.agents.readonly_context import ReadonlyContext | from google.adk.utils import instructions_utils
def compact_state(template, maps):
    """Fills a template from state of which some values are shown with some of their fields only."""

    def entry(value, fields):
        if not isinstance(value, dict):
            return value
        return {field: value[field] for field in fields if field in value}

    def short(value, fields):
        if isinstance(value, list):
            return [entry(item, fields) for item in value]
        if isinstance(value, dict) and value and all(isinstance(item, dict) for item in value.values()):
            return {key: entry(item, fields) for key, item in value.items()}
        return entry(value, fields)

    async def provide(context):
        invocation = context._invocation_context
        state = dict(invocation.session.state)
        for known in maps:
            if known["key"] in state:
                state[known.get("dest") or known["key"]] = short(state[known["key"]], known.get("fields", []))
        session = invocation.session.model_copy(update={"state": state})
        shown = ReadonlyContext(invocation.model_copy(update={"session": session}))
        return await instructions_utils.inject_session_state(template, shown)

    return provide

# section: recorded_callback; imports: from google.adk.models.llm_response import LlmResponse | from google.genai import types
def recorded_callback(spec):
    """A callback of the recorded app, by what it does."""

    def run(callback_context, llm_request):
        kind = spec["type"]
        if kind == "append_instruction":
            llm_request.append_instructions([spec["text"]])
        elif kind == "short_circuit":
            return LlmResponse(content=types.ModelContent(spec["text"]))
        elif kind == "set_state":
            for key, value in spec["values"].items():
                callback_context.state[key] = value
        elif kind == "keep_last_contents":
            count = spec["count"]
            llm_request.contents = llm_request.contents[-count:] if count > 0 else []
        elif kind == "compact_state":
            callback_context.state[spec["dest"]] = compact_queries(callback_context.state.get(spec["source"]) or {})
        return None

    return run


def compact_queries(queries):
    result = {}
    for key, query in queries.items():
        status = query.get("status")
        short = {"id": key, "title": query.get("query_title"), "status": status}
        if status == "success":
            short["row_count"] = query.get("row_count")
        elif status == "error":
            short |= {"error_message": query.get("error_message"), "query": query.get("query")}
        else:
            short["depends_on"] = query.get("depends_on")
        result[key] = short
    return result

# section: contents; imports: import json
def compact_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_said(content):
    """Whether the user speaks, rather than a tool or another agent in the user's role."""
    parts = content.parts or []
    first = parts[0].text if parts else None
    is_told = first is not None and (first == "For context:" or first.startswith("For context: below"))
    return content.role == "user" and not any(part.function_response for part in parts) and not is_told


def turn_starts(contents):
    return [at for at, content in enumerate(contents) if is_said(content) and (at == 0 or not is_said(contents[at - 1]))]


def before_turns(contents, count):
    """How many contents stand before the last turns of the user."""
    if count == 0:
        return len(contents)
    starts = turn_starts(contents)
    return starts[-count] if len(starts) >= count else 0


def change_parts(llm_request, keep_turns, change):
    """Puts `change(part, content)` in place of every part that it is not None for; False takes the part out."""
    reach = before_turns(llm_request.contents, keep_turns)
    changed = []
    for at, content in enumerate(llm_request.contents):
        if at >= reach:
            changed.append(content)
            continue
        parts, is_changed = [], False
        for part in content.parts or []:
            other = change(part, content)
            is_changed = is_changed or other is not None
            if other is not False:
                parts.append(part if other is None else other)
        if not is_changed:
            changed.append(content)
        elif parts:
            changed.append(content.model_copy(update={"parts": parts}))
    llm_request.contents = changed


def result_of(part, tools):
    response = part.function_response
    if response is None or response.response is None or (tools and response.name not in tools):
        return None
    return response.response


def with_result(part, result):
    response = part.function_response.model_copy(update={"response": result})
    return part.model_copy(update={"function_response": response})

# section: tables
TOTALS = ("total", "total_rows", "totalRows", "total_count", "row_count", "count")
LIMITS = "_row_limits"


def as_count(value):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number and value == int(value) else None


def tables(result):
    """All lists of rows: `(path, holder, key, rows, rows there are in truth)`."""
    found = []

    def collect(holder, prefix, depth):
        for key, value in holder.items():
            path = f"{prefix}.{key}" if prefix else key
            if isinstance(value, list) and value and (all(isinstance(row, dict) for row in value) or all(isinstance(row, list) for row in value)):
                capped = as_count((((result.get(LIMITS) or {}).get(path)) or {}).get("total"))
                said = next((as_count(holder[name]) for name in TOTALS if as_count(holder.get(name)) is not None), 0)
                found.append((path, value, max(capped if capped is not None else said, len(value))))
            elif isinstance(value, dict) and depth < 4 and key != LIMITS:
                collect(value, path, depth + 1)

    collect(result, "", 0)
    return found


def with_tables(result, changed):
    """The result with other values at some paths."""

    def put(holder, prefix):
        out = {}
        for key, value in holder.items():
            path = f"{prefix}.{key}" if prefix else key
            if path in changed:
                out[key] = changed[path]
            else:
                out[key] = put(value, path) if isinstance(value, dict) else value
        return out

    return put(result, "")

# section: cap_rows; needs: contents, tables
def cap_rows(max_rows=20, tools=(), keep_turns=0):
    """Keeps the first rows of long lists in tool results, and says how many there are."""

    def change(part, content):
        result = result_of(part, tools)
        if result is None:
            return None
        limits, changed = dict(result.get(LIMITS) or {}), {}
        for path, rows, total in tables(result):
            if len(rows) > max_rows:
                limits[path] = {"shown": max_rows, "total": total}
                changed[path] = rows[:max_rows]
        if not changed:
            return None
        return with_result(part, with_tables(result, changed) | {LIMITS: limits})

    return lambda callback_context, llm_request: change_parts(llm_request, keep_turns, change)

# section: summarize_results; needs: contents, tables
def summarize_results(min_rows=20, top_rows=5, order_by=None, tools=(), keep_turns=0):
    """Puts totals, counts and the top rows in place of long lists of rows."""

    def is_number(value):
        return isinstance(value, (int, float)) and not isinstance(value, bool)

    def column(values):
        values = [value for value in values if value is not None]
        if not values:
            return None
        if all(is_number(value) for value in values):
            total = sum(values) if all(isinstance(value, int) for value in values) else 0.0
            if isinstance(total, float):
                for value in values:
                    total += value
            return {"sum": total, "min": min(values), "max": max(values)}
        if not all(isinstance(value, str) for value in values):
            return None
        counts = {}
        for value in values:
            counts[value] = counts.get(value, 0) + 1
        out = {"distinct": len(counts)}
        repeated = [(text, count) for text, count in counts.items() if count > 1 and len(text) <= 80]
        repeated.sort(key=lambda pair: (-pair[1], pair[0]))
        if repeated:
            out["most_common"] = dict(repeated[:3])
        return out

    def summary(rows, total):
        names = []
        for row in rows:
            if isinstance(row, dict):
                names += [name for name in row if name not in names]
        columns = {}
        for name in names[:24]:
            found = column([row[name] for row in rows if isinstance(row, dict) and name in row])
            if found is not None:
                columns[name] = found
        top = rows
        if order_by:
            value = lambda row: row.get(order_by) if isinstance(row, dict) and is_number(row.get(order_by)) else float("-inf")
            top = sorted(rows, key=value, reverse=True)
        return {"total_rows": total, "columns": columns, "top_rows": top[:top_rows]}

    def change(part, content):
        result = result_of(part, tools)
        if result is None:
            return None
        changed = {path: summary(rows, total) for path, rows, total in tables(result) if len(rows) >= min_rows}
        return with_result(part, with_tables(result, changed)) if changed else None

    return lambda callback_context, llm_request: change_parts(llm_request, keep_turns, change)

# section: truncate_middle; needs: contents
def truncate_middle(max_chars=4000, start_percent=60, what="results", tools=(), keep_turns=0):
    """Keeps the beginning and the end of long texts."""

    def cut(text):
        if len(text) <= max_chars:
            return None
        start = max_chars * start_percent // 100
        end = len(text) - (max_chars - start)
        return f"{text[:start]}\n[{len(text) - max_chars} characters left out]\n{text[end:]}"

    def in_value(value):
        if isinstance(value, str):
            return cut(value) or value
        if isinstance(value, dict):
            return {key: in_value(item) for key, item in value.items()}
        return [in_value(item) for item in value] if isinstance(value, list) else value

    def change(part, content):
        result = result_of(part, tools) if what != "messages" else None
        if result is not None:
            short = in_value(result)
            return with_result(part, short) if short != result else None
        short = cut(part.text) if part.text and what != "results" else None
        return part.model_copy(update={"text": short}) if short is not None else None

    return lambda callback_context, llm_request: change_parts(llm_request, keep_turns, change)

# section: strip_agent_traffic; needs: contents; imports: import re
RELAYED = re.compile(r"\[([\w]+)\] (?:called tool `[\w]+` with parameters:|`[\w]+` tool returned result:)")


def strip_agent_traffic(form="both", agents=()):
    """Takes out what other agents called and got. What they said stays."""
    preambles = [PREAMBLES[form]] if form in PREAMBLES else list(PREAMBLES.values())

    def goes(part):
        found = RELAYED.match(part.text) if part.text else None
        return found and (not agents or found[1] in agents)

    def run(callback_context, llm_request):
        kept = []
        for content in llm_request.contents:
            parts = content.parts or []
            is_relay = content.role == "user" and len(parts) > 1 and parts[0].text in preambles
            left = [part for part in parts if not (is_relay and goes(part))]
            if len(left) == len(parts):
                kept.append(content)
            elif len(left) > 1:
                kept.append(content.model_copy(update={"parts": left}))
        llm_request.contents = kept

    return run

# section: drop_thoughts; needs: contents
def drop_thoughts(keep_turns=1):
    """Takes out thoughts of models, those of the last turns excepted."""

    def change(part, content):
        return False if part.thought and not part.function_call and not part.function_response else None

    def run(callback_context, llm_request):
        # A call that is being answered is refused without its thought.
        last = (llm_request.contents or [None])[-1]
        is_answering = last is not None and any(part.function_response for part in last.parts or ())
        return change_parts(llm_request, max(keep_turns, int(is_answering)), change)

    return run

# section: deduplicate; needs: contents
def deduplicate(min_chars=400):
    """Puts references in place of messages and results that stand further up already."""

    def run(callback_context, llm_request):
        first = {}

        def change(part, content):
            response = part.function_response
            if part.text is not None:
                key = ("text", part.text)
            elif response is not None and response.response is not None:
                key = ("result", compact_json(response.response))
            else:
                return None
            if len(key[1]) < min_chars:
                return None
            if key not in first:
                first[key] = part
                return None
            if part.text is not None:
                note = f"[same as the earlier message that begins: {part.text[:60]}]"
                return part.model_copy(update={"text": note})
            earlier = first[key].function_response
            same = {"same_as_result_of": earlier.name, "call_id": earlier.id}
            return with_result(part, {name: value for name, value in same.items() if value is not None})

        change_parts(llm_request, 0, change)

    return run

# section: offload_results; needs: contents; imports: import hashlib | from google.genai import types
def offload_results(min_chars=4000, preview_chars=200, tools=(), keep_turns=0):
    """Stores large results as artifacts and sends handles. `load_artifacts` has to be among the agent's tools."""

    async def run(callback_context, llm_request):
        parts = [part for content in llm_request.contents for part in content.parts or []]
        calls = [part.function_call for part in parts if part.function_call]
        loaded = {
            name
            for call in calls
            if call.name == "load_artifacts"
            for name in (call.args or {}).get("artifact_names") or []
            if isinstance(name, str)
        }
        saved = {}

        def change(part, content):
            result = result_of(part, tools)
            if result is None or "artifact" in result:
                return None
            text = compact_json(result)
            if len(text) < min_chars:
                return None
            digest = hashlib.sha256(text.encode()).hexdigest()[:8]
            name = f"{part.function_response.name or 'result'}-{digest}.json"
            if name in loaded:
                return None
            saved[name] = text
            handle = {"artifact": name, "characters": len(text)}
            if preview_chars > 0:
                handle["begins"] = text[:preview_chars]
            handle["note"] = "Stored as an artifact. Call load_artifacts with its name to read it."
            return with_result(part, handle)

        change_parts(llm_request, keep_turns, change)
        known = set(await callback_context.list_artifacts()) if saved else set()
        for name, text in saved.items():
            if name not in known:
                await callback_context.save_artifact(name, types.Part(text=text))

    return run

# section: compact_output; needs: contents
def compact_output(fields=(), tools=(), keep_turns=0):
    """Keeps the named fields of answers that are JSON, and writes them without white space."""
    begin, end = "<<<BEGIN", "<<<END"

    def kept(value, depth):
        if isinstance(value, dict) and fields and depth < 2:
            return {key: kept_list(item) for key, item in value.items() if key in fields}
        if isinstance(value, list) and depth == 0:
            return [kept(item, 1) for item in value]
        return value

    def kept_list(value):
        if not isinstance(value, list):
            return value
        return [item if kept(item, 1) == {} else kept(item, 1) for item in value]

    def short(text):
        if not text.lstrip().startswith(("{", "[")):
            return None
        try:
            made = compact_json(kept(json.loads(text), 0))
        except ValueError:
            return None
        return made if len(made.encode()) < len(text.encode()) else None

    def change(part, content):
        result = result_of(part, tools)
        if result is not None:
            made = short(result["result"]) if isinstance(result.get("result"), str) else None
            return with_result(part, result | {"result": made}) if made is not None else None
        if not part.text or part.thought:
            return None
        if content.role != "user":
            made = short(part.text)
            return part.model_copy(update={"text": made}) if made is not None else None
        lines = part.text.split("\n")
        if len(lines) > 3 and lines[0].startswith("[") and lines[0].endswith("] said:"):
            made = short("\n".join(lines[2:-1]))
            if made is not None:
                return part.model_copy(update={"text": "\n".join([lines[0], lines[1], made, lines[-1]])})
        return None

    return lambda callback_context, llm_request: change_parts(llm_request, keep_turns, change)

# section: retention; needs: contents
def retention(max_turns=None, max_minutes=None, max_chars=None, step=1):
    """Cuts the history before the newest turns. The last turn always stays."""

    def size(content):
        texts = [part.text if part.text is not None else compact_json(part.model_dump(mode="json", by_alias=True, exclude_none=True)) for part in content.parts or []]
        return sum(len(text) for text in texts)

    def began(session, content):
        said = [event for event in session.events if event.content and event.content.parts == content.parts]
        return said[0].timestamp if said else None

    def without_orphans(contents, start):
        needed = set()
        for at in range(len(contents) - 1, -1, -1):
            for part in reversed(contents[at].parts or []):
                if part.function_response and part.function_response.id:
                    needed.add(part.function_response.id)
                if part.function_call and part.function_call.id:
                    needed.discard(part.function_call.id)
            if at <= start and not needed:
                return at
        return 0

    def run(callback_context, llm_request):
        contents = llm_request.contents
        starts = turn_starts(contents)
        if len(starts) < 2:
            return
        cut = max(0, len(starts) - max_turns) if max_turns else 0
        if max_chars:
            total, end = 0, len(contents)
            for number in range(len(starts) - 1, -1, -1):
                total += sum(size(content) for content in contents[starts[number] : end])
                if total > max_chars:
                    cut = max(cut, number + 1)
                    break
                end = starts[number]
        if max_minutes:
            session = callback_context._invocation_context.session
            oldest = session.events[-1].timestamp - max_minutes * 60
            old = 0
            for start in starts:
                time = began(session, contents[start])
                if time is None or time >= oldest:
                    break
                old += 1
            cut = max(cut, old)
        cut = min(-(-cut // step) * step, len(starts) - 1)
        if cut:
            llm_request.contents = contents[without_orphans(contents, starts[cut]) :]

    return run

# section: context_filter; imports: from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
def context_filter(num_invocations_to_keep=5, remove_amount=1):
    """ADK's context filter, for one agent."""
    plugin = ContextFilterPlugin(num_invocations_to_keep=num_invocations_to_keep, remove_amount=remove_amount)

    async def run(callback_context, llm_request):
        await plugin.before_model_callback(callback_context=callback_context, llm_request=llm_request)

    return run

# section: drop_tools
def drop_tools(tools=()):
    """Takes the declarations of tools out of requests."""

    def run(callback_context, llm_request):
        kept = []
        for tool in llm_request.config.tools or []:
            declarations = getattr(tool, "function_declarations", None)
            if declarations:
                left = [declaration for declaration in declarations if declaration.name not in tools]
                if left:
                    kept.append(tool.model_copy(update={"function_declarations": left}))
            else:
                kept.append(tool)
        llm_request.config.tools = kept or None
        for name in tools:
            llm_request.tools_dict.pop(name, None)

    return run

# section: move_volatile; imports: import re | from google.genai import types
def move_volatile(keys=()):
    """Sends the lines of the agent's instruction that show values of state as the last message."""

    def patterns(template):
        for line in template.split("\n"):
            found = re.findall(r"\{([\w:]+)\??\}", line)
            if found and (not keys or any(name in keys for name in found)):
                pieces = re.split(r"\{[\w:]+\??\}", line)
                yield re.compile(r"[\s\S]*?".join(re.escape(piece) for piece in pieces) + r"(?:\n|\Z)")

    def run(callback_context, llm_request):
        agent = callback_context._invocation_context.agent
        system = llm_request.config.system_instruction
        if not isinstance(agent.instruction, str) or not isinstance(system, str):
            return
        moved = ""
        for pattern in patterns(agent.instruction):
            found = pattern.search(system)
            if found:
                moved += found[0]
                system = system[: found.start()] + system[found.end() :]
        if moved:
            llm_request.config.system_instruction = system
            llm_request.contents = [*llm_request.contents, types.UserContent(moved)]

    return run

# section: set_fields
def set_fields(**fields):
    """Puts values into fields."""

    def change(target):
        for name, value in fields.items():
            setattr(target, name, value)

    return change

# section: set_compaction; imports: from google.adk.apps.app import EventsCompactionConfig
def set_compaction(config):
    """Summarises by another configuration, with the summarizer that the app has."""

    def change(app):
        known = app.events_compaction_config
        made = None if config is None else EventsCompactionConfig.model_validate(config)
        if made is not None and known is not None:
            made.summarizer = known.summarizer
        app.events_compaction_config = made

    return change

# section: declare_otherwise; imports: from google.genai import types
def declare_otherwise(declarations):
    """Declares functions otherwise, by their names. The functions stay as they are."""

    def run(callback_context, llm_request):
        tools = []
        for tool in llm_request.config.tools or []:
            known = getattr(tool, "function_declarations", None)
            if known:
                other = [types.FunctionDeclaration.model_validate(declarations.get(one.name, one)) for one in known]
                tool = tool.model_copy(update={"function_declarations": other})
            tools.append(tool)
        llm_request.config.tools = tools or None

    return run

# section: add_callbacks
def add_callbacks(*callbacks):
    """Puts callbacks behind those that an agent has, in place of earlier ones of this patch."""

    def of_patch(callback):
        def run(callback_context, llm_request):
            return callback(callback_context, llm_request)

        run.patch = PATCH
        return run

    added = [of_patch(callback) for callback in callbacks]

    def change(agent):
        known = agent.before_model_callback or []
        known = known if isinstance(known, list) else [known]
        agent.before_model_callback = [one for one in known if getattr(one, "patch", None) != PATCH] + added

    return change

# section: show_state; needs: compact_state
def show_state(maps):
    """Fills an agent's instructions with some fields of state values only."""
    fields = ("instruction", "global_instruction")

    def is_open(agent, field):
        return not getattr(agent, field) or isinstance(getattr(agent, field), str)

    def check(agent):
        for field in fields:
            if not is_open(agent, field) and getattr(getattr(agent, field), "patch", None) != PATCH:
                raise TypeError(f"The {field} of {agent.name} is a function: show less of the state there. Nothing was changed.")

    def change(agent):
        for field in fields:
            if getattr(agent, field) and is_open(agent, field):
                provider = compact_state(getattr(agent, field), maps)
                provider.patch = PATCH
                setattr(agent, field, provider)

    change.check = check
    return change

# section: order_processors; imports: from typing import ClassVar
def order_processors(processors):
    """Lets the request processors of an agent run in this order, and no others."""

    def change(agent):
        known = type(agent)
        known = known.__mro__[1] if "is_patched" in vars(known) else known

        class Patched(known):
            is_patched: ClassVar[bool] = True

            @property
            def _llm_flow(self):
                flow = super()._llm_flow
                run_all = flow._iter_request_processors
                flow._iter_request_processors = lambda: in_order(run_all())
                return flow

        Patched.__name__ = Patched.__qualname__ = known.__name__
        object.__setattr__(agent, "__class__", Patched)

    def in_order(all_processors):
        by_name = {processor.name: processor for processor in all_processors}
        return [by_name[name] for name in processors if name in by_name]

    return change

# section: apply; imports: from google.adk.apps.app import App
def apply(target):
    """Changes an App, or a root agent, in place. A second time changes nothing more.

    Where an agent is not there, nothing is changed at all, and a LookupError says which.
    """
    app, root = (target, target.root_agent) if isinstance(target, App) else (None, target)
    if APP and app is None:
        raise TypeError("This patch changes the App itself: hand over the App instead of its root agent. Nothing was changed.")
    found = {}
    for agent in agents_below(root):
        found.setdefault(agent.name, []).append(agent)
    missing = [name for name in AGENTS if name not in found]
    if missing:
        raise LookupError(f"This patch is for the agents {', '.join(AGENTS)}, and the app has no {', '.join(missing)}: its agents are {', '.join(found)}. Nothing was changed.")
    changes = [(change, agent) for name, of_agent in AGENTS.items() for change in of_agent for agent in found[name]]
    for change, agent in changes:
        getattr(change, "check", bool)(agent)
    for change, agent in changes:
        change(agent)
    for change in APP:
        change(app)
    return target


def agents_below(agent):
    """An agent with all that it runs, those inside of agent tools included."""
    yield agent
    inside = [tool.agent for tool in getattr(agent, "tools", None) or [] if hasattr(tool, "agent")]
    for below in [*(getattr(agent, "sub_agents", None) or []), *inside]:
        yield from agents_below(below)
