"""Records what a google-adk app sends to its models, and why, for Strata.

    from strata_recorder import StrataRecorder

    app = App(name="…", root_agent=…, plugins=[StrataRecorder("run.strata.jsonl")])

Where google-adk has no `App` yet, `Runner(…, plugins=[StrataRecorder("run.strata.jsonl")])`.
It runs with google-adk 1.x from 1.10 and with 2.x, and needs nothing else. Then open the file in Strata, also while
the app runs.

What is written: the app's configuration; every event of its sessions; every request as it is handed to the model,
with what each plugin and callback changed of it; what instruction providers returned, memory found and artifacts held;
state, node inputs, answers, usage, errors and times. The format is described in Strata's
`docs/formats/adk-recording.md`.

What it promises to the app:

- No exception of the recorder reaches it. What goes wrong here is written as a record of kind `fault`.
- No disk delays it: a thread of its own writes, and forgets what it cannot write fast enough, saying how much.
- Keys, tokens and passwords are masked before they leave the process.

What it touches: some places have no plugin hook, so while the app runs this module lays pass-through wrappers over
`generate_content_async` of model classes, over `canonical_instruction`, `canonical_global_instruction`,
`canonical_before_model_callbacks` and `canonical_after_model_callbacks` of `LlmAgent`, over
`canonical_before_agent_callbacks` and `canonical_after_agent_callbacks` of `BaseAgent`, over `BaseNode.run`, over
`before_model_callback`, `before_run_callback`, `before_agent_callback` and `after_agent_callback` of the app's other
plugins, and over reading and writing methods of its session, artifact and memory services. They look at what passes
through and change none of it. Importing this module does nothing.
"""

from __future__ import annotations

import asyncio
import atexit
import base64
import collections
import contextlib
import contextvars
import functools
import hashlib
import inspect
import json
import logging
import os
import platform
import re
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Iterable, Iterator
from typing import Any, Callable

from google.adk.plugins.base_plugin import BasePlugin
from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_json

__all__ = ["StrataRecorder"]

FORMAT = "strata-adk-recording"
VERSION = 1

_logger = logging.getLogger("strata_recorder")


# ---------------------------------------------------------------------------------------------------------------------
# The plugin.


def _quiet(default: Any = None) -> Callable:
    """For what runs inside of the app: an exception becomes a record, and the app goes on with `default`."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def run(self: StrataRecorder, *args: Any, **kwargs: Any) -> Any:
            started = time.thread_time()
            try:
                return function(self, *args, **kwargs)
            except Exception as error:  # The app must never notice.
                self._fault(function.__name__, error)
                return default
            finally:
                self._seconds += time.thread_time() - started

        return run

    return decorate


class StrataRecorder(BasePlugin):
    """Writes a recording of the app it is a plugin of.

    Args:
        path: The file to append to; it is made when the app first runs. Several processes may write to one file.
        name: The plugin's name, which has to be unique in the app.
    """

    def __init__(self, path: Any = "run.strata.jsonl", *, name: str = "strata_recorder"):
        super().__init__(name=name)
        self._log = _Log(os.path.abspath(os.path.expanduser(os.fspath(path))))
        self._begin()
        _RECORDERS.add(self)
        if hasattr(os, "register_at_fork"):
            this = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _begin_again(this()))

    def _begin(self) -> None:
        self._lock = threading.RLock()
        self._seconds = 0.0
        self._n_calls = 0
        # The run that was watched last, for which it need not be done again.
        self._watched: tuple[int, str] | None = None
        self._faults: dict[tuple[str, str], int] = {}
        self._runs = _Recent(1000)
        self._sessions = _Recent(1000)
        # These are by the identity of what they are about, which they hold, so that no other object can have it.
        self._apps = _Recent(50)
        self._calls = _Recent(200)
        self._resolved = _Recent(200)
        # What code of the app said, with who it was.
        self._spoken = _Recent(200)

    @contextlib.contextmanager
    def _recording(self) -> Iterator[None]:
        """Around whatever makes records: one at a time, and only from here on may it be that all is written again."""
        with self._lock:
            if self._log.has_lost():
                self._sessions = _Recent(1000)
            self._log.check()
            yield

    # What google-adk calls. All of it answers nothing, so that other plugins and the app decide.

    async def on_user_message_callback(self, *, invocation_context: Any, user_message: Any) -> None:
        self._watch(invocation_context)

    async def before_run_callback(self, *, invocation_context: Any) -> None:
        self._watch(invocation_context)
        self._begin_run(invocation_context)

    async def before_agent_callback(self, *, agent: Any, callback_context: Any) -> None:
        _AT.set((self, _invocation_of(callback_context)))

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        self._open_call(callback_context, llm_request)

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        self._answer(callback_context, llm_response)

    async def on_model_error_callback(self, *, callback_context: Any, llm_request: Any, error: Any) -> None:
        self._fail(llm_request, error)

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        _AT.set((self, _invocation_of(tool_context)))
        _TOOL_CALL.set((_invocation_of(tool_context), getattr(tool_context, "function_call_id", None)))

    async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> None:
        _TOOL_CALL.set(None)

    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> None:
        _TOOL_CALL.set(None)

    async def after_run_callback(self, *, invocation_context: Any) -> None:
        self._end_run(invocation_context, None)

    async def on_run_error_callback(self, *, invocation_context: Any, error: Any) -> None:
        self._end_run(invocation_context, error)

    async def close(self) -> None:
        """Waits a moment for what is still to be written. Recording goes on if the app runs again."""
        await asyncio.get_running_loop().run_in_executor(None, self._log.drain, 2.0)

    # Runs and their sessions.

    @_quiet()
    def _watch(self, context: Any) -> None:
        """Lays the wrappers that this run needs, where they are not yet."""
        _AT.set((self, context))
        if self._watched == (id(context), context.invocation_id):
            return
        self._watched = (id(context), context.invocation_id)
        _wrap_classes()
        for service, methods in (
            (context.session_service, ("append_event",)),
            (context.memory_service, ("search_memory",)),
            (context.artifact_service, ("load_artifact", "save_artifact", "list_artifact_keys")),
        ):
            for method in methods if service is not None else ():
                _wrap_service(service, method, context.session_service)
        for plugin in context.plugin_manager.plugins:
            if plugin is not self:
                _wrap_plugin(plugin)

    @_quiet()
    def _begin_run(self, context: Any) -> None:
        with self._recording():
            run = self._run(context)
            # First, so that what stands behind the run was made in it.
            self._note_events(context)
            self._write_run(run)

    @_quiet()
    def _end_run(self, context: Any, error: BaseException | None) -> None:
        with self._recording():
            self._note_events(context)
            run = self._runs.get(context.invocation_id)
            for call in self._calls.values():
                if call.context.invocation_id == context.invocation_id:
                    if not call.is_written:
                        self._write_call(call, sent=False)
                    self._calls.pop(id(call.request))
            self._write(
                "invocation_end",
                invocation=context.invocation_id,
                session=_session_key(context.session),
                error=_error(error),
                calls=run.n_calls if run else 0,
                recorderSeconds=round(self._seconds, 6),
            )

    def _run(self, context: Any) -> _Run:
        run = self._runs.get(context.invocation_id)
        if run is None:
            runner = _runner()
            app = self._app(context, runner)
            run = _Run(context, app, _TOOL_CALL.get(None))
            self._runs.put(context.invocation_id, run)
        return run

    def _app(self, context: Any, runner: Any) -> _Described:
        root = getattr(runner, "agent", None)
        if root is None or context.agent is not None and getattr(context.agent, "root_agent", root) is not root:
            root = getattr(context.agent, "root_agent", context.agent)
        known = self._apps.get(id(root))
        if known is None:
            known = (root, _describe_app(context, runner, root))
            self._apps.put(id(root), known)
        return known[1]

    def _write_run(self, run: _Run) -> None:
        """The app and the invocation, where nothing behind the last checkpoint tells them."""
        base = self._log.base()
        if run.app.id not in base.apps:
            base.apps.add(run.app.id)
            self._write("app", id=run.app.id, app=_Text(run.app.text))
        if run.id not in base.runs:
            base.runs.add(run.id)
            self._write("invocation", **run.fields(), userContent=self._user_content(run.context))

    def _write_agent(self, run: _Run, agent: Any, mode: str | None) -> None:
        """An agent that code of the app runs: nothing in the app's configuration leads to it."""
        name = getattr(agent, "name", None)
        known = self._log.base().agents
        if name is None or name in run.app.agents or (run.app.id, name) in known:
            return
        known.add((run.app.id, name))
        root = getattr(agent, "root_agent", None) or agent
        described = _described(agent if root.name in run.app.agents else root, _describe_agent)
        described.setdefault("mode", mode or "chat")
        known.update((run.app.id, below) for below in _agent_names(described))
        self._write("agent", app=run.app.id, agent=_Text(_mask(_dumps(described))))

    def _user_content(self, context: Any) -> Any:
        content = getattr(context, "user_content", None)
        return None if content is None else self._log.item(_model_json(content))

    def _session(self, session: Any) -> _SessionLog:
        key = _session_key(session)
        known = self._sessions.get(key)
        if known is None:
            known = _SessionLog(key)
            self._sessions.put(key, known)
        return known

    def _note_events(self, context: Any, temporary: bool = False) -> None:
        """Writes the events of the session that are not written yet. `temporary` ones are shown to an agent and never
        stored; google-adk takes them away again."""
        log = self._session(context.session)
        if not log.is_begun:
            log.is_begun = True
            self._write(
                "session",
                session=log.key,
                app=context.session.app_name,
                user=context.session.user_id,
                id=context.session.id,
                parent=_parent_of(self._runs.get(context.invocation_id)),
            )
            # Its service tells what is stored, so that everything else is temporary.
            log.is_followed = _is_wrapped(getattr(context.session_service, "append_event", None))
        for event in context.session.events:
            if event.id not in log.events:
                self._write_event(log, event, temporary and log.is_followed, self._speaker(event))

    def _write_event(self, log: _SessionLog, event: Any, temporary: bool, by: dict[str, Any] | None) -> None:
        log.events.add(event.id)
        fields: dict[str, Any] = {"session": log.key}
        if temporary:
            fields["temporary"] = True
        fields["by"] = by
        fields["event"] = _Text(_mask(_model_json(event, exclude={"content"}), kept=_EVENT_IDS))
        content = getattr(event, "content", None)
        if content is not None:
            fields["content"] = self._log.item(_model_json(content))
        self._write("event", **fields)

    @_quiet()
    def _note_spoken(self, content: Any, by: dict[str, Any]) -> None:
        """Code of the app said something in the place of an agent's model or of a whole run, or behind it: an event
        will hold it."""
        with self._lock:
            self._spoken.put(id(content), (content, by))

    def _speaker(self, event: Any) -> dict[str, Any] | None:
        """The code that said what an event holds. `None`: a model did, or whoever it was is not known."""
        content = getattr(event, "content", None)
        spoken = None if content is None else self._spoken.get(id(content))
        return spoken[1] if spoken is not None else None

    @_quiet()
    def _note_appended(self, session: Any, event: Any, given: Any) -> None:
        """An event as it was stored, and as it was given to the service."""
        if getattr(event, "partial", None):
            return
        with self._recording():
            log = self._session(session)
            if not log.is_begun:
                return  # Not a session of a run that is recorded; what is in it is read when it becomes one.
            if event.id not in log.events:
                self._write_event(log, event, False, self._speaker(event) or self._speaker(given))

    # Calls.

    @_quiet()
    def _open_call(self, callback_context: Any, llm_request: Any) -> _Call | None:
        """The call of a request, begun when it is first seen: when google-adk's own processors are done with it."""
        with self._recording():
            call = self._calls.get(id(llm_request))
            if call is not None:
                return call
            context = _invocation_of(callback_context)
            if self._runs.get(context.invocation_id) is None:
                self._watch(context)  # A run without our plugin, inside of another.
            run = self._run(context)
            run.n_calls += 1
            for other in self._calls.values():
                if other.context is context and other.is_written:
                    self._calls.pop(id(other.request))
            call = self._new_call(context, llm_request, getattr(callback_context, "_event_actions", None))
            resolved = self._resolved.pop(id(context))
            call.stages = resolved[1] if resolved else []
            tools = getattr(llm_request, "tools_dict", None) or {}
            call.tools = [[name, _class_name(tool)] for name, tool in tools.items()]
            self._note_events(context, temporary=True)
            call.seen = [event.id for event in context.session.events]
            call.state = {name: _value_json(value) for name, value in dict(context.session.state).items()}
            self._calls.put(id(llm_request), call)
            _wrap_model_classes()
            return call

    def _new_call(self, context: Any, llm_request: Any, actions: Any) -> _Call:
        self._n_calls += 1
        return _Call(f"{self._log.run}-{self._n_calls}", context, llm_request, actions)

    @_quiet()
    def _stage(self, call: _Call, stage: dict[str, Any], result: Any, error: BaseException | None) -> None:
        """Something that may change a request ran: what it changed, and whether it ended the call."""
        with self._recording():
            if call.is_written:
                return
            after = _Snapshot(call.request, call.last)
            if error is not None:
                stage["error"] = _error(error)
            elif result:
                stage["answered"] = True
            if after != call.last:
                stage["changes"] = (call.last, after)
            call.stages.append(stage)
            call.last = after
            if error is not None or result:
                self._write_call(call, sent=False)

    @_quiet()
    def _note_sent(self, model: Any, llm_request: Any, stream: bool) -> None:
        """The request as the model gets it."""
        call = self._calls.get(id(llm_request))
        at = _AT.get(None)
        if call is None and (at is None or at[0] is not self):
            return  # Another app's.
        with self._recording():
            if call is None:
                # No agent made this request: a summarizer did, or a tool.
                call = self._new_call(at[1], llm_request, None)
                call.is_aside = True
            if call.is_written:
                return
            call.sent_at = time.time()
            call.model = _describe_model_call(model)
            call.is_streamed = stream
            call.sent = _Snapshot(llm_request, call.last)
            self._write_call(call, sent=True)

    def _write_call(self, call: _Call, sent: bool) -> None:
        call.is_written = True
        context = call.context
        self._write_run(self._run(context))
        base = self._log.base()
        key = _session_key(context.session)
        place = _describe_place(context)
        fields: dict[str, Any] = {"id": call.id, "invocation": context.invocation_id, "session": key}
        if call.is_aside:
            fields["aside"] = True
        else:
            fields.update(place)
            self._write_agent(self._run(context), context.agent, place["mode"])
            fields["userContent"] = self._user_content(context)
            fields["tools"] = self._log.item(_dumps(call.tools))
            fields["events"] = base.spliced(("events", key), call.id, call.seen)
            fields["state"] = self._state_change(base, key, call.state)
        fields["sent"] = sent
        fields["model"] = call.model
        fields["stream"] = call.is_streamed or None
        lineage = (key, place["agent"], place["branch"], call.is_aside)
        before = base.requests.get(lineage)
        fields["request"] = self._request(call.compiled, before[1] if before else None, before[0] if before else None)
        fields["stages"] = [self._stage_fields(stage, call.compiled) for stage in call.stages]
        if call.sent is not None and call.sent != call.last:
            fields["atModel"] = self._request(call.sent, call.last, None)
        base.requests.put(lineage, (call.id, call.compiled.without_texts()))
        self._write("call", **fields)
        self._log.note_live(call.compiled.n_characters)

    def _stage_fields(self, stage: dict[str, Any], compiled: _Snapshot) -> dict[str, Any]:
        fields = dict(stage)
        changes = fields.pop("changes", None)
        if changes is not None:
            if stage["stage"] == "tool":
                # It saw the request before it was whole.
                fields["before"] = self._request(changes[0], compiled, None)
            fields["changes"] = self._request(changes[1], changes[0], None)
        if "text" in fields:
            fields["text"] = self._log.item(_dumps(fields["text"]))
        return fields

    def _request(self, snapshot: _Snapshot, before: _Snapshot | None, of: str | None) -> dict[str, Any]:
        """A request as what is different from the one before it: of the call `of`, or of the same call."""
        fields: dict[str, Any] = {"of": of} if of else {}
        for section, items in snapshot.lists.items():
            known = before.lists[section] if before else []
            if known != items:
                spliced = _splice(known, items)
                added = [self._log.item(snapshot.texts[digest], digest) for digest in spliced["add"]]
                fields[section] = {**spliced, "add": added}
        fields.update(self._field_changes(snapshot.fields, snapshot.texts, before.fields if before else {}))
        return fields

    def _field_changes(
        self, now: dict[str, bytes], texts: dict[bytes, str], before: dict[str, bytes]
    ) -> dict[str, Any]:
        changed = {name: digest for name, digest in now.items() if before.get(name) != digest}
        changes: dict[str, Any] = {}
        if changed:
            changes["set"] = {name: self._log.item(texts[digest], digest, name) for name, digest in changed.items()}
        gone = [name for name in before if name not in now]
        if gone:
            changes["unset"] = gone
        return changes

    def _state_change(self, base: _Base, key: str, state: dict[str, str]) -> dict[str, Any]:
        """What is different from the state of the session as it was last written; all of it the first time."""
        digests = {name: _digest(text) for name, text in state.items()}
        changes = self._field_changes(
            digests, {digests[name]: state[name] for name in state}, base.states.get(key) or {}
        )
        if base.states.get(key) is None:
            changes["whole"] = True
        base.states.put(key, digests)
        return changes

    @_quiet()
    def _answer(self, callback_context: Any, response: Any) -> None:
        actions = getattr(callback_context, "_event_actions", None)
        with self._recording():
            call = next((call for call in self._calls.values() if call.actions is actions), None)
            if call is None or call.last_response is response:
                return
            call.last_response = response
            call.n_chunks += 1
            if call.first_chunk is None:
                call.first_chunk = time.time()
            if getattr(response, "partial", None):
                return
            self._write_response(call, response, None)

    @_quiet()
    def _fail(self, llm_request: Any, error: BaseException) -> None:
        with self._recording():
            call = self._calls.get(id(llm_request))
            if call is not None:
                self._write_response(call, None, error)

    def _write_response(self, call: _Call, response: Any, error: BaseException | None) -> None:
        fields: dict[str, Any] = {"call": call.id, "invocation": call.context.invocation_id}
        fields["sentAt"] = call.sent_at
        fields["firstAt"] = call.first_chunk
        fields["chunks"] = call.n_chunks
        if response is not None:
            fields["response"] = _Text(_mask(_model_json(response, exclude={"content"})))
            content = getattr(response, "content", None)
            if content is not None:
                fields["content"] = self._log.item(_model_json(content))
        fields["error"] = _error(error)
        if call.sent is not None and not call.has_answer:
            call.has_answer = True
            answered = _Snapshot(call.request, call.sent)
            if answered != call.sent:
                # What the model class itself did to the request before it went out.
                fields["byModel"] = self._request(answered, call.sent, None)
        self._write("response", **fields)

    # What is looked up on the way.

    @_quiet()
    def _before_tool(self, llm_request: Any) -> _Snapshot:
        return _Snapshot(llm_request)

    @_quiet()
    def _note_tool(self, context: Any, tool: Any, before: _Snapshot | None, llm_request: Any) -> None:
        """A tool did something to a request that is still being made."""
        if before is None:
            return
        after = _Snapshot(llm_request, before)
        name = getattr(tool, "name", type(tool).__name__)
        stage = {"stage": "tool", "name": name, "class": _class_name(tool)}
        if after != before:
            stage["changes"] = (before, after)
        with self._lock:
            self._resolved_for(context).append(stage)

    @_quiet()
    def _note_instruction(self, context: Any, agent: Any, kind: str, provider: Any, text: Any) -> None:
        stage = {"stage": "instruction", "kind": kind, "agent": agent.name, "name": _callable_name(provider)}
        with self._lock:
            self._resolved_for(context).append({**stage, "text": str(text)})

    def _resolved_for(self, context: Any) -> list[dict[str, Any]]:
        """Stages of the request that is being made in this context."""
        known = self._resolved.get(id(context))
        if known is None:
            known = (context, [])
            self._resolved.put(id(context), known)
        return known[1]

    @_quiet()
    def _note_service(self, method: str, kwargs: dict[str, Any], result: Any, error: BaseException | None) -> None:
        with self._recording():
            at = _AT.get(None)
            context = at[1] if at and at[0] is self else None
            fields: dict[str, Any] = {
                "app": kwargs.get("app_name"),
                "user": kwargs.get("user_id"),
                "session": kwargs.get("session_id"),
                "invocation": getattr(context, "invocation_id", None),
                "agent": getattr(getattr(context, "agent", None), "name", None),
                "branch": getattr(context, "branch", None),
                "error": _error(error),
            }
            if method == "search_memory":
                fields["query"] = self._log.item(_dumps(kwargs.get("query")))
                found = getattr(result, "memories", None)
                fields["found"] = None if found is None else [self._log.item(_model_json(one)) for one in found]
                self._write("memory", **fields)
                return
            fields["operation"] = method.partition("_")[0]
            fields["name"] = kwargs.get("filename")
            if method == "list_artifact_keys":
                fields["names"] = list(result) if result is not None else None
            else:
                part = result if method == "load_artifact" else kwargs.get("artifact")
                saved = result if method == "save_artifact" and isinstance(result, int) else None
                fields["version"] = saved if saved is not None else kwargs.get("version")
                fields.update(self._artifact(part))
            self._write("artifact", **fields)

    def _artifact(self, part: Any) -> dict[str, Any]:
        if part is None:
            return {"missing": True}
        blob = getattr(part, "inline_data", None)
        fields: dict[str, Any] = {}
        if blob is not None and blob.data is not None:
            fields["mimeType"] = blob.mime_type
            fields["bytes"] = len(blob.data)
            fields["sha256"] = hashlib.sha256(blob.data).hexdigest()
            if len(blob.data) > _MAX_ARTIFACT_BYTES:
                return {**fields, "omitted": True}
        fields["part"] = self._log.item(_model_json(part) if isinstance(part, BaseModel) else _value_json(part))
        return fields

    @_quiet()
    def _note_node(self, node: Any, context: Any, node_input: Any) -> None:
        _AT.set((self, _invocation_of(context)))
        with self._recording():
            self._write(
                "node",
                invocation=getattr(context, "invocation_id", None),
                path=getattr(context, "node_path", None),
                run=getattr(context, "run_id", None),
                name=getattr(node, "name", None),
                **{"class": _class_name(node)},
                input=self._log.item(_value_json(node_input)) if node_input is not None else None,
            )

    # Writing.

    def _write(self, record: str, **fields: Any) -> None:
        self._log.write(record, fields)

    def _fault(self, where: str, error: BaseException) -> None:
        """Notes what went wrong here: the first time, and then ever more seldom."""
        try:
            kind = (where, type(error).__name__)
            count = self._faults.get(kind, 0) + 1
            self._faults[kind] = count
            if count == 10 ** (len(str(count)) - 1):
                _logger.debug("recording failed in %s", where, exc_info=error)
                self._write("fault", where=where, error=_error(error), count=count)
        except Exception:  # There is nobody left to tell.
            pass


_RECORDERS: weakref.WeakSet[StrataRecorder] = weakref.WeakSet()

# The recorder and the invocation context of what is running now, for services that are not told.
_AT: contextvars.ContextVar[tuple[StrataRecorder, Any] | None] = contextvars.ContextVar("strata_at")
# The invocation context and the id of the tool call that is running now: what a run inside of a tool belongs to.
_TOOL_CALL: contextvars.ContextVar[tuple[Any, Any] | None] = contextvars.ContextVar("strata_tool_call")

# Larger artifacts are named by their hash only.
_MAX_ARTIFACT_BYTES = 8 * 1024 * 1024


def _begin_again(recorder: StrataRecorder | None) -> None:
    """In a child process, which has neither the thread that writes nor what it would have written."""
    if recorder is not None:
        recorder._begin()
        recorder._log.begin()


class _Run:
    """An invocation."""

    def __init__(self, context: Any, app: _Described, parent: tuple[Any, Any] | None):
        self.context = context
        self.id = context.invocation_id
        self.app = app
        self.n_calls = 0
        if parent is not None and parent[0].invocation_id == self.id:
            parent = None
        self.parent = parent
        self._fields = {
            "id": self.id,
            "session": _session_key(context.session),
            "app": app.id,
            "agent": getattr(context.agent, "name", None),
            # What a live session sends goes by other ways than these here.
            "live": getattr(context, "live_request_queue", None) is not None,
            "runConfig": _described(context.run_config, _describe_run_config),
            "plugins": [plugin.name for plugin in context.plugin_manager.plugins],
            "services": {
                "session": _class_name(context.session_service),
                "artifacts": _class_name(context.artifact_service) if context.artifact_service else None,
                "memory": _class_name(context.memory_service) if context.memory_service else None,
            },
        }

    def fields(self) -> dict[str, Any]:
        return {**self._fields, "parent": _parent_of(self)}


def _parent_of(run: _Run | None) -> dict[str, Any] | None:
    if run is None or run.parent is None:
        return None
    context, call = run.parent
    return {"session": _session_key(context.session), "invocation": context.invocation_id, "functionCall": call}


class _SessionLog:
    """What is written of a session."""

    def __init__(self, key: str):
        self.key = key
        self.events: set = set()
        self.is_begun = False
        self.is_followed = False


class _Call:
    """A model call that is under way."""

    def __init__(self, call_id: str, context: Any, request: Any, actions: Any):
        self.id = call_id
        self.context = context
        self.request = request
        # Of the event that will hold the answer.
        self.actions = actions
        self.tools: list[list[str]] = []
        self.seen: list[str] = []
        self.state: dict[str, str] = {}
        # As google-adk's processors made it, as the last callback left it, and as the model got it.
        self.compiled = self.last = _Snapshot(request)
        self.sent: _Snapshot | None = None
        self.stages: list[dict[str, Any]] = []
        self.model: dict[str, Any] | None = None
        self.is_aside = False
        self.is_streamed = False
        self.is_written = False
        self.has_answer = False
        self.sent_at: float | None = None
        self.n_chunks = 0
        self.first_chunk: float | None = None
        self.last_response: Any = None


class _Recent:
    """A map that keeps its newest entries."""

    def __init__(self, limit: int):
        self._limit = limit
        self._entries: collections.OrderedDict[Any, Any] = collections.OrderedDict()

    def get(self, key: Any) -> Any:
        return self._entries.get(key)

    def put(self, key: Any, value: Any) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        while len(self._entries) > self._limit:
            self._entries.popitem(last=False)

    def pop(self, key: Any) -> Any:
        return self._entries.pop(key, None)

    def values(self) -> list[Any]:
        """The newest first."""
        return list(reversed(self._entries.values()))


def _invocation_of(context: Any) -> Any:
    """The invocation context behind any of google-adk's contexts."""
    return getattr(context, "_invocation_context", context)


def _session_key(session: Any) -> str:
    return hashlib.blake2b(repr((session.app_name, session.user_id, session.id)).encode(), digest_size=8).hexdigest()


def _describe_run_config(config: Any) -> dict[str, Any]:
    """What is not as always."""
    fields = json.loads(_mask(_model_json(config, exclude_defaults=True)))
    for name in ("http_options", "httpOptions"):
        if name in fields:
            fields[name] = _Text(_http_options(config.http_options))
    return fields


def _describe_place(context: Any) -> dict[str, Any]:
    """Where in the run a call is made, as far as requests depend on it."""
    agent = context.agent
    fields = {
        "agent": getattr(agent, "name", None),
        "branch": getattr(context, "branch", None),
        "isolationScope": getattr(context, "isolation_scope", None),
        "nodePath": getattr(context, "node_path", None),
        "mode": getattr(agent, "mode", None),
        "includeContents": getattr(agent, "include_contents", None),
    }
    return fields


def _runner() -> Any:
    """The runner that is calling: google-adk tells plugins of the run, and not of the app it belongs to."""
    runners = sys.modules.get("google.adk.runners")
    kind = getattr(runners, "Runner", None)
    frame = sys._getframe(1)
    for _ in range(200):
        if kind is None or frame is None:
            return None
        local = frame.f_locals
        for name in ("self", "runner"):
            if isinstance(local.get(name), kind):
                return local[name]
        frame = frame.f_back
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Wrappers over places without a plugin hook. Each calls what it wraps exactly as it was called and returns what came.

_WRAP_LOCK = threading.Lock()


def _is_wrapped(function: Any) -> bool:
    return getattr(function, "_strata_wrapper", False)


def _marked(wrapper: Any) -> Any:
    wrapper._strata_wrapper = True
    return wrapper


def _set(thing: Any, name: str, wrapper: Any) -> None:
    try:
        # Some services are pydantic models, which have no other attributes than their fields.
        object.__setattr__(thing, name, wrapper)
    except Exception as error:
        _logger.debug("%s of %s cannot be watched: %s", name, _class_name(thing), error)


def _recorder_of(context: Any) -> StrataRecorder | None:
    """The recorder among the plugins of a run; inside of a run without plugins, that of the run around it."""
    manager = getattr(context, "plugin_manager", None)
    for plugin in getattr(manager, "plugins", None) or ():
        if isinstance(plugin, StrataRecorder):
            return plugin
    at = _AT.get(None)
    return at[0] if at else None


def _wrap_classes() -> None:
    from google.adk.agents.base_agent import BaseAgent
    from google.adk.agents.llm_agent import LlmAgent

    with _WRAP_LOCK:
        for method, kind in (("canonical_instruction", "dynamic"), ("canonical_global_instruction", "global")):
            _wrap_instruction(LlmAgent, method, kind)
        _wrap_callbacks(LlmAgent, "canonical_before_model_callbacks", _before_model_callbacks)
        _wrap_callbacks(LlmAgent, "canonical_after_model_callbacks", _after_model_callbacks)
        for hook in ("before_agent", "after_agent"):
            _wrap_callbacks(BaseAgent, f"canonical_{hook}_callbacks", functools.partial(_agent_callbacks, hook))
        with contextlib.suppress(ImportError):  # Before 2.0 there are none.
            from google.adk.workflow import BaseNode

            _wrap_node_class(BaseNode)
    _wrap_model_classes()
    _wrap_tool_classes()


def _wrap_instruction(agent_class: Any, method: str, kind: str) -> None:
    original = agent_class.__dict__.get(method)
    if original is None or _is_wrapped(original):
        return

    @functools.wraps(original)
    async def resolve(self: Any, ctx: Any, *args: Any, **kwargs: Any) -> Any:
        result = await original(self, ctx, *args, **kwargs)
        provider = getattr(self, "instruction" if kind == "dynamic" else "global_instruction", None)
        if callable(provider):
            context = _invocation_of(ctx)
            recorder = _recorder_of(context)
            if recorder is not None:
                text = result[0] if isinstance(result, tuple) else result
                recorder._note_instruction(context, self, kind, provider, text)
        return result

    setattr(agent_class, method, _marked(resolve))


def _wrap_callbacks(agent_class: Any, name: str, watch: Callable[[list], list]) -> None:
    original = agent_class.__dict__.get(name)
    if not isinstance(original, property) or original.fget is None or _is_wrapped(original.fget):
        return

    @functools.wraps(original.fget)
    def callbacks(self: Any) -> Any:
        found = original.fget(self)
        return watch(found) if isinstance(found, list) else found

    setattr(agent_class, name, property(_marked(callbacks)))


def _before_model_callbacks(callbacks: list) -> list:
    """The callbacks, each telling what it changed of the request."""

    def begin(callback_context: Any, llm_request: Any) -> None:
        # For runs without our plugin among theirs, as agent tools make them before 1.20.
        recorder = _recorder_of(_invocation_of(callback_context))
        if recorder is not None:
            recorder._open_call(callback_context, llm_request)

    return [begin] + [_watched_callback(callback, at) for at, callback in enumerate(callbacks)]


def _after_model_callbacks(callbacks: list) -> list:
    def see(callback_context: Any, llm_response: Any) -> None:
        recorder = _recorder_of(_invocation_of(callback_context))
        if recorder is not None:
            recorder._answer(callback_context, llm_response)

    return [see] + callbacks


def _watched_callback(callback: Any, position: int) -> Any:
    stage = {"stage": "callback", "name": _callable_name(callback), "position": position}
    return _watched(callback, lambda: dict(stage))


def _agent_callbacks(hook: str, callbacks: list) -> list:
    """The callbacks, each telling what it said."""
    return [
        _overheard(callback, {"hook": hook, "stage": "callback", "name": _callable_name(callback)})
        for callback in callbacks
    ]


def _wrap_plugin(plugin: Any) -> None:
    """A plugin of the app tells what it changed of a request, and what it said in the place of others."""
    if isinstance(plugin, StrataRecorder):
        return
    stage = {"stage": "plugin", "name": plugin.name, "class": _class_name(plugin)}
    for hook in ("before_run", "before_agent", "after_agent", "before_model"):
        method = f"{hook}_callback"
        original = getattr(plugin, method, None)
        if original is None or _is_wrapped(original):
            continue
        if getattr(type(plugin), method, None) is getattr(BasePlugin, method, None):
            continue  # It has none of its own.
        if hook == "before_model":
            wrapper = _watched(original, lambda: dict(stage))
        else:
            wrapper = _overheard(original, {"hook": hook, **stage})
        _set(plugin, method, _marked(wrapper))


def _overheard(function: Callable, by: dict[str, Any]) -> Callable:
    """`function`, which may answer with a content, with what it says noted as its own."""

    def note(args: tuple, kwargs: dict, said: Any) -> None:
        if not getattr(said, "parts", None):
            return
        given = [kwargs.get("callback_context"), kwargs.get("invocation_context"), *args]
        context = next((context for context in given if context is not None), None)
        recorder = _recorder_of(_invocation_of(context))
        if recorder is not None:
            recorder._note_spoken(said, by)

    async def awaited(result: Any, args: tuple, kwargs: dict) -> Any:
        said = await result
        note(args, kwargs, said)
        return said

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if inspect.isawaitable(result):
            return awaited(result, args, kwargs)
        note(args, kwargs, result)
        return result

    return run


def _watched(function: Callable, stage: Callable[[], dict[str, Any]]) -> Callable:
    """`function`, a before-model callback, with a stage noted for what it did."""

    def arguments(args: tuple, kwargs: dict) -> tuple[Any, Any]:
        given = list(args)
        context = kwargs["callback_context"] if "callback_context" in kwargs else given.pop(0) if given else None
        return context, kwargs["llm_request"] if "llm_request" in kwargs else given.pop(0) if given else None

    def begin(args: tuple, kwargs: dict) -> tuple[StrataRecorder, _Call] | None:
        context, request = arguments(args, kwargs)
        recorder = _recorder_of(_invocation_of(context)) if request is not None else None
        call = recorder._open_call(context, request) if recorder is not None else None
        return (recorder, call) if recorder is not None and call is not None else None

    async def awaited(result: Any, seen: tuple[StrataRecorder, _Call] | None) -> Any:
        try:
            result = await result
        except BaseException as error:
            if seen:
                seen[0]._stage(seen[1], stage(), None, error)
            raise
        if seen:
            seen[0]._stage(seen[1], stage(), result, None)
        return result

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        seen = begin(args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            if seen:
                seen[0]._stage(seen[1], stage(), None, error)
            raise
        if inspect.isawaitable(result):
            return awaited(result, seen)
        if seen:
            seen[0]._stage(seen[1], stage(), result, None)
        return result

    return run


def _wrap_model_classes() -> None:
    """Model classes are imported when they are first needed, so this is asked again before each call."""
    from google.adk.models.base_llm import BaseLlm

    classes = [BaseLlm]
    while classes:
        model_class = classes.pop()
        classes.extend(model_class.__subclasses__())
        original = model_class.__dict__.get("generate_content_async")
        if original is not None and not _is_wrapped(original):
            with _WRAP_LOCK:
                _wrap_model_class(model_class, original)


def _wrap_model_class(model_class: Any, original: Any) -> None:
    @functools.wraps(original)
    def generate_content_async(self: Any, llm_request: Any, *args: Any, **kwargs: Any) -> Any:
        stream = bool(args[0] if args else kwargs.get("stream", False))
        for recorder in list(_RECORDERS):
            recorder._note_sent(self, llm_request, stream)
        return original(self, llm_request, *args, **kwargs)

    model_class.generate_content_async = _marked(generate_content_async)


# What these tools do to requests is known from their class.
_KNOWN_TOOLS = (
    "BaseTool",
    "PreloadMemoryTool",
    "LoadMemoryTool",
    "LoadArtifactsTool",
    "GoogleSearchTool",
    "ExampleTool",
)


def _wrap_tool_classes() -> None:
    """Tools and toolsets that change requests in ways of their own tell what they changed."""
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.base_toolset import BaseToolset

    classes = [BaseTool, BaseToolset]
    while classes:
        tool_class = classes.pop()
        classes.extend(tool_class.__subclasses__())
        original = tool_class.__dict__.get("process_llm_request")
        if original is None or _is_wrapped(original) or tool_class is BaseToolset or not _is_unknown_tool(tool_class):
            continue
        with _WRAP_LOCK:
            _wrap_tool_class(tool_class, original)


def _is_unknown_tool(tool_class: Any) -> bool:
    is_adks = tool_class.__module__.startswith("google.adk.")
    return not (is_adks and (tool_class.__name__ in _KNOWN_TOOLS or tool_class.__name__.startswith("_")))


def _maker(kind: Any, method: str) -> Any:
    """The class that a method of `kind` is from."""
    return next(parent for parent in kind.__mro__ if method in parent.__dict__)


def _wrap_tool_class(tool_class: Any, original: Any) -> None:
    @functools.wraps(original)
    async def process_llm_request(self: Any, *args: Any, **kwargs: Any) -> Any:
        context = _invocation_of(kwargs.get("tool_context"))
        recorder = _recorder_of(context) if context is not None and "llm_request" in kwargs else None
        if recorder is None or _maker(type(self), "process_llm_request") is not tool_class:
            return await original(self, *args, **kwargs)
        before = recorder._before_tool(kwargs["llm_request"])
        result = await original(self, *args, **kwargs)
        recorder._note_tool(context, self, before, kwargs["llm_request"])
        return result

    tool_class.process_llm_request = _marked(process_llm_request)


def _wrap_node_class(node_class: Any) -> None:
    original = node_class.__dict__.get("run")
    if original is None or _is_wrapped(original):
        return

    @functools.wraps(original)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        context = kwargs.get("ctx", args[0] if args else None)
        recorder = _recorder_of(_invocation_of(context))
        if recorder is not None:
            recorder._note_node(self, context, kwargs.get("node_input"))
        return original(self, *args, **kwargs)

    node_class.run = _marked(run)


def _wrap_service(service: Any, method: str, session_service: Any) -> None:
    original = getattr(service, method, None)
    if original is None or _is_wrapped(original):
        return

    @functools.wraps(original)
    async def passed_through(*args: Any, **kwargs: Any) -> Any:
        try:
            result = await original(*args, **kwargs)
        except BaseException as error:
            _note_use(method, args, kwargs, None, error, original)
            raise
        _note_use(method, args, kwargs, result, None, original)
        return result

    _set(service, method, _marked(passed_through))


def _note_use(method: str, args: tuple, kwargs: dict, result: Any, error: Any, original: Any) -> None:
    try:
        given = dict(inspect.signature(original).bind(*args, **kwargs).arguments) if args else kwargs
        if method == "append_event":
            if error is None:
                for recorder in list(_RECORDERS):
                    stored = result if result is not None else given["event"]
                    recorder._note_appended(given["session"], stored, given["event"])
            return
        at = _AT.get(None)
        if at is not None:
            at[0]._note_service(method, given, result, error)
    except Exception as failure:
        _logger.debug("a use of %s was not recorded: %s", method, failure)


# ---------------------------------------------------------------------------------------------------------------------
# Values as JSON.


class _Text(str):
    """A text that is JSON already."""


def _dumps(value: Any) -> str:
    if isinstance(value, _Text):
        return value
    if isinstance(value, dict):
        return "{" + ",".join([f"{_key(key)}:{_dumps(one)}" for key, one in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([_dumps(one) for one in value]) + "]"
    return json.dumps(value, ensure_ascii=False, default=str)


@functools.lru_cache(maxsize=1000)
def _key(key: Any) -> str:
    return json.dumps(str(key))


_quoted = json.JSONEncoder(ensure_ascii=False).encode


def _model_json(model: Any, **options: Any) -> str:
    """A pydantic model as google-adk stores it: camelCase, without what is not set."""
    try:
        return model.model_dump_json(by_alias=True, exclude_none=True, **options)
    except Exception:
        values = model.model_dump(by_alias=True, exclude_none=True, **options)
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _value_json(value: Any) -> str:
    if isinstance(value, BaseModel):
        return _model_json(value)
    try:
        return to_json(value, fallback=_plain, bytes_mode="base64").decode()
    except Exception:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    """Something JSON has no form for, as text."""
    if isinstance(value, BaseModel):
        return json.loads(_model_json(value))
    if isinstance(value, (bytes, bytearray)):
        return base64.urlsafe_b64encode(bytes(value)).decode()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)


def _error(error: BaseException | None) -> dict[str, str] | None:
    return None if error is None else {"type": type(error).__name__, "message": _mask_text(str(error))[:4000]}


def _class_name(thing: Any) -> str:
    kind = thing if isinstance(thing, type) else type(thing)
    return f"{kind.__module__}.{kind.__qualname__}"


def _callable_name(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", None)
    if name is None:
        return _class_name(function)
    return f"{getattr(function, '__module__', None) or '?'}.{name}"


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=12).digest()


# ---------------------------------------------------------------------------------------------------------------------
# Requests.


class _Snapshot:
    """A request at one moment, in pieces of JSON: three lists, and fields by name. Pieces are told apart by digests."""

    def __init__(self, request: Any, before: _Snapshot | None = None):
        self.texts: dict[bytes, str] = dict(before.texts) if before else {}
        self.fields: dict[str, bytes] = {}
        self.lists: dict[str, list[bytes]] = {"contents": [], "system": [], "tools": []}
        self.n_characters = 0
        self._add_contents(request.contents or [], before)
        for name in ("model", "previous_interaction_id", "service_tier", "cacheable_contents_token_count"):
            value = getattr(request, name, None)
            if value is not None:
                self._add_field(name, _value_json(getattr(value, "value", value)))
        for name in ("cache_config", "cache_metadata"):
            value = getattr(request, name, None)
            if value is not None:
                self._add_field(name, value.model_dump_json(exclude_none=True))
        if request.config is not None:
            self._add_config(request.config)

    def __eq__(self, other: Any) -> bool:
        return self.lists == other.lists and self.fields == other.fields

    def without_texts(self) -> _Snapshot:
        """What the next request is compared with."""
        self.texts = {}
        return self

    def _add_contents(self, contents: list[Any], before: _Snapshot | None) -> None:
        # All of them at once is faster, and mostly nothing has changed.
        if before is not None and _contents_json(contents) == before.contents_json():
            self.lists["contents"] = before.lists["contents"]
        else:
            self._add_list("contents", [_model_json(content) for content in contents])

    def contents_json(self) -> str:
        return "[" + ",".join(self.texts[digest] for digest in self.lists["contents"]) + "]"

    def _add_list(self, name: str, items: list[str]) -> None:
        self.lists[name] = [self._digest(item) for item in items]
        self.n_characters += sum(len(item) for item in items)

    def _add_field(self, name: str, text: str) -> None:
        self.fields[name] = self._digest(text)

    def _digest(self, text: str) -> bytes:
        digest = _digest(text)
        self.texts[digest] = text
        return digest

    def _add_config(self, config: Any) -> None:
        for name, field in type(config).model_fields.items():
            value = getattr(config, name, None)
            if value is None:
                continue
            alias = field.alias or name
            if name == "system_instruction":
                self._add_list("system", _system_items(value))
            elif name == "tools":
                self._add_list("tools", _tool_items(value))
            elif name in ("response_schema", "response_json_schema"):
                self._add_field(f"config.{alias}", _dumps(_schema(value)))
            elif name == "http_options":
                self._add_field("config.httpOptions", _http_options(value))
            else:
                self._add_field(f"config.{alias}", _value_json_aliased(value))


@functools.lru_cache(maxsize=1)
def _contents_type() -> TypeAdapter:
    from google.genai import types

    return TypeAdapter(list[types.Content])


def _contents_json(contents: list[Any]) -> str | None:
    try:
        return _contents_type().dump_json(contents, by_alias=True, exclude_none=True).decode()
    except Exception:
        return None  # They can only be written one by one.


def _value_json_aliased(value: Any) -> str:
    if isinstance(value, BaseModel):
        return _model_json(value)
    try:
        return to_json(value, by_alias=True, exclude_none=True, fallback=_plain).decode()
    except Exception:
        return _value_json(value)


# Behind a blank line a text goes on independently of what is before it: instructions are put together there.
_PARAGRAPH = re.compile(r"(?<=\n\n)(?=[^\n])")


def _system_items(value: Any) -> list[str]:
    if isinstance(value, str):
        return [json.dumps({"text": piece}, ensure_ascii=False) for piece in _PARAGRAPH.split(value)]
    return [_dumps({"value": _Text(_value_json_aliased(value))})]


def _tool_items(tools: Iterable[Any]) -> list[str]:
    """Each declaration is an item of its own, `{"function": …, "of": n}` of the n-th tool; others are `{"tool": …}`."""
    items = []
    for at, tool in enumerate(tools):
        declarations = getattr(tool, "function_declarations", None)
        if declarations:
            items += [_dumps({"of": at, "function": _Text(_model_json(one))}) for one in declarations]
            rest = _model_json(tool, exclude={"function_declarations"})
            if rest != "{}":
                items.append(_dumps({"of": at, "tool": _Text(rest)}))
        elif isinstance(tool, BaseModel):
            items.append(_dumps({"of": at, "tool": _Text(_model_json(tool))}))
        else:
            items.append(_dumps({"of": at, "tool": {"callable": _callable_name(tool)}}))
    return items


def _http_options(options: Any) -> str:
    """Headers may hold keys under any name, so their values are not written."""
    fields = json.loads(_model_json(options)) if isinstance(options, BaseModel) else json.loads(_value_json(options))
    for name in ("headers", "extraBody", "extra_body", "clientArgs", "asyncClientArgs"):
        if isinstance(fields.get(name), dict):
            fields[name] = {key: _masked_header(key, value) for key, value in fields[name].items()}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _masked_header(name: str, value: Any) -> Any:
    plain = ("accept", "content-type", "user-agent", "x-goog-api-client")
    return value if name.lower() in plain or not isinstance(value, str) else "‹redacted: header›"


def _splice(before: list, after: list) -> dict[str, Any]:
    """`after` as `before[:keep] + add + before[len(before) - end:]`."""
    shorter = min(len(before), len(after))
    keep = 0
    while keep < shorter and before[keep] == after[keep]:
        keep += 1
    end = 0
    while end < shorter - keep and before[-1 - end] == after[-1 - end]:
        end += 1
    spliced: dict[str, Any] = {"keep": keep, "add": after[keep : len(after) - end]}
    if end:
        spliced["end"] = end
    return spliced


# ---------------------------------------------------------------------------------------------------------------------
# The app.


class _Described:
    """An app's configuration as JSON."""

    def __init__(self, text: str, agents: set[str]):
        self.text = text
        self.id = _digest(text).hex()
        # Names of all agents in it.
        self.agents = agents


def _describe_app(context: Any, runner: Any, root: Any) -> _Described:
    app = getattr(runner, "app", None)
    compaction = getattr(app, "events_compaction_config", None)
    if compaction is None:
        compaction = getattr(context, "events_compaction_config", None)
    fields = {
        "name": getattr(runner, "app_name", None) or context.session.app_name,
        "root_agent": _describe_agent(root),
        "plugins": [
            _describe_plugin(one) for one in context.plugin_manager.plugins if not isinstance(one, StrataRecorder)
        ],
        "events_compaction_config": _described(compaction, _describe_compaction),
        "context_cache_config": _described(getattr(context, "context_cache_config", None), _set_fields),
        "resumability_config": _described(getattr(context, "resumability_config", None), _set_fields),
    }
    return _Described(_mask(_dumps(_without_none(fields))), set(_agent_names(fields["root_agent"])))


def _agent_names(described: Any) -> Iterator[str]:
    """The names of a described agent and of all below it, those that are tools included."""
    if not isinstance(described, dict):
        return
    if described.get("name"):
        yield described["name"]
    tools = [tool.get("agent") for tool in described.get("tools") or [] if isinstance(tool, dict)]
    for below in [*(described.get("sub_agents") or []), *tools]:
        yield from _agent_names(below)


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None and value != []}


def _described(value: Any, describe: Callable[[Any], Any]) -> Any:
    """What `describe` says; where it fails, what the thing is."""
    if value is None:
        return None
    try:
        return describe(value)
    except Exception as error:
        return {"class": _class_name(value), "undescribed": _mask_text(f"{type(error).__name__}: {error}")[:400]}


def _set_fields(config: BaseModel) -> _Text:
    return _Text(config.model_dump_json(exclude_none=True, fallback=_plain))


def _describe_compaction(config: Any) -> dict[str, Any]:
    names = ("compaction_interval", "overlap_size", "token_threshold", "event_retention_size")
    fields = {name: getattr(config, name, None) for name in names}
    summarizer = getattr(config, "summarizer", None)
    if summarizer is not None:
        model = getattr(summarizer, "_llm", None)
        template = getattr(summarizer, "_prompt_template", None)
        default = getattr(type(summarizer), "_DEFAULT_PROMPT_TEMPLATE", None)
        fields["summarizer"] = _without_none(
            {
                "class": _class_name(summarizer),
                "model": getattr(model, "model", None),
                "prompt_template": template if template != default else None,
            }
        )
    return _without_none(fields)


def _describe_plugin(plugin: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"type": "code", "name": plugin.name, "class": _class_name(plugin)}
    module = type(plugin).__module__
    if module == "google.adk.plugins.context_filter_plugin" and not getattr(plugin, "_custom_filter", None):
        fields["type"] = "context_filter"
        fields["num_invocations_to_keep"] = getattr(plugin, "_num_invocations_to_keep", None)
        fields["remove_amount"] = getattr(plugin, "_remove_amount", None)
    elif module == "google.adk.plugins.global_instruction_plugin":
        instruction = getattr(plugin, "global_instruction", None)
        if isinstance(instruction, str):
            fields["type"] = "global_instruction"
            fields["global_instruction"] = instruction
    hooks = [name for name in dir(BasePlugin) if name.endswith("_callback")]
    fields["hooks"] = [name for name in hooks if getattr(type(plugin), name, None) is not getattr(BasePlugin, name)]
    return _without_none(fields)


_KINDS = {"SequentialAgent": "sequential", "ParallelAgent": "parallel", "LoopAgent": "loop"}


def _agent_kind(agent: Any) -> str:
    for kind in type(agent).__mro__:
        if kind.__name__ == "LlmAgent":
            return "llm"
        if kind.__name__ == "Workflow":
            return "workflow"
        if kind.__name__ in _KINDS and kind.__module__.startswith("google.adk."):
            return _KINDS[kind.__name__]
    return "custom"


_CALLBACKS = (
    "before_agent_callback",
    "after_agent_callback",
    "before_model_callback",
    "after_model_callback",
    "on_model_error_callback",
    "before_tool_callback",
    "after_tool_callback",
    "on_tool_error_callback",
)


def _describe_agent(agent: Any, seen: tuple[int, ...] = ()) -> dict[str, Any]:
    """An agent or another node with everything below it."""
    if id(agent) in seen:
        return {"type": "custom", "name": getattr(agent, "name", "?"), "repeated": True}
    seen += (id(agent),)
    kind = _agent_kind(agent)
    fields: dict[str, Any] = {
        "type": kind,
        "class": _class_name(agent),
        "name": getattr(agent, "name", None),
        "description": getattr(agent, "description", None) or None,
        "max_iterations": getattr(agent, "max_iterations", None),
    }
    children = list(getattr(agent, "sub_agents", None) or [])
    if kind == "workflow":
        graph = getattr(agent, "graph", None)
        nodes = [node for node in getattr(graph, "nodes", None) or [] if getattr(node, "name", None) != "__START__"]
        children += nodes
        fields["edges"] = _described(graph, _describe_edges)
    fields["sub_agents"] = [_describe_agent(child, seen) for child in children]
    for name in _CALLBACKS:
        callbacks = getattr(agent, name, None)
        if callbacks is not None:
            listed = callbacks if isinstance(callbacks, list) else [callbacks]
            fields[f"{name}s"] = [{"type": "code", "name": _callable_name(one)} for one in listed]
    for name in ("input_schema", "output_schema"):
        fields[name] = _described(getattr(agent, name, None), _describe_schema)
    if kind == "llm":
        fields.update(_describe_llm(agent, seen))
    elif kind == "custom":
        fields["function"] = _described(getattr(agent, "_func", None), _callable_name)
    return _without_none(fields)


def _describe_edges(graph: Any) -> list[dict[str, Any]]:
    return [
        _without_none({"from": edge.from_node.name, "to": edge.to_node.name, "route": getattr(edge, "route", None)})
        for edge in graph.edges
    ]


def _describe_llm(agent: Any, seen: tuple[int, ...]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "model": _described(getattr(agent, "model", None) or None, _describe_model),
        "instruction": _describe_instruction(getattr(agent, "instruction", None)),
        "global_instruction": _describe_instruction(getattr(agent, "global_instruction", None)),
        "static_instruction": _described(getattr(agent, "static_instruction", None), _describe_static),
        "mode": getattr(agent, "mode", None),
        "output_key": getattr(agent, "output_key", None),
        "planner": _described(getattr(agent, "planner", None), _describe_planner),
        "code_executor": _described(getattr(agent, "code_executor", None), _describe_executor),
        "generate_content_config": _described(getattr(agent, "generate_content_config", None), _describe_config),
    }
    if getattr(agent, "include_contents", "default") != "default":
        fields["include_contents"] = agent.include_contents
    for name in ("disallow_transfer_to_parent", "disallow_transfer_to_peers"):
        if getattr(agent, name, False):
            fields[name] = True
    # Tools with an underscore are those google-adk adds for sub-agents and tasks by itself.
    own = [tool for tool in getattr(agent, "tools", None) or [] if not type(tool).__name__.startswith("_")]
    own = [tool for tool in own if type(tool).__name__ != "FinishTaskTool"]
    fields["tools"] = [_described(tool, lambda one: _describe_tool(one, seen)) for tool in own]
    return fields


def _describe_model(model: Any) -> Any:
    if isinstance(model, str):
        return model
    kinds = {kind.__name__ for kind in type(model).__mro__}
    family = "gemini" if "Gemini" in kinds else "lite_llm" if "LiteLlm" in kinds else "other"
    fields = {"name": model.model, "kind": family, "class": _class_name(model)}
    if getattr(model, "use_interactions_api", False):
        fields["use_interactions_api"] = True
    if family == "other" and _can_combine(model):
        fields["output_schema_and_tools"] = True
    return fields


def _can_combine(model: Any) -> bool:
    """Whether the model takes a response schema together with tools."""
    try:
        return bool(model.capabilities.output_schema_and_tools)
    except Exception:
        return False  # Before there were capabilities.


def _describe_model_call(model: Any) -> dict[str, Any]:
    fields = {"name": getattr(model, "model", None), "class": _class_name(model)}
    described = _described(model, _describe_model)
    if isinstance(described, dict):
        fields.update(described)
    return fields


def _describe_instruction(instruction: Any) -> Any:
    if instruction is None or instruction == "":
        return None
    return instruction if isinstance(instruction, str) else {"provider": "", "name": _callable_name(instruction)}


def _describe_static(instruction: Any) -> Any:
    if isinstance(instruction, list):
        return [_describe_static(one) for one in instruction]
    if isinstance(instruction, BaseModel):
        return _Text(_model_json(instruction))
    return instruction if isinstance(instruction, str) else str(instruction)


def _describe_schema(schema: Any) -> dict[str, Any]:
    if isinstance(schema, dict):
        return {"kind": "json_schema", "json_schema": schema}
    if isinstance(schema, BaseModel):
        return {"kind": "json_schema", "class": _class_name(schema), "json_schema": _Text(_model_json(schema))}
    fields: dict[str, Any] = {"kind": "primitive", "json_schema": TypeAdapter(schema).json_schema()}
    inner = getattr(schema, "__args__", (None,))[0] if getattr(schema, "__origin__", None) is list else None
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        fields.update(kind="pydantic_model")
        fields["class"] = schema.__name__
    elif isinstance(inner, type) and issubclass(inner, BaseModel):
        fields.update(kind="list_of_pydantic_model")
        fields["class"] = inner.__name__
    else:
        fields["annotation"] = str(schema) if getattr(schema, "__origin__", None) else schema.__name__
    return fields


def _schema(schema: Any) -> Any:
    """A schema in a request, as JSON Schema."""
    if isinstance(schema, dict):
        return schema
    if isinstance(schema, BaseModel):
        return _Text(_model_json(schema))
    try:
        return TypeAdapter(schema).json_schema()
    except Exception:
        return {"class": str(schema)}


def _describe_planner(planner: Any) -> dict[str, Any]:
    kinds = {kind.__name__ for kind in type(planner).__mro__}
    fields: dict[str, Any] = {"class": _class_name(planner)}
    if "BuiltInPlanner" in kinds:
        fields.update(type="built_in", thinking_config=_Text(_model_json(planner.thinking_config)))
    elif "PlanReActPlanner" in kinds:
        fields.update(type="plan_re_act")
    return fields


def _describe_executor(executor: Any) -> dict[str, Any]:
    kinds = {kind.__name__ for kind in type(executor).__mro__}
    fields: dict[str, Any] = {"type": "host", "class": _class_name(executor)}
    if "BuiltInCodeExecutor" in kinds:
        return {**fields, "type": "built_in"}
    names = ("optimize_data_file", "error_retry_attempts", "code_block_delimiters", "execution_result_delimiters")
    return {**fields, **{name: getattr(executor, name) for name in names if hasattr(executor, name)}}


def _describe_config(config: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in config.model_fields_set:
        value = getattr(config, name, None)
        if value is not None:
            alias = type(config).model_fields[name].alias or name
            fields[alias] = _Text(_http_options(value) if name == "http_options" else _value_json_aliased(value))
    return fields


_ADK_TOOLS = {
    "LoadMemoryTool": "load_memory",
    "PreloadMemoryTool": "preload_memory",
    "LoadArtifactsTool": "load_artifacts",
    "GoogleSearchTool": "google_search",
    "ExampleTool": "examples",
}


def _describe_tool(tool: Any, seen: tuple[int, ...]) -> dict[str, Any]:
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.base_toolset import BaseToolset

    if isinstance(tool, BaseToolset):
        prefix = getattr(tool, "tool_name_prefix", None)
        fields = {"type": "toolset", "class": _class_name(tool), "tools": None, "prefix": prefix}
        if _maker(type(tool), "process_llm_request") is not BaseToolset:
            fields["code"] = type(tool).__name__
        return _without_none(fields)
    if not isinstance(tool, BaseTool):
        from google.adk.tools.function_tool import FunctionTool

        tool = FunctionTool(tool)
    fields: dict[str, Any] = {"name": tool.name, "class": _class_name(tool)}
    maker = _maker(type(tool), "process_llm_request")
    if _is_unknown_tool(maker):
        # It changes requests itself, and tells what with each.
        return {**fields, "type": "code"}
    name = type(tool).__name__ if maker is BaseTool else maker.__name__
    function = getattr(tool, "func", None)
    if callable(function):
        fields["function"] = _callable_name(function)
    if name == "AgentTool":
        fields.update(type="agent_tool", agent=_describe_agent(tool.agent, seen))
        if getattr(tool, "skip_summarization", False):
            fields["skip_summarization"] = True
        if getattr(tool, "include_plugins", True) is False:
            fields["include_plugins"] = False
        return fields
    if name in _ADK_TOOLS:
        fields["type"] = _ADK_TOOLS[name]
        if name == "GoogleSearchTool" and getattr(tool, "bypass_multi_tools_limit", False):
            fields["bypass_multi_tools_limit"] = True
        if name == "ExampleTool":
            fields["examples"] = _Text(_value_json_aliased(list(tool.examples)))
        return fields
    if fields.get("function") == "google.adk.tools.exit_loop_tool.exit_loop":
        return {**fields, "type": "exit_loop"}
    declaration = tool._get_declaration()
    fields["type"] = "no_declaration" if declaration is None else "function"
    if declaration is not None:
        # What the class writes is what the model sees, notes on long-running functions included.
        fields["declaration"] = _Text(_model_json(declaration))
    if getattr(tool, "is_long_running", False):
        fields["is_long_running"] = True
    return fields


# ---------------------------------------------------------------------------------------------------------------------
# Secrets. What is masked, and how, is what Strata itself masks (`strata_model::secret`).


def _has_digit(text: str) -> bool:
    return any(letter in "0123456789" for letter in text)


def _any(text: str) -> bool:
    return True


def _is_url_password(text: str) -> bool:
    return not any(letter in "${}[]*" for letter in text) and text.lower() not in ("password", "pass")


def _is_password(text: str) -> bool:
    has_letter = any(letter.isascii() and letter.isalpha() for letter in text)
    has_other = any(letter in "0123456789!#%^&*?~@" for letter in text)
    lowered = text.lower()
    words = ("redacted", "example", "placeholder", "your", "xxxx", "****", "env.")
    return has_letter and has_other and not any(word in lowered for word in words)


class _Secret:
    """A kind of secret: a pattern with one group, looked for where one of `hints` stands in a text."""

    def __init__(
        self,
        name: str,
        hints: tuple[str, ...],
        pattern: str,
        check: Callable[[str], bool] = _has_digit,
        alone: bool = True,
        named: bool = False,
    ):
        self.name = name
        self.hints = hints
        self.check = check
        # What it is stands before it, which may be the name of a member.
        self.is_named = named
        # In JSON, the end of a line and the like are letters behind a backslash.
        begins = r"(?:(?<![A-Za-z0-9_/+-])|(?<=\\[bfnrt])|(?<=\\u00[01][0-9a-f]))" if alone else ""
        self.regex = re.compile(begins + pattern)
        self.mask = f"‹redacted: {name}›"

    def has_hint(self, text: str) -> bool:
        for hint in self.hints:
            if hint in text:
                return True
        return False

    def masked(self, text: str) -> str:
        return self.regex.sub(self._replace, text)

    def _replace(self, found: re.Match[str]) -> str:
        secret = found.group(1)
        secret = secret.rstrip(".") or secret  # The end of a sentence is none of it.
        if secret.startswith(("‹", "•")) or not self.check(secret):
            return found.group(0)
        at = found.start(1) - found.start(0)
        return found.group(0)[:at] + self.mask + found.group(0)[at + len(secret) :]


# The end of a line; in JSON within a text, it is letters behind backslashes.
_LINE_END = r"(?:\s|\\+[nrt])"
# What stands before lines in listings and quotations, and between them where code has each in quotes of its own.
_BETWEEN_LINES = rf"""(?:{_LINE_END}|\\*["'](?:{_LINE_END}|\+)+\\*["']|[>#|*]|//|[0-9]{{1,6}}(?:[\t→:|]|\\+t))"""
_BASE64 = r"(?:[A-Za-z0-9+/=]|\\+/)"
# Headers, long lines, and short ones at the end.
_KEY_MATERIAL = (
    rf"""{_BETWEEN_LINES}*(?:[A-Z][A-Za-z-]{{2,20}}: [^\r\n"\\]*(?:[\r\n]|\\+[nr]){_BETWEEN_LINES}*){{0,6}}"""
    rf"({_BASE64}{{20,}}(?:{_BETWEEN_LINES}+{_BASE64}{{20,}})*(?:{_BETWEEN_LINES}+{_BASE64}+){{0,2}})"
)

_QUOTE = r"""\\*["'`]"""
_API_KEY_NAME = r"(?:api-key|Api-Key|api_key|apiKey|API_KEY)[A-Za-z0-9_.-]{0,16}?"
_API_KEY_HINTS = ("api-key", "Api-Key", "api_key", "apiKey", "API_KEY")
_API_KEY_VALUE = r"([A-Za-z0-9_./+-]{20,})"

_PASSWORD_NAMES = tuple(
    (
        "password Password PASSWORD passwd Passwd PASSWD passphrase client_secret clientSecret CLIENT_SECRET secret_key"
        " secretKey SECRET_KEY access_token accessToken ACCESS_TOKEN auth_token authToken AUTH_TOKEN refresh_token"
        " refreshToken REFRESH_TOKEN"
    ).split()
)

# Where several fit, the first one does.
_SECRETS = (
    _Secret("Anthropic key", ("sk-ant-",), r"(sk-ant-[A-Za-z0-9_-]{20,})"),
    _Secret("OpenRouter key", ("sk-or-",), r"(sk-or-[A-Za-z0-9_-]{20,})"),
    _Secret("Langfuse key", ("sk-lf-",), r"(sk-lf-[A-Za-z0-9-]{20,})"),
    _Secret("API key", ("sk-",), r"(sk-[A-Za-z0-9_./+-]{20,})"),
    _Secret("Google API key", ("AIza",), r"(AIza[A-Za-z0-9_-]{35,})"),
    _Secret("Google access token", ("ya29.",), r"(ya29\.[A-Za-z0-9_./+-]{20,})"),
    _Secret("Azure storage key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/=_.-]{20,})", alone=False),
    _Secret("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"(gh[pousr]_[A-Za-z0-9]{36,})"),
    _Secret("GitHub token", ("github_pat_",), r"(github_pat_[A-Za-z0-9_]{22,})"),
    _Secret("GitLab token", ("glpat-",), r"(glpat-[A-Za-z0-9_-]{20,})"),
    _Secret("Slack token", ("xox",), r"(xox[abeoprs]-[A-Za-z0-9-]{10,})"),
    _Secret("Slack webhook", ("hooks.slack",), r"hooks\.slack\.com/services/(T[A-Za-z0-9/]{20,})", alone=False),
    _Secret("AWS access key", ("AKIA", "ASIA"), r"((?:AKIA|ASIA)[A-Z2-7]{16})(?:[^A-Za-z0-9_/+=-]|$)", _any),
    _Secret(
        "AWS secret key",
        ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey"),
        r"(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY|SecretAccessKey)[^A-Za-z0-9]{1,8}([A-Za-z0-9/+=]{40})",
        alone=False,
        named=True,
    ),
    _Secret("Stripe key", ("k_live_", "k_test_"), r"((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,})"),
    _Secret("npm token", ("npm_",), r"(npm_[A-Za-z0-9]{36,})"),
    _Secret("PyPI token", ("pypi-",), r"(pypi-[A-Za-z0-9_-]{50,})"),
    _Secret("Hugging Face token", ("hf_",), r"(hf_[A-Za-z0-9]{30,})"),
    _Secret("Groq key", ("gsk_",), r"(gsk_[A-Za-z0-9]{40,})"),
    _Secret("xAI key", ("xai-",), r"(xai-[A-Za-z0-9]{40,})"),
    _Secret("LangSmith key", ("lsv2_",), r"(lsv2_(?:pt|sk)_[A-Za-z0-9_]{32,})"),
    _Secret("SendGrid key", ("SG.",), r"(SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,})"),
    _Secret("DigitalOcean token", ("_v1_",), r"(do[opr]_v1_[a-f0-9]{64})"),
    _Secret("JSON web token", ("eyJ",), r"(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})"),
    _Secret(
        "private key",
        ("PRIVATE KEY",),
        r"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----" + _KEY_MATERIAL,
        _any,
        alone=False,
    ),
    _Secret("bearer token", ("earer ",), r"[Bb]earer ([A-Za-z0-9_./+~-]{20,}=*)", alone=False),
    _Secret("basic authorization", ("Basic ",), r"Basic ([A-Za-z0-9_./+-]{20,}=*)", alone=False),
    # Behind its name: `api_key = …`, `"api_key": "…"`, `The api_key is …`.
    _Secret(
        "API key",
        _API_KEY_HINTS,
        rf"""{_API_KEY_NAME}(?:{_QUOTE}[\])]?\s{{0,3}}[:=>]{{1,2}}[\s\[(]{{0,16}}"""
        rf"""|[^"'`{{}},;&\\\n]{{0,20}}?[:=]\s{{1,16}}(?:-\s{{1,3}})?|[ \t:=>|(*`][^"'`{{}},;&\\\n]{{0,20}}?)"""
        rf"(?:{_QUOTE})?{_API_KEY_VALUE}",
        alone=False,
        named=True,
    ),
    # As the value beside it: `{"name": "api_key", "value": "…"}`.
    _Secret(
        "API key",
        _API_KEY_HINTS,
        rf"{_API_KEY_NAME}(?:{_QUOTE})?(?:[\s,:{{]|\\+[nrt]){{1,40}}"
        rf"(?:{_QUOTE})?[A-Za-z_]{{0,10}}[vV]alue(?:{_QUOTE})?\s{{0,3}}[:=]\s{{0,3}}(?:{_QUOTE})?{_API_KEY_VALUE}",
        alone=False,
        named=True,
    ),
    # As the last of two: `set("api_key", "…")`.
    _Secret(
        "API key",
        _API_KEY_HINTS,
        rf"{_API_KEY_NAME}{_QUOTE}\s{{0,3}},\s{{0,3}}{_QUOTE}{_API_KEY_VALUE}{_QUOTE}\s{{0,3}}[)\]]",
        alone=False,
        named=True,
    ),
    _Secret(
        "password in an address",
        ("://",),
        r"""://[^\s:/?#@"'<>\\]{0,200}:([^\s@/"'<>\\]{3,200})@""",
        _is_url_password,
        alone=False,
    ),
    _Secret(
        "password",
        _PASSWORD_NAMES,
        rf"""(?:{"|".join(_PASSWORD_NAMES)})(?:{_QUOTE})?{_LINE_END}{{0,3}}[=:]{_LINE_END}{{0,3}}(?:{_QUOTE})?"""
        r"""([^\s"',;(){}\[\]<>$\\&|`]{8,200})""",
        _is_password,
        alone=False,
        named=True,
    ),
)

# What to look for first: few texts have any of these, and looking is fast.
_HINTS = tuple(dict.fromkeys(hint for secret in _SECRETS for hint in secret.hints))

# How names of members end that hold a credential whatever it looks like.
_CREDENTIAL_NAMES = tuple(
    (
        "api_key api-key apikey authorization client_secret clientsecret app_secret appsecret secret_key secretkey"
        " access_token accesstoken refresh_token refreshtoken id_token idtoken auth_token authtoken private_key"
        " privatekey password passwd passphrase cookie auth_response_uri authresponseuri auth_code authcode"
    ).split()
)

_MASK = re.compile("‹redacted: [^›]*›")

# Members of an event that say what it is and where it belongs: no secrets, whatever they look like.
_EVENT_IDS = frozenset(
    ("id", "invocationId", "author", "branch", "isolationScope", "nodeInfo", "longRunningToolIds", "interactionId")
)
# Members whose `id` joins them.
_CALLS = ("functionCall", "functionResponse")


def _is_credential(name: str) -> bool:
    return name[-40:].lower().endswith(_CREDENTIAL_NAMES)


class _Masking:
    """Masks the secrets in the texts of a value, each by itself."""

    def __init__(self, text: str, name: str = ""):
        """Of a value that this text has all of, and that is called so."""
        whole = f"{name}\n{text}" if name else text
        hints = {hint for hint in _HINTS if hint in whole}
        hinted = [secret for secret in _SECRETS if not hints.isdisjoint(secret.hints)] if hints else []
        self._secrets = [secret for secret in hinted if secret.is_named or secret.regex.search(text)]
        lowered = whole.lower()
        self._has_names = any(one in lowered for one in _CREDENTIAL_NAMES)
        self.has_something = self._has_names or bool(self._secrets)

    def written(self, value: Any, name: str, kept: Iterable[str] = ()) -> str:
        """A value as JSON. `name` is what it is called by, and members of it that are `kept` stay as they are."""
        if isinstance(value, dict):
            pair = value.get("name") or value.get("key")
            members = []
            for key, one in value.items():
                if key in kept or key == "id" and name in _CALLS:
                    shown = _dumps(one)
                elif key.endswith(("value", "Value")):
                    # Its name stands beside it, or around both.
                    shown = self.written(one, pair if isinstance(pair, str) else name)
                else:
                    shown = self.written(one, key)
                members.append(f"{_quoted(self.text(key))}:{shown}")
            return "{" + ",".join(members) + "}"
        if isinstance(value, list):
            return "[" + ",".join([self.written(one, name) for one in value]) + "]"
        if isinstance(value, str) and not isinstance(value, _Text):
            return _quoted(self._member(value, name))
        return _dumps(value)

    def _member(self, text: str, name: str) -> str:
        shown = self.text(text)
        for secret in self._secrets:
            if secret.is_named and secret.has_hint(name):
                named = secret.masked(f"{name}={shown}")
                shown = named[len(name) + 1 :] if named.startswith(f"{name}=") else shown
        if shown and self._has_names and _is_credential(name) and not _MASK.fullmatch(shown):
            return "‹redacted: credential›"
        return shown

    def text(self, text: str) -> str:
        for secret in self._secrets:
            if secret.has_hint(text):
                text = secret.masked(text)
        return text


def _mask_text(text: str) -> str:
    return _Masking(text).text(text)


def _mask(text: str, name: str = "", kept: Iterable[str] = ()) -> str:
    """JSON with its secrets masked, as `_Masking.written` has it."""
    masking = _Masking(text, name)
    if not masking.has_something:
        return text
    try:
        value = json.loads(text, parse_float=_Text, parse_int=_Text, parse_constant=_Text)
        return masking.written(value, name, kept)
    except (ValueError, RecursionError):
        return masking.text(text)  # Patterns end where a text of JSON does.


# ---------------------------------------------------------------------------------------------------------------------
# The file.

# What is shorter stands where it is used; longer values are written once, as a record `blob`, and named by a hash.
_INLINE_CHARACTERS = 160
_MAX_BLOB_CHARACTERS = 32 * 1024 * 1024
# So much, and so many times the largest request, is written before all that is referred to is written again: for
# readers who begin in the middle, and so that this process does not have to remember more.
_SEGMENT_CHARACTERS = 16 * 1024 * 1024
_SEGMENT_REQUESTS = 8
# So much waits for a disk; what comes then is lost, and that is written.
_MAX_WAITING_CHARACTERS = 64 * 1024 * 1024
_RETRY_SECONDS = 30.0
_PATIENCE_SECONDS = 0.02


class _Base:
    """What is written since the last checkpoint, so that it can be referred to."""

    def __init__(self) -> None:
        self.blobs: dict[tuple[bytes, str], Any] = {}
        self.apps: set = set()
        self.agents: set = set()
        self.runs: set = set()
        self.requests = _Recent(200)
        self.states = _Recent(200)
        self._lists = _Recent(200)

    def spliced(self, key: Any, call: str, items: list[str]) -> dict[str, Any]:
        """A list as what is different from the one a call before had under this key."""
        before = self._lists.get(key)
        self._lists.put(key, (call, items))
        if before is None:
            return {"keep": 0, "add": items}
        return {"of": before[0], **_splice(before[1], items)}


class _Log:
    """Appends records to a file, in the order in which they were made, on a thread of its own."""

    def __init__(self, path: str):
        self.path = path
        self.begin()

    def begin(self) -> None:
        self.run = uuid.uuid4().hex[:8]
        self._lock = threading.Lock()
        self._wakes = threading.Condition(self._lock)
        self._waiting: collections.deque[str] = collections.deque()
        self._n_waiting = 0
        self._base = _Base()
        self._n_segment = 0
        self._n_live = 0
        # Records that were lost, and until when there is no use in trying.
        self._n_lost = 0
        self._paused_until = 0.0
        self._is_begun = False
        self._is_writing = False
        self._is_hurried = threading.Event()
        self._thread: threading.Thread | None = None
        self._file: int | None = None

    # Called by the recorder, one thread at a time.

    def base(self) -> _Base:
        return self._base

    def note_live(self, n_characters: int) -> None:
        """So much a request takes, and again behind each checkpoint."""
        self._n_live = max(self._n_live, n_characters)

    def has_lost(self) -> bool:
        """Whether something is missing in the file, which can be written again now."""
        with self._lock:
            return bool(self._n_lost) and not self._is_paused()

    def check(self) -> None:
        """Before an operation: from here on nothing refers to what is lost, or to what is far behind."""
        if self.has_lost():
            with self._lock:
                n_lost, self._n_lost = self._n_lost, 0
            self._refer_to_nothing("gap", {"lost": n_lost})
        elif self._n_segment > max(_SEGMENT_CHARACTERS, _SEGMENT_REQUESTS * self._n_live):
            self._refer_to_nothing("checkpoint", {})

    def _refer_to_nothing(self, record: str, fields: dict[str, Any]) -> None:
        self._base = _Base()
        self._n_segment = 0
        self._put("header", _header(self.run))
        self._put(record, fields)

    def item(self, text: str, digest: bytes | None = None, name: str = "") -> Any:
        """A value to stand in a record: itself where it is short, else the id of the blob that has it. `name` is what
        it is called by."""
        if len(text) <= _INLINE_CHARACTERS:
            return {"value": _Text(_mask(text, name))}
        key = (digest or _digest(text), name)
        known = self._base.blobs.get(key)
        if known is None:
            known = self._base.blobs[key] = self._blob(_mask(text, name))
        return known

    def _blob(self, shown: str) -> Any:
        if len(shown) <= _INLINE_CHARACTERS:
            return {"value": _Text(shown)}
        known = _digest(shown).hex()
        if len(shown) > _MAX_BLOB_CHARACTERS:
            self._put("blob", {"id": known, "omitted": len(shown)})
        else:
            self._put("blob", {"id": known, "value": _Text(shown)})
        return known

    def write(self, record: str, fields: dict[str, Any]) -> None:
        self._put(record, fields)

    def _put(self, record: str, fields: dict[str, Any]) -> None:
        if not self._is_begun:
            self._is_begun = True
            atexit.register(self.drain, 2.0)
            self._put("header", _header(self.run))
        given = {"record": record, "time": round(time.time(), 6), **fields}
        line = _dumps({key: value for key, value in given.items() if value is not None}) + "\n"
        self._n_segment += len(line)
        with self._lock:
            if self._is_paused():
                self._n_lost += 1
                return
            if not self._waiting:
                self._wakes.notify_all()
            self._waiting.append(line)
            self._n_waiting += len(line)
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_waiting, name="strata-recorder", daemon=True)
            self._thread.start()

    def _is_paused(self) -> bool:
        """Once the disk is too slow, it first has to get through with half of what waits."""
        limit = _MAX_WAITING_CHARACTERS // 2 if self._n_lost else _MAX_WAITING_CHARACTERS
        return self._n_waiting > limit or time.monotonic() < self._paused_until

    def drain(self, seconds: float) -> None:
        """Waits until everything is written, at most so long."""
        until = time.monotonic() + seconds
        self._is_hurried.set()
        with self._lock:
            while (self._waiting or self._is_writing) and time.monotonic() < until:
                self._wakes.wait(0.05)
        self._is_hurried.clear()

    # On the thread that writes.

    def _write_waiting(self) -> None:
        while True:
            with self._lock:
                self._is_writing = False
                self._wakes.notify_all()
                while not self._waiting:
                    self._wakes.wait()
                self._is_writing = True
            # What comes close together is written at once.
            self._is_hurried.wait(_PATIENCE_SECONDS)
            with self._lock:
                lines = list(self._waiting)
                self._waiting.clear()
            try:
                self._write_lines(lines)
            except Exception as error:
                self._pause(error)
                with self._lock:
                    self._n_lost += len(lines)
            with self._lock:
                self._n_waiting -= sum(len(line) for line in lines)

    def _write_lines(self, lines: list[str]) -> None:
        if self._file is None:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            # What is recorded is nobody else's business.
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            if self._ends_in_a_line():
                lines = ["\n"] + lines
        rest = "".join(lines).encode("utf-8", "backslashreplace")
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def _ends_in_a_line(self) -> bool:
        """What died while it was writing may have left half a line."""
        try:
            with open(self.path, "rb") as file:
                return file.seek(0, os.SEEK_END) > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        except OSError:
            return False  # A pipe, or nothing that can be read.

    def _pause(self, error: Exception) -> None:
        """Recording stops for a while, and the app goes on."""
        with self._lock:
            if not self._n_lost:
                _logger.warning("the recording %s cannot be written, and pauses: %s", self.path, error)
            self._paused_until = time.monotonic() + _RETRY_SECONDS
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = None


def _header(run: str) -> dict[str, Any]:
    flags = {name: value for name, value in os.environ.items() if name.startswith("ADK_")}
    for name in ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"):
        if name in os.environ:
            flags[name] = os.environ[name]
    return {
        "format": FORMAT,
        "version": VERSION,
        "run": run,
        "process": os.getpid(),
        "googleAdk": _version("google.adk.version", "__version__"),
        "googleGenai": _version("google.genai.version", "__version__"),
        "python": platform.python_version(),
        "utcOffset": time.strftime("%z"),
        "environment": _Text(_mask(_dumps(flags))) if flags else None,
    }


def _version(module: str, name: str) -> str | None:
    try:
        return str(getattr(__import__(module, fromlist=[name]), name))
    except Exception:
        return None
