"""Apps in which much of what models are told is not in any event: code that runs agents, answers for them, or fails."""

from __future__ import annotations

from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.memory import InMemoryMemoryService
from google.adk.models.llm_response import LlmResponse
from google.adk.planners import BuiltInPlanner
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools import load_artifacts, preload_memory
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.exit_loop_tool import exit_loop
from google.adk.tools.function_tool import FunctionTool
from google.genai import types
from apps import break_down, earlier_sessions, save_report
from harness import Script, Stage, app, call, gemini, get_weather, needs, other, remember
from pydantic import BaseModel


def say_as_model(text):
    return types.Content(role="model", parts=[types.Part(text=text)])


def is_said(context, word):
    content = getattr(context, "user_content", None)
    return content is not None and any(word in (part.text or "") for part in content.parts)


@app
async def run_by_code(recorder):
    """Nodes whose code runs agents with inputs of its own, one of them twice, inside a workflow in a workflow."""
    needs(2, 0)
    from google.adk.workflow import START, Workflow, node

    class Brief(BaseModel):
        topic: str
        depth: int = 2

    script = Script(
        writer=["Draft one.", "Draft two."],
        checker=[call("get_weather", city="Oslo"), "Checked.", "Checked again."],
        closer=["Closed."],
    )
    model = gemini(script)
    writer = LlmAgent(name="writer", model=model, instruction="Write.", input_schema=Brief)
    checker = LlmAgent(name="checker", model=model, instruction="Check for {who}.", tools=[get_weather])
    closer = LlmAgent(name="closer", model=model, instruction="Close.")

    @node(rerun_on_resume=True)
    async def lead(ctx, node_input: str):
        first = await ctx.run_node(writer, node_input={"topic": f"{node_input} at sea"})
        checked = await ctx.run_node(checker, node_input=f"Is this fine: {first}")
        second = await ctx.run_node(writer, node_input={"topic": "the end", "depth": 5})
        return f"{checked} / {second}"

    inner = Workflow(name="desk", edges=[(START, lead)])
    root = Workflow(name="house", edges=[(START, inner, closer)])
    stage = Stage("led_app", root, recorder)
    session = await stage.session(state={"who": "Ada"})
    await stage.say(session, "Ships")
    await stage.say(session, "Boats")
    await stage.close()
    return script


class Doorkeeper(BasePlugin):
    """Adds a line to every request, and answers for agents and whole runs, always with the same object."""

    REFUSAL = say_as_model("Closed.")

    def __init__(self):
        super().__init__(name="doorkeeper")

    async def before_run_callback(self, *, invocation_context):
        return self.REFUSAL if is_said(invocation_context, "shut") else None

    async def before_agent_callback(self, *, agent, callback_context):
        if is_said(callback_context, "bell"):
            return self.REFUSAL
        if is_said(callback_context, "fire"):
            raise RuntimeError("the door burns")

    async def after_agent_callback(self, *, agent, callback_context):
        return say_as_model(f"{agent.name} leaves.") if is_said(callback_context, "bye") else None

    async def before_model_callback(self, *, callback_context, llm_request):
        llm_request.append_instructions(["Mind the step."])


@app
async def last_words(recorder):
    """Callbacks that speak behind models, tools that fail, and text that is handed on under temp: keys."""

    def sign(callback_context):
        return say_as_model("-- the guide")

    script = Script(
        guide=["Here.", [call("break_down")], "Unreached.", "There."],
        draft=["Rough.", "Rougher."],
        polish=["Fine of it.", [call("exit_loop")], "Finest."],
    )
    model = other(script)
    guide = LlmAgent(name="guide", model=model, instruction="Guide.", after_agent_callback=sign, tools=[break_down])
    draft = LlmAgent(name="draft", model=model, instruction="Draft.", output_key="temp:draft")
    polish = LlmAgent(name="polish", model=model, instruction="Polish: {temp:draft} {temp:mood?}", tools=[exit_loop])
    loop = LoopAgent(name="loop", sub_agents=[draft, polish], max_iterations=2)
    root = SequentialAgent(name="line", sub_agents=[guide, loop])
    stage = Stage("words_app", root, recorder, plugins=[Doorkeeper()])
    session = await stage.session()
    for text in ("Hello", "Break, please", "Bye"):
        try:
            await stage.say(session, text)
        except Exception:
            pass
    await stage.close()
    return script


class Broken(BaseToolset):
    """A toolset whose server is not there on some days."""

    async def get_tools(self, readonly_context=None):
        if is_said(readonly_context, "offline"):
            raise ConnectionError("no server")
        return [FunctionTool(get_weather)]

    async def close(self):
        pass


@app
async def answered_for(recorder):
    """Plugins and callbacks that answer before or behind an agent's model, or fail before it is asked."""

    def from_memory(callback_context):
        callback_context.state["asked"] = callback_context.agent_name
        return say_as_model("I know that one.") if is_said(callback_context, "known") else None

    def sign_off(callback_context):
        return say_as_model("-- the clerk") if is_said(callback_context, "sign") else None

    def from_cache(callback_context, llm_request):
        if is_said(callback_context, "cached"):
            return LlmResponse(content=say_as_model("From the cache."))

    def rules(context):
        if is_said(context, "lawless"):
            raise ValueError("no rules today")
        return "Serve."

    script = Script(
        desk=[
            "Welcome.",
            call("clerk", request="the known one"),
            "It is known.",
            "Signed.",
            call("transfer_to_agent", agent_name="guard"),
        ],
        clerk=["Filed."],
        guard=["Who goes?"],
    )
    model = gemini(script)
    hooks = {"before_agent_callback": from_memory, "after_agent_callback": sign_off}
    clerk = LlmAgent(name="clerk", model=model, description="Files.", instruction="File.", **hooks)
    guard = LlmAgent(name="guard", model=other(script), description="Guards.", instruction="Guard.", **hooks)
    root = LlmAgent(
        name="desk",
        model=model,
        instruction=rules,
        tools=[AgentTool(agent=clerk), Broken()],
        sub_agents=[guard],
        before_model_callback=from_cache,
        **hooks,
    )
    doorkeeper = Doorkeeper()
    stage = Stage("door_app", root, recorder, plugins=[doorkeeper])
    session = await stage.session()
    for text in (
        "a bell before all else",
        "hello",
        "something known, with a bell",
        "this is known",
        "look it up",
        "shut, for now",
        "a lawless day",
        "an offline day",
        "a fire",
        "one from what is cached",
        "sign here",
        "bye",
        "still known",
    ):
        try:
            await stage.say(session, text)
        except Exception:
            pass
    await stage.close()
    line = SequentialAgent(
        name="line",
        sub_agents=[
            LlmAgent(name="first", model=model, instruction="First.", **hooks),
            LlmAgent(name="second", model=model, instruction="Second.", **hooks),
        ],
    )
    stage = Stage("line_app", line, recorder, behind=[Doorkeeper()])
    session = await stage.session()
    for text in ("known and sign", "sign", "bell", "bye"):
        await stage.say(session, text)
    await stage.close()
    return script


@app
async def many_services(recorder):
    """Agents at once with memory and files, an agent as a tool with a schema, a planner, and a callback on contents."""

    class Verdict(BaseModel):
        fine: bool
        why: str = ""

    def shorten(callback_context, llm_request):
        llm_request.contents = llm_request.contents[-3:]

    script = Script(
        chief=[call("judge", request="the plan"), call("transfer_to_agent", agent_name="both"), "Done."],
        judge=['{"fine": true, "why": "short"}'],
        left=[call("save_report", name="left.txt", text="left"), "Left."],
        right=[call("load_artifacts", artifact_names=["note.txt"]), "Right."],
    )
    model = gemini(script)
    judge = LlmAgent(
        name="judge", model=model, description="Judges.", instruction="Judge {plan}.", output_schema=Verdict
    )
    planner = BuiltInPlanner(thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=100))
    left = LlmAgent(
        name="left", model=model, description="L.", instruction="Left.", tools=[preload_memory, save_report], planner=planner
    )
    right = LlmAgent(name="right", model=model, description="R.", instruction="Right.", tools=[load_artifacts])
    both = ParallelAgent(name="both", description="Both.", sub_agents=[left, right])
    root = LlmAgent(
        name="chief",
        model=model,
        instruction="Lead with {plan}.",
        tools=[AgentTool(agent=judge), remember],
        sub_agents=[both],
        before_model_callback=shorten,
    )
    from google.adk.artifacts import InMemoryArtifactService

    memory = InMemoryMemoryService()
    await earlier_sessions(memory, "services_app")
    files = InMemoryArtifactService()
    stage = Stage("services_app", root, recorder, memory=memory, artifacts=files)
    session = await stage.session(state={"plan": "p"})
    await files.save_artifact(
        app_name="services_app",
        user_id=session.user_id,
        session_id=session.id,
        filename="note.txt",
        artifact=types.Part(text="A note from before."),
    )
    for text in ("What about the ships?", "And the harbour?"):
        await stage.say(session, text)
    await stage.close()
    return script
