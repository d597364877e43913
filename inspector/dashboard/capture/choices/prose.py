"""Texts of a message that follow each other, drawn as the one flow of words that they are.

A provider that cites (web search of Anthropic, grounding) begins a new text block at each citation,
in the middle of a sentence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.safestring import SafeString

from inspector.core.completion import BlockKind
from inspector.dashboard.capture.choices.blocks import BlockDisplay, Rendered


@dataclass(frozen=True, slots=True)
class BlockRun:
    """Blocks that are drawn together: one of any kind, or several texts."""

    blocks: tuple[BlockDisplay, ...]
    rendered: SafeString | None = None
    """Markdown of several texts together; None if they are drawn as text."""

    @property
    def is_prose(self) -> bool:
        return len(self.blocks) > 1

    @property
    def name(self) -> str:
        """``texts 2 to 5``, ``texts 2 and 3``."""
        first, last = (self.blocks[at].name.rpartition(" ")[2] for at in (0, -1))
        return f"texts {first} {'and' if len(self.blocks) == 2 else 'to'} {last}"

    @property
    def id(self) -> str:
        return f"run-{self.blocks[0].id}"


def block_runs(
    blocks: Sequence[BlockDisplay], render: Callable[[str], Rendered]
) -> tuple[BlockRun, ...]:
    runs: list[BlockRun] = []
    for is_joined, group in groupby(blocks, _is_joined):
        if not is_joined:
            runs += (BlockRun((block,)) for block in group)
            continue
        texts = tuple(group)
        rendered, unrendered = render("".join(block.text for block in texts))
        # Why there is no Markdown is said once for each block, where each is drawn alone.
        runs += (BlockRun((b,)) for b in texts) if unrendered else [BlockRun(texts, rendered)]
    return tuple(runs)


def _is_joined(block: BlockDisplay) -> bool:
    """Return True for a text that is whole on the page, so that it can stand in a line with
    others.
    """
    passage = block.passage
    if block.kind is not BlockKind.TEXT or passage is None or passage.absent:
        return False
    return not (passage.folded_length or passage.rest_length)
