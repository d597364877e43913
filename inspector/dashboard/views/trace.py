"""Where the characters that somebody selected came from."""

from __future__ import annotations

from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from inspector.dashboard.asking import compressed, signed_in
from inspector.dashboard.numerals import whole_number
from inspector.dashboard.trace import Untraced, trace
from inspector.dashboard.views.capture import view_of
from inspector.teams.access import Principal

ASKED = ("lane", "start", "end")


@signed_in
def traced(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    """As JSON, bounded whatever is selected; what cannot be traced is told in a sentence."""
    view = view_of(principal, id, request)
    lane, start, end = (whole_number(request.GET.get(name, "")) for name in ASKED)
    if lane is None or start is None or end is None:
        found: object = Untraced("A trace needs lane, start and end: three numbers.")
    else:
        found = trace(view, lane, start, end)
    headers = {"Cache-Control": "private, no-store"}
    answer = HttpResponse(
        msgspec.json.encode(found), content_type="application/json", headers=headers
    )
    return compressed(request, answer)
