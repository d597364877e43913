"""Feedback pages: votes over time and by group, the live list of votes, triage."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from inspector.archive import queries as archive
from inspector.archive.listing.cursor import BadCursor
from inspector.dashboard.archive.completion_views import completions
from inspector.dashboard.archive.live import parse_uuids
from inspector.dashboard.feedback.filter_bar import (
    VoteFilterBar,
    build_vote_filter_bar,
    query_without_blanks,
)
from inspector.dashboard.feedback.page import GROUPING_LABELS, build_feedback_page
from inspector.dashboard.feedback.vote_excerpt import ChoiceExcerpt, excerpt_of_choice
from inspector.dashboard.feedback.vote_rows import vote_display
from inspector.dashboard.pages import login_required, render_page, team_context
from inspector.database.portability import StatementTimeout, time_limit
from inspector.feedback import live_updates, queries
from inspector.feedback.conditions import completed_votes
from inspector.feedback.live_updates import new_votes, no_new_votes
from inspector.feedback.models import TriageState
from inspector.feedback.queries import VoteList, VotePage, Votes
from inspector.feedback.triage import NOTE_CHARACTERS, triage_vote
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import prose_segments
from inspector.teams.access import FEEDBACK, MANAGE, Principal
from inspector.usage.rollup.periods import (
    DEFAULT_RANGE,
    RANGES,
    BadPeriod,
    Period,
    latest,
    period_between,
)

POLL_MS = 2_000
"""Votes are cast by people: seconds apart."""
QUERY_TIMEOUT_MS = 2_000
"""Filters that few votes match walk all of a team; then the list says so."""
NONE_CHOSEN = "No vote was selected."
NO_STATE = "Unknown state."


@dataclass(frozen=True, slots=True)
class FeedbackPageParams:
    period: Period
    range: str
    """Empty if the filters give both ends of the period."""
    by: str


@login_required
def feedback(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    if (query := query_without_blanks(request.GET)) is not None:
        return redirect(feedback_url(team, query))
    votes, filter_bar = votes_of_team(principal, team), build_vote_filter_bar(request.GET)
    params, before, now = parse_params(request), request.GET.get("before"), timezone.now()
    # Queried before the list: a vote that arrives between the two queries is reported twice rather
    # than never.
    page, trouble = load_page(votes, filter_bar, before)
    is_narrowed = filter_bar.query or filter_bar.conditions.mistakes
    context = {
        **list_context(principal, team, filter_bar),
        "params": params,
        "page": build_feedback_page(votes, params.period, params.by, filter_bar),
        "ranges": list(RANGES),
        "by_words": GROUPING_LABELS,
        "rows": [vote_display(row) for row in page.rows],
        "older": page.older,
        "trouble": trouble,
        "first_page": before is None,
        "is_empty": not (page.rows or is_narrowed or trouble or before),
        "update": no_new_votes(page.rows, now) if page.rows or filter_bar.query else None,
        "poll_ms": POLL_MS,
    }
    return render_page(request, "dashboard/feedback/page.html", context)


@login_required
def complete(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    listed = completed_votes(votes_of_team(principal, team), timezone.now())
    return completions(request, listed.complete, "votes")


@login_required
def live(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Answer with votes newer than a cursor, and the rows they supersede."""
    votes, filter_bar = votes_of_team(principal, team), build_vote_filter_bar(request.GET)
    after = request.GET.get("after")
    exclude = parse_uuids(request.GET.getlist("exclude"), live_updates.MAX_EXCLUDED)
    if not after:
        # The first vote replaces the empty page, so it reloads as a whole.
        first = bool(votes.page(limit=1).rows)
        return HttpResponse(status=204, headers={"HX-Refresh": "true"} if first else {})
    try:
        update = new_votes(votes, after, exclude, filter_bar.conditions.filters)
    except BadCursor as error:
        raise Http404 from error
    paused = bool(request.GET.get("paused"))
    context = {
        **list_context(principal, team, filter_bar),
        # While the reader scrolls, nothing moves: only the number of new votes is updated.
        "update": live_updates.NewVotes(after, exclude) if paused else update,
        "rows": () if paused else [vote_display(row) for row in update.rows],
        "number": len(update.rows) if paused else 0,
        "more": paused and update.more,
        "poll_ms": POLL_MS,
    }
    return render_page(request, "dashboard/feedback/live.html", context)


@login_required
def triage_selected(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Set the triage state of the selected votes; without scripts, redirects to their page."""
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    ids, state = parse_uuids(request.POST.getlist("vote")), request.POST.get("state", "")
    known = state in TriageState.values
    note = request.POST.get("note", "").strip()
    done = [
        vote_id
        for vote_id in ids
        if known and triage_vote(within, vote_id, TriageState(state), note)
    ]
    if len(ids) == 1 and not done and known:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(return_url(request, team, ids))
    filter_bar, votes = build_vote_filter_bar(request.GET), queries.for_principal(within)
    sentence = f"{plural(len(done), 'vote')} {state}." if done else NO_STATE if ids else NONE_CHOSEN
    context = {
        **list_context(principal, team, filter_bar),
        "rows": [vote_display(row) for row in live_updates.live_rows(votes, done)],
        "sentence": sentence,
    }
    return render_page(request, "dashboard/feedback/triage_result.html", context)


@login_required
def vote_page(request: HttpRequest, principal: Principal, team: str, vote: UUID) -> HttpResponse:
    found = votes_of_team(principal, team).one(vote)
    if found is None:
        raise Http404
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    context = {
        **team_context(principal, team),
        "vote": found,
        "display": vote_display(found.row),
        "comment": prose_segments(found.row.comment or ""),
        "parts": [(name, prose_segments(text)) for name, text in found.row.token_parts.items()],
        "history": found.history,
        "excerpt": vote_excerpt(within, found),
        "states": TriageState.values,
        "may_triage": within.may(FEEDBACK) and found.row.superseded_at is None,
        "note_characters": NOTE_CHARACTERS,
    }
    return render_page(request, "dashboard/feedback/vote.html", context)


def vote_excerpt(principal: Principal, found: VotePage) -> ChoiceExcerpt | None:
    """Return the excerpt; None if the choice cannot be read."""
    capture = archive.for_principal(principal).opened(found.row.capture_id)
    return excerpt_of_choice(capture.analysis, found.row.choice) if capture else None


def votes_of_team(principal: Principal, team: str) -> Votes:
    within = principal.within(team)
    if within is None:
        raise Http404
    return queries.for_principal(within)


def load_page(votes: Votes, filter_bar: VoteFilterBar, before: str | None) -> tuple[VoteList, str]:
    """Return a page of votes, and a sentence explaining an empty one."""
    try:
        with time_limit(QUERY_TIMEOUT_MS):
            return votes.page(before, filters=filter_bar.conditions.filters), ""
    except StatementTimeout:
        return VoteList((), None), "too long"
    except BadCursor as error:
        raise Http404 from error


def parse_params(request: HttpRequest) -> FeedbackPageParams:
    """Parse the period: its own range, else the filters' times, else the default."""
    now, query = timezone.now(), request.GET
    by = query.get("by", "model")
    period_range = query.get("range", "") if query.get("range") in RANGES else ""
    period = latest(period_range or DEFAULT_RANGE, now)
    if not period_range and query.get("since"):
        try:
            period = period_between(query["since"], query.get("until", ""), now)
        except BadPeriod:
            # The filter bar shows the error.
            period_range = DEFAULT_RANGE
    elif not period_range:
        period_range = DEFAULT_RANGE
    return FeedbackPageParams(period, period_range, by if by in GROUPING_LABELS else "model")


def list_context(principal: Principal, team: str, filter_bar: VoteFilterBar) -> dict[str, Any]:
    within = principal.within(team)
    return {
        **team_context(principal, team),
        "filter_bar": filter_bar,
        "may_triage": within is not None and within.may(FEEDBACK),
        "may_manage": within is not None and within.may(MANAGE),
    }


def feedback_url(team: str, query: str) -> str:
    return reverse("dashboard:feedback", args=[team]) + (f"?{query}" if query else "")


def return_url(request: HttpRequest, team: str, ids: tuple[UUID, ...]) -> str:
    if request.POST.get("from") == "vote" and ids:
        return reverse("dashboard:feedback-vote", args=[team, ids[0]])
    return f"{feedback_url(team, request.GET.urlencode())}#votes"
