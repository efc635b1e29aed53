"""Writes the sessions of `adk/`: a small app with scripted models, as each service of google-adk 2.13 stores it.

    weather.py FOLDER

The ids and times of a run are new; nothing in the tests goes by them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import pathlib
import sqlite3
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.debug_logging_plugin import DebugLoggingPlugin
from google.adk.runners import Runner
from google.adk.sessions import DatabaseSessionService, InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

REQUESTS = []


def get_weather(city: str, days: int) -> dict:
    """Get the weather.

    Args:
      city: the city
      days: how many days
    """
    return {"city": city, "days": days, "celsius": [21.5, 19.0][:days]}


def note_rows(rows: int, tool_context) -> dict:
    """Remember how many rows a table has."""
    tool_context.state["last_rows"] = rows
    return {"kept": rows}


def says(text=None, thought=None, calls=(), usage=(10, 5)):
    parts = [types.Part(text=thought, thought=True)] if thought else []
    parts += [types.Part(text=text)] if text else []
    parts += [types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in calls]
    prompt, output = usage
    counts = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=prompt, candidates_token_count=output, total_token_count=prompt + output
    )
    return LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=counts)


class Scripted(BaseLlm):
    """Answers from a list, and keeps what it was asked."""

    answers: list

    async def generate_content_async(self, llm_request, stream=False):
        config = llm_request.config
        camel = dict(mode="json", by_alias=True, exclude_none=True)
        REQUESTS.append(
            {
                "model": llm_request.model,
                "system_instruction": str(config.system_instruction),
                "contents": [content.model_dump(**camel) for content in llm_request.contents],
                "tools": [tool.model_dump(mode="json", exclude_none=True) for tool in config.tools or []],
            }
        )
        yield self.answers.pop(0)


def app():
    helper = LlmAgent(
        name="helper",
        description="helps",
        instruction="Help.",
        model=Scripted(model="helper", answers=[says("Take an umbrella."), says("And a coat.")]),
    )
    root = Scripted(
        model="root",
        answers=[
            says(
                "I will look.",
                thought="They ask for two places.",
                calls=[("get_weather", {"city": "Oslo", "days": 2}), ("get_weather", {"city": "Rome", "days": 1})],
            ),
            says("Oslo has 21.5 degrees, Rome as well."),
            says(calls=[("note_rows", {"rows": 12})]),
            says("Twelve rows are kept."),
            says(calls=[("transfer_to_agent", {"agent_name": "helper"})]),
        ],
    )
    return LlmAgent(
        name="root_agent",
        model=root,
        instruction="You are a weather bot. Rows: {last_rows?}",
        tools=[get_weather, note_rows],
        sub_agents=[helper],
    )


TURNS = ["What is the weather in Oslo and Rome?", "Keep 12 rows.", "What should I wear?", "Anything else?"]


async def play(service, plugins=()):
    runner = Runner(app_name="weather", agent=app(), session_service=service, plugins=list(plugins))
    session = await service.create_session(app_name="weather", user_id="u1", session_id="s-main")
    REQUESTS.clear()
    for turn in TURNS:
        content = types.Content(role="user", parts=[types.Part(text=turn)])
        async for _ in runner.run_async(user_id="u1", session_id=session.id, new_message=content):
            pass
    saved = await service.get_session(app_name="weather", user_id="u1", session_id=session.id)
    return saved.model_dump_json(by_alias=True, exclude_none=True, indent=1)


def tables(database: pathlib.Path):
    """A database as its tables: what is binary in base64 would not be read by anybody, and there is none."""
    connection = sqlite3.connect(database)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    whole = {}
    for name in names:
        rows = connection.execute(f'SELECT * FROM "{name}"')
        columns = [column[0] for column in rows.description]
        whole[name] = {"columns": columns, "rows": [list(row) for row in rows]}
    return json.dumps(whole, indent=1, ensure_ascii=False)


async def main(folder: pathlib.Path):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        log = scratch / "adk_debug.yaml"
        session = await play(InMemorySessionService(), [DebugLoggingPlugin(output_path=str(log))])
        (folder / "weather.session.json").write_text(session + "\n")
        (folder / "weather.requests.json").write_text(json.dumps(REQUESTS, indent=1) + "\n")
        (folder / "weather.debug-log.yaml").write_text(log.read_text())

        alchemy, own = scratch / "alchemy.db", scratch / "own.db"
        for path, service in [
            (alchemy, DatabaseSessionService(f"sqlite+aiosqlite:///{alchemy}")),
            (own, SqliteSessionService(str(own))),
        ]:
            saved = await play(service)
            name = "database" if path is alchemy else "sqlite"
            (folder / f"weather.{name}-service.session.json").write_text(saved + "\n")
            (folder / f"weather.{name}-service.tables.json").write_text(tables(path) + "\n")


os.environ.setdefault("GOOGLE_API_KEY", "not-a-key")
asyncio.run(main(pathlib.Path(sys.argv[1])))
