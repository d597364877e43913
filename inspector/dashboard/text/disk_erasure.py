"""When what was deleted is gone from the disk, in words."""

from collections.abc import Mapping

from inspector.archive.deletion import DiskErasure

DISK_ERASURE_WORDS: Mapping[DiskErasure, str] = {
    "within_seconds": "Within seconds it is gone from the files of the database, too.",
    "after_vacuum": (
        "The files of PostgreSQL still have it until its tables are vacuumed and its log is"
        " written anew."
    ),
}
