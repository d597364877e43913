"""Marks and cells of drawings as markup.

A page of usage has thousands of them, and each variable of a template costs more than what it says:
written here, they take a fifth of the time. Places and classes are this program's own; what is
escaped is all that anybody else may have had a word in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from inspector.dashboard.chart import Block, Chart, Column, Curve

register = template.Library()


@register.simple_tag
def columns(chart: Chart, list_url: str, place: str = "") -> SafeString:
    """Each with its words, and leading to what is behind it: a list, and a place on its page."""
    return mark_safe("".join(_columns(chart, escape(list_url), escape(place))))  # noqa: S308


@register.simple_tag
def curve_lines(curve: Curve) -> SafeString:
    return mark_safe("".join(_lines(curve)))  # noqa: S308


@register.filter
def cells(values: Iterable[str]) -> SafeString:
    return mark_safe("".join(f'<td class="num">{escape(each)}</td>' for each in values))  # noqa: S308


def _columns(chart: Chart, list_url: str, place: str) -> Iterator[str]:
    def leads_to(query: str) -> str:
        return f'href="{list_url}?{escape(query)}{place}" tabindex="-1"'

    return (_column(each, chart, leads_to) for each in chart.columns)


def _column(column: Column, chart: Chart, leads_to: Callable[[str], str]) -> str:
    width, slot = chart.axis.bar_width, column.slot
    inside = "".join(_rect(each, width) for each in column.blocks if not each.query)
    apart = "".join(_linked(each, width, leads_to) for each in column.blocks if each.query)
    return (
        f'<svg x="{slot.x}" width="{chart.axis.slot_width}"><a {leads_to(slot.query)}>'
        f"<title>{escape(column.words)}</title>"
        f'<rect class="slot" width="100%" height="100%"/>{inside}</a>'
        f"{apart}{_across('before', column.before_y, width, 2)}</svg>"
    )


def _linked(block: Block, width: str, leads_to: Callable[[str], str]) -> str:
    words = f"<title>{escape(block.words)}</title>"
    return f"<a {leads_to(block.query)}>{words}{_rect(block, width)}</a>"


def _rect(block: Block, width: str) -> str:
    return f'<rect class="{block.tone}" y="{block.y}" width="{width}" height="{block.height}"/>'


def _across(tone: str, y: str, width: str, height: int) -> str:
    return f'<rect class="{tone}" y="{y}" width="{width}" height="{height}"/>' if y else ""


def _lines(curve: Curve) -> Iterator[str]:
    for each in curve.segments:
        alone = ' class="alone"' if each.is_alone else ""
        yield f'<line{alone} x1="{each.x1}" y1="{each.y1}" x2="{each.x2}" y2="{each.y2}"/>'
