"""Every tool call: its exact argument text, where and why it breaks, what its schema says of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspector.core.analysis import Analysis
from inspector.core.completion import (
    ArgumentsCause,
    ArgumentsState,
    Choice,
    FunctionCall,
    ToolCall,
    known,
)
from inspector.core.passages import Change, Proposal
from inspector.core.tape import LaneKind
from inspector.core.tool_calls.arguments import SAID
from inspector.core.tool_calls.offered import Tool
from inspector.core.tool_calls.prefix import Due, Prefix
from inspector.core.tool_calls.proposal import propose
from inspector.dashboard.argument_growth import Growth, growth_of
from inspector.dashboard.argument_schema import SchemaCheck, schema_check
from inspector.dashboard.argument_text import CLIPPED, MAX_WHOLE, Piece, pieces_of
from inspector.dashboard.argument_tree import MAX_NODES, Tree, parsed, tree_of
from inspector.dashboard.arguments import BROKEN, breaking_at, state_words
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.lane_place import LanePlace, place_of_call
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.provenance import Provenance, Span
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.why_empty import TOOL_CALLS, why_empty
from inspector.dashboard.wire import wire_word

LISTED = 100
"""Calls named in the list, and steps of it."""
SHOWN = 20
"""Calls shown with their arguments."""
HEAVY_CHARACTERS = 150_000
"""Of all arguments together; more of them wait until somebody looks."""
ALL_NODES = 900
"""Of all trees on a page together."""
MAX_SCANNED = 300_000
INSIDE = {
    Due.VALUE: "where a value is expected",
    Due.NAME: "where a name is expected",
    Due.COLON: "after a name",
    Due.TEXT: "inside a string",
    Due.REST: "inside a value",
    Due.SEPARATOR: "after a value",
    Due.END: "after the value",
}


@dataclass(frozen=True, slots=True)
class Placed:
    """A call where it stands; ``position`` is None for the deprecated single ``function_call``."""

    choice: Choice
    position: int | None
    call: ToolCall | FunctionCall

    @property
    def key(self) -> str:
        """What names it in addresses: ``0-1`` for the second call of choice 0."""
        return f"{self.choice.index}-{'f' if self.position is None else self.position}"


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list of calls."""

    key: str
    name: str
    name_sent: bool
    choice: int
    index: int | None
    words: str
    broken: bool
    is_offered: bool | None
    remarks: int
    is_shown: bool


@dataclass(frozen=True, slots=True)
class ShownCall:
    line: Listed
    state: ArgumentsState
    id: str
    type: str
    place: LanePlace | None
    part: str
    """What the text is called: arguments, or the input of a custom tool."""
    length: int
    pieces: tuple[Piece, ...]
    is_clipped: bool
    span: Span | None
    breaking_event: int | None
    breaking_byte: int | None
    argument_byte: int | None
    where: str
    """Where the arguments break or end, as the beginning of a sentence; empty where they do not."""
    cause: str
    """Why they cannot be used; empty where they can."""
    proposal: Proposal | None
    repaired: tuple[Segment, ...]
    put_in: int
    left_out: int
    tree: Tree | None
    why_no_tree: str
    growth: Growth | None
    schema: SchemaCheck | None
    why_no_schema: str


@dataclass(frozen=True, slots=True)
class ShownCalls:
    total: int
    listed: tuple[Listed, ...]
    calls: tuple[ShownCall, ...]
    mode: str
    """``text``, ``tree`` or ``whole``: one text without a cut."""
    earlier: str
    later: str
    """Keys of the calls with which other parts of the list begin; empty where there are none."""


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    placed = list(placed_calls(view.analysis))
    if not placed:
        return Drawn(why_empty=why_empty(view, TOOL_CALLS).sentence)
    count, tone = f"{len(placed):,}", tone_of(placed)
    characters = sum(len(each.call.arguments_text) for each in placed)
    if characters > HEAVY_CHARACTERS and not view.is_looked_at("tool_calls"):
        later = f"{plural(len(placed), 'call')} with {characters:,} characters of arguments."
        return Drawn(count, later=later, tone=tone)
    return Drawn(count, shown_calls(view, placed), tone=tone)


def tone_of(placed: list[Placed]) -> str:
    if any(is_broken(each.call) for each in placed):
        return "error"
    remarks = (remark for each in placed for remark in each.call.schema_remarks)
    warned = any(remark.kind != "invented" for remark in remarks)
    return "warning" if warned or any(each.call.is_offered is False for each in placed) else ""


def is_broken(call: ToolCall | FunctionCall) -> bool:
    """An agent that parses the arguments once does not get what it needs."""
    return call.arguments_state in BROKEN or call.arguments_cause is not None


def placed_calls(analysis: Analysis) -> Iterator[Placed]:
    for choice in analysis.choices:
        by_index = sorted(enumerate(choice.tool_calls), key=lambda placed: placed[1].index)
        for position, call in by_index:
            yield Placed(choice, position, call)
        if choice.function_call is not None:
            yield Placed(choice, None, choice.function_call)


def shown_calls(view: CaptureView, placed: list[Placed]) -> ShownCalls:
    keys = [each.key for each in placed]
    wanted = view.asked.get("call", "")
    first = keys.index(wanted) if wanted in keys else 0
    mode = view.asked.get("tool_calls", "text")
    window = placed[first : first + (1 if mode == "whole" else SHOWN)]
    start = first - first % LISTED
    end = start + LISTED
    shown = {each.key for each in window}
    return ShownCalls(
        total=len(placed),
        listed=tuple(listed(each, shown) for each in placed[start:end]) if len(placed) > 1 else (),
        calls=tuple(shown_call(view, each, mode, ALL_NODES // len(window)) for each in window),
        mode=mode if mode in ("tree", "whole") else "text",
        earlier=keys[start - LISTED] if start else "",
        later=keys[end] if end < len(keys) else "",
    )


def listed(placed: Placed, shown: set[str]) -> Listed:
    call = placed.call
    return Listed(
        key=placed.key,
        name=call.name if isinstance(call.name, str) and call.name else wire_word(call.name),
        name_sent=known(call.name) and call.name != "",
        choice=placed.choice.index,
        index=call.index if isinstance(call, ToolCall) else None,
        words=state_words(call),
        broken=is_broken(call),
        is_offered=call.is_offered,
        remarks=len(call.schema_remarks),
        is_shown=placed.key in shown,
    )


def shown_call(view: CaptureView, placed: Placed, mode: str, nodes: int) -> ShownCall:
    call, provenance = placed.call, view.provenance
    lane = lane_of(placed.choice, placed.position, provenance)
    limit = MAX_WHOLE if mode == "whole" else CLIPPED
    proposal = propose(call)
    value = value_of(call, proposal)
    tree = (
        tree_asked(view, placed, value, min(nodes, MAX_NODES))
        if mode == "tree" or not view.stored
        else None
    )
    tool = tool_of(view, call)
    check = schema_check(call, tool, value, is_repaired=proposal is not None)
    return ShownCall(
        line=listed(placed, {placed.key}),
        state=call.arguments_state,
        id=wire_word(call.id) if isinstance(call, ToolCall) else "",
        type=wire_word(call.type) if isinstance(call, ToolCall) else "function_call",
        place=place_of_call(view, placed.choice, placed.position),
        part="input" if call.arguments_state is ArgumentsState.FREE_TEXT else "argument",
        length=len(call.arguments_text),
        pieces=pieces_of(call, proposal, limit),
        is_clipped=len(call.arguments_text) > limit,
        span=provenance.span(lane) if provenance and lane is not None else None,
        breaking_event=call.invalid_event if provenance else None,
        breaking_byte=breaking_byte(call, provenance),
        argument_byte=call.invalid_at_byte,
        where=where_broken(call),
        cause=cause(call),
        proposal=proposal,
        repaired=exact(proposal.text) if proposal else (),
        put_in=proposal.length(Change.PUT_IN) if proposal else 0,
        left_out=proposal.length(Change.LEFT_OUT) if proposal else 0,
        tree=tree,
        why_no_tree="" if tree else why_no_tree(call, value),
        growth=growth_of(call, lane, provenance),
        schema=check,
        why_no_schema="" if check else why_no_schema(view, call, tool),
    )


def lane_of(choice: Choice, position: int | None, provenance: Provenance | None) -> int | None:
    if provenance is None:
        return None
    if position is None:
        return next(provenance.lanes(choice.index, LaneKind.FUNCTION_CALL), None)
    return provenance.tool_call_lane(choice.index, position)


def breaking_byte(call: ToolCall | FunctionCall, provenance: Provenance | None) -> int | None:
    """The byte that spells the breaking character, or the first one of the event it came in."""
    if call.invalid_bytes is not None:
        return call.invalid_bytes[0]
    if provenance is None or call.invalid_event is None:
        return None
    return provenance.tape.events.byte_start[call.invalid_event]


# -- what is wrong ---------------------------------------------------------------------------------


def where_broken(call: ToolCall | FunctionCall) -> str:
    length = plural(len(call.arguments_text), "character")
    if call.arguments_state is ArgumentsState.TRUNCATED:
        return f"Ends {ending(call.arguments_text)} after {length}"
    if call.arguments_state is ArgumentsState.INVALID:
        return f"Breaks at character {breaking_at(call):,} of {len(call.arguments_text):,}"
    return "" if call.arguments_cause is None else "The arguments cannot be used"


def ending(text: str) -> str:
    """``inside a name, with 3 brackets open,``."""
    if len(text) > MAX_SCANNED:
        return "mid-JSON"
    prefix = Prefix()
    prefix.feed(text)
    inside = INSIDE[prefix.due]
    if prefix.is_in_string:
        inside = "inside a name" if prefix.is_in_name else "inside a string"
    return f"{inside}, with {plural(prefix.depth, 'bracket')} open," if prefix.depth else inside


def cause(call: ToolCall | FunctionCall) -> str:
    """Why the arguments cannot be used, unless where they end says all of it."""
    if call.arguments_cause in (None, ArgumentsCause.TRUNCATED):
        return ""
    return SAID[call.arguments_cause]


# -- tree and schema -------------------------------------------------------------------------------


def value_of(call: ToolCall | FunctionCall, proposal: Proposal | None) -> Any:
    """What the arguments say, or would say when repaired; ``...`` where that is not known."""
    if call.arguments_state is ArgumentsState.FREE_TEXT:
        return ...
    try:
        return parsed(proposal.text if proposal else call.arguments_text)
    except (ValueError, RecursionError):
        return ...


def tree_asked(view: CaptureView, placed: Placed, value: Any, nodes: int) -> Tree | None:
    if value is ...:
        return None
    is_meant = view.asked.get("call") == placed.key
    at = view.asked.get("at", "") if is_meant else ""
    start = view.number("item") if is_meant else None
    return tree_of(value, at, start or 0, nodes) or tree_of(value, nodes=nodes)


def why_no_tree(call: ToolCall | FunctionCall, value: Any) -> str:
    if call.arguments_state is ArgumentsState.FREE_TEXT:
        return "The input of a custom tool is free text: it has no tree."
    if not call.arguments_text:
        return "An empty text has no tree."
    if value is ... and len(call.arguments_text) > MAX_SCANNED:
        return f"Over our limit: there is no tree for more than {MAX_SCANNED:,} characters."
    return "The text is not JSON and no repair is proposed, so there is no tree."


def tool_of(view: CaptureView, call: ToolCall | FunctionCall) -> Tool | None:
    if view.tools is None or not isinstance(call.name, str):
        return None
    return view.tools.by_name.get(call.name)


def why_no_schema(view: CaptureView, call: ToolCall | FunctionCall, tool: Tool | None) -> str:
    if view.tools is None:
        return (
            "The tools of the request are unknown, so arguments are only checked to be valid JSON."
        )
    if tool is None:
        return "The request has no tool with this name, so there is no schema to check."
    if not tool.schema or not isinstance(tool.schema.get("properties"), dict):
        return "The request has no schema with fields for this tool."
    what = "not an object" if call.arguments_state is ArgumentsState.VALID else "no JSON"
    return f"The arguments are {what}, so they cannot be checked against the schema."


PANEL = Panel(position=30, slug="tool_calls", title="Tool calls", draw=draw, reads_all=True)
