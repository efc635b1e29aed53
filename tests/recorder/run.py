"""Runs real google-adk apps with scripted models through the recorder, and writes down what the models were given.

    run.py FOLDER [NAME…]

For each app `FOLDER/<name>.strata.jsonl` is the recording and `FOLDER/<name>.sent.json` what the models saw, written by
the models themselves: `{"adk", "app", "requests": [{"agent", "request"}…]}`, in the order in which they were asked.
On standard output there is a line for each app: `{"app", "ok", "error"?, "skipped"?, "calls", "seconds"}`.
"""

from __future__ import annotations

import asyncio
import json
import pathlib
import sys
import time
import traceback

import harness  # noqa: I001  first: it settles the environment
import apps  # noqa: F401  registers its apps
import more_apps  # noqa: F401
import odd_apps  # noqa: F401
from strata_recorder import StrataRecorder


async def run(folder, name):
    path = folder / f"{name}.strata.jsonl"
    path.unlink(missing_ok=True)
    recorder = StrataRecorder(path)
    started = time.perf_counter()
    try:
        script = await harness.APPS[name](recorder)
    except harness.Skipped as reason:
        return {"app": name, "ok": True, "skipped": str(reason), "calls": 0}
    except Exception as error:
        return {"app": name, "ok": False, "error": "".join(traceback.format_exception(error))[-3000:], "calls": 0}
    seconds = time.perf_counter() - started
    await recorder.close()
    sent = {"adk": harness.ADK, "app": name, "requests": script.requests}
    (folder / f"{name}.sent.json").write_text(json.dumps(sent))
    answer = {"app": name, "ok": True, "calls": len(script.requests), "seconds": round(seconds, 4)}
    return {**answer, "recorderSeconds": round(recorder._seconds, 4), "bytes": path.stat().st_size}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(json.dumps({"adk": harness.ADK, "python": sys.version.split()[0]}), flush=True)
    for name in sys.argv[2:] or harness.APPS:
        print(json.dumps(asyncio.run(run(folder, name))), flush=True)


if __name__ == "__main__":
    main()
