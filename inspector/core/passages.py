"""A JSON text that was changed: what of it is kept, what is put in and what is left out.

So that a page can show both at once, what came and what is proposed in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby

import msgspec

from inspector.core import json_text
from inspector.core.diff import Block, common_blocks

MAX_PASSAGES = 500
"""More changes than anybody looks at."""


class Change(StrEnum):
    KEPT = "kept"
    PUT_IN = "put-in"
    LEFT_OUT = "left-out"


class Passage(msgspec.Struct, frozen=True):
    change: Change
    text: str


class Proposal(msgspec.Struct, frozen=True):
    """Kept and left out passages are the text as it came, kept and put in ones its repair."""

    passages: tuple[Passage, ...]

    @property
    def text(self) -> str:
        return "".join(each.text for each in self.passages if each.change is not Change.LEFT_OUT)

    def length(self, change: Change) -> int:
        """Characters of one kind."""
        return sum(len(each.text) for each in self.passages if each.change is change)


Edits = list[Passage]


def proposal_of(edits: Edits, text: str) -> Proposal | None:
    """Only what is JSON, begins from what came, and can be looked at."""
    proposal = Proposal(tuple(_joined(edits)))
    if len(proposal.passages) > MAX_PASSAGES:
        return None
    if json_text.parse(proposal.text.encode(errors="replace")).fatal:
        return None
    came = "".join(each.text for each in edits if each.change is not Change.PUT_IN)
    return proposal if came == text else None


def _joined(edits: Edits) -> Iterator[Passage]:
    """Neighbours of one kind as one passage."""
    said = [edit for edit in edits if edit.text]
    for change, group in groupby(said, key=lambda edit: edit.change):
        yield Passage(change, "".join(edit.text for edit in group))


def kept(text: str) -> Passage:
    return Passage(Change.KEPT, text)


def put_in(text: str) -> Passage:
    return Passage(Change.PUT_IN, text)


def left_out(text: str) -> Passage:
    return Passage(Change.LEFT_OUT, text)


_TOKENS = re.compile(
    r"""\s+|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|'[^'\\]*+(?:\\.[^'\\]*+)*+(?:'|\\?\Z)|[\w.+-]+|.""",
    re.DOTALL,
)


class _Token(msgspec.Struct, frozen=True):
    before: str
    """White space in front of it."""
    text: str
    means: str
    """Equal where two spellings are one value."""


def compared(text: str, changed: str) -> Edits:
    """The passages that lead from one text to the other, white space apart.

    Empty where too many differ.
    """
    old, new = _tokens(text), _tokens(changed)
    blocks = common_blocks(_means(old), _means(new))
    if blocks is None:
        return []
    edits: Edits = []
    at_old = at_new = 0
    for block in [*blocks, Block(len(old), len(new), 0)]:
        end = block.before + block.length
        edits += _replaced(old[at_old : block.before], new[at_new : block.after])
        edits += _spelt(old[block.before : end])
        at_old, at_new = end, block.after + block.length
    return edits


def _means(tokens: list[_Token]) -> list[str]:
    return [each.means for each in tokens]


def _spelt(tokens: list[_Token]) -> Edits:
    return [kept(each.before + each.text) for each in tokens]


def _shared(one: Sequence[object], other: Sequence[object]) -> int:
    """How much of their beginnings is equal."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _replaced(old: list[_Token], new: list[_Token]) -> Iterable[Passage]:
    if len(old) == len(new) == 1 and old[0].text[:1] == new[0].text[:1] == '"':
        before, after = old[0].text, new[0].text
        head = _shared(before, after)
        tail = _shared(before[head:][::-1], after[head:][::-1])
        yield kept(old[0].before + before[:head])
        yield left_out(before[head : len(before) - tail])
        yield put_in(after[head : len(after) - tail])
        yield kept(before[len(before) - tail :])
        return
    for position, each in enumerate(old):
        yield (left_out if position else kept)(each.before)
        yield left_out(each.text)
    yield from (put_in(each.text) for each in new)


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    before = ""
    for match in _TOKENS.finditer(text):
        if match[0].isspace():
            before = match[0]
        else:
            found.append(_Token(before, match[0], _meaning(match[0])))
            before = ""
    if before:
        found.append(_Token(before, "", ""))
    return found


def _meaning(token: str) -> str:
    """Strings by what they say, numbers by their value, all else as it is spelt."""
    if token[0] not in '"-0123456789':
        return f"spelt {token}"
    try:
        return f"value {json.loads(token, strict=True)!r}"
    except (ValueError, RecursionError):
        return f"spelt {token}"
