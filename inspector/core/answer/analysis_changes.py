"""Compares two analyses of the same bytes."""

from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.analysis import Analysis, StreamCounts
from inspector.core.completion import Choice, FunctionCall, ToolCall, Usage
from inspector.core.json import Json
from inspector.core.text.text_diff import first_difference

ANALYSIS_FIELDS = ("verdict", "result", "dialect", "vendor", "object", "streamed", "model")
TIME_FIELDS = (
    "first_byte_us",
    "first_reasoning_us",
    "first_content_us",
    "first_tool_call_us",
    "first_token_us",
    "duration_us",
)
CHOICE_FIELDS = ("result", "finish_reason", "cost_usd", "duration_seconds")
CALL_FIELDS = ("name", "arguments_state", "arguments_cause", "is_offered")
COMPARED_TEXTS = ("content", "text", "reasoning", "refusal")

ByPointer = dict[str, Any]


class AnalysisChangeKind(StrEnum):
    VALUE = "value"
    TEXT = "text"
    FINDING = "finding"


class AnalysisChange(msgspec.Struct, frozen=True, kw_only=True):
    """A difference between an earlier and a later analysis of one exchange.

    ``before`` and ``after`` are the values in the analyses; for a list or text its length, for a
    finding the number of times it was made. A side on which it does not exist is left out.
    """

    kind: AnalysisChangeKind
    subject: str
    """JSON Pointer into the analysis, or the code of a finding."""
    before: Json | UnsetType = UNSET
    after: Json | UnsetType = UNSET
    pointer: str | None = None
    """JSON Pointer of a finding into the response."""
    at: int | None = None
    """Position of the first different character if both sides are texts."""


def changes_between(before: Analysis, after: Analysis) -> tuple[AnalysisChange, ...]:
    """Return the differences: values first, then texts, then findings."""
    return (
        *_compare(_values(before), _values(after), _value_change),
        *_compare(_texts(before), _texts(after), _text_change),
        *_findings(before, after),
    )


def _values(analysis: Analysis) -> ByPointer:
    timeline = analysis.timeline
    return {
        **_members(analysis, "", ANALYSIS_FIELDS),
        "/choices": len(analysis.choices),
        **_members(analysis.usage, "/usage", _usage_names()),
        **_members(timeline.counts, "/timeline/counts", StreamCounts.__struct_fields__),
        **_members(timeline, "/timeline", TIME_FIELDS),
        **{k: v for n, choice in enumerate(analysis.choices) for k, v in _of_choice(n, choice)},
    }


def _usage_names() -> tuple[str, ...]:
    return tuple(n for n in Usage.__struct_fields__ if n not in ("found_at", "extras"))


def _of_choice(position: int, choice: Choice) -> Iterator[tuple[str, Any]]:
    at = f"/choices/{position}"
    yield f"{at}/tool_calls", len(choice.tool_calls)
    yield from _members(choice, at, CHOICE_FIELDS).items()
    for pointer, call in _calls(at, choice):
        yield from _members(call, pointer, CALL_FIELDS).items()


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
        found |= _members(choice, at, COMPARED_TEXTS)
        for pointer, call in _calls(at, choice):
            found[f"{pointer}/arguments_text"] = call.arguments_text
    return found


def _compare(
    before: ByPointer, after: ByPointer, change: Callable[[str, Any, Any], AnalysisChange]
) -> Iterator[AnalysisChange]:
    for pointer in dict.fromkeys((*before, *after)):
        old, new = before.get(pointer, UNSET), after.get(pointer, UNSET)
        # Python takes False, 0 and 0.0 for equal; they are different values of JSON.
        if type(old) is not type(new) or old != new:
            yield change(pointer, old, new)


def _value_change(pointer: str, old: Any, new: Any) -> AnalysisChange:
    return AnalysisChange(kind=AnalysisChangeKind.VALUE, subject=pointer, before=old, after=new)


def _text_change(pointer: str, old: Any, new: Any) -> AnalysisChange:
    both = isinstance(old, str) and isinstance(new, str)
    return AnalysisChange(
        kind=AnalysisChangeKind.TEXT,
        subject=pointer,
        before=_length(old),
        after=_length(new),
        at=first_difference(old, new) if both else None,
    )


def _length(text: Any) -> Any:
    return len(text) if isinstance(text, str) else text


def _findings(before: Analysis, after: Analysis) -> Iterator[AnalysisChange]:
    old, new = _counted(before), _counted(after)
    for code, pointer in dict.fromkeys((*old, *new)):
        then, now = old[code, pointer], new[code, pointer]
        if then != now:
            yield AnalysisChange(
                kind=AnalysisChangeKind.FINDING,
                subject=code,
                before=then,
                after=now,
                pointer=pointer,
            )


def _counted(analysis: Analysis) -> Counter[tuple[str, str | None]]:
    return Counter((finding.code, finding.where.pointer) for finding in analysis.findings)
