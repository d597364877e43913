"""Where a fold stands: the event at hand, and where it writes what it finds."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from inspector.core.completion import Json
from inspector.core.findings import Where
from inspector.core.limits import Allowance
from inspector.core.notes import Notes, Oddity
from inspector.core.pointer import pointer_to
from inspector.core.spelling import Path, Spelling
from inspector.core.tape import Lane, MarkKind, TapeBuilder


class Found(msgspec.Struct, frozen=True):
    """A value whose spelling counts: where it was found, and the text that spells it."""

    value: Json = UNSET
    at: int | str | None = None
    """JSON Pointer in a whole body, number of the event in a stream."""
    text: bytes = b""
    path: tuple[str | int, ...] = ()


class Cursor:
    """Shared by all parts of one fold; only the assembly moves it."""

    def __init__(self) -> None:
        self.tape = TapeBuilder()
        self.notes = Notes()
        self.allowance = Allowance()
        self.event = 0
        self.text = b""
        """The JSON text of the event at hand, for values whose spelling counts."""
        self.is_whole = False
        """One object says everything at once, so order in time means nothing."""
        self._spelling = Spelling(b"")
        self.grown: GrowingText | None = None
        """What the last drawn piece was given to."""

    def note(self, oddity: Oddity, pointer: str, subject: str = "", detail: str = "") -> None:
        event = None if self.is_whole else self.event
        self.notes.add(oddity, Where(pointer=pointer, event=event), subject, detail)

    def note_once(self, oddity: Oddity, pointer: str, subject: str = "") -> None:
        """For what nearly every chunk may do; in a whole body it means nothing."""
        if not self.is_whole:
            self.notes.once(oddity, Where(pointer=pointer, event=self.event), subject)

    def found(self, value: Json, path: tuple[str | int, ...]) -> Found:
        return Found(value, pointer_to(path) if self.is_whole else self.event, self.text, path)

    def spelt_at(self, path: Path) -> bytes | None:
        """The bytes of a value of the event at hand."""
        if self._spelling.text is not self.text:
            self._spelling = Spelling(self.text)
        return self._spelling.at(path)

    def mark(self, kind: MarkKind, choice: int | None = None, lane: int | None = None) -> None:
        self.tape.mark(self.event, choice, lane, kind)


class GrowingText:
    """Text that comes in pieces. ``lane`` is None until it holds a character that is drawn."""

    __slots__ = ("lane", "name", "parts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[str] = []
        self.lane: int | None = None

    def text(self) -> str:
        return joined(self.parts)

    def last(self) -> str:
        """The last piece that says something: all that holds of a snapshot."""
        return next((piece for piece in reversed(self.parts) if piece), "")

    def grow(self, cursor: Cursor, lane: Lane | None, piece: str) -> None:
        """Take one piece; the first one drawn opens ``lane``, None keeps the text undrawn."""
        self.parts.append(piece)
        if not piece:
            return
        if self.lane is None:
            if lane is None:
                return
            self.lane = cursor.tape.lane(lane)
        cursor.tape.piece(cursor.event, self.lane, piece)
        cursor.grown = self


def joined(pieces: list[str]) -> str:
    """Pieces as one text; surrogate halves that two events shared become one character again."""
    text = "".join(pieces)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def shorten(value: object, most: int = 60) -> str:
    """A value as it may stand inside a sentence."""
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= most else text[:most] + "…"
