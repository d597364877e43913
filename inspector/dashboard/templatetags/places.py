"""Where a place in the bytes is shown: at an address of its own, or further down the same page."""

from __future__ import annotations

from django import template
from django.urls import reverse

from inspector.dashboard.capture_view import CaptureView

register = template.Library()


@register.simple_tag
def event_href(view: CaptureView, event: int) -> str:
    return f"{lines_url(view)}?event={event}{anchor(event)}" if view.stored else anchor(event)


@register.simple_tag
def byte_href(view: CaptureView, byte: int, event: int | None = None) -> str:
    if view.stored:
        return f"{lines_url(view)}?byte={byte}{anchor(event)}"
    return anchor(event) or f"#line-{view.lines.number_at(byte)}"


def lines_url(view: CaptureView) -> str:
    return reverse("dashboard:lines", args=[view.id])


def anchor(event: int | None) -> str:
    return "" if event is None else f"#event-{event}"
