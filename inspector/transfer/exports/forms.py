"""The forms of an export."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from inspector.archive.intake.envelope import envelope_line
from inspector.archive.listing.stored_captures import StoredCapture
from inspector.archive.queries import Captures
from inspector.transfer.exports import csv_table, har_log, zip_file
from inspector.transfer.exports.csv_table import TableRow
from inspector.transfer.exports.written import Pieces, Written
from inspector.usage.rollup.queries import TeamSums

Carried = TypeVar("Carried")


@dataclass(frozen=True, slots=True)
class ExportSource:
    """The source of an export: the captures of one team, and what they cost."""

    captures: Captures
    sums: TeamSums


@dataclass(frozen=True, slots=True)
class Form(Generic[Carried]):
    """A form of a file, written capture by capture: ``add`` takes what ``load`` found of each."""

    title: str
    ending: str
    media_type: str
    load: Callable[[ExportSource, Collection[UUID]], Mapping[UUID, Carried]]
    begin: Callable[[], Pieces]
    add: Callable[[Carried, Written], Pieces]
    end: Callable[[Written], Pieces]
    parts: int = 1
    has_bodies: bool = True


def _stored(source: ExportSource, ids: Collection[UUID]) -> Mapping[UUID, StoredCapture]:
    return source.captures.stored(ids)


def _rows(source: ExportSource, ids: Collection[UUID]) -> Mapping[UUID, TableRow]:
    costs = source.sums.costs(ids)
    return {row.id: TableRow(row, costs.get(row.id)) for row in source.captures.rows(ids)}


FORMS: Mapping[str, Form[Any]] = {
    "jsonl": Form(
        "JSONL, to import again",
        "jsonl",
        "application/x-ndjson",
        _stored,
        begin=lambda: (b"",),
        add=lambda capture, written: (envelope_line(capture),),
        end=lambda written: (b"",),
    ),
    "csv": Form(
        "CSV of what the API lists",
        "csv",
        "text/csv; charset=utf-8",
        _rows,
        csv_table.begin,
        csv_table.add,
        csv_table.end,
        has_bodies=False,
    ),
    "har": Form(
        "HAR, for browsers and proxies",
        "har",
        "application/json",
        _stored,
        har_log.begin,
        har_log.add,
        har_log.end,
    ),
    "zip": Form(
        "ZIP of the bodies, with a manifest of their hashes",
        "zip",
        "application/zip",
        _stored,
        zip_file.begin,
        zip_file.add,
        zip_file.end,
        zip_file.PARTS,
    ),
}
