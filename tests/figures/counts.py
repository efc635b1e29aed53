"""Holds what `strata import` counts against counts of the same files by the standard library alone.

    counts.py STRATA FOLDER…

STRATA is the program, and each folder is searched for recorded files, which are imported one by one. Printed are, for each
format: files, sessions, events, files that were counted here too, those of them with the same calls of tools and the same
tokens of input and output, and the records and fields that have no place in a session. Files that differ are named.
"""

import collections
import json
import os
import sqlite3
import subprocess
import sys
import tempfile


def values(path):
    text = open(path, encoding="utf-8", errors="replace").read().lstrip("\ufeff")
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    out = []
    for line in text.splitlines():
        line = line.strip()
        if not line:
            continue
        at = 0
        while at < len(line):
            try: value, end = json.JSONDecoder().raw_decode(line, at)
            except ValueError:
                break
            out.append(value)
            at = end
            while at < len(line) and line[at] in " \t": at += 1
    return out


def records(path):
    got = values(path)
    return got[0] if len(got) == 1 and isinstance(got[0], list) else got


def claude(path):
    calls, usage = set(), {}
    # What sub-agents said stands in records of progress, where they have no file of their own.
    inner = lambda r: (r.get("data") or {}).get("message") if r.get("type") == "progress" else r
    for r in filter(lambda r: isinstance(r, dict), map(inner, filter(lambda r: isinstance(r, dict), records(path)))):
        if r.get("type") != "assistant":
            continue
        m = r.get("message") or {}
        if m.get("model") == "<synthetic>":
            continue
        for b in m.get("content") or []:
            if isinstance(b, dict) and b.get("type") in ("tool_use", "server_tool_use"): calls.add(b.get("id"))
        if m.get("usage"): usage.setdefault(m.get("id") or r.get("uuid"), []).append(m["usage"])
    all_records = [r for r in records(path) if isinstance(r, dict)]
    # Calls that wrote summaries stand in the client's own sums alone, which hold sub-agents of other files, too.
    is_compacted = any(r.get("subtype") == "compact_boundary" for r in all_records)
    sums = [r["modelUsage"] for r in all_records if r.get("type") == "cost-state"]
    # Of what `claude -p` puts out, the end of a run has its sums.
    ends = [r["usage"] for r in all_records if r.get("type") == "result" and r.get("usage")]
    if ends:
        usage = {n: [u] for n, u in enumerate(ends)}
    elif sums and is_compacted:
        models = sums[-1].values()
        return (len(calls), sum(u["inputTokens"] + u["cacheReadInputTokens"] + u["cacheCreationInputTokens"] for u in models),
                sum(u["outputTokens"] for u in models))
    i = o = 0
    for us in usage.values():
        u = us[-1]
        i += (u.get("input_tokens") or 0) + (u.get("cache_creation_input_tokens") or 0) + (u.get("cache_read_input_tokens") or 0)
        o += max(x.get("output_tokens") or 0 for x in us)
    return len(calls), i, o


def codex(path):
    calls, last, recs = 0, None, [0, 0, 0]
    sums = [0, 0]
    for r in records(path):
        p = r.get("payload") if isinstance(r.get("payload"), dict) else r
        kind = p.get("type")
        if r.get("type") in ("response_item", None) or "payload" not in r:
            calls += kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call", "image_generation_call", "tool_call")
        if r.get("type") == "token_usage_record":
            u = p.get("usage") or {}; recs[2] += 1
            recs[0] += u.get("input_tokens") or 0; recs[1] += u.get("output_tokens") or 0
        if kind == "token_count":
            info = p.get("info") or {}
            t, l = info.get("total_token_usage"), info.get("last_token_usage")
            if l and t != last:
                sums[0] += l.get("input_tokens") or 0; sums[1] += l.get("output_tokens") or 0
            last = t or last
    if recs[2]:
        sums = recs[:2]
    return calls, sums[0], sums[1]


def gemini(path):
    last = {}
    def take(m):
        if isinstance(m, dict) and m.get("id") and m.get("type") == "gemini":
            last[m["id"]] = m
    for v in values(path):
        if not isinstance(v, dict):
            continue
        for m in v.get("messages") or []:
            take(m)
        for m in (v.get("$set") or {}).get("messages") or []:
            take(m)
        take(v)
    calls = i = o = 0
    for m in last.values():
        calls += len(m.get("toolCalls") or [])
        t = m.get("tokens") or {}
        i += t.get("input") or 0
        o += (t.get("output") or 0) + (t.get("thoughts") or 0)
    return calls, i, o


def adk_events(v):
    if isinstance(v, dict):
        if "events" in v and isinstance(v["events"], list):
            yield from v["events"]
        elif "author" in v: yield v
        for case in v.get("eval_cases") or v.get("evalCases") or []:
            pass
    elif isinstance(v, list):
        for x in v:
            yield from adk_events(x)


def adk(events):
    calls = i = o = 0
    for e in events:
        for p in (e.get("content") or {}).get("parts") or []:
            calls += bool(p.get("functionCall") or p.get("function_call"))
        u = e.get("usageMetadata") or e.get("usage_metadata") or {}
        i += u.get("promptTokenCount") or u.get("prompt_token_count") or 0
        o += (u.get("candidatesTokenCount") or u.get("candidates_token_count") or 0) + (u.get("thoughtsTokenCount") or u.get("thoughts_token_count") or 0)
    return calls, i, o


def adk_file(path): return adk([e for v in values(path) for e in adk_events(v)])


def adk_sse(path):
    events = [json.loads(l[5:]) for l in open(path) if l.startswith("data:")]
    return adk([e for e in events if not e.get("partial")])


def adk_db(path):
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    return adk([json.loads(x[0]) for x in db.execute("select event_data from events")])


def opencode_db(path):
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    calls = sum(json.loads(x[0]).get("type") == "tool" for x in db.execute("select data from part"))
    i = o = 0
    for (d,) in db.execute("select data from message"):
        t = json.loads(d).get("tokens") or {}
        c = t.get("cache") or {}
        i += (t.get("input") or 0) + (c.get("read") or 0) + (c.get("write") or 0)
        o += opencode_output(t)
    return calls, i, o


def opencode_output(t):
    """With the reasoning, which some versions count apart: the total tells."""
    c = t.get("cache") or {}
    own = (t.get("input") or 0) + (c.get("read") or 0) + (c.get("write") or 0)
    return max(t.get("output") or 0, (t.get("total") or 0) - own)


def opencode_export(path):
    calls = i = o = 0
    for v in values(path):
        if "messages" not in v:
            return None
        for m in v.get("messages") or []:
            calls += sum(p.get("type") == "tool" for p in m.get("parts") or [])
            t = (m.get("info") or {}).get("tokens") or {}
            c = t.get("cache") or {}
            i += (t.get("input") or 0) + (c.get("read") or 0) + (c.get("write") or 0)
            o += opencode_output(t)
    return calls, i, o


def goose_db(path):
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    calls = sum(b.get("type") == "toolRequest" for x in db.execute("select content_json from messages") for b in json.loads(x[0]))
    return calls, None, None


def openhands(path):
    calls = 0
    for v in values(path):
        events = v if isinstance(v, list) else (v.get("history") or v.get("trajectory") or [v])
        for e in events:
            if isinstance(e, dict) and e.get("kind") == "ActionEvent": calls += 1
    return (calls, None, None) if calls else None


def messages_calls(v):
    n = 0
    if isinstance(v, dict):
        n += len(v.get("tool_calls") or []) if v.get("role") == "assistant" else 0
        if v.get("role") == "assistant" and isinstance(v.get("content"), list):
            n += sum(isinstance(b, dict) and b.get("type") == "tool_use" for b in v["content"])
        # Semantic Kernel's own.
        items = [b for b in v.get("items") or v.get("Items") or [] if isinstance(b, dict)]
        n += sum(b.get("content_type") == "function_call" or b.get("$type") == "FunctionCallContent" for b in items)
    return n


def list_of_messages(path):
    n = n_known = 0
    for v in values(path):
        ms = v if isinstance(v, list) else (v.get("messages") or [])
        n_known += sum("role" in m for m in ms if isinstance(m, dict))
        n += sum(messages_calls(m) for m in ms)
    return (n, None, None) if n_known else None


def cline(path):
    n = i = o = 0
    for v in values(path):
        for m in (v.get("messages") if isinstance(v, dict) else v) or []:
            n += messages_calls(m)
            u = m.get("metrics") or {}
            i += (u.get("inputTokens") or 0)
            o += u.get("outputTokens") or 0
    return n, None, None


def copilot(path):
    n = 0
    o = 0
    for r in records(path):
        if r.get("type") == "assistant.message":
            n += len((r.get("data") or {}).get("toolRequests") or [])
            o += (r.get("data") or {}).get("outputTokens") or 0
    return n, None, None


def pairs(path):
    """Answers of Chat Completions, Responses and Messages, whole."""
    n = i = o = 0; seen = set()
    for r in records(path):
        a = r.get("response") or r.get("response_body") or r.get("answer")
        if isinstance(a, dict) and isinstance(a.get("body"), (dict, str)): a = a["body"]
        if isinstance(a, str):
            try: a = json.loads(a)
            except ValueError:
                return None
        if not isinstance(a, dict):
            return None
        g = a.get("usageMetadata") or {}
        u = a.get("usage") or {}
        if "inputTokens" in u:
            i += u["inputTokens"] + (u.get("cacheReadInputTokens") or 0) + (u.get("cacheWriteInputTokens") or 0)
            o += u.get("outputTokens") or 0
            continue
        i += (g.get("promptTokenCount") or 0) + (g.get("toolUsePromptTokenCount") or 0)
        o += (g.get("candidatesTokenCount") or 0) + (g.get("thoughtsTokenCount") or 0)
        i += (u.get("prompt_tokens") or 0) or ((u.get("input_tokens") or 0) + (u.get("cache_read_input_tokens") or 0) + (u.get("cache_creation_input_tokens") or 0))
        o += u.get("completion_tokens") or u.get("output_tokens") or 0
        n += 1
    return (None, i, o) if i or o else None


def mini_swe(path):
    for v in values(path):
        info = (v.get("info") or {}).get("model_stats") or {}
        i = o = 0
        for m in v.get("messages") or []:
            u = ((m.get("extra") or {}).get("response") or {}).get("usage") or {}
            i += u.get("prompt_tokens") or u.get("input_tokens") or 0
            o += u.get("completion_tokens") or u.get("output_tokens") or 0
        return None, i, o


def litellm(path):
    i = o = 0
    for r in records(path):
        answer = r.get("response") if isinstance(r.get("response"), dict) else {}
        u = answer.get("usage") or r
        i += u.get("prompt_tokens") or 0
        o += u.get("completion_tokens") or 0
    return None, i, o


def langfuse(path):
    i = o = 0
    for v in values(path):
        made = [b for b in v.get("observations") or [] if b.get("type") == "GENERATION"]
        # A generation around another one sums it up.
        around = {b.get("parentObservationId") for b in made if b.get("usageDetails") or b.get("usage")}
        for b in made:
            if b.get("id") in around:
                continue
            u = b.get("usageDetails") or b.get("usage") or {}
            own = sum(u.get(key) or 0 for key in ("input", "input_cache_read", "input_cache_creation"))
            i += own
            # Thoughts stand in the total alone.
            o += max(u.get("output") or 0, (u.get("total") or 0) - own)
    return None, i, o


def tau(path):
    n = 0
    for v in values(path):
        for run in v if isinstance(v, list) else (v.get("simulations") or v.get("results") or []):
            n += sum(messages_calls(m) for m in run.get("traj") or run.get("messages") or [])
    return n, None, None


def pi(path):
    n = i = o = 0
    for r in records(path):
        m = r.get("message") or {}
        if m.get("role") == "assistant":
            n += sum(b.get("type") == "toolCall" for b in m.get("content") or [])
        # Summaries have their usage beside them.
        u = m.get("usage") or r.get("usage") or {}
        i += (u.get("input") or 0) + (u.get("cacheRead") or 0) + (u.get("cacheWrite") or 0)
        o += u.get("output") or 0
    return n, i, o


COUNTERS = {"claude-code-jsonl": claude, "codex-rollout-jsonl": codex, "gemini-cli-chat-jsonl": gemini, "adk-session-json": adk_file,
    "adk-events-jsonl": adk_file, "adk-run-sse": adk_sse, "adk-sqlite-service": adk_db, "adk-db-v1-json": adk_db, "opencode-sqlite": opencode_db,
    "opencode-export-json": opencode_export, "goose-sqlite": goose_db, "openhands-events-json": openhands, "messages-json": list_of_messages,
    "cline-messages-json": cline, "copilot-cli-events-jsonl": copilot, "provider-log-jsonl": pairs, "mini-swe-agent-traj": mini_swe,
    "litellm-log": litellm, "langfuse-trace": langfuse, "tau-bench-json": tau, "pi-session-jsonl": pi}


def count(name, path):
    """Calls of tools, tokens of input and of output, each `None` where the file has no plain count of it."""
    try:
        return COUNTERS[name](path) if name in COUNTERS else None
    except (KeyError, ValueError, TypeError, AttributeError, sqlite3.Error) as error:
        return f"not counted: {error!r}"


def imported(strata, path):
    with tempfile.TemporaryDirectory() as folder:
        run = [strata, "import", "--db", os.path.join(folder, "store.db"), "--json", path]
        return json.loads(subprocess.run(run, capture_output=True).stdout).get("sessions") or []


def main(strata, folders):
    rows = collections.defaultdict(list)
    for folder, _, names in (place for root in folders for place in os.walk(root)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            sessions = imported(strata, path)
            if not sessions:
                continue
            usage = [one["reportedUsage"] or {} for one in sessions]
            ours = (sum(one["toolCalls"] or 0 for one in sessions),
                    sum(one.get("inputTokens") or 0 for one in usage),
                    sum(one.get("outputTokens") or 0 for one in usage))
            unmapped = sum(rest["count"] for one in sessions for rest in one["unmapped"])
            kind = sessions[0]["format"]
            events = sum(one["events"] for one in sessions)
            rows[kind].append((path, len(sessions), events, ours, count(kind, path), unmapped))
    for kind, files in sorted(rows.items()):
        counted = [row for row in files if isinstance(row[4], tuple)]
        differ = [row for row in counted if any(b not in (None, a) for a, b in zip(row[3], row[4]))]
        print(f"{kind:26} files {len(files):3} sessions {sum(row[1] for row in files):4} "
              f"events {sum(row[2] for row in files):6} counted {len(counted):3} "
              f"equal {len(counted) - len(differ):3} unmapped {sum(row[5] for row in files):6}")
        for row in differ:
            print(f"    {row[0]}: imported {row[3]}, counted {row[4]}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
