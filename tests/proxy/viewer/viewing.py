"""Live views without threads and processes: the test takes each step, and moves the clock."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple
from uuid import UUID

import uuid6

from inspector.archive import watch_token
from inspector.archive.watch_token import WatchPermit
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.wire.exchange import Headers, Request, TransportOutcome
from inspector.proxy.recorder.call_spool import (
    CallEnd,
    CallHead,
    CallReads,
    CallRecord,
    CallResponseHead,
    CallWriter,
    path_of,
)
from inspector.proxy.viewer.live_streams import LiveStreams, StreamNews
from inspector.proxy.viewer_messages import ViewerMessage, WatchAsked, WatchData, WatchTaken
from inspector.teams.session_proof import proof_of
from tests.people import Person

ORIGIN = "http://inspector.example"
NOTHING = Removal(version=VERSION)
STARTED_AT = 1_770_000_000.0
SSE: Headers = (("content-type", "text/event-stream"),)
ANSWERED = CallResponseHead(status=200, headers=SSE, removal=NOTHING)
END = CallEnd(
    outcome=TransportOutcome.ENDED, fault=None, at_us=9_000, total_bytes=None, removal=NOTHING
)


class Told(NamedTuple):
    """One event as a browser hears it."""

    event: str
    data: Any


class HeardMessages:
    """Takes the place of an ``Outbox``."""

    def __init__(self) -> None:
        self.messages: list[ViewerMessage] = []

    def send(self, *messages: ViewerMessage) -> None:
        self.messages.extend(messages)


class SpoolFile:
    """A file as a recorder writes it."""

    def __init__(self, root: Path, call: UUID, folder: str = "recorder") -> None:
        (root / folder).mkdir(parents=True, exist_ok=True)
        self.call = call
        self.path = path_of(root / folder, call, STARTED_AT)
        self._writer = CallWriter(self.path)

    def write(self, *records: CallRecord) -> None:
        for record in records:
            self._writer.add(record)
        self._writer.write()

    def begin(self, answered: CallResponseHead = ANSWERED) -> None:
        request = Request(method="POST", url="https://upstream.example/v1/chat/completions")
        head = CallHead(
            call=self.call,
            team_id=1,
            key_id=1,
            started_at=STARTED_AT,
            is_in_sample=True,
            request=request,
            removal=NOTHING,
        )
        self.write(head, answered)


class Viewing:
    """``seconds`` is what both clocks say, counted from ``STARTED_AT``."""

    def __init__(self, root: Path, connect_relay: Callable[[Any], Any] | None = None) -> None:
        self.root = root
        self.seconds = 0.0
        self.heard = HeardMessages()
        outbox: Any = self.heard
        self.streams = LiveStreams(
            outbox,
            root,
            connect_relay,
            clock=lambda: self.seconds,
            wall=lambda: STARTED_AT + self.seconds,
        )
        self.answers_database = True

    def file(self, call: UUID | None = None) -> SpoolFile:
        return SpoolFile(self.root, call or uuid6.uuid7())

    def watch(self, number: int, person: Person, capture_id: UUID) -> None:
        self.ask(number, token_of(person, capture_id))

    def ask(self, number: int, token: str) -> None:
        self.streams.take(WatchAsked(number, token))
        self.step()

    def take(self, *news: StreamNews) -> None:
        for each in news:
            self.streams.take(each)
        self.step()

    def step(self, seconds: float = 0.0) -> None:
        """What happens once, after so long."""
        self.seconds += seconds
        self._settle()
        self.streams.tick()
        self._settle()

    def _settle(self) -> None:
        try:
            while True:
                question = self.streams.archive._asked.get_nowait()
                if self.answers_database:
                    self.streams.take(self.streams.archive.answer(question))
        except Empty:
            pass
        try:
            while True:
                self.streams.take(self.streams._news.get_nowait())
        except Empty:
            pass

    def flow(self, number: int) -> list[Told]:
        """What the watcher was told until nothing more comes, taking all of it."""
        before = -1
        while before != len(self.data(number)):
            before = len(self.data(number))
            self.take(WatchTaken(number))
        return self.told(number)

    def of(self, number: int) -> list[ViewerMessage]:
        return [each for each in self.heard.messages if each.number == number]

    def data(self, number: int) -> list[WatchData]:
        return [each for each in self.of(number) if isinstance(each, WatchData)]

    def told(self, number: int) -> list[Told]:
        return list(events(b"".join(each.data for each in self.data(number))))


def token_of(person: Person, capture_id: UUID) -> str:
    permit = WatchPermit(capture_id, person.user.pk, proof_of(person.user), ORIGIN)
    return watch_token.issue(permit)


def events(stream: bytes) -> Iterator[Told]:
    """Those that are whole."""
    for block in stream.decode().split("\n\n")[:-1]:
        if not block.startswith(":"):
            event, data = block.split("\n")
            yield Told(event.removeprefix("event: "), json.loads(data.removeprefix("data: ")))


def text_of(told: list[Told]) -> str:
    """Of the first lane, as a page has it in the end."""
    text = ""
    for each in told:
        if each.event == "append":
            text = "" if each.data["starts_over"] else text
            text += "".join(more for lane, more in each.data["texts"] if lane == 0)
    return text


def chunk(text: str) -> bytes:
    delta = {"index": 0, "delta": {"content": text}}
    body = {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [delta]}
    return f"data: {json.dumps(body)}\n\n".encode()


def reads(*data: bytes, at_us: int = 1000, is_decoded: bool = False) -> CallReads:
    times = [at_us + 1000 * place for place in range(len(data))]
    return CallReads(at_us=times, data=list(data), is_decoded=is_decoded)
