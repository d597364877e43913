"""Cuts uploads into captures: claims one, stores entries for a few seconds, stores how far it is.

The captures are committed before the position: a step that is cut off is repeated, and finds them
stored by their keys.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils import timezone

from inspector.archive.inspection import leases
from inspector.archive.inspection.claims import PROCESS_ENDED_REASON
from inspector.archive.inspection.cpu_limit import CpuTimeExceeded, cpu_time_limit
from inspector.archive.intake.groups import accept_group, groups_to_commit
from inspector.archive.intake.sent_with import SentWith
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.archive.storage import disk_space
from inspector.core.json.document import BadDocument
from inspector.database import write_turn
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.teams.access import for_sender
from inspector.transfer.entries import PassedOver
from inspector.transfer.models import Upload, UploadBody, UploadState
from inspector.transfer.upload_entry import UploadEntry
from inspector.transfer.uploads.kinds import KINDS, UploadKind
from inspector.transfer.uploads.parked import LeftEntry, body_of

STEP_SECONDS = 3.0
"""Each step looks through the body anew, which takes a part of a second."""
GROUP_SECONDS = 10.0
"""Of the processor, for reading the entries of one commit; of a sound body they take a tenth."""
MAX_LEFT = 1_000
KEPT = timedelta(days=7)
"""How long what became of an upload can be looked up."""
FORGET_EVERY_SECONDS = 3600.0
ERROR_CHARACTERS = 200
PASSED_OVER, NOT_STORED, KEY_REUSED = "passed_over", "not_stored", "idempotency_key_reused"
TOO_LONG = "too_long_to_parse"

_forget_at = 0.0
_LOGGER = logging.getLogger(__name__)


def step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Works for a few seconds on an upload, of the team first that was served longest ago. False
    where none is due.
    """
    upload = None if stop() else _claim()
    if upload is None:
        _forget_old()
        return False
    if upload.attempt > settings.MAX_ATTEMPTS:
        _end(upload, UploadState.FAILED, PROCESS_ENDED_REASON.format(settings.MAX_ATTEMPTS))
        return True
    try:
        _work(upload, stop)
    except UNAVAILABLE as error:
        # No fault of the upload. Where the disk is full it waits; where nothing can be noted now,
        # it is repeated when the lease ends.
        if not disk_space.is_disk_full(error):
            with suppress(*UNAVAILABLE):
                _postpone(upload, settings.RETRY_WAITS_SECONDS[0], attempt=upload.attempt - 1)
            raise
        _postpone(upload, settings.RETRY_WAITS_SECONDS[-1], attempt=0)
    except CpuTimeExceeded:
        _end(upload, UploadState.FAILED, TOO_LONG)
    except BadDocument as error:
        _end(upload, UploadState.FAILED, error.code)
    except Exception as error:
        _LOGGER.exception("a step of an upload failed", extra=_log_fields(upload))
        _failed(upload, error)
    return True


def due() -> QuerySet[Upload]:
    # A kind that only a newer release knows waits for its programs.
    open_now = Upload.objects.filter(state=UploadState.OPEN, due_at__lte=Now(), kind__in=KINDS)
    return open_now.order_by("due_at", "id")


def _claim() -> Upload | None:
    return leases.take_first(Upload.objects.all(), _in_turn(), attempt=leases.counted_attempt())


def _in_turn() -> QuerySet[Upload]:
    # Team by team: whoever sends twenty waits twenty times as long for the last of them.
    of_team = Upload.objects.filter(team=OuterRef("team"), started_at__isnull=False)
    served = Subquery(of_team.order_by("-due_at").values("due_at")[:1])
    return due().order_by(served.asc(nulls_first=True), "due_at", "id")


def _work(upload: Upload, stop: Callable[[], bool]) -> None:
    kind = KINDS[upload.kind]
    end = time.monotonic() + STEP_SECONDS
    groups = _groups(upload, kind)
    while group := _read_in_time(groups):
        if not _store(upload, kind, group):
            return
        if stop() or time.monotonic() > end:
            _leased(upload).update(lease_token=None, due_at=Now())
            return
    _end(upload, UploadState.FINISHED)
    _LOGGER.info("an upload is cut into captures", extra=_log_fields(upload))


def _groups(upload: Upload, kind: UploadKind) -> Iterator[list[UploadEntry]]:
    sent = msgspec.convert(upload.sent_with, SentWith)
    yield from groups_to_commit(kind.entries(body_of(upload), sent, upload.done))


def _read_in_time(groups: Iterator[list[UploadEntry]]) -> list[UploadEntry] | None:
    with cpu_time_limit(GROUP_SECONDS):
        return next(groups, None)


def _store(upload: Upload, kind: UploadKind, group: Sequence[UploadEntry]) -> bool:
    """False where the upload is another process's by now."""
    write_turn.give_way()
    if not _leased(upload).update(due_at=leases.lease_end()):
        return False
    arrivals = [entry.content for entry in group if isinstance(entry.content, Submission)]
    sender = for_sender(upload.team, upload.key_id, kind.scope)
    results = iter(accept_group(sender, arrivals, kind.scope))
    left = [
        LeftEntry(entry.number, *why)
        for entry in group
        if (why := _why_left(entry, results)) is not None
    ]
    upload.attempt = 0
    upload.left = [*upload.left, *msgspec.to_builtins(left)][:MAX_LEFT]
    return bool(
        _leased(upload).update(
            done=F("done") + len(group),
            captures=F("captures") + len(group) - len(left),
            left=upload.left,
            # A step that got somewhere is no failed attempt.
            attempt=upload.attempt,
        )
    )


def _why_left(
    entry: UploadEntry, results: Iterator[Accepted | IdempotencyKeyReused | None]
) -> tuple[str, str] | None:
    """Code and reason of an entry that is no capture; None for one that is."""
    content = entry.content
    if isinstance(content, PassedOver):
        return PASSED_OVER, content.reason
    if isinstance(content, BadDocument):
        return content.code, content.message
    result = next(results)
    if result is None:
        return NOT_STORED, "it cannot be stored"
    return None if isinstance(result, Accepted) else (KEY_REUSED, "stored already, otherwise")


def _failed(upload: Upload, error: Exception) -> None:
    if upload.attempt >= settings.MAX_ATTEMPTS:
        _end(upload, UploadState.FAILED, type(error).__name__)
        return
    _postpone(upload, settings.RETRY_WAITS_SECONDS[max(upload.attempt - 1, 0)])


def _postpone(upload: Upload, seconds: float, **columns: Any) -> None:
    wait = timedelta(seconds=seconds)
    _leased(upload).update(lease_token=None, due_at=Now() + wait, **columns)


def _end(upload: Upload, state: UploadState, error: str | None = None) -> None:
    """The body goes once it is cut. Of what failed it is kept: it was acknowledged."""
    is_cut = state == UploadState.FINISHED
    # The digest is of a body that credentials stand in.
    gone = {"digest": ""} if is_cut else {}
    with transaction.atomic():
        ended = _leased(upload).update(
            state=state,
            error=error[:ERROR_CHARACTERS] if error else None,
            finished_at=Now(),
            due_at=Now(),
            lease_token=None,
            **gone,
        )
        if ended and is_cut:
            UploadBody.objects.filter(pk=upload.pk).delete()


def _forget_old() -> None:
    """Deletes what ended long ago; does nothing if called again within an hour."""
    global _forget_at
    if time.monotonic() >= _forget_at:
        _forget_at = time.monotonic() + FORGET_EVERY_SECONDS
        cut = Upload.objects.filter(state=UploadState.FINISHED)
        cut.filter(finished_at__lt=timezone.now() - KEPT).delete()


def retry_failed() -> int:
    """Opens each upload that failed once more; how many. One whose equal waits already stays."""
    opened = 0
    for upload in Upload.objects.filter(state=UploadState.FAILED).order_by("id"):
        with suppress(IntegrityError), transaction.atomic():
            opened += Upload.objects.filter(pk=upload.pk, state=UploadState.FAILED).update(
                state=UploadState.OPEN, attempt=0, due_at=Now(), error=None, finished_at=None
            )
    return opened


def _leased(upload: Upload) -> QuerySet[Upload]:
    return Upload.objects.filter(
        pk=upload.pk, lease_token=upload.lease_token, state=UploadState.OPEN
    )


def _log_fields(upload: Upload) -> dict[str, Any]:
    return fields(upload=upload.pk, team=upload.team_id, attempt=upload.attempt)
