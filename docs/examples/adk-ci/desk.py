"""A support desk for orders: an agent that looks orders up, and one that pays back.

`app(model)` is the app as it is served; tests hand in a model that plays a script, and a recorder as a plugin.
"""

from __future__ import annotations

from google.adk.agents import LlmAgent
from google.adk.apps.app import App

# ---------------------------------------------------------------------------------------------------------------------
# What the shop says: the same in every call, so it stands first and stays in the provider's cache.

GOODS = {
    "books": (30, "unread, with the cover it came with"),
    "clothes": (60, "unworn, with all labels still on"),
    "shoes": (60, "worn indoors only, in the box they came in"),
    "games": (14, "sealed; a game that was opened is exchanged for the same one"),
    "kitchen": (30, "clean and with all parts, also those that were not used"),
    "garden": (90, "plants within two weeks, with a picture of the plant and its pot"),
    "furniture": (30, "in parts, in the box; we fetch it, and nobody has to carry it down"),
    "electronics": (30, "with the charger, signed out of all accounts and reset"),
    "food": (7, "only where it arrived spoilt, with a picture of it and of the box"),
    "gifts": (120, "by whoever got it, who is paid with a voucher and not to the card"),
}
QUESTIONS = [
    ("a parcel that is late", "say where it is and since when, and offer a new one after five working days"),
    ("a parcel that came open", "ask for a picture, and send what is missing before anything is sent back"),
    ("an address that was wrong", "change it until the parcel is handed over; after that it comes back by itself"),
    ("a price that fell", "pay the difference within two weeks, once for each order"),
    ("an order that was made twice", "cancel the later one, unless it has left the house"),
    ("a voucher that is not taken", "look whether it was used, and for which order; give a new one if it was not"),
    ("a bill for a company", "send it again with the name of the company, which stays on all later bills"),
    ("the data we keep", "name the page with it, and leave the rest to the colleagues for privacy"),
]
PLACES = {
    "the town": (1, "by bicycle, until ten in the evening; a parcel can be moved to the next day until noon"),
    "the country": (2, "with a number to track it by; a neighbour may take it, and the card in the door says who"),
    "the islands": (5, "by the mail boat on Tuesdays and Fridays; a storm moves both to the next day"),
    "Norway": (4, "with the customs paid by us; the receiver gets a message and has nothing to sign"),
    "Switzerland": (4, "with the customs paid by us, up to five hundred francs; above that the post asks for them"),
    "the Union": (4, "with a number to track it by, which the post of each country takes over at its border"),
    "Great Britain": (6, "with the customs paid by us; parcels are opened now and then, and closed with a yellow tape"),
    "America": (9, "by air; nothing that grows, and no batteries that lie loose in the box"),
    "Australia": (14, "by air; nothing made of raw wood, and plants not at all"),
    "the rest of the world": (21, "by sea, with a number that is only known to us: people ask, and we look it up"),
}


def house_rules() -> str:
    """The rules as the agents read them."""
    lines = ["# What can come back", ""]
    for goods, (days, state) in GOODS.items():
        lines.append(
            f"- {goods}: within {days} days of the day it arrived; {state}. Sending it back is free, the label is in "
            f"the parcel and in the account. Money is paid back the way it came, within three days of its arrival."
        )
    lines += ["", "# What people ask", ""]
    for question, answer in QUESTIONS:
        lines.append(
            f"- About {question}: {answer}. Look the order up before you answer. Say what you did and what comes "
            f"next, in two sentences, and do not ask for what the order tells already."
        )
    lines += ["", "# Where we send", ""]
    for place, (days, how) in PLACES.items():
        lines.append(
            f"- To {place}: within {days} working days of the day the order was packed, {how}. What is late by twice "
            f"that is sent again, and what arrives after all may stay."
        )
    return "\n".join(lines)


INSTRUCTION = f"""You are the desk of a shop. Answer what people ask about their orders, in two or three sentences.
Look orders up before you say anything about them. Hand over to `refunds` when money is to be paid back.

{house_rules()}
"""

REFUNDS = """You pay back. Pay no more than what was paid for the order, and only once. Say how much, and when it arrives."""

# ---------------------------------------------------------------------------------------------------------------------
# What the tools know.

STATES = ["ordered", "packed", "handed over", "in the country", "in the town", "delivered"]


def orders_of(customer: str) -> list[dict]:
    """Six orders, the same each time."""
    goods = list(GOODS)
    return [
        {
            "order": f"{1040 + at}",
            "customer": customer,
            "goods": goods[at],
            "paid": f"{19 + 7 * at}.90",
            "parcel": f"P-{7700 + 3 * at}",
            "state": STATES[-1] if at < 5 else STATES[3],
        }
        for at in range(6)
    ]


def find_orders(customer: str) -> dict:
    """Looks up the orders of a customer.

    Args:
        customer: The name the customer gave.
    """
    return {"orders": orders_of(customer)}


def track_parcel(parcel: str) -> dict:
    """Says where a parcel is.

    Args:
        parcel: The number of the parcel, as in P-7700.
    """
    return {"parcel": parcel, "state": STATES[3], "seen": "2026-11-20 06:40", "place": "Hub North", "late": True}


def refund(order: str, amount: str) -> dict:
    """Pays money back.

    Args:
        order: The number of the order.
        amount: How much, as in 26.90.
    """
    return {"order": order, "amount": amount, "arrives": "within three days"}


# ---------------------------------------------------------------------------------------------------------------------


def app(model, plugins=()) -> App:
    refunds = LlmAgent(
        name="refunds",
        model=model,
        description="Pays money back for an order.",
        instruction=REFUNDS,
        tools=[refund],
    )
    desk = LlmAgent(
        name="desk",
        model=model,
        instruction=INSTRUCTION,
        tools=[find_orders, track_parcel],
        sub_agents=[refunds],
    )
    return App(name="support_desk", root_agent=desk, plugins=list(plugins))
