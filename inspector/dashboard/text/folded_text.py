"""A long text on a page: its head, a part that opens, and the number of characters left out."""

from dataclasses import dataclass

from inspector.formatting.invisible_characters import TextSegment, exact_segments

HEAD_CHARACTERS = 300
"""Three or four lines."""
MAX_FOLDED = 10_000
"""Characters of one text that are included, folded, in the page."""


@dataclass(frozen=True, slots=True)
class FoldedText:
    head: tuple[TextSegment, ...]
    rest: tuple[TextSegment, ...] = ()
    rest_length: int = 0
    left_out: int = 0
    """Characters that are not on the page."""


class TextFolder:
    """Folds the texts of one panel, within a shared limit of characters."""

    def __init__(self, room: int) -> None:
        self._room = room

    def fold(self, text: str, head: int = HEAD_CHARACTERS) -> FoldedText:
        cut = head if len(text) > head * 1.2 else len(text)
        end = cut + max(0, min(len(text) - cut, MAX_FOLDED, self._room - cut))
        self._room -= end
        return FoldedText(
            head=exact_segments(text[:cut]),
            rest=exact_segments(text[cut:end]),
            rest_length=end - cut,
            left_out=len(text) - end,
        )
