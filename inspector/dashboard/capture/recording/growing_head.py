"""The head of an answer that is still arriving: what it is, which block grows, what it stated."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from inspector.core.analysis import Analysis
from inspector.core.completion import Block, BlockKind, Choice, Result
from inspector.core.rule_context import has_finish_reason
from inspector.core.tape import Tape
from inspector.core.tokens.usage import is_count
from inspector.dashboard.capture.timeline.timeline_data import (
    TimelineFinish,
    first_times,
    timeline_finish,
)
from inspector.formatting.lanes import type_words, well_formed

MAX_BLOCKS = 100
"""Blocks of all choices that are listed, of each choice the newest."""
COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


class GrowingBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a message. ``last_event`` is that of its last piece, or closed it."""

    choice: int
    kind: BlockKind
    type: str
    name: str | None
    """That of the called tool, null if there is none."""
    lane: int | None
    """Null as long as it has no text."""
    first_event: int | None
    last_event: int | None
    is_closed: bool


class GrowingHead(msgspec.Struct, frozen=True, kw_only=True):
    """Times in microseconds since the request, null if not known."""

    byte_length: int
    """Bytes that came, decompressed."""
    dialect: str | None
    model: str | None
    finishes: list[TimelineFinish]
    firsts: list[tuple[str, str, int]]
    first_token_us: int | None
    first_content_us: int | None
    open_block: int | None
    """Position in ``blocks`` of the one that grew last, unless it or its choice has ended."""
    blocks: list[GrowingBlock]
    usage: dict[str, int]
    """The counts that were stated."""
    error: str | None
    """Why a program takes it for an error already, as a sentence."""


def growing_head(analysis: Analysis, tape: Tape) -> GrowingHead:
    blocks = list(_blocks(analysis, tape))
    times, usage = analysis.timeline, analysis.usage
    counts = {name: getattr(usage, name) for name in COUNTS}
    return GrowingHead(
        byte_length=tape.reads.byte_end[-1] if tape.reads.byte_end else 0,
        dialect=analysis.dialect,
        model=None if analysis.model is None else well_formed(analysis.model),
        finishes=[
            timeline_finish(choice, analysis.dialect)
            for choice in analysis.choices
            if has_finish_reason(choice.finish_reason)
        ],
        firsts=[
            (first.name, first.kind, first.at_us)
            for first in first_times(times)
            if first.at_us is not None
        ],
        first_token_us=times.first_token_us,
        first_content_us=times.first_content_us,
        open_block=_open_block(blocks),
        blocks=blocks,
        usage={name: value for name, value in counts.items() if is_count(value)},
        error=well_formed(analysis.result_reason) if analysis.result is Result.ERROR else None,
    )


def _blocks(analysis: Analysis, tape: Tape) -> Iterator[GrowingBlock]:
    last_events = dict(zip(tape.pieces.lane, tape.pieces.event, strict=True))
    room = MAX_BLOCKS
    for choice in analysis.choices if analysis.streamed else ():
        shown = choice.blocks[-room:] if room else ()
        room -= len(shown)
        for block in shown:
            yield _growing_block(choice, block, last_events)


def _growing_block(choice: Choice, block: Block, last_events: Mapping[int, int]) -> GrowingBlock:
    began, *ended = [place.event for place in block.places] or [None]
    last = began if block.lane is None else last_events.get(block.lane, began)
    name = _tool_name(choice, block)
    return GrowingBlock(
        choice=choice.index,
        kind=block.kind,
        type=well_formed(type_words(block)),
        name=None if name is None else well_formed(name),
        lane=block.lane,
        first_event=began,
        last_event=ended[-1] if ended else last,
        is_closed=bool(ended) or has_finish_reason(choice.finish_reason),
    )


def _tool_name(choice: Choice, block: Block) -> str | None:
    if block.kind is not BlockKind.TOOL_CALL:
        return None
    call = choice.function_call if block.tool_call is None else choice.tool_calls[block.tool_call]
    name = getattr(call, "name", None)
    return name if isinstance(name, str) else None


def _open_block(blocks: Sequence[GrowingBlock]) -> int | None:
    newest = max(range(len(blocks)), key=lambda at: (blocks[at].last_event or 0, at), default=None)
    return None if newest is None or blocks[newest].is_closed else newest
