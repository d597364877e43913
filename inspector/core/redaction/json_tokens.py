"""Cuts a text into JSON strings and what stands between them, with the path of each, in one pass.

The text need not be JSON: events with their field names, lines of objects, cut and broken JSON are
cut the same way, and a text without any JSON is one piece between strings. Nothing is nested on the
stack, so that depth costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

DEEPEST = 128
"""Levels whose names are told; what is deeper belongs to the last of them."""
SIGN_CHARACTERS = 100
"""Values that tell what an object is, such as its type, are words."""
MAX_TOKENS = 250_000
"""Tokens of one text; what stands behind them is one piece."""

# As in '"id":', '"a text"', "-1.5", "[", "," and the beginning of a "data: {".
_TOKEN = re.compile(
    r'"(?P<text>(?:[^"\\\r\n]++|\\.)*+)"?(?P<name>[ \t\r\n]*+:)?'
    r"|(?P<number>-?\d[\d.eE+-]*+)|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)"
    r"|(?P<border>\n[ \t>]*\r?\n|(?m:^)(?:data: ?)?(?=\{))"
)
# As in " -12" in front of a list's items.
_SIGN = re.compile(r"[ \t\r\n]*+(-?\d{1,9})")
_SIGNS = frozenset({
    "index", "output_index", "content_index", "summary_index", "contentBlockIndex", "item_id",
})  # fmt: skip
"""Members that tell which of several growing texts an object belongs to."""


@dataclass(slots=True, eq=False)
class JsonFrame:
    """An object or list. ``name`` is its step below ``parent``: a member's name or a position."""

    parent: JsonFrame | None
    name: str
    is_list: bool
    start: int
    depth: int
    end: int = -1
    """-1 where the text ends before it does."""
    position: int = 0
    member: str = ""
    signs: dict[str, str] = field(default_factory=dict)
    key: int = -1
    """The same for frames whose texts may grow together; -1 until it is asked for."""

    @property
    def step(self) -> str:
        """The name of what comes next in it."""
        return str(self.position) if self.is_list else self.member


@dataclass(slots=True)
class JsonString:
    """A string without its quotes. ``step``: its name or position in ``frame``, "" for a name."""

    start: int
    end: int
    frame: JsonFrame | None
    step: str
    is_name: bool = False


@dataclass(slots=True)
class JsonNumber:
    start: int
    end: int
    frame: JsonFrame
    step: str


@dataclass(slots=True)
class JsonTokens:
    strings: list[JsonString]
    frames: list[JsonFrame]
    numbers: list[JsonNumber]


def json_tokens(text: str, kind: str = "") -> JsonTokens:
    """Cut a text. ``kind`` is what its event is called, if something else than the text says."""
    cutter = _Cutter(text, kind)
    for token in islice(_TOKEN.finditer(text), MAX_TOKENS):
        cutter.take(token)
    return cutter.found


def has_more_tokens(body: bytes) -> bool:
    """Tell whether a body has more tokens than are cut."""
    if len(body) <= MAX_TOKENS:
        return False
    tokens = _TOKEN.finditer(body.decode(errors="replace"))
    return next(islice(tokens, MAX_TOKENS, None), None) is not None


class _Cutter:
    def __init__(self, text: str, kind: str) -> None:
        self.found = JsonTokens([], [], [])
        self._text = text
        self._kind = kind
        self._frame: JsonFrame | None = None
        self._deeper = 0
        """Levels opened below the deepest that is told."""

    def take(self, token: re.Match[str]) -> None:
        which, frame = token.lastgroup, self._frame
        if which in ("text", "name"):
            self._take_string(token, frame)
        elif which == "open":
            self._open(token)
        elif which == "border":
            if not _is_in_root_list(frame):
                self._frame, self._deeper = None, 0
        elif frame is not None:
            self._take_inside(which, token, frame)

    def _take_inside(self, which: str | None, token: re.Match[str], frame: JsonFrame) -> None:
        if which == "number":
            self.found.numbers.append(JsonNumber(token.start(), token.end(), frame, frame.step))
        elif which == "comma" and not self._deeper:
            frame.position += 1
            frame.member = ""
        elif which == "close" and self._deeper:
            self._deeper -= 1
        elif which == "close":
            frame.end = token.end()
            self._frame = frame.parent

    def _open(self, token: re.Match[str]) -> None:
        parent = self._frame
        if parent is not None and parent.depth >= DEEPEST:
            self._deeper += 1
            return
        name, depth = (parent.step, parent.depth + 1) if parent else ("", 1)
        frame = JsonFrame(parent, name, token[0] == "[", token.start(), depth)
        if parent is None and self._kind:
            frame.signs["type"] = self._kind
        self.found.frames.append(frame)
        self._frame = frame

    def _take_string(self, token: re.Match[str], frame: JsonFrame | None) -> None:
        start, end = token.span("text")
        if frame is not None and not frame.is_list and token["name"] is not None:
            self._take_name(token, frame)
            return
        step = frame.step if frame else ""
        self.found.strings.append(JsonString(start, end, frame, step))
        if frame is not None and (step == "item_id" or (step == "type" and is_root(frame))):
            frame.signs[step] = token["text"][:SIGN_CHARACTERS]

    def _take_name(self, token: re.Match[str], frame: JsonFrame) -> None:
        frame.member = token["text"]
        self.found.strings.append(JsonString(*token.span("text"), frame, "", is_name=True))
        if frame.member in _SIGNS and (sign := _SIGN.match(self._text, token.end())):
            frame.signs[frame.member] = sign[1]


def is_root(frame: JsonFrame) -> bool:
    """Return True for the value of an event, also where all events are items of one list."""
    parent = frame.parent
    return parent is None or (parent.parent is None and parent.is_list)


def _is_in_root_list(frame: JsonFrame | None) -> bool:
    while frame is not None and frame.parent is not None:
        frame = frame.parent
    return frame is not None and frame.is_list
