"""Writes segments of text into a page: escaped, the names of invisible characters set apart."""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from inspector.dashboard.marks import Segment

register = template.Library()


@register.filter
def segments(parts: Iterable[Segment]) -> SafeString:
    return mark_safe("".join(written(part) for part in parts))


def written(part: Segment) -> str:
    if part.kind:
        return format_html('<i class="mark">{}</i>', part.text)
    return escape(part.text)
