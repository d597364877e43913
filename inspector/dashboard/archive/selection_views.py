"""Actions on the selected rows of the archive."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.archive.annotation import TaggingResult, tag_all
from inspector.archive.intake.submission import MAX_TAGS
from inspector.archive.listing.filters import NO_FILTERS
from inspector.dashboard.archive.filter_bar import BEFORE, build_filter_bar
from inspector.dashboard.archive.live import parse_uuids, rows_of
from inspector.dashboard.archive.rows import build_rows
from inspector.dashboard.archive.views import archive_url
from inspector.dashboard.page_auth import login_required, render_page
from inspector.formatting.humanize import plural
from inspector.teams.access import Principal
from inspector.usage.rollup import queries as usage

NO_TAG = "A tag cannot be empty."
NONE_CHOSEN = "No capture was selected."


@login_required
def tag_selected(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Adds a tag to the selected captures or removes it; without scripts, redirects to the list."""
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    ids, word = parse_uuids(request.POST.getlist("capture")), request.POST.get("tag", "").strip()
    add = request.POST.get("act") != "remove"
    done = tag_all(within, ids, word, add=add) if ids and word else None
    filter_bar = build_filter_bar(request.GET, [BEFORE])
    if not request.headers.get("HX-Request"):
        return redirect(archive_url(team, request.GET.urlencode()))
    changed = rows_of(queries.for_principal(within), done.changed if done else (), NO_FILTERS)
    context = {
        "team": team,
        "filter_bar": filter_bar,
        "rows": build_rows(changed, usage.for_principal(within)),
        "sentence": tagging_sentence(done, word, add) if done else NO_TAG if ids else NONE_CHOSEN,
    }
    return render_page(request, "dashboard/archive/tag_result.html", context)


def tagging_sentence(done: TaggingResult, tag: str, add: bool) -> str:
    number = plural(len(done.changed), "capture")
    text = f"{number} tagged {tag}." if add else f"{tag} removed from {number}."
    if done.full:
        text += f" {plural(done.full, 'capture')} had {MAX_TAGS} tags already."
    return text
