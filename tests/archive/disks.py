"""Statements of a file system on itself, for disks that no test machine has."""

from types import SimpleNamespace

BLOCK_BYTES = 4096


def disk(total: int, left: int) -> SimpleNamespace:
    """``os.statvfs`` of one with so many bytes."""
    return SimpleNamespace(
        f_frsize=BLOCK_BYTES, f_blocks=total // BLOCK_BYTES, f_bavail=left // BLOCK_BYTES
    )
