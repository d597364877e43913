"""Masks credentials in a body that comes piece by piece, wherever the pieces are cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from inspector.core.credentials.repeated import RepeatedCredentials, as_text
from inspector.core.credentials.spans import CredentialSpan, merge_spans, overwrite_spans
from inspector.core.wire.exchange import Read


class BodyMask:
    """Gives back what it is fed, masked, but for an end that may be the beginning of a credential:
    that is held back until more has come.
    """

    def __init__(self, wanted: RepeatedCredentials) -> None:
        self._wanted = wanted
        self._held = b""
        self._reach: int | None = None
        """How far the last passage reaches into what is held; None where it ended before."""
        self.passages = 0

    def feed(self, data: bytes) -> bytes:
        body = self._held + data if self._held else data
        found = self._wanted.search(as_text(body))
        return self._release(body, found.spans, found.settled)

    def rest(self) -> bytes:
        """Give back what is held; nothing comes any more."""
        body = self._held
        return self._release(body, self._wanted.all_in(as_text(body)), len(body))

    def _release(self, body: bytes, found: Iterable[CredentialSpan], settled: int) -> bytes:
        spans = merge_spans([CredentialSpan(0, self._reach or 0), *found])
        passages = [span for span in spans if span.start < settled]
        self._held = body[settled:]
        if not passages:
            if settled:
                self._reach = None
            return body if settled == len(body) else body[:settled]
        is_continued = self._reach is not None and passages[0].start == 0
        self.passages += len(passages) - is_continued
        end = passages[-1].end
        self._reach = end - settled if end >= settled else None
        return overwrite_spans(body, passages)[:settled]


class ReadMask:
    """The same for reads, which keep their lengths and times."""

    def __init__(self, wanted: RepeatedCredentials) -> None:
        self._mask = BodyMask(wanted)
        self._waiting: deque[Read] = deque()
        self._masked = b""

    @property
    def passages(self) -> int:
        return self._mask.passages

    def feed(self, reads: Sequence[Read]) -> list[Read]:
        data = b"".join([read.data for read in reads])
        masked = self._mask.feed(data)
        if masked is data and not self._waiting:
            return list(reads)
        return self._whole(reads, masked)

    def rest(self) -> list[Read]:
        return self._whole((), self._mask.rest())

    def _whole(self, reads: Sequence[Read], masked: bytes) -> list[Read]:
        """Return the reads of which all is masked."""
        self._waiting.extend(reads)
        self._masked += masked
        whole = list(self._cut())
        self._masked = self._masked[sum(len(read.data) for read in whole) :]
        return whole

    def _cut(self) -> Iterator[Read]:
        at = 0
        while self._waiting and at + len(self._waiting[0].data) <= len(self._masked):
            read = self._waiting.popleft()
            end = at + len(read.data)
            yield Read(read.at_us, self._masked[at:end])
            at = end
