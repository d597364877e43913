"""Spells the JSON of arguments that come as values with their paths, as Vertex AI streams them.

Each piece names its place by a JSONPath (``$.recipe.steps[0]``), in the order of the text. What
stands between the values (brackets, names, quotes, commas) is derived, so that the text is that of
a call whose arguments came whole. Its end is known when the call ends.
"""

import json
import re
from collections.abc import Mapping

import msgspec

from inspector.core.json import Json

Steps = tuple[str | int, ...]

# As in ".recipe", "[0]", '["a.b"]' and "['a.b']".
_STEP = re.compile(
    r"""\.([^.\[\]]+) | \[(\d{1,6})\] | \[("(?:[^"\\]|\\.)*")\] | \['([^'\\]*)'\]""", re.VERBOSE
).match


class ArgumentPiece(msgspec.Struct, frozen=True):
    """The addition of a piece to the text: ``value`` is the value's own spelling, which stands in
    the member ``name`` of the piece; around it is what is derived.
    """

    before: str
    value: str
    after: str
    name: str


class _Level:
    """An object or list that is not closed yet."""

    def __init__(self, *, is_list: bool) -> None:
        self.is_list = is_list
        self.names: set[str | int] = set()

    def admits(self, step: str | int) -> bool:
        """Return True if a member of that name, or an item at that position, can come next."""
        if self.is_list:
            return step == len(self.names) and step.__class__ is int
        return isinstance(step, str) and step not in self.names

    @property
    def end(self) -> str:
        return "]" if self.is_list else "}"


class PartialArguments:
    """The arguments of one call while their pieces come."""

    def __init__(self) -> None:
        self.is_ended = False
        self._levels: list[_Level] = []
        self._steps: list[str | int] = []
        """The steps to the innermost level."""
        self._text_at: Steps | None = None
        """Place of a text that goes on in the next piece."""

    def take(self, piece: Mapping[str, Json], spelt: str) -> ArgumentPiece | None:
        """Return the text that a piece adds; None if it has no value, or no place after those
        before it.

        ``spelt`` is its value as it was spelt.
        """
        steps, found = steps_of_path(piece.get("jsonPath")), value_of(piece, spelt)
        if not steps or found is None:
            return None
        name, value, is_text = found
        before = ""
        if not (is_text and self._text_at == steps):
            if not self._has_place(steps):
                return None
            before = self._lead_to(steps) + ('"' if is_text else "")
            self._text_at = steps if is_text else None
        goes_on = piece.get("willContinue") is True
        after = '"' if is_text and not goes_on else ""
        if after:
            self._text_at = None
        return ArgumentPiece(before, value, after, name)

    def end(self) -> str:
        """End the arguments: the text that closes them."""
        self.is_ended = True
        if not self._levels:
            return "{}"
        closing = self._close_text() + "".join(level.end for level in reversed(self._levels))
        self._levels, self._steps = [], []
        return closing

    def _has_place(self, steps: Steps) -> bool:
        shared = self._shared_with(steps)
        begun = steps[shared + 1 :] if self._levels else steps
        if not all(step == 0 or isinstance(step, str) for step in begun):
            return False
        return not self._levels or self._levels[shared].admits(steps[shared])

    def _shared_with(self, steps: Steps) -> int:
        """Return the number of steps that lead to a level which is open."""
        pairs = zip(self._steps, steps[:-1], strict=False)
        shared = 0
        for one, other in pairs:
            if one != other or one.__class__ is not other.__class__:
                break
            shared += 1
        return shared

    def _lead_to(self, steps: Steps) -> str:
        """Close what is behind, and open the levels around a new value."""
        text, shared = [self._close_text()], self._shared_with(steps)
        while len(self._levels) > shared + 1:
            text.append(self._levels.pop().end)
        del self._steps[shared:]
        for step in steps[shared:] if self._levels else steps:
            if len(self._levels) == len(self._steps):
                text.append(self._open(step))
            level = self._levels[-1]
            text.append("," if level.names else "")
            text.append(f"{json_spelling(step)}:" if isinstance(step, str) else "")
            level.names.add(step)
            self._steps.append(step)
        self._steps.pop()
        return "".join(text)

    def _open(self, step: str | int) -> str:
        self._levels.append(_Level(is_list=isinstance(step, int)))
        return "[" if isinstance(step, int) else "{"

    def _close_text(self) -> str:
        is_open, self._text_at = self._text_at is not None, None
        return '"' if is_open else ""


def value_of(piece: Mapping[str, Json], spelt: str) -> tuple[str, str, bool] | None:
    """Return a piece's member: value, spelling, whether it is a text that may go on; or None."""
    if isinstance(said := piece.get("stringValue"), str):
        return "stringValue", json_spelling(said)[1:-1], True
    if piece.get("numberValue").__class__ in (int, float):
        return "numberValue", spelt, False
    if isinstance(said := piece.get("boolValue"), bool):
        return "boolValue", "true" if said else "false", False
    return ("nullValue", "null", False) if "nullValue" in piece else None


def steps_of_path(path: Json) -> Steps:
    """Names and positions of a JSONPath that leads to one value; none if it is another text."""
    if not isinstance(path, str) or not path.startswith("$"):
        return ()
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP(path, at)
        if found is None:
            return ()
        plain, position, quoted, single = found.groups()
        steps.append(int(position) if position else plain or single or _unquoted(quoted))
        at = found.end()
    return tuple(steps)


def _unquoted(name: str | None) -> str:
    try:
        return str(json.loads(name or '""', strict=False))
    except ValueError:
        return name or ""


def json_spelling(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
