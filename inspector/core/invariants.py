"""What must hold between the counts of a usage object, written out as lines with both sides."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
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
    words: str
    """``prompt + completion = total``."""
    numbers: str
    """``9 + 12 = 21``, by the relation that is true of them; a dash for what was not sent."""
    unsent: str = ""
    """What it is about, where nothing of its left side was sent: there is nothing to check."""
    is_promised: bool = True
    """By the documents or by the vendor, who is not known to break it; else it is only expected."""

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


KINDS = frozenset({"text", "image", "audio"})
"""Words for a part of the prompt and for one of the completion alike."""
FALSE = {"=": "≠", "≤": ">"}
"""What holds in place of a relation that does not."""
NO_COUNT = "not sent as a count"
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


class _Judged(msgspec.Struct, frozen=True):
    """An invariant held against the counts that were sent."""

    invariant: Invariant
    parts: tuple[str, ...]
    """What is added up on the left, by the reading that holds."""
    at_least: int
    """The sum of those that were sent."""
    left: int | None
    right: int | None
    outcome: LineOutcome


def lines_of(
    counts: Counts, countings: Sequence[Counting], odd: Collection[str], vendor: Vendor | None
) -> Iterator[Line]:
    """Every invariant that can be spoken of. ``odd``: counts sent as something that is none."""
    for judged in _judged(counts, countings):
        yield _line(judged, counts, countings, odd, vendor)


def broken_lines(
    counts: Counts, countings: Sequence[Counting], vendor: Vendor | None
) -> Iterator[Line]:
    for judged in _judged(counts, countings):
        if judged.outcome is LineOutcome.BROKEN:
            yield _line(judged, counts, countings, (), vendor)


def _judged(counts: Counts, countings: Sequence[Counting]) -> Iterator[_Judged]:
    beside = {each.part for each in countings if each.is_beside}
    for invariant in INVARIANTS:
        parts = invariant.parts
        if beside:
            parts = tuple(part for part in parts if part not in beside)
        if not parts or not _is_worth(invariant.when, counts, invariant.parts):
            continue
        if invariant.name == TOTAL and beside:
            parts += tuple(each.part for each in countings if each.is_beside and each.fills_total)
        found = [count for count in map(counts.__getitem__, parts) if isinstance(count, int)]
        whole, at_least = counts[invariant.whole], sum(found)
        right = whole if isinstance(whole, int) else None
        left = at_least if len(found) == len(parts) else None
        outcome = _outcome(left, at_least, invariant.relation, right)
        yield _Judged(invariant, parts, at_least, left, right, outcome)


def _is_worth(when: When, counts: Counts, parts: tuple[str, ...]) -> bool:
    if when is When.ALWAYS:
        return True
    if when is When.SOME:
        return any(counts[part] for part in parts)
    sent = [counts[part] is not UNSET for part in parts]
    return any(sent) if when is When.ANY else all(sent)


def _line(
    judged: _Judged,
    counts: Counts,
    countings: Sequence[Counting],
    odd: Collection[str],
    vendor: Vendor | None,
) -> Line:
    invariant, outcome, why = judged.invariant, judged.outcome, ""
    read = _reading(invariant, countings)
    if outcome is LineOutcome.BROKEN:
        why = _wrong(invariant, judged.at_least - (judged.right or 0), countings, vendor)
    elif outcome is LineOutcome.UNDECIDABLE:
        why = _silence((*judged.parts, invariant.whole), counts, odd)
    elif read is not None:
        why = read.why
        outcome = LineOutcome.UNDECIDABLE if read.basis is Basis.NUMBERS else outcome
    return Line(
        name=invariant.name,
        left_text=" + ".join(_term(part, counts) for part in judged.parts),
        left=judged.left,
        relation=invariant.relation,
        right_text=_term(invariant.whole, counts),
        right=judged.right,
        outcome=outcome,
        why=why,
        whole=invariant.whole,
        words=_words(judged),
        numbers=_numbers(judged, counts),
        unsent=_unsent(judged, counts, odd),
        is_promised=_is_promised(invariant, vendor),
    )


def _is_promised(invariant: Invariant, vendor: Vendor | None) -> bool:
    if vendor is None:
        return invariant.is_documented
    if invariant.name == TOTAL and TOTAL_RULE in vendor.breaks:
        return False
    return invariant.is_documented or invariant.name in vendor.promises


def _silence(names: tuple[str, ...], counts: Counts, odd: Collection[str]) -> str:
    """``a and b were not sent; c was sent as null``, by the last part of their names."""
    groups: dict[str, list[str]] = {"not sent": [], "sent as null": [], NO_COUNT: []}
    for name in names:
        if not isinstance(counts[name], int):
            absent = NO_COUNT if name in odd else "not sent"
            groups["sent as null" if counts[name] is None else absent].append(PLACES[name][0][-1])
    said = (
        f"{' and '.join(group)} {'was' if len(group) == 1 else 'were'} {silence}"
        for silence, group in groups.items()
        if group
    )
    return "; ".join(said)


def _words(judged: _Judged) -> str:
    invariant = judged.invariant
    parts = " + ".join(WORDS[part] for part in judged.parts)
    return f"{parts} {invariant.relation} {WORDS[invariant.whole]}"


def _numbers(judged: _Judged, counts: Counts) -> str:
    invariant, is_broken = judged.invariant, judged.outcome is LineOutcome.BROKEN
    relation = FALSE[invariant.relation] if is_broken else invariant.relation
    numbers = [
        f"{count:,}" if isinstance(count, int) else "–"
        for count in map(counts.__getitem__, (*judged.parts, invariant.whole))
    ]
    return f"{' + '.join(numbers[:-1])} {relation} {numbers[-1]}"


def _unsent(judged: _Judged, counts: Counts, odd: Collection[str]) -> str:
    """``cached``, ``prompt audio`` or ``accepted and rejected prediction``."""
    if any(counts[part] is not UNSET or part in odd for part in judged.parts):
        return ""
    words = [WORDS[part] for part in judged.parts]
    *heads, last = (f"{WORDS[judged.invariant.whole]} {word}" if word in KINDS else word
                    for word in words)  # fmt: skip
    shared = f" {last.split()[-1]}"
    return " and ".join((*(head.removesuffix(shared) for head in heads), last))


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
            said.append(f"known for {vendor.title}: {known}")
    return "; ".join(said)


def _term(name: str, counts: Counts) -> str:
    count = counts[name]
    return f"{count:,} {WORDS[name]}" if isinstance(count, int) else WORDS[name]
