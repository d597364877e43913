"""Uploads that were acknowledged as they came: parked, and what became of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from django.db import transaction

from inspector.archive.intake.sent_with import SentWith
from inspector.archive.member_types import Count, Moment, codes
from inspector.archive.storage import disk_space
from inspector.archive.storage.compression import compressed, decompressed
from inspector.core.decoded_types import built
from inspector.core.same_fields import struct_of
from inspector.database import lock_wait
from inspector.teams.access import Principal
from inspector.transfer.models import UploadBody
from inspector.transfer.uploads.kinds import KINDS
from inspector.work import queries as work
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind, WorkStatus

UPLOADING = "upload"
"""The kind of work. Its subject is a name of ``KINDS``. Every entry has an idempotency key: what is
cut or sent again is stored once.
"""
STATES = (WorkState.OPEN, WorkState.FINISHED, WorkState.FAILED)
ALONE = SentWith()
MAX_OPEN_UPLOADS = 20
"""Open uploads of one team: each takes its turn, so that more would only wait longer."""


@dataclass(frozen=True, slots=True)
class TooManyUploads:
    """As many uploads of the team wait as may; another one is taken later."""

    limit: int = MAX_OPEN_UPLOADS


class LeftEntry(msgspec.Struct, frozen=True):
    """An entry that became no capture. ``number`` counts from 1."""

    number: Count
    code: str
    message: str


class UploadTask(msgspec.Struct, frozen=True):
    """An upload to cut. ``sent``: what its sender says of all entries; ``key_id``: by which key."""

    sent: SentWith
    key_id: int | None
    byte_length: int


class UploadResult(msgspec.Struct, frozen=True):
    """Entries that are captures, by this upload or before, and the first that are none."""

    captures: int = 0
    left: tuple[LeftEntry, ...] = ()


class UploadStatus(msgspec.Struct, frozen=True, kw_only=True):
    """An upload that is cut into captures, and how far it is. ``entries`` were gone past,
    ``captures`` of them are captures now or were before. ``left`` are the first of the others.
    ``error`` says why it failed.
    """

    id: int
    kind: Annotated[str, codes(KINDS)]
    state: Annotated[str, codes(STATES)]
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
        """Keep the body until it is cut. Who sends it again meanwhile gets the same upload. The
        principal has the scope in one team.
        """
        [team_id] = self.principal.team_ids(self.scope)
        digest = hashlib.sha256(msgspec.json.encode(sent) + body).hexdigest()
        of_team, once = WorkOfKind(UPLOADING, (team_id,)), f"{kind} {digest}"
        if earlier := of_team.open_one(team_id, once):
            return status_of(earlier)
        if len(of_team.open_now()) >= MAX_OPEN_UPLOADS:
            return TooManyUploads()
        disk_space.require_space()
        task = UploadTask(sent, self.principal.key_id, len(body))
        upload = _stored(team_id, kind, once, task, compressed(body))
        # Sent twice at once: the other one is there now, or was and has ended.
        return self.park(kind, body, sent) if upload is None else status_of(upload)

    def one(self, number: int) -> UploadStatus | None:
        kinds = [name for name, kind in KINDS.items() if kind.scope == self.scope]
        found = work.for_principal(self.principal, UPLOADING, self.scope).one(number)
        return status_of(found) if found and found.subject in kinds else None


@lock_wait.intake_lock_wait()
def _stored(
    team_id: int, kind: str, once: str, task: UploadTask, content: bytes
) -> WorkStatus | None:
    with transaction.atomic():
        request = msgspec.to_builtins(task)
        upload = work.open_once(UPLOADING, team_id, once, subject=kind, request=request)
        if upload is not None:
            UploadBody.objects.create(upload_id=upload.id, content=content)
    return upload


def body_of(number: int) -> bytes:
    return decompressed(UploadBody.objects.get(pk=number).content)


def task_of(stored: Any) -> UploadTask:
    return msgspec.convert(stored, built(UploadTask))


def result_of(stored: Any) -> UploadResult:
    return msgspec.convert(stored, built(UploadResult))


def status_of(upload: WorkStatus) -> UploadStatus:
    result = result_of(upload.result)
    return struct_of(
        UploadStatus,
        upload,
        kind=upload.subject,
        byte_length=task_of(upload.request).byte_length,
        entries=upload.done,
        captures=result.captures,
        left=result.left,
        error=upload.error if upload.state is WorkState.FAILED else None,
    )
