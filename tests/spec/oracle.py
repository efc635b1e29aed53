"""Compares the examples of the specification with google-adk itself.

    STRATA_SPEC=export cargo test -p strata-tests --test spec     # prints the file it writes
    python oracle.py FILE                                         # with google-adk 2.13.0 installed

Every model call of every example is compiled by google-adk's own processors, one after the other, from the same app,
events and services; the request after each must be the one Strata has after its stage of the same name. Compaction
decisions are compared too. Nothing is called over the network.
"""

import asyncio
import json
import os
import sys
import warnings

os.environ.setdefault("GOOGLE_API_KEY", "none")
warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.agents.context_cache_config import ContextCacheConfig
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.run_config import RunConfig
from google.adk.apps import compaction
from google.adk.apps._configs import EventsCompactionConfig
from google.adk.apps.app import App
from google.adk.apps.base_events_summarizer import BaseEventsSummarizer
from google.adk.artifacts import InMemoryArtifactService
from google.adk.code_executors import BuiltInCodeExecutor
from google.adk.code_executors.base_code_executor import BaseCodeExecutor
from google.adk.code_executors.code_execution_utils import CodeExecutionResult
from google.adk.events.event import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.models.base_llm import BaseLlm
from google.adk.models.google_llm import Gemini
from google.adk.models.llm_request import LlmRequest
from google.adk.planners import BuiltInPlanner, PlanReActPlanner
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.adk.plugins.global_instruction_plugin import GlobalInstructionPlugin
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.sessions import InMemorySessionService, Session
from google.adk.tools import load_artifacts, load_memory, preload_memory
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.example_tool import ExampleTool
from google.adk.tools.exit_loop_tool import exit_loop
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.google_search_tool import GoogleSearchTool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.genai import types
from pydantic import create_model

JSON_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool}
SCHEMAS = {}


def snake(name):
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


class Declared(FunctionTool):
    """A tool with a declaration of its own."""

    def __init__(self, declaration):
        def run():
            pass

        run.__name__ = declaration["name"]
        super().__init__(run)
        self.declaration = declaration

    def _get_declaration(self):
        return types.FunctionDeclaration(**self.declaration)


class LongRunning(LongRunningFunctionTool, Declared):
    pass


class Tools(BaseToolset):
    def __init__(self, tools, prefix):
        super().__init__(tool_name_prefix=prefix)
        self.tools = tools

    async def get_tools(self, readonly_context=None):
        return self.tools

    async def close(self):
        pass


class Silent(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        raise NotImplementedError
        yield


class Idle(BaseCodeExecutor):
    def execute_code(self, invocation_context, code_execution_input):
        return CodeExecutionResult(stdout="")


class Recording(BaseEventsSummarizer):
    """Remembers what it is asked to summarise."""

    def __init__(self):
        self.asked = None

    async def maybe_summarize_events(self, *, events, **_):
        self.asked = events
        return None


def tool(spec):
    kind = spec["type"]
    if kind in ("function", "long_running_function"):
        return (Declared if kind == "function" else LongRunning)(spec["declaration"])
    if kind == "toolset":
        return Tools([tool(each) for each in spec["tools"]], spec.get("prefix"))
    if kind == "agent_tool":
        return AgentTool(agent(spec["agent"]))
    if kind == "examples":
        return ExampleTool(spec["examples"])
    if kind == "google_search":
        return GoogleSearchTool(bypass_multi_tools_limit=spec.get("bypass_multi_tools_limit", False))
    return {
        "load_memory": load_memory,
        "preload_memory": preload_memory,
        "load_artifacts": load_artifacts,
        "exit_loop": exit_loop,
    }[kind]


def model(spec):
    if isinstance(spec, str):
        return spec
    if spec.get("kind", "gemini") == "gemini":
        return Gemini(model=spec["name"], use_interactions_api=spec.get("use_interactions_api", False))
    return Silent(model=spec["name"])


def schema(spec):
    described = spec["json_schema"]
    if spec["kind"] == "json_schema":
        return described
    is_list = spec["kind"] == "list_of_pydantic_model"
    item = described["$defs"][spec["class"]] if is_list else described
    required = item.get("required", [])
    fields = {
        name: (JSON_TYPES[field["type"]], ... if name in required else field.get("default"))
        for name, field in item["properties"].items()
    }
    made = create_model(spec["class"], **fields)
    SCHEMAS[made] = described
    return list[made] if is_list else made


def instruction(spec):
    if isinstance(spec, str):
        return spec
    return lambda context: spec["provider"]


def static(spec):
    parts = [types.Part(**part) for part in spec["parts"]]
    return types.Content(role=spec.get("role"), parts=parts)


def executor(spec):
    if spec["type"] == "built_in":
        return BuiltInCodeExecutor()
    return Idle(optimize_data_file=spec.get("optimize_data_file", False))


def planner(spec):
    if spec["type"] == "plan_re_act":
        return PlanReActPlanner()
    return BuiltInPlanner(thinking_config=types.ThinkingConfig(**spec["thinking_config"]))


CONVERTED = {
    "model": model,
    "instruction": instruction,
    "global_instruction": instruction,
    "static_instruction": static,
    "output_schema": schema,
    "input_schema": schema,
    "planner": planner,
    "code_executor": executor,
    "generate_content_config": lambda config: types.GenerateContentConfig(**config),
    "tools": lambda tools: [tool(each) for each in tools],
    "sub_agents": lambda agents: [agent(each) for each in agents],
}
CLASSES = {"llm": LlmAgent, "sequential": SequentialAgent, "parallel": ParallelAgent, "loop": LoopAgent}


def agent(spec):
    fields = {snake(name): value for name, value in spec.items() if value is not None}
    made = CLASSES[fields.pop("type", "llm")]
    return made(**{name: CONVERTED.get(name, lambda same: same)(value) for name, value in fields.items()})


def plugin(spec):
    if spec["type"] == "global_instruction":
        return GlobalInstructionPlugin(instruction(spec["global_instruction"]))
    return ContextFilterPlugin(
        num_invocations_to_keep=spec.get("num_invocations_to_keep"), remove_amount=spec.get("remove_amount") or 1
    )


def fields(spec):
    return {snake(name): value for name, value in (spec or {}).items()}


def every_agent(root):
    yield root
    for each in getattr(root, "tools", None) or []:
        if isinstance(each, AgentTool):
            yield from every_agent(each.agent)
    for each in root.sub_agents:
        yield from every_agent(each)


async def context(case, app):
    sessions, artifacts, memory = InMemorySessionService(), InMemoryArtifactService(), InMemoryMemoryService()
    session = Session(
        id=case["session_id"],
        app_name=case["app_name"],
        user_id=case["user_id"],
        state=case["state"],
        events=[Event(**event) for event in case["events"]],
    )
    names = {"app_name": session.app_name, "user_id": session.user_id, "session_id": session.id}
    for name, part in case["artifacts"].items():
        # A rewind leaves an empty blob in the place of an artifact it takes back.
        taken_back = types.Part.from_bytes(data=b"", mime_type="application/octet-stream")
        part = types.Part(**part) if part else taken_back
        await artifacts.save_artifact(filename=name, artifact=part, **names)
    for remembered in case["memory"]:
        await memory.add_session_to_memory(Session(**remembered))
    run = {name: value for name, value in case.get("run", {}).items() if name != "vertex"}
    running = next(each for each in every_agent(agent(app["rootAgent"])) if each.name == case["agent"])
    if "include_contents" in case:
        running.include_contents = case["include_contents"]
    cache = app.get("contextCacheConfig")
    return InvocationContext(
        session_service=sessions,
        artifact_service=artifacts,
        memory_service=memory,
        session=session,
        agent=running,
        invocation_id=case["invocation_id"],
        branch=case.get("branch"),
        isolation_scope=case.get("isolation_scope"),
        node_path=case["node_path"] or None,
        user_content=types.Content(**case["user_content"]) if "user_content" in case else None,
        run_config=RunConfig(**run),
        context_cache_config=ContextCacheConfig(**fields(cache)) if cache is not None else None,
        plugin_manager=PluginManager(plugins=[plugin(each) for each in app.get("plugins") or []]),
    )


def dump(request):
    config = request.config.model_copy()
    given = config.response_schema
    config.response_schema = None
    out = {
        "model": request.model,
        "contents": [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in request.contents],
        "config": config.model_dump(mode="json", by_alias=True, exclude_none=True),
        "cache_config": request.cache_config and request.cache_config.model_dump(mode="json", exclude_none=True),
        "cache_metadata": request.cache_metadata and request.cache_metadata.model_dump(mode="json", exclude_none=True),
        "cacheable_contents_token_count": request.cacheable_contents_token_count,
        "previous_interaction_id": request.previous_interaction_id,
        "service_tier": request.service_tier,
    }
    if given is not None:
        out["config"]["responseSchema"] = SCHEMAS[given] if isinstance(given, type) else given
    return {name: value for name, value in out.items() if value is not None}


def differences(path, ours, theirs):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            yield from differences(f"{path}.{key}", ours.get(key), theirs.get(key))
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for at, pair in enumerate(zip(ours, theirs)):
            yield from differences(f"{path}[{at}]", *pair)
    elif ours != theirs:
        yield f"{path}\n      strata {json.dumps(ours)}\n      adk    {json.dumps(theirs)}"


async def check_call(case):
    app = case["app"]
    os.environ["GOOGLE_GENAI_USE_VERTEXAI"] = "true" if case["vertex"] else "false"
    invocation = await context(case, app)
    flow = invocation.agent._llm_flow
    request = LlmRequest()
    ours = {stage["processor"]: stage["request"] for stage in case["stages"]}
    order = [name for name in ours if not name.startswith("plugin:")]
    if invocation.run_config.http_options:
        request.config.http_options = invocation.run_config.http_options
    ran = []
    for processor in flow._iter_request_processors():
        ran.append(processor.name)
        try:
            async for event in processor.run_async(invocation, request):
                yield f"{processor.name} emits an event by {event.author}"
        except Exception as error:
            message = error.args[0] if isinstance(error, KeyError) else str(error)
            theirs = f"{processor.name}: {type(error).__name__}: {message}"
            for each in differences("error", case.get("error"), theirs):
                yield each
            return
        if processor.name not in ours:
            yield f"Strata has no stage {processor.name}, and ADK does"
            return
        found = list(differences(processor.name, ours[processor.name], dump(request)))
        if found:
            for each in found:
                yield each
            return
    if "error" in case:
        yield f"Strata fails with {case['error']}, and ADK does not"
    if [name for name in order if name in ran] != ran or [name for name in order if name not in ran] != ["model_call"]:
        yield f"the order differs: {order}, {ran}"
    plugins = [name for name in ours if name.startswith("plugin:")]
    if plugins:
        shell = Event(author=invocation.agent.name, invocation_id=invocation.invocation_id)
        await flow._handle_before_model_callback(invocation, request, shell)
        for each in differences("plugins", ours[plugins[-1]], dump(request)):
            yield each


async def check_window(case):
    """Which events each trigger hands to the summariser."""
    summarizer = Recording()
    config = fields(case["app"]["eventsCompactionConfig"])
    config = EventsCompactionConfig(**{**config, "summarizer": summarizer})
    root = agent(case["app"]["rootAgent"])
    session = Session(id="s", app_name="a", user_id="u", events=[Event(**event) for event in case["events"]])
    if "turn" in case:
        app = App(name="a", root_agent=root, events_compaction_config=config)
        async for _ in compaction._run_compaction_for_sliding_window(app, session, InMemorySessionService()):
            pass
    else:
        await compaction._run_compaction_for_token_threshold_config(
            config=config,
            session=session,
            session_service=InMemorySessionService(),
            agent=root,
            agent_name=case["agent"],
            current_branch=case.get("branch"),
            isolation_scope=case.get("isolation_scope"),
        )
    known = {event["id"] for event in case["events"]}
    asked = summarizer.asked
    theirs = asked and [event.id if event.id in known else "seed" for event in asked]
    for each in differences("window", case["window"], theirs):
        yield each


async def main(path):
    n_cases, n_different = 0, 0
    for line in open(path, encoding="utf-8"):
        case = json.loads(line)
        found = []
        try:
            if "stages" in case:
                found += [each async for each in check_call(case)]
            if "window" in case:
                found += [each async for each in check_window(case)]
        except Exception as error:
            found.append(f"the oracle failed: {type(error).__name__}: {error}")
            if "-v" in sys.argv:
                raise
        n_cases += 1
        n_different += bool(found)
        if found:
            print(case["name"], *found, sep="\n    ")
    print(f"{n_cases} calls and turns, {n_different} differ from google-adk")
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
