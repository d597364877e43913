"""Exports of a team: requested, followed, withdrawn.

An export is a query, the moment until which captures count, and a place in the list. The sweep
writes its file as rows, oldest capture first, and notes each capture in the transaction that moves
the place. The database is what all hosts share; pieces that are stored with the place make a step
repeatable and a range a lookup. Deleting a capture withdraws the exports that hold it. Captures are
locked before exports: one is deleted before it is written, or found in the file by its deletion.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.db import transaction
from django.http import QueryDict

from inspector.archive import queries
from inspector.archive.listing.capture_fields import ARRIVED_UNTIL
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.member_types import Count, Moment, codes
from inspector.core.decoded_types import built
from inspector.core.same_fields import struct_of
from inspector.teams.access import EXPORT, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.transfer.exports.forms import FORMS
from inspector.transfer.exports.written import Written
from inspector.transfer.models import ExportedCapture
from inspector.work import queries as work
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind, WorkStatus

EXPORTING = "export"
"""The kind of work. Its subject is the form of the file, a name of ``FORMS``."""
MAX_OPEN_EXPORTS = 10
"""Open exports of one team: each takes its turn, so that more would only wait longer."""
FILE_KEPT = timedelta(days=7)
"""How long a file is kept once it is whole."""
CAPTURE_DELETED, BY_HAND = "capture_deleted", "export_deleted"
STATES = (
    WorkState.OPEN,
    WorkState.FINISHED,
    WorkState.FAILED,
    WorkState.EXPIRED,
    WorkState.WITHDRAWN,
)
NOTHING_WRITTEN = Written(0, (), ())


class ExportTask(msgspec.Struct, frozen=True):
    """Which captures the file is of."""

    query: str
    """The query string of the list. Ages in it count back from the request."""
    received_before: datetime
    """Exclusive: what arrives later is left out."""


class ExportResult(msgspec.Struct, frozen=True):
    """The part of the file that there is."""

    skipped: int = 0
    """Still recorded, deleted meanwhile, or stored by a later release."""
    written: Written | None = None
    """How much of each of its parts; None before the first step."""


@dataclass(frozen=True, slots=True)
class TooManyExports:
    """As many exports of the team are open as may be; another one can be requested later."""

    limit: int = MAX_OPEN_EXPORTS


class ExportStatus(msgspec.Struct, frozen=True, kw_only=True):
    """An export, and how far it is. ``state``: a code of ``WorkState``."""

    id: int
    format: Annotated[str, codes(FORMS)]
    query: str
    state: Annotated[str, codes(STATES)]
    total: Count | None
    """None where too many matched to count them."""
    done: Count
    captures: Count
    """In the file."""
    skipped: Count
    byte_length: Count
    error: str | None
    requested_by: str
    created_at: Moment
    finished_at: Moment | None
    expires_at: Moment | None

    @property
    def is_open(self) -> bool:
        return self.state == WorkState.OPEN

    @property
    def has_file(self) -> bool:
        return self.state == WorkState.FINISHED


@dataclass(frozen=True, slots=True)
class ExportFile:
    """The file of a finished export. It never changes: id and length tell it from any other."""

    id: int
    team_id: int
    name: str
    media_type: str
    part_lengths: tuple[int, ...]

    @property
    def byte_length(self) -> int:
        return sum(self.part_lengths)

    @property
    def etag(self) -> str:
        return f'"export-{self.id}-{self.byte_length}"'


def for_principal(principal: Principal) -> Exports:
    return Exports(principal)


@dataclass(frozen=True, slots=True)
class Exports:
    """The exports that one principal may see. One of another team is treated as missing."""

    principal: Principal

    def request(self, form: str, conditions: FilterParams) -> ExportStatus | TooManyExports | None:
        """Open an export of all captures that match now, of a principal of one team. ``form`` is
        one of ``FORMS``. None where the principal may not export.
        """
        if conditions.mistakes:
            raise ValueError("a query with mistakes matches more than was meant")
        team_ids = self.principal.team_ids(EXPORT)
        if len(team_ids) != 1:
            return None
        [team_id] = team_ids
        if len(self._work().open_now()) >= MAX_OPEN_EXPORTS:
            return TooManyExports()
        captures = queries.for_principal(self.principal, EXPORT)
        bound = captures.newest_bound()
        counted = captures.count(conditions.filters.with_value(ARRIVED_UNTIL, bound))
        with transaction.atomic():
            export = work.open_work(
                EXPORTING,
                team_id,
                subject=form,
                request=msgspec.to_builtins(ExportTask(str(conditions), bound)),
                total=counted.number if counted and counted.is_all else None,
                requested_by=actor_name(self.principal),
            )
            note(self.principal, team_id, Act.EXPORT_REQUESTED, _named(export))
        return status_of(export)

    def one(self, number: int) -> ExportStatus | None:
        found = self._work().one(number)
        return status_of(found) if found else None

    def recent(self, limit: int = 50) -> tuple[ExportStatus, ...]:
        """Newest first."""
        return tuple(map(status_of, self._work().recent(limit)))

    def file(self, number: int) -> ExportFile | None:
        """None where the principal sees no such export, or it has no file yet or any more."""
        export = self._work().one(number)
        has_file = export is not None and export.state is WorkState.FINISHED
        return _file_of(export) if export and has_file else None

    def note_download(self, file: ExportFile) -> None:
        note(self.principal, file.team_id, Act.EXPORT_DOWNLOADED, f"export {file.id}")

    def delete(self, number: int) -> ExportStatus | None:
        """Take the file away, or end an export under way. None where the principal sees none."""
        with transaction.atomic():
            export = self._work().locked(number)
            if export is None or export.team_id is None:
                return None
            if self._work().end([number], WorkState.WITHDRAWN, BY_HAND):
                note(self.principal, export.team_id, Act.EXPORT_DELETED, _named(export))
        return self.one(number)

    def _work(self) -> WorkOfKind:
        return work.for_principal(self.principal, EXPORTING, EXPORT)


def withdraw_with(capture_ids: Collection[UUID]) -> int:
    """Withdraws what holds a capture, and returns how many: from then on nobody gets the file, and
    the pieces of it are deleted soon after.
    """
    holding = ExportedCapture.objects.filter(capture__in=capture_ids).order_by("export")
    numbers = holding.values_list("export", flat=True).distinct()
    return WorkOfKind(EXPORTING, None).end(numbers, WorkState.WITHDRAWN, CAPTURE_DELETED)


def task_of(stored: Any) -> ExportTask:
    return msgspec.convert(stored, built(ExportTask))


def result_of(stored: Any) -> ExportResult:
    return msgspec.convert(stored, built(ExportResult))


def filters_of(task: ExportTask, requested_at: datetime) -> Filters | None:
    """Return the filters that the query of an export means; None where this release does not
    understand it.
    """
    values: Mapping[str, Sequence[str]] = dict(QueryDict(task.query).lists())
    found = parse_filter_params(values, requested_at)
    return None if found.mistakes else found.filters.with_value(ARRIVED_UNTIL, task.received_before)


def status_of(export: WorkStatus) -> ExportStatus:
    result = result_of(export.result)
    written = result.written or NOTHING_WRITTEN
    return struct_of(
        ExportStatus,
        export,
        format=export.subject,
        query=task_of(export.request).query,
        captures=written.captures,
        skipped=result.skipped,
        byte_length=written.byte_length,
        expires_at=_expires_at(export),
    )


def _expires_at(export: WorkStatus) -> datetime | None:
    had_file = export.state in (WorkState.FINISHED, WorkState.EXPIRED)
    return export.finished_at + FILE_KEPT if had_file and export.finished_at else None


def _file_of(export: WorkStatus) -> ExportFile | None:
    form = FORMS.get(export.subject)
    written = result_of(export.result).written
    if form is None or written is None or export.team_id is None:
        return None
    name = f"captures-{export.created_at:%Y-%m-%d}-{export.id}.{form.ending}"
    return ExportFile(export.id, export.team_id, name, form.media_type, written.lengths)


def _named(export: WorkStatus) -> str:
    return f"export {export.id} ({export.subject})"
