"""Rows of a CSV file (RFC 4180) by the names in its first one, read as they are asked for."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from inspector.transfer.files.entries import BrokenFile
from inspector.transfer.files.json_list import LONGEST_ITEM_BYTES
from inspector.transfer.files.source import FileSource

ENCODING = "utf-8-sig"


def columns_of(source: FileSource) -> frozenset[str]:
    """The names in the first row; empty where there is none."""
    first = source.head.partition(b"\n")[0].decode(ENCODING, "replace")
    try:
        return frozenset(next(csv.reader([first]), ()))
    except csv.Error:
        return frozenset()


def csv_rows(source: FileSource) -> Iterator[Mapping[str, str]]:
    """Raises ``BrokenFile``. A cell that a row lacks is empty. Bytes that are no UTF-8 stand as
    lone surrogates in their cell, so that they cost no other row.
    """
    # The library's own limit is 128 KiB, for the whole process.
    csv.field_size_limit(LONGEST_ITEM_BYTES)
    text = io.TextIOWrapper(source.rewound(), ENCODING, "surrogateescape", newline="")
    try:
        for row in csv.DictReader(text, restval=""):
            yield {name: value for name, value in row.items() if name}
    except csv.Error as error:
        raise BrokenFile(f"a row cannot be read: {error}") from None
    finally:
        # Closing it would close the file, which is not this reader's.
        text.detach()
