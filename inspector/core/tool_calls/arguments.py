"""What a call's argument text is, where it stops being JSON, and why.

The text "may be invalid JSON" (002). It is looked at once, when all of it is there; one that is
JSON costs one parse, and only one that is not is scanned for its first breaking character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from inspector.core import json_text
from inspector.core.completion import ArgumentsCause, ArgumentsState, Json
from inspector.core.json_text import FaultKind
from inspector.core.tool_calls.prefix import Due, Prefix

SAID: Mapping[ArgumentsCause, str] = {
    ArgumentsCause.CONTROL_CHARACTER: "a control character, such as a line end, is not escaped "
    "inside a string",
    ArgumentsCause.DOUBLE_ENCODED: "they are double-encoded: JSON inside a JSON string",
    ArgumentsCause.EMPTY_OBJECT_PREFIX: "an empty object precedes the arguments",
    ArgumentsCause.GLUED_VALUES: "another JSON value follows the first one",
    ArgumentsCause.INDEX_COLLISION: "two calls share one index, so their arguments are mixed",
    ArgumentsCause.LENGTH_LIMIT: "the answer hit max_tokens mid-JSON",
    ArgumentsCause.MALFORMED: "this character is not allowed here",
    ArgumentsCause.MARKDOWN_FENCE: "they are wrapped in a Markdown code fence",
    ArgumentsCause.NUMBER_OUT_OF_RANGE: "a number is larger or longer than common parsers can hold",
    ArgumentsCause.PYTHON_LITERAL: "they are Python syntax",
    ArgumentsCause.SENT_AGAIN: "the same arguments were sent more than once",
    ArgumentsCause.TOO_DEEP: f"they nest deeper than {json_text.MAX_DEPTH} levels",
    ArgumentsCause.TRAILING_TEXT: "text follows the JSON",
    ArgumentsCause.TRUNCATED: "they end mid-JSON",
}
"""Every cause as the second half of a sentence."""

_WHITE = " \t\n\r"
"""White space of JSON; what Python strips beside it may be the character that breaks."""
_PYTHON = re.compile(r"'|(?:True|False|None|NaN|Infinity)\b").match


class Arguments(msgspec.Struct, frozen=True, kw_only=True):
    """``invalid_at`` counts characters, ``invalid_at_byte`` bytes of UTF-8. What breaks a text that
    was cut is its end.
    """

    state: ArgumentsState
    cause: ArgumentsCause | None = None
    invalid_at: int | None = None
    invalid_at_byte: int | None = None


class Clues(msgspec.Struct, frozen=True):
    """What a text does not say of itself: the pieces it came in, and how its choice ended.

    ``shared_from`` counts the pieces before another id or name showed up at the call's index.
    """

    pieces: Sequence[str] = ()
    shared_from: int | None = None
    at_limit: bool = False


def examine(text: str, clues: Clues = Clues()) -> Arguments:  # noqa: B008 (a frozen value)
    if not text:
        return Arguments(state=ArgumentsState.EMPTY)
    parsed = json_text.parse(text.encode(errors="replace"))
    if parsed.fatal:
        return _broken(text, clues)
    for fault in parsed.faults:
        if fault.kind is FaultKind.NUMBER_OUT_OF_RANGE:
            return _invalid(text, fault.character, ArgumentsCause.NUMBER_OUT_OF_RANGE)
    cause = ArgumentsCause.DOUBLE_ENCODED if _holds_json(parsed.value) else None
    return Arguments(state=ArgumentsState.VALID, cause=cause)


def _broken(text: str, clues: Clues) -> Arguments:
    prefix = Prefix()
    prefix.feed(text)
    at = prefix.broken_at
    if at is not None:
        return _invalid(text, at, _cause(_Break(text, at, prefix, clues)))
    return Arguments(
        state=ArgumentsState.TRUNCATED,
        cause=ArgumentsCause.LENGTH_LIMIT if clues.at_limit else ArgumentsCause.TRUNCATED,
        invalid_at=len(text),
        invalid_at_byte=_byte(text, len(text)),
    )


def _invalid(text: str, at: int, cause: ArgumentsCause) -> Arguments:
    byte = _byte(text, at)
    return Arguments(state=ArgumentsState.INVALID, cause=cause, invalid_at=at, invalid_at_byte=byte)


def _byte(text: str, at: int) -> int:
    return len(text[:at].encode(errors="surrogatepass"))


def _holds_json(value: Json) -> bool:
    """A string that is itself an object or a list, written as JSON."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return False
    return json_text.parse(value.encode(errors="replace")).fatal is None


class _Break(msgspec.Struct, frozen=True):
    """A text with the place where it breaks."""

    text: str
    at: int
    prefix: Prefix
    clues: Clues

    @property
    def head(self) -> str:
        return self.text[: self.at].strip(_WHITE)

    @property
    def rest(self) -> str:
        return self.text[self.at :].strip(_WHITE)

    @property
    def is_after_value(self) -> bool:
        return self.prefix.due is Due.END


def _cause(broken: _Break) -> ArgumentsCause:
    """The first that holds; the more a cause explains, the earlier it stands."""
    return next((cause for cause, holds in _SIGNS if holds(broken)), ArgumentsCause.MALFORMED)


def _is_too_deep(broken: _Break) -> bool:
    return broken.prefix.is_too_deep


def _is_fenced(broken: _Break) -> bool:
    return (broken.is_after_value or not broken.head) and broken.rest.startswith("```")


def _is_shared(broken: _Break) -> bool:
    """Another id or name had shown up at this index before the text broke."""
    pieces, shared_from = broken.clues.pieces, broken.clues.shared_from
    return shared_from is not None and broken.at >= sum(map(len, pieces[:shared_from]))


def _is_sent_again(broken: _Break) -> bool:
    pieces = [piece for piece in broken.clues.pieces if piece]
    return _repeats_value(broken) or _repeats_pieces(pieces) or _holds_all(pieces)


def _repeats_value(broken: _Break) -> bool:
    """The same value stands twice, be it spelt otherwise."""
    if not broken.is_after_value:
        return False
    if broken.rest == broken.head:
        return True
    first = json_text.parse(broken.head.encode(errors="replace"))
    again = json_text.parse(broken.rest.encode(errors="replace"))
    return again.fatal is None and first.value == again.value


def _repeats_pieces(pieces: list[str]) -> bool:
    """Each piece, or the last one, begins with all that stood before it, and alone is sound."""
    if len(pieces) < 2:
        return False
    *before, last = pieces
    alone = Prefix()
    alone.feed(last)
    if alone.broken_at is not None:
        return False
    is_growing = all(
        later.startswith(piece) for piece, later in zip(before, pieces[1:], strict=True)
    )
    return is_growing or last.startswith("".join(before))


def _holds_all(pieces: list[str]) -> bool:
    """One piece alone is what the others say together."""
    places = (n for n, piece in enumerate(pieces) if piece[0] == "{" and piece[-1] == "}")
    at = next(places, None) if len(pieces) > 2 else None
    if at is None:
        return False
    alone = json_text.parse(pieces[at].encode(errors="replace"))
    others = "".join(pieces[:at] + pieces[at + 1 :])
    together = json_text.parse(others.encode(errors="replace"))
    return not alone.fatal and not together.fatal and alone.value == together.value


def _has_empty_object_before(broken: _Break) -> bool:
    head = "".join(broken.head.split())
    return broken.is_after_value and head == "{}" and broken.rest.startswith("{")


def _is_glued(broken: _Break) -> bool:
    return broken.is_after_value and broken.rest[0] in "{["


def _is_python(broken: _Break) -> bool:
    """Where a value or a name is due begins what only Python writes."""
    if broken.prefix.due in (Due.VALUE, Due.NAME):
        return _PYTHON(broken.text, broken.at) is not None
    return broken.text.startswith("-Infinity", broken.at - 1)


def _has_control_character(broken: _Break) -> bool:
    return broken.prefix.due is Due.TEXT and broken.text[broken.at] < " "


def _is_after_value(broken: _Break) -> bool:
    return broken.is_after_value


_SIGNS: tuple[tuple[ArgumentsCause, Callable[[_Break], bool]], ...] = (
    (ArgumentsCause.TOO_DEEP, _is_too_deep),
    (ArgumentsCause.MARKDOWN_FENCE, _is_fenced),
    (ArgumentsCause.INDEX_COLLISION, _is_shared),
    (ArgumentsCause.SENT_AGAIN, _is_sent_again),
    (ArgumentsCause.EMPTY_OBJECT_PREFIX, _has_empty_object_before),
    (ArgumentsCause.GLUED_VALUES, _is_glued),
    (ArgumentsCause.TRAILING_TEXT, _is_after_value),
    (ArgumentsCause.CONTROL_CHARACTER, _has_control_character),
    (ArgumentsCause.PYTHON_LITERAL, _is_python),
)
