"""Counts requests for the same answer with the same options, for faults of the first few."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

MAX_KEYS = 10_000


class RequestNumbers:
    """Numbers from 0 by key; beyond ``MAX_KEYS`` the key that was longest not asked for begins
    anew.
    """

    def __init__(self) -> None:
        self._next: OrderedDict[Hashable, int] = OrderedDict()

    def next(self, key: Hashable) -> int:
        number = self._next.pop(key, 0)
        self._next[key] = number + 1
        if len(self._next) > MAX_KEYS:
            self._next.popitem(last=False)
        return number
