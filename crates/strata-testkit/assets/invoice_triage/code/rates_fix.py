"""Tax rates by country and category.

Rates are published by the tax desk as one JSON file per effective date and
read once per process. A table is immutable: a new effective date is a new
table, so two invoices of one run can never see different rates.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import MappingProxyType

from billing.errors import RateFileError, UnknownRate
from common.clock import today

log = logging.getLogger("billing.rates")

RATES_DIR = Path("/etc/billing/rates")
CATEGORIES = ("standard", "reduced", "zero")
SCHEMA_VERSION = 3


@dataclass(frozen=True)
class Rate:
    """One published rate. `value` is a fraction: 0.19 means 19 %."""

    country: str
    category: str
    value: Decimal

    @property
    def percent(self) -> str:
        return f"{(self.value * 100).normalize():f} %"


@dataclass(frozen=True)
class RateTable:
    """All rates that are in force from `effective` on."""

    effective: date
    digest: str
    _rates: Mapping[tuple[str, str], Rate] = field(repr=False)

    def rate_for(self, country: str, category: str = "standard") -> Decimal:
        """The fraction to charge for a category of goods in a country."""
        try:
            return self._rates[country.upper(), category].value
        except KeyError:
            raise UnknownRate(country, category, self.effective) from None

    def has(self, country: str, category: str = "standard") -> bool:
        return (country.upper(), category) in self._rates

    def countries(self) -> list[str]:
        """Country codes in alphabetical order."""
        return sorted({country for country, _ in self._rates})

    def __iter__(self) -> Iterator[Rate]:
        return iter(self._rates.values())

    def __len__(self) -> int:
        return len(self._rates)


def load_rates(path: Path) -> RateTable:
    """Reads a rate file.

    The file holds numbers since schema version 3; versions 1 and 2 held
    strings and are refused, so that a stale file cannot be picked up after
    a rollback. A number is taken by its digits and never becomes a float:
    0.19 is 0.19 and not 0.1900000000000000022.
    """
    raw = path.read_bytes()
    try:
        document = json.loads(raw, parse_float=str)
    except ValueError as error:
        raise RateFileError(path, f"not JSON: {error}") from error
    _check_header(path, document)
    rates = {}
    for country, by_category in document["rates"].items():
        for category, value in by_category.items():
            rates[country, category] = _rate(path, country, category, value)
    table = RateTable(
        effective=date.fromisoformat(document["effective"]),
        digest=hashlib.sha256(raw).hexdigest()[:12],
        _rates=MappingProxyType(rates),
    )
    log.info("loaded %d rates from %s (%s)", len(table), path.name, table.digest)
    return table


def _check_header(path: Path, document: object) -> None:
    if not isinstance(document, dict):
        raise RateFileError(path, "the top level must be an object")
    version = document.get("schema")
    if version != SCHEMA_VERSION:
        raise RateFileError(path, f"schema {version}, expected {SCHEMA_VERSION}")
    for key in ("effective", "rates"):
        if key not in document:
            raise RateFileError(path, f"{key} is missing")


def _rate(path: Path, country: str, category: str, value: object) -> Rate:
    if category not in CATEGORIES:
        raise RateFileError(path, f"{country}: unknown category {category!r}")
    try:
        fraction = Decimal(value)
    except (InvalidOperation, TypeError):
        raise RateFileError(path, f"{country}.{category}: {value!r} is not a number") from None
    if isinstance(value, bool) or not 0 <= fraction < 1:
        raise RateFileError(path, f"{country}.{category}: {value} is not a fraction")
    return Rate(country.upper(), category, fraction)


class RateBook:
    """Tables by effective date, loaded when they are first asked for."""

    def __init__(self, directory: Path = RATES_DIR) -> None:
        self._directory = directory
        self._tables: dict[Path, RateTable] = {}

    def current(self) -> RateTable:
        return self.at(today())

    def at(self, day: date) -> RateTable:
        """The table in force on a day: the latest one that is not younger."""
        path = self._path_for(day)
        if path not in self._tables:
            self._tables[path] = load_rates(path)
        return self._tables[path]

    def preload(self) -> int:
        """Loads every table, so that a broken file stops the start."""
        for path in self._files():
            self._tables.setdefault(path, load_rates(path))
        return len(self._tables)

    def forget(self) -> None:
        self._tables.clear()

    def __len__(self) -> int:
        return len(self._tables)

    def _files(self) -> list[Path]:
        return sorted(self._directory.glob("rates-????-??-??.json"))

    def _path_for(self, day: date) -> Path:
        found = None
        for path in self._files():
            if date.fromisoformat(path.stem.removeprefix("rates-")) > day:
                break
            found = path
        if found is None:
            raise RateFileError(self._directory, f"no rates in force on {day}")
        return found


_book: RateBook | None = None


def book() -> RateBook:
    """The process-wide book of rates."""
    global _book
    if _book is None:
        _book = RateBook()
    return _book


def rate_for(country: str, category: str = "standard", day: date | None = None) -> Decimal:
    """The fraction in force on a day, today when none is given."""
    table = book().current() if day is None else book().at(day)
    return table.rate_for(country, category)


def describe(table: RateTable) -> str:
    """One line per country, for `billing rates show`."""
    lines = []
    for country in table.countries():
        shown = [
            f"{category} {(table.rate_for(country, category) * 100).normalize():f} %"
            for category in CATEGORIES
            if table.has(country, category)
        ]
        lines.append(f"{country}: {', '.join(shown)}")
    return "\n".join(lines)
