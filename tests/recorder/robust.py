"""What the recorder promises to the app it records, tried out.

    robust.py FOLDER

On standard output there is a line for each promise: `{"promise", "ok", "error"?}`.
"""

from __future__ import annotations

import asyncio
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time
import traceback

import harness
import strata_recorder
from google.adk.agents import LlmAgent
from google.adk.plugins.base_plugin import BasePlugin
from harness import Script, Stage, gemini
from strata_recorder import StrataRecorder

PROMISES = {}


def promise(function):
    PROMISES[(function.__doc__ or "").strip()] = function
    return function


def records_of(path):
    lines = path.read_bytes().split(b"\n")
    assert lines[-1] == b"", "the last line does not end"
    return [json.loads(line) for line in lines[:-1]]


def chat(path, **answers):
    """A small app with the recorder; gives back what runs it."""
    script = Script(**(answers or {"chat": ["One.", "Two.", "Three."]}))
    recorder = StrataRecorder(path)
    root = LlmAgent(name="chat", model=gemini(script), instruction="Chat with {who?}.", tools=[harness.get_weather])
    return script, recorder, Stage("chat_app", root, recorder)


async def talk(stage, session, *texts):
    answers = []
    for text in texts:
        events = await stage.say(session, text)
        answers.append(events[-1].content.parts[0].text)
    return answers


def unresolved(records):
    """References that nothing before them in `records` explains."""
    blobs, calls, missing = set(), set(), []

    def items(value):
        if isinstance(value, str):
            if value not in blobs:
                missing.append(value)

    def request(fields):
        if "of" in fields and fields["of"] not in calls:
            missing.append(fields["of"])
        for section in ("contents", "system", "tools"):
            for item in fields.get(section, {}).get("add", []):
                items(item)
        for item in fields.get("set", {}).values():
            items(item)

    for record in records:
        kind = record["record"]
        if kind == "blob":
            blobs.add(record["id"])
        elif kind == "call":
            request(record["request"])
            for stage in record["stages"]:
                request(stage.get("changes", {}))
            of = record.get("events", {}).get("of")
            if of is not None and of not in calls:
                missing.append(of)
            calls.add(record["id"])
        elif kind in ("event", "response") and "content" in record:
            items(record["content"])
    return missing


@promise
async def a_full_disk(folder):
    """A full disk only stops the recording."""
    _, recorder, stage = chat("/dev/full")
    session = await stage.session()
    assert await talk(stage, session, "a", "b") == ["One.", "Two."]
    await stage.close()


@promise
async def an_unwritable_path(folder):
    """A path that cannot be written only stops the recording."""
    (folder / "file").write_text("")
    _, recorder, stage = chat(folder / "file" / "run.jsonl")
    session = await stage.session()
    assert await talk(stage, session, "a", "b") == ["One.", "Two."]
    await stage.close()


@promise
async def a_disk_that_hangs(folder):
    """A disk that hangs does not delay the app."""
    path = folder / "pipe"
    path.unlink(missing_ok=True)
    os.mkfifo(path)  # Opening it waits for a reader, who never comes.
    _, recorder, stage = chat(path)
    session = await stage.session()
    assert await talk(stage, session, "a", "b") == ["One.", "Two."]
    started = time.monotonic()
    await recorder.close()
    assert time.monotonic() - started < 10
    # Let the thread go, so that this process can end at once.
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))


@promise
async def a_disk_that_recovers(folder):
    """Once a path can be written again, everything is told again, and what was lost is counted."""
    path = folder / "later" / "run.jsonl"
    path.parent.unlink(missing_ok=True)
    path.parent.write_text("not a folder")
    before = strata_recorder._RETRY_SECONDS
    strata_recorder._RETRY_SECONDS = 0.05
    try:
        _, recorder, stage = chat(path)
        session = await stage.session()
        await talk(stage, session, "a")
        await recorder.close()
        path.parent.unlink()
        await asyncio.sleep(0.1)
        await talk(stage, session, "b", "c")
        await recorder.close()
    finally:
        strata_recorder._RETRY_SECONDS = before
    records = records_of(path)
    kinds = [record["record"] for record in records]
    assert kinds[:2] == ["header", "gap"] and records[1]["lost"] > 0, kinds[:4]
    assert not unresolved(records), unresolved(records)
    texts = [record["content"]["value"]["parts"][0]["text"] for record in records if record["record"] == "event"]
    assert texts == ["a", "One.", "b", "Two.", "c", "Three."], texts


@promise
async def a_slow_disk(folder):
    """What a slow disk cannot take is lost and counted, and what follows can be read without it."""
    path = folder / "slow.jsonl"
    path.unlink(missing_ok=True)
    limit, write = strata_recorder._MAX_WAITING_CHARACTERS, os.write
    strata_recorder._MAX_WAITING_CHARACTERS = 4000
    slow = threading.Event()
    try:
        os.write = lambda file, data: (slow.wait(), write(file, data))[1]
        _, recorder, stage = chat(path)
        session = await stage.session()
        await talk(stage, session, "a" * 3000, "b", "c")
        slow.set()
        await recorder.close()
        await talk(stage, session, "d")
        await recorder.close()
    finally:
        os.write, strata_recorder._MAX_WAITING_CHARACTERS = write, limit
    records = records_of(path)
    gap = max(at for at, record in enumerate(records) if record["record"] == "gap")
    assert records[gap]["lost"] > 0
    assert not unresolved(records[gap:]), unresolved(records[gap:])


@promise
async def checkpoints(folder):
    """From each checkpoint on the file is read without what is before it."""
    path = folder / "checkpoints.jsonl"
    path.unlink(missing_ok=True)
    before = strata_recorder._SEGMENT_CHARACTERS, strata_recorder._SEGMENT_REQUESTS
    strata_recorder._SEGMENT_CHARACTERS, strata_recorder._SEGMENT_REQUESTS = 4000, 0
    try:
        _, recorder, stage = chat(path, chat=["word " * 100])
        session = await stage.session(state={"who": "ada " * 60})
        await talk(stage, session, *(f"{turn} " + "what " * 60 for turn in range(20)))
        await recorder.close()
    finally:
        strata_recorder._SEGMENT_CHARACTERS, strata_recorder._SEGMENT_REQUESTS = before
    records = records_of(path)
    starts = [at for at, record in enumerate(records) if record["record"] == "checkpoint"]
    assert len(starts) > 1, starts
    for at in starts:
        assert not unresolved(records[at:])


@promise
async def hostile_values(folder):
    """Values that cannot be written cost themselves only."""

    class Hostile:
        def __str__(self):
            raise RuntimeError("no text")

        __repr__ = __str__

    path = folder / "hostile.jsonl"
    path.unlink(missing_ok=True)
    _, recorder, stage = chat(path)
    session = await stage.session(state={"who": "\ud800 half a pair", "odd": {1: {2, 3}}})
    stored = stage.sessions.sessions["chat_app"]["ada"][session.id]
    stored.state["hostile"] = Hostile()
    assert await talk(stage, session, "a", "b") == ["One.", "Two."]
    await stage.close()
    assert any(record["record"] == "event" for record in records_of(path))


@promise
async def a_broken_recorder(folder):
    """Whatever fails in the recorder itself is a record, and not the app's."""
    path = folder / "broken.jsonl"
    path.unlink(missing_ok=True)
    describe = strata_recorder._describe_place

    def broken(context):
        raise KeyError("broken on purpose")

    strata_recorder._describe_place = broken
    try:
        _, recorder, stage = chat(path)
        session = await stage.session()
        assert await talk(stage, session, "a", "b") == ["One.", "Two."]
        await stage.close()
    finally:
        strata_recorder._describe_place = describe
    faults = [record for record in records_of(path) if record["record"] == "fault"]
    assert faults and faults[0]["error"]["type"] == "KeyError", faults


@promise
async def threads(folder):
    """Apps in several threads write to one recording."""
    path = folder / "threads.jsonl"
    path.unlink(missing_ok=True)
    script, recorder, stage = chat(path, chat=["Yes."])

    async def one(user):
        session = await stage.session(user=user)
        await talk(stage, session, *(f"{user} says {turn}" for turn in range(10)))

    workers = [threading.Thread(target=lambda user=user: asyncio.run(one(f"user-{user}"))) for user in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        await asyncio.to_thread(worker.join)
    await recorder.close()
    records = records_of(path)
    assert not unresolved(records)
    assert sum(record["record"] == "call" for record in records) == 60


@promise
async def forks(folder):
    """A forked process writes to the same file, and explains itself."""
    if not hasattr(os, "fork"):
        return
    path = folder / "fork.jsonl"
    path.unlink(missing_ok=True)
    _, recorder, stage = chat(path)
    session = await stage.session()
    await talk(stage, session, "a")
    await recorder.close()
    child = os.fork()
    if child == 0:
        code = 1
        try:

            def run():
                asyncio.run(talk(stage, session, "b"))
                recorder._log.drain(5)

            worker = threading.Thread(target=run)
            worker.start()
            worker.join()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    await talk(stage, session, "c")
    await recorder.close()
    records = records_of(path)
    headers = [record for record in records if record["record"] == "header"]
    assert len({header["process"] for header in headers}) == 2
    assert not unresolved(records)


@promise
async def a_killed_process(folder):
    """A process that is killed leaves whole lines, and the next one ends a half line before its own."""
    path = folder / "killed.jsonl"
    path.unlink(missing_ok=True)
    code = (
        "import asyncio, os, sys, pathlib, robust\n"
        f"path = pathlib.Path({str(path)!r})\n"
        "async def run():\n"
        "    _, recorder, stage = robust.chat(path)\n"
        "    session = await stage.session()\n"
        "    await robust.talk(stage, session, 'a')\n"
        "    recorder._log.drain(5)\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(run())\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=pathlib.Path(__file__).parent, check=False)
    assert [record["record"] for record in records_of(path)].count("response") == 1
    with path.open("ab") as file:
        file.write(b'{"record":"event","ti')
    _, recorder, stage = chat(path)
    session = await stage.session()
    await talk(stage, session, "b")
    await recorder.close()
    lines = path.read_bytes().split(b"\n")
    broken = [line for line in lines[:-1] if not line.endswith(b"}")]
    assert broken == [b'{"record":"event","ti'], broken


@promise
async def secrets_stay_inside(folder):
    """Secrets are told by their looks and their names, and masked; around them everything is written."""
    letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj/AgEAAoIBAQC7+VJTUt9Us8c"
    state = {
        "user_password": "correcthorse1",
        "OPENAI_API_KEY": "qwertyuiop123456",
        "app:api_key": "zz-top-17",
        "session_cookie": "choc0late" * 30,
        "nested": {"client_secret": "abc9def", "headers": [{"name": "X-Api-Key", "value": "qq-17"}]},
    }
    found = {
        "anthropic": f"sk-ant-api03-{letters}",
        "openai": f"use sk-proj-{letters}.",
        "google": f"AIza{letters[:35]}",
        "header": f"Authorization: Bearer {letters}",
        "file": f"-----BEGIN PRIVATE KEY-----\n{line}\n{line}\nab==\n-----END PRIVATE KEY-----\n",
        "cut": f"-----BEGIN EC PRIVATE KEY-----\n{line}",
        "text": json.dumps({"pem": f"-----BEGIN RSA PRIVATE KEY-----\n{line}", "password": "hunter2secret"}, indent=1),
    }

    def login(tool_context):
        tool_context.state["db_password"] = "Tr0ub4dor"
        return found

    login.__annotations__["tool_context"] = harness.remember.__annotations__["tool_context"]
    path = folder / "secrets.jsonl"
    path.unlink(missing_ok=True)
    question = "Is -----BEGIN RSA PRIVATE KEY----- the right first line of a key file?"
    script = Script(api_key_helper=[harness.call("login"), "One.", "Two."])
    root = LlmAgent(name="api_key_helper", model=gemini(script), instruction="Help.", tools=[login])
    recorder = StrataRecorder(path)
    stage = Stage("keys_app", root, recorder)
    session = await stage.session(state=state)
    await talk(stage, session, question, f"My key is {found['anthropic']}, and now?")
    stored = await stage.sessions.get_session(app_name="keys_app", user_id="ada", session_id=session.id)
    await stage.close()
    records = records_of(path)
    text = path.read_text()
    values = "correcthorse1 qwertyuiop123456 zz-top-17 choc0late abc9def qq-17 Tr0ub4dor hunter2secret".split()
    assert not [value for value in [*values, letters[:35], line] if value in text]
    assert question in text and "My key is ‹redacted: Anthropic key›, and now?" in text
    ids = [record["event"]["id"] for record in records if record["record"] == "event"]
    assert ids == [event.id for event in stored.events], ids
    assert [record["record"] for record in records].count("call") == len(script.requests) == 3
    assert not unresolved(records) and not any(record["record"] == "fault" for record in records)


@promise
async def nobody_else_reads(folder):
    """The file is for its owner, and is not there before the app runs."""
    path = folder / "new" / "owner.jsonl"
    _, recorder, stage = chat(path)
    assert not path.exists()
    session = await stage.session()
    await talk(stage, session, "a")
    await recorder.close()
    assert path.stat().st_mode & 0o077 == 0
    path.unlink()


@promise
async def apps_without_it(folder):
    """An app without the recorder in the same process is left alone."""
    path = folder / "alone.jsonl"
    path.unlink(missing_ok=True)
    _, recorder, stage = chat(path)
    session = await stage.session()
    await talk(stage, session, "a")
    script = Script(quiet=["Quiet."])
    root = LlmAgent(name="quiet", model=gemini(script), instruction="Quiet.")

    class Nothing(BasePlugin):
        pass

    other = Stage("quiet_app", root, Nothing(name="nothing"))
    quiet = await other.session()

    async def alone():
        return await talk(other, quiet, "x")

    # In a task of its own, as it would be: what runs inside of a recorded run belongs to it.
    import contextvars

    assert await asyncio.get_running_loop().create_task(alone(), context=contextvars.Context()) == ["Quiet."]
    await recorder.close()
    assert b"quiet" not in path.read_bytes()


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, check in PROMISES.items():
        answer = {"promise": name, "ok": True}
        try:
            asyncio.run(check(folder))
        except Exception as error:
            answer = {"promise": name, "ok": False, "error": "".join(traceback.format_exception(error))[-2500:]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
