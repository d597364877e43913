"""The page that shows an answer in the form of another format."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from inspector.core.analysis import Analysis
from inspector.core.translation import targets
from inspector.dashboard.capture.translation.translation_page import (
    NOT_INSPECTED,
    NOT_READ,
    TranslationDisplay,
    format_links,
    translation_display,
)
from inspector.dashboard.capture.views import opened_of
from inspector.dashboard.page_auth import login_required, render_page
from inspector.query.resolve import abbreviated
from inspector.teams.access import Principal


@login_required
def translation(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    """Shows the translation, or why there is none; without a format, the formats that there are."""
    capture = opened_of(principal, capture_id, with_evidence=True)
    analysis, slug = (
        capture.readout.analysis if capture.readout else None,
        request.GET.get("as", ""),
    )
    is_unknown = bool(slug) and slug not in targets()
    display = translation_of(capture_id, analysis, slug) if slug in targets() else None
    context = {
        "facts": capture,
        "row": capture.row,
        "team": capture.team_slug,
        "slug": slug,
        "links": format_links(capture_id, analysis),
        "unknown": abbreviated(slug) if is_unknown else "",
        "why": why_none(analysis),
        "display": display,
    }
    status = 422 if is_unknown else 200
    return render_page(request, "dashboard/capture/translation_page.html", context, status)


def translation_of(
    capture_id: UUID, analysis: Analysis | None, slug: str
) -> TranslationDisplay | None:
    return translation_display(capture_id, analysis, slug) if analysis else None


def why_none(analysis: Analysis | None) -> str:
    """Why there is nothing to translate; "" if there is something."""
    if analysis is None:
        return NOT_INSPECTED
    return "" if analysis.choices else NOT_READ
