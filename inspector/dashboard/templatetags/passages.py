"""Template tags that render passages of answers."""

from __future__ import annotations

from django import template

from inspector.dashboard.capture.choices import passage_html

register = template.Library()

register.filter("passage", passage_html.passage_html)
register.filter("traced", passage_html.traceable_attributes)
register.filter("lane", passage_html.lane_attributes)
register.filter("compared", passage_html.diff_html)
register.filter("pair", passage_html.choice_pair)
