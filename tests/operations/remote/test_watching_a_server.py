"""``watch`` against a server to which captures come together, over a line that breaks."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from urllib.request import Request, urlopen

import pytest

from inspector.operations.remote import client, watch
from inspector.operations.remote.commands import run_remote
from tests.api.serving import Server, keep_one
from tests.operations.remote.unsteady_line import NOTHING, UnsteadyLine, unsteady_line

BODY = '{"object":"chat.completion","model":"%s","choices":[]}'
TOGETHER = 8

Step = Callable[[], object]


class WatchedTeam:
    """A team of a server, with an archive that nobody else writes to."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.model = f"watched-{name}"
        server.manage("create_owner", "wanda", "--team", name)
        self.key = server.manage("create_api_key", "--team", name, "--name", "watch").strip()
        self.ids = list[str]()

    def send_together(self, number: int = TOGETHER) -> None:
        """So many are inspected when this returns; their order is the server's."""
        with ThreadPoolExecutor(TOGETHER) as threads:
            self.ids += threads.map(lambda _: self._send(), range(number))

    def send_in_turn(self, number: int) -> None:
        self.ids += [self._send() for _ in range(number)]

    def _send(self) -> str:
        sender = Server(self.server.port, self.key, self.server.folder, self.server.pid)
        return keep_one(sender, (BODY % self.model).encode())

    def send_batch(self, number: int) -> None:
        """So many are received and wait for their inspection when this returns."""
        envelope = {"response": {"status": 200, "body": BODY % self.model}}
        lines = "".join(f"{json.dumps(envelope)}\n" for _ in range(number))
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/x-ndjson"}
        address = f"{self.server.url}/api/v1/captures/batch/"
        with urlopen(Request(address, lines.encode(), headers)) as answer:
            told = [json.loads(line) for line in answer]
        self.ids += [each["id"] for each in told]

    def sweep(self) -> None:
        self.server.manage("sweep", "--once", "--older-than", "0")


numbers = count(1)


@pytest.fixture
def team(server: Server) -> WatchedTeam:
    return WatchedTeam(server, f"team-{next(numbers)}")


@pytest.fixture
def line(
    team: WatchedTeam, server: Server, monkeypatch: pytest.MonkeyPatch
) -> Iterator[UnsteadyLine]:
    with unsteady_line(server.port) as line:
        monkeypatch.setenv("INSPECTOR_URL", line.url)
        monkeypatch.setenv("INSPECTOR_KEY", team.key)
        yield line


def watched(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *steps: Step,
    query: str = "",
) -> list[str]:
    """The ids that are printed while these steps are done, one in place of each wait."""
    left = iter(steps)

    def go_on(_: float) -> None:
        step = next(left, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(client, "pause", go_on)
    assert run_remote(["inspector", "watch", "--json", *filter(None, (query,))]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    rows = [json.loads(line) for line in told.out.splitlines()]
    assert {row["state"] for row in rows} <= {"inspected"}
    return [row["id"] for row in rows]


def rest() -> None:
    """Nothing happens between two questions."""


@pytest.mark.parametrize("query", ["", pytest.param("model:watched-*", marks=pytest.mark.thorough)])
def test_of_captures_that_come_together_none_is_lost_and_none_printed_twice(
    team: WatchedTeam,
    line: UnsteadyLine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    query: str,
) -> None:
    team.send_together()
    before = list(team.ids)
    printed = watched(
        capsys,
        monkeypatch,
        team.send_together,
        partial(team.send_batch, 5),
        team.send_together,
        team.sweep,
        rest,
        query=query,
    )
    assert sorted(printed) == sorted(set(team.ids) - set(before))


@pytest.mark.thorough
def test_after_the_line_broke_it_goes_on_where_it_was(
    team: WatchedTeam,
    line: UnsteadyLine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def break_line(*breaks: int) -> None:
        team.send_together()
        team.send_batch(3)
        line.breaks += breaks

    team.send_together(1)
    before = list(team.ids)
    printed = watched(
        capsys,
        monkeypatch,
        team.send_together,
        # A kept connection is made anew at once, and that breaks, too; then one waits.
        partial(break_line, NOTHING, NOTHING),
        team.send_together,
        # An answer with rows in it is cut.
        partial(break_line, 700),
        team.send_together,
        partial(break_line, 700, NOTHING, NOTHING),
        team.sweep,
        team.send_together,
        rest,
        rest,
    )
    assert line.breaks == []
    assert sorted(printed) == sorted(set(team.ids) - set(before))


def test_a_burst_into_an_empty_archive_is_printed_whole_and_in_its_order(
    team: WatchedTeam,
    line: UnsteadyLine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watch, "MOST_ROWS", 4)
    printed = watched(capsys, monkeypatch, partial(team.send_in_turn, 10), rest)
    assert printed == team.ids


@pytest.mark.thorough
def test_captures_beyond_those_that_are_waited_for_wait_in_the_archive(
    team: WatchedTeam,
    line: UnsteadyLine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watch, "MOST_OPEN", 10)
    monkeypatch.setattr(watch, "MOST_ROWS", 4)
    team.send_together(1)
    printed = watched(
        capsys,
        monkeypatch,
        partial(team.send_batch, 18),
        rest,
        team.sweep,
        *[rest] * 3,
        query="model:watched-*",
    )
    assert printed == team.ids[1:]
