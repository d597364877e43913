"""The kind of work that cuts uploads into captures. These are committed before the position: a step
that is cut off is repeated, and finds them stored by their keys.
"""

import time
from collections.abc import Iterator, Sequence
from datetime import timedelta

import msgspec
from django.db import transaction
from django.db.models import Q

from inspector.archive.inspection.cpu_limit import CpuTimeExceeded, cpu_time_limit
from inspector.archive.intake.groups import accept_group, groups_to_commit
from inspector.archive.intake.submission import Accepted, IdempotencyKeyReused, Submission
from inspector.core.json.document import BadDocument
from inspector.database import write_turn
from inspector.teams.access import for_sender
from inspector.transfer.entries import PassedOver
from inspector.transfer.models import UploadBody
from inspector.transfer.upload_entry import UploadEntry
from inspector.transfer.uploads.kinds import KINDS, UploadKind
from inspector.transfer.uploads.parked import (
    UPLOADING,
    LeftEntry,
    UploadResult,
    body_of,
    result_of,
    task_of,
)
from inspector.work import leases
from inspector.work.leases import Leased
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind
from inspector.work.run import Kind

STEP_SECONDS = 3.0
"""Each step looks through the body anew, which takes a part of a second."""
GROUP_SECONDS = 10.0
"""Processor time for reading the entries of one commit; those of a sound body take a tenth."""
MAX_LEFT = 1_000
"""Entries that are named with their reason; the row of work is read whole."""
KEPT = timedelta(days=7)
"""How long what became of an upload can be looked up."""
PASSED_OVER, NOT_STORED, KEY_REUSED = "passed_over", "not_stored", "idempotency_key_reused"
TOO_LONG = "too_long_to_parse"


def step(upload: Leased) -> bool:
    try:
        return _cut(upload)
    except CpuTimeExceeded:
        return upload.end(WorkState.FAILED, TOO_LONG) and False
    except BadDocument as error:
        return upload.end(WorkState.FAILED, error.code) and False


def _cut(upload: Leased) -> bool:
    if not upload.renew():
        return False
    end, groups = time.monotonic() + STEP_SECONDS, _groups(upload)
    now: Leased | None = upload
    while group := _read_in_time(groups):
        if not _store(upload if now is None else now, group):
            return False
        now = leases.again(upload)
        if now is None or time.monotonic() > end:
            return now is not None
    _finish(upload)
    return False


def _groups(upload: Leased) -> Iterator[list[UploadEntry]]:
    sent = task_of(upload.row.request).sent
    entries = KINDS[upload.row.subject].entries(body_of(upload.row.pk), sent, upload.row.done)
    yield from groups_to_commit(entries)


def _read_in_time(groups: Iterator[list[UploadEntry]]) -> list[UploadEntry] | None:
    with cpu_time_limit(GROUP_SECONDS):
        return next(groups, None)


def _store(upload: Leased, group: Sequence[UploadEntry]) -> bool:
    write_turn.give_way()
    kind = KINDS[upload.row.subject]
    results = iter(_accepted(upload, kind, group))
    left = [
        LeftEntry(entry.number, *why)
        for entry in group
        if (why := _why_left(entry, results)) is not None
    ]
    before = result_of(upload.row.result)
    captures = before.captures + len(group) - len(left)
    result = UploadResult(captures, (*before.left, *left)[:MAX_LEFT])
    return upload.advance(len(group), result=msgspec.to_builtins(result))


def _accepted(
    upload: Leased, kind: UploadKind, group: Sequence[UploadEntry]
) -> Sequence[Accepted | IdempotencyKeyReused | None]:
    arrivals = [entry.content for entry in group if isinstance(entry.content, Submission)]
    team, key_id = upload.row.team, task_of(upload.row.request).key_id
    if team is None:
        raise ValueError("it is of no team")
    return accept_group(for_sender(team, key_id, kind.scope), arrivals, kind.scope)


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


def _finish(upload: Leased) -> None:
    """Delete the body once it is cut. Of what failed it is kept: it was acknowledged."""
    with transaction.atomic():
        # The digest in its name is of a body that credentials stand in.
        if upload.end(once=None):
            UploadBody.objects.filter(pk=upload.row.pk).delete()


def retry_failed() -> int:
    """Open each upload that failed once more; how many. One whose equal waits already stays."""
    return WorkOfKind(UPLOADING, None).reopen_failed()


KIND = Kind(
    UPLOADING,
    step,
    # What only a newer release knows waits for its programs.
    mine=Q(subject__in=list(KINDS)),
    seconds=0.0,
    kept=KEPT,
    kept_states=frozenset({WorkState.FAILED}),
)
