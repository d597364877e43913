"""How far a bulk job is, in words."""

from collections.abc import Callable
from dataclasses import dataclass

from inspector.archive.background.bulk_jobs import BulkDeletionSums, BulkJobStatus
from inspector.archive.background.redacting import RedactedCaptures
from inspector.archive.deletion import disk_erasure
from inspector.archive.intake.limits import MAX_TAGS
from inspector.archive.models import BulkKind
from inspector.archive.queries import BoundedCount
from inspector.dashboard.text.disk_erasure import DISK_ERASURE_WORDS
from inspector.formatting.humanize import plural, size
from inspector.work.models import WorkState

UNDER_WAY = {BulkKind.TAG: "Adding", BulkKind.UNTAG: "Removing", BulkKind.DELETE: "Deleting"}
STOPPED = "Stopped: "


@dataclass(frozen=True, slots=True)
class BulkProgress:
    """``headline`` comes before the tag, ``rest`` after it."""

    job: BulkJobStatus
    headline: str
    rest: str
    button: str
    """Label of the button that undoes; empty where there is nothing to undo."""

    @property
    def ratio(self) -> tuple[int, int] | None:
        """Done and total, where both are known and the job goes on."""
        total = self.job.total
        return (self.job.done, max(total, 1)) if self.job.is_open and total is not None else None


def bulk_progress(job: BulkJobStatus) -> BulkProgress:
    if job.action == BulkKind.DELETE:
        return _lasting_progress(job, "Deleting", "Deleted", _deleted_words)
    if job.action == BulkKind.REDACT:
        return _lasting_progress(job, "Redacting", "Redacted", _redacted_words)
    button = "" if not job.can_be_undone else "Stop and undo" if job.is_open else "Undo"
    if job.is_open:
        return BulkProgress(job, UNDER_WAY[BulkKind(job.action)], under_way_words(job), button)
    changed = plural(job.changed, "capture")
    headline = STOPPED if job.state == WorkState.STOPPED else ""
    rest = f"added to {changed}" if job.action == BulkKind.TAG else f"removed from {changed}"
    if job.state == WorkState.FAILED:
        headline, rest = "Failed: ", f"{rest}, then {job.error}"
    return BulkProgress(job, headline, f"{rest}.{full_words(job)}", button)


def _lasting_progress(
    job: BulkJobStatus, under_way: str, done: str, what: Callable[[BulkJobStatus], str]
) -> BulkProgress:
    """Return the progress of a job that cannot be undone."""
    if job.is_open:
        return BulkProgress(job, under_way, under_way_words(job), "Stop")
    headline = {WorkState.STOPPED: STOPPED, WorkState.FAILED: "Failed: "}.get(
        WorkState(job.state), ""
    )
    reason = f" Then {job.error}." if job.state == WorkState.FAILED else ""
    verb = done.lower() if headline else done
    return BulkProgress(job, headline, f"{verb} {what(job)}{reason}", "")


def _redacted_words(job: BulkJobStatus) -> str:
    sums = job.redacted or RedactedCaptures()
    parts = [
        f"{plural(sums.captures, 'capture')} of {job.done:,}",
        plural(sums.passages, "passage"),
    ]
    if sums.exports:
        parts.append(plural(sums.exports, "export withdrawn", "exports withdrawn"))
    left = f" {plural(sums.left, 'capture')} could not be changed." if sums.left else ""
    return f"{', '.join(parts)}.{left}"


def _deleted_words(job: BulkJobStatus) -> str:
    sums = job.receipt or BulkDeletionSums()
    further = ((sums.feedback_votes, "vote"), (sums.exports, "export"), (sums.shares, "link"))
    parts = [plural(job.changed, "capture"), size(sums.bytes)]
    parts += [plural(number, name) for number, name in further if number]
    erased = DISK_ERASURE_WORDS[disk_erasure()]
    return f"{', '.join(parts)}. A receipt of each is kept. {erased}"


def under_way_words(job: BulkJobStatus) -> str:
    return f"{job.done:,} of {job.total:,}" if job.total is not None else f"{job.done:,} so far"


def full_words(job: BulkJobStatus) -> str:
    return f" {plural(job.full, 'capture')} had {MAX_TAGS} tags already." if job.full else ""


def count_words(count: BoundedCount | None) -> str:
    """``10,000+`` for a lower bound, empty where nothing is known."""
    if count is None:
        return ""
    return f"{count.number:,}" if count.is_all else f"{count.number:,}+"
