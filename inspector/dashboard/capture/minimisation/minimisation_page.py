"""The result of minimising a capture, for the rows of its findings and for a page of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from inspector.archive.background.minimisation_status import MinimisationStatus
from inspector.archive.background.minimising import MinimisationEnding
from inspector.core.minimisation.parts import MinimisationPass
from inspector.dashboard.capture.page.task_progress import WAITING, TaskProgress
from inspector.formatting.humanize import count

STAGES = {
    MinimisationPass.SURROUNDINGS: "leaving out times, headers and the request",
    MinimisationPass.EVENTS: "removing events",
    MinimisationPass.MEMBERS: "removing members",
    MinimisationPass.VALUES: "emptying values",
    MinimisationPass.STRINGS: "removing characters of texts",
    MinimisationPass.SPACES: "removing white space",
    MinimisationPass.LINES: "removing lines",
    MinimisationPass.CHARACTERS: "removing characters",
    MinimisationPass.REQUEST_MEMBERS: "removing members of the request",
    MinimisationPass.REQUEST_VALUES: "emptying values of the request",
    MinimisationPass.REQUEST_STRINGS: "removing characters of the request's texts",
    MinimisationPass.REQUEST_SPACES: "removing white space of the request",
}
ENDINGS = {
    MinimisationEnding.NOTHING_REMOVED: "Nothing could be removed: it is as small as it gets.",
    MinimisationEnding.NOT_FOUND: "By the current rules it has no such finding.",
}
DELETED = "The minimised capture was deleted."
AT_LIMIT = "It ended at its limit: something smaller may exist."
ANOTHER_RELEASE = "The result is of another release: minimise again."


@dataclass(frozen=True, slots=True)
class MinimisationDisplay:
    """A finding, and the minimisation that was requested for it, if one was."""

    code: str
    pointer: str | None
    status: MinimisationStatus | None = None

    @property
    def query(self) -> str:
        place = {} if self.pointer is None else {"pointer": self.pointer}
        return urlencode({"code": self.code, **place})

    @property
    def progress(self) -> TaskProgress | None:
        return progress_of(self.status) if self.status and self.status.is_open else None

    @property
    def lengths(self) -> str:
        """``1,204 bytes of 68,115``, with those of the request if it needs one."""
        result = self.status.result if self.status else None
        if result is None:
            return ""
        body = f"{count(result.bytes_now)} bytes of {count(result.bytes_before)}"
        if not result.request_bytes_now:
            return body
        request = f"{count(result.request_bytes_now)} of {count(result.request_bytes_before)}"
        return f"{body}, request {request}"

    @property
    def remark(self) -> str:
        """Returns the words beside the link to the minimised capture, or in its place."""
        return " ".join(_remarks(self.status)) if self.status else ""

    @property
    def may_begin(self) -> bool:
        """True unless it is under way, or a minimised capture is there."""
        if self.status is None:
            return True
        result = self.status.result
        return not self.status.is_open and (result is None or result.capture is None)


def displays_of(statuses: tuple[MinimisationStatus, ...]) -> tuple[MinimisationDisplay, ...]:
    return tuple(MinimisationDisplay(each.code, each.pointer, each) for each in statuses)


def display_of(
    statuses: tuple[MinimisationStatus, ...], code: str, pointer: str | None
) -> MinimisationDisplay:
    """Returns the minimisation of one finding. A capture has one minimisation of each code at a
    time.
    """
    status = next((each for each in statuses if each.code == code), None)
    return MinimisationDisplay(code, pointer, status)


def progress_of(status: MinimisationStatus) -> TaskProgress:
    if status.bytes_before is None or status.bytes_now is None:
        return TaskProgress(WAITING)
    stage = STAGES.get(MinimisationPass(status.stage), "") if status.stage in STAGES else ""
    return TaskProgress(
        words=f"Now {stage or 'removing'}.",
        done=status.bytes_before - status.bytes_now,
        total=status.bytes_before,
        label="Bytes removed",
        counted=f"{count(status.bytes_now)} of {count(status.bytes_before)} bytes left",
    )


def _remarks(status: MinimisationStatus) -> Iterator[str]:
    result = status.result
    if result is None:
        if status.state == "finished":
            yield ANOTHER_RELEASE
        return
    if result.ending in ENDINGS:
        yield ENDINGS[MinimisationEnding(result.ending)]
        return
    if result.ending == MinimisationEnding.LIMIT:
        yield AT_LIMIT
    if result.capture is None:
        yield DELETED
