"""Folds messages that are lists of parts. Each is a block: a text, a call, or its value."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET

from inspector.core.completion import Block, BlockKind, list_or_empty
from inspector.core.findings import Where
from inspector.core.fold.document import AnswerDocument, built_value
from inspector.core.fold.engine import Path
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.growing_text import GrowingText
from inspector.core.fold.said_again import is_telling
from inspector.core.fold.tool_calls import ToolCallFold
from inspector.core.formats.grammar import MessageCitations
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.limits import LimitedItem
from inspector.core.tape import LaneKind

LANES: Mapping[BlockKind, LaneKind] = {
    BlockKind.TEXT: LaneKind.CONTENT,
    BlockKind.REASONING: LaneKind.REASONING,
    BlockKind.REFUSAL: LaneKind.REFUSAL,
}
"""The kinds of blocks that are texts, with their lanes."""


MOST_LATE, MOST_TEXTS = 64, 8
"""Blocks that are compared with a text that may say them again."""
READING_ORDER = (BlockKind.REASONING, BlockKind.TEXT, BlockKind.TOOL_CALL)


class BlockFold:
    """One part of a message while events build it."""

    def __init__(self, place: Path, kind: BlockKind, type_: str, began: Where) -> None:
        self.place = place
        self.kind = kind
        self.type = type_
        self.began = began
        self.ended: Where | None = None
        self.text: GrowingText | None = None
        self.call: ToolCallFold | None = None
        """The call of a block that names a tool."""
        self.call_position: int | None = None
        self.citations: Path | None = None
        """Place of the list of its sources."""
        self.cited_by: list[Json] = []
        """Those of the message's sources that name this part."""
        self.is_field = False
        """It is the text of a field, which may be several blocks."""
        self.sent: Json = UNSET
        """The part as it was sent whole, or as it was when something else came to its place."""
        self.is_settled = False

    @property
    def is_text(self) -> bool:
        return self.kind in LANES

    def block(self, document: AnswerDocument) -> Block | None:
        """Return the value of the block; None for a text that is empty.

        Reasoning may be sent encrypted, or as a signature alone: it is there, without a text.
        """
        text = self.text.said() if self.text is not None else ""
        is_hidden = self.kind is BlockKind.REASONING and not text and self._has_more(document)
        if self.is_text and not text and not is_hidden:
            return None
        is_plain = (self.is_text and not is_hidden) or self.call is not None
        grown = self.call.arguments if self.call is not None else self.text
        return Block(
            kind=self.kind,
            type=self.type,
            lane=grown.lane if grown is not None else None,
            text=text if self.is_text or self.text is not None else UNSET,
            tool_call=self.call_position,
            value=UNSET if is_plain else self.value(document),
            citations=(*list_or_empty(self._citations(document)), *self.cited_by),
            pointer=pointer_to(self.pointer_path),
            places=(self.began,) if self.ended is None else (self.began, self.ended),
        )

    @property
    def pointer_path(self) -> Path:
        """The place of the part, or of the field whose text it is."""
        return self.place[:-1] if self.is_field else self.place

    def value(self, document: AnswerDocument) -> Json:
        """Return the whole part: as it stands in the answer, or as it was sent."""
        held = UNSET if self.is_settled else document.at(self.place)
        return built_value(self.sent if held is UNSET else held)

    def settle(self, document: AnswerDocument) -> None:
        """Keep the whole part as it is now: something else will stand at its place."""
        self.sent, self.is_settled = self.value(document), True

    def move(self, item: Path) -> None:
        """Stand in an item at another place."""
        end = len(item)
        self.place = (*item, *self.place[end:])
        if self.citations is not None:
            self.citations = (*item, *self.citations[end:])
        if self.call is not None:
            self.call.pointer = pointer_to(self.place)

    def _has_more(self, document: AnswerDocument) -> bool:
        """Return True if the part says more than its type."""
        value = self.value(document)
        return isinstance(value, dict) and any(
            value[name] for name in value if name not in ("status", "thought", "type")
        )

    def _citations(self, document: AnswerDocument) -> Json:
        if self.citations is None:
            return UNSET
        held = UNSET if self.is_settled else document.at(self.citations)
        if held is UNSET and isinstance(self.sent, dict):
            held = AnswerDocument({"": self.sent}).at(("", *self.citations[len(self.place) :]))
        return built_value(held)


class BlocksFold:
    """The blocks of one choice, in the order in which they were opened."""

    def __init__(self) -> None:
        self.is_used = False
        """The message is a list of blocks, perhaps an empty one."""
        self.has_order = True
        """The order in which blocks came means something."""
        self._opened: list[BlockFold] = []
        self._by_place: dict[Path, BlockFold] = {}
        self.late: deque[BlockFold] = deque(maxlen=MOST_LATE)
        """The last blocks that no event began."""
        self._by_call_id: dict[str, BlockFold] = {}
        self._are_texts = True
        """No block is anything else than a text."""
        self.citations: tuple[MessageCitations, Path, Json] | None = None
        """The sources of the message: their effect, their place, and the list of a whole body."""

    def share_citations(self, document: AnswerDocument) -> None:
        """Give the sources of the message to the parts that they name."""
        if self.citations is None:
            return
        effect, place, sent = self.citations
        for block in self:
            block.cited_by = []
        for each in list_or_empty(built_value(document.at(place)) if sent is UNSET else sent):
            named = self._named_by(each, effect)
            if named is not None:
                named.cited_by.append(each)

    def _named_by(self, citation: Json, effect: MessageCitations) -> BlockFold | None:
        """Return the part that a source names, or else the first text; None if there is neither."""
        stated = citation if isinstance(citation, dict) else {}
        label, index = stated.get(effect.label), stated.get(effect.index)
        field = effect.fields.get(label) if isinstance(label, str) else None
        texts = [block for block in self if block.is_text]
        of_field = (block for block in texts if block.is_field and block.type == field)
        of_part = (block for block in texts if not block.is_field and block.place[-1] == index)
        first = (block for block in texts if block.kind is BlockKind.TEXT)
        return next(of_field if field else of_part, None) or next(first, None)

    def at(self, place: Path) -> BlockFold | None:
        """Return the block that was opened there last."""
        return self._by_place.get(place)

    def open(self, context: FoldContext, block: BlockFold) -> BlockFold | None:
        """Add a block; None if there are too many."""
        self.is_used = True
        context.is_steady = False
        if not context.allowance.admits(LimitedItem.CONTENT_PARTS):
            return None
        # A block that is opened once more is another one: what the first said was said.
        self._opened.append(block)
        self._are_texts = self._are_texts and block.is_text
        self._by_place[block.place] = block
        return block

    def move(self, list_: Path, positions: Mapping[int, int]) -> None:
        """Follow the items of a list to their new positions."""
        end = len(list_)
        for block in self._opened:
            if block.place[:end] == list_ and not block.is_settled and block.place[end:]:
                old = block.place[end]
                block.move((*list_, positions.get(old, old)))
        self._by_place = {block.place: block for block in self._opened}

    def name_call(self, id_: Json, block: BlockFold) -> None:
        if isinstance(id_, str) and id_:
            self._by_call_id.setdefault(id_, block)

    def of_call(self, id_: Json) -> BlockFold | None:
        """Return the block of the call with this id."""
        return self._by_call_id.get(id_) if isinstance(id_, str) else None

    def have_said(self, kind: BlockKind, text: str) -> bool:
        """Return True if all texts of a kind are this text, and nothing else came than texts."""
        if not (self._are_texts and 1 < len(self._opened) <= MOST_TEXTS and is_telling(text)):
            return False
        said = (block.text.text() for block in self if block.kind is kind and block.text)
        return "".join(said) == text

    @property
    def last(self) -> BlockFold | None:
        return self._opened[-1] if self._opened else None

    def __iter__(self) -> Iterator[BlockFold]:
        return iter(self._opened)

    def __len__(self) -> int:
        return len(self._opened)


class BlockValues:
    """The blocks of a choice as values, and the fields that are derived from them."""

    def __init__(self, blocks: Iterable[BlockFold], document: AnswerDocument) -> None:
        found = [block.block(document) for block in blocks]
        self.blocks = tuple(block for block in found if block is not None)

    def in_reading_order(self) -> tuple[Block, ...]:
        """Fields of a whole message have no order: reasoning comes before text, text before calls.
        Parts of a list stay as they are.
        """
        return tuple(sorted(self.blocks, key=_reading_rank))

    def text(self, kind: BlockKind) -> Any:
        """Return the texts of a kind, joined; UNSET if there are none."""
        texts = [block.text for block in self.blocks if block.kind is kind]
        return "".join(text for text in texts if isinstance(text, str)) if texts else UNSET


def _reading_rank(block: Block) -> int:
    return READING_ORDER.index(block.kind) if block.kind in READING_ORDER else len(READING_ORDER)
