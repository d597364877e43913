"""Finds numbers of payment cards by their network's prefix and length, and the check digit (ISO/IEC
7812-1, Luhn); alone or in the groups that are printed on cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.redaction.digit_runs import digit_runs
from inspector.core.redaction.text_range import LETTER, TextRange

_BEFORE = rf"(?<!{LETTER})(?<!\.)(?<![\w.][-+])"
_AFTER = rf"(?![-.]?{LETTER})"
_NUMBER = re.compile(
    _BEFORE
    + r"(?:[2-6]\d{3}(?P<sign>[ -])\d{4}(?P=sign)\d{4}(?P=sign)\d{1,4}(?:(?P=sign)\d{3})?"
    + r"|3\d{3}(?P<other>[ -])\d{6}(?P=other)\d{4,5}|[2-6]\d{12,18})"
    + _AFTER
)
_SIXTEEN = frozenset({16})
_NETWORKS: tuple[tuple[range, frozenset[int]], ...] = (
    (range(4000, 5000), frozenset({13, 16, 19})),
    (range(5100, 5600), _SIXTEEN),
    (range(2221, 2721), _SIXTEEN),
    (range(2200, 2205), frozenset({16, 17, 18, 19})),
    (range(3400, 3500), frozenset({15})),
    (range(3700, 3800), frozenset({15})),
    (range(3000, 3060), frozenset({14, 16})),
    (range(3600, 3700), frozenset({14, 16})),
    (range(3800, 4000), frozenset({14, 16})),
    (range(3528, 3590), frozenset({16, 17, 18, 19})),
    (range(6011, 6012), frozenset({16, 19})),
    (range(6440, 6600), frozenset({16, 19})),
    (range(6200, 6300), frozenset({16, 17, 18, 19})),
    (range(5000, 5100), frozenset(range(13, 20))),
    (range(5600, 5900), frozenset(range(13, 20))),
    (range(6300, 6400), frozenset(range(13, 20))),
    (range(6700, 6800), frozenset(range(13, 20))),
)
"""First four digits and lengths: Visa, Mastercard, Mir, American Express, Diners Club, JCB,
Discover, UnionPay, Maestro.
"""


def card_number_ranges(text: str) -> Iterator[TextRange]:
    for run in digit_runs(text):
        for found in _NUMBER.finditer(text, *run):
            digits = re.sub(r"\D", "", found[0])
            if _is_issued(digits) and is_luhn(digits):
                yield TextRange(*found.span())


def is_luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def _is_issued(digits: str) -> bool:
    first = int(digits[:4])
    return any(first in prefixes and len(digits) in lengths for prefixes, lengths in _NETWORKS)
