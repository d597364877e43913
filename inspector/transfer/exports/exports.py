"""Exports of a team: requested, followed, withdrawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import QueryDict
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.listing.filter_params import FilterParams, parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.member_types import Count, Moment, codes
from inspector.teams.access import EXPORT, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name
from inspector.transfer.exports.forms import FORMS
from inspector.transfer.exports.written import Written
from inspector.transfer.models import Export, ExportedCapture, ExportState

MAX_OPEN_EXPORTS = 10
"""Of one team: each takes its turn, so that more would only wait longer."""
FILE_KEPT = timedelta(days=7)
"""How long a file is kept once it is whole."""
CAPTURE_DELETED, BY_HAND = "capture_deleted", "export_deleted"
NOTHING_WRITTEN = Written(0, (), ())


@dataclass(frozen=True, slots=True)
class TooManyExports:
    """As many exports of the team are open as may be; another one can be requested later."""

    limit: int = MAX_OPEN_EXPORTS


class ExportStatus(msgspec.Struct, frozen=True, kw_only=True):
    """An export, and how far it is. ``state``: a code of ``ExportState``."""

    id: int
    format: Annotated[str, codes(FORMS)]
    query: str
    state: Annotated[str, codes(ExportState)]
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
        return self.state == ExportState.OPEN

    @property
    def has_file(self) -> bool:
        return self.state == ExportState.FINISHED


@dataclass(frozen=True, slots=True)
class ExportFile:
    """The file of a finished export. It never changes, so that its id and length tell it apart from
    any other.
    """

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
        """Opens an export of all captures that match now, of a principal of one team. ``form`` is
        one of ``FORMS``. None where the principal may not export.
        """
        if conditions.mistakes:
            raise ValueError("a query with mistakes matches more than was meant")
        team_ids = self.principal.team_ids(EXPORT)
        if len(team_ids) != 1:
            return None
        [team_id] = team_ids
        if self._rows().filter(state=ExportState.OPEN).count() >= MAX_OPEN_EXPORTS:
            return TooManyExports()
        captures = queries.for_principal(self.principal, EXPORT)
        bound = captures.newest_bound()
        counted = captures.count(conditions.filters.with_value("until", bound))
        with transaction.atomic():
            export = Export.objects.create(
                team_id=team_id,
                form=form,
                query=str(conditions),
                received_before=bound,
                total=counted.number if counted and counted.is_all else None,
                requested_by=actor_name(self.principal)[:200],
                created_at=timezone.now(),
            )
            note(self.principal, team_id, Act.EXPORT_REQUESTED, _named(export))
        return status_of(export)

    def one(self, number: int) -> ExportStatus | None:
        found = self._rows().filter(pk=number).first()
        return status_of(found) if found else None

    def recent(self, limit: int = 50) -> tuple[ExportStatus, ...]:
        """Newest first."""
        return tuple(status_of(export) for export in self._rows().order_by("-id")[:limit])

    def file(self, number: int) -> ExportFile | None:
        """None where the principal sees no such export, or it has no file yet or any more."""
        export = self._rows().filter(pk=number, state=ExportState.FINISHED).first()
        return _file_of(export) if export else None

    def note_download(self, file: ExportFile) -> None:
        note(self.principal, file.team_id, Act.EXPORT_DOWNLOADED, f"export {file.id}")

    def delete(self, number: int) -> ExportStatus | None:
        """Takes the file away, or ends an export that is still written. None where the principal
        sees no such export.
        """
        with transaction.atomic():
            rows = self._rows().filter(pk=number)
            export = rows.select_for_update().first()
            if export is None:
                return None
            if withdraw(rows, BY_HAND):
                note(self.principal, export.team_id, Act.EXPORT_DELETED, _named(export))
        return self.one(number)

    def _rows(self) -> QuerySet[Export]:
        return Export.objects.filter(team__in=self.principal.team_ids(EXPORT))


def withdraw(exports: QuerySet[Export], reason: str) -> int:
    """Ends exports that are open or have a file, which from then on nobody gets; the pieces of it
    are deleted soon after. Returns how many.
    """
    there = exports.filter(state__in=(ExportState.OPEN, ExportState.FINISHED))
    # In one order, so that of two who withdraw the same ones one waits for the other.
    ids = [each.pk for each in there.order_by("pk").only("pk").select_for_update()]
    # Without its lease a step that is under way stores nothing more.
    return Export.objects.filter(pk__in=ids).update(
        state=ExportState.WITHDRAWN,
        error=reason,
        finished_at=Now(),
        expires_at=None,
        lease_token=None,
    )


def withdraw_with(capture_ids: Collection[UUID]) -> int:
    """Withdraws what holds a capture, and returns how many."""
    holding = ExportedCapture.objects.filter(capture__in=capture_ids).values("export")
    return withdraw(Export.objects.filter(pk__in=holding), CAPTURE_DELETED)


def filters_of(export: Export) -> Filters | None:
    """What the query of an export means; None where this release does not understand it."""
    values: Mapping[str, Sequence[str]] = dict(QueryDict(export.query).lists())
    found = parse_filter_params(values, export.created_at)
    return None if found.mistakes else found.filters.with_value("until", export.received_before)


def written_of(export: Export) -> Written:
    return msgspec.convert(export.written, Written) if export.written else NOTHING_WRITTEN


def status_of(export: Export) -> ExportStatus:
    written = written_of(export)
    return ExportStatus(
        id=export.pk,
        format=export.form,
        query=export.query,
        state=export.state,
        total=export.total,
        done=export.done,
        captures=written.captures,
        skipped=export.skipped,
        byte_length=written.byte_length,
        error=export.error,
        requested_by=export.requested_by,
        created_at=export.created_at,
        finished_at=export.finished_at,
        expires_at=export.expires_at,
    )


def _file_of(export: Export) -> ExportFile | None:
    form = FORMS.get(export.form)
    if form is None:
        return None
    name = f"captures-{export.created_at:%Y-%m-%d}-{export.pk}.{form.ending}"
    lengths = written_of(export).lengths
    return ExportFile(export.pk, export.team_id, name, form.media_type, lengths)


def _named(export: Export) -> str:
    return f"export {export.pk} ({export.form})"
