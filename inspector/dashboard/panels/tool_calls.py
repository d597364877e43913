"""Every tool call with its exact argument text and the place where it breaks."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.completion import ArgumentsState, Choice, FunctionCall, ToolCall
from inspector.dashboard.arguments import BROKEN, CallText, breaking_at, call_text
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.provenance import Provenance, Span, u16_length
from inspector.dashboard.wire import wire_word


@dataclass(frozen=True, slots=True)
class ShownCall:
    choice: int
    position: int | None
    """Place in ``tool_calls``; None for the deprecated single ``function_call``."""
    text: CallText
    id: str
    type: str
    span: Span | None
    breaking_event: int | None
    breaking_byte: int | None
    sentence: str


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    calls = calls_of(view.analysis, view.provenance)
    if not calls:
        return Drawn(why_empty=why_empty(view.analysis))
    broken = any(call.text.broken for call in calls)
    return Drawn(str(len(calls)), calls, tone="error" if broken else "")


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
    event = breaking_event(call, lane, provenance)
    return ShownCall(
        choice=choice.index,
        position=position,
        text=text,
        id=wire_word(call.id) if isinstance(call, ToolCall) else "",
        type=wire_word(call.type) if isinstance(call, ToolCall) else "function_call",
        span=provenance.span(lane) if provenance and lane is not None else None,
        breaking_event=event,
        breaking_byte=provenance.tape.events.byte_start[event]
        if provenance and event is not None
        else None,
        sentence=sentence(call, text),
    )


def lane_of(choice: Choice, position: int | None, provenance: Provenance | None) -> int | None:
    if provenance is None or position is None:
        return None
    return provenance.tool_call_lane(choice.index, position)


def breaking_event(
    call: ToolCall | FunctionCall, lane: int | None, provenance: Provenance | None
) -> int | None:
    """The event that brought the breaking character, or the last one of a text that was cut."""
    text = call.arguments_text
    if provenance is None or lane is None or not text or call.arguments_state not in BROKEN:
        return None
    at = min(breaking_at(call), len(text) - 1)
    return provenance.event_of_character(lane, u16_length(text[:at]))


def sentence(call: ToolCall | FunctionCall, text: CallText) -> str:
    """What is wrong with the arguments, and where."""
    if text.state is ArgumentsState.TRUNCATED:
        return f"The text ends after {text.length:,} characters, before the JSON does"
    if text.state is ArgumentsState.INVALID:
        return f"The text stops being JSON at character {breaking_at(call):,} of {text.length:,}"
    return ""


PANEL = Panel(position=30, slug="tool_calls", title="Tool calls", draw=draw)
