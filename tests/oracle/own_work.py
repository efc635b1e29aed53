"""What google-adk itself works for each call of a model, in a run that calls one many times.

A question is `{"app": …, "session": …, "calls": n, "measure": m}`, one JSON document a line on stdin: a session as
google-adk dumps it, and an app of LLM agents with function tools. The root's model calls the tool `tool` n - 1 times and
then says something. The answer is what m such runs took, one behind the other: `{"cpu_seconds": […]}`, each of a whole
run. The model and the tool answer at once.
"""

import asyncio
import json
import sys
import time

from worker import App, BaseLlm, Build, Event, InMemorySessionService, LlmResponse, agent, types
from google.adk.runners import Runner


class Calling(BaseLlm):
    """Calls a tool so many times, and speaks."""

    tool: str
    calls: int
    made: int = 0

    async def generate_content_async(self, llm_request, stream=False):
        self.made += 1
        if self.made < self.calls:
            part = types.Part(function_call=types.FunctionCall(name=self.tool, args={"q": str(self.made)}))
        else:
            part = types.Part(text="That is all.")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def measure(question):
    given, session = question["app"], question["session"]
    root = agent(given["root_agent"], Build({}))
    for tool in root.tools:
        tool.run_async = answered
    sessions = InMemorySessionService()
    runner = Runner(app=App(name=given["name"], root_agent=root), session_service=sessions)
    key = {"app_name": given["name"], "user_id": session["userId"], "session_id": session["id"]}
    await sessions.create_session(**key, state=session["state"])
    # Appended one by one, ten thousand events would take minutes.
    stored = sessions.sessions[key["app_name"]][key["user_id"]][key["session_id"]]
    stored.events.extend(Event.model_validate(event) for event in session["events"])
    cpu_seconds = []
    for _ in range(question["measure"]):
        root.model = Calling(model="m", tool=question["tool"], calls=question["calls"])
        message = types.Content(role="user", parts=[types.Part(text="Go on.")])
        start = time.process_time()
        async for _event in runner.run_async(
            user_id=key["user_id"], session_id=key["session_id"], new_message=message
        ):
            pass
        cpu_seconds.append(time.process_time() - start)
        assert root.model.made == question["calls"]
    return {"cpu_seconds": cpu_seconds}


async def answered(*, args, tool_context):
    return {"found": args["q"]}


async def main():
    print(json.dumps({"ready": True}), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await measure(json.loads(line))), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
