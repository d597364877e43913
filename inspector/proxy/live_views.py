"""``GET /live/<token>``: a running answer as server-sent events, for the page that shows it.

The viewer knows who may watch what. Here are the connections: what the browser has not taken waits
in the viewer, and its end is the end of the watching.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import UUID

import uuid6

from inspector.proxy.asgi import Receive, Scope, Send
from inspector.proxy.headers import RawHeader
from inspector.proxy.own_answers import (
    LIVE_VIEW_BUSY,
    NO_PAGES,
    OF_WATCH_REFUSALS,
    ONLY_GET,
    OwnError,
    answer_error,
)
from inspector.proxy.page_guard import is_for_page
from inspector.proxy.viewer_link import ViewerDialogue, ViewerLink
from inspector.proxy.viewer_messages import (
    WatchAsked,
    WatchBegun,
    WatchData,
    WatchEnded,
    WatchRefusal,
    WatchRefused,
    WatchTaken,
)

PREFIX = "/live/"
MAX_WATCHERS = 200
MAX_TOKEN_CHARACTERS = 1000
ANSWER_SECONDS = 10.0
"""A viewer that does not say within so long whether somebody may watch hangs, or its database; one
that starts takes a moment.
"""
_VIEWER_ENDED = b'event: lost\ndata: {"reason":"viewer-ended"}\n\n'
_STOPPING = b'event: lost\ndata: {"reason":"stopping"}\n\n'
_HEADERS: list[RawHeader] = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    # Of whatever reads this on the way.
    (b"x-accel-buffering", b"no"),
]


class LiveViews:
    def __init__(self, viewer: ViewerLink) -> None:
        self._viewer = viewer
        self._open: set[ViewerDialogue] = set()
        self._is_stopping = False

    def __len__(self) -> int:
        return len(self._open)

    def stop(self) -> None:
        """Ends all of them: nobody waits for the proxy's end because somebody watches."""
        self._is_stopping = True
        for dialogue in self._open:
            dialogue.take(None)

    async def show(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        token, request_id = path.removeprefix(PREFIX), uuid6.uuid7()
        refusal = self._refusal(scope["method"], scope["headers"], token)
        if refusal is not None:
            await answer_error(send, refusal, request_id)
            return
        with self._viewer.dialogue() as dialogue:
            if dialogue is None:
                unavailable = OF_WATCH_REFUSALS[WatchRefusal.UNAVAILABLE]
                await answer_error(send, unavailable, request_id)
                return
            self._open.add(dialogue)
            leaving = asyncio.create_task(_until_gone(receive, dialogue))
            try:
                await self._watch(token, dialogue, request_id, send)
            finally:
                leaving.cancel()
                self._open.discard(dialogue)
                dialogue.say(WatchEnded(dialogue.number))

    def _refusal(self, method: str, headers: Sequence[RawHeader], token: str) -> OwnError | None:
        if is_for_page(headers):
            return NO_PAGES
        if method != "GET":
            return ONLY_GET
        if len(token) > MAX_TOKEN_CHARACTERS:
            return OF_WATCH_REFUSALS[WatchRefusal.INVALID_TOKEN]
        if self._is_stopping or len(self._open) >= MAX_WATCHERS:
            return LIVE_VIEW_BUSY
        return None

    async def _watch(
        self, token: str, dialogue: ViewerDialogue, request_id: UUID, send: Send
    ) -> None:
        dialogue.say(WatchAsked(dialogue.number, token))
        begun = await _first_answer(dialogue)
        if isinstance(begun, WatchRefusal):
            await answer_error(send, OF_WATCH_REFUSALS[begun], request_id)
            return
        allowed = (b"access-control-allow-origin", begun.origin.encode("latin-1"))
        headers = [*_HEADERS, allowed, (b"vary", b"Origin")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._pass_on(dialogue, send)

    async def _pass_on(self, dialogue: ViewerDialogue, send: Send) -> None:
        while isinstance(message := await dialogue.next(), WatchData):
            # Returns once the browser has taken what came before.
            await send(_body(message.data, more_body=not message.is_last))
            if message.is_last:
                return
            dialogue.say(WatchTaken(dialogue.number))
        # To whoever has left, this raises.
        await send(_body(_STOPPING if self._is_stopping else _VIEWER_ENDED, more_body=False))


async def _first_answer(dialogue: ViewerDialogue) -> WatchBegun | WatchRefusal:
    try:
        message = await asyncio.wait_for(dialogue.next(), ANSWER_SECONDS)
    except TimeoutError:
        return WatchRefusal.UNAVAILABLE
    match message:
        case WatchBegun():
            return message
        case WatchRefused(code=code):
            return code
        case _:
            return WatchRefusal.UNAVAILABLE


async def _until_gone(receive: Receive, dialogue: ViewerDialogue) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    dialogue.take(None)


def _body(data: bytes, *, more_body: bool) -> dict[str, object]:
    return {"type": "http.response.body", "body": data, "more_body": more_body}
