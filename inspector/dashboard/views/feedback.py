"""Feedback: votes over time and by group, the list of them as they come, what is made of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from inspector.archive import queries as archive
from inspector.archive.cursor import BadCursor
from inspector.archive.database import TookTooLong, time_limit
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.feedback_page import BY_WORDS, feedback_page
from inspector.dashboard.live import uuids
from inspector.dashboard.marks import Segment, prose
from inspector.dashboard.narrowed_votes import NarrowedVotes, narrowed_votes, without_blanks
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.views.archive import team_context
from inspector.dashboard.vote_page import Excerpt, excerpt_of
from inspector.dashboard.votes import shown_vote
from inspector.feedback import arrivals, queries
from inspector.feedback.arrivals import arrived, nothing_yet
from inspector.feedback.models import TriageState
from inspector.feedback.queries import VoteList, VotePage, Votes
from inspector.feedback.triage import NOTE_CHARACTERS, triage
from inspector.teams.access import FEEDBACK, MANAGE, Principal
from inspector.usage.periods import RANGES, USUAL, BadPeriod, Period, between, latest

POLL_MS = 2_000
LIMIT_MILLISECONDS = 2_000
NONE_CHOSEN = "No vote was selected."
NO_STATE = "Unknown state."


@dataclass(frozen=True, slots=True)
class Asked:
    period: Period
    range: str
    """Empty where the filters say both ends."""
    by: str


@signed_in
def feedback(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    if (query := without_blanks(request.GET)) is not None:
        return redirect(feedback_url(team, query))
    votes, narrowed = votes_of(principal, team), narrowed_votes(request.GET)
    asked, before, now = asked_of(request), request.GET.get("before"), timezone.now()
    # Before the list, so that what comes between the two is told twice and not never.
    page, trouble = found(votes, narrowed, before)
    context = {
        **list_context(principal, team, narrowed),
        "asked": asked,
        "page": feedback_page(votes, asked.period, asked.by, narrowed),
        "ranges": list(RANGES),
        "by_words": BY_WORDS,
        "rows": [shown_vote(row) for row in page.rows],
        "older": page.older,
        "trouble": trouble,
        "first_page": before is None,
        "came": nothing_yet(page.rows, now) if page.rows or narrowed.query else None,
        "poll_ms": POLL_MS,
    }
    return answer(request, "dashboard/feedback/page.html", context)


@signed_in
def live(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Votes that came after a cursor, and rows to take away that were superseded."""
    votes, narrowed = votes_of(principal, team), narrowed_votes(request.GET)
    after = request.GET.get("after")
    seen = uuids(request.GET.getlist("seen"), arrivals.MOST_SEEN)
    if not after:
        # The first vote changes the page as a whole.
        first = bool(votes.page(limit=1).rows)
        return HttpResponse(status=204, headers={"HX-Refresh": "true"} if first else {})
    try:
        came = arrived(votes, after, seen, narrowed.conditions.filters)
    except BadCursor as error:
        raise Http404 from error
    held = bool(request.GET.get("hold"))
    context = {
        **list_context(principal, team, narrowed),
        # While somebody reads further down nothing moves: only the number of newer ones grows.
        "came": arrivals.Arrived(after, seen) if held else came,
        "rows": () if held else [shown_vote(row) for row in came.rows],
        "number": len(came.rows) if held else 0,
        "more": held and came.more,
        "poll_ms": POLL_MS,
    }
    return answer(request, "dashboard/feedback/live.html", context)


@signed_in
def triaged(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """One state for the votes that are selected; without scripts the page they were on follows."""
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    ids, state = uuids(request.POST.getlist("vote")), request.POST.get("state", "")
    known = state in TriageState.values
    note = request.POST.get("note", "").strip()
    done = [id for id in ids if known and triage(within, id, TriageState(state), note)]
    if len(ids) == 1 and not done and known:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(back(request, team, ids))
    narrowed, votes = narrowed_votes(request.GET), queries.for_principal(within)
    said = f"{plural(len(done), 'vote')} {state}." if done else NO_STATE if ids else NONE_CHOSEN
    context = {
        **list_context(principal, team, narrowed),
        "rows": [shown_vote(row) for row in arrivals.rows(votes, done)],
        "said": said,
    }
    return answer(request, "dashboard/feedback/triaged.html", context)


@signed_in
def vote(request: HttpRequest, principal: Principal, team: str, vote: UUID) -> HttpResponseBase:
    found = votes_of(principal, team).one(vote)
    if found is None:
        raise Http404
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    context = {
        **team_context(principal, team),
        "vote": found,
        "shown": shown_vote(found.row),
        "comment": prose(found.row.comment or ""),
        "parts": said_by_token(found),
        "history": found.history,
        "excerpt": excerpt(within, found),
        "states": TriageState.values,
        "may_triage": within.may(FEEDBACK) and found.row.superseded_at is None,
        "note_characters": NOTE_CHARACTERS,
    }
    return answer(request, "dashboard/feedback/vote.html", context)


def said_by_token(found: VotePage) -> list[tuple[str, tuple[Segment, ...]]]:
    return [(name, prose(value)) for name, value in found.row.token_parts.items()]


def excerpt(principal: Principal, found: VotePage) -> Excerpt | None:
    """None while the vote waits, and where the choice cannot be read any more."""
    row = found.row
    if row.capture_id is None or row.choice is None:
        return None
    page = archive.for_principal(principal).opened(row.capture_id)
    return excerpt_of(page.analysis, row.choice) if page else None


def votes_of(principal: Principal, team: str) -> Votes:
    within = principal.within(team)
    if within is None:
        raise Http404
    return queries.for_principal(within)


def found(votes: Votes, narrowed: NarrowedVotes, before: str | None) -> tuple[VoteList, str]:
    """The page, and in words why there is nothing."""
    try:
        with time_limit(LIMIT_MILLISECONDS):
            return votes.page(before, filters=narrowed.conditions.filters), ""
    except TookTooLong:
        return VoteList((), None), "too long"
    except BadCursor as error:
        raise Http404 from error


def asked_of(request: HttpRequest) -> Asked:
    """A range of its own, else what the filters say of time, else the usual one."""
    now, query = timezone.now(), request.GET
    by = query.get("by", "model")
    range = query.get("range", "") if query.get("range") in RANGES else ""
    period = latest(range or USUAL, now)
    if not range and query.get("since"):
        try:
            period = between(query["since"], query.get("until", ""), now)
        except BadPeriod:
            # The bar above the list says what is wrong with it.
            range = USUAL
    elif not range:
        range = USUAL
    return Asked(period, range, by if by in BY_WORDS else "model")


def list_context(principal: Principal, team: str, narrowed: NarrowedVotes) -> dict[str, Any]:
    within = principal.within(team)
    return {
        **team_context(principal, team),
        "narrowed": narrowed,
        "may_triage": within is not None and within.may(FEEDBACK),
        "may_manage": within is not None and within.may(MANAGE),
    }


def feedback_url(team: str, query: str) -> str:
    return reverse("dashboard:feedback", args=[team]) + (f"?{query}" if query else "")


def back(request: HttpRequest, team: str, ids: tuple[UUID, ...]) -> str:
    if request.POST.get("from") == "vote" and ids:
        return reverse("dashboard:feedback-vote", args=[team, ids[0]])
    return f"{feedback_url(team, request.GET.urlencode())}#votes"
