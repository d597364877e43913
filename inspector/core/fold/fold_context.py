"""The current event of a fold, and where results are written."""

from collections.abc import Mapping

from msgspec import UNSET

from inspector.core.findings import Where, shorten_quoted
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.fold.document import AnswerDocument
from inspector.core.fold.engine import Node, Path
from inspector.core.fold.growing_text import GrowingEntry, GrowingText
from inspector.core.fold.said_again import difference
from inspector.core.json import Json
from inspector.core.json.pointer import pointer_to
from inspector.core.json.raw_values import RawValue, RawValues
from inspector.core.json.type_words import type_word
from inspector.core.limits import Allowance
from inspector.core.tape import Lane, MarkKind, TapeBuilder

MAX_EVENT_TYPE = 80
"""Types of all formats are shorter; a line of a stream may be megabytes."""


class FoldContext:
    """The current event of one fold, and what it writes to. The assembly advances it."""

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
        """The place that the event describes now, and how long the path in the event is to it."""
        self.document: AnswerDocument | None = None
        """The answer under construction, in formats whose events build it."""
        self.event_object: dict[str, Json] = {}
        """The object of an event that builds the answer."""
        self.event_node: Node
        """Node of what stands in events of its type."""
        self.positions: dict[str, int] = {}
        """The last position that events stated in each of their members."""
        self.is_repeat = False
        """A part is sent whole whose pieces came before."""
        self.is_beginning = False
        """An answer begins with what is taken."""
        self.has_news = False
        """The event changed a field of the answer."""
        self.is_steady = True
        """An equal event would change nothing but a growing text, ``entry`` and ``beside``."""
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
        # Its place is told of the first alone, and some are noted in every chunk.
        if not self.notes.again(anomaly, subject):
            self.notes.add(anomaly, self.where(path), subject, detail)

    def note_type(self, value: Json, wanted: str, path: Path, subject: str) -> None:
        """Note a value whose type no reference allows where ``wanted`` (``a list``) belongs."""
        subject = f"{subject} is {type_word(value)}"
        self.note(Anomaly.BAD_CONTENT, path, subject, f"not {wanted}: {shorten_quoted(value)}")

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
        """Note an anomaly that nearly every chunk may show; in a whole body it means nothing."""
        if not self.is_whole and not self.notes.has(anomaly, subject):
            self.notes.add(anomaly, self.where(path), subject)

    def found(self, value: Json, path: Path) -> RawValue:
        path = (*self.base, *path)
        return RawValue(value, pointer_to(path) if self.is_whole else self.event, self.text, path)

    def place_of(self, path: Path) -> Path:
        """Return the place of the answer that a path of the event describes."""
        place, length = self.mapping
        return (*place, *path[length:]) if place or length else path

    def name_at(self, path: Path) -> str:
        """Return the member's name at that place, which may be another than in the event."""
        place, length = self.mapping
        return str((path[length:] or place or path)[-1])

    @property
    def built(self) -> AnswerDocument | None:
        """The answer under construction, if the event's values become parts of it."""
        return None if self.is_whole or self.is_repeat else self.document

    def keep(self, path: Path, value: Json) -> None:
        """Keep a value at its place of the answer, if events build it."""
        if (document := self.built) is not None:
            document.merge(self.place_of(path), value)

    def hold(self, path: Path, text: GrowingText) -> None:
        """Let a text that grows stand at its place of the answer, if events build it."""
        if (document := self.built) is not None:
            document.replace(self.place_of(path), text)

    def add_items(self, path: Path, items: list[Json]) -> None:
        """Append items to the list at its place of the answer, if events build it."""
        if (document := self.built) is not None:
            document.extend(self.place_of(path), items)

    def open_list(self, path: Path) -> None:
        """Let a list stand at its place of the answer, if events build it."""
        if (document := self.built) is not None:
            document.open_list(self.place_of(path))

    def grow(self, text: GrowingText, lane: Lane | None, piece: str, *paths: Path) -> None:
        """Add a piece to a text, which stands at these paths of the event; at none if it is
        derived. The first one opens ``lane``; with None the text stays off the tape.
        """
        if not piece:
            return
        text.add([piece])
        if text.lane is None:
            if lane is None:
                return
            text.lane = self.tape.lane(lane, text.parts)
            text.began = self.where(paths[0] if paths else ())
        if self.base:
            paths = tuple((*self.base, *path) for path in paths)
        place = self.tape.places.get(paths)
        place = self.tape.place(paths) if place is None else place
        self.tape.piece(self.event, text.lane, piece, place)
        self.grown, self.grown_at = text, paths

    def grow_alike(self, text: GrowingText, piece: str, place: int) -> None:
        """Add a piece at a place where one stood before."""
        if piece:
            text.add([piece])
            if text.lane is not None:
                self.tape.piece(self.event, text.lane, piece, place)

    def grow_by(self, text: GrowingText, texts: list[str], place: int, first: int) -> None:
        """Add the pieces of successive events at a place where one stood before."""
        pieces = [piece for piece in texts if piece]
        text.add(pieces)
        if text.lane is not None:
            events = [event for event, piece in enumerate(texts, first) if piece]
            self.tape.pieces(events, text.lane, pieces, place)

    def spelt_at(self, path: Path) -> bytes | None:
        """Return the exact bytes of a value in the current event."""
        # Made only where a value's spelling is asked for: few events have one.
        if self._spelling.text is not self.text:
            self._spelling = RawValues(self.text)
        return self._spelling.at((*self.base, *path))

    def mark(self, kind: MarkKind, choice: int | None = None, lane: int | None = None) -> None:
        self.tape.mark(self.event, choice, lane, kind)


def decoded_type(sent: bytes) -> str:
    """Return the type of an event as it is compared and shown."""
    return sent.decode(errors="replace")[:MAX_EVENT_TYPE]
