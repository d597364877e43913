"""Deleting a capture by hand, with its receipt."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase

from inspector.archive.annotation import is_there
from inspector.archive.deletion import delete
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.views.capture import opened_of, shown
from inspector.teams.access import DELETE, Principal

NOT_TAKEN = 422
NOT_CONFIRMED = "Nothing was deleted: tick the box to confirm."


@signed_in
def delete_capture(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """For whoever ticks the box; the receipt is shown in this answer."""
    if not is_there(principal, id, DELETE):
        raise Http404
    if request.POST.get("confirm") != "yes":
        return shown(request, principal, id, NOT_TAKEN, not_deleted=NOT_CONFIRMED)
    team = opened_of(principal, id).team_slug
    receipt = delete(principal, id)
    if receipt is None:
        raise Http404
    context = {"receipt": receipt, "team": team, "teams": principal.teams}
    return answer(request, "dashboard/deleted.html", context)
