"""Masks what a request carried in the body of its response, read by read, wherever it is cut."""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from inspector.core.credentials.repeated import RepeatedCredentials, as_text
from inspector.core.credentials.spans import TextSpan, merge_spans, overwrite_spans
from inspector.core.wire.content_encoding import ContentCoding, Decompressor
from inspector.core.wire.exchange import Headers, Read


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

    def _release(self, body: bytes, found: Iterable[TextSpan], settled: int) -> bytes:
        spans = merge_spans([TextSpan(0, self._reach or 0), *found])
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


OF_THE_CODING = ("content-encoding", "content-length")


class ResponseBodyMask:
    """Gives back reads in which nothing can be the beginning of a credential any more.

    A compressed body stays as it came until a credential is found in it. From then on its reads are
    given back decompressed, and ``joined`` makes one body of both.
    """

    def __init__(self, headers: Headers | None, wanted: RepeatedCredentials) -> None:
        self.is_decoded = False
        """The reads given back by the latest call, and all that follow, are decompressed."""
        self._wanted = wanted
        self._original = hashlib.sha256()
        self._uncoder = Decompressor(headers)
        self._as_came, self._decoded = ReadMask(wanted), ReadMask(wanted)
        self._came: deque[Read] = deque()
        self._decompressed: deque[Read] = deque()

    @property
    def passages(self) -> int:
        """Number of passages that were masked so far."""
        return (self._decoded if self.is_decoded else self._as_came).passages

    @property
    def coding(self) -> ContentCoding | None:
        return self._uncoder.coding

    @property
    def original_sha256(self) -> str:
        return self._original.hexdigest()

    def feed(self, reads: Sequence[Read]) -> list[Read]:
        if not self._wanted:
            return list(reads)
        self._original.update(b"".join([read.data for read in reads]))
        if self._uncoder.is_plain:
            return self._as_came.feed(reads)
        uncoded = self._decoded.feed([one for read in reads for one in self._uncoder.feed(read)])
        if self._uncoder.is_faulty:
            # No content comes any more that could finish what is held.
            uncoded += self._decoded.rest()
        return self._ready(self._as_came.feed(reads), uncoded)

    def rest(self) -> list[Read]:
        """Give back what is held; nothing comes any more."""
        if not self._wanted:
            return []
        if self._uncoder.is_plain:
            return self._as_came.rest()
        uncoded = [*self._decoded.feed(self._uncoder.end()), *self._decoded.rest()]
        return self._ready(self._as_came.rest(), uncoded)

    def _ready(self, came: Iterable[Read], decompressed: Iterable[Read]) -> list[Read]:
        self._came.extend(came)
        self._decompressed.extend(decompressed)
        if self._uncoder.is_plain:
            return _taken(self._came, len(self._came))
        self.is_decoded = self.is_decoded or self._is_found()
        if self.is_decoded:
            return _taken(self._decompressed, len(self._decompressed))
        # Each read has one that is its content, so that both are given back in step.
        both = min(len(self._came), len(self._decompressed))
        _taken(self._decompressed, both)
        return _taken(self._came, both)

    def _is_found(self) -> bool:
        if self._decoded.passages:
            return True
        # To mask one in the compressed bytes would spoil what can still be decompressed.
        has_coding = self._uncoder.coding is not None
        return has_coding and bool(self._as_came.passages) and not self._uncoder.is_faulty


def joined(headers: Headers | None, came: Sequence[Read], decoded: Sequence[Read]) -> list[Read]:
    """One decompressed body: the reads that were given back as they came, and then the others."""
    uncoder = Decompressor(headers)
    uncoded = [one for read in came for one in uncoder.feed(read)]
    return [*uncoded, *uncoder.end(), *decoded]


def without_coding(headers: Headers | None) -> Headers | None:
    """Return the headers of a body that was decompressed."""
    if headers is None:
        return None
    return tuple((name, it) for name, it in headers if name.lower() not in OF_THE_CODING)


def cut_like(reads: Iterable[Read], body: bytes) -> Iterator[Read]:
    """Yield a body of the same length in reads with the times of these."""
    at = 0
    for read in reads:
        yield Read(read.at_us, body[at : at + len(read.data)])
        at += len(read.data)


def _taken(reads: deque[Read], number: int) -> list[Read]:
    return [reads.popleft() for _ in range(number)]
