"""Uploads that were acknowledged as they came: parked, and what became of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated

import msgspec
from django.db import IntegrityError, transaction

from inspector.archive.intake.sent_with import SentWith
from inspector.archive.member_types import Count, Moment, codes
from inspector.archive.storage import disk_space
from inspector.archive.storage.compression import compressed, decompressed
from inspector.database import lock_wait
from inspector.teams.access import Principal
from inspector.transfer.models import Upload, UploadBody, UploadState
from inspector.transfer.uploads.kinds import KINDS

ALONE = SentWith()
MAX_OPEN_UPLOADS = 20
"""Of one team: each takes its turn, so that more would only wait longer."""


@dataclass(frozen=True, slots=True)
class TooManyUploads:
    """As many uploads of the team wait as may; another one is taken later."""

    limit: int = MAX_OPEN_UPLOADS


class LeftEntry(msgspec.Struct, frozen=True):
    """An entry that became no capture. ``number`` counts from 1."""

    number: Count
    code: str
    message: str


class UploadStatus(msgspec.Struct, frozen=True, kw_only=True):
    """An upload that is cut into captures, and how far it is. ``entries`` were gone past,
    ``captures`` of them are captures now or were before. ``left`` are the first of the others.
    ``error`` says why it failed.
    """

    id: int
    kind: Annotated[str, codes(KINDS)]
    state: Annotated[str, codes(UploadState)]
    byte_length: Count
    entries: Count
    captures: Count
    left: tuple[LeftEntry, ...]
    error: str | None
    created_at: Moment
    finished_at: Moment | None


def for_principal(principal: Principal, scope: str) -> Uploads:
    return Uploads(principal, scope)


@dataclass(frozen=True, slots=True)
class Uploads:
    """The uploads of kinds that one scope sends, in the teams in which the principal has it. One of
    another team is treated as missing.
    """

    principal: Principal
    scope: str

    def park(self, kind: str, body: bytes, sent: SentWith = ALONE) -> UploadStatus | TooManyUploads:
        """Keeps the body until it is cut. Who sends it again meanwhile gets the same upload. The
        principal has the scope in one team.
        """
        [team_id] = self.principal.team_ids(self.scope)
        digest = hashlib.sha256(msgspec.json.encode(sent) + body).hexdigest()
        of_team = Upload.objects.filter(team=team_id, state=UploadState.OPEN)
        if earlier := of_team.filter(kind=kind, digest=digest).first():
            return status_of(earlier)
        if of_team.count() >= MAX_OPEN_UPLOADS:
            return TooManyUploads()
        disk_space.require_space()
        upload = Upload(
            team_id=team_id,
            key_id=self.principal.key_id,
            kind=kind,
            sent_with=msgspec.to_builtins(sent),
            digest=digest,
            byte_length=len(body),
        )
        try:
            _store(upload, compressed(body))
        except IntegrityError:
            # Sent twice at once: the other one is there now, or was and has ended.
            return self.park(kind, body, sent)
        return status_of(upload)

    def one(self, number: int) -> UploadStatus | None:
        kinds = [name for name, kind in KINDS.items() if kind.scope == self.scope]
        team_ids = self.principal.team_ids(self.scope)
        found = Upload.objects.filter(team__in=team_ids, kind__in=kinds, pk=number).first()
        return status_of(found) if found else None


@lock_wait.intake_lock_wait()
def _store(upload: Upload, content: bytes) -> None:
    with transaction.atomic():
        upload.save()
        UploadBody.objects.create(upload=upload, content=content)
    upload.refresh_from_db(fields=["created_at"])


def body_of(upload: Upload) -> bytes:
    return decompressed(UploadBody.objects.get(pk=upload.pk).content)


def status_of(upload: Upload) -> UploadStatus:
    return UploadStatus(
        id=upload.pk,
        kind=upload.kind,
        state=upload.state,
        byte_length=upload.byte_length,
        entries=upload.done,
        captures=upload.captures,
        left=msgspec.convert(upload.left, tuple[LeftEntry, ...]),
        error=upload.error,
        created_at=upload.created_at,
        finished_at=upload.finished_at,
    )
