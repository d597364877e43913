"""Answers the address at which the page of a running recording can watch it."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from inspector.archive import queries, watch_token
from inspector.archive.watch_token import WatchPermit
from inspector.dashboard.page_auth import login_required, principal_in_team
from inspector.teams.access import Principal
from inspector.teams.session_proof import proof_of
from inspector.web.site_origin import origin_of


@login_required
def watch(
    request: HttpRequest, principal: Principal, team: str, capture_id: UUID
) -> HttpResponseBase:
    """Answers with an address of the proxy that can be connected to within a minute."""
    captures = queries.for_principal(principal_in_team(principal, team))
    if not settings.PROXY_ORIGIN or not captures.is_recording(capture_id):
        raise Http404
    assert principal.user_id is not None, "the guard asked for one"
    origin = origin_of(request.build_absolute_uri("/"))
    permit = WatchPermit(capture_id, principal.user_id, proof_of(request.user), origin)
    answer = JsonResponse({"url": f"{settings.PROXY_ORIGIN}/live/{watch_token.issue(permit)}"})
    answer["Cache-Control"] = "private, no-store"
    return answer


def may_connect(page: HttpResponse) -> HttpResponse:
    """Lets the scripts of a page connect to the proxy, where that is another origin."""
    if settings.PROXY_ORIGIN not in ("", settings.ORIGIN):
        # As django-csp's decorators do it; what they are given is known only now.
        setattr(page, "_csp_update", {"connect-src": [settings.PROXY_ORIGIN]})  # noqa: B010
    return page
