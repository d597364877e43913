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


@dataclass(frozen=True, slots=True)
class BulkProgress:
    """A job in one sentence, around the tag that it adds or removes: "Adding" red ": 3 of 12"."""

    job: BulkJobStatus
    before_tag: str
    after_tag: str
    undo_label: str
    """Label of the button that stops or undoes; empty where neither is possible."""

    @property
    def ratio(self) -> tuple[int, int] | None:
        """Done and total, where both are known and the job goes on."""
        total = self.job.total
        return (self.job.done, max(total, 1)) if self.job.is_open and total is not None else None


def bulk_progress(job: BulkJobStatus) -> BulkProgress:
    if job.action == BulkKind.DELETE:
        return _final_progress(job, "Deleting", "Deleted", _deletion_sums)
    if job.action == BulkKind.REDACT:
        return _final_progress(job, "Redacting", "Redacted", _redaction_sums)
    undo_label = "" if not job.can_be_undone else "Stop and undo" if job.is_open else "Undo"
    if job.is_open:
        return BulkProgress(job, UNDER_WAY[BulkKind(job.action)], _done_of_total(job), undo_label)
    verb = "added to" if job.action == BulkKind.TAG else "removed from"
    error = f", then {job.error}" if job.state == WorkState.FAILED else ""
    sentence = f"{verb} {plural(job.changed, 'capture')}{error}.{_left_full(job)}"
    return BulkProgress(job, _ending(job), sentence, undo_label)


def _final_progress(
    job: BulkJobStatus, under_way: str, done: str, sums: Callable[[BulkJobStatus], str]
) -> BulkProgress:
    """Return the progress of a job that cannot be undone."""
    if job.is_open:
        return BulkProgress(job, under_way, _done_of_total(job), "Stop")
    ending = _ending(job)
    verb = done.lower() if ending else done
    error = f" Then {job.error}." if job.state == WorkState.FAILED else ""
    return BulkProgress(job, ending, f"{verb} {sums(job)}{error}", "")


def _ending(job: BulkJobStatus) -> str:
    """Return how the job ended, unless it went through to its end."""
    return {WorkState.STOPPED: "Stopped: ", WorkState.FAILED: "Failed: "}.get(
        WorkState(job.state), ""
    )


def _redaction_sums(job: BulkJobStatus) -> str:
    sums = job.redacted or RedactedCaptures()
    parts = [
        f"{plural(sums.captures, 'capture')} of {job.done:,}",
        plural(sums.passages, "passage"),
    ]
    if sums.exports:
        parts.append(plural(sums.exports, "export withdrawn", "exports withdrawn"))
    left = f" {plural(sums.left, 'capture')} could not be changed." if sums.left else ""
    return f"{', '.join(parts)}.{left}"


def _deletion_sums(job: BulkJobStatus) -> str:
    sums = job.receipt or BulkDeletionSums()
    further = ((sums.feedback_votes, "vote"), (sums.exports, "export"), (sums.shares, "link"))
    parts = [plural(job.changed, "capture"), size(sums.bytes)]
    parts += [plural(number, name) for number, name in further if number]
    erased = DISK_ERASURE_WORDS[disk_erasure()]
    return f"{', '.join(parts)}. A receipt of each is kept. {erased}"


def _done_of_total(job: BulkJobStatus) -> str:
    return f"{job.done:,} of {job.total:,}" if job.total is not None else f"{job.done:,} so far"


def _left_full(job: BulkJobStatus) -> str:
    """Return a sentence on the captures that could take no further tag."""
    return f" {plural(job.full, 'capture')} had {MAX_TAGS} tags already." if job.full else ""


def count_words(count: BoundedCount | None) -> str:
    """Format ``10,000+`` for a lower bound; "" where nothing is known."""
    if count is None:
        return ""
    return f"{count.number:,}" if count.is_all else f"{count.number:,}+"
