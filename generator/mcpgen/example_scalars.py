"""Example texts and numbers: short, of the kind that format and name suggest, within their bounds.

Takes merged schemas, gives values, or None where there is no easy one. `turn` asks for a value that differs from those
of the earlier turns.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction

from mcpgen.ir import Json
from mcpgen.names import words
from mcpgen.patterns import matching_texts

FORMATS = {
    "date-time": "2026-01-15T09:30:00Z",
    "date": "2026-01-15",
    "time": "09:30:00Z",
    "duration": "PT1H",
    "email": "user@example.com",
    "idn-email": "user@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ip": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "cidr": "192.0.2.0/24",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "iri": "https://example.com/",
    "uri-reference": "/example",
    "iri-reference": "/example",
    "uri-template": "https://example.com/{id}",
    "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "json-pointer": "/example",
    "relative-json-pointer": "0",
    "regex": "^example$",
    "byte": "ZXhhbXBsZQ==",
    "base64": "ZXhhbXBsZQ==",
    "base64url": "ZXhhbXBsZQ",
    "int32": "1",
    "int64": "1",
    "uint64": "1",
    "decimal": "1.5",
}
# By the last word of a property's name, where no format says better.
TEXTS = {
    "email": "user@example.com",
    "url": "https://example.com/",
    "uri": "https://example.com/",
    "href": "https://example.com/",
    "website": "https://example.com/",
    "date": "2026-01-15",
    "at": "2026-01-15T09:30:00Z",
    "timestamp": "2026-01-15T09:30:00Z",
    "currency": "EUR",
    "country": "DE",
    "language": "en",
    "locale": "en",
    "timezone": "Europe/Berlin",
    "phone": "+49 30 123456",
    "city": "Berlin",
    "id": "1",
    "version": "1.0",
    "description": "An example.",
    "message": "An example.",
    "title": "Example",
    "name": "Example",
}
NUMBERS = {
    "year": Fraction(2026),
    "month": Fraction(1),
    "day": Fraction(15),
    "amount": Fraction(100),
    "at": Fraction(1768469400),  # FORMATS["date-time"]
    "created": Fraction(1768469400),
    "timestamp": Fraction(1768469400),
}

LONGEST = 10_000  # characters; an example that must be longer is none


def example_text(schema: Mapping[str, Json], name: str, turn: int) -> str | None:
    least, most = math.ceil(schema.get("minLength", 0)), schema.get("maxLength")
    if least > LONGEST or (most is not None and most < least):
        return None
    if isinstance(pattern := schema.get("pattern"), str):
        texts = list(itertools.islice(matching_texts(pattern, shortest=least, longest=most), 8))
        return texts[turn % len(texts)] if texts else None
    text = _varied(_plain(schema, name), turn)
    if len(text) < least:
        text = (f"{text} " * (least // (len(text) + 1) + 1))[:least].rstrip().ljust(least, "e")
    if most is not None and len(text) > most:
        text = str(turn + 1)[-int(most) :] if turn and most >= 1 else text[: int(most)]
    return text.ljust(least, "e")


def _plain(schema: Mapping[str, Json], name: str) -> str:
    for word in ("format", "contentEncoding"):
        if schema.get(word) in FORMATS:
            return FORMATS[schema[word]]
    return TEXTS.get(_last_word(name), "example")


def _last_word(name: str) -> str:
    return (words(name) or [""])[-1]


def _varied(text: str, turn: int) -> str:
    """Another text of the same kind for each turn."""
    if not turn:
        return text
    if "2026-01-15" in text:
        return text.replace("-15", f"-{(14 + turn) % 28 + 1:02d}")
    if text == FORMATS["uuid"]:
        return f"{text[:-2]}{turn % 256:02x}"
    if text == FORMATS["time"]:
        return f"09:{(30 + turn) % 60:02d}:00Z"
    if text == FORMATS["ipv4"]:
        return f"192.0.2.{turn % 254 + 1}"
    if text == FORMATS["email"]:
        return f"user{turn + 1}@example.com"
    return f"{text} {turn + 1}" if text.isalpha() else f"{text}{turn + 1}"


def example_number(
    schema: Mapping[str, Json], name: str, turn: int, *, whole: bool
) -> int | float | None:
    low = _bound(schema, ("minimum", "exclusiveMinimum"), max)
    high = _bound(schema, ("maximum", "exclusiveMaximum"), min)
    wanted = NUMBERS.get(_last_word(name), Fraction(1 if whole else 1.5))
    step = _fraction(schema.get("multipleOf"))
    if whole:
        # A whole multiple of 5/2 is a multiple of 5.
        step = Fraction(step.numerator if step else 1)
    tries = _steps(wanted, low, high, step, turn) if step else _between(wanted + turn, low, high)
    for value in tries:
        if _is_within(value, schema):
            return int(value) if value.denominator == 1 else float(value)
    return None


def _fraction(value: Json) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return Fraction(str(value))  # by its decimal text: 0.01 is a hundredth


def _bound(
    schema: Mapping[str, Json],
    keywords: tuple[str, str],
    tightest: Callable[[Iterable[Fraction]], Fraction],
) -> Fraction | None:
    bounds = [_fraction(schema.get(word)) for word in keywords]
    known = [bound for bound in bounds if bound is not None]
    return tightest(known) if known else None


def _is_within(value: Fraction, schema: Mapping[str, Json]) -> bool:
    least, above = _fraction(schema.get("minimum")), _fraction(schema.get("exclusiveMinimum"))
    most, below = _fraction(schema.get("maximum")), _fraction(schema.get("exclusiveMaximum"))
    return (
        (least is None or value >= least)
        and (above is None or value > above)
        and (most is None or value <= most)
        and (below is None or value < below)
    )


def _steps(
    wanted: Fraction, low: Fraction | None, high: Fraction | None, step: Fraction, turn: int
) -> Iterator[Fraction]:
    """Multiples of the step: near what is wanted, then from each bound inwards."""
    yield step * (math.ceil(wanted / step) + turn)
    for number in (turn, 0, 1):
        if low is not None:
            yield step * (math.ceil(low / step) + number)
        if high is not None:
            yield step * (math.floor(high / step) - number)
    yield Fraction(0)


def _between(wanted: Fraction, low: Fraction | None, high: Fraction | None) -> Iterator[Fraction]:
    yield wanted
    if low is not None and high is not None:
        yield (low + high) / 2
    if low is not None:
        yield low + 1
        yield low
    if high is not None:
        yield high - 1
        yield high
