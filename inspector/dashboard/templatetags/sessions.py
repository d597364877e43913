"""Template filters for the pages of sessions."""

from django import template

from inspector.dashboard.sessions import words
from inspector.dashboard.text.section_words import SECTIONS
from inspector.formatting import humanize
from inspector.formatting.invisible_characters import TextSegment, exact_segments

VALUE_CHARACTERS = 60
"""A heading has one line; ids are shorter (a UUID has 36)."""

register = template.Library()

register.filter("span", words.span)
register.filter("money", words.money)
register.filter("cost_words", words.cost_words)
register.filter("miss_words", words.miss_words)
register.filter("grouping_words", lambda grouping: words.GROUPINGS[grouping])
register.filter("section_words", lambda section: SECTIONS[section])
register.filter("share_of", humanize.share)


@register.filter
def session_value(value: str) -> tuple[TextSegment, ...]:
    rest = "…" if len(value) > VALUE_CHARACTERS else ""
    return exact_segments(value[:VALUE_CHARACTERS] + rest)
