"""What apps of the tests are made of: models that play a script, and runners with their services."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import pathlib
import sys
import time
import warnings

os.environ["TZ"] = "UTC"
time.tzset()
for _name in [name for name in os.environ if name.startswith(("GOOGLE_", "ADK_"))]:
    del os.environ[_name]
os.environ["GOOGLE_API_KEY"] = "not-a-key"
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "crates/strata-import/assets"))

from google.adk.models.base_llm import BaseLlm
from google.adk.models.google_llm import Gemini
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.version import __version__ as ADK
from google.genai import types
from pydantic import BaseModel, PrivateAttr, TypeAdapter

VERSION = tuple(int(part) for part in ADK.split(".")[:2])


class Skipped(Exception):
    """This google-adk does not have what the app needs."""


def needs(*version: int) -> None:
    if VERSION < version:
        raise Skipped(f"needs google-adk {'.'.join(map(str, version))}")


# ---------------------------------------------------------------------------------------------------------------------
# Models that play a script.


def camel(value):
    return json.loads(value.model_dump_json(by_alias=True, exclude_none=True))


def request_json(request):
    """A request as the oracle writes it."""
    config = {}
    for name, field in type(request.config).model_fields.items():
        value = getattr(request.config, name)
        if value is None:
            continue
        alias = field.alias or name
        if name in ("response_schema", "response_json_schema"):
            value = value if isinstance(value, dict) else TypeAdapter(value).json_schema()
        elif isinstance(value, BaseModel):
            value = camel(value)
        elif isinstance(value, list):
            value = [camel(one) if isinstance(one, BaseModel) else getattr(one, "value", one) for one in value]
        config[alias] = getattr(value, "value", value)
    whole = {"model": request.model, "contents": [camel(content) for content in request.contents], "config": config}
    for name in ("cache_config", "cache_metadata"):
        if getattr(request, name, None) is not None:
            whole[name] = getattr(request, name).model_dump(mode="json", exclude_none=True)
    for name in ("cacheable_contents_token_count", "previous_interaction_id", "service_tier"):
        if getattr(request, name, None) is not None:
            whole[name] = getattr(request, name)
    return whole


class Script:
    """What the models of an app answer: for each agent a list, by turns; the last one repeats."""

    def __init__(self, **answers):
        self.answers = answers
        self.used = {}
        self.requests = []
        self.prompt_tokens = 100

    def next(self, request):
        labels = request.config.labels or {}
        agent = labels.get("adk_agent_name", "")
        self.requests.append({"agent": agent, "request": request_json(request)})
        answers = self.answers.get(agent, ["Done."])
        at = self.used.get(agent, 0)
        self.used[agent] = at + 1
        answer = answers[min(at, len(answers) - 1)]
        return answer(request) if callable(answer) else answer

    def usage(self, request):
        n_characters = sum(len(content.model_dump_json(exclude_none=True)) for content in request.contents)
        prompt = self.prompt_tokens + n_characters // 4
        return types.GenerateContentResponseUsageMetadata(
            prompt_token_count=prompt,
            candidates_token_count=7,
            total_token_count=prompt + 7,
            cached_content_token_count=prompt // 3,
        )


def call(function, call_id=None, /, **args):
    return types.Part(function_call=types.FunctionCall(id=call_id, name=function, args=args))


def parts_of(answer):
    if isinstance(answer, (str, types.Part)):
        answer = [answer]
    return [types.Part(text=one) if isinstance(one, str) else one for one in answer]


async def play(script, request, stream):
    answer = script.next(request)
    await asyncio.sleep(0)
    if isinstance(answer, Exception):
        raise answer
    if isinstance(answer, LlmResponse):
        yield answer
        return
    parts = parts_of(answer)
    text = parts[0].text
    if stream and text:
        for at in range(0, len(text), 5):
            yield LlmResponse(
                content=types.Content(role="model", parts=[types.Part(text=text[at : at + 5])]), partial=True
            )
            await asyncio.sleep(0)
    content = types.Content(role="model", parts=parts)
    finish = types.FinishReason.STOP
    given = {"content": content, "usage_metadata": script.usage(request), "finish_reason": finish, "partial": False}
    given["model_version"] = request.model
    yield LlmResponse(**{name: value for name, value in given.items() if name in LlmResponse.model_fields})


class ScriptedGemini(Gemini):
    """Gemini to google-adk; what it is asked goes nowhere."""

    _script: Script = PrivateAttr(default=None)

    async def generate_content_async(self, llm_request, stream=False):
        async for response in play(self._script, llm_request, stream):
            yield response


class ScriptedOther(BaseLlm):
    """A class of models that google-adk does not know."""

    _script: Script = PrivateAttr(default=None)

    async def generate_content_async(self, llm_request, stream=False):
        async for response in play(self._script, llm_request, stream):
            yield response


def gemini(script, name="gemini-2.5-flash"):
    model = ScriptedGemini(model=name)
    model._script = script
    return model


def other(script, name="house-model"):
    model = ScriptedOther(model=name)
    model._script = script
    return model


# ---------------------------------------------------------------------------------------------------------------------
# Running an app.


class Stage:
    """A runner over an app, with its services."""

    def __init__(self, name, root, recorder, *, plugins=(), behind=(), memory=None, artifacts=None, app_options=None):
        self.name = name
        self.sessions = InMemorySessionService()
        self.memory = memory
        self.artifacts = artifacts
        services = {"session_service": self.sessions, "memory_service": memory, "artifact_service": artifacts}
        everything = [*plugins, recorder, *behind]
        try:
            from google.adk.apps.app import App
        except ImportError:
            if app_options:
                raise Skipped("this google-adk has no App") from None
            self.runner = Runner(app_name=name, agent=root, plugins=everything, **services)
            return
        app = App(name=name, root_agent=root, plugins=everything, **(app_options or {}))
        self.runner = Runner(app=app, **services)

    async def session(self, user="ada", state=None, id=None):
        return await self.sessions.create_session(app_name=self.name, user_id=user, state=state, session_id=id)

    async def say(self, session, *parts, run_config=None):
        content = types.Content(role="user", parts=parts_of(list(parts)))
        events = []
        options = {"run_config": run_config} if run_config else {}
        async for event in self.runner.run_async(
            user_id=session.user_id, session_id=session.id, new_message=content, **options
        ):
            events.append(event)
        return events

    async def close(self):
        if hasattr(self.runner, "close"):
            await self.runner.close()


# ---------------------------------------------------------------------------------------------------------------------
# The apps. Each is given a recorder, and gives back its script.

APPS = {}


def app(function):
    APPS[function.__name__] = function
    return function


def get_weather(city: str, unit: str = "celsius") -> dict:
    """The weather of a city.

    Args:
        city: Which city.
        unit: celsius or fahrenheit.
    """
    return {"city": city, "degrees": 21.5, "unit": unit, "rows": [1, 2, None]}


def remember(key: str, value: str, tool_context) -> str:
    """Keeps a value in the state."""
    tool_context.state[key] = value
    return "kept"


remember.__annotations__["tool_context"] = __import__(
    "google.adk.tools.tool_context", fromlist=["ToolContext"]
).ToolContext
