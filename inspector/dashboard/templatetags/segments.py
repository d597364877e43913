"""Writes segments of text into a page: escaped, the names of invisible characters set apart.

A name carries its character's number, from which static/dashboard/copy.js copies the exact text.
What stands for no character is left out there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from inspector.dashboard.marks import Segment

register = template.Library()


@register.filter
def segments(parts: Iterable[Segment]) -> SafeString:
    return mark_safe("".join(written(part) for part in parts))


@register.filter
def as_json(value: Any) -> SafeString:
    """JSON for a script to read out of a ``<template>``: no character that HTML knows is in it."""
    text = json.dumps(value, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return mark_safe(text)


def written(part: Segment) -> str:
    if part.kind and not part.character:
        return format_html('<i class="mark" data-uncopied>{}</i>', part.text)
    if part.kind:
        code = f"{ord(part.character):x}"
        return format_html('<i class="mark" data-code="{}">{}</i>', code, part.text)
    # A bare CR would become LF where HTML is read: offsets in the text would be others.
    return escape(part.text).replace("\r", "&#13;")
