"""The capture page, its panels one by one, and the exact bytes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive.download import download
from inspector.dashboard.capture.page.loading import load_capture_view, opened_of
from inspector.dashboard.capture.page.part import Visit
from inspector.dashboard.capture.page.urls import page_url, part_context
from inspector.dashboard.capture.page_context import display_of, page_context
from inspector.dashboard.pages import login_required, render_page
from inspector.teams.access import Principal


@login_required
def capture(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    return render_capture_page(request, principal, capture_id)


def render_capture_page(
    request: HttpRequest,
    principal: Principal,
    capture_id: UUID,
    status: int = 200,
    loaded: Mapping[Any, Any] | None = None,
    **more: Any,
) -> HttpResponse:
    """Render the whole page. ``loaded`` is what a part would load, ``more`` holds forms that
    failed validation.
    """
    view = load_capture_view(principal, capture_id, request)
    view.loaded.update(loaded or {})
    visit = Visit(principal, view, request.GET.get("list", ""))
    context = {**page_context(visit), **more}
    return render_page(request, "dashboard/capture/page.html", context, status)


@login_required
def panel(request: HttpRequest, principal: Principal, capture_id: UUID, slug: str) -> HttpResponse:
    """Answer with one panel as a fragment; without scripts, with the page around it."""
    view = replace(load_capture_view(principal, capture_id, request), looked_at=slug)
    display = display_of(view, slug)
    if display is None:
        raise Http404
    if not request.headers.get("HX-Request"):
        return redirect(page_url(view, slug))
    return render_page(
        request, "dashboard/capture/panel.html", {**part_context(view), "display": display}
    )


@login_required
def download_body(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    return download(request, opened_of(principal, capture_id))
