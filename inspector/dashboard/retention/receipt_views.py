"""The page of a team's deleted captures: the receipts that are kept of them."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from inspector.archive import receipts
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.receipts import ReceiptFilters, ReceiptPage, Receipts
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.dashboard.retention.forms import ReceiptForm
from inspector.teams.access import Principal

NOTHING = ReceiptPage((), None, None)


@login_required
def deleted_captures(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """List the receipts; an invalid cursor starts at the newest deletion."""
    form = ReceiptForm(request.GET)
    kept = receipts.for_principal(principal_in_team(principal, team))
    is_understood = form.is_valid()
    page = _page_of(request, kept, form.cleaned_data["find"]) if is_understood else NOTHING
    found = request.GET.get("find", "").strip() if is_understood else ""
    is_moved = "before" in request.GET or ("after" in request.GET and not page.receipts)
    context = {
        **team_context(principal, team),
        "page": page,
        "form": form,
        "is_understood": is_understood,
        "is_newest": page.newer is None and not is_moved,
        "find_query": urlencode({"find": found}) if found else "",
    }
    status = 200 if is_understood else 422
    return render_page(request, "dashboard/retention/receipts.html", context, status)


def _page_of(request: HttpRequest, kept: Receipts, filters: ReceiptFilters) -> ReceiptPage:
    try:
        return kept.page(request.GET.get("before"), request.GET.get("after"), filters=filters)
    except BadCursor:
        return kept.page(filters=filters)
