"""Writes texts into a page: with what two share, where they part and what footnotes mark.

All in one line: space between the parts would be space in the text.
"""

from __future__ import annotations

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from inspector.dashboard.comparison import ShownRun
from inspector.dashboard.lane_place import LanePlace
from inspector.dashboard.passages import Passage, Run
from inspector.dashboard.templatetags.segments import segments

register = template.Library()

FORK = mark_safe('<span class="fork" aria-hidden="true"></span>')
MORE = '<details class="more"><summary data-uncopied>{} more characters{}</summary>{}</details>'


@register.filter
def passage(text: Passage) -> SafeString:
    """What is shown and what is folded; the word for an absent text."""
    if text.absent:
        return format_html('<code class="faint" data-uncopied>{}</code>', text.absent)
    if not text.folded_length:
        return runs(text.shown)
    more = format_html(MORE, f"{text.folded_length:,}", "", runs(text.folded))
    return runs(text.shown) + more


@register.filter
def traced(place: LanePlace | None) -> SafeString:
    """Makes an element one whose characters can be selected, by keys too, and traced."""
    if place is None:
        return SafeString()
    return format_html('{} tabindex="0" role="group" aria-label="{}"', lane(place), place.words)


@register.filter
def lane(place: LanePlace | None) -> SafeString:
    """Where the text of an element stands, from which its characters are traced."""
    if place is None:
        return SafeString()
    return format_html(' data-lane="{}" data-start="{}"', place.lane, place.start_u16)


@register.filter
def compared(parts: Iterable[ShownRun]) -> SafeString:
    """Two texts in one."""
    return format_html_join("", "{}", ((written_difference(part),) for part in parts))


@register.filter
def pair(before: int, after: int) -> str:
    """Two choices as their comparison is asked for."""
    return f"{before}-{after}"


def runs(parts: Iterable[Run]) -> SafeString:
    return format_html_join("", "{}", ((written_run(part),) for part in parts))


def written_run(run: Run) -> SafeString:
    text = segments(run.text)
    if run.kind == "fork":
        return FORK
    if run.kind == "note":
        note = '<sup data-uncopied><a href="#{}" aria-label="Source {}">{}</a></sup>'
        return format_html(note, run.to, text, text)
    if run.to:
        text = format_html('<a href="#{}">{}</a>', run.to, text)
    return format_html('<span class="same">{}</span>', text) if run.kind == "same" else text


def written_difference(run: ShownRun) -> SafeString:
    text = segments(run.text)
    if run.kind == "fork":
        return FORK
    if run.kind == "removed":
        return format_html("<del>{}</del>", text)
    if run.kind == "added":
        return format_html("<ins>{}</ins>", text)
    if not run.folded:
        return text
    folded = segments(run.folded)
    more = format_html(MORE, f"{run.folded_length:,}", " that are the same", folded)
    return text + more + segments(run.end)
