"""Template filters that show invisible characters."""

from django import template

from inspector.dashboard.text import segment_html

register = template.Library()

register.filter("segments", segment_html.segments_html)
register.filter("name", segment_html.name_html)
register.filter("figure", segment_html.figure_html)
register.filter("as_json", segment_html.json_for_script)
