"""What two readings of the same bytes say differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.analysis import Analysis, Counts
from inspector.core.completion import Choice, FunctionCall, Json, ToolCall, Usage
from inspector.core.diff import first_difference

NAMES = ("verdict", "dialect", "vendor", "object", "streamed", "model")
TIMES = (
    "first_byte_us",
    "first_reasoning_us",
    "first_content_us",
    "first_tool_call_us",
    "first_token_us",
    "duration_us",
)
OF_A_CHOICE = ("finish_reason", "cost_usd", "duration_seconds")
OF_A_CALL = ("name", "arguments_state", "arguments_cause", "is_offered")
TEXTS = ("content", "text", "reasoning", "refusal")

ByPointer = dict[str, Any]


class ChangeKind(StrEnum):
    VALUE = "value"
    TEXT = "text"
    FINDING = "finding"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One difference between an earlier and a later analysis of one exchange.

    ``before`` and ``after`` are values as they stand in the analysis; of a list its length, of a
    text its length in characters, of a finding how often it was made. One that is absent is unset.
    """

    kind: ChangeKind
    subject: str
    """JSON Pointer into the analysis; of a finding its code."""
    before: Json | UnsetType = UNSET
    after: Json | UnsetType = UNSET
    pointer: str | None = None
    """Where in the response a finding points."""
    at: int | None = None
    """The first character that differs, where both are texts."""


def changes(before: Analysis, after: Analysis) -> tuple[Change, ...]:
    """Values first, then texts, then findings."""
    return (
        *_compared(_values(before), _values(after), _value_change),
        *_compared(_texts(before), _texts(after), _text_change),
        *_findings(before, after),
    )


def _values(analysis: Analysis) -> ByPointer:
    timeline = analysis.timeline
    return {
        **_members(analysis, "", NAMES),
        "/choices": len(analysis.choices),
        **_members(analysis.usage, "/usage", _usage_names()),
        **_members(timeline.counts, "/timeline/counts", Counts.__struct_fields__),
        **_members(timeline, "/timeline", TIMES),
        **{k: v for n, choice in enumerate(analysis.choices) for k, v in _of_choice(n, choice)},
    }


def _usage_names() -> tuple[str, ...]:
    return tuple(n for n in Usage.__struct_fields__ if n not in ("found_at", "extras"))


def _of_choice(position: int, choice: Choice) -> Iterator[tuple[str, Any]]:
    at = f"/choices/{position}"
    yield f"{at}/tool_calls", len(choice.tool_calls)
    yield from _members(choice, at, OF_A_CHOICE).items()
    for pointer, call in _calls(at, choice):
        yield from _members(call, pointer, OF_A_CALL).items()


def _calls(at: str, choice: Choice) -> Iterator[tuple[str, ToolCall | FunctionCall]]:
    if choice.function_call is not None:
        yield f"{at}/function_call", choice.function_call
    for number, call in enumerate(choice.tool_calls):
        yield f"{at}/tool_calls/{number}", call


def _members(value: msgspec.Struct, pointer: str, names: tuple[str, ...]) -> ByPointer:
    return {f"{pointer}/{name}": getattr(value, name) for name in names}


def _texts(analysis: Analysis) -> ByPointer:
    found: ByPointer = {}
    for position, choice in enumerate(analysis.choices):
        at = f"/choices/{position}"
        found |= _members(choice, at, TEXTS)
        for pointer, call in _calls(at, choice):
            found[f"{pointer}/arguments_text"] = call.arguments_text
    return found


def _compared(
    before: ByPointer, after: ByPointer, change: Callable[[str, Any, Any], Change]
) -> Iterator[Change]:
    for pointer in dict.fromkeys((*before, *after)):
        old, new = before.get(pointer, UNSET), after.get(pointer, UNSET)
        # False is not 0, and neither is 0.0.
        if type(old) is not type(new) or old != new:
            yield change(pointer, old, new)


def _value_change(pointer: str, old: Any, new: Any) -> Change:
    return Change(kind=ChangeKind.VALUE, subject=pointer, before=old, after=new)


def _text_change(pointer: str, old: Any, new: Any) -> Change:
    both = isinstance(old, str) and isinstance(new, str)
    return Change(
        kind=ChangeKind.TEXT,
        subject=pointer,
        before=_length(old),
        after=_length(new),
        at=first_difference(old, new) if both else None,
    )


def _length(text: Any) -> Any:
    return len(text) if isinstance(text, str) else text


def _findings(before: Analysis, after: Analysis) -> Iterator[Change]:
    old, new = _counted(before), _counted(after)
    for code, pointer in dict.fromkeys((*old, *new)):
        then, now = old[code, pointer], new[code, pointer]
        if then != now:
            yield Change(
                kind=ChangeKind.FINDING, subject=code, before=then, after=now, pointer=pointer
            )


def _counted(analysis: Analysis) -> Counter[tuple[str, str | None]]:
    return Counter((finding.code, finding.where.pointer) for finding in analysis.findings)
