"""The state that all parts of a fold share: the current event, and where results are written."""

from __future__ import annotations

from inspector.core.completion import Json
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import Path, RawValue, RawValues
from inspector.core.limits import Allowance
from inspector.core.tape import Lane, MarkKind, TapeBuilder


class FoldContext:
    """Shared state of one fold. Only the assembly advances it."""

    def __init__(self) -> None:
        self.tape = TapeBuilder()
        self.notes = AnomalyNotes()
        self.allowance = Allowance()
        self.event = 0
        self.text = b""
        """JSON text of the current event, for values that are kept as they were spelt."""
        self.is_whole = False
        """The body is one object: it has no events, and the order of its fields means nothing."""
        self._spelling = RawValues(b"")
        self.grown: GrowingText | None = None
        """The text that the last piece on the tape belongs to."""

    def note(self, oddity: Anomaly, pointer: str, subject: str = "", detail: str = "") -> None:
        # A whole body has no events: its places are pointers alone.
        event = None if self.is_whole else self.event
        self.notes.add(oddity, Where(pointer=pointer, event=event), subject, detail)

    def note_once(self, oddity: Anomaly, pointer: str, subject: str = "") -> None:
        """Note an anomaly that nearly every chunk may show. Ignored in a whole body, where it means
        nothing.
        """
        if not self.is_whole:
            self.notes.once(oddity, Where(pointer=pointer, event=self.event), subject)

    def found(self, value: Json, path: tuple[str | int, ...]) -> RawValue:
        return RawValue(value, pointer_to(path) if self.is_whole else self.event, self.text, path)

    def spelt_at(self, path: Path) -> bytes | None:
        """The exact bytes of a value in the current event."""
        # Made only where a value's spelling is asked for: few events have one.
        if self._spelling.text is not self.text:
            self._spelling = RawValues(self.text)
        return self._spelling.at(path)

    def mark(self, kind: MarkKind, choice: int | None = None, lane: int | None = None) -> None:
        self.tape.mark(self.event, choice, lane, kind)


class GrowingText:
    """Text that comes in pieces. ``lane`` is None until a piece is put on the tape."""

    __slots__ = ("lane", "name", "parts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[str] = []
        self.lane: int | None = None

    def text(self) -> str:
        return join_pieces(self.parts)

    def last(self) -> str:
        """The last piece that is not empty, which is the whole text of a snapshot."""
        return next((piece for piece in reversed(self.parts) if piece), "")

    def grow(self, cursor: FoldContext, lane: Lane | None, piece: str) -> None:
        """Add a piece. The first one opens ``lane``; with None the text stays off the tape."""
        self.parts.append(piece)
        if not piece:
            return
        if self.lane is None:
            if lane is None:
                return
            self.lane = cursor.tape.lane(lane)
        cursor.tape.piece(cursor.event, self.lane, piece)
        cursor.grown = self


def join_pieces(pieces: list[str]) -> str:
    """Join pieces, also surrogate halves that came in two events. Other lone halves become
    U+FFFD.
    """
    text = "".join(pieces)
    # The usual case, answered from a flag of the string without looking at its characters.
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
