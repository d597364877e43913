"""One proxy for many tests, with a recorder that takes everything, and an upstream for each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

import pytest

from inspector.proxy.messages import CallBegun, CallEnded, CallsPassed, Grant, ReadsForwarded
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import ScriptedUpstream
from tests.proxy.started_proxy import StartedProxy

KEY = "ri_a-key-of-the-team"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
Message = TypeVar("Message")
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Way:
    """How a call goes to an upstream of the test, and what the recorder learns of those calls."""

    recorder: PlayedRecorder
    name: str
    team_id: int

    def to(self, rest: str) -> str:
        return f"/proxy/{KEY}/{self.name}{rest}"

    @property
    def chat(self) -> str:
        return self.to("/chat/completions")

    def of(self, kind: type[Message]) -> list[Message]:
        """The messages of a kind that came by now."""
        begun = self.recorder.of(CallBegun)
        calls = {each.call for each in begun if each.upstream == self.name}
        return [each for each in self.recorder.of(kind) if each.call in calls]  # type: ignore[attr-defined]

    def ended(self, number: int = 1) -> list[CallEnded]:
        """Waits until so many calls have ended."""
        return self.recorder.wait(
            lambda: len(ended := self.of(CallEnded)) >= number and ended  # type: ignore[arg-type]
        )

    def passed(self) -> list[CallsPassed]:
        """Waits for counts of calls that are not recorded."""
        return self.recorder.wait(
            lambda: [x for x in self.recorder.of(CallsPassed) if x.team_id == self.team_id]
        )

    def body(self) -> bytes:
        """That of all responses together."""
        return b"".join(data for each in self.of(ReadsForwarded) for data in each.data)


def open_way(recorder: PlayedRecorder, base_url: str, **grant: object) -> Way:
    # A name of its own: the proxy remembers for seconds where a name led.
    number = next(_numbers)
    name = f"upstream-{number}"
    values = {"team_id": number, "key_id": 2, "is_local": True, **grant}
    recorder.grant(KEY, name, Grant(upstream=name, base_url=base_url, **values))  # type: ignore[arg-type]
    return Way(recorder, name, number)


@pytest.fixture(scope="session")
def recorder() -> Iterator[PlayedRecorder]:
    with PlayedRecorder() as recorder:
        yield recorder


@pytest.fixture(scope="session")
def proxy(recorder: PlayedRecorder) -> Iterator[StartedProxy]:
    with StartedProxy(recorder) as proxy:
        yield proxy


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream(OK) as upstream:
        yield upstream


@pytest.fixture
def way(recorder: PlayedRecorder, upstream: ScriptedUpstream) -> Way:
    return open_way(recorder, f"{upstream.url}/v1")
