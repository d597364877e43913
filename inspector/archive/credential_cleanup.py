"""Removes credentials from captures stored before the current version of the cleaner.

Captures are cleaned one by one in the order of their ids, each in a transaction of its own, and the
evidence records which version cleaned it: the command may be interrupted anywhere and run again.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

import msgspec
from django.db.models import QuerySet

from inspector.archive import credentials, rewriting
from inspector.archive.models import DELETED, Capture, State
from inspector.archive.rewriting import LeftAsItIs, Outcome, Overwriting, Rewritten
from inspector.archive.storage import evidence
from inspector.archive.storage.evidence import Marks
from inspector.core.credentials import removal, repeated
from inspector.core.credentials.headers import clean_header_value
from inspector.core.credentials.spans import remove_spans
from inspector.core.wire.exchange import Exchange
from inspector.database.portability import UNAVAILABLE, truncate_wal
from inspector.teams.audit import Act, note_command

ROWS_AT_ONCE = 200
"""Ids alone: no query stays open while captures are cleaned, each in its own transaction."""
CREDENTIAL_LOCATIONS = (
    "request_headers",
    "response_headers",
    "address",
    "metadata",
    "request_body",
    "response_body",
)


@dataclass(slots=True)
class CleanupReport:
    """Counts of a cleanup. ``found``: places by where they are; ``failed``: unchanged captures."""

    looked_at: int = 0
    done_before: int = 0
    cleaned: int = 0
    read_again: int = 0
    found: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[UUID, str]] = field(default_factory=list)


def clean_stored(
    team_id: int | None, *, is_dry_run: bool, report: CleanupReport
) -> Iterator[CleanupReport]:
    """Clean the captures of a team (None: of all); yields the report after each."""
    cleanup = _Cleanup(report, is_dry_run)
    try:
        for capture_id in _ids(team_id):
            report.looked_at += 1
            try:
                cleanup.clean(capture_id)
            except UNAVAILABLE:
                raise
            except Exception as error:
                # What it says may quote the capture.
                report.failed.append((capture_id, type(error).__name__))
            yield report
    finally:
        truncate_wal()


def _ids(team_id: int | None) -> Iterator[UUID]:
    # Up to the greatest id at the start: later captures are cleaned as they arrive.
    captures = _cleanable() if team_id is None else _cleanable().filter(team=team_id)
    last = captures.order_by("-pk").values_list("pk", flat=True).first()
    after: UUID | None = None
    while last is not None:
        rows = captures.filter(pk__lte=last)
        rows = rows if after is None else rows.filter(pk__gt=after)
        found = list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_AT_ONCE])
        yield from found
        if not found:
            return
        after = found[-1]


def _cleanable() -> QuerySet[Capture]:
    # Captures still being recorded are cleaned by their recorder.
    ended = Capture.objects.exclude(state__in=(*DELETED, State.RECORDING))
    return ended.filter(evidence_form__lte=evidence.FORM, body_deleted_at__isnull=True)


@dataclass(frozen=True, slots=True)
class _Cleanup:
    report: CleanupReport
    is_dry_run: bool
    noted: set[int] = field(default_factory=set)
    """Teams whose audit log has it."""

    def clean(self, capture_id: UUID) -> None:
        if self.is_dry_run:
            self._count(rewriting.find_in(_cleanable(), capture_id, _find))
            return
        outcome = rewriting.rewrite(_cleanable(), capture_id, _find, self._note)
        if isinstance(outcome, Rewritten):
            self.report.read_again += outcome.is_read_again
            self._count(outcome.found)
        else:
            self._count(outcome)

    def _note(self, outcome: Outcome) -> bool:
        # One entry for each team, with the first of its captures that loses a credential.
        if isinstance(outcome, Rewritten) and outcome.found.is_overwritten:
            capture = outcome.found.capture
            if capture.team_id not in self.noted:
                note_command([capture.team_id], Act.CREDENTIALS_CLEANED, f"from {capture.pk} on")
                self.noted.add(capture.team_id)
        return True

    def _count(self, found: Overwriting | LeftAsItIs) -> None:
        if isinstance(found, Overwriting):
            self.report.cleaned += found.is_overwritten
            self.report.found += found.places
        else:
            self.report.done_before += found is LeftAsItIs.NOTHING_FOUND


def _find(capture: Capture, exchange: Exchange, marks: Marks) -> Overwriting | None:
    """None where this version of the cleaner saw it before."""
    if marks.removal is not None and marks.removal.version >= removal.VERSION:
        return None
    cleaned = credentials.clean(exchange, capture.metadata)
    return Overwriting(
        capture=capture,
        exchange=cleaned.exchange,
        metadata=cleaned.metadata,
        marks=msgspec.structs.replace(
            marks, removal=removal.combined(marks.removal, cleaned.removal)
        ),
        places=Counter({name: getattr(cleaned.removal, name) for name in CREDENTIAL_LOCATIONS}),
        masked=partial(_masked, carried=cleaned.carried),
    )


def _masked(text: str, carried: tuple[str, ...]) -> str:
    return clean_header_value(remove_spans(text, repeated.in_value(text, carried)))
