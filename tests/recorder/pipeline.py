"""Runs the pipeline of pipeline_app.py with google-adk, as it is or with a patch that Strata wrote.

    pipeline.py FOLDER NAME [PATCH]

`FOLDER/NAME.strata.jsonl` is the recording, and `FOLDER/NAME.sent.json` what the models were given and what they reported:
`{"adk", "app", "requests": [{"agent", "request", "usage"}…]}`. Without a patch, `FOLDER/FIX.edits.json` are the edits of each
fix. On standard output there is one line: `{"app", "ok", "calls", "fixes": [name…]}`.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import pathlib
import re
import sys

import harness  # noqa: I001  first: it settles the environment
import pipeline_app
from google.adk.apps.app import App
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from strata_recorder import StrataRecorder

# ---------------------------------------------------------------------------------------------------------------------
# What a provider counts and caches. None of it is Strata's.

TOKEN = re.compile(r" ?[A-Za-z]{1,7}|\d| ?[^\w\s]{1,2}|\n+| +|\w")
# Gemini 3's implicit cache: the longest prefix that an earlier request had, from so many tokens on.
LEAST_CACHED = 4096


class Provider:
    """Counts requests as Gemini does, digits one by one, and finds their prefixes among those of earlier ones."""

    def __init__(self):
        self.seen = []
        self.tokens = {}

    def tokens_of(self, text):
        if text not in self.tokens:
            self.tokens[text] = TOKEN.findall(text)
        return self.tokens[text]

    def pieces(self, request):
        """What is read, in order, as texts: tools, system instruction, contents."""
        config = request["config"]
        yield "tools " + json.dumps(config.get("tools") or [])
        yield "schema " + json.dumps(config.get("responseSchema") or config.get("responseJsonSchema") or None)
        yield "system " + (config.get("systemInstruction") or "")
        for content in request["contents"]:
            yield f"\n{content.get('role')}\n"
            for part in content.get("parts") or []:
                yield part["text"] if "text" in part else json.dumps(part, ensure_ascii=False)

    def usage(self, request, answer):
        pieces = list(self.pieces(request))
        prompt = sum(len(self.tokens_of(piece)) for piece in pieces)
        cached = max((self.common(pieces, earlier) for earlier in self.seen), default=0)
        self.seen.append(pieces)
        said = sum(
            len(self.tokens_of(part.text or part.function_call.model_dump_json(exclude_none=True))) for part in answer
        )
        return types.GenerateContentResponseUsageMetadata(
            prompt_token_count=prompt,
            cached_content_token_count=cached if cached >= LEAST_CACHED else None,
            candidates_token_count=said,
            total_token_count=prompt + said,
        )

    def common(self, pieces, earlier):
        count = 0
        for one, other in zip(pieces, earlier):
            if one == other:
                count += len(self.tokens_of(one))
                continue
            for a, b in zip(self.tokens_of(one), self.tokens_of(other)):
                if a != b:
                    break
                count += 1
            break
        return count


def counted(script):
    """The script, with a provider's usage of each answer."""
    provider = Provider()
    answer_to, script.answer = script.next, None

    def answered(request):
        script.answer = answer_to(request)
        return script.answer

    def usage(_):
        usage = provider.usage(script.requests[-1]["request"], harness.parts_of(script.answer))
        script.requests[-1]["usage"] = usage.model_dump(exclude_none=True)
        return usage

    script.next, script.usage = answered, usage
    return script


# ---------------------------------------------------------------------------------------------------------------------


def patched(app, path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    patch = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(patch)
    return patch.apply(app)


async def run(folder, name, patch):
    path = folder / f"{name}.strata.jsonl"
    path.unlink(missing_ok=True)
    recorder = StrataRecorder(path)
    script = counted(pipeline_app.script())
    app = App(name="ads", root_agent=pipeline_app.desk(script), plugins=[recorder])
    if patch:
        patched(app, patch)
    sessions = InMemorySessionService()
    runner = Runner(app=app, session_service=sessions)
    await sessions.create_session(app_name="ads", user_id="ada", session_id="june")
    for question in pipeline_app.QUESTIONS:
        message = types.Content(role="user", parts=[types.Part(text=question)])
        async for _ in runner.run_async(user_id="ada", session_id="june", new_message=message):
            pass
    await runner.close()
    await recorder.close()
    sent = {"adk": harness.ADK, "app": name, "requests": script.requests}
    (folder / f"{name}.sent.json").write_text(json.dumps(sent))
    answer = {"app": name, "ok": True, "calls": len(script.requests), "fixes": []}
    if not patch:
        session = await sessions.get_session(app_name="ads", user_id="ada", session_id="june")
        for fix, edits in pipeline_app.fixes(session.events).items():
            (folder / f"{fix}.edits.json").write_text(json.dumps(edits, indent=1))
            answer["fixes"].append(fix)
    return answer


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    patch = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    print(json.dumps(asyncio.run(run(folder, sys.argv[2], patch))), flush=True)


if __name__ == "__main__":
    main()
