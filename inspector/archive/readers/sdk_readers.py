"""Delivers a stream, cut in different ways, to the clients of libraries, and counts what breaks
them.

Runs in a reader process of its own (``readers.pool.read_alone``): the libraries are others' code,
and read what strangers sent. They are optional (``pip install response-inspector[sdk-readers]``),
are fed by their public interfaces through a transport that answers from memory, and connect to
nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import msgspec

from inspector.core.splits.cuttings import Cutting
from inspector.core.splits.every_split import SplitPlan, breaks_uncut
from inspector.core.splits.readers import ReaderOutput, ReaderSplits, ReaderState, break_of
from inspector.core.wire.exchange import Exchange
from inspector.core.wire.framing import Framing

STEP_SECONDS = 3.0
"""No delivery is begun after this time."""
ADDRESS = "http://127.0.0.1/v1"
"""Asked by the clients; the transport answers, and nothing is sent there."""
EVENT_STREAM = "text/event-stream; charset=utf-8"
END_MARK = b"[DONE]"

ReadStream = Callable[[Sequence[bytes]], Iterable[Any]]
"""Delivers these reads to a client; what it gives, one value for each event."""


class SdkReader(msgspec.Struct, frozen=True):
    """The client of a library. ``modules``: what has to be installed for it."""

    slug: str
    name: str
    modules: tuple[str, ...]
    dialects: frozenset[str] | None
    """Formats that it reads; None for every event stream."""
    gives_end_mark: bool
    """True if the caller gets the end mark as an event."""
    connect: Callable[[], ReadStream]


class SdkStep(msgspec.Struct, frozen=True):
    """One step: go on with this reader where the last step stopped."""

    exchange: Exchange
    slug: str
    so_far: ReaderSplits | None = None
    done: int = 0


class SdkProgress(msgspec.Struct, frozen=True):
    """How far a check of one client library is. ``total``: cuttings to try."""

    so_far: ReaderSplits
    done: int
    total: int

    @property
    def is_done(self) -> bool:
        return self.done == self.total


def sdk_step(given: SdkStep) -> SdkProgress:
    """Try the next cuttings with one client, for a few seconds."""
    reader = SDK_READERS[given.slug]
    plan = SplitPlan(given.exchange)
    so_far = given.so_far
    if so_far is None or so_far.state is ReaderState.TRIED:
        refused = _refused(reader, plan)
        if refused is not None:
            return SdkProgress(refused, 0, 0)
    return SdkTrial(reader, plan).go_on(so_far, given.done)


def _refused(reader: SdkReader, plan: SplitPlan) -> ReaderSplits | None:
    """Why a reader is not tried; None if it is."""
    fits = reader.dialects is None or plan.dialect in reader.dialects
    if plan.framing is not Framing.EVENT_STREAM or not plan.library_cuttings():
        return untried(reader, ReaderState.OTHER_FRAMING, "It reads event streams only.")
    if not fits:
        return untried(reader, ReaderState.OTHER_FRAMING, "It reads no stream of this format.")
    if any(find_spec(name) is None for name in reader.modules):
        return untried(reader, ReaderState.NOT_INSTALLED, "It is not installed here.")
    return None


def untried(reader: SdkReader, state: ReaderState, sentence: str) -> ReaderSplits:
    return ReaderSplits(slug=reader.slug, name=reader.name, state=state, sentence=sentence)


class SdkTrial:
    """One client and one stream."""

    def __init__(self, reader: SdkReader, plan: SplitPlan) -> None:
        self._reader, self._plan = reader, plan
        self._read = reader.connect()

    def go_on(self, so_far: ReaderSplits | None, done: int) -> SdkProgress:
        end = time.monotonic() + STEP_SECONDS
        so_far = so_far or self._begun()
        cuttings = self._plan.library_cuttings()
        for cutting in cuttings[done:]:
            so_far = self._tried(so_far, cutting)
            done += 1
            if time.monotonic() > end:
                break
        return SdkProgress(so_far, done, len(cuttings))

    def _begun(self) -> ReaderSplits:
        uncut = self._uncut
        data = self._plan.events.data
        due = len(data) if self._reader.gives_end_mark else sum(each != END_MARK for each in data)
        got, name = len(uncut.values), self._reader.name
        fault = f" It then fails with {uncut.fault}." if uncut.fault else ""
        differs = got != due or uncut.fault is not None
        return ReaderSplits(
            slug=self._reader.slug,
            name=name,
            version=str(getattr(import_module(self._reader.modules[0]), "__version__", "")) or None,
            events=got,
            sentence=breaks_uncut(name, got, due) + fault if differs else None,
        )

    def _tried(self, so_far: ReaderSplits, cutting: Cutting) -> ReaderSplits:
        found = self._output(cutting.parts(self._plan.body))
        differs = break_of(self._uncut, found)
        counted = so_far.counted(1, int(differs is not None))
        return self._plan.with_break(counted, cutting, differs)

    @cached_property
    def _uncut(self) -> ReaderOutput:
        return self._output([self._plan.body])

    def _output(self, reads: Sequence[bytes]) -> ReaderOutput:
        values: list[Any] = []
        try:
            values.extend(self._read(reads))
        # Whatever a client raises is what its caller gets.
        except Exception as error:
            return ReaderOutput(values, type(error).__name__)
        return ReaderOutput(values)


class ScriptedAnswer:
    """Answers requests of an HTTP library with the reads that were set last."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.reads: Sequence[bytes] = ()

    @property
    def transport(self) -> Any:
        return self._library.MockTransport(self._answer)

    def _answer(self, request: Any) -> Any:
        headers = {"content-type": EVENT_STREAM}
        # An iterator is handed on read by read; bytes would be one read.
        return self._library.Response(200, headers=headers, content=iter(self.reads))


def connect_openai() -> ReadStream:
    """The client of ``openai``. Events are given as they are decoded: making the typed object of
    each takes fifty times as long, and knows nothing of reads.
    """
    openai = import_module("openai")
    answer = ScriptedAnswer(_library_of(openai.DefaultHttpxClient))
    client = openai.OpenAI(
        api_key="none",
        base_url=ADDRESS,
        max_retries=0,
        http_client=openai.DefaultHttpxClient(transport=answer.transport, trust_env=False),
    )

    def read(reads: Sequence[bytes]) -> Iterator[Any]:
        answer.reads = reads
        yield from client.post(
            "/chat/completions",
            body={},
            cast_to=object,
            stream=True,
            stream_cls=openai.Stream[object],
        )

    return read


def _library_of(client_class: Any) -> Any:
    """The HTTP library by which a client is made: which one it is depends on its version."""
    base = next(each for each in client_class.__mro__ if not each.__module__.startswith("openai"))
    return import_module(base.__module__.partition(".")[0])


def connect_httpx_sse() -> ReadStream:
    """``httpx-sse`` with ``httpx``."""
    httpx, httpx_sse = import_module("httpx"), import_module("httpx_sse")
    answer = ScriptedAnswer(httpx)
    client = httpx.Client(transport=answer.transport, trust_env=False)

    def read(reads: Sequence[bytes]) -> Iterator[Any]:
        answer.reads = reads
        with httpx_sse.connect_sse(client, "GET", ADDRESS) as source:
            # An event without data is none by the standard, but the library gives it.
            yield from ((sse.event, sse.data) for sse in source.iter_sse() if sse.data)

    return read


SDK_READERS = {
    reader.slug: reader
    for reader in (
        SdkReader(
            "openai",
            "the OpenAI client",
            ("openai",),
            frozenset({"openai-chat", "openai-text", "openai-responses", "workflowai"}),
            False,
            connect_openai,
        ),
        SdkReader(
            "httpx-sse",
            "the httpx-sse client",
            ("httpx_sse", "httpx"),
            None,
            True,
            connect_httpx_sse,
        ),
    )
}
