"""Exports of a team: requested for the query of the list, followed, fetched, deleted."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.archive.queries import BoundedCount
from inspector.dashboard.archive.bulk_progress import count_words
from inspector.dashboard.archive.filter_bar import BEFORE, FilterBar, build_filter_bar
from inspector.dashboard.archive.view_tabs import LAYOUT_PARAMS, TAIL
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.formatting.humanize import plural, size
from inspector.teams.access import EXPORT, Principal
from inspector.transfer.exports import exports
from inspector.transfer.exports.download import download_export
from inspector.transfer.exports.exports import (
    BY_HAND,
    CAPTURE_DELETED,
    ExportStatus,
    TooManyExports,
)
from inspector.transfer.exports.forms import FORMS
from inspector.work.models import WorkState

WITHDRAWN = {
    CAPTURE_DELETED: "Withdrawn: a capture in it was deleted or overwritten.",
    BY_HAND: "Deleted.",
}
POLL_MS = 1_000
"""While one is under way; a step of it takes about so long."""
MISTAKEN = "A filter of the list was not understood: correct it before all captures are exported."
NO_FORM = "Choose a format."
TOO_MANY = "{} are under way: try again when some of them are done."


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


@login_required
def export_list(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    if request.headers.get("HX-Request"):
        context = _rows_context(principal_in_team(principal, team), team)
        return render_page(request, "dashboard/exports/table.html", context)
    return _page(request, principal, team)


@login_required
def request_export(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    filter_bar, form = _filter_bar(request), request.POST.get("format", "")
    if filter_bar.conditions.mistakes or form not in FORMS:
        refused = MISTAKEN if filter_bar.conditions.mistakes else NO_FORM
        return _page(request, principal, team, refused, status=422)
    within = principal_in_team(principal, team)
    found = exports.for_principal(within).request(form, filter_bar.conditions)
    if found is None:
        raise Http404
    if isinstance(found, TooManyExports):
        return _page(request, principal, team, TOO_MANY.format(plural(found.limit, "export")), 409)
    return redirect("dashboard:exports", team)


@login_required
def download(
    request: HttpRequest, principal: Principal, team: str, export: int
) -> HttpResponseBase:
    found = exports.for_principal(principal_in_team(principal, team))
    file = found.file(export)
    if file is None:
        raise Http404
    return download_export(request, file, lambda: found.note_download(file))


@login_required
def delete_export(
    request: HttpRequest, principal: Principal, team: str, export: int
) -> HttpResponse:
    if exports.for_principal(principal_in_team(principal, team)).delete(export) is None:
        raise Http404
    return redirect("dashboard:exports", team)


def _filter_bar(request: HttpRequest) -> FilterBar:
    return build_filter_bar(request.GET, [BEFORE, TAIL, *LAYOUT_PARAMS])


def _page(
    request: HttpRequest, principal: Principal, team: str, refused: str = "", status: int = 200
) -> HttpResponse:
    within, filter_bar = principal_in_team(principal, team), _filter_bar(request)
    counted = queries.for_principal(within, EXPORT).count(filter_bar.conditions.filters)
    context = {
        **team_context(principal, team),
        **_rows_context(within, team),
        "filter_bar": filter_bar,
        "counted": _counted(counted),
        "forms": [(name, form.title) for name, form in FORMS.items()],
        "refused": refused or (MISTAKEN if filter_bar.conditions.mistakes else ""),
    }
    return render_page(request, "dashboard/exports/page.html", context, status)


def _counted(count: BoundedCount | None) -> str:
    if count is None:
        return "all captures"
    return plural(1, "capture") if count.number == 1 else f"{count_words(count)} captures"


def _rows_context(within: Principal, team: str) -> dict[str, Any]:
    rows = [export_row(each) for each in exports.for_principal(within).recent()]
    is_open = any(row.export.is_open for row in rows)
    return {"team": team, "rows": rows, "poll_ms": POLL_MS if is_open else 0}
