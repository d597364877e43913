"""Captures beside each other, at an address that names them."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.compare import compared
from inspector.dashboard.compare.head import head_of
from inspector.dashboard.compare.named import MOST_SIDES, NAME, Asked, Named, asked, compare_url
from inspector.dashboard.compare.side import Side, sides_of
from inspector.dashboard.live import uuids
from inspector.teams.access import Principal

HOW_MANY = "Select two to four captures to compare them."


@signed_in
def compare(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    sent = request.GET.getlist(NAME)
    found = asked(sent)
    if found.mistake:
        return shown(request, principal, found, (), found.mistake, 400)
    if sent != [str(name) for name in found.names]:
        return redirect(found.url)
    sides = sides_of(queries.for_principal(principal), found.names)
    if sides is None:
        raise Http404
    missing = " ".join(side.missing for side in sides if side.missing)
    if missing:
        return shown(request, principal, Asked(()), (), missing, 404)
    return shown(request, principal, found, sides)


@signed_in
def compare_selected(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """The rows that were selected, the oldest first: what came later is held against it."""
    names = tuple(Named(id) for id in reversed(uuids(request.POST.getlist("capture"))))
    by_script = bool(request.headers.get("HX-Request"))
    if not 2 <= len(names) <= MOST_SIDES:
        if by_script:
            return answer(request, "dashboard/tagged.html", {"said": HOW_MANY})
        return shown(request, principal, Asked(()), (), HOW_MANY, 400)
    url = compare_url(names)
    return HttpResponse(headers={"HX-Redirect": url}) if by_script else redirect(url)


def shown(
    request: HttpRequest,
    principal: Principal,
    found: Asked,
    sides: tuple[Side, ...],
    mistake: str = "",
    status: int = 200,
) -> HttpResponse:
    heads = [head_of(side, found) for side in sides]
    read = tuple(side for side in sides if side.analysis is not None)
    slugs = [side.page.team_slug for side in sides]
    context: dict[str, Any] = {
        "asked": found,
        "heads": heads,
        "compared": compared(read) if len(read) > 1 else None,
        "mistake": mistake,
        "unfinished": next((head for head in heads if head.is_unfinished), None),
        "may_add": len(sides) < MOST_SIDES,
        "has_teams": len(set(slugs)) > 1,
        "team": sides[0].page.team_slug
        if sides
        else next((team.slug for team in principal.teams), ""),
        "teams": principal.teams,
    }
    return answer(request, "dashboard/compare.html", context, status)
