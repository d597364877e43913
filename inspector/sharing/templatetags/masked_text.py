"""The template filter that draws a text with its masked passages. It is no template, for one ends
with a line break, and these texts stand as they were sent.
"""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from inspector.sharing.document.passage_masks import MaskedSegment

register = template.Library()

MASK = '<span class="mask" role="img" aria-label="masked, {} characters">{}</span>'


@register.filter
def with_masks(segments: Iterable[MaskedSegment]) -> SafeString:
    return format_html_join("", "{}", ((_drawn(each),) for each in segments))


def _drawn(segment: MaskedSegment) -> SafeString:
    if segment.is_masked:
        return format_html(MASK, len(segment.text), segment.text)
    return SafeString(conditional_escape(segment.text))
