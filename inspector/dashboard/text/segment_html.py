"""Renders text segments as HTML, with the names of invisible characters set apart.

Each name carries its code point, from which static/dashboard/copy.js restores the exact text on
copying. Names without a code point are left out of the copy.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from inspector.formatting.invisible_characters import TextSegment

_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9][_.])(?=[a-z0-9])|(?<=[a-z])(?=[A-Z])")
"""``output|Tokens``, ``output_|tokens``."""
_LONG_WORD = re.compile(r"[\w/]{17,}", re.ASCII)
"""Wider than the column of a figure: ``PROVISIONED_THROUGHPUT``, ``/choices/0/message/content``."""
_BEFORE_PART = re.compile(r"(?<=[_/])(?=\w)")


def segments_html(parts: Iterable[TextSegment]) -> SafeString:
    return mark_safe("".join(segment_html(part) for part in parts))


def name_html(parts: Iterable[TextSegment]) -> SafeString:
    """Render the name of a field, which breaks between its words where it is too long."""
    return mark_safe("".join(
        segment_html(part) if part.kind else _BETWEEN_WORDS.sub("<wbr>", segment_html(part))
        for part in parts
    ))  # fmt: skip


def figure_html(text: str) -> SafeString:
    """Render a text whose long words break behind an underscore, and pointers at their steps."""
    return mark_safe(_LONG_WORD.sub(lambda word: _BEFORE_PART.sub("<wbr>", word[0]), escape(text)))


def json_for_script(value: Any) -> SafeString:
    """Encode JSON, HTML escaped, for a script to read from a ``<template>``."""
    text = json.dumps(value, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return mark_safe(text)


def segment_html(part: TextSegment) -> str:
    if part.kind and not part.character:
        return format_html('<i class="mark" data-uncopied>{}</i>', part.text)
    if part.kind:
        code = f"{ord(part.character):x}"
        return format_html('<i class="mark" data-code="{}">{}</i>', code, part.text)
    # HTML parsing turns a bare CR into LF, which would shift offsets in the text.
    return escape(part.text).replace("\r", "&#13;")
