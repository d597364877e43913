"""Where things are shown: panels by their view, places in the bytes at an address of their own or
further down the same page.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from inspector.dashboard.capture_view import CaptureView

register = template.Library()


@register.simple_tag
def panel_link(view: CaptureView, slug: str, **changes: object) -> SafeString:
    """What an ``<a>`` needs to show a panel in another way, the other panels left as they are.

    Without scripts the page comes anew. A change to None or "" takes its name out of the query.
    """
    page = page_url(view, slug, **changes)
    part = panel_part(view, slug, **changes)
    return format_html(
        'href="{}" hx-get="{}" hx-target="#{}" hx-swap="outerHTML" hx-push-url="{}"',
        *(page, part, slug, page),
    )


@register.simple_tag
def panel_part(view: CaptureView, slug: str, **changes: object) -> str:
    """One panel alone, to be put on the page."""
    return reverse("dashboard:panel", args=[view.id, slug]) + query(view, changes)


def page_url(view: CaptureView, slug: str, **changes: object) -> str:
    """The page with one panel in view."""
    return f"{reverse('dashboard:capture', args=[view.id])}{query(view, changes)}#{slug}"


@register.inclusion_tag("dashboard/kept.html")
def kept(view: CaptureView, *changed: str) -> dict[str, object]:
    """The other panels' state as hidden fields of a form that asks for the names left out."""
    return {"kept": {name: word for name, word in view.asked.items() if name not in changed}}


def query(view: CaptureView, changes: Mapping[str, object]) -> str:
    asked = {
        name: word for name, word in {**view.asked, **changes}.items() if word not in (None, "")
    }
    # Half of a surrogate pair in a name has no spelling in an address.
    return "?" + urlencode(asked, errors="replace") if asked else ""


@register.simple_tag
def event_href(view: CaptureView, event: int) -> str:
    return f"{lines_url(view)}?event={event}{anchor(event)}" if view.stored else anchor(event)


@register.simple_tag
def byte_href(view: CaptureView, byte: int, event: int | None = None) -> str:
    if view.stored:
        return f"{lines_url(view)}?byte={byte}{anchor(event) or f'#byte-{byte}'}"
    return anchor(event) or f"#line-{view.lines.number_at(byte)}"


def lines_url(view: CaptureView) -> str:
    return reverse("dashboard:lines", args=[view.id])


def anchor(event: int | None) -> str:
    return "" if event is None else f"#event-{event}"
