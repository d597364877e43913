"""Finds telephone numbers where a sign tells that it is one: a plus or 00 before the country, a
``tel:`` address, or the grouping of a national number. Digits alone are no telephone number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.redaction.digit_runs import digit_runs
from inspector.core.redaction.text_range import LETTER, TextRange

MOST_DIGITS = 15
"""E.164."""

_APART = r"(?:[ \u00a0.\-/]|\u2011)"
_BEFORE = rf"(?<!{LETTER})(?<!\+)(?<!\d[.,/-])(?<![\w][-])"
_AFTER = rf"(?!{LETTER})(?![-./,:]\d)"
_INTERNATIONAL = re.compile(
    _BEFORE + rf"(?:\+|00)[1-9](?:{_APART}?\(?\d\)?){{6,14}}" + rf"(?!{LETTER})(?![.,:]\d)"
)
_TEL = re.compile(rf"(?<!\w)tel:(\+?\d(?:[-. ()]?\d){{4,14}})(?!{LETTER})")
_NORTH_AMERICA = re.compile(
    _BEFORE
    + r"(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}(?P<sign>[-. ])|[2-9]\d{2}\u2011)"
    + r"[2-9]\d{2}[-. \u2011]\d{4}"
    + _AFTER
)
_TRUNK = re.compile(
    _BEFORE
    + r"(?:\(0\d{1,4}\)|0\d{1,4})(?:[ /-]|\u00a0)(?=\d[\d -]{5,11})\d{2,8}(?:[ -]\d{2,6}){0,4}"
    + _AFTER
)
_DATE = re.compile(r"0\d[-/ ]\d{2}[-/ ](?:\d{2}){1,2}\Z")


def phone_number_ranges(text: str) -> Iterator[TextRange]:
    for run in digit_runs(text):
        yield from _in_run(text, run)
    if "tel:" in text:
        for found in _TEL.finditer(text):
            yield TextRange(*found.span(1))


def _in_run(text: str, run: TextRange) -> Iterator[TextRange]:
    for found in _INTERNATIONAL.finditer(text, *run):
        if 8 <= _digits(found[0].removeprefix("00")) <= MOST_DIGITS:
            yield TextRange(*found.span())
    for found in _NORTH_AMERICA.finditer(text, *run):
        yield TextRange(*found.span())
    for found in _TRUNK.finditer(text, *run):
        if 9 <= _digits(found[0]) <= 12 and not _DATE.match(found[0]):
            yield TextRange(*found.span())


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))
