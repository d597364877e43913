"""Batches in files of a folder, until the server takes them. Processes may share the folder.

The same file sent by two of them is stored once: each line has its idempotency key.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from response_inspector.envelope import Line

SPOOL_BYTES = 256 * 1024 * 1024
"""Bytes of the folder, whoever wrote it."""
ENDING = ".ndjson"


class Spool:
    """Raises ``OSError`` as the disk does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, lines: Sequence[Line]) -> bool:
        """Return False where the folder would become too large."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        text = b"".join([line.text for line in lines])
        if self._size() + len(text) > SPOOL_BYTES:
            return False
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex}"
        unfinished = self._folder / f"{name}.tmp"
        opened = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "wb") as file:
            file.write(text)
        unfinished.replace(self._folder / f"{name}{ENDING}")
        return True

    def _size(self) -> int:
        size = 0
        for path in self._files():
            # Another process may have sent it meanwhile.
            with suppress(FileNotFoundError):
                size += path.stat().st_size
        return size

    def oldest(self) -> Path | None:
        """None where there is none, or the folder cannot be looked into."""
        try:
            return min(self._files(), default=None)
        except OSError:
            return None

    def _files(self) -> list[Path]:
        return list(self._folder.glob(f"*{ENDING}"))

    def read(self, path: Path) -> list[Line]:
        return [Line("", text) for text in path.read_bytes().splitlines(keepends=True)]

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)
