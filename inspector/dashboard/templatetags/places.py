"""Template tags for URLs of the capture page and its parts."""

from collections.abc import Iterator
from uuid import UUID

from django import template
from django.urls import reverse

from inspector.dashboard.capture.page import urls
from inspector.transfer.fixtures.registry import KINDS

register = template.Library()

register.simple_tag(urls.panel_link_attributes, name="panel_link")
register.simple_tag(urls.other_panel_link_attributes, name="other_panel_link")
register.simple_tag(urls.panel_fragment_url, name="panel_part")
register.inclusion_tag("dashboard/capture/hidden_params.html", name="hidden_params")(
    urls.hidden_params
)
register.simple_tag(urls.event_href, name="event_href")
register.simple_tag(urls.byte_href, name="byte_href")


@register.simple_tag
def fixture_links(capture_id: UUID) -> Iterator[tuple[str, str]]:
    """Title and address of each fixture."""
    for kind, form in KINDS.items():
        yield form.title, reverse("dashboard:fixture", args=[capture_id, kind])
