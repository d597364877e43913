"""A transport that plays an answer: reads one by one, then an end or an exception."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import ModuleType
from typing import Any

import httpx
import httpx2

PACKAGES = (httpx, httpx2)
ASK = "https://api.example/v1/chat/completions"
EVENTS = (
    b'data: {"choices":[{"index":0,"delta":{"content":"Der "}}]}\n\n',
    b'data: {"choices":[{"index":0,"delta":{"content":"Tee"},"finish_reason":"stop"}]}\n\n',
    b"data: [DONE]\n\n",
)
HEADERS = {"Content-Type": "text/event-stream", "X-Request-Id": "req-7"}


class Played:
    """Serves clients of both kinds. ``answers`` to be played, ``requests`` that came."""

    def __init__(
        self,
        package: ModuleType,
        *reads: bytes,
        status: int = 200,
        headers: dict[str, str] = HEADERS,
        failure: BaseException | None = None,
        refusal: BaseException | None = None,
    ) -> None:
        """``failure`` comes after the reads, ``refusal`` in place of an answer."""
        self.package = package
        self.reads = reads
        self.status = status
        self.headers = headers
        self.failure = failure
        self.refusal = refusal
        self.requests: list[Any] = []
        self.is_closed = False

    def handle_request(self, request: Any) -> Any:
        self.requests.append(request)
        if self.refusal is not None:
            raise self.refusal
        return self.package.Response(self.status, headers=self.headers, stream=self._stream())

    async def handle_async_request(self, request: Any) -> Any:
        return self.handle_request(request)

    def _stream(self) -> Any:
        played = self

        class Stream(self.package.SyncByteStream, self.package.AsyncByteStream):  # type: ignore[name-defined,misc]
            def __iter__(self) -> Iterator[bytes]:
                yield from played.reads
                if played.failure is not None:
                    raise played.failure

            async def __aiter__(self) -> AsyncIterator[bytes]:
                for each in iter(self):
                    yield each

            def close(self) -> None:
                played.is_closed = True

            async def aclose(self) -> None:
                played.is_closed = True

        return Stream()

    def close(self) -> None: ...

    async def aclose(self) -> None: ...

    def __enter__(self) -> Played:
        return self

    def __exit__(self, *_: object) -> None: ...

    async def __aenter__(self) -> Played:
        return self

    async def __aexit__(self, *_: object) -> None: ...
