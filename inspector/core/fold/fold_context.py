"""The state that all parts of a fold share: the current event, and where results are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from inspector.core.findings import Where, shorten_quoted
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.fold.engine import Node, Path
from inspector.core.fold.said_again import Echo, are_said_again, difference
from inspector.core.formats.grammar import TypedEvent
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import RawValue, RawValues
from inspector.core.json.type_words import type_word
from inspector.core.limits import Allowance
from inspector.core.tape import Lane, MarkKind, TapeBuilder, length_u16

if TYPE_CHECKING:
    from inspector.core.fold.answer import AnswerFold
    from inspector.core.fold.blocks import BlockFold
    from inspector.core.fold.message import ChoiceFold
    from inspector.core.fold.tool_calls import ToolCallFold

MAX_EVENT_TYPE = 80
"""Characters of an event's type that are kept."""


class FoldContext:
    """Shared state of one fold. The assembly advances it; handlers set what they are inside of."""

    answer: AnswerFold
    choice: ChoiceFold
    call: ToolCallFold
    call_body: dict[str, Json]
    """The fields of ``call`` that hold its name and arguments."""

    def __init__(self) -> None:
        self.tape = TapeBuilder()
        self.notes = AnomalyNotes()
        self.allowance = Allowance()
        self.event = 0
        self.text = b""
        """JSON text of the current event, for values that are kept as they were spelt."""
        self.event_type = ""
        """The type that the framing gives the current event, "" if it gives none."""
        self.is_whole = False
        """The body is one object: it has no events, and the order of its fields means nothing."""
        self.base: Path = ()
        """Path of the object in a body that is a list of objects."""
        self.varying: Mapping[str, Node] = {}
        """Fields of the event that may differ in an event that is otherwise equal."""
        self.mapping: tuple[Path, int] = ((), 0)
        """The place of the answer that the event describes now, and the length of the path in the
        event that leads to it.
        """
        self.block: BlockFold | None = None
        """The block that the event describes now."""
        self.event_object: dict[str, Json] = {}
        """The object of an event that builds the answer."""
        self.event_node: Node
        """What stands in events of its type."""
        self.positions: dict[str, int] = {}
        """The last position that events stated in each of their members."""
        self.is_repeat = False
        """A part is sent whole whose pieces came before."""
        self.is_beginning = False
        """An answer begins with what is taken."""
        self.has_news = False
        """The event changed a field of the answer."""
        self.is_steady = True
        """Taking an equal event again would change nothing but a text that grows, ``entry``, and
        what is ``beside``.
        """
        self.entry: GrowingEntry | None = None
        """The piece that the event added to a list of entries."""
        self.beside: Path | None = None
        """Where the event has the object that it added to a field of the choice."""
        self._spelling = RawValues(b"")
        self.grown: GrowingText | None = None
        """The text that the last piece on the tape belongs to."""
        self.grown_at: tuple[Path, ...] = ()
        """Where that piece stands in its event."""

    def begin(self, event: int, text: bytes, event_type: str) -> None:
        """Turn to the object of an event."""
        self.event, self.text, self.event_type = event, text, event_type
        self.is_steady, self.has_news, self.entry, self.beside = True, False, None, None

    def note(self, anomaly: Anomaly, path: Path, subject: str = "", detail: str = "") -> None:
        self.is_steady = False
        self.notes.add(anomaly, self.where(path), subject, detail)

    def note_type(self, value: Json, wanted: str, path: Path, subject: str) -> None:
        """Note a value whose type no reference allows where ``wanted`` (``a list``) belongs."""
        detail = f"{type_word(value)}, not {wanted}: {shorten_quoted(value)}"
        self.note(Anomaly.BAD_CONTENT, path, subject, detail)

    def note_index(self, value: Json, path: Path, subject: str, missing: Anomaly) -> None:
        """Note the index of something that is no position, or ``missing`` where there is none."""
        if value is UNSET or value is None:
            self.note(missing, path, subject)
        else:
            self.note(Anomaly.BAD_INDEX, path, subject, shorten_quoted(value))

    def note_difference(self, whole: str, pieces: str, path: Path) -> None:
        """Note that what was sent whole is not what its pieces say."""
        self.note(Anomaly.DONE_DIFFERS, path, str(path[-1]), difference(whole, pieces))

    def where(self, path: Path) -> Where:
        # A whole body has no events: its places are pointers alone.
        event = None if self.is_whole else self.event
        return Where(pointer=pointer_to((*self.base, *path)), event=event)

    def note_once(self, anomaly: Anomaly, path: Path, subject: str = "") -> None:
        """Note an anomaly that nearly every chunk may show. Ignored in a whole body, where it means
        nothing.
        """
        if not self.is_whole and not self.notes.has(anomaly, subject):
            self.notes.add(anomaly, self.where(path), subject)

    def found(self, value: Json, path: Path) -> RawValue:
        path = (*self.base, *path)
        return RawValue(value, pointer_to(path) if self.is_whole else self.event, self.text, path)

    def place_of(self, path: Path) -> Path:
        """The place of the answer that a path of the event describes."""
        place, length = self.mapping
        return (*place, *path[length:])

    def name_at(self, path: Path) -> str:
        """The member's name at that place, which may be another than in the event."""
        return str((self.place_of(path) or path)[-1])

    @property
    def builds(self) -> bool:
        """True if the event's values become parts of the answer."""
        has_document = self.answer.document is not None
        return has_document and not self.is_whole and not self.is_repeat

    @property
    def builds_by_events(self) -> bool:
        """True if events say what begins, what is added to it, and what it is when it is whole."""
        return isinstance(self.answer.root.effect, TypedEvent)

    def keep(self, path: Path, value: Json) -> None:
        """Keep a value at its place of the answer, if events build it."""
        if self.builds:
            document = self.answer.document
            assert document is not None
            document.merge(self.place_of(path), value)

    def hold(self, path: Path, text: GrowingText) -> None:
        """Let a text that grows stand at its place of the answer, if events build it."""
        if self.builds:
            document = self.answer.document
            assert document is not None
            document.replace(self.place_of(path), text)

    def add_items(self, path: Path, items: list[Json]) -> None:
        """Append items to the list at its place of the answer, if events build it."""
        if self.builds:
            document = self.answer.document
            assert document is not None
            document.extend(self.place_of(path), items)

    def open_list(self, path: Path) -> None:
        """Let a list stand at its place of the answer, if events build it."""
        if self.builds:
            document = self.answer.document
            assert document is not None
            document.open_list(self.place_of(path))

    def spelt_at(self, path: Path) -> bytes | None:
        """The exact bytes of a value in the current event."""
        # Made only where a value's spelling is asked for: few events have one.
        if self._spelling.text is not self.text:
            self._spelling = RawValues(self.text)
        return self._spelling.at((*self.base, *path))

    def mark(self, kind: MarkKind, choice: int | None = None, lane: int | None = None) -> None:
        self.tape.mark(self.event, choice, lane, kind)


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
        """What stood there when its block began, as long as pieces may only say it again."""
        self._counted = 0
        """Number of pieces whose length is known."""
        self._length_u16 = 0
        self._joined: str | None = None
        """The text as it was last compared, None if it grew since."""

    @property
    def is_begun(self) -> bool:
        """True if a piece came that is not empty."""
        return self._length() > 0

    def says(self, text: str) -> bool:
        """True if the pieces spell this text. The pieces are joined only for a text as long as they
        are: a sender may ask as often as there are pieces.
        """
        if length_u16(text) != self._length():
            last = self.parts[-1] if self.parts else ""
            return last == text and self.said() == text
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
        """What a piece adds to what stood there when the block began."""
        if self.start is None:
            return piece
        new = self.start.new_in(piece)
        self.start = None if self.start.is_over else self.start
        return new

    def said(self) -> str:
        """The text, which is said once even if its pieces repeat it."""
        is_again = len(self.parts) > 1 and are_said_again(self.parts)
        return join_pieces(self.parts[-1:] if is_again else self.parts)

    def last(self) -> str:
        """The last piece that is not empty, which is the whole text of a snapshot."""
        return next((piece for piece in reversed(self.parts) if piece), "")

    def grow(self, context: FoldContext, lane: Lane | None, piece: str, *paths: Path) -> None:
        """Add a piece, which stands at these paths of the event; at none if it is derived. The
        first one opens ``lane``; with None the text stays off the tape.
        """
        if not piece:
            return
        self.parts.append(piece)
        if self.echo is not None:
            self.echo.parts.append(piece)
        if self.lane is None:
            if lane is None:
                return
            self.lane = context.tape.lane(lane, self.parts)
            self.began = context.where(paths[0] if paths else ())
        if context.base:
            paths = tuple((*context.base, *path) for path in paths)
        tape = context.tape
        place = tape.places.get(paths)
        tape.piece(context.event, self.lane, piece, tape.place(paths) if place is None else place)
        context.grown, context.grown_at = self, paths

    def grow_alike(self, context: FoldContext, piece: str, place: int) -> None:
        """Add a piece at a place where one stood before."""
        if not piece:
            return
        self.parts.append(piece)
        if self.echo is not None:
            self.echo.parts.append(piece)
        if self.lane is not None:
            context.tape.piece(context.event, self.lane, piece, place)

    def grow_by(self, context: FoldContext, texts: list[str], place: int, first: int) -> None:
        """Add the pieces of successive events at a place where one stood before."""
        pieces = [text for text in texts if text]
        self.parts += pieces
        if self.echo is not None:
            self.echo.parts += pieces
        if self.lane is not None:
            events = [event for event, text in enumerate(texts, first) if text]
            context.tape.pieces(events, self.lane, pieces, place)


def decoded_type(sent: bytes) -> str:
    """The type of an event as it is compared and shown."""
    return sent.decode(errors="replace")[:MAX_EVENT_TYPE]


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
