"""Running answers between viewers of different hosts, by Redis.

Only the host on which a call is recorded has its spool file. Another one's viewer says every few
seconds what it wants and how much of it it has; whoever has the file publishes what follows. What
is lost on the way is asked for again, and without Redis the database is asked instead.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from queue import Full, Queue
from threading import Event, Thread
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
import redis

ASKING = "inspector:live:watched"
CALL_PREFIX = "inspector:live:"
WAITING_MESSAGES = 256
"""That may wait for a Redis that is slow; further ones are lost, and asked for again."""
SOCKET_SECONDS = 2.0
HEALTH_CHECK_SECONDS = 30.0
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 10.0
RECEIVE_SECONDS = 0.1
"""How long it takes at most until a further call is listened for."""

_LOGGER = logging.getLogger(__name__)


class CallWanted(msgspec.Struct, frozen=True, array_like=True):
    """Another viewer wants what a spool file has from a byte on."""

    call: UUID
    start: int


class CallPublished(msgspec.Struct, frozen=True, array_like=True):
    """Bytes of a spool file, in which records are whole or cut anywhere."""

    call: UUID
    start: int
    age_us: int
    """How long ago the file was last added to, when this was published."""
    data: bytes


class ListeningBegun(NamedTuple):
    """Listening has begun: from now on, what is published of a call is heard, so the call can be
    requested.
    """

    call: UUID


RelayNews = CallWanted | CallPublished | ListeningBegun
_encoder = msgspec.msgpack.Encoder()
_wanted = msgspec.msgpack.Decoder(CallWanted)
_published = msgspec.msgpack.Decoder(CallPublished)


class _Message(NamedTuple):
    channel: str
    data: bytes


class Relay:
    """Three threads: one listens for what others want, one for the calls that are watched here (and
    sleeps while there are none), one speaks.
    """

    def __init__(self, url: str, tell: Callable[[RelayNews], None]) -> None:
        self._url = url
        self._tell = tell
        self._speaking: Queue[_Message] = Queue(WAITING_MESSAGES)
        self._listened: frozenset[UUID] = frozenset()
        self._is_watching = Event()

    def start(self) -> None:
        for run in (self._hear_wishes, self._hear_calls, self._speak):
            Thread(target=run, name=run.__name__, daemon=True).start()

    def listen(self, calls: Collection[UUID]) -> None:
        """Sets the calls whose publications are heard from now on."""
        self._listened = frozenset(calls)
        if self._listened:
            self._is_watching.set()
        else:
            self._is_watching.clear()

    def want(self, call: UUID, start: int) -> None:
        self._say(_Message(ASKING, _encoder.encode(CallWanted(call, start))))

    def publish(self, published: CallPublished) -> None:
        self._say(_Message(_channel_of(published.call), _encoder.encode(published)))

    def _say(self, message: _Message) -> None:
        with suppress(Full):
            self._speaking.put_nowait(message)

    # -- the threads ------------------------------------------------------------------------------

    def _hear_wishes(self) -> None:
        def hear(client: Any) -> None:
            with client.pubsub(ignore_subscribe_messages=True) as ears:
                ears.subscribe(ASKING)
                while True:
                    # Nothing is said for long; what comes in between looks after the connection.
                    self._take(ears.get_message(timeout=HEALTH_CHECK_SECONDS), _wanted)

        self._for_ever(hear)

    def _hear_calls(self) -> None:
        def hear(client: Any) -> None:
            self._is_watching.wait()
            with client.pubsub(ignore_subscribe_messages=True) as ears:
                heard: frozenset[UUID] = frozenset()
                while listened := self._listened:
                    self._change(ears, heard, listened)
                    heard = listened
                    self._take(ears.get_message(timeout=RECEIVE_SECONDS), _published)

        self._for_ever(hear)

    def _change(self, ears: Any, heard: frozenset[UUID], listened: frozenset[UUID]) -> None:
        if fewer := heard - listened:
            ears.unsubscribe(*map(_channel_of, fewer))
        if more := listened - heard:
            ears.subscribe(*map(_channel_of, more))
        for call in more:
            self._tell(ListeningBegun(call))

    def _speak(self) -> None:
        def speak(client: Any) -> None:
            while True:
                message = self._speaking.get()
                client.publish(message.channel, message.data)

        self._for_ever(speak)

    def _take(self, message: Any, decoder: msgspec.msgpack.Decoder[Any]) -> None:
        if message is None:
            return
        # Others may speak on these channels, too.
        with suppress(msgspec.MsgspecError, TypeError):
            self._tell(decoder.decode(message["data"]))

    def _for_ever(self, run: Callable[[Any], None]) -> None:
        wait = FIRST_WAIT_SECONDS
        while True:
            began = time.monotonic()
            try:
                with self._client() as client:
                    run(client)
                continue
            except (redis.RedisError, OSError):
                if wait == FIRST_WAIT_SECONDS:
                    _LOGGER.warning("Redis is lost for live views", exc_info=True)
            except Exception:
                _LOGGER.exception("live views had trouble with Redis")
            if time.monotonic() - began > LONGEST_WAIT_SECONDS:
                wait = FIRST_WAIT_SECONDS
            time.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)

    def _client(self) -> Any:
        return redis.Redis.from_url(
            self._url,
            socket_connect_timeout=SOCKET_SECONDS,
            socket_timeout=SOCKET_SECONDS,
            socket_keepalive=True,
            health_check_interval=HEALTH_CHECK_SECONDS,
        )


def _channel_of(call: UUID) -> str:
    return f"{CALL_PREFIX}{call}"
