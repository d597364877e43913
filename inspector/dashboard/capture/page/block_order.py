"""Whether a message is drawn block by block, and the ids of its blocks on the page."""

from collections import Counter
from itertools import pairwise

from inspector.core.completion import Block, BlockKind, Choice, known
from inspector.formatting.lanes import TEXT_KINDS

IN_ORDER_ONLY = (BlockKind.HOSTED, BlockKind.IMAGE, BlockKind.CITATION, BlockKind.UNKNOWN)
FIELD_ORDER = {
    BlockKind.REASONING: 0,
    BlockKind.TEXT: 1,
    BlockKind.REFUSAL: 1,
    BlockKind.TOOL_CALL: 2,
}
"""The order in which the fields of a chat message are drawn."""


def block_id(choice: int, position: int) -> str:
    return f"block-{choice}-{position}"


def is_in_order(choice: Choice) -> bool:
    """Return True if fields beside each other would not show what the message is: a kind of text
    comes several times, after a later one, or with parts that have no field.
    """
    blocks = choice.blocks
    times = Counter(block.kind for block in blocks)
    if any(times[kind] > 1 for kind in TEXT_KINDS) or any(map(times.get, IN_ORDER_ONLY)):
        return True
    if any(block.citations or is_without_field(choice, block) for block in blocks):
        return True
    ranks = [FIELD_ORDER[block.kind] for block in blocks if block.kind in FIELD_ORDER]
    return any(before > after for before, after in pairwise(ranks))


def is_without_field(choice: Choice, block: Block) -> bool:
    if block.kind in TEXT_KINDS:
        return not block.text and known(block.value)
    if block.kind is BlockKind.AUDIO:
        return "/message/audio" not in choice.extras
    is_call = block.kind is BlockKind.TOOL_CALL
    return is_call and block.tool_call is None and choice.function_call is None
