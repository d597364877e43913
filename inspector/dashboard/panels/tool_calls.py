"""Every tool call: its exact argument text, where and why it breaks, what its schema says of it."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import (
    ArgumentsCause,
    ArgumentsState,
    Choice,
    FunctionCall,
    SchemaRemarkKind,
    ToolCall,
)
from inspector.core.tape import LaneKind
from inspector.core.tool_calls.arguments import SAID
from inspector.dashboard.arguments import CallText, breaking_at, call_text
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.provenance import Provenance, Span
from inspector.dashboard.wire import wire_word

KINDS = {
    SchemaRemarkKind.BROKEN: ("against the schema", "warning"),
    SchemaRemarkKind.FORBIDDEN: ("forbidden field", "warning"),
    SchemaRemarkKind.INVENTED: ("invented field", "info"),
}


@dataclass(frozen=True, slots=True)
class ShownRemark:
    kind: str
    severity: str
    place: tuple[Segment, ...]
    """A JSON Pointer into the arguments; empty for all of them."""
    message: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class ShownCall:
    choice: int
    position: int | None
    """Place in ``tool_calls``; None for the deprecated single ``function_call``."""
    text: CallText
    id: str
    type: str
    part: str
    """What the text is called: arguments, or the input of a custom tool."""
    span: Span | None
    breaking_event: int | None
    breaking_byte: int | None
    sentence: str
    is_offered: bool | None
    remarks: tuple[ShownRemark, ...]


@dataclass(frozen=True, slots=True)
class ShownCalls:
    calls: tuple[ShownCall, ...]
    tools_known: bool
    """The request said which tools there are."""


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    calls = calls_of(view.analysis, view.provenance)
    if not calls:
        return Drawn(why_empty=why_empty(view.analysis))
    shown = ShownCalls(calls, any(call.is_offered is not None for call in calls))
    return Drawn(str(len(calls)), shown, tone=tone_of(calls))


def tone_of(calls: tuple[ShownCall, ...]) -> str:
    if any(call.text.broken for call in calls):
        return "error"
    remarks = (remark for call in calls for remark in call.remarks)
    warned = any(remark.severity == "warning" for remark in remarks)
    return "warning" if warned or any(call.is_offered is False for call in calls) else ""


def why_empty(analysis: Analysis) -> str:
    if analysis.object == "text_completion":
        return "Legacy text completions cannot call tools."
    if not analysis.choices:
        return "There are no choices, so there are no calls."
    return "No choice carries tool calls."


def calls_of(analysis: Analysis, provenance: Provenance | None) -> tuple[ShownCall, ...]:
    calls: list[ShownCall] = []
    for choice in analysis.choices:
        by_index = sorted(enumerate(choice.tool_calls), key=lambda placed: placed[1].index)
        for position, call in by_index:
            calls.append(shown_call(choice, position, call, provenance))
        if choice.function_call is not None:
            calls.append(shown_call(choice, None, choice.function_call, provenance))
    return tuple(calls)


def shown_call(
    choice: Choice,
    position: int | None,
    call: ToolCall | FunctionCall,
    provenance: Provenance | None,
) -> ShownCall:
    text = call_text(call)
    lane = lane_of(choice, position, provenance)
    event = call.invalid_event if provenance else None
    return ShownCall(
        choice=choice.index,
        position=position,
        text=text,
        id=wire_word(call.id) if isinstance(call, ToolCall) else "",
        type=wire_word(call.type) if isinstance(call, ToolCall) else "function_call",
        part="input" if text.state is ArgumentsState.FREE_TEXT else "argument",
        span=provenance.span(lane) if provenance and lane is not None else None,
        breaking_event=event,
        breaking_byte=breaking_byte(call, provenance),
        sentence=sentence(call),
        is_offered=call.is_offered,
        remarks=tuple(
            ShownRemark(*KINDS[remark.kind], exact(remark.pointer), exact(remark.message))
            for remark in call.schema_remarks
        ),
    )


def breaking_byte(call: ToolCall | FunctionCall, provenance: Provenance | None) -> int | None:
    """The byte that spells the breaking character, or the first one of the event it came in."""
    if call.invalid_bytes is not None:
        return call.invalid_bytes[0]
    if provenance is None or call.invalid_event is None:
        return None
    return provenance.tape.events.byte_start[call.invalid_event]


def lane_of(choice: Choice, position: int | None, provenance: Provenance | None) -> int | None:
    if provenance is None:
        return None
    if position is None:
        return next(provenance.lanes(choice.index, LaneKind.FUNCTION_CALL), None)
    return provenance.tool_call_lane(choice.index, position)


def sentence(call: ToolCall | FunctionCall) -> str:
    """What is wrong with the arguments, and where."""
    cause, length = call.arguments_cause, len(call.arguments_text)
    if call.arguments_state is ArgumentsState.TRUNCATED:
        end = f"The text ends after {length:,} characters, before the JSON does"
        return end if cause in (None, ArgumentsCause.TRUNCATED) else f"{end}: {SAID[cause]}"
    if call.arguments_state is ArgumentsState.INVALID:
        at = f"From character {breaking_at(call):,} of {length:,} on the text cannot become JSON"
        return at if cause is None else f"{at}: {SAID[cause]}"
    return "" if cause is None else f"The arguments cannot be used: {SAID[cause]}"


PANEL = Panel(position=30, slug="tool_calls", title="Tool calls", draw=draw)
