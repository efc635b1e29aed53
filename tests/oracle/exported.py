"""Checks exported experiments: is what google-adk compiles with the module what Strata shows?

`python exported.py STRATA [SESSION [APP]]`: STRATA is the command `strata`, SESSION a file of an ADK session with its
app's configuration APP; without them, the bundled sample. Each experiment below is exported, imported, and run by
google-adk up to the model call, for several calls of the session: once as a whole app, and once as a patch of the app
as it was. Prints a row an experiment; exits with 1 when one differs.
"""

import asyncio
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import worker
from google.adk.agents import InvocationContext, LlmAgent, RunConfig
from google.adk.apps.app import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.plugins.plugin_manager import PluginManager
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.session import Session
from google.genai import types

CALLS_EACH = 4


def insert(kind, **params):
    return {"edit": "insert_processor", "use": kind, "params": params}


def said(event, text):
    return {"edit": "edit_event", "event": event, "content": {"role": "user", "parts": [{"text": text}]}}


def places(session):
    """Numbers of some events: what a user said, a tool's result, a model's words, something a summary covers, a summary."""
    found = {}
    spans = [(window.get("startTimestamp") or window["start_timestamp"], window.get("endTimestamp") or window["end_timestamp"]) for event in session["events"] if (window := (event.get("actions") or {}).get("compaction"))]
    for number, event in enumerate(session["events"], 1):
        parts = (event.get("content") or {}).get("parts") or []
        names = {name for part in parts for name in part}
        if names & {"functionResponse", "function_response"}:
            found.setdefault("result", number)
        elif "text" in names and event.get("author") == "user":
            found.setdefault("said", number)
            found["said last"] = number
        elif "text" in names:
            found.setdefault("told", number)
        if (event.get("actions") or {}).get("compaction"):
            found.setdefault("summary", number)
        elif parts and any(start <= event["timestamp"] <= end for start, end in spans):
            kind = "covered result" if names & {"functionResponse", "function_response"} else "covered text" if "text" in names else None
            if kind:
                found.setdefault(kind, number)
                found[kind + " last"] = number
    return found


def event_experiments(at):
    """Edit lists by name, for a session with events at these places."""
    edits = {
        "event dropped": [{"edit": "drop_event", "event": at["told"]}],
        "first words dropped": [{"edit": "drop_event", "event": at["said"]}],
        "half a tool call dropped": [{"edit": "drop_event", "event": at["result"]}],
        "words edited": [said(at["said"], "What is wrong?\n\nBe brief – 10 lines “at most”.")],
        "last words edited": [said(at["said last"], "Go on.")],
        "answer edited": [{"edit": "edit_event", "event": at["told"], "content": {"role": "model", "parts": [{"text": "Found it.", "thought": True}, {"text": "See line 3."}]}}],
        "edited, then dropped": [said(at["said"], "Nothing"), {"edit": "drop_event", "event": at["said"]}],
        "event pinned": [{"edit": "pin_event", "event": at["said"]}],
        "events and processors": [said(at["said"], "Why?"), insert("cap_rows", max_rows=2), {"edit": "drop_event", "event": at["told"]}],
    }
    if "summary" in at:
        edits["summary dropped"] = [{"edit": "drop_event", "event": at["summary"]}]
    for kind in ["covered text", "covered result"]:
        if kind in at:
            edits[f"{kind} pinned"] = [{"edit": "pin_event", "event": at[kind]}]
            edits[f"two of {kind} pinned"] = [{"edit": "pin_event", "event": at[kind]}, {"edit": "pin_event", "event": at[kind + " last"]}]
            edits[f"{kind} pinned and edited"] = [said(at[kind], "In other words."), {"edit": "pin_event", "event": at[kind]}]
    return edits


def experiments(agents, tools):
    """Edit lists by name, for an app with these agents and tools, each named with its agent."""
    root, last = agents[0], agents[-1]
    owner, tool = tools[0]
    long = "You are a careful analyst. " * 20
    return {
        "as recorded": [],
        "cap rows": [insert("cap_rows", max_rows=2)],
        "cap rows of one tool": [insert("cap_rows", max_rows=1, tools=[tool])],
        "cap rows but the last turn": [insert("cap_rows", max_rows=1, keep_turns=1)],
        "summarise tables": [insert("summarize_results", min_rows=2, top_rows=1)],
        "summarise and order": [insert("summarize_results", min_rows=3, top_rows=2, order_by="count")],
        "truncate results": [insert("truncate_middle", max_chars=120)],
        "truncate all": [insert("truncate_middle", max_chars=80, what="both", start_percent=30, keep_turns=1)],
        "strip agent traffic": [insert("strip_agent_traffic")],
        "strip one agent's traffic": [insert("strip_agent_traffic", form="fenced", agents=[root])],
        "drop thoughts": [insert("drop_thoughts", keep_turns=0)],
        "deduplicate": [insert("deduplicate", min_chars=100)],
        "offload results": [insert("offload_results", min_chars=300, keep_turns=0)],
        "compact answers": [insert("compact_output")],
        "compact answers to fields": [insert("compact_output", fields=["summary", "result"])],
        "newest turns": [insert("retention", max_turns=2)],
        "newest turns in steps": [insert("retention", max_turns=2, step=2)],
        "newest characters": [insert("retention", max_chars=4000)],
        "context filter": [insert("context_filter", num_invocations_to_keep=2)],
        "drop a tool": [insert("drop_tools", tools=[tool])],
        "several at once": [insert("strip_agent_traffic"), insert("cap_rows", max_rows=3), insert("truncate_middle", max_chars=200)],
        "switched off again": [insert("cap_rows", max_rows=1), {"edit": "disable_processor", "processor": "cap_rows"}],
        "for one agent": [insert("truncate_middle", max_chars=60) | {"agent": last}],
        "no identity": [{"edit": "disable_processor", "processor": "identity"}],
        "no transfer": [{"edit": "disable_processor", "processor": "agent_transfer", "agent": root}],
        "another order": [{"edit": "move_processor", "processor": "identity", "before": "instructions"}],
        "another instruction": [{"edit": "set_instruction", "agent": root, "text": "Answer in one line.\n\nBe kind."}],
        "no instruction": [{"edit": "set_instruction", "agent": last, "text": None}],
        "static instruction": [{"edit": "set_static_instruction", "agent": root, "text": long}],
        "global instruction": [{"edit": "set_global_instruction", "text": "Everybody: be brief."}],
        "own turn only": [{"edit": "set_include_contents", "agent": last, "value": "none"}],
        "tool taken away": [{"edit": "set_tool", "agent": owner, "tool": tool, "declaration": None}],
        "tool declared differently": [{"edit": "set_tool", "agent": owner, "tool": tool, "declaration": {"name": tool, "description": "Short."}}],
        "state map": [{"edit": "set_state_map", "key": "hits", "fields": ["total"]}],
        "volatile lines behind": [insert("move_volatile")],
        "context cache": [{"edit": "set_cache", "config": {"cache_intervals": 3, "ttl_seconds": 60, "min_tokens": 10}}],
    }


def run(strata, *args):
    done = subprocess.run([strata, *args], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def load(text, folder, number):
    path = folder / f"experiment_{number}.py".replace(" ", "_")
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find(agent, name):
    if agent.name == name:
        return agent
    found = [find(below, name) for below in agent.sub_agents]
    return next((one for one in found if one), None)


def artifacts_before(events, before):
    """Names known to a call: versions count from 0, so one that begins with a later version was there before."""
    first = {}
    for at, event in enumerate(events):
        actions = event.get("actions") or {}
        for name, version in (actions.get("artifactDelta") or actions.get("artifact_delta") or {}).items():
            first.setdefault(name, 0 if version else at + 1)
    return [name for name, at in first.items() if at <= before]


async def by_adk(app, session, report):
    """The request google-adk makes for the call that Strata's report is about."""
    before = report["eventsBefore"]
    events = session["events"][:before]
    state = {}
    for event in events:
        state |= (event.get("actions") or {}).get("stateDelta") or (event.get("actions") or {}).get("state_delta") or {}
    known = (session.get("state") or {}).items()
    written = {key for event in session["events"] for key in (event.get("actions") or {}).get("stateDelta") or (event.get("actions") or {}).get("state_delta") or {}}
    state |= {key: value for key, value in known if key not in written}
    made = Session.model_validate(session | {"events": events, "state": state})
    said = [event for event in made.events if event.author == "user" and event.invocation_id == report["invocation"] and not event.get_function_responses()]
    artifacts = InMemoryArtifactService()
    owner = {"app_name": made.app_name, "user_id": made.user_id, "session_id": made.id}
    for name in artifacts_before(session["events"], before):
        await artifacts.save_artifact(**owner, filename=name, artifact=types.Part(text=""))
    agent = find(app.root_agent, report["agent"])
    if not isinstance(agent, LlmAgent):
        raise RuntimeError(f"the module has no agent {report['agent']}")
    context = InvocationContext(
        session_service=InMemorySessionService(),
        artifact_service=artifacts,
        memory_service=None,
        session=made,
        agent=agent,
        invocation_id=report["invocation"],
        branch=report["branch"],
        user_content=said[-1].content if said else None,
        run_config=RunConfig(),
        context_cache_config=app.context_cache_config,
    )
    context.plugin_manager = PluginManager(app.plugins)
    # A runner does so before anything else.
    await context.plugin_manager.run_before_run_callback(invocation_context=context)
    answer = await worker.compile_context(context, list(app.plugins))
    return answer["expected"]


def difference(ours, theirs, at="request"):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in [*ours, *[key for key in theirs if key not in ours]]:
            if key not in ours or key not in theirs:
                return f"{at}.{key} is only {'ours' if key in ours else 'google-adk’s'}"
            found = difference(ours[key], theirs[key], f"{at}.{key}")
            if found:
                return found
        return None
    if isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return f"{at} has {len(ours)} items, google-adk’s {len(theirs)}"
        return next((found for n, pair in enumerate(zip(ours, theirs)) if (found := difference(*pair, f"{at}[{n}]"))), None)
    if ours == theirs:
        return None
    start = 0
    ours, theirs = str(ours), str(theirs)
    while ours[start : start + 1] == theirs[start : start + 1] != "":
        start += 1
    return f"{at} at {start}: {ours[max(0, start - 20) : start + 60]!r}, google-adk {theirs[max(0, start - 20) : start + 60]!r}"


def whole(strata, source, with_edits, folder, number):
    return load(run(strata, "export", *with_edits, "--as", "adk-python"), folder, number).app


def patched(strata, source, with_edits, folder, number):
    """The app as it was, patched twice; left alone where Strata says that there is nothing to patch."""
    app = load(run(strata, "export", *source, "--as", "adk-python"), folder, number).app
    try:
        text = run(strata, "export", *with_edits, "--as", "patch")
    except RuntimeError as error:
        if "nothing to patch" in str(error):
            return app
        raise
    patch = load(text, folder, f"{number}_patch")
    refuses(patch)
    patch.apply(app)
    return patch.apply(app)


def refuses(patch):
    """Checks that an app of others is left alone."""
    stranger = LlmAgent(name="stranger", model="gemini-2.5-flash", instruction="Stay.")
    before = stranger.model_dump_json(include={"name", "instruction", "include_contents"})
    app = App(name="strangers", root_agent=stranger)
    if not patch.AGENTS:
        return
    try:
        patch.apply(app)
    except LookupError as error:
        if "stranger" not in str(error) or stranger.before_model_callback or stranger.model_dump_json(include={"name", "instruction", "include_contents"}) != before:
            raise RuntimeError(f"an app without the agents is changed, or the message does not name them: {error}")
        return
    raise RuntimeError("an app without the agents is not refused")


async def check(strata, source, session, edits, calls, folder, number, make):
    path = folder / f"edits_{number}.json".replace(" ", "_")
    path.write_text(json.dumps({"version": 1, "edits": edits}))
    with_edits = [*source, "--edit", str(path)] if edits else source
    app = make(strata, source, with_edits, folder, number)
    for call in calls:
        report = json.loads(run(strata, "compile", *with_edits, "--call", str(call), "--json"))
        theirs = await by_adk(app, session, report)
        if theirs.get("outcome") != "request":
            return f"C{call}: google-adk ends with {theirs}"
        found = difference(report["request"], theirs["request"])
        if found:
            return f"C{call}: {found}"
    return None


async def main():
    strata, *rest = sys.argv[1:]
    assets = Path(__file__).parents[2] / "crates/strata-app/assets"
    source = ["sample"]
    session_file, app_file = assets / "invoice-triage.session.json", assets / "invoice-triage.app.json"
    if rest:
        session_file, app_file = Path(rest[0]), Path(rest[1])
        source = [str(session_file), "--app", str(app_file)]
    session = json.loads(session_file.read_text())
    app = json.loads(app_file.read_text())
    agents, tools = [], []

    def collect(agent):
        if agent.get("type", "llm") == "llm":
            agents.append(agent["name"])
            tools.extend((agent["name"], tool["declaration"]["name"]) for tool in agent.get("tools", []) if "declaration" in tool)
        for below in agent.get("sub_agents") or agent.get("subAgents") or []:
            collect(below)

    collect(app.get("root_agent") or app["rootAgent"])
    n_calls = json.loads(run(strata, "show", *source, "--json"))["sessions"][0]["calls"]
    calls = sorted({1 + n * (n_calls - 1) // (CALLS_EACH - 1) for n in range(CALLS_EACH)})
    n_failed = n_checked = 0
    of_code, of_events = experiments(agents, tools), event_experiments(places(session))
    forms = [("app", whole, of_code | of_events), ("patch", patched, of_code)]
    with tempfile.TemporaryDirectory() as folder:
        for form, make, all_edits in forms:
            for name, edits in all_edits.items():
                try:
                    found = await check(strata, source, session, edits, calls, Path(folder), name, make)
                except Exception as error:  # an experiment that fails is a row, too
                    found = f"{type(error).__name__}: {error}"
                n_failed += bool(found)
                n_checked += 1
                print(f"{'differs' if found else 'same':8} {form}: {name}{': ' + found if found else ''}", flush=True)
    print(f"{n_checked} experiments on C{', C'.join(map(str, calls))}: {n_failed} differ")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
