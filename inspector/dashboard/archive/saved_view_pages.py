"""Saved views: the tabs with their counts, and the page that manages them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from inspector.archive import queries, saved_views
from inspector.archive.saved_views import (
    NAME_CHARACTERS,
    QUERY_CHARACTERS,
    TooManyViews,
    ViewEntry,
    ViewNameTaken,
    ViewRefusal,
)
from inspector.dashboard.archive.filter_bar import BEFORE, FilterBar, build_filter_bar
from inspector.dashboard.archive.view_tabs import (
    LAYOUT_PARAMS,
    TAIL,
    build_tabs,
    counter_of,
    layout_of,
)
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.formatting.humanize import plural
from inspector.teams.access import INGEST, Principal

NO_NAME = "A view needs a name."
TOO_LONG = "The query is too long to be saved."
NAME_TAKEN = "There is a view of this name already."


def list_bar(request: HttpRequest) -> FilterBar:
    """Return the filters of the list whose query a request carries."""
    return build_filter_bar(request.GET, [BEFORE, TAIL, *LAYOUT_PARAMS])


@login_required
def view_tabs(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Return the tabs with their counts, which a page asks for after its rows."""
    within = principal_in_team(principal, team)
    filter_bar, layout = list_bar(request), layout_of(request.GET)
    tabs = build_tabs(
        saved_views.for_principal(within).all(),
        filter_bar.conditions,
        layout,
        counter_of(queries.for_principal(within)),
    )
    context = {"team": team, "tabs": tabs, "is_counted": True}
    return render_page(request, "dashboard/archive/tab_lists.html", context)


@login_required
def views(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return _page(request, principal, team)


@login_required
def save_view(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Save the list whose query the address carries."""
    filter_bar, layout = list_bar(request), layout_of(request.GET)
    name = request.POST.get("name", "").strip()
    if not name or len(name) > NAME_CHARACTERS:
        return _page(request, principal, team, NO_NAME, status=422)
    if len(filter_bar.query) > QUERY_CHARACTERS or len(layout) > QUERY_CHARACTERS:
        return _page(request, principal, team, TOO_LONG, status=422)
    door = saved_views.for_principal(principal_in_team(principal, team))
    is_team = request.POST.get("for") == "team"
    found = door.save(name, filter_bar.query, layout, is_team=is_team)
    if not isinstance(found, ViewEntry):
        return _refused(request, principal, team, found)
    query = f"?{found.address}" if found.address else ""
    return redirect(reverse("dashboard:archive", args=[team]) + query)


@login_required
def rename_view(request: HttpRequest, principal: Principal, team: str, view: int) -> HttpResponse:
    name = request.POST.get("name", "").strip()
    if not name or len(name) > NAME_CHARACTERS:
        return _page(request, principal, team, NO_NAME, status=422)
    door = saved_views.for_principal(principal_in_team(principal, team))
    return _answer(request, principal, team, door.rename(view, name))


@login_required
def share_view(request: HttpRequest, principal: Principal, team: str, view: int) -> HttpResponse:
    """Make a view the team's."""
    door = saved_views.for_principal(principal_in_team(principal, team))
    return _answer(request, principal, team, door.share(view))


@login_required
def delete_view(request: HttpRequest, principal: Principal, team: str, view: int) -> HttpResponse:
    if not saved_views.for_principal(principal_in_team(principal, team)).delete(view):
        raise Http404
    return redirect("dashboard:views", team)


def _answer(
    request: HttpRequest, principal: Principal, team: str, found: ViewEntry | ViewRefusal | None
) -> HttpResponse:
    if not isinstance(found, ViewEntry):
        return _refused(request, principal, team, found)
    return redirect("dashboard:views", team)


def _refused(
    request: HttpRequest, principal: Principal, team: str, why: ViewRefusal | None
) -> HttpResponse:
    if why is None:
        raise Http404
    return _page(request, principal, team, refusal_words(why), status=409)


def refusal_words(why: ViewRefusal) -> str:
    if isinstance(why, ViewNameTaken):
        return NAME_TAKEN
    assert isinstance(why, TooManyViews)
    return f"There are {plural(why.limit, 'view')} already: delete one first."


def _page(
    request: HttpRequest, principal: Principal, team: str, refused: str = "", status: int = 200
) -> HttpResponse:
    within = principal_in_team(principal, team)
    found = saved_views.for_principal(within).all()
    context = {
        **team_context(principal, team),
        "mine": [view for view in found if not view.is_team],
        "ours": [view for view in found if view.is_team],
        "may_change": within.may(INGEST),
        "refused": refused,
    }
    return render_page(request, "dashboard/archive/views_page.html", context, status)
