"""Accepting: evidence and its row are committed together before anybody is told so."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from inspector import lock_wait
from inspector.archive import arrival_rows, columns, credentials, evidence, room
from inspector.archive.claims import Lease
from inspector.archive.doorbell import doorbell
from inspector.archive.models import Capture, Evidence
from inspector.archive.text import clean, clean_json, clean_or_none
from inspector.core.credentials.removal import Removal
from inspector.core.exchange import Exchange, Request
from inspector.teams.access import INGEST, Principal

NOTE_CHARACTERS = 4_000
TAG_CHARACTERS = 64
MAX_TAGS = 32
METADATA_CHARACTERS = 64_000
CONTENT_TYPE_CHARACTERS = 255
URL_CHARACTERS = 2_000
METHOD_CHARACTERS = 20


@dataclass(frozen=True, slots=True)
class Arrival:
    """One exchange with what its sender says about it."""

    exchange: Exchange
    tags: tuple[str, ...] = ()
    note: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    started_at: datetime | None = None
    idempotency_key: str | None = None
    posted_sha256: str | None = None
    """Hash of the posted body, to tell a resend from another use of its key."""
    removal: Removal | None = None
    """None as long as nobody looked for credentials in it."""


@dataclass(frozen=True, slots=True)
class Accepted:
    id: UUID
    state: str
    duplicate: bool


@dataclass(frozen=True, slots=True)
class KeyReused:
    """The idempotency key belongs to a capture that was made from another body."""

    id: UUID


def accept(
    principal: Principal, arrival: Arrival, lease: Lease | None = None
) -> Accepted | KeyReused:
    """With a lease the capture is its holder's from the first moment on, and no bell is rung."""
    arrival = cleaned(arrival)
    try:
        (result,) = _accepted(principal, [arrival], lease)
    except IntegrityError:
        if arrival.idempotency_key is None:
            raise
        # Two requests with one idempotency key at once: the other one was first.
        (result,) = _accepted(principal, [arrival], lease)
    return result


def accept_together(
    principal: Principal, arrivals: Sequence[Arrival]
) -> list[Accepted | KeyReused]:
    """One result each, in their order, by one commit.

    An error means that nothing of them was stored; ``accept`` then tells which one is to blame.
    """
    return _accepted(principal, [cleaned(arrival) for arrival in arrivals], None)


def cleaned(arrival: Arrival) -> Arrival:
    """Without the credentials that came with it, and with a count of them."""
    if arrival.removal is not None:
        return arrival
    exchange, metadata, removal, _ = credentials.clean(arrival.exchange, arrival.metadata)
    return replace(arrival, exchange=exchange, metadata=metadata, removal=removal)


@lock_wait.brief_after_failure()
def _accepted(
    principal: Principal, arrivals: Sequence[Arrival], lease: Lease | None
) -> list[Accepted | KeyReused]:
    (team_id,) = principal.team_ids(INGEST)
    known = _known(team_id, arrivals)
    results: list[Accepted | KeyReused] = []
    new: list[tuple[Capture, Evidence]] = []
    for arrival in arrivals:
        if earlier := known.get(arrival.idempotency_key):
            results.append(_resent(earlier, arrival))
            continue
        body = arrival.exchange.body
        capture = unsaved(team_id, principal.key_id, arrival, body)
        if lease is not None:
            lease.begin(capture)
        if arrival.idempotency_key is not None:
            known[arrival.idempotency_key] = capture
        new.append((capture, evidence.pack(capture, arrival.exchange, body, arrival.removal)))
        results.append(Accepted(capture.id, capture.state, duplicate=False))
    if new:
        room.require()
        _commit(team_id, new, lease)
    if len(new) < len(arrivals):
        # What is told of others must last as well.
        arrival_rows.flush()
    return results


def _known(team_id: int, arrivals: Sequence[Arrival]) -> dict[str | None, Capture]:
    """What was made before with one of these idempotency keys."""
    keys = {arrival.idempotency_key for arrival in arrivals} - {None}
    if not keys:
        return {}
    captures = Capture.objects.filter(team=team_id, idempotency_key__in=keys)
    found = captures.only("id", "state", "idempotency_key", "posted_sha256")
    return {capture.idempotency_key: capture for capture in found}


def _resent(earlier: Capture, arrival: Arrival) -> Accepted | KeyReused:
    if earlier.posted_sha256 not in _posted(arrival):
        return KeyReused(earlier.id)
    return Accepted(earlier.id, earlier.state, duplicate=True)


def _posted(arrival: Arrival) -> tuple[str | None, ...]:
    """As it was kept by an arrival without credentials, and by one that had some."""
    posted = arrival.posted_sha256
    return (posted,) if posted is None else (posted, credentials.keyed(posted))


def _kept_posted(arrival: Arrival) -> str | None:
    posted, removal = arrival.posted_sha256, arrival.removal
    if posted is None or removal is None or not removal.total:
        return posted
    return credentials.keyed(posted)


def _commit(team_id: int, new: Sequence[tuple[Capture, Evidence]], lease: Lease | None) -> None:
    if lease is not None:
        arrival_rows.insert(team_id, new, settings.LEASE_SECONDS)
        return
    arrival_rows.insert(team_id, new)
    transaction.on_commit(doorbell.ring)


def unsaved(team_id: int, key_id: int | None, arrival: Arrival, body: bytes) -> Capture:
    """The row that an arrival becomes, without the time that only a transaction can give it."""
    exchange = arrival.exchange
    request = exchange.request or Request()
    made: Capture = columns.new(
        Capture,
        team_id=team_id,
        key_id=key_id,
        started_at=arrival.started_at,
        **columns_of_exchange(exchange, body, arrival.metadata),
        status_code=exchange.status_code,
        outcome=exchange.outcome,
        dialect_hint=exchange.dialect,
        request_method=clean_or_none(request.method, METHOD_CHARACTERS),
        note=clean(arrival.note, NOTE_CHARACTERS),
        tags=clean_tags(arrival.tags),
        idempotency_key=arrival.idempotency_key,
        posted_sha256=_kept_posted(arrival),
    )
    return made


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Each once, in their order, as a column can hold them."""
    return list(dict.fromkeys(clean(tag, TAG_CHARACTERS) for tag in tags))[:MAX_TAGS]


def columns_of_exchange(
    exchange: Exchange, body: bytes, metadata: dict[str, Any]
) -> dict[str, Any]:
    """Those columns of a capture that say something of what may be cleaned."""
    url = exchange.request.url if exchange.request else None
    return {
        "byte_length": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
        "content_type": clean_or_none(exchange.content_type, CONTENT_TYPE_CHARACTERS),
        "request_url": clean_or_none(url, URL_CHARACTERS),
        "metadata": clean_json(metadata, METADATA_CHARACTERS),
    }
