"""The blocks of a chat message, whose parts stand in fields of their own.

They come in the order of their first characters; in a whole body, where the order of fields means
nothing, reasoning comes before content and content before calls.
"""

from collections.abc import Iterable, Iterator, Sequence

from inspector.core.completion import Block, BlockKind
from inspector.core.findings import Where
from inspector.core.fold.content_parts import REASONING_PARTS, reasoning_member
from inspector.core.fold.growing_text import GrowingText
from inspector.core.json import Json

KINDS_OF_PARTS = {
    "text": BlockKind.TEXT,
    **dict.fromkeys(REASONING_PARTS, BlockKind.REASONING),
    "refusal": BlockKind.REFUSAL,
    "image_url": BlockKind.IMAGE,
    "image": BlockKind.IMAGE,
    "input_audio": BlockKind.AUDIO,
    "audio": BlockKind.AUDIO,
    "reference": BlockKind.CITATION,
}


def text_block(
    kind: BlockKind, name: str, text: GrowingText | None, shown: str | None
) -> Block | None:
    """Return the block of a text field; None if it is empty."""
    if text is None or not shown:
        return None
    places = () if text.began is None else (text.began,)
    return Block(kind=kind, type=name, lane=text.lane, text=shown, places=places)


def part_blocks(
    parts: Iterable[Json], content: GrowingText | None, reasoning: GrowingText | None
) -> Iterator[Block]:
    """Yield the blocks of content that was sent as a list of parts."""
    for part in parts:
        named = part.get("type") if isinstance(part, dict) else None
        name = named if isinstance(named, str) else ""
        kind = KINDS_OF_PARTS.get(name, BlockKind.UNKNOWN)
        text = _text_of(part)
        is_hidden = name == "redacted_thinking" and not text
        if kind in (BlockKind.TEXT, BlockKind.REASONING) and not is_hidden:
            lane = content if kind is BlockKind.TEXT else reasoning
            if text:
                yield Block(kind=kind, type=name, lane=lane.lane if lane else None, text=text)
        else:
            yield Block(kind=kind, type=name, value=part)


def in_order(blocks: Iterable[Block | None]) -> tuple[Block, ...]:
    return tuple(sorted(filter(None, blocks), key=_began))


def _began(block: Block) -> int:
    first: Sequence[Where] = block.places[:1]
    return first[0].event or 0 if first else 0


def _text_of(part: Json) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "".join(map(_text_of, part))
    if not isinstance(part, dict):
        return ""
    return _text_of(part.get(reasoning_member(part) or "text"))
