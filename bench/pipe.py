"""The least that any proxy on this stack has to do: bare ASGI that passes on what aiohttp reads.

No keys, no limits, no recording: a ceiling for ours, not a promise. Served by uvicorn, as ours is.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp

UPSTREAM = os.environ["PIPE_UPSTREAM"]
HOP_BY_HOP = {b"connection", b"host", b"keep-alive", b"transfer-encoding"}
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Pipe:
    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                auto_decompress=False,
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding"),
            )
        return self._session

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._call(scope, receive, send)

    async def _call(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in scope["headers"]
            if name not in HOP_BY_HOP
        ]
        place = UPSTREAM + scope["path"]
        data = body(receive) if scope["method"] == "POST" else None
        sent = self.session().request(scope["method"], place, headers=headers, data=data)
        async with sent as answer:
            passed = [pair for pair in answer.raw_headers if pair[0].lower() not in HOP_BY_HOP]
            await send({"type": "http.response.start", "status": answer.status, "headers": passed})
            async for data in answer.content.iter_any():
                await send({"type": "http.response.body", "body": data, "more_body": True})
            await send({"type": "http.response.body"})


async def body(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        yield message.get("body", b"")
        if not message.get("more_body"):
            return


application = Pipe()
