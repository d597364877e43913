"""Bodies of requests that the proxy answers itself: within bounds of size, time and memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from inspector.proxy.asgi import CallerGone, Message, Receive
from inspector.proxy.request_body import BodyRefusal, BodyRoom, pass_over_body, read_body

FAR = 60.0


def sending(*pieces: bytes, then: Iterable[str] = ()) -> Receive:
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": piece, "more_body": number < len(pieces) or bool(then)}
        for number, piece in enumerate(pieces, 1)
    ]
    messages += [{"type": kind} for kind in then]

    async def receive() -> Message:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop(0)

    return receive


def read(receive: Receive, room: BodyRoom, most: int = 100, seconds: float = FAR) -> Any:
    async def run() -> Any:
        with room.share() as share:
            body = await read_body(receive, share, most, seconds)
            return body, room.left_bytes

    return asyncio.run(run())


def test_a_body_takes_room_until_it_is_released() -> None:
    room = BodyRoom(10)
    assert read(sending(b"abc", b"", b"def"), room) == (b"abcdef", 4)
    assert room.left_bytes == 10
    with room.share() as share:
        assert share.take(7)
        share.release()
        assert room.left_bytes == 10
    assert room.left_bytes == 10


def test_a_body_beyond_a_bound_is_refused_and_gives_its_room_back() -> None:
    room = BodyRoom(8)
    assert read(sending(b"abcd", b"ef"), room, most=5)[0] is BodyRefusal.TOO_LARGE
    assert read(sending(b"abcd", b"efghi"), room)[0] is BodyRefusal.NO_ROOM
    assert read(sending(b"abcd", then=()), room, most=4)[0] == b"abcd"
    assert room.left_bytes == 8


def test_a_body_that_does_not_come_to_its_end_is_too_slow() -> None:
    endless = {"type": "http.request", "body": b"a", "more_body": True}

    async def receive() -> Message:
        if sent:
            await asyncio.Event().wait()
        sent.append(True)
        return endless

    sent: list[bool] = []
    assert read(receive, BodyRoom(10), seconds=0)[0] is BodyRefusal.TOO_SLOW


def test_whoever_leaves_within_the_body_is_gone() -> None:
    with pytest.raises(CallerGone):
        read(sending(b"ab", then=["http.disconnect"]), BodyRoom(10))


def test_what_is_passed_over_takes_no_room_and_has_a_bound() -> None:
    assert asyncio.run(pass_over_body(sending(b"abc", b"def"), 6, FAR)) is None
    passed = asyncio.run(pass_over_body(sending(b"abc", b"defg"), 6, FAR))
    assert passed is BodyRefusal.TOO_LARGE
