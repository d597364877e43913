"""Template tags that render charts."""

from __future__ import annotations

from django import template

from inspector.dashboard.charts import chart_svg

register = template.Library()

register.simple_tag(chart_svg.columns_svg, name="columns")
register.simple_tag(chart_svg.curve_svg, name="curve_lines")
register.filter("cells", chart_svg.cells_html)
