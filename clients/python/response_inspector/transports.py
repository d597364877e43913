"""Stands in front of an httpx transport, and notes what passes.

httpx is not imported: SDKs bring httpx or httpx2, of any release. What a stream has to be an
instance of is looked up in the package that made the response.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import lru_cache
from typing import Any

from response_inspector.recorder import Recorder
from response_inspector.recording import Recording

Trace = Callable[[str, Any], Any]


class RecordingTransport:
    """A transport of a synchronous client. All but its calls is that of ``inner``."""

    def __init__(self, inner: Any, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __enter__(self) -> RecordingTransport:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._inner.__exit__(*error)

    def handle_request(self, request: Any) -> Any:
        recording = self._recorder.begin(request)
        if recording is None:
            return self._inner.handle_request(request)
        before = traced(request, self._inner, recording, is_async=False)
        try:
            response = self._inner.handle_request(request)
        except BaseException as error:
            recording.failed(error)
            raise
        finally:
            request.extensions = before
        return recorded(response, recording, self._recorder, "SyncByteStream", _SyncStream)


class AsyncRecordingTransport:
    """The same for asynchronous clients."""

    def __init__(self, inner: Any, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def __aenter__(self) -> AsyncRecordingTransport:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._inner.__aexit__(*error)

    async def handle_async_request(self, request: Any) -> Any:
        recording = self._recorder.begin(request)
        if recording is None:
            return await self._inner.handle_async_request(request)
        before = traced(request, self._inner, recording, is_async=True)
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException as error:
            recording.failed(error)
            raise
        finally:
            request.extensions = before
        return recorded(response, recording, self._recorder, "AsyncByteStream", _AsyncStream)


# -- when the request was sent ---------------------------------------------------------------------

SENT = "send_request_body.complete"


def traced(request: Any, inner: Any, recording: Recording, *, is_async: bool) -> Any:
    """Have the transport tell when the request's last byte was sent; returns what ``extensions``
    were. httpx's own transports tell it by the extension ``trace``; others are not asked.
    """
    before: Any = request.extensions
    if hasattr(inner, "_pool") and isinstance(before, dict):
        theirs = before.get("trace")
        trace: Any = _async_trace(recording, theirs) if is_async else _trace(recording, theirs)
        request.extensions = {**before, "trace": trace}
    return before


def _trace(recording: Recording, theirs: Trace | None) -> Trace:
    def trace(name: str, info: Any) -> Any:
        if name.endswith(SENT):
            recording.request_sent()
        return theirs(name, info) if theirs else None

    return trace


def _async_trace(
    recording: Recording, theirs: Trace | None
) -> Callable[[str, Any], Awaitable[Any]]:
    async def trace(name: str, info: Any) -> Any:
        if name.endswith(SENT):
            recording.request_sent()
        return await theirs(name, info) if theirs else None

    return trace


# -- what the answer brings ------------------------------------------------------------------------


def recorded(
    response: Any, recording: Recording, recorder: Recorder, base: str, stream: type
) -> Any:
    """Return the same response, whose stream notes what is read of it."""
    try:
        recording.answered(response.status_code, response.headers.raw)
        kind: Any = type(response)
        if hasattr(response, "_content"):
            # Made whole, as by a cache or a mock: it is given as it is, and nobody will read it.
            recording.read_whole(response.content)
        else:
            made = _stream_type(kind, base, stream)
            response.stream = made(response.stream, recording)
    except Exception:
        recorder.discard(recording)
    return response


@lru_cache(maxsize=64)
def _stream_type(response: type, base: str, stream: type) -> type:
    """``stream`` as a subclass of what httpx asks streams to be."""
    return type(stream.__name__, (stream, _byte_stream(response, base)), {})


def _byte_stream(response: type, base: str) -> type:
    for each in response.__mro__:
        package = sys.modules.get(each.__module__.partition(".")[0])
        if isinstance(found := getattr(package, base, None), type):
            return found
    return object


class _Stream:
    """The stream of a response: passes on what comes, and ends the recording with it."""

    def __init__(self, stream: Any, recording: Recording) -> None:
        self._stream = stream
        self._recording = recording

    def __del__(self) -> None:
        # Neither read nor closed, as where the caller only looked at the status.
        recording = getattr(self, "_recording", None)
        if recording is not None:
            recording.closed()


class _SyncStream(_Stream):
    def __iter__(self) -> Iterator[bytes]:
        return _Reads(iter(self._stream), self._recording)

    def close(self) -> None:
        try:
            self._stream.close()
        finally:
            self._recording.closed()


class _AsyncStream(_Stream):
    def __aiter__(self) -> AsyncIterator[bytes]:
        return _AsyncReads(self._stream.__aiter__(), self._recording)

    async def aclose(self) -> None:
        try:
            await self._stream.aclose()
        finally:
            self._recording.closed()


# Iterators and no generators: one that is left unfinished would have to be ended by itself, later
# and, with asyncio, in a task of its own.


class _Reads:
    def __init__(self, reads: Iterator[bytes], recording: Recording) -> None:
        self._reads = reads
        self._recording = recording

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            data = next(self._reads)
        except StopIteration:
            self._recording.ended()
            raise
        except BaseException as error:
            self._recording.failed(error)
            raise
        self._recording.read(data)
        return data


class _AsyncReads:
    def __init__(self, reads: AsyncIterator[bytes], recording: Recording) -> None:
        self._reads = reads
        self._recording = recording

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            data = await self._reads.__anext__()
        except StopAsyncIteration:
            self._recording.ended()
            raise
        except BaseException as error:
            self._recording.failed(error)
            raise
        self._recording.read(data)
        return data
