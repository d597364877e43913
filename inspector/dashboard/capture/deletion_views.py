"""Form that deletes a capture and shows the deletion receipt."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase

from inspector.archive.annotation import capture_exists
from inspector.archive.deletion import delete
from inspector.dashboard.capture.views import opened_of, render_capture_page
from inspector.dashboard.page_auth import login_required, render_page
from inspector.teams.access import DELETE, Principal

NOT_TAKEN = 422
NOT_CONFIRMED = "Nothing was deleted: tick the box to confirm."


@login_required
def delete_capture(
    request: HttpRequest, principal: Principal, capture_id: UUID
) -> HttpResponseBase:
    """Deletes the capture if the confirmation box is ticked; the receipt is shown in this response
    only.
    """
    if not capture_exists(principal, capture_id, DELETE):
        raise Http404
    if request.POST.get("confirm") != "yes":
        return render_capture_page(
            request, principal, capture_id, NOT_TAKEN, not_deleted=NOT_CONFIRMED
        )
    team = opened_of(principal, capture_id).team_slug
    receipt = delete(principal, capture_id)
    if receipt is None:
        raise Http404
    context = {"receipt": receipt, "team": team, "teams": principal.teams}
    return render_page(request, "dashboard/capture/deleted.html", context)
