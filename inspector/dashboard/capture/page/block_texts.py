"""The positions of the blocks' texts: in the text of their choice, and in their lanes."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.completion import Block, BlockKind, Choice, known
from inspector.core.tape import length_u16


@dataclass(frozen=True, slots=True)
class BlockText:
    """The text of one block. ``begin`` is its offset in the text of all blocks of its kind, in
    characters, and ``begin_u16`` in UTF-16 units; ``lane_start_u16`` is its offset in its lane,
    None where that is uncertain.
    """

    position: int
    block: Block
    text: str
    begin: int
    begin_u16: int
    lane_start_u16: int | None

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


def block_texts(choice: Choice, kind: BlockKind) -> tuple[BlockText, ...]:
    """Return the texts of one kind in their order."""
    placed = [
        (position, block, block.text)
        for position, block in enumerate(choice.blocks)
        if block.kind is kind and isinstance(block.text, str)
    ]
    is_whole = "".join(text for _, _, text in placed) == text_of_kind(choice, kind)
    return tuple(_placed(placed, is_whole=is_whole))


def text_of_kind(choice: Choice, kind: BlockKind) -> object:
    """Return the derived text of the blocks of one kind."""
    if kind is BlockKind.TEXT:
        return choice.text if known(choice.text) else choice.content
    return choice.reasoning if kind is BlockKind.REASONING else choice.refusal


def place_in_lane(
    texts: tuple[BlockText, ...], offset: int, offset_u16: int
) -> tuple[int, int] | None:
    """Lane of a character of the text of all blocks, and its UTF-16 offset there; None if that is
    unknown. ``offset`` and ``offset_u16`` are its place in that text.
    """
    at = bisect_right(texts, offset, key=lambda each: each.begin) - 1
    lane, start_u16 = (texts[at].block.lane, texts[at].lane_start_u16) if at >= 0 else (None, None)
    if lane is None or start_u16 is None:
        return None
    return lane, start_u16 + offset_u16 - texts[at].begin_u16


def _placed(placed: list[tuple[int, Block, str]], *, is_whole: bool) -> Iterator[BlockText]:
    times = Counter(block.lane for _, block, _ in placed)
    lengths_u16: Counter[int | None] = Counter()
    begin = begin_u16 = 0
    for position, block, text in placed:
        # A part of another kind may have added to a lane of several blocks.
        is_certain = block.lane is not None and (is_whole or times[block.lane] == 1)
        lane_start_u16 = lengths_u16[block.lane] if is_certain else None
        yield BlockText(position, block, text, begin, begin_u16, lane_start_u16)
        units = length_u16(text)
        lengths_u16[block.lane] += units
        begin, begin_u16 = begin + len(text), begin_u16 + units
