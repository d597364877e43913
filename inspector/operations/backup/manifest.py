"""Manifest and layout of a backup.

A tar of ``README.txt``, the rows of each table in parts (JSON lines, zstd), then ``manifest.json``
and ``SHA256SUMS``. The last two are written after everything else, so a file that has them is
complete.
"""

from datetime import datetime

import msgspec

FORMAT = "response-inspector-backup"
FORMAT_VERSION = 1
README, MANIFEST, SUMS = "README.txt", "manifest.json", "SHA256SUMS"
CAPTURES, EVIDENCE = "archive_capture", "archive_evidence"


class BackupTable(msgspec.Struct, frozen=True):
    name: str
    rows: int
    parts: int

    def part_names(self) -> list[str]:
        return [part_name(self.name, number) for number in range(self.parts)]


class Manifest(msgspec.Struct, frozen=True):
    taken_at: datetime
    """The backup contains every capture acknowledged before this time."""
    program: str
    analysis_version: int
    database: str
    """Database the backup came from; it can be restored into another kind."""
    migrations: tuple[tuple[str, str], ...]
    """App and name of the applied migrations, in order."""
    captures: dict[str, int]
    """Number of captures by state."""
    tables: tuple[BackupTable, ...]
    format: str = FORMAT
    format_version: int = FORMAT_VERSION

    def table(self, name: str) -> BackupTable:
        return next((t for t in self.tables if t.name == name), BackupTable(name, 0, 0))


def part_name(table: str, number: int) -> str:
    return f"rows/{table}/{number:06}.ndjson.zst"


README_TEXT = """\
A backup of Response Inspector: every row of its tables, and what it needs to be trusted.

  manifest.json        when and by what it was taken, the migrations of its tables, counts
  SHA256SUMS           of everything else: sha256sum -c SHA256SUMS
  rows/TABLE/*.zst     zstd; one JSON object a line, a member for each column; times are UTC,
                       bytes are base64

The body of a response as it came; its SHA-256 stands in the row of its capture:

  zstd -dc rows/archive_evidence/*.zst |
    jq -r 'select(.capture_id == "ID").body' | base64 -d | zstd -d

The command restore of Response Inspector puts it into an empty archive, on SQLite or PostgreSQL.
"""
