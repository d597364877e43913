"""URLs of panels, views of panels and places in the raw bytes."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from inspector.dashboard.capture.page.capture_view import CaptureView


def panel_link_attributes(
    view: CaptureView, slug: str, swap: str = "outerHTML", **changes: object
) -> SafeString:
    """Attributes of an ``<a>`` that changes one panel's options and keeps those of the others.

    Without scripts the link reloads the page. A value of None or "" removes the parameter.
    """
    page = page_url(view, slug, **changes)
    part = panel_fragment_url(view, slug, **changes)
    return format_html(
        'href="{}" hx-get="{}" hx-target="#{}" hx-swap="{}" hx-push-url="{}"',
        *(page, part, slug, swap, page),
    )


def other_panel_link_attributes(view: CaptureView, slug: str, **changes: object) -> SafeString:
    """Attributes of an ``<a>`` in another panel, which also scrolls to the one that it changes."""
    return panel_link_attributes(view, slug, "outerHTML show:top", **changes)


def panel_fragment_url(view: CaptureView, slug: str, **changes: object) -> str:
    """URL of one panel as a fragment."""
    return reverse("dashboard:panel", args=[view.id, slug]) + query_string(view, changes)


def page_url(view: CaptureView, slug: str, **changes: object) -> str:
    """URL of the page scrolled to one panel."""
    return f"{reverse('dashboard:capture', args=[view.id])}{query_string(view, changes)}#{slug}"


def hidden_params(view: CaptureView, *changed: str) -> dict[str, object]:
    """Return the other panels' options, as hidden fields of a form that sets the
    ``changed`` ones.
    """
    return {
        "params": {name: word for name, word in view.query_params.items() if name not in changed}
    }


def query_string(view: CaptureView, changes: Mapping[str, object]) -> str:
    params = {
        name: word
        for name, word in {**view.query_params, **changes}.items()
        if word not in (None, "")
    }
    # A lone surrogate in a name cannot be percent-encoded.
    return "?" + urlencode(params, errors="replace") if params else ""


def event_href(view: CaptureView, event: int) -> str:
    return (
        f"{lines_url(view)}?event={event}{event_anchor(event)}"
        if view.is_stored
        else event_anchor(event)
    )


def byte_href(view: CaptureView, byte: int) -> str:
    if view.is_stored:
        return f"{lines_url(view)}?byte={byte}#byte-{byte}"
    return f"#line-{view.lines.number_at(byte)}"


def lines_url(view: CaptureView) -> str:
    return reverse("dashboard:lines", args=[view.id])


def event_anchor(event: int | None) -> str:
    return "" if event is None else f"#event-{event}"


def part_context(view: CaptureView) -> dict[str, Any]:
    return {"view": view, "facts": view.facts, "row": view.row, "team": view.facts.team_slug}


def part_template(request: HttpRequest, name: str) -> str:
    """Template of the bare rows for a script, else of a page around the same rows."""
    is_fragment = request.headers.get("HX-Request")
    return (
        f"dashboard/capture/panels/{name}_rows.html"
        if is_fragment
        else f"dashboard/capture/{name}_page.html"
    )
