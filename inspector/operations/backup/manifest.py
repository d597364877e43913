"""What a backup says about itself, and how it is laid out.

A tar of ``README.txt``, the rows of each table in parts (one JSON object a line, zstd), then
``manifest.json`` and ``SHA256SUMS``. The last two are written when everything else is, so a file
that has them was not interrupted.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

FORMAT = "response-inspector-backup"
FORMAT_VERSION = 1
README, MANIFEST, SUMS = "README.txt", "manifest.json", "SHA256SUMS"
CAPTURES, EVIDENCE = "archive_capture", "archive_evidence"


class Table(msgspec.Struct, frozen=True):
    name: str
    rows: int
    parts: int

    def part_names(self) -> list[str]:
        return [part_name(self.name, number) for number in range(self.parts)]


class Manifest(msgspec.Struct, frozen=True):
    taken_at: datetime
    """Everything that was acknowledged before it is in the backup."""
    program: str
    analysis_version: int
    database: str
    """It came from; another may take it."""
    migrations: tuple[tuple[str, str], ...]
    """App and name of those that had made the tables, in their order."""
    captures: dict[str, int]
    """How many are in each state."""
    tables: tuple[Table, ...]
    format: str = FORMAT
    format_version: int = FORMAT_VERSION

    def table(self, name: str) -> Table:
        return next((t for t in self.tables if t.name == name), Table(name, 0, 0))


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

manage.py restore puts it into an empty archive, on SQLite or PostgreSQL.
"""
