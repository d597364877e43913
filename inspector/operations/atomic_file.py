"""Writes a private file that has its name only once it is complete."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a private temporary file that is synced and renamed to ``path`` on success."""
    descriptor, name = tempfile.mkstemp(".partial", f".{path.name}.", path.parent)
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            # The content first: after a power cut the name must not stand for a file without it.
            os.fsync(descriptor)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    # A rename is kept over a power cut only once its folder reached the disk (fsync(2)).
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
