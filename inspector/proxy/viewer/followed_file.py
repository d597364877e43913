"""A spool file that is read while the recorder appends to it.

It is kept open: renamed by another recorder or removed once it is stored, it can be read to its
end.
"""

from __future__ import annotations

import os
from pathlib import Path
from uuid import UUID

from inspector.proxy.recorder.call_spool import SUFFIX


class FollowedFile:
    def __init__(self, path: Path) -> None:
        """Raises ``OSError``."""
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    @property
    def is_removed(self) -> bool:
        """True once nothing can be added any more."""
        return os.fstat(self._file).st_nlink == 0

    @property
    def size(self) -> int:
        return os.fstat(self._file).st_size

    @property
    def written_at(self) -> float:
        """Unix time in seconds at which it was last added to."""
        return os.fstat(self._file).st_mtime

    def read(self, start: int, max_bytes: int) -> bytes:
        """Empty where there is nothing yet. Raises ``OSError``."""
        return os.pread(self._file, max_bytes, start)

    def close(self) -> None:
        os.close(self._file)


def follow(root: Path, call: UUID) -> FollowedFile | None:
    """The file of a call in the folder of any recorder on this host; None where there is none."""
    for path in root.glob(f"*/*-{call}{SUFFIX}"):
        try:
            return FollowedFile(path)
        except OSError:
            # Moved or removed in between: whoever asks again finds out which.
            continue
    return None
