"""Where tokens with log probabilities stand, and what beside them spells the same."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from inspector.core.redaction.body_texts import BodySegment
from inspector.core.redaction.json_tokens import JsonFrame, JsonString
from inspector.core.wire.event_data import ByteRange

_BESIDE = frozenset({"bytes", "top_logprobs", "topCandidates"})


class LogprobPlaces:
    """Of one segment: chat answers list objects with ``token``, legacy completions four parallel
    lists, Gemini chosen candidates beside all.
    """

    def __init__(self, segment: BodySegment) -> None:
        self._segment = segment
        self._beside: dict[int, list[JsonFrame]] = defaultdict(list)
        for frame in segment.tokens.frames:
            if frame.name in _BESIDE and frame.parent is not None:
                self._beside[id(frame.parent)].append(frame)
        self._starts = [each.start for each in segment.tokens.strings] if self._beside else []
        self._lists = [each for each in segment.tokens.frames if each.name == "bytes"]
        self._list_starts = [each.start for each in self._lists]

    @property
    def tokens(self) -> list[JsonString]:
        if not self._beside:
            return []
        strings = self._segment.tokens.strings
        return [each for each in strings if each.step == "token" or _is_legacy(each)]

    def texts_beside(self, token: JsonString) -> Iterator[ByteRange]:
        """Yield the alternatives of a token."""
        is_legacy = _is_legacy(token)
        for start, end in self._ranges(token):
            first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
            for each in self._segment.tokens.strings[first:last]:
                if each.is_name if is_legacy else each.step == "token":
                    yield self._in_body(each.start, each.end)

    def bytes_beside(self, token: JsonString) -> Iterator[ByteRange]:
        """Yield the lists of bytes of a token and its alternatives."""
        for start, end in self._ranges(token):
            first = bisect_left(self._list_starts, start)
            last = bisect_left(self._list_starts, end)
            for each in self._lists[first:last]:
                yield self._in_body(each.start, self._end(each))

    def _ranges(self, token: JsonString) -> Iterator[ByteRange]:
        frame = token.frame
        for _ in range(3):
            if frame is None:
                return
            found = self._beside.get(id(frame))
            if found:
                yield from ((each.start, self._end(each)) for each in found)
                return
            frame = frame.parent

    def _end(self, frame: JsonFrame) -> int:
        return frame.end if frame.end >= 0 else self._segment.end - self._segment.start

    def _in_body(self, start: int, end: int) -> ByteRange:
        return self._segment.start + start, self._segment.start + end


def _is_legacy(string: JsonString) -> bool:
    return string.frame is not None and string.frame.is_list and string.frame.name == "tokens"
