"""Sends lines in batches within the server's limits, and tells what became of each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from inspector.core.decoded_types import built
from inspector.operations.remote.client import AGAIN, CAPTURES_PATH, Client, Patience, RemoteError

BATCH_PATH = f"{CAPTURES_PATH}batch/"
ROOT_PATH = "/api/v1/"
BATCH_TYPE = "application/x-ndjson"
MOST_BYTES, MOST_LINES = 4 << 20, 200
"""Smaller than what a server takes, so that its answer comes within seconds."""
STORED, DUPLICATE, TOO_LONG = 202, 200, 413


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """``number`` is that of the entry in its file."""

    number: int
    text: bytes


@dataclass(frozen=True, slots=True)
class LineResult:
    """``status`` is what the server would answer to the line alone; ``reason`` says why."""

    number: int
    status: int
    reason: str = ""


class _LineError(msgspec.Struct):
    message: str = ""


class _LineAnswer(msgspec.Struct):
    line: int
    status: int
    error: _LineError = msgspec.field(default_factory=_LineError)


class BatchSender:
    """Raises ``RemoteError`` where the server refuses all, or stays away for too long."""

    def __init__(self, client: Client, query: dict[str, Any]) -> None:
        self._client = client
        self._query = query
        try:
            limits = client.value(ROOT_PATH)["limits"]
            self._longest = int(limits["body_bytes"])
            self._most_bytes = min(int(limits["batch_bytes"]), MOST_BYTES)
            self._most_lines = min(int(limits["batch_lines"]), MOST_LINES)
        except (ValueError, KeyError, TypeError) as error:
            raise RemoteError("what answers there is no Response Inspector") from error

    def sent(self, lines: Iterable[NumberedLine]) -> Iterator[LineResult]:
        """Yield a result for each line, in the order in which they became known."""
        group, length = list[NumberedLine](), 0
        for line in lines:
            if len(line.text) > self._longest:
                reason = f"it is over {self._longest} bytes, the most that the server takes"
                yield LineResult(line.number, TOO_LONG, reason)
                continue
            is_full = len(group) == self._most_lines or length + len(line.text) > self._most_bytes
            if group and is_full:
                yield from self._group_sent(group)
                group, length = [], 0
            group.append(line)
            length += len(line.text)
        if group:
            yield from self._group_sent(group)

    def _group_sent(self, group: Sequence[NumberedLine]) -> Iterator[LineResult]:
        patience = Patience(self._client.patience)
        while group:
            answers = self._posted(group)
            left = list[NumberedLine]()
            for line, answer in zip(group, answers, strict=True):
                if answer.status in AGAIN:
                    left.append(line)
                else:
                    yield LineResult(line.number, answer.status, answer.error.message)
            group = left
            # Some lines were stored before the server could take no more.
            if group and not patience.waited():
                raise RemoteError(answers[-1].error.message or "the server takes no more")

    def _posted(self, group: Sequence[NumberedLine]) -> list[_LineAnswer]:
        body = b"".join(line.text for line in group)
        told = self._client.post_again(BATCH_PATH, body, BATCH_TYPE, self._query)
        try:
            answers = [
                msgspec.json.decode(each, type=built(_LineAnswer)) for each in told.splitlines()
            ]
        except msgspec.MsgspecError as error:
            raise RemoteError("the server's answer is none to a batch") from error
        if [each.line for each in answers] != list(range(1, len(group) + 1)):
            raise RemoteError("the server's answer does not tell of every line")
        return answers
