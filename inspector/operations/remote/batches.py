"""Sends lines in batches within the server's limits, and tells what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from inspector.operations.remote.connection import RemoteAnswer, RemoteError, ServerConnection
from inspector.operations.remote.retries import AGAIN, FIRST_WAIT_SECONDS, Patience

BATCH_PATH = "/api/v1/captures/batch/"
ROOT_PATH = "/api/v1/"
LIMITS = ("body_bytes", "batch_bytes", "batch_lines")
BATCH_TYPE = "application/x-ndjson"
MOST_BYTES, MOST_LINES = 4 << 20, 200
"""Smaller than what a server takes, so that its answer comes within seconds."""


class LineFate(StrEnum):
    STORED = "stored"
    DUPLICATE = "duplicate"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """``number`` is that of the entry in its file."""

    number: int
    text: bytes


@dataclass(frozen=True, slots=True)
class LineResult:
    number: int
    fate: LineFate
    reason: str = ""


class _LineError(msgspec.Struct):
    message: str = ""


class _LineAnswer(msgspec.Struct):
    line: int
    status: int
    error: _LineError = msgspec.field(default_factory=_LineError)


class BatchSender:
    """Raises ``RemoteError`` where the server refuses all, or stays away for too long."""

    def __init__(
        self, connection: ServerConnection, patience: Patience, query: dict[str, Any] | None = None
    ) -> None:
        self._connection = connection
        self._patience = patience
        self._query = query or {}
        limits = self._limits()
        self._longest = limits["body_bytes"]
        self._most_bytes = min(limits["batch_bytes"], MOST_BYTES)
        self._most_lines = min(limits["batch_lines"], MOST_LINES)

    def sent(self, lines: Iterable[NumberedLine]) -> Iterator[LineResult]:
        """A result for each line, in the order in which they became known."""
        group, length = list[NumberedLine](), 0
        for line in lines:
            if len(line.text) > self._longest:
                reason = f"it is over {self._longest} bytes, the most that the server takes"
                yield LineResult(line.number, LineFate.REFUSED, reason)
                continue
            is_full = len(group) == self._most_lines or length + len(line.text) > self._most_bytes
            if group and is_full:
                yield from self._group_sent(group)
                group, length = [], 0
            group.append(line)
            length += len(line.text)
        if group:
            yield from self._group_sent(group)

    def _limits(self) -> dict[str, int]:
        answer = self._patience.asked(lambda: self._connection.get(ROOT_PATH))
        _require_good(answer)
        try:
            limits = answer.value()["limits"]
            return {name: int(limits[name]) for name in LIMITS}
        except (ValueError, KeyError, TypeError) as error:
            raise RemoteError("what answers there is no Response Inspector") from error

    def _group_sent(self, group: Sequence[NumberedLine]) -> Iterator[LineResult]:
        step = FIRST_WAIT_SECONDS
        while group:
            answers = self._posted(group)
            left = list[NumberedLine]()
            for line, answer in zip(group, answers, strict=True):
                if answer.status in AGAIN:
                    left.append(line)
                else:
                    yield _result(line, answer)
            group = left
            # Some lines were stored before the server could take no more.
            if group and not self._patience.waited(step):
                raise RemoteError(answers[-1].error.message or "the server takes no more")
            step *= 2

    def _posted(self, group: Sequence[NumberedLine]) -> list[_LineAnswer]:
        body = b"".join(line.text for line in group)
        answer = self._patience.asked(
            lambda: self._connection.post(BATCH_PATH, body, BATCH_TYPE, self._query)
        )
        _require_good(answer)
        try:
            answers = [
                msgspec.json.decode(each, type=_LineAnswer) for each in answer.body.splitlines()
            ]
        except msgspec.MsgspecError as error:
            raise RemoteError("the server's answer is none to a batch") from error
        if [each.line for each in answers] != list(range(1, len(group) + 1)):
            raise RemoteError("the server's answer does not tell of every line")
        return answers


def _require_good(answer: RemoteAnswer) -> None:
    if not answer.is_good:
        raise RemoteError(answer.reason())


def _result(line: NumberedLine, answer: _LineAnswer) -> LineResult:
    if answer.status == 202:
        return LineResult(line.number, LineFate.STORED)
    if answer.status == 200:
        return LineResult(line.number, LineFate.DUPLICATE)
    return LineResult(line.number, LineFate.REFUSED, answer.error.message or str(answer.status))
