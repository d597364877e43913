"""Walks over the captures of a query, oldest first, and writes them, a few at a time: memory stays
the same however many there are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from inspector.archive.listing.filters import Filters
from inspector.archive.queries import BodyState, WalkedCapture
from inspector.archive.storage.evidence import NewerEvidenceForm
from inspector.transfer.exports.forms import ExportSource, Form
from inspector.transfer.exports.written import Pieces, Written

GROUP_CAPTURES = 100
"""Loaded by one query."""
GROUP_BYTES = 4_000_000
"""Bytes of the bodies read at once, unless one alone is longer."""


@dataclass(frozen=True, slots=True)
class ExportGroup:
    """The addition of a few captures to the file. ``skipped`` are still recorded, gone since,
    without the body that the file is of, or stored by a later release.
    """

    pieces: Pieces
    written: Written
    captures: Mapping[UUID, BodyState]
    """Those that it holds, with what their bodies were when they were read."""
    skipped: int
    cursor: str


def groups(source: ExportSource, form: Form[Any], filters: Filters) -> Iterator[ExportGroup]:
    """All that match, behind what ``begun`` gives."""
    _, written = begun(form)
    group = next_group(source, form, filters, None, written)
    while group is not None:
        yield group
        group = next_group(source, form, filters, group.cursor, group.written)


def begun(form: Form[Any]) -> tuple[Pieces, Written]:
    pieces = form.begin()
    return pieces, Written.nothing(form.parts).followed_by(pieces)


def ended(form: Form[Any], written: Written) -> tuple[Pieces, Written]:
    pieces = form.end(written)
    return pieces, written.followed_by(pieces)


def next_group(
    source: ExportSource, form: Form[Any], filters: Filters, cursor: str | None, written: Written
) -> ExportGroup | None:
    """Return the captures behind a cursor; None behind the last one."""
    walked = source.captures.walk(cursor, GROUP_CAPTURES, filters)
    if form.has_bodies:
        walked = walked[: _number_within(walked, GROUP_BYTES)]
    if not walked:
        return None
    found = _loaded(source, form, [each.id for each in walked])
    carried = {each.id: each.body for each in walked if each.id in found}
    parts: list[list[bytes]] = [[] for _ in range(form.parts)]
    for capture_id in carried:
        pieces = form.add(found[capture_id], written)
        written = written.followed_by(pieces, captures=1)
        for part, piece in zip(parts, pieces, strict=True):
            part.append(piece)
    return ExportGroup(
        pieces=tuple(map(b"".join, parts)),
        written=written,
        captures=carried,
        skipped=len(walked) - len(carried),
        cursor=walked[-1].cursor,
    )


def _number_within(walked: Sequence[WalkedCapture], limit: int) -> int:
    total = 0
    for number, each in enumerate(walked):
        total += each.byte_length
        if total > limit:
            return max(number, 1)
    return len(walked)


def _loaded(source: ExportSource, form: Form[Any], ids: Sequence[UUID]) -> Mapping[UUID, Any]:
    try:
        return form.load(source, ids)
    except NewerEvidenceForm:
        return _loaded_alone(source, form, ids)


def _loaded_alone(source: ExportSource, form: Form[Any], ids: Sequence[UUID]) -> dict[UUID, Any]:
    found: dict[UUID, Any] = {}
    for capture_id in ids:
        try:
            found |= form.load(source, [capture_id])
        except NewerEvidenceForm:
            continue
    return found
