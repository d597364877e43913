"""Tool calls panel: the exact arguments, where they break, and how they compare with the schema."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import (
    ArgumentsCause,
    ArgumentsState,
    Choice,
    FunctionCall,
    ToolCall,
    known,
)
from inspector.core.json.edits import EditProposal
from inspector.core.json.prefix import ExpectedNext, JsonPrefix
from inspector.core.tape import LaneKind
from inspector.core.tool_calls.argument_repair import propose_argument_repair
from inspector.core.tool_calls.arguments import STATE_WORDS
from inspector.core.tool_calls.tool_definitions import ToolDefinition
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.lane_position import LanePosition, arguments_lane_position
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, unread_reason
from inspector.dashboard.capture.page.provenance import ArrivalSpan, Provenance
from inspector.dashboard.capture.page.why_empty import TOOL_CALLS, why_empty
from inspector.dashboard.capture.tool_calls.argument_text import (
    CLIPPED_CHARACTERS,
    MAX_WHOLE,
    ArgumentTextPart,
    argument_text_parts,
)
from inspector.dashboard.capture.tool_calls.argument_tree import (
    MAX_NODES,
    ArgumentTree,
    ObjectPairs,
    argument_tree_of,
    parse_arguments,
)
from inspector.dashboard.capture.tool_calls.bracket_depth import (
    BracketDepthChart,
    bracket_depth_chart,
)
from inspector.dashboard.capture.tool_calls.call_text import (
    BROKEN_STATES,
    break_offset,
    state_words,
)
from inspector.dashboard.capture.tool_calls.schema_check import (
    SchemaCheckDisplay,
    check_against_schema,
)
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import wire_word

MIN_LISTED = 4
"""Fewer calls are seen at once."""
USUAL_TYPES = ("function", "tool_use", "function_call", "functionCall", "")
"""Of calls in the formats; another one, of a custom tool for instance, is told."""
MAX_LISTED = 100
"""Calls listed by name, and page size of that list."""
MAX_SHOWN = 20
"""Calls shown with their arguments."""
HEAVY_CHARACTERS = 150_000
"""With more characters of arguments in total, the panel is built when it comes into view."""
ALL_NODES = 900
"""Tree nodes per page, over all calls."""
MAX_SCANNED = 300_000
"""Characters that Python walks one by one while a page waits."""
BREAK_POSITION_WORDS = {
    ExpectedNext.VALUE: "where a value is expected",
    ExpectedNext.NAME: "where a name is expected",
    ExpectedNext.COLON: "after a name",
    ExpectedNext.TEXT: "inside a string",
    ExpectedNext.REST: "inside a value",
    ExpectedNext.SEPARATOR: "after a value",
    ExpectedNext.END: "after the value",
}


@dataclass(frozen=True, slots=True)
class PlacedToolCall:
    """A call with its choice; ``position`` is None for the legacy single ``function_call``."""

    choice: Choice
    position: int | None
    call: ToolCall | FunctionCall

    @property
    def key(self) -> str:
        """Key of the call in URLs: ``0-1`` is the second call of choice 0."""
        return f"{self.choice.index}-{'f' if self.position is None else self.position}"


@dataclass(frozen=True, slots=True)
class ToolCallListLine:
    key: str
    name: str
    name_sent: bool
    choice: int
    index: int | None
    """As sent, where it is not the call's place among those of its choice."""
    words: str
    broken: bool
    is_offered: bool | None
    remarks: int
    is_shown: bool


@dataclass(frozen=True, slots=True)
class ToolCallDisplay:
    line: ToolCallListLine
    state: ArgumentsState
    id: str
    type: str
    place: LanePosition | None
    part: str
    """Label of the text: "arguments", or "input" for a custom tool."""
    length: int
    pieces: tuple[ArgumentTextPart, ...]
    is_clipped: bool
    span: ArrivalSpan | None
    breaking_event: int | None
    breaking_byte: int | None
    argument_byte: int | None
    where: str
    """Start of the sentence about where the arguments break or end; empty if they do not."""
    cause: str
    """Why the arguments are unusable; empty if they are usable."""
    proposal: EditProposal | None
    repaired: tuple[TextSegment, ...]
    tree: ArgumentTree | None
    why_no_tree: str
    bracket_depth: BracketDepthChart | None
    schema: SchemaCheckDisplay | None
    why_no_schema: str

    @property
    def is_in_doubt(self) -> bool:
        """True if an agent may not be able to use it: what was checked of it is then in sight."""
        return self.line.broken or bool(self.line.remarks)


@dataclass(frozen=True, slots=True)
class ToolCallsDisplay:
    total: int
    lines: tuple[ToolCallListLine, ...]
    calls: tuple[ToolCallDisplay, ...]
    wanted: str
    """Key of the call that was asked for; empty if none was."""
    mode: str
    """``text``, ``tree`` or ``whole`` (one text, untruncated)."""
    earlier: str
    later: str
    """Keys of the first calls of the list's other pages; empty if there is one page."""
    are_several_choices: bool

    @property
    def calls_in_sight(self) -> tuple[ToolCallDisplay, ...]:
        """Those that an agent may not be able to use and the one asked for, else all."""
        return tuple(filter(self._is_in_sight, self.calls)) or self.calls

    @property
    def sound_calls(self) -> tuple[ToolCallDisplay, ...]:
        """The others, which are folded."""
        if not any(map(self._is_in_sight, self.calls)):
            return ()
        return tuple(call for call in self.calls if not self._is_in_sight(call))

    def _is_in_sight(self, call: ToolCallDisplay) -> bool:
        return call.is_in_doubt or call.line.key == self.wanted


def draw(view: CaptureView) -> PanelBody:
    if view.analysis is None or unread_reason(view):
        return PanelBody(why_empty=unread_reason(view))
    placed = list(calls_in_order(view.analysis))
    if not placed:
        return PanelBody(why_empty=why_empty(view, TOOL_CALLS).sentence)
    count, tone = f"{len(placed):,}", tone_of(placed)
    characters = sum(len(each.call.arguments_text) for each in placed)
    if characters > HEAVY_CHARACTERS and not view.is_looked_at("tool_calls"):
        later = f"{plural(len(placed), 'call')} with {characters:,} characters of arguments."
        return PanelBody(count, later=later, tone=tone)
    return PanelBody(count, tool_calls_display(view, placed), tone=tone)


def tone_of(placed: list[PlacedToolCall]) -> str:
    if any(is_broken(each.call) for each in placed):
        return "error"
    remarks = (remark for each in placed for remark in each.call.schema_remarks)
    warned = any(remark.kind != "invented" for remark in remarks)
    return "warning" if warned or any(each.call.is_offered is False for each in placed) else ""


def is_broken(call: ToolCall | FunctionCall) -> bool:
    """Return True if parsing the arguments once does not give an agent a usable object."""
    return call.arguments_state in BROKEN_STATES or call.arguments_cause is not None


def calls_in_order(analysis: Analysis) -> Iterator[PlacedToolCall]:
    for choice in analysis.choices:
        by_index = sorted(enumerate(choice.tool_calls), key=lambda placed: placed[1].index)
        for position, call in by_index:
            yield PlacedToolCall(choice, position, call)
        if choice.function_call is not None:
            yield PlacedToolCall(choice, None, choice.function_call)


def tool_calls_display(view: CaptureView, placed: list[PlacedToolCall]) -> ToolCallsDisplay:
    keys = [each.key for each in placed]
    wanted = view.query_params.get("call", "")
    first = keys.index(wanted) if wanted in keys else 0
    mode = view.query_params.get("tool_calls", "text")
    window = placed[first : first + (1 if mode == "whole" else MAX_SHOWN)]
    start = first - first % MAX_LISTED
    end = start + MAX_LISTED
    shown_keys = {each.key for each in window}
    return ToolCallsDisplay(
        total=len(placed),
        lines=tuple(tool_call_list_line(each, shown_keys) for each in placed[start:end])
        if len(placed) > MIN_LISTED
        else (),
        calls=tuple(
            tool_call_display(view, each, mode, ALL_NODES // len(window)) for each in window
        ),
        wanted=wanted,
        mode=mode if mode in ("tree", "whole") else "text",
        earlier=keys[start - MAX_LISTED] if start else "",
        later=keys[end] if end < len(keys) else "",
        are_several_choices=len({each.choice.index for each in placed}) > 1,
    )


def tool_call_list_line(placed: PlacedToolCall, shown_keys: set[str]) -> ToolCallListLine:
    call = placed.call
    return ToolCallListLine(
        key=placed.key,
        name=call.name if isinstance(call.name, str) and call.name else wire_word(call.name),
        name_sent=known(call.name) and call.name != "",
        choice=placed.choice.index,
        index=odd_index(placed),
        words=state_words(call),
        broken=is_broken(call),
        is_offered=call.is_offered,
        remarks=len(call.schema_remarks),
        is_shown=placed.key in shown_keys,
    )


def odd_index(placed: PlacedToolCall) -> int | None:
    call = placed.call
    if isinstance(call, ToolCall) and call.index != placed.position:
        return call.index
    return None


def tool_call_display(
    view: CaptureView, placed: PlacedToolCall, mode: str, nodes: int
) -> ToolCallDisplay:
    call, provenance = placed.call, view.provenance
    lane = lane_of(placed.choice, placed.position, provenance)
    limit = MAX_WHOLE if mode == "whole" else CLIPPED_CHARACTERS
    proposal = propose_argument_repair(call)
    value = value_of(call, proposal)
    tree = (
        requested_tree(view, placed, value, min(nodes, MAX_NODES))
        if mode == "tree" or not view.is_stored
        else None
    )
    tool = tool_of(view, call)
    check = check_against_schema(call, tool, value, is_repaired=proposal is not None)
    return ToolCallDisplay(
        line=tool_call_list_line(placed, {placed.key}),
        state=call.arguments_state,
        id=wire_word(call.id) if isinstance(call, ToolCall) else "",
        type=type_word(placed),
        place=arguments_lane_position(view, placed.choice, placed.position),
        part="input" if call.arguments_state is ArgumentsState.FREE_TEXT else "argument",
        length=len(call.arguments_text),
        pieces=argument_text_parts(call, proposal, limit),
        is_clipped=len(call.arguments_text) > limit,
        span=provenance.span(lane) if provenance and lane is not None else None,
        breaking_event=call.invalid_event if provenance else None,
        breaking_byte=breaking_byte(call, provenance),
        argument_byte=call.invalid_at_byte,
        where=where_broken(call),
        cause=unusable_reason(call),
        proposal=proposal,
        repaired=exact_segments(proposal.text) if proposal else (),
        tree=tree,
        why_no_tree="" if tree else why_no_tree(call, value),
        bracket_depth=bracket_depth_chart(call, lane, provenance),
        schema=check,
        why_no_schema="" if check else why_no_schema(view, call, tool, value),
    )


def type_word(placed: PlacedToolCall) -> str:
    """Return the type of the call, or of the block that it is; empty if it is its format's only
    one.
    """
    if placed.position is None:
        return "function_call"
    blocks = (each for each in placed.choice.blocks if each.tool_call == placed.position)
    block = next((each for each in blocks if known(each.pointer)), None)
    sent = getattr(placed.call, "type", UNSET) if block is None else block.type or ""
    return "" if sent in USUAL_TYPES else wire_word(sent)


def lane_of(choice: Choice, position: int | None, provenance: Provenance | None) -> int | None:
    if provenance is None:
        return None
    if position is None:
        return next(provenance.lanes(choice.index, LaneKind.FUNCTION_CALL), None)
    return provenance.tool_call_lane(choice.index, position)


def breaking_byte(call: ToolCall | FunctionCall, provenance: Provenance | None) -> int | None:
    """Byte of the breaking character, or the first byte of the event that carried it."""
    if call.invalid_bytes is not None:
        return call.invalid_bytes[0]
    if provenance is None or call.invalid_event is None:
        return None
    return provenance.tape.events.byte_start[call.invalid_event]


# -- what is wrong ---------------------------------------------------------------------------------


def where_broken(call: ToolCall | FunctionCall) -> str:
    if call.arguments_state is ArgumentsState.TRUNCATED:
        return f"Ends {break_position_words(call.arguments_text)}"
    if call.arguments_state is ArgumentsState.INVALID:
        return f"Breaks at character {break_offset(call):,} of {len(call.arguments_text):,}"
    return "" if call.arguments_cause is None else "The arguments cannot be used"


def break_position_words(text: str) -> str:
    """Describe the position, like ``inside a name, 3 brackets open``."""
    if len(text) > MAX_SCANNED:
        return "mid-JSON"
    prefix = JsonPrefix()
    prefix.feed(text)
    inside = BREAK_POSITION_WORDS[prefix.due]
    if prefix.is_in_string:
        inside = "inside a name" if prefix.is_in_name else "inside a string"
    return f"{inside}, {plural(prefix.depth, 'bracket')} open" if prefix.depth else inside


def unusable_reason(call: ToolCall | FunctionCall) -> str:
    """Why the arguments are unusable; empty if break position and finish reason already say it."""
    if call.arguments_cause in (None, ArgumentsCause.TRUNCATED, ArgumentsCause.LENGTH_LIMIT):
        return ""
    return STATE_WORDS[call.arguments_cause]


# -- tree and schema -------------------------------------------------------------------------------


def value_of(call: ToolCall | FunctionCall, proposal: EditProposal | None) -> Any:
    """Return parsed arguments, or those of the proposed repair; ``...`` if neither is available."""
    if call.arguments_state is ArgumentsState.FREE_TEXT:
        return ...
    try:
        return parse_arguments(proposal.text if proposal else call.arguments_text)
    except (ValueError, RecursionError):
        return ...


def requested_tree(
    view: CaptureView, placed: PlacedToolCall, value: Any, nodes: int
) -> ArgumentTree | None:
    if value is ...:
        return None
    is_requested = view.query_params.get("call") == placed.key
    at = view.query_params.get("at", "") if is_requested else ""
    start = view.number("item") if is_requested else None
    return argument_tree_of(value, at, start or 0, nodes) or argument_tree_of(value, nodes=nodes)


def why_no_tree(call: ToolCall | FunctionCall, value: Any) -> str:
    if call.arguments_state is ArgumentsState.FREE_TEXT:
        return "The input of a custom tool is free text: it has no tree."
    if not call.arguments_text:
        return "An empty text has no tree."
    if value is ... and len(call.arguments_text) > MAX_SCANNED:
        return f"Over our limit: there is no tree for more than {MAX_SCANNED:,} characters."
    return "The text is not JSON and no repair is proposed, so there is no tree."


def tool_of(view: CaptureView, call: ToolCall | FunctionCall) -> ToolDefinition | None:
    if view.tools is None or not isinstance(call.name, str):
        return None
    return view.tools.by_name.get(call.name)


def why_no_schema(
    view: CaptureView, call: ToolCall | FunctionCall, tool: ToolDefinition | None, value: Any
) -> str:
    if view.is_prompt_withheld:
        return "The prompt is not shared, so arguments are only checked to be valid JSON."
    if view.tools is None:
        return (
            "The tools of the request are unknown, so arguments are only checked to be valid JSON."
        )
    if tool is None:
        return "The request has no tool with this name, so there is no schema to check."
    if not tool.schema or not isinstance(tool.schema.get("properties"), dict):
        return "The request has no schema with fields for this tool."
    if not tool.schema["properties"] and isinstance(value, ObjectPairs):
        return "The schema of this tool in the request names no fields."
    what = "not an object" if call.arguments_state is ArgumentsState.VALID else "no JSON"
    return f"The arguments are {what}, so they cannot be checked against the schema."


PANEL = Panel(position=15, slug="tool_calls", title="Tool calls", draw=draw)
