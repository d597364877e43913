"""An opened file, as readers see it: its beginning to recognise it by, and a stream to read it."""

from __future__ import annotations

import gzip
import shutil
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

HEAD_BYTES = 1 << 16
"""Bytes that formats are recognised by; the stream begins with them again."""
MEMORY_BYTES = 1 << 20
"""Bytes in memory of standard input, which cannot be read twice; more waits in a file."""
STANDARD_INPUT = "-"
GZIP_MAGIC = b"\x1f\x8b\x08"


@dataclass(frozen=True, slots=True)
class FileSource:
    """``stream`` can be rewound."""

    name: str
    stream: BinaryIO
    head: bytes

    @classmethod
    def of_stream(cls, name: str, stream: BinaryIO) -> FileSource:
        stream.seek(0)
        head = stream.read(HEAD_BYTES)
        stream.seek(0)
        return cls(name, stream, head)

    def rewound(self) -> BinaryIO:
        self.stream.seek(0)
        return self.stream

    def decompressed(self) -> FileSource | None:
        """Return the content of a gzip file; None for any other, and for a broken one."""
        if not self.head.startswith(GZIP_MAGIC):
            return None
        try:
            inner = gzip.GzipFile(fileobj=self.rewound())
            return FileSource.of_stream(self.name, cast(BinaryIO, inner))
        except (OSError, EOFError, zlib.error):
            return None


@contextmanager
def opened_source(path: str) -> Iterator[FileSource]:
    """Open a file, or standard input for ``-``. Raises ``OSError``."""
    if path != STANDARD_INPUT:
        with Path(path).open("rb") as file:
            yield FileSource.of_stream(path, file)
        return
    # A pipe cannot be rewound. What is large is written aside, so that memory stays as it is.
    with SpooledTemporaryFile(MEMORY_BYTES) as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        yield FileSource.of_stream(path, cast(BinaryIO, kept))
