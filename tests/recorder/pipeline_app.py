"""A pipeline of five agents that answers questions about advertising, with everything in its prompts that need not be there.

The desk hands over to a query writer, an executor, an analyst and a report writer. Nobody thought about context: all
rows of all queries go back to the model, every agent reads everything that the others did, the state is shown whole, the
reference of all fields stands behind it in the same instruction, and the executor tells at length what it did.
"""

from __future__ import annotations

import json

import harness  # noqa: F401  first: it settles the environment
from google.adk.agents import LlmAgent, SequentialAgent
from google.adk.tools.tool_context import ToolContext
from harness import Script, call, gemini

MODEL = "gemini-3.5-flash"

# ---------------------------------------------------------------------------------------------------------------------
# What the query writer and the analyst can read up.

RESOURCES = {
    "campaign": "one advertising campaign of the account",
    "ad_group": "a group of ads that share keywords and a bid",
    "ad": "an ad as people see it",
    "keyword": "a word or phrase an ad group bids on",
    "search_term": "what somebody typed before an ad was shown",
    "audience": "a list of people ads are shown to",
    "device": "the kind of device an ad was shown on",
    "place": "a country, a region or a town",
    "hour": "an hour of the day in the time zone of the account",
    "landing_page": "the page somebody came to",
    "budget": "what may be spent in a day",
    "change": "a change somebody made to the account",
}
FIELDS = {
    "id": ("a whole number", "never changes, and is never used again after the thing was removed"),
    "name": ("text", "up to 120 characters, compared whole and with its case"),
    "status": ("one of ENABLED, PAUSED, REMOVED", "rows of what was removed are left out unless it is asked for"),
    "impressions": ("a whole number", "how often an ad was shown; final after two days"),
    "clicks": ("a whole number", "without those that were found to be invalid; final after two days"),
    "cost_micros": ("a whole number", "millionths of the currency of the account"),
    "conversions": ("a number", "may have a fraction, as several clicks share one conversion"),
    "conversion_value": ("a number", "in the currency of the account; zero where no value is set up"),
    "view_rate": ("a share", "between 0 and 1; only for video"),
    "top_share": ("a share", "of the impressions that stood above the results"),
    "lost_to_budget": ("a share", "of the impressions that were missed because the budget was used up"),
    "first_seen": ("a date", "written as 2026-06-01"),
}


def reference():
    """All fields of all resources, as text."""
    lines = ["# Fields", "", "Fields of other resources do not exist. A query without a limit returns all rows."]
    for at, (resource, what) in enumerate(RESOURCES.items()):
        others = [other for number, other in enumerate(RESOURCES) if (number * 5 + at) % 3 and other != resource]
        lines += ["", f"## {resource}", f"It is {what}. It can be selected together with {', '.join(others)}."]
        for field, (kind, remark) in FIELDS.items():
            lines.append(f"- {resource}.{field}: {kind}; {remark}. It can be selected, filtered and sorted by.")
    return "\n".join(lines) + "\n"


REFERENCE = reference()

# ---------------------------------------------------------------------------------------------------------------------
# What the tools know: an invented account, the same each time.

CAMPAIGNS = ["Sandals", "Beach towels", "Sun hats", "Parasols", "Picnic rugs", "Cool boxes", "Swimwear", "Kites"]
GROUPS = ["brand", "generic", "rivals", "video", "returning"]


def rows_of(query_id):
    """1,200 rows: campaigns, their groups, and the days of June."""
    seed = int(query_id[1:])
    rows = []
    for day in range(1, 31):
        for at, campaign in enumerate(CAMPAIGNS):
            for number, group in enumerate(GROUPS):
                clicks = 20 + (day * 7 + at * 13 + number * 5 + seed * 3) % 41
                rows.append(
                    {
                        "campaign": campaign,
                        "group": group,
                        "day": f"2026-06-{day:02}",
                        "impressions": clicks * (18 + at),
                        "clicks": clicks,
                        "cost_micros": clicks * (310_000 + at * 45_000),
                        "conversions": clicks % 6,
                    }
                )
    return rows


def save_query(query_id: str, title: str, description: str, query: str, tool_context: ToolContext) -> dict:
    """Stores a query to be run.

    Args:
        query_id: q1, q2 and so on.
        title: A few words.
        description: What the query is to find out, and how its rows are to be read.
        query: The query itself.
    """
    queries = dict(tool_context.state.get("queries") or {})
    known = {"title": title, "description": description, "query": query, "status": "new"}
    tool_context.state["queries"] = {**queries, query_id: known}
    return {"status": "stored", "query_id": query_id}


def run_query(query_id: str, tool_context: ToolContext) -> dict:
    """Runs a stored query and returns its rows.

    Args:
        query_id: A query that is stored.
    """
    queries = dict(tool_context.state.get("queries") or {})
    if query_id == "q4":
        message = "The fields hour.view_rate and landing_page.top_share cannot be selected together."
        queries[query_id] = {**queries[query_id], "status": "error", "error_message": message}
        tool_context.state["queries"] = queries
        return {"status": "error", "error_message": message}
    rows = rows_of(query_id)
    queries[query_id] = {**queries[query_id], "status": "success", "row_count": len(rows)}
    tool_context.state["queries"] = queries
    tool_context.state["latest"] = query_id
    return {"status": "success", "row_count": len(rows), "rows": rows}


def get_results(tool_context: ToolContext) -> dict:
    """Returns the results of the latest query, to write a report from."""
    latest = tool_context.state.get("latest")
    return {"query_id": latest, "rows": rows_of(latest)}


# ---------------------------------------------------------------------------------------------------------------------
# What the models answer.

QUESTIONS = [
    "How did the summer campaigns do in June?",
    "How does that look by the hour of the day, and by page?",
    "Which groups would you pause?",
    "Thank you. Which campaign was the cheapest again?",
]
QUERIES = [
    [("q1", "Daily figures by campaign"), ("q2", "Daily figures by group")],
    [("q3", "Figures by hour"), ("q4", "Figures by page")],
    [("q5", "Groups without conversions"), ("q6", "Groups that lose to budget")],
]
FINDINGS = [
    "Parasols cost half as much again as sandals for each click and convert no better. Weekends are flat.",
    "Mornings are cheap and convert as well as evenings. By page nothing is known, since that query failed.",
    "The groups of rivals convert least in all campaigns. Their share of the cost is a fifth.",
]
REPORTS = [
    "June was steady. Sandals are the cheapest to advertise, parasols the most expensive. No campaign ran out of budget.",
    "Ads are cheapest before noon and convert as well then. The figures by page could not be fetched this time.",
    "Pause the groups of rivals, beginning with parasols. It saves about a fifth of the cost and few conversions.",
]
SCHEMA = {
    "title": "Execution",
    "type": "object",
    "properties": {
        "status": {"type": "string"},
        "total": {"type": "integer"},
        "succeeded": {"type": "integer"},
        "failed": {"type": "integer"},
    },
    "required": ["status", "total", "succeeded", "failed"],
}


def fetched(turn):
    """What the executor's turn came to, by its schema."""
    failed = sum(query_id == "q4" for query_id, _ in QUERIES[turn])
    total = len(QUERIES[turn])
    return {"status": "partly" if failed else "success", "total": total, "succeeded": total - failed, "failed": failed}


def told(turn):
    """The same at length."""
    paragraphs = []
    for query_id, title in QUERIES[turn]:
        if query_id == "q4":
            paragraphs.append(
                f"I then ran the query {query_id}, called \"{title}\". Unfortunately it did not succeed: the service said "
                "that two of its fields, hour.view_rate and landing_page.top_share, cannot be selected together. No rows "
                "came back for it. One of the two would have to be taken out, and the query would have to be run again. I "
                "did not change the query myself, since changing queries is not what I am here for."
            )
            continue
        rows = rows_of(query_id)
        paragraphs.append(
            f"I ran the query {query_id}, called \"{title}\", and it succeeded. It returned {len(rows)} rows, which cover "
            f"the {len(CAMPAIGNS)} campaigns {', '.join(CAMPAIGNS)} with the groups {', '.join(GROUPS)} on each day from "
            f"{rows[0]['day']} to {rows[-1]['day']}. The first row is that of {rows[0]['campaign']} ({rows[0]['group']}) "
            f"with {rows[0]['clicks']} clicks at {rows[0]['cost_micros']} micros; the last row is that of "
            f"{rows[-1]['campaign']} ({rows[-1]['group']}) with {rows[-1]['clicks']} clicks at "
            f"{rows[-1]['cost_micros']} micros. All columns that were asked for are there, and no value is missing."
        )
    return "\n\n".join(paragraphs)


def declared(request):
    tools = request.config.tools or []
    return {one.name for tool in tools for one in tool.function_declarations or []}


def report_of(turn):
    """The last answer of an executor's turn: as the request wants it."""

    def answer(request):
        if "set_model_response" in declared(request):
            # That is how google-adk declares it for a schema that is no class.
            return call("set_model_response", response=fetched(turn))
        if request.config.response_schema or request.config.response_json_schema:
            return json.dumps(fetched(turn))
        return told(turn)

    return answer


def described(query_id, title):
    fields = ", ".join(f"campaign.{field}" for field in FIELDS)
    return call(
        "save_query",
        query_id=query_id,
        title=title,
        description=f"{title}: one row for each campaign, group and day of June, so that the analyst can compare them "
        "with one another and over time. Costs are in micros and have to be divided by a million.",
        query=f"SELECT {fields}, ad_group.name FROM campaign WHERE day BETWEEN 2026-06-01 AND 2026-06-30 "
        "AND campaign.status IN (ENABLED, PAUSED) ORDER BY day, campaign.name, ad_group.name",
    )


def script():
    """What each agent answers, one call after the other. The same before and after a change."""
    turns = range(len(QUERIES))
    answers = {
        "desk": [call("transfer_to_agent", agent_name="pipeline") for _ in turns] + ["It was Sandals."],
        "query_writer": [
            one
            for turn in turns
            for one in (
                [described(*query) for query in QUERIES[turn]],
                f"Two queries are stored: {QUERIES[turn][0][1].lower()}, and {QUERIES[turn][1][1].lower()}.",
            )
        ],
        "executor": [
            one
            for turn in turns
            for one in (*(call("run_query", query_id=query_id) for query_id, _ in QUERIES[turn]), report_of(turn))
        ],
        "analyst": FINDINGS,
        "report_writer": [one for turn in turns for one in (call("get_results"), REPORTS[turn])],
    }
    return Script(**answers)


# ---------------------------------------------------------------------------------------------------------------------
# The agents.

WRITE = "Write the queries that answer the question, and store each with `save_query`. Queries so far: {queries?}\n\n"
ANALYSE = "Say in at most three sentences what is remarkable. The queries and what came of them: {queries?}\n\n"


def desk(played):
    """The agents, asking models that play a script."""

    def agent(name, **fields):
        alone = {} if name == "desk" else {"disallow_transfer_to_parent": True, "disallow_transfer_to_peers": True}
        return LlmAgent(name=name, model=gemini(played, MODEL), **alone, **fields)

    query_writer = agent(
        "query_writer",
        description="Writes queries.",
        instruction=WRITE + REFERENCE,
        tools=[save_query],
    )
    executor = agent(
        "executor",
        description="Runs queries.",
        instruction="Run those of these queries that are new with `run_query`, then say what came of them: {queries}",
        tools=[run_query],
    )
    analyst = agent(
        "analyst",
        description="Says what is remarkable.",
        instruction=ANALYSE + REFERENCE,
        output_key="findings",
    )
    report_writer = agent(
        "report_writer",
        description="Writes reports.",
        instruction="Fetch the results with `get_results`, then write a report of at most five sentences. Findings: {findings}",
        tools=[get_results],
        output_key="report",
    )
    pipeline = SequentialAgent(
        name="pipeline",
        description="Fetches figures of campaigns and writes a report about them.",
        sub_agents=[query_writer, executor, analyst, report_writer],
    )
    return agent(
        "desk",
        description="Talks with the client.",
        instruction="You are the desk of an agency. When the client asks for figures, hand over to `pipeline`. Never work "
        "figures out yourself.",
        sub_agents=[pipeline],
    )


# ---------------------------------------------------------------------------------------------------------------------
# What is wrong with it, as edits of Strata.


def fixes(events):
    """`{name: edits}` for a recorded session with these events."""
    strip = {"edit": "insert_processor", "use": "strip_agent_traffic"}
    alone = [
        {"edit": "set_include_contents", "agent": agent, "value": "none"} for agent in ("executor", "report_writer")
    ]
    compact = {
        "edit": "insert_processor",
        "use": "compact_state",
        "params": {"key": "queries", "fields": ["title", "status", "row_count", "error_message"]},
        "agent": "analyst",
    }
    static = []
    for agent, instruction in (("query_writer", WRITE), ("analyst", ANALYSE)):
        static += [
            {"edit": "set_static_instruction", "agent": agent, "text": REFERENCE},
            {"edit": "set_instruction", "agent": agent, "text": instruction},
        ]
    summarise = {
        "edit": "insert_processor",
        "use": "summarize_results",
        "params": {"min_rows": 20, "top_rows": 5, "tools": ["get_results"]},
    }
    cap = {"edit": "insert_processor", "use": "cap_rows", "params": {"max_rows": 100, "tools": ["run_query"]}}
    # What the executor will say instead is not known to anybody but its model. Here it is.
    said = [
        number
        for number, event in enumerate(events, 1)
        if event.author == "executor" and event.content and event.content.parts[0].text
    ]
    short = [
        {
            "edit": "edit_event",
            "event": number,
            "content": {"parts": [{"text": json.dumps(fetched(turn))}], "role": "model"},
        }
        for turn, number in enumerate(said)
    ]
    found = {
        "1-strip-traffic": [strip],
        "2-no-history": alone,
        "3-compact-state": [compact],
        "4-static-reference": static,
        "5-summarise-rows": [summarise],
        "6-cap-rows": [cap],
        "7-output-schema": [{"edit": "set_output_schema", "agent": "executor", "schema": SCHEMA}, *short],
    }
    return {**found, "all-seven": [edit for edits in found.values() for edit in edits]}
