"""Overwrites stored evidence; nothing else does. A finder says what a capture is without what must
go. All that follows is done here, in one transaction for each capture: the evidence with its marks,
hashes that are kept keyed, the reading anew with its rows, texts and words, the end of every copy.
Whoever works on the same capture meanwhile waits, or loses the lease.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive import credentials, events
from inspector.archive.events import Ended
from inspector.archive.inspection import projection_store
from inspector.archive.inspection.projection import ProjectionRows, project
from inspector.archive.intake.retries import request_digest
from inspector.archive.intake.submission import columns_of_exchange
from inspector.archive.models import DELETED, PENDING, Capture, Document, State
from inspector.archive.readers.extract import extract_of
from inspector.archive.readers.memory import limited_memory
from inspector.archive.storage import evidence
from inspector.archive.storage.evidence import Marks
from inspector.core.json import Json
from inspector.core.readout import readout
from inspector.core.wire.exchange import Exchange
from inspector.database import write_turn

MAX_TRIES = 5
"""Attempts at one capture that others change at the same time."""


@dataclass(frozen=True, slots=True)
class Overwriting:
    """The result of a finder for a capture."""

    capture: Capture
    """As it was loaded."""
    exchange: Exchange
    metadata: dict[str, Json]
    marks: Marks
    """Those of before, joined with what is overwritten now."""
    places: Counter[str]
    """Number of those overwritten now, by where; where there are none the marks alone change."""
    masked: Callable[[str], str]
    """Overwrites the same in a text that may quote the capture."""

    @property
    def is_overwritten(self) -> bool:
        return self.places.total() > 0


Finder = Callable[[Capture, Exchange, Marks], Overwriting | None]
"""Looks at a capture, its exchange and its marks. None: it is to stay as it is."""


class LeftAsItIs(Enum):
    GONE = auto()
    """Or its body is: what stays of that has no texts."""
    NOT_READABLE = auto()
    """Still recorded, or stored by a later release."""
    NOTHING_FOUND = auto()
    REFUSED = auto()
    """By the caller, once it was done."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    found: Overwriting
    is_read_again: bool
    ended: Ended


Outcome = Rewritten | LeftAsItIs


def rewrite(
    captures: QuerySet[Capture],
    capture_id: UUID,
    find: Finder,
    noted: Callable[[Outcome], bool] = lambda _: True,
) -> Outcome:
    """Overwrite what ``find`` finds in one of the captures. ``noted`` is told what became of it,
    last in the transaction; where it returns False nothing is stored.
    """
    events.prepare()
    for _ in range(MAX_TRIES):
        found = find_in(captures, capture_id, find)
        if isinstance(found, LeftAsItIs):
            return found if noted(found) else LeftAsItIs.REFUSED
        # Read outside of the transaction, which keeps others waiting.
        rows = _rows(found)
        write_turn.give_way()
        with transaction.atomic():
            stored = _store(found, rows)
            if stored is not None and not noted(stored):
                transaction.set_rollback(True)
                return LeftAsItIs.REFUSED
        if stored is not None:
            return stored
    raise RuntimeError("others changed it again and again")


def find_in(
    captures: QuerySet[Capture], capture_id: UUID, find: Finder
) -> Overwriting | LeftAsItIs:
    """Return what ``rewrite`` would overwrite. Nothing is changed by it."""
    rows = captures.exclude(state__in=DELETED).select_related("evidence")
    capture = rows.filter(pk=capture_id).first()
    if capture is None or not hasattr(capture, "evidence"):
        return LeftAsItIs.GONE
    if capture.state == State.RECORDING or capture.evidence_form > evidence.FORM:
        return LeftAsItIs.NOT_READABLE
    marks = evidence.marks_in(capture.evidence.surroundings)
    exchange = evidence.unpack(capture, capture.evidence)
    return find(capture, exchange, marks) or LeftAsItIs.NOTHING_FOUND


def _rows(found: Overwriting) -> ProjectionRows | None:
    """Return a new reading; None where there is none, or the marks alone change."""
    if found.capture.state != State.INSPECTED or not found.is_overwritten:
        return None
    found.capture.metadata = found.metadata
    with limited_memory(settings.WORK_MEMORY_BYTES):
        return project(found.capture, extract_of(found.exchange, readout(found.exchange)))


def _store(found: Overwriting, rows: ProjectionRows | None) -> Rewritten | None:
    """None where the capture changed since it was loaded."""
    # ``no_key``: votes and other rows that refer to it are stored meanwhile.
    there = Capture.objects.exclude(state__in=DELETED).select_for_update(no_key=True)
    locked = there.filter(pk=found.capture.pk).first()
    if locked is None or _version(locked) != _version(found.capture):
        return None
    _store_evidence(locked, found)
    if not found.is_overwritten:
        return Rewritten(found, is_read_again=False, ended=Ended())
    if locked.state in PENDING:
        _begin_again(locked)
    if rows is not None:
        projection_store.replace_in_transaction([rows])
        Document.objects.filter(pk=locked.pk).update(previous=None)
    return Rewritten(found, is_read_again=rows is not None, ended=events.rewritten([locked]))


def _version(capture: Capture) -> tuple[Any, ...]:
    """Differs once the capture was read, overwritten or deleted by somebody else."""
    return capture.state, capture.sha256, capture.rewritings, capture.body_deleted_at


def _store_evidence(locked: Capture, found: Overwriting) -> None:
    exchange, body = found.exchange, found.exchange.body
    was_keyed = evidence.marks_in(found.capture.evidence.surroundings).are_of_overwritten
    is_keyed_now = found.marks.are_of_overwritten and not was_keyed
    evidence.replace(evidence.pack(locked, exchange, body, found.marks))
    posted, reason = locked.posted_sha256, locked.quarantine_reason
    Capture.objects.filter(pk=locked.pk).update(
        **columns_of_exchange(exchange, body, found.metadata),
        evidence_form=locked.evidence_form,
        redactions=locked.redactions,
        rewritings=F("rewritings") + int(found.is_overwritten),
        request_sha256=locked.request_sha256 and request_digest(exchange.request),
        posted_sha256=credentials.keyed(posted) if posted and is_keyed_now else posted,
        quarantine_reason=reason and found.masked(reason),
    )


def _begin_again(locked: Capture) -> None:
    # A worker that reads it now reads the old bytes: its result is refused.
    was_begun = int(locked.state == State.PROCESSING)
    Capture.objects.filter(pk=locked.pk).update(
        state=State.RECEIVED, lease_token=None, due_at=Now(), attempt=F("attempt") - was_begun
    )
