"""What is pasted or dropped is read at once, without storing it, and kept only if wanted."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from inspector import deadline
from inspector.archive import intake, preview, room
from inspector.archive.database import UNAVAILABLE
from inspector.archive.intake import Accepted
from inspector.archive.readers import on_demand, works
from inspector.archive.readers.not_read import NotRead
from inspector.core.coding import uncoded
from inspector.core.dialects import dialects
from inspector.core.exchange import Clock
from inspector.core.pasting.runs import Part
from inspector.dashboard import panels
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import named
from inspector.dashboard.panel import Shown
from inspector.dashboard.panels.raw import severity_by_line
from inspector.dashboard.pasting import AS_IT_IS, CONTENT_TYPES, Form, Unusable, form_of
from inspector.dashboard.summary import summary_of
from inspector.teams.access import INGEST, Principal, TeamAccess
from inspector.transfer.document import BadDocument
from inspector.transfer.pasted import Kind, Pasted, pasted

FIGURES = ("model answered", "finish reason", "tokens", "first token", "findings", "size")
FIRST_PANELS = ("choices", "findings")
SHOWN_IN_FULL_BYTES = 2_000_000
"""Of a larger body long texts are cut, as they are in the archive: all of it stands on the page."""
SHOWN_AGAIN_BYTES = 500_000
"""A larger text is not put back into the box: a browser would need seconds for it."""


@signed_in
def paste(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    if request.method != "POST":
        return page(request, principal, {})
    try:
        form = form_of(request)
        with deadline.within(settings.PAGE_SECONDS):
            result = result_of(form, principal) if form.content else {}
            return page(request, principal, result)
    except (Unusable, BadDocument) as error:
        return refusal(request, principal, error)
    except NotRead as error:
        return page(request, principal, {"sentence": not_read(error)}, error.status)


@signed_in
def store(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Keeps exactly what was shown: other bytes than those are refused."""
    try:
        form = form_of(request)
        if form.sha256 != request.POST.get("seen"):
            raise Unusable("The text changed since it was shown. Inspect it again.", 409)
        arrival = pasted(form.content, form.wanted).arrival
    except (Unusable, BadDocument) as error:
        return refusal(request, principal, error)
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    try:
        accepted = intake.accept(within, arrival)
    except UNAVAILABLE as error:
        reason = "its disk is nearly full" if room.is_lacking(error) else "its database is busy"
        sentence = f"The archive cannot store it now, {reason}. Nothing was stored; try again."
        return page(request, principal, {"sentence": sentence}, 503)
    assert isinstance(accepted, Accepted), "what is pasted has no idempotency key"
    if is_fragment(request):
        address = reverse("dashboard:capture", args=[accepted.id])
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect("dashboard:capture", id=accepted.id)


def page(
    request: HttpRequest, principal: Principal, result: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The whole page, or the result alone for the script that asked for it.

    The script draws what was answered with 200, and browsers note other answers as errors.
    """
    fragment = is_fragment(request)
    template = "dashboard/paste_result.html" if fragment else "dashboard/paste.html"
    context = {**page_context(request, principal), **result, "is_fragment": fragment}
    return answer(request, template, context, 200 if fragment else status)


def refusal(
    request: HttpRequest, principal: Principal, error: Unusable | BadDocument
) -> HttpResponse:
    if isinstance(error, Unusable):
        return page(request, principal, {"sentence": error.sentence}, error.status)
    sentence = f"{error.message[:1].upper()}{error.message[1:]}."
    return page(request, principal, {"sentence": sentence, "looked_like_more": True}, 422)


def is_fragment(request: HttpRequest) -> bool:
    return "HX-Request" in request.headers


def page_context(request: HttpRequest, principal: Principal) -> dict[str, Any]:
    team = team_asked(request, principal)
    return {
        "team": team.slug if team else "",
        "teams": principal.teams,
        "content_types": CONTENT_TYPES,
        "dialects": list(dialects()),
        "as_it_is": AS_IT_IS,
        "max_bytes": settings.MAX_BODY_BYTES,
    }


def team_asked(request: HttpRequest, principal: Principal) -> TeamAccess | None:
    """Whose page it was that led here; only the name on top depends on it."""
    slug = request.GET.get("team")
    if slug is None:
        return next(iter(principal.teams), None)
    team = principal.team(slug)
    if team is None:
        raise Http404
    return team


def result_of(form: Form, principal: Principal) -> dict[str, Any]:
    found = pasted(form.content, form.wanted)
    view = view_of(found, principal)
    return {
        "form": form,
        "box": shown_again(form),
        "pasted": found,
        "parts": parts_of(found, view),
        "stores": [team for team in principal.teams if INGEST in team.scopes],
        # In another text than the box holds, lines have other numbers.
        "marks": marks_of(view) if found.kind is Kind.BODY else "",
        **shown(view),
    }


def view_of(found: Pasted, principal: Principal) -> CaptureView:
    """Raises ``NotRead``."""
    exchange = found.arrival.exchange
    with on_demand.place(exchange):
        read, _ = on_demand.read(works.readout, exchange, principal.asker)
    analysis, body = read.analysis, uncoded(exchange).body
    if len(body) > SHOWN_IN_FULL_BYTES:
        analysis = preview.bounded(analysis)
    return CaptureView(
        page=preview.page_of(found.arrival, analysis, body),
        body=body,
        request=exchange.request,
        analysis=analysis,
        tape=read.tape,
        asked={"timeline": "table"},
        stored=False,
    )


def parts_of(found: Pasted, view: CaptureView) -> tuple[Part, ...]:
    """The responses to choose from, where a text holds several."""
    codes = {finding.code for finding in view.analysis.findings} if view.analysis else set()
    is_text = found.kind is Kind.BODY and "framing.several-documents" in codes
    if not is_text:
        return found.parts
    with on_demand.place(view.body):
        # Of bytes that were counted already.
        return on_demand.read(works.responses, view.body, None)[0]


def not_read(error: NotRead) -> str:
    return f"{error.sentence[:1].upper()}{error.sentence[1:]}."


def shown(view: CaptureView) -> dict[str, Any]:
    summary = summary_of(view)
    full = [each for each in panels.build(view) if each.drawn.content and tells_more(each, view)]
    return {
        "view": view,
        "page": view.page,
        "row": view.row,
        "summary": summary,
        "figures": [f for f in summary.figures if f.label.startswith(FIGURES)],
        "first": [each for each in full if each.panel.slug in FIRST_PANELS],
        "rest": [each for each in full if each.panel.slug not in FIRST_PANELS],
    }


def tells_more(shown: Shown, view: CaptureView) -> bool:
    """Without any time the timeline would list events that stand among the bytes anyway."""
    timed = view.tape is not None and view.tape.clock is not Clock.NONE
    states_times = view.analysis is not None and bool(view.analysis.timeline.provider_clocks)
    return timed or states_times or shown.panel.slug != "timeline"


def marks_of(view: CaptureView) -> str:
    """Lines with a finding, for the box: ``17:warning 19:error``."""
    marked = sorted(severity_by_line(view).items())
    return " ".join(f"{view.lines.all[at].number}:{severity}" for at, severity in marked)


def shown_again(form: Form) -> str:
    """The text for the box of a page without scripts."""
    if len(form.content) > SHOWN_AGAIN_BYTES:
        return ""
    try:
        text = form.content.decode()
    except UnicodeDecodeError:
        return ""
    # What a page cannot hold as it is must not come back as something else.
    return text if text == named(text) and "\r" not in text else ""
