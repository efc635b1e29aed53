"""Apps with code of their own in the way of google-adk's, and runs that do not go straight."""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent, ParallelAgent, RunConfig, SequentialAgent
from google.adk.agents.base_agent import BaseAgent
from google.adk.code_executors.built_in_code_executor import BuiltInCodeExecutor
from google.adk.memory import InMemoryMemoryService
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools import preload_memory
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.genai import types
from harness import (
    VERSION,
    Script,
    ScriptedGemini,
    Skipped,
    Stage,
    app,
    call,
    gemini,
    get_weather,
    needs,
    other,
    play,
    remember,
)
from pydantic import BaseModel


@app
async def one_session_twice(recorder):
    """Two runs at once in one session."""
    script = Script(
        clerk=[lambda request: [call("get_weather", city="Oslo")] if len(request.contents) == 1 else "Fine."]
    )
    root = LlmAgent(name="clerk", model=gemini(script), instruction="Serve {name}.", tools=[get_weather])
    stage = Stage("shared_app", root, recorder)
    session = await stage.session(state={"name": "all"})
    await asyncio.gather(stage.say(session, "First"), stage.say(session, "Second"), return_exceptions=True)
    await stage.say(session, "Third")
    await stage.close()
    return script


class Registered(ScriptedGemini):
    """A model that is asked for by its name."""

    current: object = None

    @classmethod
    def supported_models(cls):
        return [r"scripted-.*"]

    async def generate_content_async(self, llm_request, stream=False):
        async for response in play(Registered.script, llm_request, stream):
            yield response


@app
async def models_by_name(recorder):
    """Models that are named, and inherited."""
    LLMRegistry.register(Registered)
    script = Script(top=[call("transfer_to_agent", agent_name="below"), "Back."], below=["Below.", "Again."])
    Registered.script = script
    below = LlmAgent(name="below", description="Below.", instruction="Below.")
    root = LlmAgent(name="top", model="scripted-one", instruction="Top.", sub_agents=[below])
    stage = Stage("named_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "One")
    await stage.say(session, "Two")
    await stage.close()
    return script


def few_shot(callback_context, llm_request):
    """Puts examples before the history, and a reminder into its middle."""
    example = types.Content(role="user", parts=[types.Part(text="Example: say 1.")])
    llm_request.contents.insert(0, example)
    llm_request.contents.insert(
        len(llm_request.contents) // 2, types.Content(role="user", parts=[types.Part(text="Mind!")])
    )


def swap_model(callback_context, llm_request):
    """Another model, other settings, and no tools in the second turn."""
    llm_request.model = "gemini-2.5-pro"
    llm_request.config.temperature = 0.9
    if len(llm_request.contents) > 4:
        llm_request.config.tools = None


async def rewrite(callback_context, llm_request):
    """Changes texts in place."""
    await asyncio.sleep(0)
    for content in llm_request.contents:
        for part in content.parts or []:
            if part.text:
                part.text = part.text.replace("secret", "******")
    llm_request.config.system_instruction = llm_request.config.system_instruction.replace("Be brief.", "Be very brief.")


class Shout:
    """A callback that is an object."""

    def __call__(self, callback_context, llm_request):
        llm_request.config.system_instruction = "LOUD: " + llm_request.config.system_instruction


@app
async def rough_callbacks(recorder):
    """Callbacks that change everything a request has."""
    script = Script(rough=[call("get_weather", city="Rome"), "One.", "Two.", "Three."])
    root = LlmAgent(
        name="rough",
        model=gemini(script),
        instruction="Be brief. Mood: {mood}.",
        tools=[get_weather],
        before_model_callback=[few_shot, swap_model, rewrite, Shout(), lambda callback_context, llm_request: None],
    )
    stage = Stage("rough_app", root, recorder)
    session = await stage.session(state={"mood": "secretive"})
    for text in ("My secret word", "Another secret", "Last"):
        await stage.say(session, text)
    await stage.close()
    return script


class Gate(BasePlugin):
    """Answers some requests itself, and fails on others."""

    async def before_model_callback(self, *, callback_context, llm_request):
        last = (llm_request.contents[-1].parts or [types.Part()])[0].text or ""
        if "cached" in last:
            return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="From the cache.")]))
        if "broken" in last:
            raise RuntimeError("the plugin broke")

    async def on_model_error_callback(self, *, callback_context, llm_request, error):
        return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=f"Sorry: {error}")]))


class Last(BasePlugin):
    """Stands behind the recorder in the list."""

    async def before_model_callback(self, *, callback_context, llm_request):
        llm_request.append_instructions(["The last word."])


@app
async def gate_plugin(recorder):
    """Plugins that answer, fail, and answer for a model that failed; one stands behind the recorder."""
    script = Script(quiet=["One.", ConnectionError("lost"), "Three.", "Four."])
    root = LlmAgent(name="quiet", model=gemini(script), instruction="Quiet.")
    stage = Stage("gate_plugin_app", root, recorder, plugins=[Gate(name="gate")], behind=[Last(name="last")])
    session = await stage.session()
    for text in ("hello", "cached please", "fail", "broken", "again", "and again"):
        try:
            await stage.say(session, text)
        except RuntimeError:
            pass
    await stage.close()
    return script


@app
async def tools_in_tools(recorder):
    """An agent tool in an agent tool, one without plugins, and plugins that change their requests."""

    class Mark(BasePlugin):
        async def before_model_callback(self, *, callback_context, llm_request):
            llm_request.append_instructions([f"Marked for {callback_context.agent_name}."])

    script = Script(
        outer=[[call("middle", request="go deeper"), call("alone", request="by yourself")], "Done."],
        middle=[call("inner", request="deepest"), "Middle."],
        inner=["Inner {not_filled}."],
        alone=["Alone."],
    )
    model = gemini(script)
    inner = LlmAgent(name="inner", model=model, description="Inner.", instruction="In {place}.")
    middle = LlmAgent(name="middle", model=model, description="Middle.", instruction="Mid.", tools=[AgentTool(inner)])
    alone = LlmAgent(name="alone", model=other(script), description="Alone.", instruction="Alone.")
    options = {"include_plugins": False} if VERSION >= (1, 20) else {}
    tools = [AgentTool(middle), AgentTool(alone, **options)]
    root = LlmAgent(name="outer", model=model, instruction="Out.", tools=tools)
    stage = Stage("nested_app", root, recorder, plugins=[Mark(name="mark")])
    session = await stage.session(state={"place": "Oslo"})
    await stage.say(session, "Go")
    await stage.close()
    return script


@app
async def memory_at_once(recorder):
    """Agents at work at once, each with memories; state that lives for one run."""
    from apps import earlier_sessions

    def prepare(callback_context):
        callback_context.state["temp:who"] = callback_context.agent_name.upper()

    script = Script(dogs=["Rex."], boats=["Red."])
    service = InMemoryMemoryService()
    await earlier_sessions(service, "memories_app")

    def agent(name):
        return LlmAgent(
            name=name,
            model=gemini(script),
            instruction="You are {temp:who}.",
            tools=[preload_memory],
            before_agent_callback=prepare,
        )

    root = ParallelAgent(name="both", sub_agents=[agent("dogs"), agent("boats")])
    stage = Stage("memories_app", root, recorder, memory=service)
    session = await stage.session()
    await stage.say(session, "What about my dog and boats?")
    await stage.say(session, "And red ones?")
    await stage.close()
    return script


class Handbook(BaseToolset):
    """A toolset that explains itself to the model."""

    async def get_tools(self, readonly_context=None):
        return [FunctionTool(get_weather)]

    async def process_llm_request(self, *, tool_context, llm_request):
        llm_request.append_instructions(["Handbook: look outside first."])

    async def close(self):
        pass


class Hint(BaseTool):
    """A tool that only adds a content behind the history."""

    def __init__(self):
        super().__init__(name="hint", description="Hints.")

    async def process_llm_request(self, *, tool_context, llm_request):
        llm_request.contents.append(types.Content(role="user", parts=[types.Part(text="A hint.")]))


@app
async def talking_tools(recorder):
    """Tools and toolsets that change requests."""
    script = Script(reader=["One.", "Two."])
    root = LlmAgent(name="reader", model=gemini(script), instruction="Read.", tools=[Handbook(), Hint(), remember])
    stage = Stage("talking_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "A")
    await stage.say(session, "B")
    await stage.close()
    return script


def start_job(name: str) -> None:
    """Starts a job that takes long."""


@app
async def long_running(recorder):
    """A tool that answers later, through the user."""
    script = Script(boss=[call("start_job", "j-1", name="print"), "Started.", "It is done.", "Fine."])
    root = LlmAgent(
        name="boss",
        model=gemini(script),
        instruction="Run jobs.",
        tools=[LongRunningFunctionTool(start_job), get_weather],
    )
    stage = Stage("long_running_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "Print it")
    response = types.FunctionResponse(id="j-1", name="start_job", response={"status": "done"})
    await stage.say(session, types.Part(function_response=response))
    await stage.say(session, "Thanks")
    await stage.close()
    return script


class Picker(BaseAgent):
    """An agent of the app's own, which runs others as it likes."""

    async def _run_async_impl(self, ctx):
        said = (ctx.user_content.parts[0].text or "").lower() if ctx.user_content else ""
        for agent in self.sub_agents:
            if agent.name in said or "all" in said:
                async for event in agent.run_async(ctx):
                    yield event


@app
async def custom_agent(recorder):
    """An orchestrator with code of its own."""
    script = Script(red=["Red."], blue=["Blue.", call("remember", key="seen", value="yes"), "Blue again."])
    agents = [
        LlmAgent(name="red", model=gemini(script), instruction="Red.", output_key="red_said"),
        LlmAgent(name="blue", model=gemini(script), instruction="Blue after {red_said?}.", tools=[remember]),
    ]
    root = Picker(name="picker", description="Picks.", sub_agents=agents)
    stage = Stage("custom_app", root, recorder)
    session = await stage.session()
    for text in ("all of you", "blue only"):
        await stage.say(session, text)
    await stage.close()
    return script


@app
async def joins_later(recorder):
    """A session that began before it was recorded."""
    script = Script(elder=["One.", call("get_weather", city="Rome"), "Two.", "Three."])
    root = LlmAgent(name="elder", model=gemini(script), instruction="Elder of {house}.", tools=[get_weather])

    class Nothing(BasePlugin):
        pass

    before = Stage("elder_app", root, Nothing(name="nothing"))
    session = await before.session(state={"house": "York"})
    await before.say(session, "First")
    script.requests.clear()
    after = Stage("elder_app", root, recorder)
    after.sessions.sessions = before.sessions.sessions
    for name in ("user_state", "app_state"):
        if hasattr(before.sessions, name):
            setattr(after.sessions, name, getattr(before.sessions, name))
    await after.say(session, "Second")
    await after.say(session, "Third")
    await after.close()
    return script


@app
async def thoughts(recorder):
    """Answers with thoughts, signatures and code that the provider ran."""
    thought = types.Part(text="Let me think.", thought=True)
    signed = types.Part(
        function_call=types.FunctionCall(name="get_weather", args={"city": "Oslo"}), thought_signature=b"\x00\xff"
    )
    code = types.Part(executable_code=types.ExecutableCode(code="1+1", language="PYTHON"))
    ran = types.Part(code_execution_result=types.CodeExecutionResult(outcome="OUTCOME_OK", output="2"))
    script = Script(
        thinker=[[thought, signed], [thought, "It is fine."], "Two."], coder=[[code, ran, "It is 2."], "Yes."]
    )
    root = LlmAgent(name="thinker", model=gemini(script), instruction="Think.", tools=[get_weather])
    stage = Stage("thought_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "Weather?")
    await stage.say(session, "More?")
    await stage.close()
    coder = LlmAgent(name="coder", model=gemini(script), instruction="Code.", code_executor=BuiltInCodeExecutor())
    stage = Stage("code_app", coder, recorder)
    session = await stage.session()
    await stage.say(session, "1+1?")
    await stage.say(session, "Sure?")
    await stage.close()
    return script


class Report(BaseModel):
    title: str


@app
async def everything_at_once(recorder):
    """A static instruction, a provider, a planner, a schema with tools, transfer and global instructions together."""
    needs(2, 0)
    from google.adk.planners import PlanReActPlanner
    from google.adk.plugins.global_instruction_plugin import GlobalInstructionPlugin

    def rules(context):
        return f"Rule {len(context.state.to_dict() if hasattr(context.state, 'to_dict') else context.state)}."

    async def brand(context):
        return "We are Acme."

    script = Script(
        full=[
            call("get_weather", city="Oslo"),
            call("set_model_response", title="T"),
            call("transfer_to_agent", agent_name="leaf"),
        ],
        leaf=["Leaf.", "Leaf again."],
    )
    leaf = LlmAgent(
        name="leaf", model=gemini(script), description="Leaf.", instruction="Leaf.", include_contents="none"
    )
    root = LlmAgent(
        name="full",
        model=gemini(script),
        description="All.",
        global_instruction=brand,
        static_instruction="Static text.",
        instruction=rules,
        planner=PlanReActPlanner(),
        output_schema=Report,
        tools=[get_weather, remember],
        sub_agents=[leaf],
    )
    plugins = [GlobalInstructionPlugin(global_instruction=brand, name="brand")]
    stage = Stage("full_app", root, recorder, plugins=plugins)
    session = await stage.session(state={"a": 1})
    for text in ("One", "Two", "Three"):
        await stage.say(session, text)
    await stage.close()
    return script


@app
async def nested_workflows(recorder):
    """A workflow in a workflow, agents for each item of a list, a loop, and an agent that runs nodes itself."""
    needs(2, 0)
    from google.adk.events.event import Event
    from google.adk.workflow import START, Workflow, node

    @node(parallel_worker=True)
    async def double(node_input: int) -> int:
        return node_input * 2

    def numbers(node_input: str) -> list:
        return [1, 2, 3]

    def check(node_input: str):
        return Event(output=node_input, route="again" if "rough" in node_input else "done")

    script = Script(
        inner=["Inner text."],
        writer=["A rough draft.", "A fine draft."],
        closer=["Closed."],
    )
    model = gemini(script)
    inner_agent = LlmAgent(name="inner", model=model, instruction="Inner of {topic}.")
    inner = Workflow(name="part", edges=[(START, inner_agent)])
    writer = LlmAgent(name="writer", model=model, instruction="Write.")
    closer = LlmAgent(name="closer", model=model, instruction="Close.", include_contents="default")
    root = Workflow(
        name="whole",
        edges=[
            (START, numbers, double, inner, writer, check),
            (check, {"again": writer, "done": closer}),
        ],
    )
    stage = Stage("whole_app", root, recorder)
    session = await stage.session(state={"topic": "ships"})
    await stage.say(session, "Go")
    await stage.say(session, "Once more")
    await stage.close()
    return script


@app
async def confirmed_tools(recorder):
    """A tool that asks before it runs."""
    needs(2, 0)

    script = Script(careful=[call("get_weather", "w-1", city="Oslo"), "It is fine.", "Bye."])
    tool = FunctionTool(get_weather, require_confirmation=True)
    root = LlmAgent(name="careful", model=gemini(script), instruction="Ask.", tools=[tool])
    stage = Stage("careful_app", root, recorder)
    session = await stage.session()
    events = await stage.say(session, "Weather?")
    asked = [one for event in events for one in event.get_function_calls() if one.name == "adk_request_confirmation"]
    response = types.FunctionResponse(id=asked[0].id, name="adk_request_confirmation", response={"confirmed": True})
    await stage.say(session, types.Part(function_response=response))
    await stage.say(session, "Thanks")
    await stage.close()
    return script


@app
async def uploads(recorder):
    """Files that the user sends, kept as artifacts by google-adk's plugin."""
    try:
        from google.adk.plugins.save_files_as_artifacts_plugin import SaveFilesAsArtifactsPlugin
    except ImportError:
        raise Skipped("this google-adk has no such plugin") from None
    from google.adk.artifacts import InMemoryArtifactService
    from google.adk.tools import load_artifacts

    script = Script(viewer=[call("load_artifacts", artifact_names=["plan.txt"]), "I see a plan.", "Two."])
    root = LlmAgent(name="viewer", model=gemini(script), instruction="Look.", tools=[load_artifacts])
    plugins = [SaveFilesAsArtifactsPlugin()]
    stage = Stage("upload_app", root, recorder, plugins=plugins, artifacts=InMemoryArtifactService())
    session = await stage.session()
    blob = types.Blob(data=b"one\ntwo", mime_type="text/plain", display_name="plan.txt")
    await stage.say(session, "Here is a file", types.Part(inline_data=blob))
    await stage.say(session, "And now?")
    await stage.close()
    return script


@app
async def run_settings(recorder):
    """Settings of a run that reach requests."""
    needs(2, 0)
    script = Script(set=["One.", "Two."])
    root = LlmAgent(name="set", model=gemini(script), instruction="Set.")
    stage = Stage("settings_app", root, recorder)
    session = await stage.session()
    names = RunConfig.model_fields
    options = {}
    if "labels" in names:
        options["labels"] = {"job": "night"}
    if "http_options" in names:
        options["http_options"] = types.HttpOptions(timeout=5000, headers={"X-Key": "hush"})
    await stage.say(session, "A", run_config=RunConfig(**options))
    await stage.say(session, "B")
    await stage.close()
    return script


@app
async def sequence_with_schema(recorder):
    """Members of a sequence that take and give by schema."""
    script = Script(first=['{"title": "Draft"}'], second=["About Draft."])
    first = LlmAgent(
        name="first", model=gemini(script), instruction="First.", output_schema=Report, output_key="report"
    )
    second = LlmAgent(name="second", model=gemini(script), instruction="About {report}.")
    root = SequentialAgent(name="steps", sub_agents=[first, second])
    stage = Stage("steps_app", root, recorder)
    session = await stage.session()
    await stage.say(session, "Go")
    await stage.close()
    return script
