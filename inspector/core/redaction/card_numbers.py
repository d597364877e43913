"""Finds numbers of payment cards by their network's prefix and length, and the check digit (ISO/IEC
7812-1, Luhn); alone or in the groups that are printed on cards.
"""

import re
from collections.abc import Iterator

from stdnum import luhn

from inspector.core.credentials.spans import TextSpan
from inspector.core.redaction.digit_runs import APART, LETTER, digit_runs

_BEFORE = rf"(?<!{LETTER})(?<!\.)(?<![\w.][-+])"
_AFTER = rf"(?![-.]?{LETTER})"
_SIGN = rf"{APART}{{1,3}}"
# As in "4111 1111 1111 1111", "3782-822463-10005", "5555555555554444".
_NUMBER = re.compile(
    _BEFORE
    + rf"(?:[2-6]\d{{3}}{_SIGN}\d{{4}}{_SIGN}\d{{4}}{_SIGN}\d{{1,4}}(?:{_SIGN}\d{{3}})?"
    + rf"|3\d{{3}}{_SIGN}\d{{6}}{_SIGN}\d{{4,5}}|[2-6]\d{{12,18}})"
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


def card_number_ranges(text: str) -> Iterator[TextSpan]:
    for run in digit_runs(text):
        for found in _NUMBER.finditer(text, *run):
            digits = re.sub(r"\D", "", found[0])
            if _is_issued(digits) and luhn.is_valid(digits):
                yield TextSpan(*found.span())


def _is_issued(digits: str) -> bool:
    first = int(digits[:4])
    return any(first in prefixes and len(digits) in lengths for prefixes, lengths in _NETWORKS)
