"""The comparison page; its URL names the captures."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.dashboard.archive.live import parse_uuids
from inspector.dashboard.compare import CaptureComparison, compare_sides
from inspector.dashboard.compare.measures import Costs
from inspector.dashboard.compare.side import ComparedSide, load_sides
from inspector.dashboard.compare.side_head import side_head
from inspector.dashboard.compare_links import (
    SIDE_PARAM,
    SIDES,
    CompareRequest,
    SideRef,
    compare_url,
    parse_compare_request,
)
from inspector.dashboard.pages import login_required, render_page
from inspector.teams.access import Principal
from inspector.usage.rollup import queries as usage

SELECT_TWO = "Select two captures to compare them."


@login_required
def compare(request: HttpRequest, principal: Principal) -> HttpResponse:
    sent = request.GET.getlist(SIDE_PARAM)
    found = parse_compare_request(sent)
    if found.mistake:
        return render_compare_page(request, principal, found, (), found.mistake, 400)
    if sent != [str(name) for name in found.names]:
        return redirect(found.url)
    sides = load_sides(queries.for_principal(principal), found.names)
    if sides is None:
        raise Http404
    missing = " ".join(side.missing for side in sides if side.missing)
    if missing:
        return render_compare_page(request, principal, CompareRequest(()), (), missing, 404)
    return render_compare_page(request, principal, found, sides)


@login_required
def compare_selected(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Redirect to the comparison of the selected rows, with the oldest as the reference."""
    names = tuple(
        SideRef(capture_id) for capture_id in reversed(parse_uuids(request.POST.getlist("capture")))
    )
    by_script = bool(request.headers.get("HX-Request"))
    if len(names) != SIDES:
        if by_script:
            return render_page(
                request, "dashboard/archive/tag_result.html", {"sentence": SELECT_TWO}
            )
        return render_compare_page(request, principal, CompareRequest(()), (), SELECT_TWO, 400)
    url = compare_url(names)
    return HttpResponse(headers={"HX-Redirect": url}) if by_script else redirect(url)


def render_compare_page(
    request: HttpRequest,
    principal: Principal,
    found: CompareRequest,
    sides: tuple[ComparedSide, ...],
    mistake: str = "",
    status: int = 200,
) -> HttpResponse:
    heads = [side_head(side, found) for side in sides]
    slugs = [side.facts.team_slug for side in sides]
    context: dict[str, Any] = {
        "comparison_request": found,
        "heads": heads,
        "compared": comparison_of(sides, costs_of(sides, principal)),
        "mistake": mistake,
        "unfinished": next((head for head in heads if head.is_unfinished), None),
        "may_add": len(sides) < SIDES,
        "has_teams": len(set(slugs)) > 1,
        "team": sides[0].facts.team_slug
        if sides
        else next((team.slug for team in principal.teams), ""),
        "teams": principal.teams,
    }
    return render_page(request, "dashboard/compare/page.html", context, status)


def costs_of(sides: tuple[ComparedSide, ...], principal: Principal) -> Costs:
    """Return the costs of two captures: choices of one share its cost."""
    ids = list(dict.fromkeys(side.named.id for side in sides))
    return usage.for_principal(principal).costs(ids) if len(ids) == SIDES else {}


def comparison_of(sides: tuple[ComparedSide, ...], costs: Costs) -> CaptureComparison | None:
    """None as long as there are not two that are analysed."""
    read = tuple(side for side in sides if side.analysis is not None)
    return compare_sides((read[0], read[1]), costs) if len(read) == SIDES else None
