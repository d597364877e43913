"""What must hold between the counts of a usage object, written out as lines with both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import UNSET

from inspector.core.counting import WORDS, Basis, Counting, Counts
from inspector.core.dialects.vendor import Vendor
from inspector.core.usage import PLACES


class LineOutcome(StrEnum):
    """Whether a line holds."""

    HELD = "held"
    BROKEN = "broken"
    UNDECIDABLE = "undecidable"


class Silence(StrEnum):
    """Why a count has no number."""

    ABSENT = "not sent"
    NULL = "sent as null"
    ODD = "sent as something that is no count"


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """``9 prompt + 12 completion = 21 total``; a side that was not sent has no value."""

    name: str
    left_text: str
    left: int | None
    relation: str
    right_text: str
    right: int | None
    outcome: LineOutcome
    why: str
    """What is wrong, what is missing, or by which reading it holds."""
    whole: str
    """The name of the count on the right."""
    is_promised: bool = True
    """By the documents or by the vendor; otherwise it is only expected."""

    @property
    def sentence(self) -> str:
        return f"{self.left_text} {self.relation} {self.right_text}"


class When(StrEnum):
    """Where a line is worth writing."""

    ALWAYS = "always"
    ANY = "any"
    """One of the parts was sent."""
    ALL = "all"
    """All of the parts were sent."""
    SOME = "some"
    """A part is more than 0."""


class Invariant(msgspec.Struct, frozen=True):
    name: str
    parts: tuple[str, ...]
    relation: str
    whole: str
    when: When = When.ALWAYS
    is_documented: bool = True


TOTAL = "total"
TOTAL_RULE = "usage.total-mismatch"
"""The rule about that line, by which vendors name their reason for breaking it."""
INVARIANTS = (
    # 000, 001, 002 and 004 define the total and what is a part of what.
    Invariant(TOTAL, ("prompt_tokens", "completion_tokens"), "=", "total_tokens"),
    Invariant("cached", ("cached_tokens",), "≤", "prompt_tokens"),
    Invariant("reasoning", ("reasoning_tokens",), "≤", "completion_tokens"),
    Invariant("prompt-audio", ("prompt_audio_tokens",), "≤", "prompt_tokens"),
    Invariant("completion-audio", ("completion_audio_tokens",), "≤", "completion_tokens"),
    Invariant(
        "prediction",
        ("accepted_prediction_tokens", "rejected_prediction_tokens"),
        "≤",
        "completion_tokens",
    ),
    # What vendors add.
    Invariant("cache-write", ("cache_write_tokens",), "≤", "prompt_tokens", When.SOME),
    Invariant(
        "cache-hit-and-miss",
        ("prompt_cache_hit_tokens", "prompt_cache_miss_tokens"),
        "=",
        "prompt_tokens",
        When.ANY,
        is_documented=False,
    ),
    Invariant("prompt-text", ("prompt_text_tokens",), "≤", "prompt_tokens", When.SOME),
    Invariant("prompt-image", ("prompt_image_tokens",), "≤", "prompt_tokens", When.SOME),
    Invariant(
        "prompt-kinds",
        ("prompt_text_tokens", "prompt_audio_tokens", "prompt_image_tokens"),
        "=",
        "prompt_tokens",
        When.ALL,
        is_documented=False,
    ),
    Invariant("completion-text", ("completion_text_tokens",), "≤", "completion_tokens", When.SOME),
    Invariant(
        "completion-image",
        ("completion_image_tokens",),
        "≤",
        "completion_tokens",
        When.SOME,
    ),
)  # fmt: skip


def lines_of(
    counts: Counts,
    countings: Sequence[Counting],
    silent: Mapping[str, Silence],
    vendor: Vendor | None,
) -> Iterator[Line]:
    """Every invariant that can be spoken of. ``silent``: why a count has no number, by name."""
    beside = {each.part for each in countings if each.is_beside}
    for invariant in INVARIANTS:
        parts = tuple(part for part in invariant.parts if part not in beside)
        if not parts or not _is_worth(invariant.when, counts, invariant.parts):
            continue
        if invariant.name == TOTAL:
            parts += tuple(each.part for each in countings if each.is_beside and each.fills_total)
        yield _line(invariant, parts, counts, countings, silent, vendor)


def _is_worth(when: When, counts: Counts, parts: tuple[str, ...]) -> bool:
    if when is When.ALWAYS:
        return True
    if when is When.SOME:
        return any(counts[part] for part in parts)
    sent = [counts[part] is not UNSET for part in parts]
    return any(sent) if when is When.ANY else all(sent)


def _line(
    invariant: Invariant,
    parts: tuple[str, ...],
    counts: Counts,
    countings: Sequence[Counting],
    silent: Mapping[str, Silence],
    vendor: Vendor | None,
) -> Line:
    whole = counts[invariant.whole]
    right = whole if isinstance(whole, int) else None
    found = [count for count in (counts[part] for part in parts) if isinstance(count, int)]
    left = sum(found) if len(found) == len(parts) else None
    outcome, why = _outcome(left, sum(found), invariant.relation, right), ""
    read = _reading(invariant, countings)
    if outcome is LineOutcome.BROKEN:
        why = _wrong(invariant, sum(found) - (right or 0), countings, vendor)
    elif outcome is LineOutcome.UNDECIDABLE:
        why = _said_of({name: silent[name] for name in (*parts, invariant.whole) if name in silent})
    elif read is not None:
        why = read.why
        outcome = LineOutcome.UNDECIDABLE if read.basis is Basis.NUMBERS else outcome
    is_vendors = vendor is not None and invariant.name in vendor.promises
    return Line(
        name=invariant.name,
        left_text=" + ".join(_term(part, counts) for part in parts),
        left=left,
        relation=invariant.relation,
        right_text=_term(invariant.whole, counts),
        right=right,
        outcome=outcome,
        why=why,
        whole=invariant.whole,
        is_promised=invariant.is_documented or is_vendors,
    )


def _said_of(silent: Mapping[str, Silence]) -> str:
    """``a and b were not sent; c was sent as null``, by the last part of their names."""
    said = []
    for silence in Silence:
        names = [PLACES[name][0][-1] for name, why in silent.items() if why is silence]
        if names:
            said.append(f"{' and '.join(names)} {'was' if len(names) == 1 else 'were'} {silence}")
    return "; ".join(said)


def _outcome(left: int | None, at_least: int, relation: str, right: int | None) -> LineOutcome:
    """Parts that were sent can break a line by themselves; to hold, it needs them all."""
    if right is not None and relation == "≤" and at_least > right:
        return LineOutcome.BROKEN
    if left is None or right is None:
        return LineOutcome.UNDECIDABLE
    holds = left == right if relation == "=" else left <= right
    return LineOutcome.HELD if holds else LineOutcome.BROKEN


def _reading(invariant: Invariant, countings: Sequence[Counting]) -> Counting | None:
    """The reading that a line depends on, where it is not the plain one."""
    is_total = invariant.name == TOTAL
    for each in countings:
        if each.is_beside if is_total else invariant.parts == (each.part,):
            return None if each.basis is Basis.PLAIN else each
    return None


def _wrong(
    invariant: Invariant, over: int, countings: Sequence[Counting], vendor: Vendor | None
) -> str:
    said = [f"{abs(over):,} {'more' if over > 0 else 'less'} than {WORDS[invariant.whole]}"]
    if invariant.name == TOTAL:
        said += [each.why for each in countings if each.basis is Basis.DOUBTED]
        if vendor is not None and (known := vendor.breaks.get(TOTAL_RULE)):
            said.append(f"known of {vendor.title}: {known}")
    return "; ".join(said)


def _term(name: str, counts: Counts) -> str:
    count = counts[name]
    return f"{count:,} {WORDS[name]}" if isinstance(count, int) else WORDS[name]
