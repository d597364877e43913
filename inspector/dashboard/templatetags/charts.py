"""Template tags that render chart marks and table cells.

A usage page has thousands of them, and rendering them here takes a fifth of the time that template
variables take. Positions and classes come from this program; texts are escaped.
"""

from collections.abc import Callable, Iterable, Iterator

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from inspector.dashboard.charts.chart import Chart, ChartColumn, ChartCurve, ColumnBlock


def columns_svg(chart: Chart, list_url: str, place: str = "") -> SafeString:
    """Render the columns, each with its label and a link to the list of what it counts."""
    return mark_safe("".join(_columns(chart, escape(list_url), escape(place))))  # noqa: S308


def curve_svg(curve: ChartCurve) -> SafeString:
    return mark_safe("".join(_lines(curve)))  # noqa: S308


def cells_html(values: Iterable[str]) -> SafeString:
    return mark_safe("".join(f'<td class="num">{escape(each)}</td>' for each in values))  # noqa: S308


def _columns(chart: Chart, list_url: str, place: str) -> Iterator[str]:
    def leads_to(query: str) -> str:
        return f'href="{list_url}?{escape(query)}{place}" tabindex="-1"'

    return (_column(each, chart, leads_to) for each in chart.columns)


def _column(column: ChartColumn, chart: Chart, leads_to: Callable[[str], str]) -> str:
    width, slot = chart.axis.bar_width, column.slot
    inside = "".join(_rect(each, width) for each in column.blocks if not each.query)
    apart = "".join(_linked(each, width, leads_to) for each in column.blocks if each.query)
    before = _across("before", column.before_y, width, 2)
    whole = f'<rect class="slot" width="100%" height="100%"/>{inside}'
    if not column.is_empty:
        title = f"<title>{escape(column.words)}</title>"
        whole = f"<a {leads_to(slot.query)}>{title}{whole}</a>"
    return f'<svg x="{slot.x}" width="{chart.axis.slot_width}">{whole}{apart}{before}</svg>'


def _linked(block: ColumnBlock, width: str, leads_to: Callable[[str], str]) -> str:
    words = f"<title>{escape(block.words)}</title>"
    return f"<a {leads_to(block.query)}>{words}{_rect(block, width)}</a>"


def _rect(block: ColumnBlock, width: str) -> str:
    return f'<rect class="{block.tone}" y="{block.y}" width="{width}" height="{block.height}"/>'


def _across(tone: str, y: str, width: str, height: int) -> str:
    return f'<rect class="{tone}" y="{y}" width="{width}" height="{height}"/>' if y else ""


def _lines(curve: ChartCurve) -> Iterator[str]:
    for each in curve.segments:
        alone = ' class="alone"' if each.is_alone else ""
        yield f'<line{alone} x1="{each.x1}" y1="{each.y1}" x2="{each.x2}" y2="{each.y2}"/>'


register = template.Library()

register.simple_tag(columns_svg, name="columns")
register.simple_tag(curve_svg, name="curve_lines")
register.filter("cells", cells_html)
