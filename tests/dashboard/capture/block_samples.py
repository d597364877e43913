"""Messages of several blocks as values: each text and each call has a lane of its own."""

import json
from typing import Any

import msgspec

from inspector.core.completion import ArgumentsState, Block, BlockKind, Choice, ToolCall
from inspector.core.tape import EventKind, Lane, LaneKind, Tape, TapeBuilder
from inspector.core.wire.exchange import Clock
from inspector.dashboard.capture.page.capture_view import CaptureView
from tests.dashboard.capture.samples import analysis, view

LANES = {
    BlockKind.TEXT: LaneKind.CONTENT,
    BlockKind.REASONING: LaneKind.REASONING,
    BlockKind.REFUSAL: LaneKind.REFUSAL,
    BlockKind.TOOL_CALL: LaneKind.TOOL_CALL,
}


def text(said: str, **more: Any) -> Block:
    return Block(kind=BlockKind.TEXT, type="text", text=said, **more)


def thought(said: str) -> Block:
    return Block(kind=BlockKind.REASONING, type="thinking", text=said)


def call(position: int = 0) -> Block:
    return Block(kind=BlockKind.TOOL_CALL, type="tool_use", tool_call=position)


def hosted(value: Any, **more: Any) -> Block:
    fields = {"kind": BlockKind.HOSTED, "type": value.get("type", msgspec.UNSET)} | more
    return Block(value=value, **fields)


def called(name: str, arguments: str = "{}", index: int = 0) -> ToolCall:
    state = ArgumentsState.VALID
    return ToolCall(index=index, name=name, arguments_text=arguments, arguments_state=state)


def choice(*blocks: Block, calls: tuple[ToolCall, ...] = (), index: int = 0) -> Choice:
    """A choice whose derived texts are those of the blocks, joined."""
    texts = {
        kind: "".join(str(block.text) for block in blocks if block.kind is kind)
        for kind in (BlockKind.TEXT, BlockKind.REASONING, BlockKind.REFUSAL)
    }
    return Choice(
        index=index,
        content=texts[BlockKind.TEXT] or msgspec.UNSET,
        reasoning=texts[BlockKind.REASONING] or msgspec.UNSET,
        refusal=texts[BlockKind.REFUSAL] or msgspec.UNSET,
        finish_reason="stop",
        blocks=blocks,
        tool_calls=calls,
    )


def streamed_blocks(said: Choice, **changes: Any) -> CaptureView:
    """One event for each text and each call, 100 ms apart."""
    builder, body, blocks, reads = TapeBuilder(), b"", [], list[int]()
    for block in said.blocks:
        kind = LANES.get(block.kind)
        grown = argument_text(said, block) if block.tool_call is not None else block.text
        if kind is None or not isinstance(grown, str):
            blocks.append(block)
            continue
        event = f"data: {json.dumps({'text': grown})}\n\n".encode()
        at = builder.event(len(body), len(body) + len(event), EventKind.CHUNK)
        lane = builder.lane(Lane(said.index, kind, block.tool_call))
        builder.piece(at, lane, grown, builder.place((("text",),)))
        blocks.append(msgspec.structs.replace(block, lane=lane))
        body += event
        reads.append(len(body))
    at_us = [100_000 * (number + 1) for number in range(len(reads))]
    tape: Tape = builder.tape(Clock.RECORDED, at_us, reads)
    read = analysis(msgspec.structs.replace(said, blocks=tuple(blocks)))
    return view(read, body, tape=tape, **changes)


def argument_text(said: Choice, block: Block) -> str:
    assert block.tool_call is not None
    return said.tool_calls[block.tool_call].arguments_text
