"""Tells whether the beginning of a text can still become JSON (RFC 8259), in one step per
character.

The first breaking character is the first one after which no continuation is a JSON text. Nesting
deeper than ``json.parser.MAX_DEPTH`` breaks at the bracket that exceeds it.
"""

from enum import StrEnum

from inspector.core.json.parser import MAX_DEPTH


class ExpectedNext(StrEnum):
    """The kind of token that JSON allows at the current position."""

    VALUE = "value"
    NAME = "name"
    COLON = "colon"
    TEXT = "text"
    """Inside a string."""
    REST = "rest"
    """Inside an escape, a number or a literal."""
    SEPARATOR = "separator"
    """A comma, or the end of the innermost object or list."""
    END = "end"
    """The value is complete: only white space may follow."""


class JsonPrefix:
    """Scans a text in pieces, valid at any time; linear in the text, its memory in the nesting."""

    def __init__(self) -> None:
        self.broken_at: int | None = None
        """Position of the first breaking character, from 0."""
        self.is_too_deep = False
        self._length = 0
        self._state = _STATES["value"]
        self._open: list[str] = []

    def feed(self, piece: str) -> None:
        if self.broken_at is not None:
            return
        state = self._state
        # One byte per character: those beyond Latin-1 become "?", which is allowed where they are.
        for at, code in enumerate(piece.encode("latin-1", "replace"), self._length):
            following = _ROWS[state][code]
            if following >= _FIRST_ACTION:
                following = self._act(following)
                if following == _BROKEN:
                    self.broken_at = at
                    break
            state = following
        self._state = state
        self._length += len(piece)

    @property
    def is_whole(self) -> bool:
        """True if the text so far is a JSON text."""
        return self.broken_at is None and self.due is ExpectedNext.END

    @property
    def due(self) -> ExpectedNext:
        """The token expected at the breaking character, or at the end of an unbroken text."""
        if self._state in _WHOLE_VALUES:
            return ExpectedNext.SEPARATOR if self._open else ExpectedNext.END
        return _DUE.get(self._state, ExpectedNext.REST)

    @property
    def depth(self) -> int:
        """Number of open brackets."""
        return len(self._open)

    @property
    def is_in_string(self) -> bool:
        """True inside a name or a string, escapes included."""
        return self._state in _INSIDE_STRINGS

    @property
    def is_in_name(self) -> bool:
        return self._state in _INSIDE_NAMES

    @property
    def ending(self) -> str | None:
        """The characters that complete the text so far to a JSON text; a missing value becomes
        null.

        None if the text is broken, and if appending is not enough: after a comma in a list, or
        inside an escape.
        """
        is_after_comma = self._state == _STATES["value"] and self._open[-1:] == ["["]
        if self.broken_at is not None or is_after_comma or self._state not in _ENDINGS:
            return None
        return _ENDINGS[self._state] + "".join(_CLOSED_BY[one] for one in reversed(self._open))

    def _act(self, action: int) -> int:
        """Return the next state for a character whose meaning depends on the open brackets."""
        if action == _BROKEN:
            return _BROKEN
        if action in _OPENING:
            return self._opened(*_OPENING[action])
        innermost = self._open[-1] if self._open else ""
        if action == _COMMA and innermost:
            return _STATES["name"] if innermost == "{" else _STATES["value"]
        if _CLOSING.get(action) != innermost:
            return _BROKEN
        self._open.pop()
        return _STATES["after"]

    def _opened(self, bracket: str, state: str) -> int:
        if len(self._open) >= MAX_DEPTH:
            self.is_too_deep = True
            return _BROKEN
        self._open.append(bracket)
        return _STATES[state]


_SPACE = " \t\n\r"
_DIGITS = "0123456789"
_HEX = "0123456789abcdefABCDEF"
_IN_STRINGS = "".join(chr(code) for code in range(0x20, 0x100) if chr(code) not in '"\\')
_ESCAPES = '"\\/bfnrt'

_ENDS = {",": "COMMA", "}": "CLOSE {", "]": "CLOSE ["}
_VALUES = {
    '"': "string",
    "{": "OPEN {",
    "[": "OPEN [",
    "-": "minus",
    "0": "zero",
    "123456789": "integer",
    "t": "t",
    "f": "f",
    "n": "n",
}
_AFTER_NUMBER = {_SPACE: "after", **_ENDS}
_POINT = {".": "point", "eE": "exponent"}


def _string(name: str, after: str) -> dict[str, dict[str, str]]:
    """States of a string, which is a value or a name."""
    last = {f"{name} u{left}": {_HEX: f"{name} u{left - 1}"} for left in (4, 3, 2)}
    return {
        name: {_IN_STRINGS: name, '"': after, "\\": f"{name} escape"},
        f"{name} escape": {_ESCAPES: name, "u": f"{name} u4"},
        **last,
        f"{name} u1": {_HEX: name},
    }


def _literal(word: str) -> dict[str, dict[str, str]]:
    """States of a literal: ``true`` has t, tr, tru."""
    heads = [word[:end] for end in range(1, len(word))]
    return {
        head: {word[len(head)]: "after" if head == word[:-1] else word[: len(head) + 1]}
        for head in heads
    }


_GRAMMAR: dict[str, dict[str, str]] = {
    "value": {_SPACE: "value", **_VALUES},
    "first item": {_SPACE: "first item", "]": "CLOSE [", **_VALUES},
    "first name": {_SPACE: "first name", "}": "CLOSE {", '"': "name string"},
    "name": {_SPACE: "name", '"': "name string"},
    "colon": {_SPACE: "colon", ":": "value"},
    "after": {_SPACE: "after", **_ENDS},
    **_string("string", "after"),
    **_string("name string", "colon"),
    "minus": {"0": "zero", "123456789": "integer"},
    "zero": {**_POINT, **_AFTER_NUMBER},
    "integer": {_DIGITS: "integer", **_POINT, **_AFTER_NUMBER},
    "point": {_DIGITS: "fraction"},
    "fraction": {_DIGITS: "fraction", "eE": "exponent", **_AFTER_NUMBER},
    "exponent": {"+-": "sign", _DIGITS: "power"},
    "sign": {_DIGITS: "power"},
    "power": {_DIGITS: "power", **_AFTER_NUMBER},
    **_literal("true"),
    **_literal("false"),
    **_literal("null"),
}
"""For each state, the characters it allows and the state or action they lead to."""

_STATES = {name: number for number, name in enumerate(_GRAMMAR)}
_FIRST_ACTION = len(_STATES)
_ACTIONS = {
    name: _FIRST_ACTION + number
    for number, name in enumerate(("BROKEN", "COMMA", "OPEN {", "OPEN [", "CLOSE {", "CLOSE ["))
}
_BROKEN = _ACTIONS["BROKEN"]
_COMMA = _ACTIONS["COMMA"]
_OPENING = {_ACTIONS["OPEN {"]: ("{", "first name"), _ACTIONS["OPEN ["]: ("[", "first item")}
_CLOSING: dict[int, str] = {_ACTIONS["CLOSE {"]: "{", _ACTIONS["CLOSE ["]: "["}
_WHOLE_VALUES = {_STATES[name] for name in ("after", "zero", "integer", "fraction", "power")}
_DUE = {
    _STATES["value"]: ExpectedNext.VALUE,
    _STATES["first item"]: ExpectedNext.VALUE,
    _STATES["first name"]: ExpectedNext.NAME,
    _STATES["name"]: ExpectedNext.NAME,
    _STATES["colon"]: ExpectedNext.COLON,
    _STATES["string"]: ExpectedNext.TEXT,
    _STATES["name string"]: ExpectedNext.TEXT,
}
_INSIDE_STRINGS = {
    number for name, number in _STATES.items() if name.startswith(("string", "name string"))
}
_INSIDE_NAMES = {number for name, number in _STATES.items() if name.startswith("name string")}
_CLOSED_BY = {"{": "}", "[": "]"}
_LITERAL_ENDINGS = {
    word[:end]: word[end:] for word in ("true", "false", "null") for end in range(1, len(word))
}
_ENDINGS = {
    _STATES[name]: ending
    for name, ending in {
        **_LITERAL_ENDINGS,
        **dict.fromkeys(("after", "zero", "integer", "fraction", "power"), ""),
        **dict.fromkeys(("first item", "first name"), ""),
        **dict.fromkeys(("minus", "point", "exponent", "sign"), "0"),
        "value": "null",
        "colon": ":null",
        "string": '"',
        "name string": '":null',
    }.items()
}
"""For each state that can be completed by appending: what completes the current value."""


def _row(following: dict[str, str]) -> bytes:
    row = bytearray([_BROKEN]) * 256
    for characters, name in following.items():
        for character in characters:
            row[ord(character)] = _STATES[name] if name in _STATES else _ACTIONS[name]
    return bytes(row)


_ROWS = [_row(following) for following in _GRAMMAR.values()]
