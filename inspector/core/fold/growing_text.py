"""Texts that come in pieces, and lists whose entries do."""

import msgspec

from inspector.core.findings import Where
from inspector.core.fold.said_again import Echo, TextSoFar, are_said_again
from inspector.core.json import Json
from inspector.core.tape import length_u16


class GrowingEntry(msgspec.Struct, frozen=True):
    """The piece that an event added to a list whose entries come in pieces. ``name`` is the one of
    its members that is another text in every event.
    """

    pieces: list[Json]
    piece: dict[str, Json]
    name: str

    def grow(self, text: str) -> None:
        """Add an equal piece with another text."""
        self.pieces.append({**self.piece, self.name: text})


class GrowingText:
    """Text that comes in pieces. ``lane`` is None until a piece is put on the tape."""

    __slots__ = (
        "_counted",
        "_joined",
        "_length_u16",
        "_so_far",
        "began",
        "echo",
        "lane",
        "name",
        "parts",
        "start",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[str] = []
        self.lane: int | None = None
        self.began: Where | None = None
        """The place of the first piece on the tape."""
        self.echo: GrowingText | None = None
        """The text that grows by the same pieces now, at a place of the answer of its own."""
        self.start: Echo | None = None
        """Text at the beginning of its block, as long as pieces may only say it again."""
        self._counted = 0
        """Number of pieces whose length is known."""
        self._length_u16 = 0
        self._joined: str | None = None
        """The text as it was last compared, None if it grew since."""
        self._so_far: TextSoFar | None = None

    @property
    def is_begun(self) -> bool:
        """True if a piece came that is not empty."""
        return self._length() > 0

    def says(self, text: str) -> bool:
        """Return True if the pieces spell this text. The pieces are joined only for a text as long
        as they are: a sender may ask as often as there are pieces.
        """
        if length_u16(text) != self._length():
            return self.parts[-1:] == [text] and self._is_said_again()
        if self._joined is None:
            self._joined = self.text()
        return join_pieces([text]) == self._joined

    def _length(self) -> int:
        if self._counted < len(self.parts):
            grown = sum(map(length_u16, self.parts[self._counted :]))
            self._counted = len(self.parts)
            self._length_u16 += grown
            self._joined = None if grown else self._joined
        return self._length_u16

    def text(self) -> str:
        return join_pieces(self.parts)

    def begin_with(self, text: str) -> None:
        """Let a text be what stood there when the block began."""
        self.start = Echo(text) if text else None

    def new_in(self, piece: str) -> str:
        """Return the addition of a piece to what stood there when the block began."""
        if self.start is None:
            return piece
        new = self.start.new_in(piece)
        self.start = None if self.start.is_over else self.start
        return new

    def said(self) -> str:
        """Return the text, which is said once even if its pieces repeat it."""
        return join_pieces(self.parts[-1:] if self._is_said_again() else self.parts)

    def _is_said_again(self) -> bool:
        if len(self.parts) < 2:
            return False
        self._so_far = self._so_far or TextSoFar()
        return are_said_again(self.parts, self._so_far)

    def last(self) -> str:
        """Return the last piece that is not empty, which is the whole text of a snapshot."""
        return next((piece for piece in reversed(self.parts) if piece), "")

    def add(self, pieces: list[str]) -> None:
        """Add pieces that are not empty."""
        self.parts += pieces
        if self.echo is not None:
            self.echo.parts += pieces


def join_pieces(pieces: list[str]) -> str:
    """Join pieces, also surrogate halves of two events. Other lone halves become U+FFFD."""
    text = "".join(pieces)
    # The usual case, answered from a flag of the string without looking at its characters.
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
