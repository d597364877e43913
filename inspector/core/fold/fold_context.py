"""The state that all parts of a fold share: the current event, and where results are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from inspector.core.completion import Json
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.fold.engine import Path
from inspector.core.formats.grammar import Effect
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import RawValue, RawValues
from inspector.core.limits import Allowance
from inspector.core.tape import Lane, MarkKind, TapeBuilder

if TYPE_CHECKING:
    from inspector.core.fold.answer import AnswerFold
    from inspector.core.fold.message import ChoiceFold
    from inspector.core.fold.tool_calls import ToolCallFold


class FoldContext:
    """Shared state of one fold. The assembly advances it; handlers set what they are inside of."""

    answer: AnswerFold
    choice: ChoiceFold
    call: ToolCallFold
    body: dict[str, Json]
    """The fields of ``call`` that hold its name and arguments."""

    def __init__(self) -> None:
        self.tape = TapeBuilder()
        self.notes = AnomalyNotes()
        self.allowance = Allowance()
        self.event = 0
        self.text = b""
        """JSON text of the current event, for values that are kept as they were spelt."""
        self.is_whole = False
        """The body is one object: it has no events, and the order of its fields means nothing."""
        self.base: Path = ()
        """Path of the object in a body that is a list of objects."""
        self.varying: Mapping[str, type[Effect]] = {}
        """Fields of the event that may differ in an event that is otherwise equal."""
        self.has_news = False
        """The event changed a field of the answer."""
        self.is_steady = True
        """Taking an equal event again would change nothing but a text that grows."""
        self._spelling = RawValues(b"")
        self.grown: GrowingText | None = None
        """The text that the last piece on the tape belongs to."""
        self.grown_at: tuple[Path, ...] = ()
        """Where that piece stands in its event."""

    def begin(self, event: int, text: bytes) -> None:
        """Turn to the object of an event."""
        self.event, self.text = event, text
        self.is_steady, self.has_news = True, False

    def note(self, oddity: Anomaly, path: Path, subject: str = "", detail: str = "") -> None:
        self.notes.add(oddity, self.where(path), subject, detail)

    def where(self, path: Path) -> Where:
        # A whole body has no events: its places are pointers alone.
        event = None if self.is_whole else self.event
        return Where(pointer=pointer_to((*self.base, *path)), event=event)

    def note_once(self, oddity: Anomaly, path: Path, subject: str = "") -> None:
        """Note an anomaly that nearly every chunk may show. Ignored in a whole body, where it means
        nothing.
        """
        if not self.is_whole and not self.notes.has(oddity, subject):
            self.notes.add(oddity, self.where(path), subject)

    def found(self, value: Json, path: Path) -> RawValue:
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

    __slots__ = ("began", "lane", "name", "parts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[str] = []
        self.lane: int | None = None
        self.began: Where | None = None
        """The place of the first piece on the tape."""

    def text(self) -> str:
        return join_pieces(self.parts)

    def last(self) -> str:
        """The last piece that is not empty, which is the whole text of a snapshot."""
        return next((piece for piece in reversed(self.parts) if piece), "")

    def grow(self, cursor: FoldContext, lane: Lane | None, piece: str, *paths: Path) -> None:
        """Add a piece, which stands at these paths of the event. The first one opens ``lane``; with
        None the text stays off the tape.
        """
        self.parts.append(piece)
        if not piece:
            return
        if self.lane is None:
            if lane is None:
                return
            self.lane = cursor.tape.lane(lane)
            self.began = cursor.where(paths[0])
        if cursor.base:
            paths = tuple((*cursor.base, *path) for path in paths)
        tape = cursor.tape
        place = tape.places.get(paths)
        tape.piece(cursor.event, self.lane, piece, tape.place(paths) if place is None else place)
        cursor.grown, cursor.grown_at = self, paths

    def grow_alike(self, cursor: FoldContext, piece: str, place: int) -> None:
        """Add a piece at a place where one stood before."""
        self.parts.append(piece)
        if piece and self.lane is not None:
            cursor.tape.piece(cursor.event, self.lane, piece, place)


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
