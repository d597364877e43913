"""Template tags for URLs of the capture page and its parts."""

from __future__ import annotations

from django import template

from inspector.dashboard.capture.page import urls
from inspector.dashboard.capture.page.fixture_links import fixture_links

register = template.Library()

register.simple_tag(urls.panel_link_attributes, name="panel_link")
register.simple_tag(urls.panel_fragment_url, name="panel_part")
register.inclusion_tag("dashboard/capture/hidden_params.html", name="hidden_params")(
    urls.hidden_params
)
register.simple_tag(fixture_links, name="fixture_links")
register.simple_tag(urls.event_href, name="event_href")
register.simple_tag(urls.byte_href, name="byte_href")
