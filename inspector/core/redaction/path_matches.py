"""The values to which a path leads, in a body or in JSON that stands in one of its strings."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from inspector.core.redaction.body_texts import BodySegment
from inspector.core.redaction.decoded_text import decoded, unescaped
from inspector.core.redaction.json_paths import JsonPath, PathStates
from inspector.core.redaction.json_tokens import JsonFrame, JsonString, JsonTokens, is_root


class PathMatch(NamedTuple):
    start: int
    end: int
    is_number: bool


class _Walk:
    """The states of a path at each object and list of a text."""

    def __init__(self, path: JsonPath, begin: PathStates, name_of: Callable[[str], str]) -> None:
        self._path = path
        self._begin = begin
        self._name_of = name_of
        self._known: dict[int, PathStates] = {}

    def at(self, frame: JsonFrame) -> PathStates:
        known = self._known.get(id(frame))
        if known is None:
            known = self._known[id(frame)] = self._states(frame)
        return known

    def leads_to(self, frame: JsonFrame, step: str) -> bool:
        return self._path.is_at_end(self._path.below(self.at(frame), self._name_of(step)))

    def _states(self, frame: JsonFrame) -> PathStates:
        if frame.parent is None:
            return self._begin
        states = self._path.below(self.at(frame.parent), self._name_of(frame.name))
        # A path goes from the root of each event, also where a list holds all of them.
        return states | self._begin if is_root(frame) else states


def matched_values(segment: BodySegment, path: JsonPath, body: bytes) -> Iterator[PathMatch]:
    """Yield the strings and numbers of a body to which the path leads, with places in the body."""
    text = body[segment.start : segment.end].decode("latin-1")
    walk = _Walk(path, path.begin(), _name_in_bytes)
    for start, end, is_number in _matches(text, segment.tokens, walk):
        yield PathMatch(segment.start + start, segment.start + end, is_number)


def matched_strings(
    text: str, tokens: JsonTokens, string: JsonString, path: JsonPath
) -> Iterator[PathMatch]:
    """Yield the same in JSON that is the content of a string of a body."""
    begin = path.begin()
    if string.frame is not None:
        outer = _Walk(path, begin, _name_in_bytes)
        inside = path.below(outer.at(string.frame), _name_in_bytes(string.step))
        if path.is_at_end(inside):
            # The whole string goes.
            return
        begin = begin | inside
    yield from _matches(text, tokens, _Walk(path, begin, unescaped))


# Names repeat from object to object; made-up ones push each other out.
@lru_cache(maxsize=4096)
def _name_in_bytes(name: str) -> str:
    """Return a name of which each character is a byte of UTF-8."""
    return decoded(name.encode("latin-1"))


def _matches(text: str, tokens: JsonTokens, walk: _Walk) -> Iterator[PathMatch]:
    for each in tokens.strings:
        frame = each.frame
        if frame is None or each.is_name or each.start == each.end:
            continue
        if walk.leads_to(frame, each.step):
            yield PathMatch(each.start, each.end, is_number=False)
    yield from _numbers(text, tokens, walk)


def _numbers(text: str, tokens: JsonTokens, walk: _Walk) -> Iterator[PathMatch]:
    for number in tokens.numbers:
        if walk.leads_to(number.frame, number.step):
            yield PathMatch(number.start, number.end, is_number=True)
