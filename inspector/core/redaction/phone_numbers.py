"""Finds telephone numbers where a sign tells that it is one: a plus or 00 before the country, a
``tel:`` address, or the grouping of a national number. Digits alone are no telephone number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.core.credentials.spans import TextSpan
from inspector.core.redaction.digit_runs import APART, LETTER, digit_runs

if TYPE_CHECKING:
    from phonenumbers import PhoneNumber

_REGIONS = (
    "GB",
    "DE",
    "FR",
    "CH",
    "AT",
    "NL",
    "BE",
    "SE",
    "FI",
    "AU",
    "JP",
    "CN",
    "IN",
    "ZA",
    "BR",
)
"""Plans by which a number with a trunk prefix is read: it does not say its own country."""
_BEFORE = rf"(?<!{LETTER})(?<!\+)(?<!\d[.,/-])(?<![\w][-])"
_AFTER = rf"(?!{LETTER})(?![-./,:]\d)"
# As in "+49 30 1234567", "0044 (0)20 7946-0958".
_INTERNATIONAL = re.compile(
    _BEFORE + rf"(?:\+|00){APART}?[1-9](?:{APART}{{0,2}}+\(?\d\)?){{6,14}}+(?!{LETTER})(?![.,:]\d)"
)
# As in "tel:+1-202-555-0147".
_TEL = re.compile(rf"(?<!\w)tel:(\+?\d(?:[-. ()]?\d){{4,14}})(?!{LETTER})")
# As in "(202) 555-0147", "1-202-555-0147".
_NORTH_AMERICA = re.compile(
    _BEFORE + r"(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])[2-9]\d{2}[-. ]\d{4}" + _AFTER
)
# As in "020 7946 0958", "(030) 123-456".
_TRUNK = re.compile(
    _BEFORE
    + r"(?:\(0\d{1,4}\)|0\d{1,4})[ /\-](?=\d[\d -]{5,11})\d{2,8}(?:[ -]\d{2,6}){0,4}"
    + _AFTER
)
# As in "01-02-2024", "07 11 26".
_DATE = re.compile(r"0\d[-/ ]\d{2}[-/ ](?:\d{2}){1,2}\Z")


def phone_number_ranges(text: str) -> Iterator[TextSpan]:
    for run in digit_runs(text):
        yield from _in_run(text, run)
    if "tel:" in text:
        for found in _TEL.finditer(text):
            yield TextSpan(*found.span(1))


def _in_run(text: str, run: TextSpan) -> Iterator[TextSpan]:
    for found in _INTERNATIONAL.finditer(text, *run):
        if _is_international(found[0]):
            yield TextSpan(*found.span())
    for found in _NORTH_AMERICA.finditer(text, *run):
        if _is_possible(_digits(found[0]), "US"):
            yield TextSpan(*found.span())
    for found in _TRUNK.finditer(text, *run):
        is_date = _DATE.match(found[0]) is not None
        if not is_date and any(_is_valid(_digits(found[0]), region) for region in _REGIONS):
            yield TextSpan(*found.span())


def _is_international(text: str) -> bool:
    """After a plus the length tells enough; two zeros may begin other numbers."""
    if not text.startswith("+"):
        return _is_valid("+" + _digits(text).removeprefix("00"), None)
    return _is_possible("+" + _digits(text), None)


def _is_possible(number: str, region: str | None) -> bool:
    # Imported where something looks like a number: most processes never see one.
    from phonenumbers import is_possible_number

    parsed = _parsed(number, region)
    return parsed is not None and is_possible_number(parsed)


def _is_valid(number: str, region: str | None) -> bool:
    from phonenumbers import is_valid_number

    parsed = _parsed(number, region)
    return parsed is not None and is_valid_number(parsed)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _parsed(number: str, region: str | None) -> PhoneNumber | None:
    from phonenumbers import NumberParseException, parse

    try:
        return parse(number, region)
    except NumberParseException:
        return None
