"""Examines a call's argument text: whether it is JSON, where it breaks, and why.

The reasoning reference warns that it may not be valid JSON. Valid text costs one parse; only
invalid text is scanned for its first breaking character.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from inspector.core.completion import ArgumentsCause, ArgumentsState
from inspector.core.json import Json, parser
from inspector.core.json.parser import JsonFaultKind
from inspector.core.json.prefix import ExpectedNext, JsonPrefix

STATE_WORDS: Mapping[ArgumentsCause, str] = {
    ArgumentsCause.CONTROL_CHARACTER: "a control character, such as a line end, is not escaped "
    "inside a string",
    ArgumentsCause.DOUBLE_ENCODED: "they are double-encoded: JSON inside a JSON string",
    ArgumentsCause.EMPTY_OBJECT_PREFIX: "an empty object or null precedes the arguments",
    ArgumentsCause.GLUED_VALUES: "another JSON value follows the first one",
    ArgumentsCause.INDEX_COLLISION: "two calls share one index, so their arguments are mixed",
    ArgumentsCause.LENGTH_LIMIT: "the answer hit max_tokens mid-JSON",
    ArgumentsCause.MALFORMED: "this character is not allowed here",
    ArgumentsCause.MARKDOWN_FENCE: "they are wrapped in a Markdown code fence",
    ArgumentsCause.NOT_AN_OBJECT: "they are JSON, but not an object",
    ArgumentsCause.NUMBER_OUT_OF_RANGE: "a number is larger or longer than common parsers can hold",
    ArgumentsCause.PYTHON_LITERAL: "they are Python syntax",
    ArgumentsCause.REPEATED_NAME: "one object has the same name twice",
    ArgumentsCause.SENT_AGAIN: "the same arguments were sent more than once",
    ArgumentsCause.TOO_DEEP: f"they nest deeper than {parser.MAX_DEPTH} levels",
    ArgumentsCause.TRAILING_TEXT: "text follows the JSON",
    ArgumentsCause.TRUNCATED: "they end mid-JSON",
}
"""Each cause as the second half of a sentence."""

_WHITE = " \t\n\r"
"""White space in JSON. ``str.strip()`` would also remove characters that JSON does not allow."""
# As in "{'a': True}" from its quote or word on.
_PYTHON = re.compile(r"'|(?:True|False|None|NaN|Infinity)\b").match


class ExaminedArguments(msgspec.Struct, frozen=True, kw_only=True):
    """State of an argument text, with the first breaking character: ``invalid_at`` counts
    characters, ``invalid_at_byte`` bytes of UTF-8. A text that was cut off breaks at its end.
    """

    state: ArgumentsState
    cause: ArgumentsCause | None = None
    invalid_at: int | None = None
    invalid_at_byte: int | None = None


class ArgumentContext(msgspec.Struct, frozen=True):
    """The circumstances of an argument text: its pieces, and whether the choice hit its length
    limit.

    ``shared_from`` is the number of pieces before another id or name appeared at the call's index.
    """

    pieces: Sequence[str] = ()
    shared_from: int | None = None
    at_limit: bool = False


def examine_arguments(text: str, clues: ArgumentContext = ArgumentContext()) -> ExaminedArguments:  # noqa: B008 (a frozen value)
    if not text:
        return ExaminedArguments(state=ArgumentsState.EMPTY)
    parsed = parser.parse_json(text.encode(errors="replace"))
    if parsed.fatal:
        return _broken(text, clues)
    for fault in parsed.faults:
        if fault.kind is JsonFaultKind.NUMBER_OUT_OF_RANGE:
            return _invalid(text, fault.character, ArgumentsCause.NUMBER_OUT_OF_RANGE)
    return ExaminedArguments(state=ArgumentsState.VALID, cause=_unusable(parsed))


def _broken(text: str, clues: ArgumentContext) -> ExaminedArguments:
    prefix = JsonPrefix()
    prefix.feed(text)
    at = prefix.broken_at
    if at is not None:
        return _invalid(text, at, _cause(_Break(text, at, prefix, clues)))
    return ExaminedArguments(
        state=ArgumentsState.TRUNCATED,
        cause=ArgumentsCause.LENGTH_LIMIT if clues.at_limit else ArgumentsCause.TRUNCATED,
        invalid_at=len(text),
        invalid_at_byte=_byte(text, len(text)),
    )


def _invalid(text: str, at: int, cause: ArgumentsCause) -> ExaminedArguments:
    byte = _byte(text, at)
    return ExaminedArguments(
        state=ArgumentsState.INVALID, cause=cause, invalid_at=at, invalid_at_byte=byte
    )


def _byte(text: str, at: int) -> int:
    return len(text[:at].encode(errors="surrogatepass"))


def _unusable(parsed: parser.ParsedJson) -> ArgumentsCause | None:
    """Why valid JSON is no use as arguments; None if it is."""
    if not isinstance(parsed.value, dict):
        is_double = _holds_json(parsed.value)
        return ArgumentsCause.DOUBLE_ENCODED if is_double else ArgumentsCause.NOT_AN_OBJECT
    is_repeated = any(fault.kind is JsonFaultKind.DUPLICATE_NAME for fault in parsed.faults)
    return ArgumentsCause.REPEATED_NAME if is_repeated else None


def _holds_json(value: Json) -> bool:
    """Return True for a string that contains an object or a list as JSON text."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return False
    return parser.parse_json(value.encode(errors="replace")).fatal is None


class _Break(msgspec.Struct, frozen=True):
    """A broken text and the place where it breaks."""

    text: str
    at: int
    prefix: JsonPrefix
    clues: ArgumentContext

    @property
    def head(self) -> str:
        return self.text[: self.at].strip(_WHITE)

    @property
    def rest(self) -> str:
        return self.text[self.at :].strip(_WHITE)

    @property
    def is_after_value(self) -> bool:
        return self.prefix.due is ExpectedNext.END


def _cause(broken: _Break) -> ArgumentsCause:
    """Return the first cause that applies; those that explain more come first."""
    return next((cause for cause, holds in _SIGNS if holds(broken)), ArgumentsCause.MALFORMED)


def _is_too_deep(broken: _Break) -> bool:
    return broken.prefix.is_too_deep


def _is_fenced(broken: _Break) -> bool:
    return (broken.is_after_value or not broken.head) and broken.rest.startswith("```")


def _is_shared(broken: _Break) -> bool:
    """Return True if another id or name appeared at this index before the text broke."""
    pieces, shared_from = broken.clues.pieces, broken.clues.shared_from
    return shared_from is not None and broken.at >= sum(map(len, pieces[:shared_from]))


def _is_sent_again(broken: _Break) -> bool:
    pieces = [piece for piece in broken.clues.pieces if piece]
    return _repeats_value(broken) or _repeats_pieces(pieces) or _holds_all(pieces)


def _repeats_value(broken: _Break) -> bool:
    """Return True if a second value equals the first, perhaps spelt differently."""
    if not broken.is_after_value:
        return False
    if broken.rest == broken.head:
        return True
    first = parser.parse_json(broken.head.encode(errors="replace"))
    again = parser.parse_json(broken.rest.encode(errors="replace"))
    return again.fatal is None and first.value == again.value


def _repeats_pieces(pieces: list[str]) -> bool:
    """Return True if each piece, or the last, repeats all before it and is a valid prefix."""
    if len(pieces) < 2:
        return False
    *before, last = pieces
    alone = JsonPrefix()
    alone.feed(last)
    if alone.broken_at is not None:
        return False
    is_growing = all(
        later.startswith(piece) for piece, later in zip(before, pieces[1:], strict=True)
    )
    return is_growing or last.startswith("".join(before))


def _holds_all(pieces: list[str]) -> bool:
    """Return True if one piece equals all others joined."""
    places = (n for n, piece in enumerate(pieces) if piece[0] == "{" and piece[-1] == "}")
    at = next(places, None) if len(pieces) > 2 else None
    if at is None:
        return False
    alone = parser.parse_json(pieces[at].encode(errors="replace"))
    others = "".join(pieces[:at] + pieces[at + 1 :])
    together = parser.parse_json(others.encode(errors="replace"))
    return not alone.fatal and not together.fatal and alone.value == together.value


def _has_empty_object_before(broken: _Break) -> bool:
    head = "".join(broken.head.split())
    return broken.is_after_value and head in ("{}", "null") and broken.rest.startswith("{")


def _is_glued(broken: _Break) -> bool:
    return broken.is_after_value and broken.rest[0] in "{["


def _is_python(broken: _Break) -> bool:
    """Return True if the breaking character begins what Python writes for a JSON value or name."""
    if broken.prefix.due in (ExpectedNext.VALUE, ExpectedNext.NAME):
        return _PYTHON(broken.text, broken.at) is not None
    return broken.text.startswith("-Infinity", broken.at - 1)


def _has_control_character(broken: _Break) -> bool:
    return broken.prefix.due is ExpectedNext.TEXT and broken.text[broken.at] < " "


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
