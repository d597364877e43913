"""Writes an export into a file of this host."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from inspector.archive.listing.filters import Filters
from inspector.transfer.exports import walk
from inspector.transfer.exports.forms import ExportSource, Form
from inspector.transfer.exports.written import Pieces

MEMORY_BYTES = 1 << 20
"""Bytes of each part in memory; more waits in a file of its own."""


@dataclass(frozen=True, slots=True)
class ExportTotals:
    captures: int
    skipped: int
    byte_length: int


def write_export(
    file: IO[bytes],
    source: ExportSource,
    form: Form[Any],
    filters: Filters,
    advance: Callable[[int], None] = lambda _: None,
) -> ExportTotals:
    """``advance`` is told of every group how many captures were gone past."""
    with ExitStack() as stack:
        parts: list[IO[bytes]] = [file]
        for _ in range(form.parts - 1):
            parts.append(stack.enter_context(SpooledTemporaryFile(MEMORY_BYTES)))
        pieces, written = walk.begun(form)
        _append(parts, pieces)
        skipped = 0
        for group in walk.groups(source, form, filters):
            _append(parts, group.pieces)
            written, skipped = group.written, skipped + group.skipped
            advance(len(group.captures) + group.skipped)
        pieces, all_written = walk.ended(form, written)
        _append(parts, pieces)
        for part in parts[1:]:
            part.seek(0)
            shutil.copyfileobj(part, file)
    return ExportTotals(written.captures, skipped, all_written.byte_length)


def _append(parts: Sequence[IO[bytes]], pieces: Pieces) -> None:
    for part, piece in zip(parts, pieces, strict=True):
        part.write(piece)
