"""Writes `VERSION.session.json` and `VERSION.requests.json`: one app, run on the google-adk that is installed.

    run.py FOLDER

For releases from 1.17: what they do otherwise than 2.13 is in this app, which hands over, compacts, thinks without
speaking, puts a changing instruction behind a static one, and waits for a tool that answers late.
"""

from __future__ import annotations

import asyncio
import json
import logging
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from google.adk import version
from google.adk.agents import LlmAgent
from google.adk.apps.app import App, EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import LongRunningFunctionTool
from google.genai import types

REQUESTS = []


def note_rows(rows: int, tool_context) -> dict:
    """Remember how many rows a table has."""
    tool_context.state["last_rows"] = rows
    return {"rows": rows, "kept": True}


def ask_boss(amount: int) -> dict:
    """Ask somebody who answers later."""
    return {"status": "pending", "ticket": 7}


def says(text=None, thought=None, calls=()):
    parts = [types.Part(text=thought, thought=True)] if thought else []
    parts += [types.Part(text=text)] if text else []
    parts += [types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in calls]
    counts = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=10, candidates_token_count=5, total_token_count=15
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
            }
        )
        yield self.answers.pop(0)


def app():
    helper = LlmAgent(
        name="helper",
        description="helps",
        static_instruction="Help in few words.",
        instruction="The table has {last_rows?} rows.",
        model=Scripted(
            model="helper",
            answers=[
                says("Take an umbrella.", thought="It rains."),
                says(calls=[("ask_boss", {"amount": 3})]),
                says("I asked, and wait."),
                says("Seven it is."),
                says("Goodbye."),
            ],
        ),
        tools=[LongRunningFunctionTool(func=ask_boss)],
    )
    root = Scripted(
        model="root",
        answers=[
            says("I note it.", thought="Rows first.", calls=[("note_rows", {"rows": 12, "also": "x"})]),
            says("Twelve rows are kept."),
            says(thought="Nothing to say to that."),
            says(calls=[("note_rows", {"rows": 13})]),
            says("Thirteen now."),
            says(calls=[("transfer_to_agent", {"agent_name": "helper"})]),
        ],
    )
    agent = LlmAgent(
        name="root_agent",
        model=root,
        instruction="You keep rows. Rows: {last_rows?}",
        tools=[note_rows],
        sub_agents=[helper],
    )
    summaries = [says("Summary one: twelve rows."), says("Summary two: thirteen rows."), says("Summary three.")]
    compaction = EventsCompactionConfig(
        compaction_interval=2,
        overlap_size=1,
        summarizer=LlmEventSummarizer(llm=Scripted(model="summarizer", answers=summaries)),
    )
    return App(name="rows", root_agent=agent, events_compaction_config=compaction)


TURNS = ["Keep 12 rows.", "Good.", "Keep 13 rows.", "What should I wear?", "Ask the boss for 3.", None, "Thanks."]


async def main(folder: pathlib.Path):
    service = InMemorySessionService()
    runner = Runner(app=app(), session_service=service)
    named = dict(app_name="rows", user_id="u1")
    session = await service.create_session(**named, session_id="s-rows")
    for turn in TURNS:
        if turn is None:
            saved = await service.get_session(**named, session_id=session.id)
            calls = [call for event in saved.events for call in event.get_function_calls()]
            call = [call for call in calls if call.name == "ask_boss"][-1]
            answer = types.FunctionResponse(id=call.id, name=call.name, response={"status": "granted", "amount": 7})
            parts = [types.Part(function_response=answer)]
        else:
            parts = [types.Part(text=turn)]
        content = types.Content(role="user", parts=parts)
        async for _ in runner.run_async(user_id="u1", session_id=session.id, new_message=content):
            pass
    saved = await service.get_session(**named, session_id=session.id)
    asked = [request for request in REQUESTS if request["model"] != "summarizer"]
    name = version.__version__
    (folder / f"{name}.session.json").write_text(saved.model_dump_json(by_alias=True, exclude_none=True, indent=1) + "\n")
    (folder / f"{name}.requests.json").write_text(json.dumps(asked, indent=1, ensure_ascii=False) + "\n")


asyncio.run(main(pathlib.Path(sys.argv[1])))
