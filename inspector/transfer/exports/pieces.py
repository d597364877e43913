"""The file of an export: rows of compressed pieces that every host reads, whoever wrote them."""

from collections.abc import Iterator, Sequence

from inspector.archive.storage.compression import compressed, decompressed
from inspector.transfer.exports.written import Pieces
from inspector.transfer.models import ExportPiece

PIECE_BYTES = 1 << 20
"""Bytes that a thread holds of a file that it sends, and one row of the database."""


class LostPiece(Exception):
    """A piece of the file is gone: it expired or was withdrawn while it was sent."""


def store_pieces(export_id: int, starts: Sequence[int], pieces: Pieces) -> None:
    """Store what follows in each part, behind what there is of it."""
    ExportPiece.objects.bulk_create(
        ExportPiece(
            export_id=export_id,
            part=part,
            start=start + offset,
            length=len(piece[offset : offset + PIECE_BYTES]),
            content=compressed(piece[offset : offset + PIECE_BYTES]),
        )
        for part, (start, piece) in enumerate(zip(starts, pieces, strict=True))
        for offset in range(0, len(piece), PIECE_BYTES)
    )


def read_pieces(export_id: int, lengths: Sequence[int], first: int, length: int) -> Iterator[bytes]:
    """Yield a range of the whole file, piece by piece; parts have ``lengths``. Raises
    ``LostPiece``.
    """
    begins = 0
    for part, part_length in enumerate(lengths):
        start = max(first - begins, 0)
        end = min(first + length - begins, part_length)
        yield from _of_part(export_id, part, start, end)
        begins += part_length


def _of_part(export_id: int, part: int, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        # One at a time: a client may take long over it.
        rows = ExportPiece.objects.filter(export=export_id, part=part, start__lte=start)
        row = rows.order_by("-start").first()
        if row is None or row.start + row.length <= start:
            raise LostPiece(f"part {part} of export {export_id} has no byte {start}")
        content = decompressed(row.content)[start - row.start : end - row.start]
        yield content
        start += len(content)
