"""Template tags that render passages of answers: diff runs, divergence and footnote markers.

Everything is emitted on one line, because whitespace between elements would become part of the
text.
"""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from inspector.dashboard.capture.choices.passages import PassageRun, TextPassage
from inspector.dashboard.capture.page.lane_position import LanePosition
from inspector.dashboard.text.choice_diff import ChoiceDiffRun
from inspector.dashboard.text.segment_html import segments_html

FORK = mark_safe('<span class="fork" aria-hidden="true"></span>')
MORE = '<details class="more"><summary data-uncopied>{} more characters{}</summary>{}</details>'


def passage_html(text: TextPassage) -> SafeString:
    """Render the visible and the folded runs, or the word for an absent text."""
    if text.absent:
        return format_html('<code class="faint" data-uncopied>{}</code>', text.absent)
    if not text.folded_length:
        return runs_html(text.visible_runs)
    more = format_html(MORE, f"{text.folded_length:,}", "", runs_html(text.folded))
    return runs_html(text.visible_runs) + more


def traceable_attributes(place: LanePosition | None) -> SafeString:
    """Attributes that make a text selectable and focusable for character tracing."""
    if place is None:
        return SafeString()
    return format_html(
        '{} tabindex="0" role="group" aria-label="{}"', lane_attributes(place), place.words
    )


def lane_attributes(place: LanePosition | None) -> SafeString:
    """Attributes that locate an element's text in its lane."""
    if place is None:
        return SafeString()
    return format_html(' data-lane="{}" data-start="{}"', place.lane, place.start_u16)


def diff_html(parts: Iterable[ChoiceDiffRun]) -> SafeString:
    """Render a word diff of two texts inline."""
    return format_html_join("", "{}", ((diff_run_html(part),) for part in parts))


def before_html(parts: Iterable[ChoiceDiffRun]) -> SafeString:
    """Render the first of two compared texts, whole; what only it has is marked."""
    return diff_html(part for part in parts if part.kind != "added")


def after_html(parts: Iterable[ChoiceDiffRun]) -> SafeString:
    """Render the second of two compared texts, whole; what only it has is marked."""
    return diff_html(part for part in parts if part.kind != "removed")


def choice_pair(before: int, after: int) -> str:
    """Format the query value that compares two choices, such as ``0-2``."""
    return f"{before}-{after}"


def runs_html(parts: Iterable[PassageRun]) -> SafeString:
    return format_html_join("", "{}", ((run_html(part),) for part in parts))


def run_html(run: PassageRun) -> SafeString:
    text = segments_html(run.text)
    if run.kind == "fork":
        return FORK
    if run.kind == "note":
        note = '<sup data-uncopied><a href="#{}" aria-label="Source {}">{}</a></sup>'
        return format_html(note, run.to, text, text)
    if run.to:
        text = format_html('<a href="#{}">{}</a>', run.to, text)
    return format_html('<span class="same">{}</span>', text) if run.kind == "same" else text


def diff_run_html(run: ChoiceDiffRun) -> SafeString:
    text = segments_html(run.text)
    if run.kind == "fork":
        return FORK
    if run.kind == "removed":
        return format_html("<del>{}</del>", text)
    if run.kind == "added":
        return format_html("<ins>{}</ins>", text)
    if not run.folded:
        return text
    folded = segments_html(run.folded)
    more = format_html(MORE, f"{run.folded_length:,}", " that are the same", folded)
    return text + more + segments_html(run.end)


register = template.Library()

register.filter("passage", passage_html)
register.filter("traced", traceable_attributes)
register.filter("lane", lane_attributes)
register.filter("compared", diff_html)
register.filter("only_before", before_html)
register.filter("only_after", after_html)
register.filter("pair", choice_pair)
