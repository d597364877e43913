"""The popup of a query box: completions for the word at the caret."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from inspector.archive.listing.completion import Completion
from inspector.dashboard.archive.views import captures_of_team
from inspector.dashboard.pages import login_required, render_page
from inspector.query.language import MAX_CHARACTERS
from inspector.teams.access import Principal

MAX_DIGITS = 5
"""More than the position of any caret: a query has 2,000 characters."""


@login_required
def complete(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    captures = captures_of_team(principal, team)
    now = timezone.now()
    return completions(request, lambda text, at: captures.complete(text, at, now), "captures")


def completions(
    request: HttpRequest, complete_at: Callable[[str, int], Completion], noun: str
) -> HttpResponse:
    """Answer with the completions of a query; ``noun`` is what they are counted in."""
    text = request.GET.get("q", "")[:MAX_CHARACTERS].replace("\0", "")
    found = complete_at(text, caret_of(request.GET.get("at", ""), text))
    context = {"completion": found, "noun": noun}
    return render_page(request, "dashboard/archive/completion.html", context)


def caret_of(written: str, text: str) -> int:
    """Return the caret, or the end of the text where none is given."""
    is_number = written.isascii() and written.isdigit() and len(written) <= MAX_DIGITS
    return int(written) if is_number else len(text)
