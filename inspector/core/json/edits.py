"""The edits that turn one JSON text into another: passages kept, inserted and removed.

A page can show both the original and the proposed text from them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby

import msgspec

from inspector.core.json import parser
from inspector.core.text.text_diff import CommonBlock, common_blocks

MAX_PASSAGES = 500
"""Limit on the passages of a proposal; nobody reads more."""


class EditKind(StrEnum):
    KEPT = "kept"
    PUT_IN = "put-in"
    LEFT_OUT = "left-out"


class EditPassage(msgspec.Struct, frozen=True):
    change: EditKind
    text: str


class EditProposal(msgspec.Struct, frozen=True):
    """Kept and left-out passages are the original text, kept and put-in ones the proposed text."""

    passages: tuple[EditPassage, ...]

    @property
    def text(self) -> str:
        return "".join(each.text for each in self.passages if each.change is not EditKind.LEFT_OUT)

    def length(self, change: EditKind) -> int:
        """Return the number of characters in passages of one kind."""
        return sum(len(each.text) for each in self.passages if each.change is change)


Edits = list[EditPassage]


def proposal_of(edits: Edits, text: str) -> EditProposal | None:
    """Return a proposal if its edits apply to ``text``, are not too many, and make it JSON."""
    proposal = EditProposal(tuple(_joined(edits)))
    if len(proposal.passages) > MAX_PASSAGES:
        return None
    if parser.parse_json(proposal.text.encode(errors="replace")).fatal:
        return None
    came = "".join(each.text for each in edits if each.change is not EditKind.PUT_IN)
    return proposal if came == text else None


def _joined(edits: Edits) -> Iterator[EditPassage]:
    """Merge adjacent passages of one kind."""
    filled = [edit for edit in edits if edit.text]
    for change, group in groupby(filled, key=lambda edit: edit.change):
        yield EditPassage(change, "".join(edit.text for edit in group))


def kept_passage(text: str) -> EditPassage:
    return EditPassage(EditKind.KEPT, text)


def inserted_passage(text: str) -> EditPassage:
    return EditPassage(EditKind.PUT_IN, text)


def omitted_passage(text: str) -> EditPassage:
    return EditPassage(EditKind.LEFT_OUT, text)


# As in '"id"', "'id'", "-1.5e3" and "{": words that people see as one.
_TOKENS = re.compile(
    r"""\s+|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|'[^'\\]*+(?:\\.[^'\\]*+)*+(?:'|\\?\Z)|[\w.+-]+|.""",
    re.DOTALL,
)


class _EditToken(msgspec.Struct, frozen=True):
    before: str
    """White space in front of the token."""
    text: str
    means: str
    """Normalised value: equal for two spellings of one value."""


def edits_between(text: str, changed: str) -> Edits:
    """Return the edits between texts but for white space; none if too many tokens differ."""
    old, new = _tokens(text), _tokens(changed)
    blocks = common_blocks(_normalised(old), _normalised(new))
    if blocks is None:
        return []
    edits: Edits = []
    at_old = at_new = 0
    for block in [*blocks, CommonBlock(len(old), len(new), 0)]:
        end = block.before + block.length
        edits += _replaced(old[at_old : block.before], new[at_new : block.after])
        edits += [kept_passage(each.before + each.text) for each in old[block.before : end]]
        at_old, at_new = end, block.after + block.length
    return edits


def _normalised(tokens: list[_EditToken]) -> list[str]:
    return [each.means for each in tokens]


def _shared(one: Sequence[object], other: Sequence[object]) -> int:
    """Length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _replaced(old: list[_EditToken], new: list[_EditToken]) -> Iterable[EditPassage]:
    if len(old) == len(new) == 1 and old[0].text[:1] == new[0].text[:1] == '"':
        before, after = old[0].text, new[0].text
        head = _shared(before, after)
        tail = _shared(before[head:][::-1], after[head:][::-1])
        yield kept_passage(old[0].before + before[:head])
        yield omitted_passage(before[head : len(before) - tail])
        yield inserted_passage(after[head : len(after) - tail])
        yield kept_passage(before[len(before) - tail :])
        return
    for position, each in enumerate(old):
        yield (omitted_passage if position else kept_passage)(each.before)
        yield omitted_passage(each.text)
    yield from (inserted_passage(each.text) for each in new)


def _tokens(text: str) -> list[_EditToken]:
    found: list[_EditToken] = []
    before = ""
    for match in _TOKENS.finditer(text):
        if match[0].isspace():
            before = match[0]
        else:
            found.append(_EditToken(before, match[0], _token_value(match[0])))
            before = ""
    if before:
        found.append(_EditToken(before, "", ""))
    return found


def _token_value(token: str) -> str:
    """Normalise strings and numbers to their value; other tokens stay as they are spelt."""
    if token[0] not in '"-0123456789':
        return f"spelt {token}"
    try:
        return f"value {json.loads(token, strict=True)!r}"
    except (ValueError, RecursionError):
        return f"spelt {token}"
