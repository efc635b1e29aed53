"""Refunds: whole, partial and prorated.

A refund gives back part of what one invoice charged. It never changes the
invoice: it becomes a credit note with the same tax rates the invoice had.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from enum import Enum

from billing import events, rates
from billing.invoice import CENT, ZERO, Invoice, Line, Total
from billing.period import Period
from refund.errors import NotRefundable, RefundTooLarge
from refund.ledger import Ledger

log = logging.getLogger("refund")

# Refunds below this amount are kept as credit for the next invoice.
SMALLEST = Decimal("1.00")


class Reason(Enum):
    CANCELLED = "cancelled"
    DOWNGRADED = "downgraded"
    GOODWILL = "goodwill"
    # Found by `duplicates`, never by a customer.
    DUPLICATE = "duplicate"
    OUTAGE = "outage"

    @property
    def needs_approval(self) -> bool:
        return self in (Reason.GOODWILL, Reason.OUTAGE)


class Route(Enum):
    """Where the money goes: back to its source, or to the account."""

    ORIGINAL = "original"
    CREDIT = "credit"


@dataclass(frozen=True)
class Share:
    """A part of a period, in days."""

    days: int
    of: int

    def __post_init__(self) -> None:
        if not 0 <= self.days <= self.of:
            raise ValueError(f"{self.days} of {self.of} days")

    @property
    def fraction(self) -> Decimal:
        return Decimal(self.days) / Decimal(self.of)


def unused(period: Period, end: date) -> Share:
    """The days of a period that were paid for and not used."""
    total = (period.end - period.start).days + 1
    left = (period.end - end).days
    return Share(max(0, min(left, total)), total)


@dataclass(frozen=True)
class Credit:
    """One line of a credit note."""

    text: str
    net: Decimal
    tax: Decimal

    # Credits are positive; the ledger turns the sign.

    @property
    def gross(self) -> Decimal:
        return self.net + self.tax


def credit_for(line: Line, country: str, day: date) -> Credit:
    """Gives a whole line back, with the tax it was charged."""
    rate = Decimal(rates.rate_for(country, line.category, day))
    tax = (line.net * rate).quantize(rate)
    return Credit(line.text, line.net, tax.quantize(CENT))


@dataclass
class Refund:
    """What a customer gets back for one invoice."""

    invoice: str
    reason: Reason
    currency: str
    credits: list[Credit] = field(default_factory=list)
    route: Route = Route.ORIGINAL
    approved_by: str | None = None
    paid_at: datetime | None = None

    @property
    def amount(self) -> Decimal:
        return sum((credit.gross for credit in self.credits), ZERO)

    @property
    def is_paid(self) -> bool:
        # Booked and sent.
        return self.paid_at is not None

    @property
    def is_approved(self) -> bool:
        """Goodwill and outages need a name; the rest is a right."""
        return not self.reason.needs_approval or bool(self.approved_by)


def prorate(line: Line, share: Share, country: str, day: date) -> Credit:
    """Gives the unused part of a line back.

    The net amount is rounded down, so that several partial refunds of one
    line never add up to more than the line; the tax follows from it.
    """
    if share.days == 0:
        return Credit(line.text, ZERO, ZERO)
    net = (line.net * share.fraction).quantize(CENT, ROUND_DOWN)
    if share.days == share.of:
        return credit_for(line, country, day)
    rate = Decimal(rates.rate_for(country, line.category, day))
    tax = (net * rate).quantize(rate, ROUND_HALF_UP)
    text = f"{line.text} ({share.days} of {share.of} days)"
    return Credit(text, net, tax.quantize(CENT))


def whole(invoice: Invoice, reason: Reason) -> Refund:
    """Gives everything back."""
    total = check(invoice)
    country = invoice.customer.country
    refund = Refund(invoice.number, reason, total.currency)
    for line in invoice.lines:
        refund.credits.append(
            credit_for(line, country, invoice.period.end),
        )
    if refund.amount != total.gross:
        # Taxes were rounded by group when the invoice was computed.
        settle(refund, total.gross - refund.amount)
    return refund


def partial(
    invoice: Invoice,
    reason: Reason,
    end: date,
) -> Refund:
    """Gives back what was not used after a day."""
    total = check(invoice)
    share = unused(invoice.period, end)
    country = invoice.customer.country
    refund = Refund(invoice.number, reason, total.currency)
    for line in invoice.lines:
        if is_recurring(line):
            refund.credits.append(
                prorate(line, share, country, invoice.period.end),
            )
    if refund.amount > total.gross:
        raise RefundTooLarge(invoice.number, refund.amount)
    return refund


def goodwill(
    invoice: Invoice,
    amount: Decimal,
    approved_by: str,
) -> Refund:
    """Gives a fixed amount back; the tax part is what the invoice had."""
    total = check(invoice)
    if amount > total.gross:
        raise RefundTooLarge(invoice.number, amount)
    portion = amount / total.gross
    tax = (total.tax * portion).quantize(CENT, ROUND_HALF_UP)
    credit = Credit("Goodwill", amount - tax, tax)
    return Refund(
        invoice.number,
        Reason.GOODWILL,
        total.currency,
        [credit],
        approved_by=approved_by,
    )


def check(invoice: Invoice) -> Total:
    """The total of an invoice that can be refunded at all."""
    if invoice.total is None:
        raise NotRefundable(invoice.number, "it was never issued")
    if not invoice.status.is_final:
        raise NotRefundable(invoice.number, "it is not paid")
    return invoice.total


def is_recurring(line: Line) -> bool:
    """Set-up fees and usage are not given back."""
    return line.sku.startswith(("plan-", "seat-", "addon-"))


def settle(refund: Refund, difference: Decimal) -> None:
    """Puts a rounding difference on the largest credit."""
    if not refund.credits:
        return
    largest = max(refund.credits, key=lambda credit: credit.gross)
    at = refund.credits.index(largest)
    refund.credits[at] = Credit(
        largest.text,
        largest.net,
        largest.tax + difference,
    )


def route_for(refund: Refund, card_expired: bool) -> Route:
    """Small refunds and dead cards become credit."""
    if refund.amount < SMALLEST or card_expired:
        return Route.CREDIT
    return Route.ORIGINAL


def approve(refund: Refund, user: str) -> None:
    if refund.is_paid:
        raise NotRefundable(refund.invoice, "it is paid out")
    refund.approved_by = user
    events.publish("refund.approved", refund.invoice, by=user)


def pay_out(
    refund: Refund,
    ledger: Ledger,
    now: datetime,
    card_expired: bool = False,
) -> None:
    """Books a refund and sends the money."""
    if refund.is_paid:
        raise NotRefundable(refund.invoice, "it is paid out")
    if not refund.is_approved:
        raise NotRefundable(refund.invoice, "nobody approved it")
    refund.route = route_for(refund, card_expired)
    ledger.book(
        account=refund.route.value,
        amount=-refund.amount,
        currency=refund.currency,
        reference=refund.invoice,
    )
    refund.paid_at = now
    events.publish(
        "refund.paid",
        refund.invoice,
        amount=str(refund.amount),
        route=refund.route.value,
    )
    log.info("refunded %s %s", refund.amount, refund.currency)


@dataclass
class Batch:
    """Refunds of one cause, such as an outage."""

    reason: Reason
    refunds: list[Refund] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def amount(self) -> dict[str, Decimal]:
        sums: dict[str, Decimal] = {}
        for refund in self.refunds:
            before = sums.get(refund.currency, ZERO)
            sums[refund.currency] = before + refund.amount
        return sums

    def approve(self, user: str) -> None:
        for refund in self.refunds:
            approve(refund, user)


def outage(
    invoices: Iterable[Invoice],
    days: int,
) -> Batch:
    """A refund of some days for every invoice that was hit."""
    batch = Batch(Reason.OUTAGE)
    for invoice in invoices:
        try:
            batch.refunds.append(for_days(invoice, days))
        except (NotRefundable, RefundTooLarge) as error:
            batch.failed[invoice.number] = str(error)
    log.info(
        "outage of %d days: %d refunds, %d failed",
        days,
        len(batch.refunds),
        len(batch.failed),
    )
    return batch


def for_days(invoice: Invoice, days: int) -> Refund:
    """Gives a number of days back, wherever in the period they were."""
    total = check(invoice)
    length = (invoice.period.end - invoice.period.start).days + 1
    share = Share(min(days, length), length)
    country = invoice.customer.country
    credits = [
        prorate(line, share, country, invoice.period.end)
        for line in invoice.lines
        if is_recurring(line)
    ]
    return Refund(
        invoice.number,
        Reason.OUTAGE,
        total.currency,
        credits,
    )


def by_reason(refunds: Iterable[Refund]) -> dict[Reason, int]:
    """How many refunds there were for each reason."""
    counts: dict[Reason, int] = {}
    for refund in refunds:
        counts[refund.reason] = counts.get(refund.reason, 0) + 1
    return counts


def duplicates(invoices: Iterable[Invoice]) -> list[Invoice]:
    """Invoices that charge a customer twice for one period."""
    seen: set[tuple[str, date, Decimal]] = set()
    twice = []
    for invoice in invoices:
        if invoice.total is None:
            continue
        key = (
            invoice.customer.number,
            invoice.period.start,
            invoice.total.gross,
        )
        if key in seen:
            twice.append(invoice)
        seen.add(key)
    return twice


def credit_note(refund: Refund) -> str:
    """A refund as plain text."""
    rows = [f"Credit note for {refund.invoice}", ""]
    for credit in refund.credits:
        rows.append(
            f"{credit.text:<48} {credit.gross:>12} {refund.currency}",
        )
    rows.append("")
    rows.append(f"{'total':<48} {refund.amount:>12} {refund.currency}")
    return "\n".join(rows)


def unpaid(refunds: Iterable[Refund]) -> list[Refund]:
    """Approved refunds that wait for the next pay-out."""
    return [
        refund
        for refund in refunds
        if refund.is_approved and not refund.is_paid
    ]
