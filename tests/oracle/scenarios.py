"""Runs scenarios with google-adk, one JSON document a line on stdin, one answer a line on stdout.

A question is a scenario without its `expect`; the answer is that half as google-adk gives it, ids as they were made
(`id00001`, …), or `{"invalid": why}` where the scenario itself is at fault. The format is
tests/conformance/runtime/FORMAT.md. Time is virtual: it stands still while anything can go on.
"""

import asyncio
import copy
import inspect
import json
import re
import selectors
import signal
import sys
from typing import Any

import worker as own
from worker import (
    AgentTool,
    BaseAgent,
    BasePlugin,
    ContextFilterPlugin,
    Event,
    FunctionTool,
    Gemini,
    GlobalInstructionPlugin,
    InMemoryArtifactService,
    InMemoryMemoryService,
    InMemorySessionService,
    Invalid,
    LlmAgent,
    LlmResponse,
    LoopAgent,
    ParallelAgent,
    RunConfig,
    SequentialAgent,
    Session,
    BaseTool,
    BaseToolset,
    camel,
    exit_loop,
    load_artifacts,
    load_memory,
    preload_memory,
    sections_of,
    types,
    whole_request,
)

from google.adk.agents.context import Context
from google.adk.apps._configs import EventsCompactionConfig
from google.adk.apps.app import App
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.auth.auth_tool import AuthConfig
from google.adk.auth.credential_service.in_memory_credential_service import InMemoryCredentialService
from google.adk.events.event_actions import EventActions
from google.adk.events.request_input import RequestInput
from google.adk.platform import time as platform_time
from google.adk.platform import uuid as platform_uuid
from google.adk.plugins.reflect_retry_tool_plugin import ReflectAndRetryToolPlugin
from google.adk.plugins.save_files_as_artifacts_plugin import SaveFilesAsArtifactsPlugin
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.tools._node_tool import NodeTool
from google.adk.workflow import BaseNode, DEFAULT_ROUTE, Edge, FunctionNode, JoinNode, RetryConfig, START, Workflow
from google.adk.workflow import node as make_node
from google.adk.workflow._errors import DynamicNodeFailError
from google.adk.workflow.utils._workflow_graph_utils import build_node
from pydantic import ValidationError

BEGIN = 1_750_000_000.0
BETWEEN_TURNS = 60.0
TICK = 1e-6
# What takes longer, in seconds of the real clock, does not end.
MOST_SECONDS = 10


class ScriptedApiError(Exception):
    def __init__(self, message, status=None, code=None):
        super().__init__(message)
        self.status = status
        self.code = code


# Virtual time.


class JumpingSelector(selectors.SelectSelector):
    loop = None

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("the run waits for something that never comes")
        if timeout > 0:
            self.loop.elapsed += timeout
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.elapsed = 0.0
        selector = JumpingSelector()
        selector.loop = self
        super().__init__(selector)

    def time(self):
        return self.elapsed


# What happens, in order.


class Script:
    """One scenario while it runs."""

    def __init__(self, scenario, loop):
        self.scenario = scenario
        self.loop = loop
        self.turn = 0
        self.n_turns = 0
        self.last_told = 0.0
        self.n_ids = 0
        self.counts = {}
        self.answers = {name: list(answers) for name, answers in scenario.get("models", {}).items()}
        self.requests = []
        self.tool_calls = []
        self.node_runs = []
        self.hooks = []
        self.library = {}
        # What this file could not make of the scenario.
        self.fault = None

    def now(self):
        now = BEGIN + self.n_turns * BETWEEN_TURNS + self.loop.elapsed
        self.last_told = max(now, self.last_told + TICK)
        return self.last_told

    def new_id(self):
        self.n_ids += 1
        return f"id{self.n_ids:05}"

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1
        return self.counts[what] - 1

    def nth(self, runs, what):
        at = self.count(what)
        return runs[min(at, len(runs) - 1)] if runs else None


SCRIPT = None


def read(kind, spec):
    """A part, content or response as the scenario has it."""
    try:
        return kind.model_validate(spec)
    except ValidationError as error:
        SCRIPT.fault = f"ValidationError: {error}"
        raise


def raise_error(spec):
    if isinstance(spec, str):
        raise ValueError(spec)
    name, message = spec.get("type", "RuntimeError"), spec.get("message", "")
    if name == "ScriptedApiError":
        raise ScriptedApiError(message, spec.get("status"), spec.get("code"))
    import builtins

    raise getattr(builtins, name, RuntimeError)(message)


def response(answer):
    fields = {key: value for key, value in answer.items() if key not in ("delay", "no_content", "parts", "role")}
    if not answer.get("no_content"):
        fields["content"] = {"parts": answer.get("parts", []), "role": answer.get("role", "model")}
    return read(LlmResponse, copy.deepcopy(fields))


async def generate(self, llm_request, stream=False):
    labels = llm_request.config.labels or {}
    agent = labels.get("adk_agent_name", "")
    request = json.loads(json.dumps(whole_request(sections_of(llm_request))))
    SCRIPT.requests.append({"turn": SCRIPT.turn, "agent": agent, "stream": bool(stream), "request": request})
    queue = SCRIPT.answers.get(agent) or []
    if not queue:
        raise RuntimeError(f"no more answers for {agent}")
    answer = queue.pop(0)
    for one in answer.get("stream", [answer]):
        if one.get("delay"):
            await asyncio.sleep(one["delay"])
        if "raise" in one:
            raise_error(one["raise"])
        yield response(one)


Gemini.generate_content_async = generate
own.OtherModel.generate_content_async = generate


# Behaviours of callbacks, plugins and tools.


async def perform(ops, context, request=None, args=None):
    for op in ops:
        name = op["op"]
        if name == "set_state":
            for key, value in op["values"].items():
                context.state[key] = copy.deepcopy(value)
        elif name == "bump_state":
            context.state[op["key"]] = context.state.get(op["key"], 0) + op.get("by", 1)
        elif name == "append_state":
            context.state[op["key"]].append(copy.deepcopy(op["value"]))
        elif name == "put_state":
            context.state[op["key"]][op["field"]] = copy.deepcopy(op["value"])
        elif name == "save_artifact":
            await context.save_artifact(op["filename"], read(types.Part, op["part"]))
        elif name == "end_invocation":
            context._invocation_context.end_invocation = True
        elif name == "append_instruction":
            request.append_instructions([op["text"]])
        elif name == "keep_last_contents":
            request.contents = request.contents[-op["count"] :] if op["count"] > 0 else []
        elif name == "set_args":
            args.clear()
            args.update(copy.deepcopy(op["args"]))
        elif name == "put_arg":
            args[op["key"]] = copy.deepcopy(op["value"])
        elif name == "escalate":
            context.actions.escalate = True
        elif name == "skip_summarization":
            context.actions.skip_summarization = True
        elif name == "transfer":
            context.actions.transfer_to_agent = op["agent"]
        elif name == "remember":
            await context.add_session_to_memory()
        elif name == "sleep":
            await asyncio.sleep(op["seconds"])
        elif name == "raise":
            raise_error(op)
        else:
            raise Invalid(f"no behaviour does {name}")


class Behaviours:
    def __init__(self, list_):
        self.list = [(f"behaviour {id(self)} {at}", one) for at, one in enumerate(list_)]

    def matches(self, key, behaviour, context, tool, author):
        wanted = behaviour.get("match") or {}
        agent = context.agent_name if context is not None else None
        for name, found in (("agent", agent), ("tool", tool), ("author", author)):
            if name in wanted and wanted[name] != found:
                return False
        return "nth" not in wanted or SCRIPT.count(key) + 1 == wanted["nth"]

    async def run(self, context, tool=None, author=None, **editing):
        for key, behaviour in self.list:
            if not self.matches(key, behaviour, context, tool, author):
                continue
            await perform(behaviour.get("do", []), context, **editing)
            if behaviour.get("return") is not None:
                return copy.deepcopy(behaviour["return"])
        return None


def content(value):
    if value is None:
        return None
    if isinstance(value, str):
        return types.Content(role="model", parts=[types.Part(text=value)])
    return read(types.Content, value)


def log_hook(hook, by, on=None):
    entry = {"turn": SCRIPT.turn, "hook": hook, "by": by}
    if on is not None:
        entry["on"] = on
    SCRIPT.hooks.append(entry)


def answer_of(value):
    return None if value is None else response(value)


class ScriptedPlugin(BasePlugin):
    def __init__(self, spec):
        super().__init__(name=spec["name"])
        self.quiet = spec.get("quiet", [])
        self.hooks = {hook: Behaviours(list_) for hook, list_ in spec.get("hooks", {}).items()}

    def log(self, hook, on=None):
        if hook not in self.quiet:
            log_hook(hook, f"plugin:{self.name}", on)

    async def ask(self, hook, context, **given):
        return await self.hooks[hook].run(context, **given) if hook in self.hooks else None

    async def on_user_message_callback(self, *, invocation_context, user_message):
        self.log("on_user_message")
        return content(await self.ask("on_user_message", Context(invocation_context)))

    async def before_run_callback(self, *, invocation_context):
        self.log("before_run")
        return content(await self.ask("before_run", Context(invocation_context)))

    async def after_run_callback(self, *, invocation_context):
        self.log("after_run")
        await self.ask("after_run", Context(invocation_context))

    async def on_event_callback(self, *, invocation_context, event):
        self.log("on_event", event.author)
        edited = await self.ask("on_event", Context(invocation_context), author=event.author)
        return None if edited is None else Event.model_validate(edited)

    async def before_agent_callback(self, *, agent, callback_context):
        self.log("before_agent", agent.name)
        return content(await self.ask("before_agent", callback_context))

    async def after_agent_callback(self, *, agent, callback_context):
        self.log("after_agent", agent.name)
        return content(await self.ask("after_agent", callback_context))

    async def before_model_callback(self, *, callback_context, llm_request):
        self.log("before_model", callback_context.agent_name)
        return answer_of(await self.ask("before_model", callback_context, request=llm_request))

    async def after_model_callback(self, *, callback_context, llm_response):
        self.log("after_model", callback_context.agent_name)
        return answer_of(await self.ask("after_model", callback_context))

    async def on_model_error_callback(self, *, callback_context, llm_request, error):
        self.log("on_model_error", callback_context.agent_name)
        return answer_of(await self.ask("on_model_error", callback_context))

    async def before_tool_callback(self, *, tool, tool_args, tool_context):
        self.log("before_tool", tool.name)
        return await self.ask("before_tool", tool_context, tool=tool.name, args=tool_args)

    async def after_tool_callback(self, *, tool, tool_args, tool_context, result):
        self.log("after_tool", tool.name)
        return await self.ask("after_tool", tool_context, tool=tool.name, args=tool_args)

    async def on_tool_error_callback(self, *, tool, tool_args, tool_context, error):
        self.log("on_tool_error", tool.name)
        return await self.ask("on_tool_error", tool_context, tool=tool.name, args=tool_args)

    async def on_agent_error_callback(self, *, agent, callback_context, error):
        self.log("on_agent_error", agent.name)

    async def on_run_error_callback(self, *, invocation_context, error):
        self.log("on_run_error")


def plugin(spec):
    kind = spec["type"]
    if kind == "scripted":
        return ScriptedPlugin(spec)
    given = {key: value for key, value in spec.items() if key != "type"}
    if kind == "reflect_retry_tool":
        return ReflectAndRetryToolPlugin(**given)
    if kind == "save_files_as_artifacts":
        return SaveFilesAsArtifactsPlugin(**given)
    return own.plugin(spec)


def callback(hook, agent, behaviour):
    behaviours = Behaviours([behaviour])
    by = f"agent:{agent}"

    if hook in ("before_agent", "after_agent"):

        async def run(callback_context):
            log_hook(hook, by, callback_context.agent_name)
            return content(await behaviours.run(callback_context))

    elif hook == "before_model":

        async def run(callback_context, llm_request):
            log_hook(hook, by, callback_context.agent_name)
            return answer_of(await behaviours.run(callback_context, request=llm_request))

    elif hook == "after_model":

        async def run(callback_context, llm_response):
            log_hook(hook, by, callback_context.agent_name)
            return answer_of(await behaviours.run(callback_context))

    elif hook == "on_model_error":

        async def run(callback_context, llm_request, error):
            log_hook(hook, by, callback_context.agent_name)
            return answer_of(await behaviours.run(callback_context))

    elif hook == "before_tool":

        async def run(tool, args, tool_context):
            log_hook(hook, by, tool.name)
            return await behaviours.run(tool_context, tool=tool.name, args=args)

    elif hook == "after_tool":

        async def run(tool, args, tool_context, tool_response):
            log_hook(hook, by, tool.name)
            return await behaviours.run(tool_context, tool=tool.name, args=args)

    else:

        async def run(tool, args, tool_context, error):
            log_hook(hook, by, tool.name)
            return await behaviours.run(tool_context, tool=tool.name, args=args)

    return run


# Tools.


async def run_tool(name, args, context):
    entry = {
        "turn": SCRIPT.turn,
        "tool": name,
        "agent": context.agent_name,
        "args": copy.deepcopy(args),
        "function_call_id": context.function_call_id,
    }
    branch = context._invocation_context.branch
    if branch:
        entry["branch"] = branch
    if context.tool_confirmation is not None:
        entry["confirmation"] = camel(context.tool_confirmation)
    SCRIPT.tool_calls.append(entry)
    runs = SCRIPT.scenario.get("tools", {}).get(name) or [{"status": "ok"}]
    step = copy.deepcopy(SCRIPT.nth(runs, f"tool {name}"))
    if not (isinstance(step, dict) and step.get("$step")):
        return step
    return await perform_step(step, args, context)


async def perform_step(step, args, context):
    if step.get("delay"):
        await asyncio.sleep(step["delay"])
    for key, value in step.get("state", {}).items():
        context.state[key] = value
    await perform(step.get("do", []), context, args=args)
    for name, part in step.get("artifacts", {}).items():
        await context.save_artifact(name, read(types.Part, part))
    for key, value in step.get("actions", {}).items():
        setattr(context.actions, key, value)
    if "confirm" in step:
        if not context.tool_confirmation:
            context.request_confirmation(hint=step["confirm"], payload=step.get("confirm_payload"))
            if not step.get("keep_summarization"):
                context.actions.skip_summarization = True
            return {"error": "This tool call requires confirmation, please approve or reject."}
        if not context.tool_confirmation.confirmed:
            return {"error": "This tool call is rejected."}
    if "auth" in step:
        config = AuthConfig.model_validate(step["auth"])
        credential = context.get_auth_response(config)
        if credential is None:
            context.request_credential(config)
            return step.get("pending")
        return {"credential": camel(credential)}
    if step.get("raise") is not None:
        raise_error(step["raise"])
    if step.get("echo"):
        return {"echo": copy.deepcopy(args)}
    if step.get("read_state"):
        return {"value": context.state.get(step["read_state"])}
    if step.get("load_artifact"):
        part = await context.load_artifact(step["load_artifact"], step.get("version"))
        return {"artifact": None if part is None else camel(part)}
    if step.get("list_artifacts"):
        return {"files": await context.list_artifacts()}
    if step.get("search_memory"):
        found = await context.search_memory(step["search_memory"])
        return {"found": ["".join(part.text or "" for part in one.content.parts or []) for one in found.memories]}
    if step.get("confirmation_payload"):
        said = context.tool_confirmation
        return {"payload": said.payload if said else None}
    result = step.get("result")
    if "media" in step:
        result = {**result, **{key: read(types.Part, part) for key, part in step["media"].items()}}
    return result


class DeclaredTool(BaseTool):
    def __init__(self, spec):
        self.declaration = spec["declaration"]
        super().__init__(
            name=self.declaration["name"],
            description=self.declaration.get("description", ""),
            is_long_running=spec.get("is_long_running", False),
        )
        self.confirmation = spec.get("require_confirmation", False)

    def _get_declaration(self):
        declaration = read(types.FunctionDeclaration, self.declaration)
        declaration.name = self.name
        return declaration

    async def check_require_confirmation(self, args, tool_context):
        if isinstance(self.confirmation, dict):
            value = args.get(self.confirmation["arg"])
            return isinstance(value, (int, float)) and value > self.confirmation["above"]
        return self.confirmation

    async def run_async(self, *, args, tool_context):
        return await run_tool(self.name, args, tool_context)


class DeclaredLongRunning(own.DeclaredLongRunning):
    def __init__(self, declaration):
        super().__init__(declaration, None)

    async def run_async(self, *, args, tool_context):
        return await run_tool(self.name, args, tool_context)


class Toolset(BaseToolset):
    def __init__(self, tools, spec):
        super().__init__(tool_name_prefix=spec.get("prefix"))
        self.tools = tools
        self.fail = spec.get("fail")

    async def get_tools(self, readonly_context=None):
        if self.fail:
            raise RuntimeError(self.fail)
        return self.tools

    async def close(self):
        pass


ANNOTATIONS = {"str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict, "Any": Any}


def parameters(specs):
    for spec in specs:
        default = spec["default"] if "default" in spec else inspect.Parameter.empty
        annotation = ANNOTATIONS[spec["type"]] if spec.get("type") else inspect.Parameter.empty
        yield inspect.Parameter(spec["name"], inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def with_signature(run, name, described, params):
    run.__name__ = name
    run.__doc__ = described
    run.__signature__ = inspect.Signature(params)
    run.__annotations__ = {one.name: one.annotation for one in params if one.annotation is not inspect.Parameter.empty}
    return run


def typed_function(spec):
    async def run(*, tool_context, **args):
        return await run_tool(spec["name"], args, tool_context)

    params = list(parameters(spec.get("params", [])))
    context = inspect.Parameter("tool_context", inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    with_signature(run, spec["name"], spec.get("description", ""), [*params, context])
    return FunctionTool(run, require_confirmation=spec.get("require_confirmation", False))


def tool(spec):
    kind = spec["type"]
    if kind == "function":
        return DeclaredTool(spec)
    if kind == "long_running_function":
        return DeclaredLongRunning(spec["declaration"])
    if kind == "typed_function":
        return typed_function(spec)
    if kind == "toolset":
        return Toolset([tool(inner) for inner in spec["tools"]], spec)
    if kind == "agent_tool":
        inner = node(spec["agent"])
        return AgentTool(inner, spec.get("skip_summarization", False), include_plugins=spec.get("include_plugins", True))
    if kind == "node_tool":
        return NodeTool(node(spec["node"]), name=spec.get("name"), description=spec.get("description"))
    if kind == "request_input":
        from google.adk.tools import request_input

        return request_input
    plain = {"load_memory": load_memory, "preload_memory": preload_memory, "load_artifacts": load_artifacts}
    return plain[kind] if kind in plain else FunctionTool(exit_loop)


# Agents.


class CustomAgent(BaseAgent):
    runs: list = []

    async def _run_async_impl(self, ctx):
        for item in SCRIPT.nth(self.runs, f"agent {self.name}") or []:
            if "sleep" in item:
                await asyncio.sleep(item["sleep"])
            elif "raise" in item:
                raise_error(item["raise"])
            else:
                yield self.event(item, ctx)

    def event(self, item, ctx):
        said = None
        if "text" in item:
            said = types.Content(role=item.get("role", "model"), parts=[types.Part(text=item["text"])])
        actions = EventActions(state_delta=copy.deepcopy(item.get("state", {})))
        for key in ("escalate", "skip_summarization"):
            if key in item:
                setattr(actions, key, item[key])
        fields = {key: item[key] for key in ("output", "partial") if key in item}
        return Event(
            author=item.get("author", self.name),
            invocation_id=ctx.invocation_id,
            branch=ctx.branch,
            content=said,
            actions=actions,
            **fields,
        )


CALLBACKS = (
    "before_agent",
    "after_agent",
    "before_model",
    "after_model",
    "on_model_error",
    "before_tool",
    "after_tool",
    "on_tool_error",
)


def retry(spec):
    return None if spec is None else RetryConfig(jitter=0.0, **spec)


def agent(spec):
    fields = {key: spec[key] for key in ("name", "description") if key in spec}
    fields["sub_agents"] = [agent(sub) for sub in spec.get("sub_agents", [])]
    for hook in CALLBACKS:
        if f"{hook}_callbacks" in spec:
            fields[f"{hook}_callback"] = [callback(hook, spec["name"], one) for one in spec[f"{hook}_callbacks"]]
    kind = spec["type"]
    if kind == "custom":
        return CustomAgent(runs=spec["runs"], **fields)
    if kind != "llm":
        if "max_iterations" in spec:
            fields["max_iterations"] = spec["max_iterations"]
        return {"sequential": SequentialAgent, "parallel": ParallelAgent, "loop": LoopAgent}[kind](**fields)
    plain = (
        "include_contents",
        "mode",
        "output_key",
        "disallow_transfer_to_parent",
        "disallow_transfer_to_peers",
        "parallel_worker",
        "timeout",
        "rerun_on_resume",
    )
    fields |= {key: spec[key] for key in plain if key in spec}
    for key, make in (
        ("model", own.model),
        ("instruction", own.instruction),
        ("global_instruction", own.instruction),
        ("static_instruction", own.static_instruction),
        ("output_schema", own.schema),
        ("input_schema", own.schema),
        ("generate_content_config", types.GenerateContentConfig.model_validate),
        ("tools", lambda tools: [tool(one) for one in tools]),
    ):
        if key in spec:
            fields[key] = make(spec[key])
    if "retry" in spec:
        fields["retry_config"] = retry(spec["retry"])
    if "planner" in spec:
        planner = spec["planner"]
        thinking = read(types.ThinkingConfig, planner.get("thinking_config", {}))
        is_own = planner["type"] == "plan_re_act"
        fields["planner"] = own.PlanReActPlanner() if is_own else own.BuiltInPlanner(thinking_config=thinking)
    return LlmAgent(**fields)


make_class = own.schema_class


def bare_class(schema, classes):
    """A class that prints without the module it was made in."""
    made = make_class(schema, classes)
    made.__module__ = "builtins"
    return made


own.schema_class = bare_class


# Nodes.


def plain_value(value):
    if isinstance(value, types.Content):
        return "".join(part.text or "" for part in value.parts or [])
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    if isinstance(value, dict):
        return {key: plain_value(item) for key, item in value.items()}
    if hasattr(value, "model_dump"):
        return value.model_dump()
    return value


class Ends(Exception):
    pass


def item_of(value, key):
    try:
        return value[key]
    except (KeyError, IndexError, TypeError):
        return None


class Frame:
    """A run of a scripted node."""

    def __init__(self, spec, ctx, node_input, params, takes_input):
        self.spec = spec
        self.ctx = ctx
        self.input = node_input
        self.vars = dict(params)
        entry = {"turn": SCRIPT.turn, "node_path": ctx.node_path, "attempt": ctx.attempt_count}
        branch = ctx._invocation_context.branch
        if branch:
            entry["branch"] = branch
        if ctx.resume_inputs:
            entry["resume"] = list(ctx.resume_inputs)
        if takes_input and node_input is not None:
            entry["input"] = plain_value(node_input)
        SCRIPT.node_runs.append(entry)
        self.ops = SCRIPT.nth(spec["runs"], f"node {spec['name']}") or []

    def value(self, value):
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if not isinstance(value, dict):
            return copy.deepcopy(value)
        if "$" not in value:
            return {key: self.value(item) for key, item in value.items()}
        kind = value["$"]
        if kind == "input":
            return plain_value(self.input)
        if kind == "state":
            return self.ctx.state.get(value["key"])
        if kind == "var":
            return self.vars.get(value["name"])
        if kind == "resume":
            return (self.ctx.resume_inputs or {}).get(value["id"])
        if kind == "attempt":
            return self.ctx.attempt_count
        if kind == "run_id":
            return self.ctx.run_id
        if kind == "node_path":
            return self.ctx.node_path
        if kind == "branch":
            return self.ctx._invocation_context.branch
        if kind == "get":
            of, key = self.value(value["of"]), self.value(value["key"])
            return item_of(of, key)
        if kind == "concat":
            return "".join(str(self.value(item)) for item in value["of"])
        if kind == "add":
            return sum(self.value(item) for item in value["of"])
        if kind == "len":
            return len(self.value(value["of"]))
        raise Invalid(f"no value is called {kind}")

    def holds(self, condition):
        (kind, of), *_ = condition.items()
        if kind == "has_resume":
            return of in (self.ctx.resume_inputs or {})
        if kind == "has_state":
            return of in self.ctx.state
        if kind == "attempt_below":
            return self.ctx.attempt_count < of
        if kind == "not":
            return not self.holds(of)
        a, b = (self.value(item) for item in of)
        return a == b if kind == "eq" else a < b

    async def run(self):
        try:
            async for item in self.block(self.ops):
                yield item
        except Ends:
            pass

    async def run_once(self):
        try:
            async for item in self.block(self.ops, is_once=True):
                return item
        except Ends as end:
            return end.args[0] if end.args else None
        return None

    async def run_node(self, op):
        target = SCRIPT.library[op["ref"]] if "ref" in op else op_node(op)
        given = {key: self.value(op[key]) for key in ("run_id", "use_as_output", "use_sub_branch") if key in op}
        try:
            return plain_value(await self.ctx.run_node(target, node_input=self.value(op.get("input")), **given))
        except Exception as error:
            if not op.get("catch"):
                raise
            while isinstance(error, DynamicNodeFailError):
                error = error.error
            return {"caught": type(error).__name__}

    async def block(self, ops, is_once=False):
        for op in ops:
            name = op["op"]
            if name == "yield":
                yield self.value(op["value"])
            elif name == "event":
                yield Event(**self.value(op["event"]))
            elif name == "return":
                raise Ends(self.value(op.get("value")))
            elif name == "set_state":
                for key, value in self.value(op["values"]).items():
                    self.ctx.state[key] = value
            elif name == "set_output":
                self.ctx.output = self.value(op["value"])
            elif name == "set_route":
                self.ctx.route = self.value(op["value"])
            elif name == "save_artifact":
                await self.ctx.save_artifact(op["filename"], read(types.Part, op["part"]))
            elif name == "request_input":
                given = {"message": self.value(op.get("message")), "payload": self.value(op.get("payload"))}
                if "id" in op:
                    given["interrupt_id"] = self.value(op["id"])
                if "schema" in op:
                    given["response_schema"] = op["schema"]
                yield RequestInput(**given)
            elif name == "sleep":
                await asyncio.sleep(op["seconds"])
            elif name == "raise":
                raise_error(self.value(op))
            elif name == "let":
                self.vars[op["name"]] = self.value(op["value"])
            elif name == "run_node":
                result = await self.run_node(op)
                if "into" in op:
                    self.vars[op["into"]] = result
            elif name == "gather":
                self.vars[op["into"]] = list(await asyncio.gather(*(self.run_node(run) for run in op["runs"])))
            elif name == "if":
                async for item in self.block(op["then"] if self.holds(op["cond"]) else op.get("else", []), is_once):
                    yield item
            elif name == "for":
                for item in self.value(op["items"]):
                    self.vars[op["as"]] = item
                    async for inner in self.block(op["do"], is_once):
                        yield inner
            elif name == "repeat":
                while self.holds(op["while"]):
                    async for inner in self.block(op["do"], is_once):
                        yield inner
            else:
                raise Invalid(f"no node does {name}")


NODES_OF_OPS = {}


def op_node(op):
    key = id(op)
    if key not in NODES_OF_OPS:
        NODES_OF_OPS[key] = (op, node(op["node"]))
    return NODES_OF_OPS[key][1]


def function_node(spec):
    takes_input = not spec.get("no_input")

    async def generator(*, ctx, node_input=None, **params):
        async for item in Frame(spec, ctx, node_input, params, takes_input).run():
            yield item

    async def function(*, ctx, node_input=None, **params):
        return await Frame(spec, ctx, node_input, params, takes_input).run_once()

    params = [inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=Context)]
    if takes_input:
        annotation = ANNOTATIONS[spec["input_type"]] if spec.get("input_type") else inspect.Parameter.empty
        params.append(inspect.Parameter("node_input", inspect.Parameter.KEYWORD_ONLY, annotation=annotation))
    params.extend(parameters(spec.get("params", [])))
    run = function if spec.get("style") == "function" else generator
    with_signature(run, spec["name"], spec.get("description"), params)
    made = FunctionNode(
        func=run,
        name=spec["name"],
        rerun_on_resume=spec.get("rerun_on_resume", bool(spec.get("require_confirmation"))),
        retry_config=retry(spec.get("retry")),
        timeout=spec.get("timeout"),
        require_confirmation=spec.get("require_confirmation", False),
    )
    for key in ("input_schema", "output_schema"):
        if key in spec:
            setattr(made, key, own.schema(spec[key]))
    if "wait_for_output" in spec:
        made.wait_for_output = spec["wait_for_output"]
    if spec.get("parallel_worker"):
        return make_node(made, parallel_worker=True, max_parallel_workers=spec.get("max_parallel_workers"))
    return made


class ScriptedNode(BaseNode):
    spec: dict = {}

    async def _run_impl(self, *, ctx, node_input):
        async for item in Frame(self.spec, ctx, node_input, {}, False).run():
            yield item


def base_node(spec):
    fields = {key: spec[key] for key in ("name", "rerun_on_resume", "wait_for_output", "timeout") if key in spec}
    if "retry" in spec:
        fields["retry_config"] = retry(spec["retry"])
    for key in ("input_schema", "output_schema"):
        if key in spec:
            fields[key] = own.schema(spec[key])
    made = ScriptedNode(**fields)
    made.spec = spec
    return made


class OrderedWorkflow(Workflow):
    """Joins gather what comes before them in the order of edges; google-adk takes a set."""

    def _buffer_barrier_trigger(self, loop_state, node_name):
        super()._buffer_barrier_trigger(loop_state, node_name)
        order = [edge.from_node.name for edge in self.graph.edges if edge.to_node.name == node_name]
        for trigger in loop_state.trigger_buffer.get(node_name, []):
            if isinstance(trigger.input, dict):
                trigger.input = {name: trigger.input[name] for name in dict.fromkeys(order) if name in trigger.input}


def workflow(spec):
    for one in spec.get("library", []):
        SCRIPT.library[one["name"]] = node(one)
    nodes = {}
    for one in spec["nodes"]:
        made = node(one)
        nodes.setdefault(made.name, []).append(made)
    used = {}

    def end(name):
        if name == "START":
            return START
        made = nodes[name]
        used[name] = used.get(name, -1) + 1
        # Several nodes of one name are told apart by their places.
        return made[min(used[name], len(made) - 1)]

    edges = []
    for one in spec["edges"]:
        route = one.get("route")
        edges.append(Edge(from_node=end(one["from"]), to_node=end(one["to"]), route=route))
    fields = {key: spec[key] for key in ("name", "description", "max_concurrency", "wait_for_output", "timeout", "rerun_on_resume") if key in spec}
    for key in ("input_schema", "output_schema", "state_schema"):
        if key in spec:
            fields[key] = own.schema(spec[key])
    if "retry" in spec:
        fields["retry_config"] = retry(spec["retry"])
    return OrderedWorkflow(edges=edges, **fields)


def node(spec):
    kind = spec["type"]
    if kind == "function_node":
        return function_node(spec)
    if kind == "base_node":
        return base_node(spec)
    if kind == "join":
        return JoinNode(name=spec["name"])
    if kind == "workflow":
        return workflow(spec)
    if kind == "tool_node":
        return build_node(tool(spec["tool"]), name=spec.get("name"), retry_config=retry(spec.get("retry")), timeout=spec.get("timeout"))
    return agent(spec)


# Turns.


def compaction(spec):
    given = dict(spec)
    summarizer = given.pop("summarizer", None)
    if summarizer:
        llm = Gemini(model=summarizer["model"]) if summarizer.get("model") else None
        if llm is None:
            raise Invalid("a summarizer needs a model here")
        given["summarizer"] = LlmEventSummarizer(llm, prompt_template=summarizer.get("prompt_template"))
    return EventsCompactionConfig(**given)


def app(spec):
    fields = {"name": spec["name"], "root_agent": node(spec["root_agent"])}
    fields["plugins"] = [plugin(one) for one in spec.get("plugins", [])]
    if "events_compaction_config" in spec:
        fields["events_compaction_config"] = compaction(spec["events_compaction_config"])
    for key in ("context_cache_config", "resumability_config"):
        if key in spec:
            fields[key] = spec[key]
    return App(**fields)


def shown_event(event, times):
    out = json.loads(json.dumps(camel(event)))
    out.pop("timestamp", None)
    actions = out.pop("actions", {})
    if event.partial:
        actions = {}
    for key in ("stateDelta", "artifactDelta", "requestedAuthConfigs", "requestedToolConfirmations"):
        if not actions.get(key):
            actions.pop(key, None)
    made = actions.get("compaction")
    if made:
        for key in ("startTimestamp", "endTimestamp"):
            if made.get(key) in times:
                made[key] = {"event": times.index(made[key])}
    if actions:
        out["actions"] = actions
    if out.get("nodeInfo") in ({"path": ""}, {}):
        del out["nodeInfo"]
    return out


class Services:
    def __init__(self, scenario):
        given = scenario.get("services", {})
        self.app = scenario["app"]["name"]
        self.sessions = InMemorySessionService()
        self.artifacts = None if given.get("artifacts", []) is None else InMemoryArtifactService()
        self.memory = None if given.get("memory", []) is None else InMemoryMemoryService()
        self.known = []

    def know(self, user, session):
        if (user, session) not in self.known:
            self.known.append((user, session))

    async def create(self, user, session, state):
        self.know(user, session)
        await self.sessions.create_session(app_name=self.app, user_id=user, session_id=session, state=copy.deepcopy(state))

    async def session(self, user, session):
        return await self.sessions.get_session(app_name=self.app, user_id=user, session_id=session)

    async def prepare(self, scenario):
        given = scenario.get("services", {})
        self.know("user-1", "session-1")
        if not given.get("no_session"):
            await self.create("user-1", "session-1", given.get("state", {}))
            session = await self.session("user-1", "session-1")
            for event in given.get("events", []):
                await self.sessions.append_event(session, Event.model_validate(event))
        for other in given.get("other_sessions", []):
            await self.create(other.get("user", "user-1"), other["id"], other.get("state", {}))
        for artifact in given.get("artifacts") or []:
            for version in artifact.get("versions", [artifact.get("part")]):
                await self.artifacts.save_artifact(
                    app_name=self.app,
                    user_id="user-1",
                    session_id="session-1",
                    filename=artifact["filename"],
                    artifact=read(types.Part, version),
                )
        for session in given.get("memory") or []:
            await self.memory.add_session_to_memory(Session.model_validate(session))

    def state(self):
        out = {}
        of_app = self.sessions.app_state.get(self.app)
        if of_app:
            out["app"] = of_app
        users = {user: state for user, state in self.sessions.user_state.get(self.app, {}).items() if state}
        if users:
            out["user"] = users
        out["session"] = {}
        for user, sessions in self.sessions.sessions.get(self.app, {}).items():
            for name, session in sessions.items():
                out["session"][f"{user}/{name}"] = session.state
        return json.loads(json.dumps(out))

    def all_artifacts(self):
        if self.artifacts is None:
            return {}
        return {path: [camel(one.data) for one in versions] for path, versions in self.artifacts.artifacts.items()}

    def remembered(self):
        if self.memory is None:
            return {}
        out = {}
        for key, sessions in self.memory._session_events.items():
            user = key[1]
            for name, events in sessions.items():
                out[f"{user}/{name}"] = len(events)
        return out


def latest_call(session, name, nth):
    for event in reversed(session.events if session else []):
        for call in reversed(event.get_function_calls()):
            if call.name == name:
                if nth == 0:
                    return call
                nth -= 1
    return None


def part(spec, session):
    if isinstance(spec, str):
        return types.Part(text=spec)
    if "$answer" in spec:
        call = latest_call(session, spec["$answer"], spec.get("nth", 0))
        name = spec.get("as", spec["$answer"])
        found = None if call is None else call.id
        return types.Part(function_response=types.FunctionResponse(id=found, name=name, response=spec.get("response")))
    if "$credential" in spec:
        call = latest_call(session, "adk_request_credential", 0)
        config = dict((call.args or {}).get("authConfig", {})) if call else {}
        config["exchangedAuthCredential"] = spec["$credential"]
        name = "adk_request_credential"
        found = None if call is None else call.id
        return types.Part(function_response=types.FunctionResponse(id=found, name=name, response=config))
    return read(types.Part, spec)


def run_config(spec):
    given = dict(spec)
    if "get_session_config" in given:
        given["get_session_config"] = GetSessionConfig(**given["get_session_config"])
    return RunConfig(**given)


async def run_turn(turn, runner, services, invocations, who):
    user, name = who
    ids = {"user_id": user, "session_id": name}
    if "rewind_to_turn" in turn:
        await runner.rewind_async(**ids, rewind_before_invocation_id=invocations[turn["rewind_to_turn"]])
        return
    session = await services.session(*who)
    if turn.get("remember_session"):
        await services.memory.add_session_to_memory(session)
        return
    message = None
    if "user" in turn:
        parts = [part(one, session) for one in turn["user"]]
        message = types.Content(role=turn.get("role", "user"), parts=parts)
    abort = asyncio.Event()
    given = {}
    if "resume_turn" in turn:
        given["invocation_id"] = invocations[turn["resume_turn"]]
    if "state_delta" in turn:
        given["state_delta"] = copy.deepcopy(turn["state_delta"])
    if "run_config" in turn:
        given["run_config"] = run_config(turn["run_config"])
    if turn.get("yield_user_message"):
        given["yield_user_message"] = True
    if "abort_after" in turn:
        given["abort_signal"] = abort
    n_events = 0
    stream = runner.run_async(**ids, new_message=message, **given)
    try:
        async for event in stream:
            n_events += 1
            yield event
            if n_events == turn.get("abort_after"):
                abort.set()
            if n_events == turn.get("stop_after"):
                break
    finally:
        await stream.aclose()


def error_of(error):
    message = error.args[0] if isinstance(error, KeyError) and error.args else error
    return {"type": type(error).__name__, "message": str(message)}


async def run_turns(scenario, runner, services):
    outcomes, invocations = [], []
    for at, turn in enumerate(scenario["turns"]):
        SCRIPT.turn = at
        SCRIPT.n_turns += 1
        who = (turn.get("user_id", "user-1"), turn.get("session_id", "session-1"))
        services.know(*who)
        if "create_session" in turn:
            await services.create(*who, turn["create_session"])
        before = await services.session(*who)
        n_before = len(before.events) if before else 0
        begin = SCRIPT.loop.elapsed
        yielded, failure = [], None
        try:
            async for event in run_turn(turn, runner, services, invocations, who):
                yielded.append(event)
        except Invalid:
            raise
        except Exception as error:
            failure = error_of(error)
        after = await services.session(*who)
        stored = after.events[n_before:] if after else []
        invocations.append(stored[0].invocation_id if stored else None)
        outcomes.append((yielded, stored, None if after is None else copy.deepcopy(after.state), failure, SCRIPT.loop.elapsed - begin))
    return outcomes


def shown_turn(outcome, times):
    yielded, stored, state, failure, seconds = outcome
    shown = [shown_event(event, times) for event in yielded]
    out = {"events": shown, "stored": []}
    for event in stored:
        kept = shown_event(event, times)
        out["stored"].append({"yielded": shown.index(kept)} if kept in shown else {"event": kept})
    if state is not None:
        out["state"] = json.loads(json.dumps(state))
    if failure:
        out["error"] = failure
    if round(seconds, 6):
        out["virtual_seconds"] = round(seconds, 6)
    return out


def build_error(error):
    message = str(error)
    if type(error).__name__ == "ValidationError":
        if error.errors()[0]["type"] in ("missing", "extra_forbidden"):
            raise Invalid(message)
        cause = error.errors()[0].get("ctx", {}).get("error")
        if isinstance(cause, Exception):
            return build_error(cause)
    return {"type": type(error).__name__, "message": from_smallest(message)}


def from_smallest(message):
    """A cycle is told from its smallest name on; google-adk begins anywhere."""
    found = re.search(r"Unconditional cycle detected: (.+?)\. Cycles", message)
    if not found:
        return message
    names = found.group(1).split(" -> ")[:-1]
    least = names.index(min(names))
    names = names[least:] + names[:least]
    return message.replace(found.group(1), " -> ".join([*names, names[0]]))


async def run_scenario(scenario):
    nothing = {"turns": [], "requests": [], "state": {"session": {}}}
    try:
        made = app(scenario["app"])
        services = Services(scenario)
        runner = Runner(
            app=made,
            session_service=services.sessions,
            artifact_service=services.artifacts,
            memory_service=services.memory,
            credential_service=InMemoryCredentialService(),
            auto_create_session=bool(scenario.get("services", {}).get("auto_create_session")),
        )
    except Invalid:
        raise
    except Exception as error:
        return {"build_error": build_error(error), **nothing}
    await services.prepare(scenario)
    outcomes = await run_turns(scenario, runner, services)
    session = await services.session("user-1", "session-1")
    times = [event.timestamp for event in session.events] if session else []
    result = {
        "turns": [shown_turn(outcome, times) for outcome in outcomes],
        "requests": SCRIPT.requests,
        "state": services.state(),
    }
    for key, value in (
        ("tool_calls", SCRIPT.tool_calls),
        ("node_runs", SCRIPT.node_runs),
        ("hooks", SCRIPT.hooks),
        ("artifacts", services.all_artifacts()),
        ("memory", services.remembered()),
    ):
        if value:
            result[key] = value
    return result


class TakesTooLong(KeyboardInterrupt):
    """Raised out of everything: neither asyncio nor google-adk keeps it."""


def stop(*_):
    raise TakesTooLong


# Code that reads scenarios.
OWN_FILES = (__file__, own.__file__)


def watch(frame, *_):
    """Sees what this file's own code raises: then the scenario says something it does not know."""
    return watch_errors if frame.f_code.co_filename in OWN_FILES else None


def watch_errors(frame, event, arg):
    if event == "exception" and frame.f_code.co_name not in ("raise_error", "item_of"):
        kind, error, trace = arg
        if trace is not None and trace.tb_next is None and issubclass(kind, (KeyError, TypeError, AttributeError, IndexError)):
            SCRIPT.fault = f"{kind.__name__}: {error} in {frame.f_code.co_name}"
    return watch_errors


def answer(scenario):
    global SCRIPT
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(MOST_SECONDS)
    loop = VirtualLoop()
    NODES_OF_OPS.clear()
    SCRIPT = Script(scenario, loop)
    platform_time.set_time_provider(lambda: SCRIPT.now())
    platform_uuid.set_id_provider(lambda: SCRIPT.new_id())
    try:
        sys.settrace(watch)
        result = loop.run_until_complete(run_scenario(scenario))
        sys.settrace(None)
        end(loop)
        return {"invalid": SCRIPT.fault} if SCRIPT.fault else result
    except TakesTooLong:
        return {"invalid": "takes too long"}
    except Exception as error:
        return {"invalid": f"{type(error).__name__}: {error}"[:300]}
    finally:
        sys.settrace(None)
        signal.alarm(0)


def end(loop):
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def main():
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
