"""The recorder as a process: whoever kills it, and whenever, what it said is on disk gets stored."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as project
from django.db import connection, transaction

from inspector.archive.models import Capture
from inspector.archive.storage import evidence
from inspector.core.wire.exchange import Exchange, TransportOutcome
from inspector.proxy.frames import PayloadSplitter, frame
from inspector.proxy.messages import (
    Adopted,
    Found,
    Lookup,
    ProxyMessage,
    Recorded,
    RecorderMessage,
    Refusal,
    Spooled,
    Stopping,
    StoreState,
    recorder_messages,
)
from tests.people import Person
from tests.proxy.recorder.spoken import KEY, STREAM, answered, asked, begun, came, whole_call

pytestmark = [pytest.mark.both_stacks, pytest.mark.django_db(transaction=True)]

BOUND_SECONDS = 60.0
PROGRAM = """
import runpy
import sys
import inspector.settings
inspector.settings.DATABASES["default"]["NAME"] = sys.argv.pop(1)
import django
django.setup()
from inspector.proxy.recorder import process
process.STOP_SECONDS = float(sys.argv.pop(1))
runpy.run_module("inspector.proxy.recorder", run_name="__main__", alter_sys=True)
"""


class ProxySide:
    """The end of the socket that a proxy has, and the recorder at the other."""

    def __init__(self, data_dir: Path, owner: Person, stop_seconds: float = 10.0) -> None:
        self.owner = owner
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(BOUND_SECONDS)
        self.said: list[RecorderMessage] = []
        self._splitter = PayloadSplitter()
        database = str(connection.settings_dict["NAME"])
        command = [sys.executable, "-c", PROGRAM, database, str(stop_seconds)]
        # A pipe that nobody reads is full after some hundred calls, each of which is logged.
        self._log = TemporaryFile()  # noqa: SIM115
        with theirs:
            self.process = subprocess.Popen(
                [*command, "--fd", str(theirs.fileno())],
                cwd=project.BASE_DIR,
                env={
                    **os.environ,
                    "DJANGO_SETTINGS_MODULE": "inspector.settings",
                    "INSPECTOR_DATA_DIR": str(data_dir),
                    "INSPECTOR_ROLE": "recorder",
                },
                pass_fds=[theirs.fileno()],
                stderr=self._log,
            )

    def send(self, *messages: ProxyMessage) -> None:
        self.socket.sendall(frame(messages))

    def whole(self) -> list[Any]:
        return whole_call(**self.whose())

    def begun(self) -> Any:
        return begun(**self.whose())

    def whose(self) -> dict[str, Any]:
        return {"team_id": self.owner.team.pk, "key_id": self.owner.service.key_id}

    def until(self, is_there: Callable[[], bool]) -> None:
        while not is_there():
            assert self.receive(), "the recorder ended"

    def receive(self) -> bool:
        try:
            data = self.socket.recv(1 << 20)
        except ConnectionResetError:
            # It died with something unread.
            return False
        for payload in self._splitter.feed(data):
            self.said += recorder_messages(payload)
        return bool(data)

    def until_its_end(self) -> int:
        while self.receive():
            pass
        return self.process.wait(BOUND_SECONDS)

    def calls(self, kind: type[Any]) -> Sequence[UUID]:
        return [pk for each in self.said if isinstance(each, kind) for pk in each.calls]

    def has(self, kind: type[Any], *calls: UUID) -> bool:
        return set(calls) <= set(self.calls(kind))

    def is_ready(self) -> bool:
        return any(isinstance(each, Adopted) for each in self.said)

    def end(self) -> str:
        """End it, and return what it logged."""
        self.process.kill()
        self.process.wait(BOUND_SECONDS)
        self.socket.close()
        with self._log:
            return self.logged()

    def logged(self) -> str:
        self._log.seek(0)
        return self._log.read().decode()


Start = Callable[..., ProxySide]


@pytest.fixture
def start(tmp_path: Path, owner: Person) -> Iterator[Start]:
    started: list[ProxySide] = []

    def starts(**options: Any) -> ProxySide:
        started.append(ProxySide(tmp_path, owner, **options))
        return started[-1]

    yield starts
    logs = [side.end() for side in started]
    assert not any(KEY in log for log in logs)


@contextmanager
def locked_database() -> Iterator[None]:
    """Nothing can be stored meanwhile."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE archive_capture IN ACCESS EXCLUSIVE MODE")
        yield


def stored(call: UUID) -> Exchange:
    capture = Capture.objects.select_related("evidence").get(pk=call)
    return evidence.unpack(capture, capture.evidence)


def spooled_files(tmp_path: Path) -> list[Path]:
    return list(tmp_path.glob("proxy-spool/*/*.call"))


def test_a_call_is_stored_and_leaves_the_disk(start: Start, tmp_path: Path) -> None:
    side = start()
    messages = side.whole()
    pk = messages[0].call
    side.send(*messages)
    side.until(lambda: side.has(Recorded, pk))
    # Told now and then beside them, as time goes.
    calls = [type(each) for each in side.said if not isinstance(each, StoreState)]
    assert calls == [Adopted, Spooled, Recorded]
    assert (stored(pk).body, spooled_files(tmp_path)) == (STREAM, [])


def test_the_next_recorder_stores_what_a_killed_one_left(start: Start, tmp_path: Path) -> None:
    killed = start()
    whole, cut = killed.whole(), killed.begun()
    with locked_database():
        killed.send(cut, asked(cut.call), answered(cut.call), came(cut.call, STREAM[:20]))
        killed.send(*whole)
        killed.until(lambda: killed.has(Spooled, whole[0].call))
        killed.process.kill()
        killed.process.wait(BOUND_SECONDS)
        assert not any(KEY.encode() in path.read_bytes() for path in spooled_files(tmp_path))
    side = start()
    side.until(lambda: side.has(Recorded, whole[0].call, cut.call))
    assert set(side.calls(Adopted)) == {whole[0].call, cut.call}
    assert stored(whole[0].call).outcome == TransportOutcome.ENDED
    assert stored(cut.call).outcome == TransportOutcome.RECORDER_STOPPED
    assert (Capture.objects.count(), spooled_files(tmp_path)) == (2, [])


@pytest.mark.thorough
def test_calls_go_on_to_be_taken_while_nothing_can_be_stored(start: Start) -> None:
    side = start()
    calls = [side.whole() for _ in range(300)]
    ids = [messages[0].call for messages in calls]
    with locked_database():
        for messages in calls:
            side.send(*messages)
        side.until(lambda: side.has(Spooled, *ids))
        assert side.calls(Recorded) == []
    side.until(lambda: side.has(Recorded, *ids))
    assert list(side.calls(Recorded)) == ids
    assert Capture.objects.count() == len(ids)


@pytest.mark.thorough
def test_however_often_it_is_killed_each_call_is_stored_once(start: Start, tmp_path: Path) -> None:
    whole: set[UUID] = set()
    recorded: set[UUID] = set()
    for wanted in range(12):
        side = start()
        for number in count():
            messages = side.whole()
            side.send(*messages)
            side.receive()
            if number >= 10 * wanted and side.calls(Recorded):
                break
        side.process.kill()
        while side.receive():
            pass
        whole.update(side.calls(Spooled))
        recorded.update(side.calls(Recorded))
    last = start()
    last.until(last.is_ready)
    last.send(Stopping())
    assert last.until_its_end() == 0
    ids = set(Capture.objects.values_list("pk", flat=True))
    # What a recorder wrote and died before it said so is stored by the next one all the same.
    assert whole | recorded <= ids
    assert spooled_files(tmp_path) == []
    assert {stored(pk).body for pk in whole} == {STREAM}


@pytest.mark.parametrize("is_told", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_it_ends_with_the_proxy_and_stores_what_is_open(start: Start, is_told: bool) -> None:
    side = start()
    whole, cut = side.whole(), side.begun()
    pk = cut.call
    side.send(*whole, cut, answered(pk), came(pk, STREAM[:20], b"data: sk-p"))
    if is_told:
        side.send(Stopping())
        assert side.until_its_end() == 0
        assert set(side.calls(Recorded)) == {whole[0].call, pk}
    else:
        side.socket.shutdown(socket.SHUT_WR)
        assert side.until_its_end() == 0
    assert stored(whole[0].call).outcome == TransportOutcome.ENDED
    assert stored(pk).outcome == TransportOutcome.RECORDER_STOPPED
    assert stored(pk).body == STREAM[:20] + b"data: sk-p"


@pytest.mark.thorough
def test_a_signal_to_the_whole_group_does_not_end_it(start: Start) -> None:
    side = start()
    side.until(side.is_ready)
    for number in (signal.SIGTERM, signal.SIGINT):
        side.process.send_signal(number)
    messages = side.whole()
    side.send(*messages)
    side.until(lambda: side.has(Recorded, messages[0].call))


@pytest.mark.thorough
def test_what_cannot_be_stored_in_time_stays_for_the_next(start: Start, tmp_path: Path) -> None:
    side = start(stop_seconds=0.0)
    messages = side.whole()
    pk = messages[0].call
    with locked_database():
        side.send(*messages)
        side.until(lambda: side.has(Spooled, pk))
        side.send(Stopping())
        assert side.until_its_end() == 0
        assert (side.calls(Recorded), len(spooled_files(tmp_path))) == ([], 1)
    after = start()
    after.until(lambda: after.has(Recorded, pk))
    assert stored(pk).body == STREAM


def test_keys_are_looked_up(start: Start) -> None:
    side = start()
    side.send(Lookup(7, "0" * 64, "openai"))
    side.until(lambda: Found(7, refusal=Refusal.UNKNOWN_KEY) in side.said)


def test_what_is_no_message_ends_it_with_one_line_of_log(start: Start) -> None:
    side = start()
    side.until(side.is_ready)
    side.socket.sendall(b"\x00\x00\x00\x05" + KEY[:5].encode())
    assert side.until_its_end() == 1
    lines = [json.loads(line) for line in side.logged().splitlines()]
    assert [line["event"] for line in lines] == [
        "recorder started",
        "recorder stopped",
        "recorder failed",
    ]
    assert {line["program"] for line in lines} == {"recorder"}
    assert KEY[:5] not in json.dumps(lines)
