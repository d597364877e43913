"""Finds bank account numbers (IBAN, ISO 13616): a country of the registry, the length and structure
that it has there, and the check digits.
"""

import re
from collections.abc import Iterator
from functools import cache

from stdnum import iban, numdb

from inspector.core.credentials.spans import TextSpan
from inspector.core.redaction.digit_runs import APART

_REGISTRY = numdb.get("iban")
# As in "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432".
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9])[A-Za-z]{{2}}\d{{2}}(?:{APART}{{0,2}}+[A-Za-z0-9]){{11,30}}"
)
_APART = re.compile(APART)
_PARTS = re.compile(r"(\d+)!")
"""How long the parts of an account's number are, as the registry writes them: ``8!n10!n``."""
_BEFORE_ACCOUNT = 4
"""The country and its check digits."""


def iban_ranges(text: str) -> Iterator[TextSpan]:
    at = 0
    while found := _NUMBER.search(text, at):
        end = _end_of(found)
        if end is not None:
            yield TextSpan(found.start(), end)
        at = end or found.start() + 2


def _end_of(found: re.Match[str]) -> int | None:
    """Where the number ends that begins like one; None if none does."""
    length = _length(found[0][:2].upper())
    ends = [at for at, sign in enumerate(found[0]) if sign.isalnum()]
    if length is None or len(ends) < length:
        return None
    end = found.start() + ends[length - 1] + 1
    following = found.string[end : end + 1]
    if following.isascii() and following.isalnum():
        return None
    number = _APART.sub("", found.string[found.start() : end])
    # Which banks a country has changes more often than this is released.
    return end if iban.is_valid(number, check_country=False) else None


@cache
def _length(country: str) -> int | None:
    """Characters of a country's numbers."""
    for _, facts in _REGISTRY.info(country):
        if account := facts.get("bban"):
            return _BEFORE_ACCOUNT + sum(map(int, _PARTS.findall(account)))
    return None
