"""Limits on how much one reading extracts. Items beyond are counted and stay in the evidence.

Every limit is far above what any provider is known to send. They bound memory: a megabyte of
``{},`` is 333,000 choices, calls or tokens, which took up to 560 MiB and nine seconds without
limits and takes under 40 MiB with them.

They count things, not seconds or memory, so that the result is the same on every machine and for
every cutting into reads. Reaching one is no fault of the response and changes no verdict: one
finding, ``reading.capped``, tells it. The format is recognised by all names that were sent, so that
unknown fields in front cannot hide it. No setting: nobody has needed other numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from itertools import islice

from inspector.core.json import Json

MAX_CHOICES = 10_000
"""OpenAI's `n` goes to 128."""
MAX_TOOL_CALLS = 10_000
"""In all choices together."""
MAX_CONTENT_PARTS = 100_000
"""A stream may send one with each chunk. The texts of parts beyond still count as content."""
MAX_UNKNOWN_FIELDS = 10_000
"""At all levels together, usage included."""
MAX_TOKENS = 100_000
"""Tokens with logprobs, in all choices together."""
MAX_ALTERNATIVES = 100
"""Per token; OpenAI and WorkflowAI allow up to 20 in a request."""
MAX_SOURCES = 1_000
"""Sources of one choice as annotations: each passage may name every source."""
MAX_FINDINGS_OF_RULE = 1_000
"""Each choice or call may have one of each rule."""
MAX_FINDINGS = 10_000
"""Findings of all rules together."""
MAX_MESSAGE_CHARACTERS = 1_000
"""Characters of a finding, which quotes words of the sender."""
MAX_EXPLAINED = 1_000
"""Broken events of a stream whose JSON is looked into for the reason; further ones are counted."""
MAX_SUBJECTS = 10_000
"""Subjects of one anomaly that are kept with their first place; further ones are only counted."""


class LimitedItem(StrEnum):
    """The kinds of items that are limited."""

    CHOICES = "choices"
    TOOL_CALLS = "tool calls"
    CONTENT_PARTS = "content parts"
    UNKNOWN_FIELDS = "unknown fields"
    TOKENS = "tokens with logprobs"
    ALTERNATIVES = "alternatives of a token"
    FINDINGS = "findings of a rule"


LIMITS: Mapping[LimitedItem, int] = {
    LimitedItem.CHOICES: MAX_CHOICES,
    LimitedItem.TOOL_CALLS: MAX_TOOL_CALLS,
    LimitedItem.CONTENT_PARTS: MAX_CONTENT_PARTS,
    LimitedItem.UNKNOWN_FIELDS: MAX_UNKNOWN_FIELDS,
    LimitedItem.TOKENS: MAX_TOKENS,
    LimitedItem.ALTERNATIVES: MAX_ALTERNATIVES,
    LimitedItem.FINDINGS: MAX_FINDINGS_OF_RULE,
}


class Allowance:
    """Counts what one reading may still extract, and how much came beyond that."""

    def __init__(
        self, room: Mapping[LimitedItem, int] = LIMITS, left_out: Mapping[LimitedItem, int] = {}
    ) -> None:
        self._room, self.left_out = dict(room), dict(left_out)

    def copy(self) -> Allowance:
        return Allowance(self._room, self.left_out)

    def room(self, kind: LimitedItem) -> int:
        return self._room[kind]

    def admits(self, kind: LimitedItem) -> bool:
        """Take one item. Return False, and count it as left out, if the limit is reached."""
        if self._room[kind]:
            self._room[kind] -= 1
            return True
        self.leave_out(kind, 1)
        return False

    def take(self, kind: LimitedItem, wanted: int) -> int:
        """Return how many wanted items are within the limit; the others count as left out."""
        given = min(wanted, self._room[kind])
        self._room[kind] -= given
        self.leave_out(kind, wanted - given)
        return given

    def first(self, kind: LimitedItem, wanted: Mapping[str, Json]) -> dict[str, Json]:
        """Return the first items that are within the limit, in their order."""
        given = self.take(kind, len(wanted)) if wanted else 0
        return dict(wanted) if given == len(wanted) else dict(islice(wanted.items(), given))

    def leave_out(self, kind: LimitedItem, number: int) -> None:
        if number:
            self.left_out[kind] = self.left_out.get(kind, 0) + number
