"""The pages of a team's settings, in the order of their list."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.urls import reverse

from inspector.teams.access import EXPORT, OWN

register = template.Library()

PAGES = (
    ("team", "Members and keys", None),
    ("prices", "Prices", None),
    ("upstreams", "Upstreams", None),
    ("shares", "Links", EXPORT),
    ("retention", "Retention", None),
    ("redaction", "Redaction", None),
    ("audit", "Audit log", OWN),
    ("status", "Status", None),
)
"""Name, title, and what a member must be allowed to see it."""


@dataclass(frozen=True, slots=True)
class SettingsPage:
    title: str
    url: str
    is_here: bool


@register.simple_tag(takes_context=True)
def settings_pages(context: Any) -> tuple[SettingsPage, ...]:
    """Those of the page's team that its reader may see; none where it has no team."""
    team = next((it for it in context.get("teams", ()) if it.slug == context.get("team")), None)
    if team is None:
        return ()
    seen = [(name, title) for name, title, scope in PAGES if not scope or scope in team.scopes]
    urls = [(title, reverse(f"dashboard:{name}", args=[team.slug])) for name, title in seen]
    # What a form was sent to answers with the page that it stands on.
    above = (url for _, url in urls if context["request"].path.startswith(url))
    here = max(above, key=len, default="")
    return tuple(SettingsPage(title, url, url == here) for title, url in urls)
