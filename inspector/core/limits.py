"""How much one reading makes of what was sent; what is beyond is counted and stays in the bytes.

Every limit is far above what any provider is known to send and far below what fills the memory. A
megabyte of ``{},`` is 333,000 choices, calls or tokens: taken apart they took up to 560 MiB and
nine seconds, the first so many of them take under 40 MiB.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from itertools import islice

from inspector.core.completion import Json

MAX_CHOICES = 10_000
MAX_TOOL_CALLS = 10_000
"""Of all choices together."""
MAX_CONTENT_PARTS = 100_000
"""A stream may send one with each chunk. The texts of those beyond are part of the content."""
MAX_UNKNOWN_FIELDS = 10_000
"""At all levels together, usage included."""
MAX_TOKENS = 100_000
"""With logprobs, of all choices together."""
MAX_ALTERNATIVES = 100
"""Of one token; 000 allows to ask for 20."""
MAX_FINDINGS_OF_RULE = 1_000
MAX_FINDINGS = 10_000
MAX_MESSAGE_CHARACTERS = 1_000
"""Of the sentence of a finding."""
MAX_SUBJECTS = 10_000
"""Things that one oddity is noted of, each with its first place; the others are counted."""


class Capped(StrEnum):
    """What a reading makes only so many of."""

    CHOICES = "choices"
    TOOL_CALLS = "tool calls"
    CONTENT_PARTS = "content parts"
    UNKNOWN_FIELDS = "unknown fields"
    TOKENS = "tokens with logprobs"
    ALTERNATIVES = "alternatives of a token"
    FINDINGS = "findings of a rule"


LIMITS: Mapping[Capped, int] = {
    Capped.CHOICES: MAX_CHOICES,
    Capped.TOOL_CALLS: MAX_TOOL_CALLS,
    Capped.CONTENT_PARTS: MAX_CONTENT_PARTS,
    Capped.UNKNOWN_FIELDS: MAX_UNKNOWN_FIELDS,
    Capped.TOKENS: MAX_TOKENS,
    Capped.ALTERNATIVES: MAX_ALTERNATIVES,
    Capped.FINDINGS: MAX_FINDINGS_OF_RULE,
}


class Allowance:
    """What one reading may still make, and how much came beyond it."""

    def __init__(self) -> None:
        self._room = dict(LIMITS)
        self.left_out: dict[Capped, int] = {}

    def copy(self) -> Allowance:
        other = Allowance()
        other._room, other.left_out = dict(self._room), dict(self.left_out)
        return other

    def room(self, kind: Capped) -> int:
        return self._room[kind]

    def admits(self, kind: Capped) -> bool:
        """Take one; False, and counted, where there are as many as may be."""
        if self._room[kind]:
            self._room[kind] -= 1
            return True
        self.leave_out(kind, 1)
        return False

    def take(self, kind: Capped, wanted: int) -> int:
        """How many of those that are wanted may be made; the others are counted."""
        given = min(wanted, self._room[kind])
        self._room[kind] -= given
        self.leave_out(kind, wanted - given)
        return given

    def first(self, kind: Capped, wanted: Mapping[str, Json]) -> dict[str, Json]:
        """As many of these as may be made, in their order."""
        given = self.take(kind, len(wanted))
        return dict(wanted) if given == len(wanted) else dict(islice(wanted.items(), given))

    def leave_out(self, kind: Capped, number: int) -> None:
        if number:
            self.left_out[kind] = self.left_out.get(kind, 0) + number
