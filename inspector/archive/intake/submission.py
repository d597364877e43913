"""Accepts captures: evidence and row are committed together before the sender is answered."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from inspector.archive import credentials, redaction
from inspector.archive.inspection.claims import Lease
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake import capture_insert
from inspector.archive.intake.limits import (
    CONTENT_TYPE_CHARACTERS,
    MAX_TAGS,
    METADATA_CHARACTERS,
    METHOD_CHARACTERS,
    NOTE_CHARACTERS,
    TAG_CHARACTERS,
    URL_CHARACTERS,
)
from inspector.archive.models import Capture, Evidence
from inspector.archive.storage import disk_space, evidence
from inspector.archive.storage.evidence import CaptureOrigin, Marks
from inspector.core.credentials.removal import Removal, combined
from inspector.core.preparation import prepare
from inspector.core.redaction_mark import Redaction, combined_redaction
from inspector.core.wire.exchange import Exchange, Request
from inspector.database import lock_wait, model_columns
from inspector.database.column_text import clean_json, clean_text, clean_text_or_none
from inspector.teams import accounts
from inspector.teams.access import INGEST, Principal, TeamAccess


@dataclass(frozen=True, slots=True)
class Submission:
    """One exchange with the tags, note, metadata and idempotency key of its sender."""

    exchange: Exchange
    tags: tuple[str, ...] = ()
    note: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    started_at: datetime | None = None
    idempotency_key: str | None = None
    posted_sha256: str | None = None
    """SHA-256 of the posted body; tells a resend from another use of its idempotency key."""
    removal: Removal | None = None
    """None until credentials were looked for."""
    redaction: Redaction | None = None
    """None where no rule of the team overwrote anything."""
    origin: CaptureOrigin | None = None
    """Where it was received first; None if that is here."""
    retry_of: UUID | None = None
    """The failed call here that it repeats."""

    @property
    def called_at(self) -> datetime | None:
        """When the call was made, as told: by its sender, else by the archive that had it first."""
        return self.started_at or (self.origin.received_at if self.origin else None)

    @property
    def marks(self) -> Marks:
        return Marks(self.removal, self.redaction, self.origin)


@dataclass(frozen=True, slots=True)
class Accepted:
    id: UUID
    state: str
    duplicate: bool


@dataclass(frozen=True, slots=True)
class IdempotencyKeyReused:
    """The idempotency key belongs to a capture that was made from another body."""

    id: UUID


def accept(
    principal: Principal, arrival: Submission, lease: Lease | None = None, scope: str = INGEST
) -> Accepted | IdempotencyKeyReused:
    """Store one capture. With a lease the caller inspects it itself, and no worker is notified.
    ``scope`` is what lets the principal send it.
    """
    team = _team_of(principal, scope)
    arrival = prepared(arrival, team.id if team.redacts else None)
    try:
        (result,) = _accepted(team.id, principal.key_id, [arrival], lease)
    except IntegrityError:
        if arrival.idempotency_key is None:
            raise
        # Two requests with one idempotency key at once: the other one was first.
        (result,) = _accepted(team.id, principal.key_id, [arrival], lease)
    return result


def accept_batch(
    principal: Principal, arrivals: Sequence[Submission], scope: str = INGEST
) -> list[Accepted | IdempotencyKeyReused]:
    """Store several captures in one commit and return one result each, in their order.

    Any exception means that none was stored; ``accept`` for each then finds the one to blame.
    """
    team = _team_of(principal, scope)
    # Asked anew: rules may have been made since the sender of a long batch was let in.
    redacting = team.id if accounts.redacts(team.id) else None
    ready = [prepared(arrival, redacting) for arrival in arrivals]
    return _accepted(team.id, principal.key_id, ready)


def prepared(arrival: Submission, redacting_team: int | None) -> Submission:
    """Return the submission without credentials and what the team's rules name, both counted."""
    rules = None if redacting_team is None else redaction.rules_of(redacting_team)
    found = prepare(arrival.exchange, arrival.metadata, arrival.removal, rules, credentials.keyed)
    removal, redacted = found.removal, arrival.redaction
    if arrival.origin is not None:
        removal = arrival.removal or combined(arrival.origin.removal, removal)
        redacted = redacted or arrival.origin.redaction
    return replace(
        arrival,
        exchange=found.exchange,
        metadata=found.metadata,
        removal=removal,
        redaction=combined_redaction(redacted, found.redaction) if found.redaction else redacted,
    )


def _team_of(principal: Principal, scope: str) -> TeamAccess:
    # A key belongs to one team, and whoever posts in a browser names one.
    (team,) = (team for team in principal.teams if scope in team.scopes)
    return team


@lock_wait.intake_lock_wait()
def _accepted(
    team_id: int, key_id: int | None, arrivals: Sequence[Submission], lease: Lease | None = None
) -> list[Accepted | IdempotencyKeyReused]:
    known = _captures_by_key(team_id, arrivals)
    results: list[Accepted | IdempotencyKeyReused] = []
    new: list[tuple[Capture, Evidence]] = []
    for arrival in arrivals:
        # Also within one batch: a key that comes twice there is stored once.
        if earlier := known.get(arrival.idempotency_key):
            results.append(_resent(earlier, arrival))
            continue
        body = arrival.exchange.body
        capture = new_capture(team_id, key_id, arrival, body)
        if lease is not None:
            lease.begin(capture)
        if arrival.idempotency_key is not None:
            known[arrival.idempotency_key] = capture
        packed = evidence.pack(capture, arrival.exchange, body, arrival.marks)
        new.append((capture, packed))
        results.append(Accepted(capture.id, capture.state, duplicate=False))
    if new:
        # Only before something new is written: a duplicate is acknowledged on a full disk, too.
        disk_space.require_space()
        _commit(team_id, new, lease)
    if len(new) < len(arrivals):
        # Duplicates are acknowledged too: the commit of the first request must be on disk.
        capture_insert.flush_wal()
    return results


def _captures_by_key(team_id: int, arrivals: Sequence[Submission]) -> dict[str | None, Capture]:
    keys = {arrival.idempotency_key for arrival in arrivals} - {None}
    if not keys:
        return {}
    captures = Capture.objects.filter(team=team_id, idempotency_key__in=keys)
    found = captures.only("id", "state", "idempotency_key", "posted_sha256")
    return {capture.idempotency_key: capture for capture in found}


def _resent(earlier: Capture, arrival: Submission) -> Accepted | IdempotencyKeyReused:
    if earlier.posted_sha256 not in _possible_digests(arrival):
        return IdempotencyKeyReused(earlier.id)
    return Accepted(earlier.id, earlier.state, duplicate=True)


def _possible_digests(arrival: Submission) -> tuple[str | None, ...]:
    """Digests of an equal submission: plain, or keyed where it held credentials."""
    posted = arrival.posted_sha256
    return (posted,) if posted is None else (posted, credentials.keyed(posted))


def _stored_digest(arrival: Submission) -> str | None:
    posted = arrival.posted_sha256
    return credentials.keyed(posted) if posted and arrival.marks.are_of_overwritten else posted


def _commit(team_id: int, new: Sequence[tuple[Capture, Evidence]], lease: Lease | None) -> None:
    if lease is not None:
        capture_insert.insert_captures(team_id, new, settings.LEASE_SECONDS)
        return
    capture_insert.insert_captures(team_id, new)
    # A worker that looked before the commit would find nothing and wait for the next message.
    transaction.on_commit(doorbell.ring)


def new_capture(team_id: int, key_id: int | None, arrival: Submission, body: bytes) -> Capture:
    """Return the row of an arrival, without the time that only a transaction can give it."""
    exchange = arrival.exchange
    request = exchange.request or Request()
    made: Capture = model_columns.new_row(
        Capture,
        team_id=team_id,
        key_id=key_id,
        started_at=arrival.started_at,
        called_at=arrival.called_at,
        **columns_of_exchange(exchange, body, arrival.metadata),
        status_code=exchange.status_code,
        outcome=exchange.outcome,
        dialect_hint=exchange.dialect,
        request_method=clean_text_or_none(request.method, METHOD_CHARACTERS),
        note=clean_text(arrival.note, NOTE_CHARACTERS),
        tags=clean_tags(arrival.tags),
        idempotency_key=arrival.idempotency_key,
        posted_sha256=_stored_digest(arrival),
        retry_of=arrival.retry_of,
    )
    return made


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Tags without duplicates, in their order, cut to what the column holds."""
    return list(dict.fromkeys(clean_text(tag, TAG_CHARACTERS) for tag in tags))[:MAX_TAGS]


def columns_of_exchange(
    exchange: Exchange, body: bytes, metadata: dict[str, Any]
) -> dict[str, Any]:
    """Return the columns of a capture that are computed from content which may hold credentials."""
    url = exchange.request.url if exchange.request else None
    return {
        "byte_length": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
        "content_type": clean_text_or_none(exchange.content_type, CONTENT_TYPE_CHARACTERS),
        "request_url": clean_text_or_none(url, URL_CHARACTERS),
        "metadata": clean_json(metadata, METADATA_CHARACTERS),
    }
