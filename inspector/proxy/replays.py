"""Replays: requests that the proxy answers itself, with answers that are stored.

The viewer says who may have which answer, and plans it; here it is played. No forwarded call waits
for any of it: what replays take of memory, streams and time is bounded.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import uuid6

from inspector.proxy import cross_origin
from inspector.proxy.asgi import CallerGone, Receive, ResponseCut, Scope, Send
from inspector.proxy.headers import RawHeader, has_unknown_coding, is_websocket, value_of
from inspector.proxy.limits import MIB, ProxyLimits
from inspector.proxy.own_answers import (
    NO_PAGES,
    NO_UPGRADE,
    UNKNOWN_CODING,
    OwnError,
    answer,
    answer_error,
)
from inspector.proxy.page_guard import is_for_page
from inspector.proxy.process_log import fields
from inspector.proxy.replay_errors import OF_BODIES, error_of
from inspector.proxy.replay_route import ReplayRoute, replay_route_of
from inspector.proxy.request_body import BodyRefusal, BodyRoom, BodyShare, pass_over_body, read_body
from inspector.proxy.viewer_link import ViewerDialogue, ViewerLink
from inspector.proxy.viewer_messages import (
    MAX_REQUEST_BYTES,
    AnswerAsked,
    AnswerBegun,
    AnswerEnded,
    AnswerRefusal,
    AnswerRefused,
    AnswerSteps,
    AnswerTaken,
    ViewerMessage,
)
from inspector.replay.plan import Step
from inspector.replay.playing import CallerClock, PlayedCounts, PlayedEnding, play

MAX_PASSED_BYTES = 64 * MIB
"""Of a request's body that is only passed over."""
ROOM_BYTES = 64 * MIB
"""Of all request bodies that are kept until they are answered."""
REQUEST_SECONDS = 60.0
ANSWER_SECONDS = 30.0
"""For the viewer to plan an answer or to send more of it."""
SECOND_US = 1_000_000

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskedReplay:
    id: UUID
    began_at: float
    method: str
    headers: Sequence[RawHeader]
    route: ReplayRoute
    origin: str | None
    """Of the page that asks."""


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    capture: UUID
    status: int
    played: PlayedCounts


@dataclass(frozen=True, slots=True)
class RefusedReplay:
    error: OwnError
    origin: str | None = None
    """Of the page that may read the error."""


class Replays:
    def __init__(self, viewer: ViewerLink, limits: ProxyLimits) -> None:
        self._viewer = viewer
        self._limits = limits
        self._room = BodyRoom(ROOM_BYTES)
        self._open: set[asyncio.Task[Any]] = set()
        self._stopped: set[asyncio.Task[Any]] = set()
        self.begun = 0
        self.refused = 0
        self.sent_bytes = 0

    def __len__(self) -> int:
        return len(self._open)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._answer(scope, receive, send)
        except asyncio.CancelledError:
            if task not in self._stopped:
                raise
            task.uncancel()
            raise ResponseCut from None
        finally:
            self._open.discard(task)
            self._stopped.discard(task)

    async def end(self, seconds: float) -> None:
        """Waits for the open replays, and cuts those that are still open then."""
        if self._open:
            await asyncio.wait(self._open, timeout=seconds)
        self.stop()
        if self._open:
            await asyncio.wait(self._open)

    def stop(self) -> None:
        for task in self._open - self._stopped:
            self._stopped.add(task)
            task.cancel()

    # -- one replay -------------------------------------------------------------------------------

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = list(scope["headers"])
        origin = value_of(b"origin", headers)
        if origin is not None and cross_origin.is_preflight(scope["method"], headers):
            # It carries no key, so nobody knows whose pages it is for; the answer itself tells.
            await answer(send, 204, cross_origin.preflight_headers(origin, headers))
            return
        began_at, request_id = time.time(), uuid6.uuid7()
        asked = self._admit(scope, headers, began_at, request_id, origin)
        if isinstance(asked, OwnError):
            await self._refuse(send, RefusedReplay(asked), request_id)
            _log(scope["method"], None, asked.code, asked.status, began_at)
            return
        await self._serve(asked, receive, send)

    def _admit(
        self,
        scope: Scope,
        headers: Sequence[RawHeader],
        began_at: float,
        request_id: UUID,
        origin: str | None,
    ) -> AskedReplay | OwnError:
        if (refusal := _refusal_of(headers)) is not None:
            return refusal
        path, query = scope["raw_path"].decode("ascii"), scope["query_string"].decode("ascii")
        route = replay_route_of(path, query, headers)
        if route is None:
            return error_of(AnswerRefusal.UNKNOWN_KEY)
        if len(self._open) > self._limits.replays:
            return error_of(AnswerRefusal.BUSY)
        return AskedReplay(request_id, began_at, scope["method"], headers, route, origin)

    async def _serve(self, asked: AskedReplay, receive: Receive, send: Send) -> None:
        try:
            ended = await self._replay(asked, receive, send)
        except CallerGone:
            _log(asked.method, None, PlayedEnding.LEFT, None, asked.began_at)
            raise
        if isinstance(ended, RefusedReplay):
            await self._refuse(send, ended, asked.id)
            error = ended.error
            _log(asked.method, None, error.code, error.status, asked.began_at)
            return
        _log_played(asked, ended)
        if ended.played.ending is PlayedEnding.CUT:
            raise ResponseCut

    async def _replay(
        self, asked: AskedReplay, receive: Receive, send: Send
    ) -> ReplayOutcome | RefusedReplay:
        with self._viewer.dialogue() as dialogue:
            if dialogue is None:
                return RefusedReplay(error_of(AnswerRefusal.UNAVAILABLE))
            with self._room.share() as share:
                refused = await self._ask(asked, dialogue, share, receive)
                return refused or await self._converse(dialogue, share, receive, send)

    async def _ask(
        self, asked: AskedReplay, dialogue: ViewerDialogue, share: BodyShare, receive: Receive
    ) -> RefusedReplay | None:
        """Receives the whole request. Returns None once the viewer was asked."""
        body: bytes | BodyRefusal | None
        if asked.route.is_of_set:
            body = await read_body(receive, share, MAX_REQUEST_BYTES, REQUEST_SECONDS)
        else:
            body = await pass_over_body(receive, MAX_PASSED_BYTES, REQUEST_SECONDS)
        if isinstance(body, BodyRefusal):
            return RefusedReplay(OF_BODIES[body])
        dialogue.say(_question(asked, body or b"", dialogue.number))
        return None

    async def _converse(
        self, dialogue: ViewerDialogue, share: BodyShare, receive: Receive, send: Send
    ) -> ReplayOutcome | RefusedReplay:
        gone = asyncio.create_task(_until_gone(receive))
        clock = CallerClock(gone)
        try:
            first = await _first(dialogue, gone)
            share.release()
            if not isinstance(first, AnswerBegun):
                return _refused(first)
            self.begun += 1
            return await self._play(first, dialogue, clock, send)
        finally:
            gone.cancel()
            dialogue.say(AnswerEnded(dialogue.number))

    async def _play(
        self, begun: AnswerBegun, dialogue: ViewerDialogue, clock: CallerClock, send: Send
    ) -> ReplayOutcome:
        sending = _allowing(send, begun.origin) if begun.origin else send
        longest_us = round(self._limits.replay_seconds * SECOND_US)
        played = await play(begun.head, _steps(dialogue), sending, clock, longest_us)
        self.sent_bytes += played.bytes
        return ReplayOutcome(begun.capture, begun.head.status, played)

    async def _refuse(self, send: Send, refused: RefusedReplay, request_id: UUID) -> None:
        self.refused += 1
        origin = refused.origin
        headers = cross_origin.response_headers(origin) if origin else []
        await answer_error(send, refused.error, request_id, headers)


def _refusal_of(headers: Sequence[RawHeader]) -> OwnError | None:
    if is_websocket(headers):
        return NO_UPGRADE
    if is_for_page(headers):
        return NO_PAGES
    return UNKNOWN_CODING if has_unknown_coding(headers) else None


def _question(asked: AskedReplay, body: bytes, number: int) -> AnswerAsked:
    route = asked.route
    return AnswerAsked(
        number=number,
        key_sha256=route.key_sha256,
        target=route.target,
        options=route.options,
        path=route.path,
        query=route.query,
        headers=route.headers,
        origin=asked.origin,
        body=body,
    )


async def _first(dialogue: ViewerDialogue, gone: asyncio.Task[None]) -> ViewerMessage | None:
    """Raises ``CallerGone``."""
    answered = asyncio.create_task(dialogue.next())
    try:
        await asyncio.wait(
            (answered, gone), timeout=ANSWER_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        answered.cancel()
    if gone.done():
        raise CallerGone
    return answered.result() if answered.done() and not answered.cancelled() else None


def _refused(message: ViewerMessage | None) -> RefusedReplay:
    if isinstance(message, AnswerRefused):
        return RefusedReplay(error_of(message.code, message.detail), message.origin)
    return RefusedReplay(error_of(AnswerRefusal.UNAVAILABLE))


async def _steps(dialogue: ViewerDialogue) -> AsyncIterator[Step]:
    """Raises ``ResponseCut`` where the viewer does not go on."""
    is_last = False
    while not is_last:
        message = None
        with suppress(TimeoutError):
            message = await asyncio.wait_for(dialogue.next(), ANSWER_SECONDS)
        if not isinstance(message, AnswerSteps):
            raise ResponseCut
        for at_us, data in zip(message.at_us, message.data, strict=True):
            yield Step(at_us, data)
        is_last = message.is_last
        if not is_last:
            dialogue.say(AnswerTaken(dialogue.number))


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _allowing(send: Send, origin: str) -> Send:
    """``send`` with our answer to the page in place of the recorded one."""

    async def send_allowed(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = cross_origin.replaced(message["headers"], origin)
            message = {**message, "headers": headers}
        await send(message)

    return send_allowed


def _log(
    method: str, capture: UUID | None, outcome: str, status: int | None, began_at: float
) -> None:
    """One line for a request. Never its address: a key may stand in it."""
    took_ms = round((time.time() - began_at) * 1000, 1)
    _LOGGER.info(
        "replay",
        extra=fields(method=method, capture=capture, outcome=outcome, status=status, ms=took_ms),
    )


def _log_played(asked: AskedReplay, ended: ReplayOutcome) -> None:
    _log(asked.method, ended.capture, ended.played.ending, ended.status, asked.began_at)
