"""A file of an installation, fetched as it comes and gone on with where it broke off."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from inspector.operations.remote.connection import (
    RemoteAnswer,
    RemoteError,
    ServerConnection,
    StreamedAnswer,
)
from inspector.operations.remote.retries import Patience

WHOLE, PARTIAL, NOTHING_LEFT = 200, 206, 416


@dataclass(frozen=True, slots=True)
class PartialFile:
    """A file that is not whole yet, and beside it what it was begun for."""

    path: Path

    @property
    def _note(self) -> Path:
        return self.path.with_name(f"{self.path.name}.json")

    def note(self, begun: Mapping[str, Any]) -> None:
        self._note.write_text(json.dumps(begun), "utf-8")

    def noted(self) -> dict[str, Any] | None:
        """None where nothing was begun, or nobody can read for what."""
        try:
            found = json.loads(self._note.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """For appending."""
        try:
            with self.path.open("ab") as opened:
                yield opened
        except OSError as error:
            raise RemoteError(f"{self.path}: {error.strerror or error}") from error

    def complete(self, file: Path, byte_length: int) -> None:
        found = self.path.stat().st_size
        if found != byte_length:
            self.discard()
            raise RemoteError(f"{found} bytes came where {byte_length} were to; nothing was kept")
        self.path.rename(file)
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)


def downloaded(
    connection: ServerConnection, patience: Patience, path: str, opened: IO[bytes]
) -> None:
    """Appends what ``opened`` has not yet; what cannot be sought in is taken as empty at first.

    Raises ``RemoteError`` where the server refuses, or stays away for longer than ``patience``.
    """
    have = opened.tell() if opened.seekable() else 0
    download = _Download(connection, path, opened, have)
    answer = patience.asked(download.went_on)
    if not answer.is_good:
        raise RemoteError(answer.reason())


@dataclass
class _Download:
    connection: ServerConnection
    path: str
    opened: IO[bytes]
    have: int

    def went_on(self) -> RemoteAnswer:
        """One try: what came of it is kept, whether it ended or broke."""
        headers = {"Range": f"bytes={self.have}-"} if self.have else {}
        found = self.connection.stream(self.path, headers)
        if isinstance(found, RemoteAnswer):
            is_whole = found.status == NOTHING_LEFT and self.have > 0
            return RemoteAnswer(WHOLE, b"") if is_whole else found
        with found:
            if self.have and found.status == WHOLE:
                raise RemoteError("the server began anew where the file was to go on")
            return self._taken(found)

    def _taken(self, found: StreamedAnswer) -> RemoteAnswer:
        for piece in found.pieces():
            self.opened.write(piece)
            self.have += len(piece)
        self.opened.flush()
        return RemoteAnswer(0, found.broken) if found.broken else RemoteAnswer(WHOLE, b"")
