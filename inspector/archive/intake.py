"""Accepting: evidence and its row are committed together before anybody is told so."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction

from inspector.archive import evidence
from inspector.archive.claims import Lease
from inspector.archive.credentials import url_without_credentials, without_credentials
from inspector.archive.database import arrival_time
from inspector.archive.doorbell import doorbell
from inspector.archive.models import Capture, Evidence, State, TagRow
from inspector.archive.text import clean, clean_json, clean_or_none
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
    (team_id,) = principal.team_ids(INGEST)
    if earlier := _earlier(team_id, arrival):
        return earlier
    body = arrival.exchange.body
    capture = unsaved(team_id, principal.key_id, arrival, body)
    if lease is not None:
        lease.begin(capture)
    stored = evidence.pack(capture, _without_credentials(arrival.exchange), body)
    try:
        _commit(capture, stored)
    except IntegrityError:
        # Two requests with one idempotency key at once: the other one was first.
        if earlier := _earlier(team_id, arrival):
            return earlier
        raise
    return Accepted(capture.id, capture.state, duplicate=False)


def _earlier(team_id: int, arrival: Arrival) -> Accepted | KeyReused | None:
    if arrival.idempotency_key is None:
        return None
    capture = (
        Capture.objects.filter(team=team_id, idempotency_key=arrival.idempotency_key)
        .only("id", "state", "posted_sha256")
        .first()
    )
    if capture is None:
        return None
    if capture.posted_sha256 != arrival.posted_sha256:
        return KeyReused(capture.id)
    return Accepted(capture.id, capture.state, duplicate=True)


def _commit(capture: Capture, stored: Evidence) -> None:
    with transaction.atomic():
        # The larger part first, while others of the team may write too; that its row is there is
        # checked at the end of the transaction.
        stored.save(force_insert=True)
        capture.received_at = arrival_time(capture.team_id)
        capture.save(force_insert=True)
        TagRow.objects.bulk_create(TagRow(capture=capture, tag=tag) for tag in set(capture.tags))
        if capture.state == State.RECEIVED:
            transaction.on_commit(doorbell.ring)


def unsaved(team_id: int, key_id: int | None, arrival: Arrival, body: bytes) -> Capture:
    """The row that an arrival becomes, without the time that only a transaction can give it."""
    exchange = arrival.exchange
    request = exchange.request or Request()
    return Capture(
        team_id=team_id,
        key_id=key_id,
        started_at=arrival.started_at,
        byte_length=len(body),
        sha256=hashlib.sha256(body).hexdigest(),
        content_type=clean_or_none(exchange.content_type, CONTENT_TYPE_CHARACTERS),
        status_code=exchange.status_code,
        outcome=exchange.outcome,
        dialect_hint=exchange.dialect,
        request_method=clean_or_none(request.method, METHOD_CHARACTERS),
        request_url=_shown_url(request.url),
        note=clean(arrival.note, NOTE_CHARACTERS),
        tags=clean_tags(arrival.tags),
        metadata=clean_json(arrival.metadata, METADATA_CHARACTERS),
        idempotency_key=arrival.idempotency_key,
        posted_sha256=arrival.posted_sha256,
    )


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Each once, in their order, as a column can hold them."""
    return list(dict.fromkeys(clean(tag, TAG_CHARACTERS) for tag in tags))[:MAX_TAGS]


def _shown_url(url: str | None) -> str | None:
    return None if url is None else clean(url_without_credentials(url), URL_CHARACTERS)


def _without_credentials(exchange: Exchange) -> Exchange:
    request = exchange.request
    if request is not None:
        request = msgspec.structs.replace(
            request,
            headers=without_credentials(request.headers),
            url=None if request.url is None else url_without_credentials(request.url),
        )
    return msgspec.structs.replace(
        exchange, headers=without_credentials(exchange.headers), request=request
    )
