"""The fields of an answer that no other format has a place for, found by the table of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache

from inspector.core import formats
from inspector.core.completion import Json
from inspector.core.formats.grammar import (
    AnswerField,
    BlockField,
    BlockItem,
    BlockPart,
    CallBodyField,
    CallField,
    CallItem,
    Candidate,
    ChoiceError,
    ChoiceField,
    ChoiceItem,
    ChoiceUsage,
    DecimalText,
    Effect,
    ErrorObject,
    GrowingChoiceField,
    IdentityField,
    MessageField,
    MessageRole,
    ObjectLabel,
    ProviderTime,
    TierField,
    TokenLogprobs,
    TypeLabel,
    UsageElsewhere,
)
from inspector.core.json.pointer import escape_step
from inspector.core.translation.loss import LossCode, LossList

# Only its own format has a place for what these effects keep.
DROPPED_EFFECTS = (
    AnswerField,
    BlockField,
    CallBodyField,
    CallField,
    ChoiceError,
    ChoiceField,
    ChoiceUsage,
    DecimalText,
    ErrorObject,
    GrowingChoiceField,
    IdentityField,
    MessageField,
    ProviderTime,
    TierField,
    TokenLogprobs,
    UsageElsewhere,
)
COMMON_LABELS = frozenset({"type", "index"})
"""Members that say what the object around them is, or which of several, in a format that has no
line for them, too.
"""
LABEL_EFFECTS = (MessageRole, ObjectLabel, TypeLabel)
"""What stands in a member that is a label itself."""
SIGNATURES = frozenset({"signature", "thoughtSignature", "encrypted_content"})
MAX_NAMES = 12


def report_dropped_fields(
    completion: Json, family: str, given: Collection[str], losses: LossList
) -> None:
    """Report each member that was sent and is not given, but for nulls and empty values.

    ``given``: places of which everything is given or reported already.
    """
    known = {*given, *losses.dropped()}
    for parent, names in _dropped(completion, "", "", family, known):
        for name in sorted(SIGNATURES.intersection(names)):
            _report(LossCode.SIGNATURE_DROPPED, parent, [name], losses)
        others = [name for name in names if name not in SIGNATURES]
        if others:
            _report(LossCode.FIELD_DROPPED, parent, others, losses)


def _report(code: LossCode, parent: str, names: list[str], losses: LossList) -> None:
    pointer = f"{parent}/{escape_step(names[0])}" if len(names) == 1 else parent
    losses.add(code, pointer, f"{listed(names)} {_has(names)} no place in {losses.noun}.")


def listed(names: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; the last ones of many are counted."""
    if len(names) > MAX_NAMES:
        names = [*names[: MAX_NAMES - 1], f"{len(names) - MAX_NAMES + 1} other fields"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _has(names: list[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _dropped(
    value: Json, pointer: str, pattern: str, family: str, given: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """Pointers of objects, each with the names of its members that are not given."""
    if isinstance(value, dict):
        table = _table(family)
        names = [
            name
            for name, member in value.items()
            if f"{pointer}/{escape_step(name)}" not in given
            and f"{pattern}/{name}" not in _parents(family)
            and name not in _labels(family)
            and _says_something(name, member)
            and _is_dropped(table.get(f"{pattern}/{name}"))
        ]
        if names:
            yield pointer, names
    for at, inner, item in _below(value, pointer, pattern):
        if at not in given and inner in _parents(family):
            yield from _dropped(item, at, inner, family, given)


def _below(value: Json, pointer: str, pattern: str) -> Iterator[tuple[str, str, Json]]:
    """Pointer, pattern and value of each member or item."""
    if isinstance(value, list):
        for position, item in enumerate(value):
            yield f"{pointer}/{position}", f"{pattern}/*", item
    elif isinstance(value, dict):
        for name, member in value.items():
            yield f"{pointer}/{escape_step(name)}", f"{pattern}/{name}", member


def _is_dropped(effect: Effect | None) -> bool:
    return effect is None or isinstance(effect, DROPPED_EFFECTS)


def _says_something(name: str, value: Json) -> bool:
    if name == "status" and value == "completed":
        return False
    return value is not None and value not in ("", [], {})


@cache
def _table(family: str) -> Mapping[str, Effect]:
    return formats.table_of(family)


@cache
def _labels(family: str) -> frozenset[str]:
    """Members that say in this format what the object around them is, or which of several."""
    own = (formats.dialects()[family].done, *map(_member_in, _table(family).values()))
    named = (
        pattern.rpartition("/")[2]
        for pattern, effect in _table(family).items()
        if isinstance(effect, LABEL_EFFECTS)
    )
    return COMMON_LABELS.union(own, named) - {""}


def _member_in(effect: Effect) -> str:
    """The member by which an effect tells what its object is; "" if it names none."""
    if isinstance(effect, BlockItem):
        return effect.label
    if isinstance(effect, BlockPart):
        return effect.thought
    return effect.index if isinstance(effect, CallItem | Candidate | ChoiceItem) else ""


@cache
def _parents(family: str) -> frozenset[str]:
    """Patterns of the answer below which there are others with names or positions."""
    patterns = (at for at in _table(family) if " " not in at and not at.endswith("/?"))
    steps = (at.split("/") for at in patterns)
    return frozenset("/".join(each[:end]) for each in steps for end in range(2, len(each)))
