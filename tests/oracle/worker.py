"""Compiles vectors with google-adk, one JSON document a line on stdin, one answer a line on stdout.

A question is a vector of kind `compile` without its expected half; the answer is that half as google-adk gives it
(`{"expected": …, "expected_stages": …}`) with the session as google-adk dumps it, or `{"invalid": why}` when
google-adk does not accept what was given.
The format is tests/conformance/FORMAT.md, and one field more: an agent's `code_executor`, `{"type": "built_in"}` or
`{"type": "host", "optimize_data_file"?, "error_retry_attempts"?}`.
A question with `"measure": n` is answered with what n compiles took, the session being loaded: `{"cpu_seconds": […]}`.
"""

import asyncio
import json
import logging
import os
import re
import sys
import time
import types as python_types
import warnings

os.environ["TZ"] = "UTC"
time.tzset()
for name in [name for name in os.environ if name.startswith(("GOOGLE_", "ADK_"))]:
    del os.environ[name]
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from google.adk.agents import InvocationContext, LlmAgent, LoopAgent, ParallelAgent, RunConfig, SequentialAgent
from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.apps.app import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.code_executors.base_code_executor import BaseCodeExecutor
from google.adk.code_executors.built_in_code_executor import BuiltInCodeExecutor
from google.adk.code_executors.code_execution_utils import CodeExecutionResult
from google.adk.events.event import Event
from google.adk.examples.example import Example
from google.adk.flows.llm_flows.core._finalizer import handle_before_model_callback
from google.adk.memory import InMemoryMemoryService
from google.adk.models.base_llm import BaseLlm, LlmCapabilities
from google.adk.models.google_llm import Gemini
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.planners import BuiltInPlanner, PlanReActPlanner
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.adk.plugins.global_instruction_plugin import GlobalInstructionPlugin
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.session import Session
from google.adk.tools import exit_loop, load_artifacts, load_memory, preload_memory
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.example_tool import ExampleTool
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.google_search_tool import GoogleSearchTool
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.genai import types
from pydantic import Field, TypeAdapter, create_model


class Invalid(Exception):
    """What was given cannot be built."""


# Models.


class OtherModel(BaseLlm):
    output_schema_and_tools: bool = False

    @property
    def capabilities(self):
        return LlmCapabilities(output_schema_and_tools=self.output_schema_and_tools)

    async def generate_content_async(self, llm_request, stream=False):
        raise NotImplementedError
        yield


def lite_llm():
    """LiteLlm, or where its package is missing a class that google-adk takes for it."""
    try:
        from google.adk.models.lite_llm import LiteLlm

        return LiteLlm
    except ImportError:
        name = "google.adk.models.lite_llm"
        module = sys.modules.setdefault(name, python_types.ModuleType(name))
        module.LiteLlm = type("LiteLlm", (OtherModel,), {"__module__": name})
        return module.LiteLlm


LiteLlm = lite_llm()


def model(spec):
    if isinstance(spec, str):
        return spec
    kind = spec.get("kind", "gemini")
    if kind == "gemini":
        return Gemini(model=spec["name"], use_interactions_api=spec.get("use_interactions_api", False))
    if kind == "lite_llm":
        return LiteLlm(model=spec["name"])
    if kind == "other":
        return OtherModel(model=spec["name"], output_schema_and_tools=spec.get("output_schema_and_tools", False))
    raise Invalid(f"models of kind {kind} are not made here")


# Schemas: classes are made from the JSON Schema pydantic prints for them.


def annotation(schema, classes):
    if "$ref" in schema:
        return classes[schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        options = [annotation(option, classes) for option in schema["anyOf"]]
        result = options[0]
        for option in options[1:]:
            result = result | option
        return result
    if "enum" in schema:
        from typing import Literal

        return Literal[tuple(schema["enum"])]
    plain = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
    kind = schema.get("type")
    if kind in plain:
        return plain[kind]
    if kind == "array":
        return list[annotation(schema["items"], classes)] if "items" in schema else list
    if kind == "object":
        values = schema.get("additionalProperties", True)
        return dict[str, annotation(values, classes)] if isinstance(values, dict) else dict
    raise Invalid(f"no annotation for {schema}")


def schema_class(schema, classes):
    fields = {}
    for name, field in schema.get("properties", {}).items():
        default = ... if name in schema.get("required", []) else field.get("default")
        info = Field(default, description=field["description"]) if "description" in field else Field(default)
        fields[name] = (annotation(field, classes), info)
    return create_model(schema["title"], __doc__=schema.get("description"), **fields)


def schema(spec):
    definition = spec["json_schema"]
    kind = spec["kind"]
    if kind == "json_schema":
        return definition
    classes = {}
    open_definitions = dict(definition.get("$defs", {}))
    while open_definitions:
        ready = [n for n, d in open_definitions.items() if all(r in classes for r in references(d))]
        if not ready:
            raise Invalid("recursive schema")
        for name in ready:
            classes[name] = schema_class(open_definitions.pop(name), classes)
    if kind == "pydantic_model":
        result = schema_class(definition, classes)
    elif kind == "list_of_pydantic_model":
        result = list[classes[spec["class"]]]
    else:
        result = eval(spec["annotation"], {"__builtins__": {"dict": dict, "list": list, "str": str, "int": int, "float": float, "bool": bool}})
    if TypeAdapter(result).json_schema() != definition:
        raise Invalid("pydantic prints another schema for this class")
    return result


def references(value):
    if isinstance(value, dict):
        own = [value["$ref"].rsplit("/", 1)[1]] if isinstance(value.get("$ref"), str) else []
        return own + [name for child in value.values() for name in references(child)]
    if isinstance(value, list):
        return [name for child in value for name in references(child)]
    return []


# Tools.


class ToolScript:
    """Results of tools that run while a request is compiled: a list per name, the last one repeats."""

    def __init__(self, script):
        self.script = script or {}
        self.used = {}

    async def run(self, name, context):
        results = self.script.get(name) or [{"status": "ok"}]
        at = self.used.get(name, 0)
        self.used[name] = at + 1
        result = results[min(at, len(results) - 1)]
        if not (isinstance(result, dict) and result.get("$step")):
            return result
        for key, value in result.get("state", {}).items():
            context.state[key] = value
        for key, value in result.get("actions", {}).items():
            setattr(context.actions, key, value)
        if "confirm" in result:
            if not context.tool_confirmation:
                context.request_confirmation(hint=result["confirm"])
                context.actions.skip_summarization = True
                return {"error": "This tool call requires confirmation, please approve or reject."}
            if not context.tool_confirmation.confirmed:
                return {"error": "This tool call is rejected."}
        if "raise" in result:
            raise ValueError(result["raise"])
        return result["result"]


class DeclaredTool(BaseTool):
    def __init__(self, spec, script):
        self.declaration = spec.get("declaration")
        given = self.declaration or spec
        super().__init__(name=given["name"], description=given.get("description", ""), is_long_running=spec.get("is_long_running", False))
        self.script = script

    def _get_declaration(self):
        return types.FunctionDeclaration.model_validate(self.declaration) if self.declaration else None

    async def run_async(self, *, args, tool_context):
        return await self.script.run(self.name, tool_context)


class DeclaredFunction(FunctionTool):
    def _get_declaration(self):
        return types.FunctionDeclaration.model_validate(self.declaration)


class DeclaredLongRunning(LongRunningFunctionTool, DeclaredFunction):
    def __init__(self, declaration, script):
        super().__init__(lambda: None)
        self.declaration = declaration
        self.name = declaration["name"]
        self.description = declaration.get("description", "")
        self.script = script

    async def run_async(self, *, args, tool_context):
        return await self.script.run(self.name, tool_context)


class Toolset(BaseToolset):
    def __init__(self, tools, prefix):
        super().__init__(tool_name_prefix=prefix)
        self.tools = tools

    async def get_tools(self, readonly_context=None):
        return self.tools

    async def close(self):
        pass


def tool(spec, build):
    kind = spec["type"]
    if kind in ("function", "no_declaration"):
        return DeclaredTool(spec, build.script)
    if kind == "long_running_function":
        return DeclaredLongRunning(spec["declaration"], build.script)
    if kind == "toolset":
        return Toolset([tool(inner, build) for inner in spec["tools"]], spec.get("prefix"))
    if kind == "agent_tool":
        inner = agent(spec["agent"], build)
        return AgentTool(inner, spec.get("skip_summarization", False), include_plugins=spec.get("include_plugins", True))
    if kind == "google_search":
        return GoogleSearchTool(bypass_multi_tools_limit=spec.get("bypass_multi_tools_limit", False))
    if kind == "examples":
        return ExampleTool([Example.model_validate(example) for example in spec["examples"]])
    own = {"load_memory": load_memory, "preload_memory": preload_memory, "load_artifacts": load_artifacts}
    return own[kind] if kind in own else FunctionTool(exit_loop)


# Code executors.


class HostExecutor(BaseCodeExecutor):
    def execute_code(self, invocation_context, code_execution_input):
        return CodeExecutionResult(stdout="", stderr="", output_files=[])


def code_executor(spec):
    if spec["type"] == "built_in":
        return BuiltInCodeExecutor()
    return HostExecutor(**{key: value for key, value in spec.items() if key != "type"})


# Agents, callbacks and plugins.

RELAYED = re.compile(r"^\[[\w]+\] (?:called tool `[\w]+` with parameters:|`[\w]+` tool returned result:)")


def is_preamble(text, style):
    if style == "seed004":
        return text == "For context:"
    from google.adk.flows.llm_flows.context import _fencing

    preambles = [value for name, value in vars(_fencing).items() if isinstance(value, str) and value.startswith("For context:")]
    return text in preambles


def strip_relayed(contents, style):
    kept = []
    for content in contents:
        parts = content.parts or []
        relayed = [part for part in parts[1:] if part.text and RELAYED.match(part.text)]
        if content.role != "user" or len(parts) < 2 or not is_preamble(parts[0].text, style) or not relayed:
            kept.append(content)
            continue
        content.parts = [part for part in parts if not any(part is other for other in relayed)]
        if len(content.parts) > 1:
            kept.append(content)
    return kept


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


def callback(spec):
    kind = spec["type"]

    def run(callback_context: CallbackContext, llm_request: LlmRequest):
        if kind == "strip_for_context":
            llm_request.contents = strip_relayed(llm_request.contents, spec.get("match"))
        elif kind == "compact_state":
            callback_context.state[spec["dest"]] = compact_queries(callback_context.state.get(spec["source"]) or {})
        elif kind == "append_instruction":
            llm_request.append_instructions([spec["text"]])
        elif kind == "short_circuit":
            return LlmResponse(content=types.ModelContent(spec["text"]))
        elif kind == "set_state":
            for key, value in spec["values"].items():
                callback_context.state[key] = value
        elif kind == "keep_last_contents":
            count = spec["count"]
            llm_request.contents = llm_request.contents[-count:] if count > 0 else []
        return None

    return run


def instruction(spec):
    if isinstance(spec, str):
        return spec
    text = spec["provider"]
    if spec.get("async"):

        async def provide_later(context):
            return text

        return provide_later
    return lambda context: text


def static_instruction(spec):
    if isinstance(spec, list):
        return [item if isinstance(item, str) else types.Part.model_validate(item) for item in spec]
    if isinstance(spec, dict):
        return (types.Content if "parts" in spec else types.Part).model_validate(spec)
    return spec


class CustomAgent(BaseAgent):
    async def _run_async_impl(self, ctx):
        raise NotImplementedError
        yield


def agent(spec, build):
    fields = {key: spec[key] for key in ("name", "description") if key in spec}
    fields["sub_agents"] = [agent(sub, build) for sub in spec.get("sub_agents", [])]
    kind = spec["type"]
    if kind != "llm":
        group = {"sequential": SequentialAgent, "parallel": ParallelAgent, "loop": LoopAgent, "custom": CustomAgent}[kind]
        if "max_iterations" in spec:
            fields["max_iterations"] = spec["max_iterations"]
        made = group(**fields)
        build.agents.setdefault(made.name, made)
        return made
    plain = ("include_contents", "mode", "output_key", "disallow_transfer_to_parent", "disallow_transfer_to_peers")
    fields |= {key: spec[key] for key in plain if key in spec}
    for key, make in (
        ("model", model),
        ("instruction", instruction),
        ("global_instruction", instruction),
        ("static_instruction", static_instruction),
        ("output_schema", schema),
        ("input_schema", schema),
        ("generate_content_config", types.GenerateContentConfig.model_validate),
        ("tools", lambda tools: [tool(one, build) for one in tools]),
        ("code_executor", code_executor),
        ("before_model_callbacks", lambda callbacks: [callback(one) for one in callbacks]),
    ):
        if key in spec:
            fields["before_model_callback" if key == "before_model_callbacks" else key] = make(spec[key])
    if "planner" in spec:
        planner = spec["planner"]
        thinking = types.ThinkingConfig.model_validate(planner.get("thinking_config", {}))
        fields["planner"] = PlanReActPlanner() if planner["type"] == "plan_re_act" else BuiltInPlanner(thinking_config=thinking)
    made = LlmAgent(**fields)
    build.agents.setdefault(made.name, made)
    return made


def custom_filter(spec):
    def is_function_part(part):
        return part.function_call or part.function_response

    def run(contents):
        kind = spec["type"]
        if kind == "drop_role":
            return [content for content in contents if content.role != spec["role"]]
        if kind == "keep_last":
            return contents[-spec["count"] :] if spec["count"] > 0 else []
        if kind == "drop_function_parts":
            for content in contents:
                content.parts = [part for part in content.parts or [] if not is_function_part(part)]
            return [content for content in contents if content.parts]
        raise ValueError(spec["message"])

    return run


def plugin(spec):
    given = {key: value for key, value in spec.items() if key != "type"}
    if spec["type"] == "global_instruction":
        given["global_instruction"] = instruction(given["global_instruction"])
        return GlobalInstructionPlugin(**given)
    if "custom_filter" in given:
        given["custom_filter"] = custom_filter(given["custom_filter"])
    return ContextFilterPlugin(**given)


# One vector.


class Build:
    def __init__(self, script):
        self.script = ToolScript(script)
        self.agents = {}


class Snapshot(BasePlugin):
    """Stands behind all plugins, to see the request between them and the agent's callbacks."""

    def __init__(self, take):
        super().__init__(name="strata_snapshot")
        self.take = take

    async def before_model_callback(self, *, callback_context, llm_request):
        self.take("plugins")


def camel(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def config_sections(config):
    response_schema = config.response_schema
    config.response_schema = None
    try:
        sections = camel(config)
    finally:
        config.response_schema = response_schema
    if response_schema is not None:
        is_dict = isinstance(response_schema, dict)
        sections["responseSchema"] = response_schema if is_dict else TypeAdapter(response_schema).json_schema()
    return sections


def sections_of(request):
    sections = {"contents": [camel(content) for content in request.contents], "tool_names": list(request.tools_dict)}
    if request.model is not None:
        sections["model"] = request.model
    for field, value in config_sections(request.config).items():
        sections[f"config.{field}"] = value
    if request.cache_config:
        sections["cache_config"] = request.cache_config.model_dump(mode="json", exclude_none=True)
    if request.cache_metadata:
        sections["cache_metadata"] = request.cache_metadata.model_dump(mode="json", exclude_none=True)
    for field in ("cacheable_contents_token_count", "previous_interaction_id", "service_tier"):
        value = getattr(request, field)
        if value is not None:
            sections[field] = getattr(value, "value", value)
    if request._dynamic_instructions:
        sections["pending_dynamic_instructions"] = list(request._dynamic_instructions)
    return sections


def whole_request(sections):
    request = {"contents": [], "config": {}}
    for section, value in sections.items():
        if section.startswith("config."):
            request["config"][section[7:]] = value
        elif section not in ("tool_names", "pending_dynamic_instructions"):
            request[section] = value
    return request


class Recorder:
    def __init__(self, request):
        self.request = request
        self.before = {"contents": [], "tool_names": []}
        self.stages = []

    def take(self, processor):
        after = json.loads(json.dumps(sections_of(self.request)))
        changed = {key: value for key, value in after.items() if key not in self.before or self.before[key] != value}
        stage = {"processor": processor, "set": changed}
        gone = [key for key in self.before if key not in after]
        if gone:
            stage["unset"] = gone
        self.stages.append(stage)
        self.before = after


def error_of(error, processor):
    message = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return {"type": type(error).__name__, "message": message, "processor": processor}


async def services(vector, session):
    artifacts = memory = None
    if vector.get("artifacts", []) is not None:
        artifacts = InMemoryArtifactService()
        owner = {"app_name": session.app_name, "user_id": session.user_id, "session_id": session.id}
        for artifact in vector.get("artifacts", []):
            for version in artifact.get("versions", [artifact.get("part")]):
                part = types.Part.model_validate(version)
                await artifacts.save_artifact(**owner, filename=artifact["filename"], artifact=part)
    if vector.get("memory", []) is not None:
        memory = InMemoryMemoryService()
        for remembered in vector.get("memory", []):
            await memory.add_session_to_memory(Session.model_validate(remembered))
    return artifacts, memory


async def build(vector):
    made = Build(vector.get("tool_script"))
    given = vector["app"]
    app = App(
        name=given["name"],
        root_agent=agent(given["root_agent"], made),
        plugins=[plugin(one) for one in given.get("plugins", [])],
        context_cache_config=given.get("context_cache_config"),
        resumability_config=given.get("resumability_config"),
    )
    if "events_compaction_config" in given:
        raise Invalid("compaction before a call is not run here")
    session = Session.model_validate(vector["session"])
    invocation = vector["invocation"]
    current = made.agents.get(invocation["agent"])
    if not isinstance(current, LlmAgent):
        raise Invalid("no such LLM agent")
    effective = invocation.get("effective", {})
    if "include_contents" in effective:
        current.include_contents = effective["include_contents"]
    if "mode" in effective:
        current.mode = effective["mode"]
    plugins = app.plugins
    if invocation.get("plugins") is not None:
        plugins = [one for one in plugins if one.name in invocation["plugins"]]
    user_content = invocation.get("user_content")
    artifacts, memory = await services(vector, session)
    context = InvocationContext(
        session_service=InMemorySessionService(),
        artifact_service=artifacts,
        memory_service=memory,
        session=session,
        agent=current,
        invocation_id=invocation["invocation_id"],
        branch=invocation.get("branch"),
        isolation_scope=invocation.get("isolation_scope"),
        node_path=invocation.get("node_path"),
        user_content=None if user_content is None else types.Content.model_validate(user_content),
        run_config=RunConfig.model_validate(invocation.get("run_config") or {}),
        context_cache_config=invocation.get("context_cache_config", app.context_cache_config),
        resumability_config=app.resumability_config,
    )
    return context, plugins


async def compile_vector(vector):
    for name, value in vector.get("env", {}).items():
        os.environ[name] = value
    try:
        try:
            context, plugins = await build(vector)
        except Exception as error:  # google-adk does not take it
            return {"invalid": f"{type(error).__name__}: {error}"[:300]}
        return await compile_context(context, plugins)
    finally:
        for name in vector.get("env", {}):
            os.environ.pop(name, None)


async def compile_context(context, plugins):
    request = LlmRequest()
    recorder = Recorder(request)
    session = camel(context.session)
    context.plugin_manager = PluginManager(plugins + [Snapshot(recorder.take)])
    flow = context.agent._llm_flow
    if context.run_config.http_options:
        request.config.http_options = context.run_config.http_options.model_copy()
    emitted = []
    expected = {}
    processor = None
    try:
        for processor in flow._iter_request_processors():
            async for event in processor.run_async(context, request):
                await super(InMemorySessionService, context.session_service).append_event(context.session, event)
                emitted.append(camel(event))
            recorder.take(processor.name)
            if context.end_invocation:
                expected = {"outcome": "ended"}
                break
    except Exception as error:  # whatever google-adk stops at is its answer
        expected = {"outcome": "error", "error": error_of(error, processor.name)}
    if not expected:
        expected = await call_model(context, request, recorder)
    if emitted:
        expected["emitted_events"] = emitted
    return {"session": session, "expected": expected, "expected_stages": recorder.stages}


async def call_model(context, request, recorder):
    shell = Event(invocation_id=context.invocation_id, author=context.agent.name, branch=context.branch)
    try:
        answer = await handle_before_model_callback(context, request, shell)
    except Exception as error:
        is_plugin = recorder.stages[-1]["processor"] != "plugins"
        return {"outcome": "error", "error": error_of(error, "plugins" if is_plugin else "before_model_callbacks")}
    recorder.take("before_model_callbacks")
    outcome = "short_circuit"
    if not answer:
        outcome = "request"
        request.config.labels = request.config.labels or {}
        request.config.labels.setdefault("adk_agent_name", context.agent.name)
        recorder.take("model_call")
    expected = {"outcome": outcome, "request": whole_request(recorder.before)}
    if shell.actions.state_delta:
        expected["state_delta"] = shell.actions.state_delta
    return expected


async def measure(vector):
    context, plugins = await build(vector)
    context.plugin_manager = PluginManager(plugins)
    cpu_seconds = []
    for _ in range(vector["measure"]):
        start = time.process_time()
        request = LlmRequest()
        for processor in context.agent._llm_flow._iter_request_processors():
            async for _event in processor.run_async(context, request):
                pass
        cpu_seconds.append(time.process_time() - start)
    return {"cpu_seconds": cpu_seconds}


async def main():
    print(json.dumps({"ready": True}), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        question = json.loads(line)
        answer = await (measure if "measure" in question else compile_vector)(question)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
