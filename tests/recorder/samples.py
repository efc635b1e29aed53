"""Writes the recordings that are samples of the format: small apps, with scripted models.

    samples.py FOLDER

With google-adk 2.x `adk-recording.jsonl` and `adk-recording-workflow.jsonl`, with 1.x `adk-recording-1x.jsonl`.
Ids and times are new each time, so the snapshots of the import tests change with them.
"""

from __future__ import annotations

import asyncio
import pathlib
import sys

import harness
from google.adk.agents import LlmAgent
from google.adk.artifacts import InMemoryArtifactService
from google.adk.memory import InMemoryMemoryService
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.sessions import InMemorySessionService
from google.adk.tools import load_artifacts, load_memory, preload_memory
from google.genai import types
from harness import Script, Stage, call, gemini, get_weather
from strata_recorder import StrataRecorder


async def opening_hours(context):
    return f"You keep the desk of {context.state['house']}. It is open until {context.state.get('closes', 'late')}."


def leave_out_greetings(callback_context, llm_request):
    kept = [content for content in llm_request.contents if content.parts[0].text != "Hello"]
    llm_request.contents = kept


class Footer(BasePlugin):
    async def before_model_callback(self, *, callback_context, llm_request):
        llm_request.append_instructions(["Answer in one sentence."])


async def remember(memory):
    from google.adk.events.event import Event

    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name="desk_app", user_id="ada", session_id="before")
    content = types.Content(role="user", parts=[types.Part(text="I always sit by the window")])
    await sessions.append_event(session, Event(author="user", content=content, invocation_id="e-0", timestamp=1.5))
    await memory.add_session_to_memory(session)


async def desk(recorder):
    """One agent with everything around it."""
    script = Script(
        desk=[
            "Good day.",
            [call("get_weather", city="Oslo"), call("load_artifacts", artifact_names=["menu.txt"])],
            "It is 21.5 degrees, and there is soup.",
        ]
    )
    memory, artifacts = InMemoryMemoryService(), InMemoryArtifactService()
    await remember(memory)
    owner = {"app_name": "desk_app", "user_id": "ada", "session_id": "desk-1"}
    menu = types.Part(inline_data=types.Blob(data=b"Soup", mime_type="text/plain"))
    await artifacts.save_artifact(**owner, filename="menu.txt", artifact=menu)
    root = LlmAgent(
        name="desk",
        model=gemini(script),
        description="Keeps the desk.",
        instruction=opening_hours,
        tools=[get_weather, preload_memory, load_memory, load_artifacts],
        before_model_callback=leave_out_greetings,
        output_key="last",
    )
    stage = Stage("desk_app", root, recorder, plugins=[Footer(name="footer")], memory=memory, artifacts=artifacts)
    session = await stage.session(id="desk-1", state={"house": "Acme", "closes": "nine", "api_key": "sk-" + "a1" * 20})
    await stage.say(session, "Hello")
    await stage.say(session, "What is the weather by the window, and the menu?")
    await stage.close()


def outline(node_input: str) -> dict:
    """Makes an outline."""
    return {"topic": node_input, "points": ["hull", "mast"]}


async def press(recorder):
    """A workflow."""
    from google.adk.workflow import START, Workflow

    script = Script(writer=["Ships have a hull and a mast."], editor=["Ships: hull, mast."])
    writer = LlmAgent(name="writer", model=gemini(script), instruction="Write for {who}.", output_key="draft")
    editor = LlmAgent(name="editor", model=gemini(script), instruction="Shorten. The draft was: {draft}")
    root = Workflow(name="press", edges=[(START, outline, writer, editor)])
    stage = Stage("press_app", root, recorder)
    session = await stage.session(id="press-1", state={"who": "children"})
    await stage.say(session, "Ships")
    await stage.close()


async def hand_over(recorder):
    """Two agents."""
    script = Script(front=[call("transfer_to_agent", agent_name="back")], back=["How can I help?", "Gladly."])
    back = LlmAgent(name="back", model=gemini(script), description="Helps.", instruction="Help.")
    root = LlmAgent(name="front", model=gemini(script), instruction="Hand over.", sub_agents=[back])
    stage = Stage("office_app", root, recorder)
    session = await stage.session(id="office-1")
    await stage.say(session, "Help")
    await stage.say(session, "Please")
    await stage.close()


async def record(folder, name, app):
    path = folder / name
    path.unlink(missing_ok=True)
    recorder = StrataRecorder(path)
    await app(recorder)
    await recorder.close()


def main():
    folder = pathlib.Path(sys.argv[1])
    if harness.VERSION < (2, 0):
        asyncio.run(record(folder, "adk-recording-1x.jsonl", hand_over))
        return
    asyncio.run(record(folder, "adk-recording.jsonl", desk))
    asyncio.run(record(folder, "adk-recording-workflow.jsonl", press))


if __name__ == "__main__":
    main()
