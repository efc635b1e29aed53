"""Money: currencies, their exponents, rounding and formatting.

The one place that knows how many decimal places a currency has. Code that
rounds amounts calls `quantize` and passes the currency; a literal like
`Decimal("0.01")` is right for the euro and wrong for the yen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import (
    ROUND_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Decimal,
    InvalidOperation,
)
from functools import lru_cache
from typing import Final

from common.errors import CurrencyMismatch, UnknownCurrency

DEFAULT_EXPONENT: Final = 2

# Currencies without a minor unit (ISO 4217, exponent 0).
ZERO_DECIMAL: Final = frozenset(
    """
    BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF
    """.split()
)

# Currencies with a thousandth as their minor unit (exponent 3).
THREE_DECIMAL: Final = frozenset("BHD IQD JOD KWD LYD OMR TND".split())

KNOWN: Final = frozenset(
    """
    AED ARS AUD BGN BRL CAD CHF CNY COP CZK DKK EUR GBP HKD HUF IDR ILS
    INR MXN MYR NOK NZD PEN PHP PLN RON RSD SAR SEK SGD THB TRY TWD UAH
    USD UYU ZAR
    """.split()
)

AMOUNT = re.compile(r"^(?P<sign>-?)(?P<whole>\d+)(\.(?P<part>\d+))?$")


def is_zero_decimal(currency: str) -> bool:
    """Whether a currency has no minor unit, like the yen."""
    return currency.upper() in ZERO_DECIMAL


def currency_exp(currency: str) -> int:
    """How many decimal places amounts of a currency have."""
    code = currency.upper()
    if is_zero_decimal(code):
        return 0
    if code in THREE_DECIMAL:
        return 3
    if code in KNOWN:
        return DEFAULT_EXPONENT
    raise UnknownCurrency(currency)


@lru_cache(maxsize=64)
def unit(currency: str) -> Decimal:
    """The smallest amount of a currency: 0.01 for EUR, 1 for JPY."""
    return Decimal(1).scaleb(-currency_exp(currency))


def quantize(
    amount: Decimal,
    currency: str,
    rounding: str = ROUND_HALF_UP,
) -> Decimal:
    """Rounds an amount to what can be paid in its currency.

    `Decimal` only: a float has lost the amount already, so it is refused
    and not rounded. Amounts too large for the context are refused too.
    """
    if not isinstance(amount, Decimal):
        raise TypeError(f"{amount!r} is {type(amount).__name__}, not Decimal")
    if not amount.is_finite():
        raise ValueError(f"{amount} is not an amount")
    try:
        return amount.quantize(unit(currency), rounding)
    except InvalidOperation:
        raise ValueError(f"{amount} {currency} is too large") from None


def to_minor(amount: Decimal, currency: str) -> int:
    """An amount in minor units, as payment providers want it.

    12.34 EUR is 1234, 1234 JPY is 1234: a zero_decimal currency is sent
    as it is.
    """
    exact = quantize(amount, currency)
    if exact != amount:
        raise ValueError(f"{amount} {currency} has a fraction of a unit")
    return int(exact.scaleb(currency_exp(currency)))


def from_minor(minor: int, currency: str) -> Decimal:
    """The amount a provider means by a number of minor units."""
    return Decimal(minor).scaleb(-currency_exp(currency))


def parse(text: str, currency: str) -> Decimal:
    """Reads an amount, such as `-12.50`. Separators are not accepted."""
    match = AMOUNT.match(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not an amount")
    part = match["part"] or ""
    if len(part) > currency_exp(currency):
        raise ValueError(f"{text!r} has too many places for {currency}")
    return quantize(Decimal(match[0]), currency)


@dataclass(frozen=True, order=False)
class Money:
    """An amount with its currency."""

    amount: Decimal
    currency: str

    @classmethod
    def of(cls, amount: Decimal | int | str, currency: str) -> Money:
        return cls(quantize(Decimal(amount), currency), currency.upper())

    @classmethod
    def zero(cls, currency: str) -> Money:
        return cls.of(0, currency)

    def __add__(self, other: Money) -> Money:
        self._check(other)
        return Money(self.amount + other.amount, self.currency)

    def __sub__(self, other: Money) -> Money:
        self._check(other)
        return Money(self.amount - other.amount, self.currency)

    def __neg__(self) -> Money:
        return Money(-self.amount, self.currency)

    def __bool__(self) -> bool:
        return bool(self.amount)

    def __lt__(self, other: Money) -> bool:
        self._check(other)
        return self.amount < other.amount

    def times(self, factor: Decimal) -> Money:
        """The product, rounded half up. Floats are refused."""
        if not isinstance(factor, Decimal):
            raise TypeError(f"{factor!r} is not Decimal")
        product = quantize(self.amount * factor, self.currency)
        return Money(product, self.currency)

    def part(self, numerator: int, denominator: int) -> Money:
        """A share of the amount, rounded down."""
        share = self.amount * numerator / denominator
        down = quantize(share, self.currency, ROUND_DOWN)
        return Money(down, self.currency)

    def split(self, n_parts: int) -> list[Money]:
        """Equal parts that add up exactly: the first ones get the rest."""
        if n_parts < 1:
            raise ValueError("at least one part")
        step = unit(self.currency)
        each = self.part(1, n_parts)
        rest = self.amount - each.amount * n_parts
        extra = int(rest / step)
        bigger = Money(each.amount + step, self.currency)
        return [bigger] * extra + [each] * (n_parts - extra)

    def allocate(self, weights: list[int]) -> list[Money]:
        """Parts in proportion to weights that add up exactly."""
        total = sum(weights)
        if total <= 0:
            raise ValueError("weights must add up to more than zero")
        parts = [self.part(weight, total) for weight in weights]
        missing = self.amount - sum(part.amount for part in parts)
        step = unit(self.currency)
        for at in range(int(missing / step)):
            parts[at] = Money(parts[at].amount + step, self.currency)
        return parts

    def _check(self, other: Money) -> None:
        if self.currency != other.currency:
            raise CurrencyMismatch(self.currency, other.currency)

    def __str__(self) -> str:
        return format_money(self)


def total(amounts: Iterable[Money], currency: str) -> Money:
    """The sum; zero of the currency when there is nothing to add."""
    result = Money.zero(currency)
    for amount in amounts:
        result = result + amount
    return result


class Purse:
    """Amounts of several currencies, kept apart."""

    def __init__(self) -> None:
        self._sums: dict[str, Money] = {}

    def add(self, money: Money) -> None:
        before = self._sums.get(money.currency)
        self._sums[money.currency] = (
            money if before is None else before + money
        )

    def take(self, money: Money) -> None:
        self.add(-money)

    def of(self, currency: str) -> Money:
        code = currency.upper()
        return self._sums.get(code) or Money.zero(code)

    @property
    def currencies(self) -> list[str]:
        return sorted(self._sums)

    @property
    def is_empty(self) -> bool:
        return not any(self._sums.values())

    def __str__(self) -> str:
        if self.is_empty:
            return "nothing"
        return ", ".join(str(self._sums[code]) for code in self.currencies)


# For people; machines get the code.
SYMBOLS: Final = {"EUR": "€", "GBP": "£", "JPY": "¥", "USD": "$"}


def format_money(money: Money, symbol: bool = False) -> str:
    """`1,234.50 EUR`, or `€1,234.50` with a symbol.

    The number of places follows from the currency: yen have none.
    """
    places = currency_exp(money.currency)
    shown = f"{money.amount:,.{places}f}"
    if symbol and money.currency in SYMBOLS:
        return f"{SYMBOLS[money.currency]}{shown}"
    return f"{shown} {money.currency}"


def convert(money: Money, rate: Decimal, currency: str) -> Money:
    """Another currency at a given rate, rounded half to even."""
    if not isinstance(rate, Decimal):
        raise TypeError(f"{rate!r} is not Decimal")
    if rate <= 0:
        raise ValueError(f"{rate} is no exchange rate")
    amount = quantize(money.amount * rate, currency, ROUND_HALF_EVEN)
    return Money(amount, currency.upper())


def same(left: Decimal, right: Decimal, currency: str) -> bool:
    """Whether two amounts are the same once they are paid."""
    return quantize(left, currency) == quantize(right, currency)


def clamp(money: Money, low: Money, high: Money) -> Money:
    """The amount, but not below one limit nor above another."""
    if high < low:
        raise ValueError("the limits are the wrong way round")
    if money < low:
        return low
    if high < money:
        return high
    return money


def percent_of(part: Money, whole: Money) -> Decimal:
    """A part as a percentage, to one place; zero of nothing is zero."""
    part._check(whole)
    if not whole:
        return Decimal(0)
    percent = part.amount / whole.amount * 100
    return percent.quantize(Decimal("0.1"), ROUND_HALF_UP)


def largest(amounts: Iterable[Money]) -> Money | None:
    """The largest of some amounts of one currency."""
    best = None
    for amount in amounts:
        if best is None or best < amount:
            best = amount
    return best


def describe(currency: str) -> str:
    """One line for the support tool: `JPY, zero_decimal, unit 1`."""
    code = currency.upper()
    kind = "zero_decimal" if is_zero_decimal(code) else "decimal"
    return f"{code}, {kind}, unit {unit(code)}"
