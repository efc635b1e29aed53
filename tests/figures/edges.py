"""Writes files at the edges: long ones, all of whose words are made up, and the same in every run.

    edges.py transcript 200 FILE     a transcript of Claude Code of so many MB, with a summary whenever a prompt is large
    edges.py line 200 FILE           a transcript with one result of a tool of so many MB
    edges.py state 500000 FILE       an ADK session whose state has so many keys
"""

import json
import random
import sys

WORDS = ("total ledger differs from the sum of its rows by one cent only on last day month rate standard error mismatched "
         "types expected Decimal found float read three files that mention it round half up defined twice once each module "
         "path line matches kind call test passes after change commit branch review function returns value argument list").split()


def words(rng, n_bytes):
    out, n = [], 0
    while n < n_bytes:
        line = " ".join(rng.choices(WORDS, k=14)) + f" {rng.randrange(10**6)} src/{rng.choice(WORDS)}/{rng.choice(WORDS)}.py\n"
        out.append(line)
        n += len(line)
    return "".join(out)


def transcript(n_mb, path):
    rng = random.Random(7)
    base = {"isSidechain": False, "userType": "external", "cwd": "/home/ada/ledger",
            "sessionId": "5f0c0de0-0000-4000-8000-0000000000ed", "version": "2.1.50", "gitBranch": "main"}
    with open(path, "w") as f:
        size = n = clock = 0
        parent = None
        context = 20_000

        def put(record, compacts=False):
            nonlocal size, n, clock, parent
            n += 1
            clock += 2
            uuid = f"u{n}"
            d, s = divmod(clock, 86400)
            time = f"2026-{1 + d // 28 % 12:02}-{1 + d % 28:02}T{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}.000Z"
            record = {"parentUuid": None if compacts else parent, **base, **record, "uuid": uuid, "timestamp": time}
            if compacts:
                record["logicalParentUuid"] = parent
            line = json.dumps(record, separators=(",", ":")) + "\n"
            f.write(line)
            size += len(line)
            parent = uuid

        def answer(content, read, write):
            put({"type": "assistant", "requestId": f"req_{n}", "message": {
                "model": "claude-opus-4-5", "id": f"msg_{n}", "type": "message", "role": "assistant", "content": content,
                "stop_reason": "end_turn", "usage": {"input_tokens": 10, "cache_creation_input_tokens": write,
                "cache_read_input_tokens": read, "output_tokens": 120}}})
        while size < n_mb * 1_000_000:
            put({"type": "user", "message": {"role": "user", "content": words(rng, 200)}})
            for _ in range(8):
                call = f"toolu_{n}"
                answer([{"type": "text", "text": words(rng, 120)},
                        {"type": "tool_use", "id": call, "name": rng.choice(["Read", "Grep", "Bash"]),
                         "input": {"file_path": f"/home/ada/ledger/{rng.choice(WORDS)}{rng.randrange(400)}.py"}}], context, 1200)
                length = rng.choice([300, 900, 2000, 2000, 5000, 14000])
                put({"type": "user", "message": {"role": "user", "content": [
                    {"tool_use_id": call, "type": "tool_result", "content": words(rng, length)}]}})
                context += 100 + length // 4
            answer([{"type": "text", "text": words(rng, 600)}], context, 1200)
            if context > 150_000:
                put({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False,
                     "level": "info", "compactMetadata": {"trigger": "auto", "preTokens": context}}, compacts=True)
                put({"type": "user", "isCompactSummary": True, "isVisibleInTranscriptOnly": True, "message": {"role": "user",
                     "content": "This session is being continued from a previous conversation that ran out of context. "
                                "The conversation is summarized below:\n" + words(rng, 6000)}})
                context = 22_000


def line(n_mb, path):
    rng = random.Random(7)
    unit = words(rng, 1_000_000)
    with open(path, "w") as f:
        head = {"parentUuid": None, "isSidechain": False, "sessionId": "s-line", "version": "2.1.50", "type": "user",
                "message": {"role": "user", "content": "Read the log"}, "uuid": "u1", "timestamp": "2026-02-03T10:00:01.000Z"}
        f.write(json.dumps(head) + "\n")
        call = {"parentUuid": "u1", "isSidechain": False, "sessionId": "s-line", "version": "2.1.50", "type": "assistant",
                "requestId": "r", "message": {"model": "claude-opus-4-5", "id": "m", "type": "message", "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/var/log/all"}}],
                "usage": {"input_tokens": 10, "output_tokens": 20}}, "uuid": "u2", "timestamp": "2026-02-03T10:00:02.000Z"}
        f.write(json.dumps(call) + "\n")
        result = {"parentUuid": "u2", "isSidechain": False, "sessionId": "s-line", "version": "2.1.50", "type": "user",
                  "message": {"role": "user", "content": [{"tool_use_id": "t1", "type": "tool_result", "content": "@@"}]},
                  "uuid": "u3", "timestamp": "2026-02-03T10:00:03.000Z"}
        before, after = json.dumps(result).split("@@")
        f.write(before)
        for _ in range(n_mb):
            f.write(json.dumps(unit)[1:-1])
        f.write(after + "\n")


def state(n_keys, path):
    rng = random.Random(7)
    kept = {f"order:{n}": {"customer": rng.choice(WORDS), "cents": rng.randrange(10**6)} for n in range(n_keys)}
    event = lambda n, author, role, text: {"id": f"e{n}", "author": author, "invocationId": "i1", "timestamp": 1770000000.0 + n,
        "content": {"role": role, "parts": [{"text": text}]}, "actions": {"stateDelta": {}, "artifactDelta": {}}}
    with open(path, "w") as f:
        json.dump({"id": "s-state", "appName": "desk", "userId": "ada", "state": kept, "lastUpdateTime": 1770000002.0,
                   "events": [event(1, "user", "user", "How many orders?"), event(2, "desk", "model", f"{n_keys}.")]}, f)


if __name__ == "__main__":
    {"transcript": transcript, "line": line, "state": state}[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
