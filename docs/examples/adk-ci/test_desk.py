"""Talks to the desk with a model that plays a script, and records what the model is sent.

    pytest                 # or: python test_desk.py

Each test leaves a recording in `recordings/`, under its own name. What the tests assert is what the desk says; what its
prompts come to is checked by `strata check` behind them.
"""

from __future__ import annotations

import asyncio
import pathlib
import sys

from google.adk.models.google_llm import Gemini
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from pydantic import PrivateAttr

import desk
from strata_recorder import StrataRecorder

RECORDINGS = pathlib.Path(__file__).parent / "recordings"


class ScriptedModel(Gemini):
    """Gemini to google-adk, with answers from a list: nothing is sent, and every run is the same."""

    _answers: list = PrivateAttr(default_factory=list)

    async def generate_content_async(self, llm_request, stream=False):
        answer = self._answers.pop(0)
        part = types.Part(text=answer) if isinstance(answer, str) else answer
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def call(tool, **args):
    return types.Part(function_call=types.FunctionCall(name=tool, args=args))


def talk(test, turns, answers):
    """Says `turns` one after the other, and returns the last answer."""
    RECORDINGS.mkdir(exist_ok=True)
    recording = RECORDINGS / f"{test}.strata.jsonl"
    recording.unlink(missing_ok=True)
    model = ScriptedModel(model="gemini-2.5-flash")
    model._answers = list(answers)

    async def run():
        sessions = InMemorySessionService()
        app = desk.app(model, plugins=[StrataRecorder(recording)])
        runner = Runner(app=app, session_service=sessions)
        await sessions.create_session(app_name=app.name, user_id="ada", session_id=test)
        said = ""
        for turn in turns:
            message = types.Content(role="user", parts=[types.Part(text=turn)])
            async for event in runner.run_async(user_id="ada", session_id=test, new_message=message):
                texts = [part.text for part in (event.content and event.content.parts) or [] if part.text]
                said = "".join(texts) or said
        await runner.close()
        return said

    said = asyncio.run(run())
    assert not model._answers, "the app asked the model less often than the test expects"
    return said


def test_parcel():
    said = talk(
        "parcel",
        ["This is Ada. Where is my last parcel?", "And is the one before that still on its way?"],
        [
            call("find_orders", customer="Ada"),
            call("track_parcel", parcel="P-7715"),
            "Your parcel is at Hub North since this morning. It is late; you get a new one after five working days.",
            "No, it was delivered.",
        ],
    )
    assert "delivered" in said


def test_refund():
    said = talk(
        "refund",
        ["I am Bo. My order 1041 does not fit, I want my money back.", "Thank you. When does it arrive?"],
        [
            call("find_orders", customer="Bo"),
            call("transfer_to_agent", agent_name="refunds"),
            call("refund", order="1041", amount="26.90"),
            "26.90 are on their way to you.",
            "Within three days.",
        ],
    )
    assert "three days" in said


if __name__ == "__main__":
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    for test in tests:
        test()
    print(f"{len(tests)} tests passed", file=sys.stderr)
