"""What is done to several captures at once."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.archive.annotation import Tagged, tag_all
from inspector.archive.filters import ALL
from inspector.archive.intake import MAX_TAGS
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.live import rows_of, uuids
from inspector.dashboard.narrowed import BEFORE, narrowed_by
from inspector.dashboard.rows import shown_rows
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.views.archive import archive_url
from inspector.teams.access import Principal
from inspector.usage import queries as usage

NO_TAG = "A tag cannot be empty."
NONE_CHOSEN = "No capture was selected."


@signed_in
def tag(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Gives a tag to the selected captures, or takes it; without scripts the list follows."""
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    ids, word = uuids(request.POST.getlist("capture")), request.POST.get("tag", "").strip()
    add = request.POST.get("act") != "remove"
    done = tag_all(within, ids, word, add=add) if ids and word else None
    narrowed = narrowed_by(request.GET, [BEFORE])
    if not request.headers.get("HX-Request"):
        return redirect(archive_url(team, request.GET.urlencode()))
    changed = rows_of(queries.for_principal(within), done.changed if done else (), ALL)
    context = {
        "team": team,
        "narrowed": narrowed,
        "rows": shown_rows(changed, usage.for_principal(within)),
        "said": said(done, word, add) if done else NO_TAG if ids else NONE_CHOSEN,
    }
    return answer(request, "dashboard/tagged.html", context)


def said(done: Tagged, tag: str, add: bool) -> str:
    number = plural(len(done.changed), "capture")
    text = f"{number} tagged {tag}." if add else f"{tag} removed from {number}."
    if done.full:
        text += f" {plural(done.full, 'capture')} had {MAX_TAGS} tags already."
    return text
