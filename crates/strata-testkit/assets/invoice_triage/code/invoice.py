"""Invoices: lines, discounts, tax and totals.

An invoice is computed once, when its billing period closes, and is
immutable afterwards. Corrections are credit notes (see `billing.credit`).

All amounts are `Decimal`. The context below is set at import, so that a
worker process cannot run with the interpreter's defaults.
"""

from __future__ import annotations

import decimal
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum

from billing import events, rates
from billing.customer import Customer
from billing.errors import EmptyInvoice, InvoiceError, MixedCurrencies
from billing.numbering import next_number
from billing.period import Period
from billing.store import InvoiceStore

log = logging.getLogger("billing.invoice")

# Every amount on an invoice has two places.
CENT = Decimal("0.01")
HUNDRED = Decimal(100)
ZERO = Decimal(0)

decimal.getcontext().prec = 28
decimal.getcontext().rounding = ROUND_HALF_UP


class Status(Enum):
    DRAFT = "draft"
    OPEN = "open"
    PAID = "paid"
    VOID = "void"

    @property
    def is_final(self) -> bool:
        return self in (Status.PAID, Status.VOID)


class TaxMode(Enum):
    """How an amount relates to its tax."""

    EXCLUSIVE = "exclusive"
    INCLUSIVE = "inclusive"
    REVERSE_CHARGE = "reverse_charge"


@dataclass(frozen=True)
class Discount:
    """A percentage of a line, or a fixed amount."""

    percent: Decimal = ZERO
    amount: Decimal = ZERO
    label: str = ""

    def of(self, gross: Decimal) -> Decimal:
        """The reduction, never more than there is."""
        reduced = gross * self.percent / HUNDRED
        return min(gross, reduced + self.amount)


@dataclass(frozen=True)
class Line:
    """Something that is charged for."""

    sku: str
    text: str
    quantity: Decimal
    unit_price: Decimal
    currency: str
    category: str = "standard"
    discounts: tuple[Discount, ...] = ()

    @property
    def gross(self) -> Decimal:
        return self.quantity * self.unit_price

    @property
    def discounted(self) -> Decimal:
        gross = self.gross
        for discount in self.discounts:
            gross -= discount.of(gross)
        return gross

    @property
    def net(self) -> Decimal:
        """What is left after discounts, to the cent."""
        return self.discounted.quantize(CENT)

    @property
    def is_credit(self) -> bool:
        """Whether the line gives money back."""
        return self.quantity < 0

    def with_discount(self, discount: Discount) -> Line:
        return replace(self, discounts=(*self.discounts, discount))


@dataclass(frozen=True)
class TaxLine:
    """Tax of all lines with one rate."""

    country: str
    category: str
    rate: Decimal
    base: Decimal
    tax: Decimal


@dataclass(frozen=True)
class Total:
    """The sums at the foot of an invoice."""

    net: Decimal
    tax: Decimal
    currency: str
    taxes: tuple[TaxLine, ...] = ()

    @property
    def gross(self) -> Decimal:
        return self.net + self.tax

    def __str__(self) -> str:
        return f"{self.gross} {self.currency}"


@dataclass
class Invoice:
    """A document a customer is asked to pay."""

    number: str
    customer: Customer
    period: Period
    lines: list[Line] = field(default_factory=list)
    status: Status = Status.DRAFT
    mode: TaxMode = TaxMode.EXCLUSIVE
    issued: date | None = None
    total: Total | None = None

    @property
    def currency(self) -> str:
        currencies = {line.currency for line in self.lines}
        if not currencies:
            raise EmptyInvoice(self.number)
        if len(currencies) > 1:
            raise MixedCurrencies(self.number, currencies)
        return currencies.pop()

    @property
    def is_open(self) -> bool:
        return self.status is Status.OPEN

    def add(self, line: Line) -> None:
        if self.status is not Status.DRAFT:
            raise InvoiceError(self.number, "only a draft can grow")
        self.lines.append(line)

    def extend(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self.add(line)

    def without_credits(self) -> list[Line]:
        return [line for line in self.lines if not line.is_credit]


def group_lines(
    lines: Sequence[Line],
) -> dict[str, list[Line]]:
    """Lines by the category that decides their tax."""
    groups: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        groups[line.category].append(line)
    return dict(groups)


def tax_mode(customer: Customer) -> TaxMode:
    """Businesses in another member state account for the tax themselves."""
    if customer.is_business and customer.is_cross_border:
        return TaxMode.REVERSE_CHARGE
    if customer.prices_include_tax:
        return TaxMode.INCLUSIVE
    return TaxMode.EXCLUSIVE


def compute_total(invoice: Invoice) -> Total:
    """Sums an invoice up.

    Lines are grouped by category, and each group is taxed as a whole:
    rounding happens once for each rate, not once for each line.
    """
    if not invoice.lines:
        raise EmptyInvoice(invoice.number)
    country = invoice.customer.country
    day = invoice.period.end
    net = ZERO
    tax = ZERO
    taxes = []
    for category, lines in group_lines(invoice.lines).items():
        base = sum((line.net for line in lines), ZERO)
        if invoice.mode is TaxMode.REVERSE_CHARGE:
            taxes.append(TaxLine(country, category, ZERO, base, ZERO))
            net += base
            continue
        rate = Decimal(rates.rate_for(country, category, day))
        if invoice.mode is TaxMode.INCLUSIVE:
            base = (base / (1 + rate)).quantize(CENT)
        # The tax keeps the scale of its rate until the end.
        charged = (base * rate).quantize(rate)
        taxes.append(TaxLine(country, category, rate, base, charged))
        net += base
        tax += charged
    return Total(
        net=net.quantize(CENT),
        tax=tax.quantize(CENT),
        currency=invoice.currency,
        taxes=tuple(taxes),
    )


def issue(invoice: Invoice, store: InvoiceStore, day: date) -> Invoice:
    """Gives a draft its number and its total, and stores it."""
    if invoice.status is not Status.DRAFT:
        raise InvoiceError(invoice.number, "is issued already")
    invoice.mode = tax_mode(invoice.customer)
    try:
        invoice.total = compute_total(invoice)
    except decimal.DecimalException as error:
        log.error(
            "decimal error in compute_total, invoice=%s: %s",
            invoice.number,
            type(error).__name__,
        )
        events.publish("invoice.failed", invoice.number)
        raise
    invoice.number = next_number(invoice.customer, day)
    invoice.issued = day
    invoice.status = Status.OPEN
    store.save(invoice)
    events.publish("invoice.issued", invoice.number)
    log.info("issued %s over %s", invoice.number, invoice.total)
    return invoice


def pay(invoice: Invoice, amount: Decimal, store: InvoiceStore) -> None:
    """Records a payment of the whole amount."""
    if not invoice.is_open or invoice.total is None:
        raise InvoiceError(invoice.number, "is not open")
    if amount != invoice.total.gross:
        raise InvoiceError(
            invoice.number,
            f"expected {invoice.total}, got {amount}",
        )
    invoice.status = Status.PAID
    store.save(invoice)
    events.publish("invoice.paid", invoice.number)


def void(invoice: Invoice, reason: str, store: InvoiceStore) -> None:
    """Takes an open invoice back. Paid ones need a credit note."""
    if invoice.status.is_final:
        raise InvoiceError(invoice.number, "is final")
    invoice.status = Status.VOID
    store.save(invoice)
    events.publish("invoice.void", invoice.number, reason=reason)
    log.info("voided %s: %s", invoice.number, reason)


@dataclass
class RunResult:
    """What became of the drafts of one billing run."""

    issued: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not self.failed

    def summary(self) -> str:
        return (
            f"{len(self.issued)} issued, "
            f"{len(self.failed)} failed, "
            f"{len(self.skipped)} skipped"
        )


def run(
    drafts: Iterable[Invoice],
    store: InvoiceStore,
    day: date,
    dry_run: bool = False,
) -> RunResult:
    """Issues the drafts of a day.

    A draft that fails stays a draft: the next run tries it again, so one
    invoice may fail several times before somebody looks at it.
    """
    result = RunResult()
    events.publish("run.started", str(day), dry_run=dry_run)
    for draft in drafts:
        if not draft.lines:
            result.skipped.append(draft.number)
            continue
        try:
            if dry_run:
                compute_total(draft)
            else:
                issue(draft, store, day)
        except (InvoiceError, decimal.DecimalException) as error:
            result.failed[draft.number] = repr(error)
            continue
        result.issued.append(draft.number)
    events.publish("run.finished", str(day), failed=len(result.failed))
    log.info("run of %s: %s", day, result.summary())
    return result


def retry_failed(
    result: RunResult,
    store: InvoiceStore,
    day: date,
) -> RunResult:
    """Tries the failed drafts of a run once more."""
    drafts = [store.draft(number) for number in result.failed]
    return run((draft for draft in drafts if draft), store, day)


def is_overdue(invoice: Invoice, day: date, days: int = 30) -> bool:
    """Whether an open invoice has waited longer than agreed."""
    if not invoice.is_open or invoice.issued is None:
        return False
    return (day - invoice.issued).days > days


def overdue(
    invoices: Iterable[Invoice],
    day: date,
) -> list[Invoice]:
    """Overdue invoices, the oldest first."""
    late = [invoice for invoice in invoices if is_overdue(invoice, day)]
    return sorted(late, key=lambda invoice: invoice.issued or day)


def format_amount(amount: Decimal, currency: str) -> str:
    """An amount as it is printed: two places, thousands apart."""
    return f"{amount.quantize(CENT):,} {currency}"


def render_lines(invoice: Invoice) -> list[str]:
    """The body of an invoice as plain text."""
    rows = []
    for line in invoice.lines:
        price = format_amount(line.net, line.currency)
        rows.append(f"{line.quantity:>6} {line.text:<40} {price:>16}")
        for discount in line.discounts:
            rows.append(f"       {discount.label}")
    return rows


def render_taxes(total: Total) -> list[str]:
    rows = []
    for tax in total.taxes:
        percent = (tax.rate * HUNDRED).normalize()
        shown = format_amount(tax.tax, total.currency)
        rows.append(f"{tax.country} {tax.category} {percent} %: {shown}")
    return rows


def render(invoice: Invoice) -> str:
    """An invoice as plain text, for mails and logs."""
    total = invoice.total or compute_total(invoice)
    parts = [
        f"Invoice {invoice.number}",
        f"{invoice.customer.name}, {invoice.customer.country}",
        "",
        *render_lines(invoice),
        "",
        f"net   {format_amount(total.net, total.currency):>20}",
        *render_taxes(total),
        f"total {format_amount(total.gross, total.currency):>20}",
    ]
    return "\n".join(parts)


def open_amount(invoices: Iterable[Invoice]) -> dict[str, Decimal]:
    """What is still to be paid, by currency."""
    sums: dict[str, Decimal] = defaultdict(lambda: ZERO)
    for invoice in invoices:
        if invoice.is_open and invoice.total is not None:
            sums[invoice.currency] += invoice.total.gross
    return dict(sums)


def mixed_categories(invoice: Invoice) -> bool:
    """Whether an invoice needs more than one tax line."""
    return len(group_lines(invoice.lines)) > 1


def newest(invoices: Sequence[Invoice]) -> Invoice | None:
    issued = [invoice for invoice in invoices if invoice.issued]
    return max(issued, key=lambda invoice: invoice.number, default=None)
