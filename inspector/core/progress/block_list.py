"""The newest parts of an answer while it grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from inspector.core.completion import BlockKind, Json
from inspector.core.findings import Where
from inspector.core.fold.answer import AnswerFold
from inspector.core.fold.fold_context import GrowingText, join_pieces
from inspector.core.fold.message import ChoiceFold
from inspector.core.fold.tool_calls import ToolCallFold
from inspector.core.so_far import BlockSoFar
from inspector.core.tape import Lane, LaneKind

MAX_LISTED = 100
"""Choices, and parts of all choices, that are listed."""
MAX_CHARACTERS = 200
"""Length of a name that is shown."""
KINDS: Mapping[LaneKind, BlockKind] = {
    LaneKind.CONTENT: BlockKind.TEXT,
    LaneKind.TEXT: BlockKind.TEXT,
    LaneKind.REASONING: BlockKind.REASONING,
    LaneKind.REFUSAL: BlockKind.REFUSAL,
}


class BlocksSoFar:
    """Lists the parts of one answer. ``last_events``: by lane, the event of its last piece."""

    def __init__(
        self, answer: AnswerFold, lanes: Sequence[Lane], last_events: Mapping[int, int]
    ) -> None:
        self._answer = answer
        self._lanes = lanes
        self._last_events = last_events

    def blocks(self) -> list[BlockSoFar]:
        found: list[BlockSoFar] = []
        for choice in islice(self._answer.choices.values(), MAX_LISTED):
            room = MAX_LISTED - len(found)
            if not room:
                break
            found += self._of_parts(choice, room) if choice.blocks.is_used else ()
            found += () if choice.blocks.is_used else self._of_fields(choice, room)
        return found

    # -- messages that are lists of parts ---------------------------------------------------------

    def _of_parts(self, choice: ChoiceFold, most: int) -> Iterator[BlockSoFar]:
        for part in choice.blocks.newest(most):
            grown = part.call.arguments if part.call is not None else part.text
            yield self._block(
                choice,
                part.kind,
                part.type,
                grown,
                part.began,
                name=_name_of(part.call),
                ended=part.ended,
            )

    # -- messages whose parts stand in fields -----------------------------------------------------

    def _of_fields(self, choice: ChoiceFold, most: int) -> list[BlockSoFar]:
        texts = [*choice.texts.values(), *([choice.text] if choice.text is not None else [])]
        found = [self._of_text(choice, text) for text in texts if text.lane is not None]
        calls = [*choice.calls.calls[-most:], *choice.legacy_calls]
        found += [self._of_call(choice, call) for call in calls]
        return sorted(found, key=_first_event)[-most:]

    def _of_text(self, choice: ChoiceFold, text: GrowingText) -> BlockSoFar:
        kind = KINDS[self._lanes[text.lane or 0].kind]
        return self._block(choice, kind, text.name, text, text.began)

    def _of_call(self, choice: ChoiceFold, call: ToolCallFold) -> BlockSoFar:
        type_ = call.fields.get("type") or "function"
        return self._block(
            choice,
            BlockKind.TOOL_CALL,
            type_ if isinstance(type_, str) else "",
            call.arguments,
            call.began,
            name=_name_of(call),
        )

    def _block(
        self,
        choice: ChoiceFold,
        kind: BlockKind,
        type_: str,
        grown: GrowingText | None,
        began: Where | None,
        *,
        name: str | None = None,
        ended: Where | None = None,
    ) -> BlockSoFar:
        lane = grown.lane if grown is not None else None
        first = began.event if began is not None else None
        last = first if lane is None else self._last_events.get(lane, first)
        return BlockSoFar(
            choice=choice.index,
            kind=kind,
            type=shown(type_),
            name=name,
            lane=lane,
            first_event=first,
            last_event=ended.event if ended is not None else last,
            is_closed=ended is not None or choice.finished_at is not None,
        )


def open_block(blocks: Sequence[BlockSoFar]) -> int | None:
    """Position of the block that grew last; None if it is closed, or if there is none."""
    newest = max(range(len(blocks)), key=lambda at: (blocks[at].last_event or 0, at), default=None)
    return None if newest is None or blocks[newest].is_closed else newest


def shown(text: str) -> str:
    """A text of bounded length that JSON can carry."""
    return join_pieces([text[:MAX_CHARACTERS]])


def tool_name(call: ToolCallFold) -> Json:
    return call.function.get("name") or call.custom.get("name")


def _name_of(call: ToolCallFold | None) -> str | None:
    name = tool_name(call) if call is not None else None
    return shown(name) if isinstance(name, str) else None


def _first_event(block: BlockSoFar) -> int:
    return block.first_event or 0
