"""Apps of every shape that google-adk's own parts make."""

from __future__ import annotations

import asyncio
import inspect

from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent, RunConfig, SequentialAgent
from google.adk.agents.run_config import StreamingMode
from google.adk.artifacts import InMemoryArtifactService
from google.adk.memory import InMemoryMemoryService
from google.adk.models.llm_response import LlmResponse
from google.adk.planners import BuiltInPlanner, PlanReActPlanner
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.sessions import InMemorySessionService
from google.adk.tools import exit_loop, load_artifacts, load_memory, preload_memory
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.genai import types
from harness import VERSION, Script, Skipped, Stage, app, call, gemini, get_weather, needs, other, remember
from pydantic import BaseModel, Field


@app
async def single(recorder):
    """One agent with tools and an instruction from state."""
    script = Script(
        weather=[
            [call("get_weather", city="Oslo"), call("remember", key="last", value="Oslo")],
            "It is 21.5 degrees in Oslo.",
            call("remember", key="user:mood", value="fine"),
            "Kept.",
            "Bye.",
        ]
    )
    root = LlmAgent(
        name="weather",
        model=gemini(script),
        description="Knows the weather.",
        instruction="You help {user:name?} in {place}. Last city: {last?}. Facts: {facts}\n\nApp: {app:brand}",
        tools=[get_weather, FunctionTool(remember)],
        generate_content_config=types.GenerateContentConfig(temperature=0.2, top_k=5, stop_sequences=["END"]),
        output_key="answer",
    )
    stage = Stage("single_app", root, recorder)
    session = await stage.session(
        state={"place": "Norway", "facts": {"a": 1, "b": [1.0, None, "x"]}, "app:brand": "Acme", "user:name": "Ada"}
    )
    await stage.say(session, "What is the weather in Oslo?")
    await stage.say(session, "I am fine.")
    await stage.say(session, "Bye", types.Part(inline_data=types.Blob(data=b"\x89PNG\xfb\xff", mime_type="image/png")))
    await stage.close()
    return script


async def house_rules(context):
    return f"Rules of {context.state.get('house', 'nobody')}: {{not_a_placeholder}}."


def trim_history(callback_context, llm_request):
    """Keeps the last three contents."""
    if len(llm_request.contents) > 3:
        llm_request.contents = llm_request.contents[-3:]


async def look_only(callback_context, llm_request):
    callback_context.state["looked"] = len(llm_request.contents)


class Stamp(BasePlugin):
    """Adds a line to the system instruction and a label."""

    async def before_model_callback(self, *, callback_context, llm_request):
        llm_request.append_instructions(["Stamped by the plugin."])
        llm_request.config.labels = {"team": "red"}
        llm_request.config.max_output_tokens = 300


@app
async def provider(recorder):
    """An instruction provider, callbacks and a plugin that change the request."""
    script = Script(keeper=["One.", call("get_weather", city="Rome"), "Two.", "Three.", "Four."])
    root = LlmAgent(
        name="keeper",
        model=gemini(script),
        instruction=house_rules,
        tools=[get_weather],
        before_model_callback=[look_only, trim_history],
    )
    stage = Stage("provider_app", root, recorder, plugins=[Stamp(name="stamp")])
    session = await stage.session(state={"house": "Windsor"})
    for text in ("First", "Second", "Third", "Fourth"):
        await stage.say(session, text)
    await stage.close()
    return script


@app
async def plugins_of_adk(recorder):
    """google-adk's own context filter and global instruction."""
    needs(1, 20)  # They are there since 1.15, and work since.
    try:
        from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
        from google.adk.plugins.global_instruction_plugin import GlobalInstructionPlugin
    except ImportError:
        raise Skipped("this google-adk has no such plugins") from None
    script = Script(talker=["One.", call("get_weather", city="Rome"), "Two.", "Three.", "Four."])
    root = LlmAgent(name="talker", model=gemini(script), instruction="Talk of {topic}.", tools=[get_weather])
    plugins = [
        GlobalInstructionPlugin(global_instruction="We are {brand}."),
        ContextFilterPlugin(num_invocations_to_keep=2),
    ]
    stage = Stage("plugin_app", root, recorder, plugins=plugins)
    session = await stage.session(state={"topic": "ships", "brand": "Acme"})
    for text in ("First", "Second", "Third", "Fourth"):
        await stage.say(session, text)
    await stage.close()
    return script


@app
async def transfer(recorder):
    """Agents that hand over to each other, and back."""
    script = Script(
        desk=[
            call("transfer_to_agent", agent_name="flights"),
            call("transfer_to_agent", agent_name="hotels"),
            "Welcome back.",
        ],
        flights=[
            [call("get_weather", city="Paris")],
            "Flights are fine.",
            call("transfer_to_agent", agent_name="desk"),
        ],
        hotels=["No rooms.", call("transfer_to_agent", agent_name="flights")],
    )
    model = gemini(script)
    flights = LlmAgent(
        name="flights", model=model, description="Finds flights.", instruction="Flights.", tools=[get_weather]
    )
    hotels = LlmAgent(name="hotels", model=other(script), description="Finds rooms.", instruction="Rooms in {town?}.")
    root = LlmAgent(
        name="desk",
        model=model,
        global_instruction="Be kind.",
        instruction="Send people on.",
        sub_agents=[flights, hotels],
    )
    stage = Stage("transfer_app", root, recorder)
    session = await stage.session()
    for text in ("To Paris", "And back", "A room", "More"):
        await stage.say(session, text)
    await stage.close()
    return script


class Question(BaseModel):
    """What to look up."""

    topic: str = Field(description="The topic.")
    depth: int = 1


class Answer(BaseModel):
    title: str
    points: list[str] = Field(default_factory=list, description="Short ones.")


@app
async def agent_tool(recorder):
    """Agents that are called like tools."""
    script = Script(
        boss=[
            [call("reader", request="Read about ships")],
            call("finder", topic="masts", depth=2),
            "All known.",
            "Yes.",
        ],
        reader=[call("get_weather", city="Bergen"), "Ships float."],
        finder=["A mast is a pole."],
    )
    model = gemini(script)
    reader = LlmAgent(
        name="reader", model=model, description="Reads.", instruction="Read for {who?}.", tools=[get_weather]
    )
    finder = LlmAgent(name="finder", model=model, description="Finds.", instruction="Find.", input_schema=Question)
    root = LlmAgent(name="boss", model=model, instruction="Ask others.", tools=[AgentTool(reader), AgentTool(finder)])
    stage = Stage("tool_app", root, recorder)
    session = await stage.session(state={"who": "Ada"})
    await stage.say(session, "Ships?")
    await stage.say(session, "Sure?")
    await stage.close()
    return script


async def earlier_sessions(memory, name):
    sessions = InMemorySessionService()
    from google.adk.events.event import Event

    for at, (said, answered) in enumerate([("I like red boats", "Noted."), ("My dog is called Rex", "Good dog.")]):
        session = await sessions.create_session(app_name=name, user_id="ada", session_id=f"old-{at}")
        for author, text in (("user", said), ("clerk", answered)):
            role = "user" if author == "user" else "model"
            content = types.Content(role=role, parts=[types.Part(text=text)])
            event = Event(author=author, content=content, timestamp=1750000000.25 + at, invocation_id="e-old")
            await sessions.append_event(session, event)
        full = await sessions.get_session(app_name=name, user_id="ada", session_id=f"old-{at}")
        await memory.add_session_to_memory(full)


@app
async def memory(recorder):
    """Memories that are preloaded, and looked up."""
    script = Script(clerk=[call("load_memory", query="dog boats"), "Rex likes boats.", "Nothing.", "Done."])
    service = InMemoryMemoryService()
    await earlier_sessions(service, "memory_app")
    root = LlmAgent(name="clerk", model=gemini(script), instruction="Recall.", tools=[preload_memory, load_memory])
    stage = Stage("memory_app", root, recorder, memory=service)
    session = await stage.session()
    await stage.say(session, "What is my dog called, and what boats do I like?")
    await stage.say(session, "xyzzy")
    await stage.close()
    return script


async def save_report(name: str, text: str, tool_context) -> dict:
    """Saves a report."""
    version = await tool_context.save_artifact(
        name, types.Part(inline_data=types.Blob(data=text.encode(), mime_type="text/plain"))
    )
    return {"version": version}


save_report.__annotations__["tool_context"] = remember.__annotations__["tool_context"]


@app
async def artifacts(recorder):
    """Artifacts that are saved, listed, loaded, and named in an instruction."""
    script = Script(
        filer=[
            call("save_report", name="a.txt", text="alpha"),
            call("load_artifacts", artifact_names=["a.txt", "user:logo.png"]),
            "Alpha it says.",
            [call("save_report", name="a.txt", text="beta"), call("save_report", name="b.csv", text="x,y\n1,2")],
            call("load_artifacts", artifact_names=["a.txt"]),
            "Beta now.",
        ]
    )
    service = InMemoryArtifactService()
    logo = types.Part(inline_data=types.Blob(data=bytes(range(256)), mime_type="image/png"))
    owner = {"app_name": "artifact_app", "user_id": "ada", "session_id": "s-files"}
    await service.save_artifact(**owner, filename="user:logo.png", artifact=logo)
    await service.save_artifact(**owner, filename="note.txt", artifact=types.Part(text="From before."))
    root = LlmAgent(
        name="filer",
        model=gemini(script),
        instruction="Files. The note says: {artifact.note.txt}",
        tools=[save_report, load_artifacts],
    )
    stage = Stage("artifact_app", root, recorder, artifacts=service)
    session = await stage.session(id="s-files")
    await stage.say(session, "Make a report")
    await stage.say(session, "Again")
    await stage.close()
    return script


def compaction_config(**settings):
    try:
        from google.adk.apps.app import EventsCompactionConfig
    except ImportError:
        raise Skipped("this google-adk has no compaction") from None
    return EventsCompactionConfig(**settings)


@app
async def compaction(recorder):
    """A sliding window of summaries, and prompts cached explicitly."""
    needs(1, 20)
    from google.adk.agents.context_cache_config import ContextCacheConfig

    script = Script(chat=["One.", call("get_weather", city="Rome"), "Two.", "Three.", "Four.", "Five."])
    root = LlmAgent(name="chat", model=gemini(script), instruction="Chat.", tools=[get_weather])
    options = {
        "events_compaction_config": compaction_config(compaction_interval=2, overlap_size=1),
        "context_cache_config": ContextCacheConfig(cache_intervals=3, ttl_seconds=600, min_tokens=10),
    }
    stage = Stage("compaction_app", root, recorder, app_options=options)
    session = await stage.session()
    for text in ("First", "Second", "Third", "Fourth", "Fifth"):
        await stage.say(session, text)
    await stage.close()
    return script


@app
async def token_compaction(recorder):
    """Summaries by the size of the prompt, also before a call."""
    needs(2, 13)
    script = Script(chat=["One.", call("get_weather", city="Rome"), "Two.", "Three.", "Four.", "Five."])
    script.prompt_tokens = 1000
    root = LlmAgent(name="chat", model=gemini(script), instruction="Chat.", tools=[get_weather])
    options = {"events_compaction_config": compaction_config(token_threshold=900, event_retention_size=2)}
    stage = Stage("token_app", root, recorder, app_options=options)
    session = await stage.session()
    for text in ("First", "Second", "Third", "Fourth"):
        await stage.say(session, text + " " + "word " * 50)
    await stage.close()
    return script


def outline(node_input: str) -> dict:
    """Makes an outline."""
    return {"topic": node_input, "points": ["a", "b", 1.0, None]}


@app
async def workflow(recorder):
    """A graph: a function, then an agent, then another."""
    needs(2, 0)
    from google.adk.workflow import START, Workflow

    script = Script(writer=["A draft on ships."], editor=[call("get_weather", city="Oslo"), "The final text."])
    model = gemini(script)
    writer = LlmAgent(name="writer", model=model, instruction="Write it for {who}.", output_key="draft")
    editor = LlmAgent(name="editor", model=model, instruction="Edit. The draft was: {draft}", tools=[get_weather])
    root = Workflow(name="press", edges=[(START, outline, writer, editor)])
    stage = Stage("workflow_app", root, recorder)
    session = await stage.session(state={"who": "Ada"})
    await stage.say(session, "Ships")
    await stage.say(session, "Boats")
    await stage.close()
    return script


@app
async def workflow_routes(recorder):
    """A graph with routes, agents at once, a join and an agent with a schema."""
    needs(2, 0)
    from google.adk.events.event import Event
    from google.adk.workflow import START, JoinNode, Workflow

    def route(node_input: str):
        return Event(output=node_input.upper(), route="long" if len(node_input) > 10 else "short")

    def both(node_input: dict) -> str:
        return "; ".join(f"{name}={value}" for name, value in sorted(node_input.items()))

    script = Script(
        quick=["Short answer."],
        pro=["For."],
        con=["Against."],
        judge=['{"title": "Judged", "points": ["x"]}'],
        scribe=["Written down."],
    )
    model = gemini(script)
    quick = LlmAgent(name="quick", model=model, instruction="Quick.")
    pro = LlmAgent(name="pro", model=model, instruction="Argue for.")
    con = LlmAgent(name="con", model=model, instruction="Argue against.")
    judge = LlmAgent(name="judge", model=model, instruction="Judge.", output_schema=Answer)
    scribe = LlmAgent(name="scribe", model=model, instruction="Write down.", include_contents="default")
    join = JoinNode(name="gather")
    root = Workflow(
        name="court",
        edges=[
            (START, route, {"short": quick, "long": (pro, con)}),
            ((pro, con), join, both, judge, scribe),
        ],
    )
    stage = Stage("court_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "Tiny")
    await stage.say(session, "A much longer question")
    await stage.close()
    return script


@app
async def composites(recorder):
    """Agents one after the other, at once, and again and again."""
    script = Script(
        plan=["The plan."],
        left=[call("get_weather", city="Oslo"), "Left done."],
        right=["Right done."],
        critic=["Again.", [call("exit_loop")]],
        fixer=["Fixed."],
        summary=["In short."],
    )
    model = gemini(script)

    def agent(name, instruction, **more):
        return LlmAgent(name=name, model=model, instruction=instruction, **more)

    both = ParallelAgent(
        name="both",
        sub_agents=[
            agent("left", "Left with {plan_text}.", tools=[get_weather], output_key="left_text"),
            agent("right", "Right.", output_key="right_text"),
        ],
    )
    loop = LoopAgent(
        name="loop",
        max_iterations=3,
        sub_agents=[agent("critic", "Judge {right_text}.", tools=[exit_loop]), agent("fixer", "Fix {left_text}.")],
    )
    members = [agent("plan", "Plan.", output_key="plan_text"), both, loop]
    root = SequentialAgent(name="line", sub_agents=[*members, agent("summary", "Sum up.", include_contents="none")])
    stage = Stage("composite_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "Go")
    await stage.close()
    return script


@app
async def schema(recorder):
    """Answers by a schema, without tools and with them."""
    script = Script(
        plain=['{"title": "T", "points": ["p"]}', '{"title": "U", "points": []}'],
        tooled=[call("get_weather", city="Oslo"), call("set_model_response", title="W", points=["q"]), "Fine."],
    )
    plain = LlmAgent(
        name="plain",
        model=gemini(script),
        instruction="Answer by the schema.",
        output_schema=Answer,
        output_key="result",
        disallow_transfer_to_parent=True,
        disallow_transfer_to_peers=True,
    )
    stage = Stage("schema_app", plain, recorder)
    session = await stage.session()
    await stage.say(session, "One")
    await stage.say(session, "Two")
    await stage.close()
    if VERSION >= (1, 20):
        tooled = LlmAgent(
            name="tooled", model=gemini(script), instruction="Use tools.", output_schema=Answer, tools=[get_weather]
        )
        stage = Stage("schema_tools_app", tooled, recorder)
        session = await stage.session()
        await stage.say(session, "One")
        await stage.say(session, "And?")
        await stage.close()
    return script


def break_down() -> str:
    """Always fails."""
    raise RuntimeError("the tool broke")


def refuse(callback_context, llm_request):
    if callback_context.state.get("refuse"):
        raise ValueError("the callback refuses")


@app
async def failing(recorder):
    """Models, tools and callbacks that raise."""
    script = Script(
        fragile=[
            "Fine.",
            ConnectionError("no route with key AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q"),
            "Fine again.",
            call("break_down"),
            "After it.",
        ],
        first=[ConnectionError("lost")],
    )
    root = LlmAgent(
        name="fragile", model=gemini(script), instruction="Try.", tools=[break_down], before_model_callback=refuse
    )
    stage = Stage("failing_app", root, recorder)
    session = await stage.session()
    for text, state in (("One", None), ("Two", None), ("Three", None), ("Four", {"refuse": True}), ("Five", None)):
        if state:
            from google.adk.events.event import Event
            from google.adk.events.event_actions import EventActions

            current = await stage.sessions.get_session(app_name="failing_app", user_id="ada", session_id=session.id)
            event = Event(author="user", invocation_id="p-1", actions=EventActions(state_delta=state))
            await stage.sessions.append_event(current, event)
        try:
            await stage.say(session, text)
        except Exception:
            pass
    await stage.close()
    line = SequentialAgent(name="line", sub_agents=[LlmAgent(name="first", model=gemini(script), instruction="Go.")])
    stage = Stage("failing_line_app", line, recorder)
    session = await stage.session()
    try:
        await stage.say(session, "Go")
    except ConnectionError:
        pass
    await stage.close()
    return script


@app
async def concurrent(recorder):
    """Two runs at once, of two users and one app."""
    script = Script(
        clerk=[lambda request: [call("get_weather", city="Oslo")] if len(request.contents) == 1 else "It is fine."]
    )
    root = LlmAgent(name="clerk", model=gemini(script), instruction="Serve {name}.", tools=[get_weather])
    stage = Stage("concurrent_app", root, recorder)
    sessions = [await stage.session(user=name, state={"name": name}) for name in ("ada", "bob", "cleo", "dan")]
    await asyncio.gather(*(stage.say(session, f"Hello from {session.user_id}") for session in sessions))
    await asyncio.gather(*(stage.say(session, "And again") for session in sessions))
    await stage.close()
    return script


@app
async def streaming(recorder):
    """Answers that come in pieces."""
    script = Script(talker=["A long answer in pieces.", call("get_weather", city="Oslo"), "And another one of them."])
    root = LlmAgent(name="talker", model=gemini(script), instruction="Talk.", tools=[get_weather])
    stage = Stage("streaming_app", root, recorder)
    session = await stage.session()
    config = RunConfig(streaming_mode=StreamingMode.SSE)
    await stage.say(session, "Hello", run_config=config)
    await stage.say(session, "More", run_config=config)
    await stage.close()
    return script


@app
async def static_and_plans(recorder):
    """A static instruction beside a changing one, planners and examples."""
    from google.adk.examples.example import Example
    from google.adk.tools.example_tool import ExampleTool

    script = Script(fixed=["One.", "Two."], planner=["/*FINAL_ANSWER*/ Three."], thinker=["Four."])
    options = {}
    if VERSION >= (1, 20):
        options["static_instruction"] = "Never changes {not_filled}."
    example = Example(
        input=types.Content(role="user", parts=[types.Part(text="2+2")]),
        output=[types.Content(role="model", parts=[types.Part(text="4")])],
    )
    fixed = LlmAgent(
        name="fixed",
        model=gemini(script),
        instruction="Now: {now}.",
        tools=[ExampleTool([example]), get_weather],
        **options,
    )
    stage = Stage("static_app", fixed, recorder)
    session = await stage.session(state={"now": "noon"})
    await stage.say(session, "A")
    await stage.say(session, "B")
    await stage.close()
    for name, planner in (
        ("planner", PlanReActPlanner()),
        ("thinker", BuiltInPlanner(thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=100))),
    ):
        agent = LlmAgent(name=name, model=gemini(script), instruction="Plan.", planner=planner)
        stage = Stage(f"{name}_app", agent, recorder)
        session = await stage.session()
        await stage.say(session, "A")
        await stage.say(session, "B")
        await stage.close()
    return script


@app
async def delegates(recorder):
    """Sub-agents that do a task, or answer once."""
    needs(2, 0)
    script = Script(
        lead=[
            call("helper", "c-1", request="Help with ships"),
            call("tasker", "c-2", request="Count"),
            "All done.",
            "Yes.",
        ],
        helper=["Helped."],
        tasker=["Counting.", call("finish_task", "c-3", result="42")],
    )
    model = gemini(script)
    helper = LlmAgent(name="helper", model=model, description="Helps once.", instruction="Help.", mode="single_turn")
    tasker = LlmAgent(name="tasker", model=model, description="Does tasks.", instruction="Do it.", mode="task")
    lead = LlmAgent(name="lead", model=model, instruction="Delegate.", sub_agents=[helper, tasker])
    stage = Stage("delegate_app", lead, recorder)
    session = await stage.session()
    await stage.say(session, "Go")
    await stage.say(session, "Go on")
    await stage.say(session, "Sure?")
    await stage.close()
    return script


class Drawer(BaseToolset):
    """Tools that are known when they are asked for."""

    async def get_tools(self, readonly_context=None):
        return [FunctionTool(get_weather), FunctionTool(break_down)]

    async def close(self):
        pass


class Preamble(FunctionTool):
    """A tool of the app's own that adds to the system instruction."""

    async def process_llm_request(self, *, tool_context, llm_request):
        await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)
        llm_request.append_instructions(["Use the weather wisely."])


@app
async def toolsets(recorder):
    """Tools that google-adk does not know."""
    script = Script(maker=["One.", "Two."])
    options = (
        {"tool_name_prefix": "drawer"}
        if "tool_name_prefix" in inspect.signature(BaseToolset.__init__).parameters
        else {}
    )
    tools = [exit_loop, Drawer(**options), Preamble(get_weather)]
    root = LlmAgent(name="maker", model=gemini(script), instruction="Make.", tools=tools)
    stage = Stage("toolset_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "A")
    await stage.say(session, "B")
    await stage.close()
    return script


def answer_myself(callback_context, llm_request):
    last = llm_request.contents[-1].parts[0].text
    if last == "secret":
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="No.")]))


@app
async def answered_by_callback(recorder):
    """A callback that answers in the model's place."""
    script = Script(gate=["One.", "Two."])
    root = LlmAgent(name="gate", model=gemini(script), instruction="Gate.", before_model_callback=answer_myself)
    stage = Stage("gate_app", root, recorder)
    session = await stage.session()
    for text in ("hello", "secret", "again"):
        await stage.say(session, text)
    await stage.close()
    return script


@app
async def secrets(recorder):
    """Keys in every place they can be in."""
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2"
    script = Script(vault=[call("get_weather", city=f"Bearer {key}"), f"The key is\n{key}"])
    headers = {"Authorization": "Bearer " + "t0k3n" * 6, "X-Team": "hush-hush-1", "User-Agent": "me"}
    root = LlmAgent(
        name="vault",
        model=gemini(script),
        instruction="Use api_key {api_key}.\n\nThe database is postgres://admin:hunter22@db/x",
        tools=[get_weather],
        generate_content_config=types.GenerateContentConfig(http_options=types.HttpOptions(headers=headers)),
    )
    stage = Stage("vault_app", root, recorder)
    session = await stage.session(
        state={"api_key": key, "db_password": "correct-h0rse", "settings": {"client_secret": "x"}}
    )
    await stage.say(session, f"My key is\n{key} and password=tr0ub4dor3")
    await stage.close()
    return script


@app
async def speaks_of_keys(recorder):
    """Names of keys and first lines of keys, and not a single key."""
    script = Script(api_key_helper=["Yes.", call("get_weather", city="api_key"), "Sunny.", "So it is."])
    root = LlmAgent(
        name="api_key_helper",
        model=gemini(script),
        instruction="Help to rotate keys. Never repeat a text that begins with -----BEGIN PRIVATE KEY-----. Say so.",
        tools=[get_weather],
    )
    stage = Stage("keys_app", root, recorder)
    session = await stage.session()
    for text in ("Is -----BEGIN RSA PRIVATE KEY----- the right first line of a key file?", "More", "And more"):
        await stage.say(session, text)
    await stage.close()
    return script


@app
async def rewound(recorder):
    """A turn that is taken back."""
    needs(2, 0)
    script = Script(back=["One.", "Two.", "Three."])
    root = LlmAgent(name="back", model=gemini(script), instruction="Back.")
    stage = Stage("rewind_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "A")
    events = await stage.say(session, "B")
    await stage.runner.rewind_async(
        user_id="ada", session_id=session.id, rewind_before_invocation_id=events[0].invocation_id
    )
    await stage.say(session, "C")
    await stage.close()
    return script


@app
async def many_turns(recorder):
    """A long session, whose recording must not grow with the square of its length."""
    script = Script(long=[lambda request: f"Answer {len(request.contents)} " + "word " * 100])
    root = LlmAgent(name="long", model=gemini(script), instruction="Long. " * 200, tools=[get_weather])
    stage = Stage("long_app", root, recorder)
    session = await stage.session()
    for turn in range(60):
        await stage.say(session, f"Question {turn} " + "what " * 100)
    await stage.close()
    return script
