"""Equations that must hold between the counts of a usage object."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache

import msgspec
from msgspec import UNSET

from inspector.core.formats.usage_table import CHAT_USAGE, UsageTable
from inspector.core.tokens.inclusion import COUNT_NAMES, InclusionBasis, TokenCounts, TokenInclusion
from inspector.core.vendors.vendor import Vendor


class LedgerLineOutcome(StrEnum):
    """Whether an equation holds."""

    HELD = "held"
    BROKEN = "broken"
    UNDECIDABLE = "undecidable"


class LedgerLine(msgspec.Struct, frozen=True, kw_only=True):
    """A checked equation: ``9 prompt + 12 completion = 21 total``; None for a side not sent."""

    name: str
    left_text: str
    left: int | None
    relation: str
    right_text: str
    right: int | None
    outcome: LedgerLineOutcome
    why: str
    """Reason: what is wrong, what is missing, or under which assumption it holds."""
    whole: str
    """Name of the count on the right."""
    counts: tuple[str, ...]
    """Names of all counts, in their order."""
    words: str
    """``prompt + completion = total``."""
    numbers: str
    """``9 + 12 = 21``, with the relation that is true; a dash for a count that was not sent."""
    unsent: str = ""
    """Subject of the equation if nothing of its left side was sent, "" otherwise."""
    is_promised: bool = True
    """The documents or the vendor promise it, and the vendor is not known to break it."""

    @property
    def sentence(self) -> str:
        return f"{self.left_text} {self.relation} {self.right_text}"


class InvariantScope(StrEnum):
    """When an equation is reported."""

    ALWAYS = "always"
    ANY = "any"
    """If one of the parts was sent."""
    ALL = "all"
    """If all of the parts were sent."""
    SOME = "some"
    """If a part is more than 0."""


class Invariant(msgspec.Struct, frozen=True):
    name: str
    parts: tuple[str, ...]
    relation: str
    whole: str
    when: InvariantScope = InvariantScope.ALWAYS
    is_documented: bool = True


KINDS = frozenset({"text", "image", "audio", "video"})
"""Words that name a part of the prompt and also one of the completion."""
NEGATED_RELATIONS = {"=": "≠", "≤": ">"}
"""The relation that holds if another does not."""
NOT_A_COUNT = "not sent as a count"
TOTAL = "total"
TOTAL_RULE = "usage.total-mismatch"
"""Code of the rule about the total; vendors that break the equation give their reason under it."""
INVARIANTS = (
    # The total and the parts of each count: WorkflowAI's reference, OpenAI's chat-completions and
    # completions references, the reasoning reference.
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
    # Counts that vendors add.
    Invariant("cache-write", ("cache_write_tokens",), "≤", "prompt_tokens", InvariantScope.SOME),
    Invariant(
        "cache-hit-and-miss",
        ("prompt_cache_hit_tokens", "prompt_cache_miss_tokens"),
        "=",
        "prompt_tokens",
        InvariantScope.ANY,
        is_documented=False,
    ),
    Invariant("prompt-text", ("prompt_text_tokens",), "≤", "prompt_tokens", InvariantScope.SOME),
    Invariant("prompt-image", ("prompt_image_tokens",), "≤", "prompt_tokens", InvariantScope.SOME),
    Invariant(
        "prompt-kinds",
        ("prompt_text_tokens", "prompt_audio_tokens", "prompt_image_tokens"),
        "=",
        "prompt_tokens",
        InvariantScope.ALL,
        is_documented=False,
    ),
    Invariant(
        "completion-text",
        ("completion_text_tokens",),
        "≤",
        "completion_tokens",
        InvariantScope.SOME,
    ),
    Invariant(
        "completion-image",
        ("completion_image_tokens",),
        "≤",
        "completion_tokens",
        InvariantScope.SOME,
    ),
    Invariant("prompt-video", ("prompt_video_tokens",), "≤", "prompt_tokens", InvariantScope.SOME),
    Invariant(
        "cached-media",
        ("cached_image_tokens", "cached_audio_tokens"),
        "≤",
        "cached_tokens",
        InvariantScope.SOME,
    ),
    Invariant(
        "completion-video",
        ("completion_video_tokens",),
        "≤",
        "completion_tokens",
        InvariantScope.SOME,
    ),
    Invariant(
        "cache-write-lifetimes",
        ("cache_write_5m_tokens", "cache_write_1h_tokens"),
        "=",
        "cache_write_tokens",
        InvariantScope.SOME,
    ),
)  # fmt: skip


class _CheckedInvariant(msgspec.Struct, frozen=True):
    """An invariant with the counts that were sent."""

    invariant: Invariant
    parts: tuple[str, ...]
    """Names of the summands on the left."""
    at_least: int
    """Sum of those summands that were sent."""
    left: int | None
    right: int | None
    outcome: LedgerLineOutcome


def ledger_lines(
    counts: TokenCounts,
    inclusions: Sequence[TokenInclusion],
    odd: Collection[str],
    vendor: Vendor | None,
    table: UsageTable = CHAT_USAGE,
) -> Iterator[LedgerLine]:
    """Check all invariants of the format's counts; ``odd`` names those that were sent as none."""
    for judged in _check_invariants(counts, inclusions, invariants_of(table)):
        yield _line(judged, counts, inclusions, odd, vendor, table)


def broken_ledger_lines(
    counts: TokenCounts,
    numbers: frozenset[str],
    inclusions: Sequence[TokenInclusion],
    vendor: Vendor | None,
    table: UsageTable = CHAT_USAGE,
) -> Iterator[LedgerLine]:
    """Yield the equations that do not hold. ``numbers``: names of counts that are numbers; without
    one on its left side no equation is broken.
    """
    for judged in _check_invariants(counts, inclusions, _invariants_among(table, numbers)):
        if judged.outcome is LedgerLineOutcome.BROKEN:
            yield _line(judged, counts, inclusions, (), vendor, table)


@cache
def invariants_of(table: UsageTable) -> tuple[Invariant, ...]:
    """Return the invariants between counts that the format has."""
    return tuple(each for each in INVARIANTS if table.counts.keys() >= {*each.parts, each.whole})


@lru_cache(maxsize=256)
def _invariants_among(table: UsageTable, numbers: frozenset[str]) -> tuple[Invariant, ...]:
    """Return the invariants of which a part is among these counts."""
    return tuple(each for each in invariants_of(table) if not numbers.isdisjoint(each.parts))


def _check_invariants(
    counts: TokenCounts, inclusions: Sequence[TokenInclusion], invariants: Iterable[Invariant]
) -> Iterator[_CheckedInvariant]:
    beside = {each.part for each in inclusions if each.is_outside}
    for invariant in invariants:
        parts = invariant.parts
        if beside:
            parts = tuple(part for part in parts if part not in beside)
        if not parts or not _is_worth(invariant.when, counts, invariant.parts):
            continue
        if invariant.name == TOTAL and beside:
            parts += tuple(
                each.part for each in inclusions if each.is_outside and each.explains_total
            )
        found = [count for count in map(counts.__getitem__, parts) if isinstance(count, int)]
        whole, at_least = counts[invariant.whole], sum(found)
        right = whole if isinstance(whole, int) else None
        left = at_least if len(found) == len(parts) else None
        outcome = _outcome(left, at_least, invariant.relation, right)
        yield _CheckedInvariant(invariant, parts, at_least, left, right, outcome)


def _is_worth(when: InvariantScope, counts: TokenCounts, parts: tuple[str, ...]) -> bool:
    if when is InvariantScope.ALWAYS:
        return True
    if when is InvariantScope.SOME:
        return any(counts[part] for part in parts)
    sent = [counts[part] is not UNSET for part in parts]
    return any(sent) if when is InvariantScope.ANY else all(sent)


def _line(
    judged: _CheckedInvariant,
    counts: TokenCounts,
    inclusions: Sequence[TokenInclusion],
    odd: Collection[str],
    vendor: Vendor | None,
    table: UsageTable,
) -> LedgerLine:
    invariant, outcome, why = judged.invariant, judged.outcome, ""
    read = _reading(invariant, inclusions)
    if outcome is LedgerLineOutcome.BROKEN:
        why = _wrong(invariant, judged.at_least - (judged.right or 0), inclusions, vendor)
    elif outcome is LedgerLineOutcome.UNDECIDABLE:
        why = _describe_missing((*judged.parts, invariant.whole), counts, odd, table)
    elif read is not None:
        why = read.why
        outcome = LedgerLineOutcome.UNDECIDABLE if read.basis is InclusionBasis.NUMBERS else outcome
    return LedgerLine(
        name=invariant.name,
        left_text=" + ".join(_term(part, counts) for part in judged.parts),
        left=judged.left,
        relation=invariant.relation,
        right_text=_term(invariant.whole, counts),
        right=judged.right,
        outcome=outcome,
        why=why,
        whole=invariant.whole,
        counts=(*judged.parts, invariant.whole),
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


def _describe_missing(
    names: tuple[str, ...], counts: TokenCounts, odd: Collection[str], table: UsageTable
) -> str:
    """Return ``a and b were not sent; c was sent as null``, by the format's names."""
    groups: dict[str, list[str]] = {"not sent": [], "sent as null": [], NOT_A_COUNT: []}
    for name in names:
        if not isinstance(counts[name], int):
            absent = NOT_A_COUNT if name in odd else "not sent"
            groups["sent as null" if counts[name] is None else absent].append(table.wire_name(name))
    reasons = (
        f"{' and '.join(group)} {'was' if len(group) == 1 else 'were'} {silence}"
        for silence, group in groups.items()
        if group
    )
    return "; ".join(reasons)


def _words(judged: _CheckedInvariant) -> str:
    invariant = judged.invariant
    parts = " + ".join(COUNT_NAMES[part] for part in judged.parts)
    return f"{parts} {invariant.relation} {COUNT_NAMES[invariant.whole]}"


def _numbers(judged: _CheckedInvariant, counts: TokenCounts) -> str:
    invariant, is_broken = judged.invariant, judged.outcome is LedgerLineOutcome.BROKEN
    relation = NEGATED_RELATIONS[invariant.relation] if is_broken else invariant.relation
    numbers = [
        f"{count:,}" if isinstance(count, int) else "–"
        for count in map(counts.__getitem__, (*judged.parts, invariant.whole))
    ]
    return f"{' + '.join(numbers[:-1])} {relation} {numbers[-1]}"


def _unsent(judged: _CheckedInvariant, counts: TokenCounts, odd: Collection[str]) -> str:
    """Return ``cached``, ``prompt audio`` or ``accepted and rejected prediction``."""
    if any(counts[part] is not UNSET or part in odd for part in judged.parts):
        return ""
    words = [COUNT_NAMES[part] for part in judged.parts]
    *heads, last = (f"{COUNT_NAMES[judged.invariant.whole]} {word}" if word in KINDS else word
                    for word in words)  # fmt: skip
    shared = f" {last.split()[-1]}"
    return " and ".join((*(head.removesuffix(shared) for head in heads), last))


def _outcome(
    left: int | None, at_least: int, relation: str, right: int | None
) -> LedgerLineOutcome:
    """Compare the sides: a part of the summands can break an equation, only all can hold it."""
    if right is not None and relation == "≤" and at_least > right:
        return LedgerLineOutcome.BROKEN
    if left is None or right is None:
        return LedgerLineOutcome.UNDECIDABLE
    holds = left == right if relation == "=" else left <= right
    return LedgerLineOutcome.HELD if holds else LedgerLineOutcome.BROKEN


def _reading(invariant: Invariant, inclusions: Sequence[TokenInclusion]) -> TokenInclusion | None:
    """Return the inclusion that a line depends on, None if that is the plain one."""
    is_total = invariant.name == TOTAL
    for each in inclusions:
        if each.is_outside if is_total else invariant.parts == (each.part,):
            return None if each.basis is InclusionBasis.PLAIN else each
    return None


def _wrong(
    invariant: Invariant, over: int, inclusions: Sequence[TokenInclusion], vendor: Vendor | None
) -> str:
    reasons = [
        f"{abs(over):,} {'more' if over > 0 else 'less'} than {COUNT_NAMES[invariant.whole]}"
    ]
    if invariant.name == TOTAL:
        reasons += [each.why for each in inclusions if each.basis is InclusionBasis.DOUBTED]
        if vendor is not None and (known := vendor.breaks.get(TOTAL_RULE)):
            reasons.append(f"known for {vendor.title}: {known}")
    return "; ".join(reasons)


def _term(name: str, counts: TokenCounts) -> str:
    count = counts[name]
    return f"{count:,} {COUNT_NAMES[name]}" if isinstance(count, int) else COUNT_NAMES[name]
