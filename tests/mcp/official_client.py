"""The protocol's own client (its SDK for Python), which asks this process in place of a server."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import httpx2
from anyio import to_thread
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.people import Answer, ask, bearer

URL = "http://testserver/mcp"
HANDSHAKE, STATELESS = "legacy", "2026-07-28"
"""Modes of the client; by itself it asks first, and takes the second."""
Found = TypeVar("Found")


@dataclass
class Wire(httpx2.AsyncBaseTransport):
    """Counts what goes over it, both ways."""

    connection: BaseDatabaseWrapper
    """The test's own: a thread with another would not see what the test wrote."""
    answers: list[Answer] = field(default_factory=list)
    sent_bytes: int = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        self.sent_bytes += len(body)
        answer = await to_thread.run_sync(self.ask, request, body)
        self.answers.append(answer)
        return httpx2.Response(answer.status, headers=answer.headers, content=answer.body)

    def ask(self, request: httpx2.Request, body: bytes) -> Answer:
        connections["default"] = self.connection
        headers = dict(request.headers)
        content_type = headers.pop("content-type", "")
        return ask(request.method, request.url.path, body, content_type, headers)


@dataclass(frozen=True)
class Session:
    client: Client
    wire: Wire

    async def call(self, name: str, **arguments: Any) -> CallToolResult:
        return await self.client.call_tool(name, arguments)

    async def data(self, name: str, **arguments: Any) -> Any:
        """The JSON of an answer that is no error."""
        return data_of(await self.call(name, **arguments))


def with_client(key: str, work: Callable[[Session], Awaitable[Found]], mode: str = "auto") -> Found:
    """The result of the work with the key."""

    # Named before a loop runs: in one there is another.
    wire = Wire(connections["default"])

    async def run() -> Found:
        async with httpx2.AsyncClient(transport=wire, headers=bearer(key)) as http:
            stream = streamable_http_client(URL, http_client=http)
            async with Client(stream, mode=mode) as client:
                return await work(Session(client, wire))

    wire.connection.inc_thread_sharing()
    try:
        return anyio.run(run)
    finally:
        wire.connection.dec_thread_sharing()


def text_of(result: CallToolResult) -> str:
    [content] = result.content
    assert content.type == "text"
    return content.text


def data_of(result: CallToolResult) -> Any:
    assert not result.is_error, text_of(result)
    return json.loads(text_of(result).splitlines()[-1])
