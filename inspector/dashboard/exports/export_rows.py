"""How far an export is, in words."""

from dataclasses import dataclass

from inspector.formatting.humanize import plural, size
from inspector.transfer.exports.exports import BY_HAND, CAPTURE_DELETED, ExportStatus
from inspector.transfer.exports.forms import FORMS
from inspector.work.models import WorkState

WITHDRAWN = {
    CAPTURE_DELETED: "Withdrawn: a capture in it was deleted or overwritten.",
    BY_HAND: "Deleted.",
}


@dataclass(frozen=True, slots=True)
class ExportRow:
    export: ExportStatus
    title: str
    words: str

    @property
    def ratio(self) -> tuple[int, int] | None:
        """Done and total, where both are known and it goes on."""
        total = self.export.total
        is_known = self.export.is_open and total is not None
        return (self.export.done, max(total or 0, 1)) if is_known else None


def export_row(export: ExportStatus) -> ExportRow:
    form = FORMS.get(export.format)
    title = form.title.partition(",")[0] if form else export.format
    return ExportRow(export, title, _words(export))


def _words(export: ExportStatus) -> str:
    if export.is_open:
        total = f" of {export.total:,}" if export.total is not None else " so far"
        return f"Writing: {export.done:,}{total}"
    if export.state == WorkState.WITHDRAWN:
        return WITHDRAWN.get(export.error or "", "Withdrawn.")
    if export.state == WorkState.FAILED:
        return f"Failed after {plural(export.captures, 'capture')}: {export.error}"
    if export.state == WorkState.EXPIRED:
        return "Expired."
    held = f"{plural(export.captures, 'capture')}, {size(export.byte_length)}"
    return f"{held}; {plural(export.skipped, 'other')} left out" if export.skipped else held
