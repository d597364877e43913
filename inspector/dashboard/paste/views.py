"""The paste page: analyses pasted or dropped bytes, and stores them only on request."""

from typing import Any

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from inspector.archive import preview
from inspector.archive.intake import submission
from inspector.archive.intake.submission import Accepted
from inspector.archive.readers import on_demand
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.extract import request_facts
from inspector.archive.storage import disk_space
from inspector.core.formats import dialects
from inspector.core.json.document import BadDocument
from inspector.core.pasted.responses import PastedResponse, pasted_responses
from inspector.core.readout import readout
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Clock
from inspector.dashboard.capture import panels
from inspector.dashboard.capture.head.summary import capture_summary
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import PanelDisplay
from inspector.dashboard.capture.raw.panel import severity_by_line
from inspector.dashboard.pages import login_required, render_page
from inspector.dashboard.paste.examples import EXAMPLES
from inspector.dashboard.paste.form import (
    CONTENT_TYPES,
    READ_AS_BYTES,
    BadPasteForm,
    PasteForm,
    parse_paste_form,
)
from inspector.dashboard.paste.pasted import Pasted, PastedKind, read_pasted
from inspector.dashboard.paste.pasted_file import pasted_container
from inspector.dashboard.paste.stored_file import store_answers
from inspector.dashboard.request_values import parse_whole_number
from inspector.database.portability import UNAVAILABLE
from inspector.formatting.invisible_characters import spell_out_invisible
from inspector.teams.access import INGEST, Principal, TeamAccess
from inspector.web import deadline

FIGURE_LABELS = ("model answered", "finish reason", "tokens", "first token", "findings", "size")
FIRST_PANELS = ("choices", "findings")
FULL_TEXT_BYTES = 2_000_000
"""Long texts of a larger body are truncated as in the archive, since the page holds all of it."""
BOX_TEXT_BYTES = 500_000
"""A larger text is not put back into the text box, because browsers take seconds to render it."""


@login_required
def paste(request: HttpRequest, principal: Principal) -> HttpResponse:
    example = EXAMPLES.get(request.GET.get("example", ""))
    if request.method != "POST" and example is None:
        return render_paste_page(request, principal, {})
    try:
        form = parse_paste_form(request, example.body if example else b"")
        with deadline.interrupt_after(settings.PAGE_SECONDS):
            result = result_context(form, principal) if form.content else {}
            return render_paste_page(request, principal, result)
    except (BadPasteForm, BadDocument) as error:
        return render_error(request, principal, error)
    except ReadingError as error:
        return render_paste_page(request, principal, {"sentence": not_read(error)}, error.status)


@login_required
def store(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Store the bytes that were shown; refuses other bytes."""
    try:
        form = parse_paste_form(request)
        if form.sha256 != request.POST.get("sha256"):
            raise BadPasteForm("The text changed since it was shown. Inspect it again.", 409)
        within = principal.within(team)
        assert within is not None, "the table asked for the team"
        if "all" in request.POST:
            return store_all(request, within, form, team)
        arrival = read_pasted(form.content, form.options).arrival
        accepted = submission.accept(within, arrival)
    except (BadPasteForm, BadDocument) as error:
        return render_error(request, principal, error)
    except UNAVAILABLE as error:
        return render_unavailable(request, principal, error)
    assert isinstance(accepted, Accepted), "what is pasted has no idempotency key"
    if is_fragment(request):
        address = reverse("dashboard:capture", args=[accepted.id])
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect("dashboard:capture", capture_id=accepted.id)


def store_all(
    request: HttpRequest, principal: Principal, form: PasteForm, team: str
) -> HttpResponse:
    file = pasted_container(form.content)
    if file is None:
        raise BadPasteForm("This is no file with several answers.")
    told = store_answers(principal, file)
    return render_paste_page(request, principal, {"told": told, "stored_in": team})


def render_unavailable(
    request: HttpRequest, principal: Principal, error: Exception
) -> HttpResponse:
    reason = "its disk is nearly full" if disk_space.is_disk_full(error) else "its database is busy"
    # Of a file with many the first ones may be stored: each has a key, and is stored once.
    nothing = "" if "all" in request.POST else " Nothing was stored;"
    sentence = f"The archive cannot store it now, {reason}.{nothing} Try again."
    return render_paste_page(
        request, principal, {"sentence": sentence.replace("; Try", "; try")}, 503
    )


def render_paste_page(
    request: HttpRequest, principal: Principal, result: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Render the page, or only the result for a script.

    The script gets errors with status 200 too, because browsers log other statuses as failures.
    """
    fragment = is_fragment(request)
    template = "dashboard/paste/result.html" if fragment else "dashboard/paste/page.html"
    context = {**page_context(request, principal), **result, "is_fragment": fragment}
    return render_page(request, template, context, 200 if fragment else status)


def render_error(
    request: HttpRequest, principal: Principal, error: BadPasteForm | BadDocument
) -> HttpResponse:
    if isinstance(error, BadPasteForm):
        return render_paste_page(request, principal, {"sentence": error.sentence}, error.status)
    sentence = f"{error.message[:1].upper()}{error.message[1:]}."
    return render_paste_page(
        request, principal, {"sentence": sentence, "looked_like_more": True}, 422
    )


def is_fragment(request: HttpRequest) -> bool:
    return "HX-Request" in request.headers


def page_context(request: HttpRequest, principal: Principal) -> dict[str, Any]:
    team = team_of_request(request, principal)
    return {
        "team": team.slug if team else "",
        "part": parse_whole_number(request.GET.get("part", "")),
        "teams": principal.teams,
        "content_types": CONTENT_TYPES,
        "dialects": list(dialects()),
        "as_it_is": READ_AS_BYTES,
        "max_bytes": settings.MAX_BODY_BYTES,
        "examples": EXAMPLES,
    }


def team_of_request(request: HttpRequest, principal: Principal) -> TeamAccess | None:
    """Team from whose page the user came; it only affects the page head."""
    slug = request.GET.get("team")
    if slug is None:
        return next(iter(principal.teams), None)
    team = principal.team(slug)
    if team is None:
        raise Http404
    return team


def result_context(form: PasteForm, principal: Principal) -> dict[str, Any]:
    found = read_pasted(form.content, form.options)
    view = build_capture_view(found, principal)
    return {
        "form": form,
        "box": text_for_box(form),
        "pasted": found,
        "parts": parts_of(found, view),
        "stores": [team for team in principal.teams if INGEST in team.scopes],
        # Line numbers refer to the analysed text, which must be the one in the box.
        "marks": line_severities(view) if found.kind is PastedKind.BODY else "",
        **capture_context(view),
    }


def build_capture_view(found: Pasted, principal: Principal) -> CaptureView:
    """Analyses the paste. Raises ``ReadingError``."""
    exchange = found.arrival.exchange
    with on_demand.reserve_reader(exchange):
        read, _ = on_demand.read(readout, exchange, principal.asker)
        # None: these bytes were counted with the others.
        asked = msgspec.structs.replace(exchange, reads=())
        request, _ = on_demand.read(request_facts, asked, None)
    body = decompressed(exchange).body
    if len(body) > FULL_TEXT_BYTES:
        read = msgspec.structs.replace(read, analysis=preview.truncated_analysis(read.analysis))
    return CaptureView(
        facts=preview.preview_facts(found.arrival, read.analysis, request, body),
        body=body,
        request=exchange.request,
        analysis=read.analysis,
        tape=read.tape,
        query_params={"timeline": "table"},
        is_stored=False,
    )


def parts_of(found: Pasted, view: CaptureView) -> tuple[PastedResponse, ...]:
    """Return the responses found, if the text contains several."""
    codes = {finding.code for finding in view.analysis.findings} if view.analysis else set()
    is_text = found.kind is PastedKind.BODY and "framing.several-documents" in codes
    if not is_text:
        return found.parts
    with on_demand.reserve_reader(view.body):
        # None: these bytes were counted when the view was built.
        return on_demand.read(pasted_responses, view.body, None)[0]


def not_read(error: ReadingError) -> str:
    return f"{error.sentence[:1].upper()}{error.sentence[1:]}."


def capture_context(view: CaptureView) -> dict[str, Any]:
    summary = capture_summary(view)
    full = [
        each
        for each in panels.build_panels(view)
        if each.body.content and adds_information(each, view)
    ]
    return {
        "view": view,
        "facts": view.facts,
        "row": view.row,
        "summary": summary,
        "figures": [f for f in summary.figures if f.label.startswith(FIGURE_LABELS)],
        "first": [each for each in full if each.panel.slug in FIRST_PANELS],
        "rest": [each for each in full if each.panel.slug not in FIRST_PANELS],
    }


def adds_information(display: PanelDisplay, view: CaptureView) -> bool:
    """Return False for a timeline without times: its events are listed with the bytes anyway."""
    timed = view.tape is not None and view.tape.clock is not Clock.NONE
    states_times = view.analysis is not None and bool(view.analysis.timeline.provider_clocks)
    return timed or states_times or display.panel.slug != "timeline"


def line_severities(view: CaptureView) -> str:
    """Lines with findings, for the text box: ``17:warning 19:error``."""
    marked = sorted(severity_by_line(view).items())
    return " ".join(f"{view.lines.all[at].number}:{severity}" for at, severity in marked)


def text_for_box(form: PasteForm) -> str:
    """Text to put back into the text box of a page without scripts."""
    if len(form.content) > BOX_TEXT_BYTES:
        return ""
    try:
        text = form.content.decode()
    except UnicodeDecodeError:
        return ""
    # Text that the page would alter is left out, lest a different text be submitted.
    return text if text == spell_out_invisible(text) and "\r" not in text else ""
