"""Stores calls that the proxy's recorder captures, while they run and when they ended.

A call of some length takes three steps. ``begin`` makes a capture in state ``recording`` under a
lease, ``append`` adds segments of reads and renews the lease, and ``finish`` replaces the segments
by the whole evidence: from then on the capture is like one that was posted. A call that ended soon
is stored by ``finish`` alone. What ends together with what begins is stored first: a call that
begins may be a retry of one that ended.

Each step may be repeated: a recorder that was killed, or that lost the database's answer, does it
again. The sweep ends what a recorder left (``abandoned``). If the recorder does come back and has
kept more of the call, that replaces what the sweep had ended.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now

from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake import capture_insert, recording_end, retries, submission
from inspector.archive.intake.limits import CONTENT_TYPE_CHARACTERS
from inspector.archive.intake.recording_end import RecordingEnd
from inspector.archive.intake.retries import request_digest
from inspector.archive.intake.submission import Submission
from inspector.archive.models import DELETED, Capture, Evidence, EvidenceSegment, State
from inspector.archive.storage import disk_space, evidence, segments
from inspector.core.credentials.removal import Removal
from inspector.core.wire.exchange import Exchange, Headers, Read, TransportOutcome
from inspector.database import bulk, statements
from inspector.database.column_text import clean_text_or_none
from inspector.database.model_columns import table_of
from inspector.teams import accounts


@dataclass(frozen=True, slots=True)
class Recording:
    """One captured call as far as it is known, credentials removed."""

    id: UUID
    """The id of its capture, given by the proxy."""
    team_id: int
    key_id: int
    upstream: str | None
    """As the team names it; None where an earlier release began the call."""
    session: str
    """That of the key; empty where it has none."""
    started_at: datetime
    exchange: Exchange
    removal: Removal
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordingLease:
    """The right to add to one capture that is being recorded, and to end it."""

    id: UUID
    token: UUID


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of reads, and what else became known with it."""

    lease: RecordingLease
    number: int
    """Place among a capture's segments, from 0 without gaps."""
    reads: tuple[Read, ...]
    status_code: int | None = None
    headers: Headers | None = None
    removal: Removal | None = None
    """All that was removed so far, where that has changed."""


# -- steps of a recorder --------------------------------------------------------------------------


def begin(recordings: Sequence[Recording]) -> dict[UUID, RecordingLease]:
    """Make captures of calls that go on, without reads, and returns the leases on them.

    One that is being recorded already begins anew under a new lease; one that has ended or was
    deleted is left out. So are those of teams that redact at intake: what a rule names may come in
    parts, so that nothing of a call is stored, or shown to whoever watches, before its end.
    """
    disk_space.require_space()
    leases: dict[UUID, RecordingLease] = {}
    for team_id, theirs in _by_team(recordings).items():
        if not accounts.redacts(team_id):
            leases |= _begin(team_id, theirs)
    return leases


def append(added: Sequence[Segment]) -> frozenset[UUID]:
    """Store segments and renews the leases. Returns the captures whose lease holds; the others
    were ended by the sweep or deleted. A segment that is stored already stays as it is.
    """
    disk_space.require_space()
    packed = {(one.lease.id, one.number): _packed(one) for one in added}
    with transaction.atomic():
        held = _renewed([one.lease for one in added])
        there = _stored_numbers(added)
        new = [one for one in added if one.lease.id in held and _place(one) not in there]
        bulk.bulk_insert([packed[_place(one)] for one in new])
        _add_lengths(new)
        for one in new:
            _add_facts(one)
    return held


def renew(leases: Sequence[RecordingLease]) -> frozenset[UUID]:
    """Renew leases of calls that bring nothing now; return the captures whose lease holds."""
    with transaction.atomic():
        return _renewed(leases)


def finish(recordings: Sequence[Recording]) -> frozenset[UUID]:
    """Store calls that have ended, whoever may have begun to record them. Returns the captures of
    which nothing remains to be stored: those that were deleted are among them.
    """
    disk_space.require_space()
    for team_id, theirs in _by_team(recordings).items():
        _finish(team_id, theirs)
    return frozenset(each.id for each in recordings)


# -- beginning ------------------------------------------------------------------------------------


def _begin(team_id: int, recordings: Sequence[Recording]) -> dict[UUID, RecordingLease]:
    leases = {each.id: RecordingLease(each.id, uuid4()) for each in recordings}
    # No transaction from here to the insert: where another recorder stores one of the calls in
    # between, the insert is refused for its id, and the step that comes again finds it known.
    known = _known(leases)
    anew = _begin_anew([leases[capture_id] for capture_id in known])
    new = [each for each in recordings if each.id not in known]
    if new:
        rows = [_open_row(each, leases[each.id].token) for each in new]
        retries.link(team_id, rows)
        capture_insert.insert_captures(team_id, rows, settings.RECORDING_LEASE_SECONDS)
    return {each.id: leases[each.id] for each in recordings if each.id not in known - anew}


def _begin_anew(leases: Sequence[RecordingLease]) -> set[UUID]:
    if not leases:
        return set()
    with transaction.atomic():
        rows = _locked([lease.id for lease in leases])
        open_ids = {pk for pk, row in rows.items() if row.state == State.RECORDING}
        EvidenceSegment.objects.filter(capture__in=open_ids).delete()
        for lease in leases:
            if lease.id in open_ids:
                Capture.objects.filter(pk=lease.id).update(
                    lease_token=lease.token, byte_length=0, **_renewal()
                )
    return open_ids


def _open_row(recording: Recording, token: UUID) -> tuple[Capture, Evidence]:
    exchange = msgspec.structs.replace(
        recording.exchange, reads=(), outcome=TransportOutcome.OPEN, fault=None
    )
    capture, packed = _row(recording, exchange)
    capture.state = State.RECORDING
    capture.lease_token = token
    # That of no bytes would be equal to that of every other capture that begins.
    capture.sha256 = ""
    return capture, packed


def _row(recording: Recording, exchange: Exchange) -> tuple[Capture, Evidence]:
    arrival = submission.prepared(
        Submission(
            exchange,
            tags=recording.tags,
            metadata={**_session_of(recording), **recording.metadata},
            started_at=recording.started_at,
            removal=recording.removal,
        ),
        recording.team_id,
    )
    exchange, body = arrival.exchange, arrival.exchange.body
    capture = submission.new_capture(recording.team_id, recording.key_id, arrival, body)
    capture.pk = recording.id
    capture.upstream = recording.upstream
    capture.request_sha256 = request_digest(exchange.request)
    return capture, evidence.pack(capture, exchange, body, arrival.marks)


def _session_of(recording: Recording) -> dict[str, Any]:
    return {"session": recording.session} if recording.session else {}


# -- going on -------------------------------------------------------------------------------------


def _renewed(leases: Sequence[RecordingLease]) -> frozenset[UUID]:
    tokens = {lease.id: lease.token for lease in leases}
    rows = _locked(tokens)
    held = frozenset(pk for pk, row in rows.items() if _is_held(row, tokens[pk]))
    Capture.objects.filter(pk__in=held).update(**_renewal())
    return held


def _is_held(row: Capture, token: UUID) -> bool:
    return row.state == State.RECORDING and row.lease_token == token


def _renewal() -> dict[str, Any]:
    lease = timedelta(seconds=settings.RECORDING_LEASE_SECONDS)
    # The sweep notes in ``attempt`` that a lease was over once (``abandoned``).
    return {"due_at": Now() + lease, "attempt": 0}


def _packed(one: Segment) -> EvidenceSegment:
    return segments.pack(one.lease.id, one.number, one.reads)


def _place(one: Segment) -> tuple[UUID, int]:
    return one.lease.id, one.number


def _stored_numbers(added: Sequence[Segment]) -> set[tuple[UUID, int]]:
    there = EvidenceSegment.objects.filter(
        capture__in={one.lease.id for one in added}, number__in={one.number for one in added}
    )
    return set(there.values_list("capture", "number"))


def _add_lengths(new: Sequence[Segment]) -> None:
    lengths: dict[UUID, int] = defaultdict(int)
    for one in new:
        lengths[one.lease.id] += sum(len(read.data) for read in one.reads)
    if not lengths:
        return
    with statements.statement_cursor() as cursor:
        # One statement for all: the ORM would take one round trip for each.
        cursor.executemany(
            f"UPDATE {table_of(Capture)} SET byte_length = byte_length + %s WHERE id = %s",
            [[length, _key_value(capture_id)] for capture_id, length in lengths.items()],
        )


def _key_value(capture_id: UUID) -> Any:
    return Capture._meta.pk.get_db_prep_value(capture_id, connection)


def _add_facts(one: Segment) -> None:
    if one.status_code is None and one.headers is None and one.removal is None:
        return
    stored = Evidence.objects.filter(pk=one.lease.id)
    around = evidence.unpack_surroundings(stored.values_list("surroundings", flat=True).get())
    known: dict[str, Any] = {"headers": one.headers, "removal": one.removal}
    changed = {name: value for name, value in known.items() if value is not None}
    stored.update(
        surroundings=evidence.pack_surroundings(msgspec.structs.replace(around, **changed))
    )
    Capture.objects.filter(pk=one.lease.id).update(**_columns_of_head(one))


def _columns_of_head(one: Segment) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if one.status_code is not None:
        columns["status_code"] = one.status_code
    if one.headers is not None:
        types = (value for name, value in one.headers if name.lower() == "content-type")
        columns["content_type"] = clean_text_or_none(next(types, None), CONTENT_TYPE_CHARACTERS)
    return columns


# -- ending ---------------------------------------------------------------------------------------


def _finish(team_id: int, recordings: Sequence[Recording]) -> None:
    # No transaction from here to the insert, as in ``_begin``.
    known = _known(each.id for each in recordings)
    _end_known([_end(each) for each in recordings if each.id in known])
    new = [_row(each, each.exchange) for each in recordings if each.id not in known]
    if new:
        retries.link(team_id, new)
        capture_insert.insert_captures(team_id, new)
        # At once, unless the caller has a transaction.
        transaction.on_commit(doorbell.ring)


def _end_known(ends: Sequence[RecordingEnd]) -> None:
    """End captures that exist, whoever may have begun to record them."""
    if not ends:
        return
    with transaction.atomic():
        rows = _locked([end.id for end in ends])
        found = [end for end in ends if end.id in rows]
        recording_end.store([end for end in found if _may_end(rows[end.id], end)])


def _may_end(row: Capture, end: RecordingEnd) -> bool:
    if row.state == State.RECORDING:
        return True
    # The sweep ended it, and the recorder was not gone for good. What it kept replaces that where
    # it is longer, or as long with an end of its own: what the sweep ended has none.
    was_cut = row.state not in DELETED and row.outcome == TransportOutcome.RECORDER_STOPPED
    if row.body_deleted_at is not None:
        return False
    return was_cut and (end.byte_length, end.is_whole) > (row.byte_length, False)


def _end(recording: Recording) -> RecordingEnd:
    return recording_end.of_exchange(
        recording.id, recording.team_id, recording.exchange, recording.removal
    )


# -- rows -----------------------------------------------------------------------------------------


def _known(ids: Iterable[UUID]) -> set[UUID]:
    return set(Capture.objects.filter(pk__in=list(ids)).values_list("pk", flat=True))


def _locked(ids: Iterable[UUID]) -> dict[UUID, Capture]:
    # In the order of ids, so that two transactions cannot deadlock.
    rows = Capture.objects.filter(pk__in=list(ids)).order_by("pk").select_for_update()
    columns = ("state", "lease_token", "outcome", "byte_length", "body_deleted_at")
    return {row.pk: row for row in rows.only("id", *columns)}


def _by_team(recordings: Iterable[Recording]) -> dict[int, list[Recording]]:
    teams: dict[int, list[Recording]] = defaultdict(list)
    for recording in recordings:
        teams[recording.team_id].append(recording)
    return teams
